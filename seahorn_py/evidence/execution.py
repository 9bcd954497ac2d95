"""What executions of a program on random and boundary inputs show, before anything is solved."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from seahorn_py.child import Deadline
from seahorn_py.evidence import native
from seahorn_py.evidence.drawing import drawing
from seahorn_py.evidence.inputs import Drawn, dictionary, undefined_shifts
from seahorn_py.frontend import native as building
from seahorn_py.frontend.lowered import Lowered
from seahorn_py.frontend.native import Executable, Refusal
from seahorn_py.ir.interpreter import Draw, Interpreter
from seahorn_py.ir.program import Program, Site, Valid
from seahorn_py.ir.run import Ending, Outcome, RunLimits

WANTED_RUNS = 200
MAX_INTERPRETED = 10_000
INTERPRETED = RunLimits(seconds=0.2, steps=50_000, reads=10_000)


@dataclass(frozen=True)
class Execution:
    """The executable (None: refused, for `refusal`) and its runs, of which the last may fail.

    `seconds` is what building and running took, `words` are the constants that inputs are drawn
    from.
    """

    executable: Executable | None
    refusal: str = ""
    runs: tuple[Outcome, ...] = ()
    seconds: float = 0.0
    words: tuple[int, ...] = ()


def execute(
    lowered: Lowered,
    source: Program,
    bits: int,
    place: Path,
    seconds: float,
    deadline: Deadline,
) -> Execution:
    """Build the executable in the folder `place` and run it for so many seconds, or to an error.

    Where checks ask about memory, runs of the interpreter for as long are added.
    """
    begin = time.monotonic()
    words = dictionary(lowered.native)
    found = _natively(lowered, words, bits, place, seconds, deadline)
    failed = any(run.ending is Ending.FAILED for run in found.runs)
    if watches_memory(source) and not failed:
        limit = deadline.at_most(seconds)
        zero = undefined_shifts(lowered.sites)
        found = replace(found, runs=(*found.runs, *_interpreted(source, words, zero, limit)))
    return replace(found, seconds=round(time.monotonic() - begin, 3))


def watches_memory(source: Program) -> bool:
    """Some check asks whether memory is valid, which no native run can tell."""
    functions = source.functions.values()
    return any(isinstance(s, Valid) for f in functions for b in f.blocks for s in b.statements)


def _interpreted(
    source: Program, words: tuple[int, ...], zero: frozenset[int], limit: Deadline
) -> Iterator[Outcome]:
    """The first failing run on drawn inputs, if there is one within the time."""
    interpreter = Interpreter(source)
    for seed in range(MAX_INTERPRETED):
        if limit.remaining == 0:
            return
        draw = partial(_nonzero, zero, drawing(seed, words))
        outcome = interpreter.run({}, INTERPRETED, draw=draw)
        if outcome.ending is Ending.FAILED:
            yield outcome
            return


def _nonzero(zero: frozenset[int], draw: Draw, site: Site) -> int:
    return 0 if site.number in zero else draw(site)


def _natively(
    lowered: Lowered,
    words: tuple[int, ...],
    bits: int,
    place: Path,
    seconds: float,
    deadline: Deadline,
) -> Execution:
    built = building.build(lowered.native, bits, place, deadline)
    if isinstance(built, Refusal):
        return Execution(None, built.reason, words=words)
    inputs = Drawn(0, words, zero=undefined_shifts(lowered.sites))
    explored = native.exploration(built, inputs, deadline.at_most(seconds), WANTED_RUNS)
    if explored.refusal:
        return Execution(None, explored.refusal, words=words)
    return Execution(built, "", explored.outcomes, words=words)
