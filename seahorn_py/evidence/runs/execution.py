"""What executions of a program on random and boundary inputs show, before anything is solved.

Inputs are drawn from small numbers, limits of types and the constants of the program.  A run that
fails is the answer of the engine `execute`; `search` makes more runs while others solve.

Limitations, the most common first:

1. An error that few inputs reach is not found, unless constants of the program lead there.
2. Nothing is proved.
3. Whether memory is valid only the interpreter can tell, which makes far fewer runs.
4. What cannot be compiled or run behind the walls is left to the interpreter, too.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from math import inf
from pathlib import Path

from seahorn_py.base.records import dataclass
from seahorn_py.evidence.runs import native
from seahorn_py.evidence.runs.inputs import Drawn, amounts, dictionary, texts, undefined_shifts
from seahorn_py.evidence.runs.random_values import drawing
from seahorn_py.frontend.llvmtext.lowered import Lowered
from seahorn_py.frontend.runtime import native as building
from seahorn_py.frontend.runtime.native import Executable, Refusal
from seahorn_py.ir.graph import silent
from seahorn_py.ir.handed import OF_NULL
from seahorn_py.ir.interpreter import Draw, Interpreter
from seahorn_py.ir.program import Program, Site, Valid
from seahorn_py.ir.run import Ending, Outcome, RunLimits
from seahorn_py.processes.deadline import Deadline

WANTED_RUNS = 200
MOST_RUNS = 500
"""How many runs are made at first; `search` makes more.

They find most of the errors that runs find at all.
"""

MAX_INTERPRETED = 10_000
INTERPRETED = RunLimits(seconds=0.2, steps=50_000, reads=10_000)
SUSPECTED = RunLimits(seconds=1.0, steps=2_000_000)

MOST_DENIED = 20
"""After so many runs whose error the interpreter denies, no more are made."""


NOT_WANTED = "native runs are turned off (--no-native)"
"""The refusal where native runs are not wanted."""


@dataclass(frozen=True)
class Execution:
    """The executable (None: refused, for `refusal`) and its runs, of which the last may fail.

    A failing run may be one of the interpreter, which made `interpreted` runs.  `seconds` is what
    building and running took, `words` and `texts` are what inputs are drawn from.
    """

    executable: Executable | None
    refusal: str = ""
    runs: tuple[Outcome, ...] = ()
    seconds: float = 0.0
    words: tuple[int, ...] = ()
    texts: tuple[bytes, ...] = ()
    interpreted: int = 0

    @property
    def no_native_run(self) -> str:
        """Why no native run was made, or how the first one ended in an unknown way; else "".

        A run that only took too long has no reason.
        """
        if self.executable is None:
            return self.refusal
        ends = (run.reason for run in self.runs if run.ending in (Ending.LIMIT, Ending.REFUSED))
        unknown = next(filter(None, ends), "")
        return unknown or ("" if self.runs else "there was no time for one")


def execute(
    lowered: Lowered,
    source: Program,
    bits: int,
    place: Path,
    seconds: float,
    deadline: Deadline,
    natively: bool = True,
    share: float = 1.0,
) -> Execution:
    """Build the executable in the folder `place` and run it for so many seconds, or to an error.

    Where checks ask about memory, and where nothing can or may be run `natively`, the interpreter
    makes runs for as long.  Native runs that do not end by themselves have a `share` of the seconds
    together, but where texts come in.
    """
    begin = time.monotonic()
    words = dictionary(lowered.native)
    found = Execution(None, NOT_WANTED, words=words, texts=texts(lowered))
    if natively:
        share = 1.0 if found.texts else share
        found = _natively(lowered, found, bits, place, seconds, deadline, share)
    failed = any(run.ending is Ending.FAILED for run in found.runs)
    if not failed and (found.executable is None or watches_memory(source)):
        zero = undefined_shifts(lowered.sites)
        failing, count = _suspected(source, found, zero, deadline.at_most(seconds)), 0
        if failing is None:
            count, failing = _interpreted(source, words, zero, deadline.at_most(seconds))
        runs = found.runs if failing is None else (*found.runs, failing)
        found = replace(found, runs=runs, interpreted=count)
    return replace(found, seconds=round(time.monotonic() - begin, 3))


def watches_memory(source: Program) -> bool:
    """Some check asks whether memory is valid, which no native run can tell.

    So it is for pointers that are null, where a function without body could have set them.
    """
    functions = source.functions.values()
    if any(isinstance(s, Valid) for f in functions for b in f.blocks for s in b.statements):
        return True
    return any(check.property == OF_NULL for check in source.checks) and bool(silent(source))


def suspicions(executable: Executable, inputs: Drawn, deadline: Deadline) -> Iterator[Outcome]:
    """Drawn runs in which a check fails, each made when it is asked for.

    After some of them there are no more: the caller denied the others.
    """
    for _ in range(MOST_DENIED):
        found = native.exploration(executable, inputs, deadline)
        failed = [run for run in found.outcomes if run.ending is Ending.FAILED]
        if not failed:
            return
        yield from failed
        inputs = replace(inputs, seed=inputs.seed + max(found.runs, 1))


def _suspected(
    source: Program, execution: Execution, zero: frozenset[int], limit: Deadline
) -> Outcome | None:
    """A run that was watched natively and fails in the interpreter, where a text comes in."""
    if execution.executable is None or not execution.texts:
        return None
    words, texts_ = execution.words, execution.texts
    sizes = amounts(source.sites)
    inputs = Drawn(0, words, zero=zero, amounts=sizes, texts=texts_, watched=True)
    interpreter = Interpreter(source)
    for run in suspicions(execution.executable, inputs, limit):
        judged = interpreter.run(run.feed, SUSPECTED)
        if judged.ending is Ending.FAILED:
            return judged
    return None


def _interpreted(
    source: Program, words: tuple[int, ...], zero: frozenset[int], limit: Deadline
) -> tuple[int, Outcome | None]:
    """How many runs on drawn inputs there are within the time, and the first that fails."""
    interpreter = Interpreter(source)
    count = 0
    for seed in range(MAX_INTERPRETED):
        if limit.remaining == 0:
            break
        draw = partial(_nonzero, zero, drawing(seed, words))
        outcome = interpreter.run({}, INTERPRETED, draw=draw)
        if outcome.ending is Ending.FAILED:
            return count, outcome
        count += outcome.ending is not Ending.REFUSED
    return count, None


def _nonzero(zero: frozenset[int], draw: Draw, site: Site) -> int:
    return 0 if site.number in zero else draw(site)


def _natively(
    lowered: Lowered,
    nothing: Execution,
    bits: int,
    place: Path,
    seconds: float,
    deadline: Deadline,
    share: float,
) -> Execution:
    watch = bool(nothing.texts)
    built = building.build(lowered.native, bits, place, deadline, watch)
    if isinstance(built, Refusal):
        return replace(nothing, refusal=built.reason)
    zero, sizes = undefined_shifts(lowered.sites), amounts(lowered.sites)
    inputs = Drawn(0, nothing.words, zero=zero, amounts=sizes, texts=nothing.texts)
    limit = deadline.at_most(seconds)
    lost = share * seconds if share < 1.0 else inf
    explored = native.exploration(
        built, inputs, limit, WANTED_RUNS, most=MOST_RUNS, long_seconds=lost
    )
    if explored.refusal:
        return replace(nothing, refusal=explored.refusal)
    return replace(nothing, executable=built, refusal="", runs=explored.outcomes)
