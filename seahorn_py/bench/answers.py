"""What a tool has said: its verdict, and for an unknown why.

The last line of the output that is a verdict counts: `unsat` or `true` for safe, `sat` or `false`
for unsafe, as SeaHorn and BenchExec have it, possibly with the violated property in parentheses;
for Horn systems `sat` and `unsat` are themselves.  `sea-py` says more in the line before.
"""

from __future__ import annotations

import re
import signal
from collections.abc import Container

from seahorn_py.base.errors import Stage
from seahorn_py.base.patterns import pattern
from seahorn_py.base.records import dataclass
from seahorn_py.bench.rows import Ended, Verdict
from seahorn_py.bench.watch import Measured
from seahorn_py.cli.answers.printed import VIOLATED
from seahorn_py.cli.messages.codes import CODE

_PROGRAM = {
    "unsat": Verdict.TRUE,
    "true": Verdict.TRUE,
    "sat": Verdict.FALSE,
    "false": Verdict.FALSE,
    "unknown": Verdict.UNKNOWN,
    "unsupported": Verdict.UNKNOWN,
}
_HORN = {**_PROGRAM, "sat": Verdict.SAT, "unsat": Verdict.UNSAT}
_WORD = pattern(r"\s*(\w+)\s*(?:\(([\w-]+)\).*)?", re.DOTALL)
_STAGES = "|".join(re.escape(stage.value) for stage in Stage)
_UNKNOWN = pattern(rf"unknown: ({_STAGES}): (.*)")
_NAMES = "|".join(map(re.escape, VIOLATED))
_UNSAFE = pattern(rf"unsafe: .*?: ({_NAMES}): ")
_ERROR = "sea-py: error: "
MOST_REASON = 500
"""The most characters of a reason."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A verdict with what was said about it."""

    verdict: Verdict
    subproperty: str = ""
    stage: str = ""
    reason: str = ""


def answer_of(measured: Measured, is_horn: bool, codes: Container[int] | None = None) -> Answer:
    """The answer of a run; none if we ended it, whatever it has printed.

    `codes` are the exit codes with which the tool answers, if they are known: with another one it
    has been broken off, and a line that looks like a verdict is of something else.
    """
    if measured.ended is Ended.ERROR:
        return Answer(Verdict.NONE, reason=measured.problem)
    if measured.ended not in (Ended.EXIT, Ended.KILLED):
        return Answer(Verdict.NONE, reason=measured.ended.value)
    if codes is not None and measured.exit_code not in codes:
        return Answer(Verdict.NONE, reason=_last_words(measured))
    for text in (measured.output, measured.errors):
        lines = text.splitlines()
        for at in range(len(lines) - 1, -1, -1):
            match = _WORD.fullmatch(lines[at])
            word = match[1].lower() if match else ""
            verdict = (_HORN if is_horn else _PROGRAM).get(word)
            if match and verdict:
                return _explained(verdict, match[2] or "", lines[at - 1] if at else "", measured)
    return Answer(Verdict.NONE, reason=_last_words(measured))


def _explained(verdict: Verdict, named: str, before: str, measured: Measured) -> Answer:
    if verdict is Verdict.FALSE:
        found = _UNSAFE.match(before)
        return Answer(verdict, subproperty=named or (found[1] if found else ""))
    if verdict is not Verdict.UNKNOWN:
        return Answer(verdict)
    said = _UNKNOWN.match(before)
    if said:
        return Answer(verdict, stage=said[1], reason=CODE.sub("", said[2])[:MOST_REASON])
    return Answer(verdict, reason=_last_words(measured))


def _last_words(measured: Measured) -> str:
    """The signal that ended the run, or the last line of its errors."""
    if measured.ended is Ended.KILLED and measured.exit_code is not None:
        return f"ended by {_signal(-measured.exit_code)}"
    lines = measured.errors.strip().splitlines()
    if lines:
        return CODE.sub("", lines[-1].removeprefix(_ERROR))[:MOST_REASON]
    return f"ended with code {measured.exit_code}" if measured.exit_code else ""


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
