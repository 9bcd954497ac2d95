"""The plug-in of pytest: proofs of `sea.toml` as tests, the fixture `verify` for tests in Python.

Until there is a `sea.toml`, or a test that asks for the fixture, nothing of the verifier is
imported.  A proof is run each time: `sea-py check` is what keeps answers.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from seahorn_py.cli.project.outcomes import Outcome
    from seahorn_py.cli.project.project import Project, Proof, Suppression

FILE = "sea.toml"


class ProofFailed(Exception):
    """A proof without the answer that was expected; the text is what is shown."""


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """The proofs of a file."""
    if file_path.name != FILE:
        return None
    found: pytest.Collector = SeaToml.from_parent(parent, path=file_path)
    return found


class SeaToml(pytest.File):
    """A `sea.toml`, with an item for each proof."""

    def collect(self) -> Iterator[pytest.Item]:
        """The items, in the order of the file."""
        from seahorn_py.base.errors import SeaError
        from seahorn_py.cli.project.toml_reading import read

        try:
            project = read(Path(os.path.relpath(self.path)))
        except SeaError as error:
            raise self.CollectError(str(error)) from None
        for proof in project.proofs:
            yield ProofItem.from_parent(self, name=proof.name, proof=proof, project=project)


class ProofItem(pytest.Item):
    """A proof as a test."""

    def __init__(self, *, proof: Proof, project: Project, **rest: Any) -> None:
        super().__init__(**rest)
        self._proof = proof
        self._project = project

    def runtest(self) -> None:
        """Run the proof; ProofFailed if its answer is not the expected one."""
        import datetime

        from seahorn_py.cli.project.outcomes import expired

        today = datetime.date.today()
        all_ = self._project.suppressions
        past = expired(all_, [self._proof], today)
        outcome = outcome_of(self._proof, [one for one in all_ if not one.is_expired(today)])
        wrong = [*_shown(outcome), *_past(past)]
        if wrong:
            raise ProofFailed("\n".join(wrong))
        if outcome.excused:
            pytest.xfail("; ".join(dict.fromkeys(one.by.reason for one in outcome.excused)))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """What is wrong, with the run in C; a traceback for anything else."""
        if isinstance(excinfo.value, ProofFailed):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        """The line of the proof."""
        return self.path, max(self._proof.place.line - 1, 0), self.name


def outcome_of(proof: Proof, live: Sequence[Suppression]) -> Outcome:
    """Run a proof here."""
    from seahorn_py.cli.project.at_once import Question, outcome

    return outcome(Question(proof, tuple(live)))


def _shown(outcome: Outcome) -> Iterator[str]:
    """What is wrong with an outcome; nothing if nothing is."""
    if not outcome.is_good:
        from seahorn_py.cli.project.shown import told

        what = outcome.difference or outcome.status.value
        yield f"{outcome.proof.name}: {what}: {outcome.headline}"
        yield from told(outcome)
        yield f"alone: {outcome.proof.command}"


def _past(suppressions: Sequence[Suppression]) -> Iterator[str]:
    from seahorn_py.cli.project.shown import past

    yield from past(suppressions)


@pytest.fixture
def verify(pytestconfig: pytest.Config) -> Callable[..., Outcome]:
    """A function that asks about C files, `verify("src/a.c", entry="f", expected="unsafe")`.

    Its keywords are the keys of a proof in sea.toml, with `_` for `-`; names of files begin at the
    root of the tests.  It returns the outcome, and fails the test for another answer.
    """
    from seahorn_py.base.errors import SeaError
    from seahorn_py.cli.project.toml_reading import of_call

    root = Path(os.path.relpath(pytestconfig.rootpath))

    def verified(*sources: str | Path, **keys: Any) -> Outcome:
        __tracebackhide__ = True
        outcome, wrong = None, ""
        try:
            outcome = outcome_of(of_call([*map(str, sources)], keys, root), ())
            wrong = "\n".join(_shown(outcome))
        except SeaError as error:
            wrong = str(error)
        if wrong or outcome is None:
            pytest.fail(wrong)
        return outcome

    return verified
