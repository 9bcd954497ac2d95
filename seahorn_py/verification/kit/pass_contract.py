"""What every pass keeps: programs that verify, and what they do."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path

from seahorn_py.ir.interpreter import Interpreter
from seahorn_py.ir.operands import Site
from seahorn_py.ir.program import Program
from seahorn_py.ir.run import Ending, Outcome, RunLimits
from seahorn_py.ir.types import IntType
from seahorn_py.ir.verifier import verify
from seahorn_py.options import VerifyOptions
from seahorn_py.processes import scratch
from seahorn_py.processes.deadline import Deadline
from seahorn_py.verification.kit.random_programs import program
from seahorn_py.verification.pipeline import load

_LIMITS = RunLimits(seconds=1.0, steps=20_000)


class PassContract:
    """Subclasses have the static method `run`, the pass; each method is a test of pytest.

    Programs are drawn with `seeds`, and each is run `runs` times on random inputs.  `files` are
    further C files.
    """

    run: Callable[[Program], Program]
    seeds: range = range(6)
    runs: int = 40
    files: tuple[Path, ...] = ()

    def test_programs_verify_and_do_the_same(self) -> None:
        """Each run of the new program ends as that of the old one, at the same check."""
        compared = 0
        for name, before in self._programs():
            after = type(self).run(before)
            assert verify(after) == (), f"{name}: the new program does not verify"
            for old, new in _endings(before, after, self.runs):
                assert old == new, f"{name}: {new} instead of {old}"
                compared += 1
        assert compared, "no run could be compared"

    def test_it_is_a_function(self) -> None:
        """The same program gives the same result, and is itself left as it is."""
        name, before = next(self._programs())
        assert type(self).run(before) == type(self).run(before), f"{name}: two results"

    def _programs(self) -> Iterator[tuple[str, Program]]:
        with scratch.folder() as place:
            for seed in self.seeds:
                file = place / f"seed_{seed}.c"
                file.write_text(program(seed))
                yield f"seed {seed}", _loaded(file)
        for file in self.files:
            yield file.name, _loaded(file)


def _loaded(file: Path) -> Program:
    _, found = load([file], VerifyOptions(), Deadline.after(60))
    return found


def _endings(before: Program, after: Program, runs: int) -> Iterator[tuple[str, str]]:
    """How runs of both programs on the same inputs end."""
    draw = random.Random(1)
    first, second = Interpreter(before), Interpreter(after)
    for _ in range(runs):
        outcome = first.run({}, _LIMITS, draw=lambda site: _drawn(draw, site))
        if outcome.ending not in (Ending.LIMIT, Ending.REFUSED):
            yield _ending(outcome), _ending(second.run(outcome.feed, _LIMITS))


def _drawn(draw: random.Random, site: Site) -> int:
    """Mostly small numbers, of both signs."""
    width = site.type.width if isinstance(site.type, IntType) else 32
    number = draw.getrandbits(width) >> draw.choice((0, width // 2, max(width - 4, 0)))
    return (-number if draw.random() < 0.3 else number) % (1 << width)


def _ending(outcome: Outcome) -> str:
    return f"failed at {outcome.check}" if outcome.ending is Ending.FAILED else "no failure"
