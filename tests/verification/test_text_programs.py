"""Programs that read lines of text: errors that are planted in them are found by runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from seahorn_py import FrontendOptions, VerifyOptions, verify
from seahorn_py.options import MEMORY_SAFETY, Property
from seahorn_py.result import Answer

PROGRAMS = sorted((Path(__file__).parents[2] / "c_examples" / "programs").glob("*.c"))
BUGS = {
    "MEMORY_BUG": frozenset(MEMORY_SAFETY),
    "OVERFLOW_BUG": frozenset({Property.NO_OVERFLOW}),
}
ORDINARY = (("words", "OVERFLOW_BUG"), ("base64", "MEMORY_BUG"))
DEEP = (("url", "OVERFLOW_BUG"),)
"""Not found within 30,000 runs so far."""


def cases() -> list[pytest.param]:
    return [
        pytest.param(
            path,
            bug,
            id=f"{path.stem}-{bug}",
            marks=() if (path.stem, bug) in ORDINARY else pytest.mark.full,
        )
        for path in PROGRAMS
        for bug in BUGS
    ]


@pytest.mark.full
@pytest.mark.parametrize(("path", "bug"), cases())
def test_the_planted_bug_is_found(path: Path, bug: str) -> None:
    frontend = FrontendOptions(defines=(bug,), properties=BUGS[bug])
    result = verify(path, VerifyOptions(frontend, timeout=60))
    deep = (path.stem, bug) in DEEP and result.answer is Answer.UNKNOWN
    assert deep or result.answer is Answer.UNSAFE, result


@pytest.mark.full
@pytest.mark.parametrize("asked", BUGS.values(), ids=("memory", "overflow"))
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_without_it_there_is_no_error(path: Path, asked: frozenset[Property]) -> None:
    result = verify(path, VerifyOptions(FrontendOptions(properties=asked), timeout=30))
    assert result.answer is not Answer.UNSAFE, result
