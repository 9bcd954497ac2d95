"""What executions of a program on random and boundary inputs show, before anything is solved."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from seahorn_py.child import Deadline
from seahorn_py.evidence import native
from seahorn_py.evidence.inputs import Drawn, dictionary, undefined_shifts
from seahorn_py.frontend import native as building
from seahorn_py.frontend.lowered import Lowered
from seahorn_py.frontend.native import Executable, Refusal
from seahorn_py.ir.run import Outcome

WANTED_RUNS = 200


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
    lowered: Lowered, bits: int, place: Path, seconds: float, deadline: Deadline
) -> Execution:
    """Build the executable in the folder `place` and run it for so many seconds, or to an error."""
    begin = time.monotonic()
    words = dictionary(lowered.native)
    built = building.build(lowered.native, bits, place, deadline)
    if isinstance(built, Refusal):
        return Execution(None, built.reason, words=words)
    inputs = Drawn(0, words, zero=undefined_shifts(lowered.sites))
    explored = native.exploration(built, inputs, deadline.at_most(seconds), WANTED_RUNS)
    if explored.refusal:
        return Execution(None, explored.refusal, words=words)
    return Execution(built, "", explored.outcomes, round(time.monotonic() - begin, 3), words)
