"""What a tool has said: its verdict, and for an unknown why.

The last line of the output that is a verdict counts: `unsat` or `true` for safe, `sat` or `false`
for unsafe, as SeaHorn and BenchExec have it, possibly with the violated property in parentheses;
for Horn systems `sat` and `unsat` are themselves.  `sea-py` says more in the line before.
"""

from __future__ import annotations

import re
import signal
from collections.abc import Container
from dataclasses import dataclass

from seahorn_py.base.errors import Stage
from seahorn_py.bench.rows import Ended, Verdict
from seahorn_py.bench.watch import Outcome
from seahorn_py.options import Property

_PROGRAM = {
    "unsat": Verdict.TRUE,
    "true": Verdict.TRUE,
    "sat": Verdict.FALSE,
    "false": Verdict.FALSE,
    "unknown": Verdict.UNKNOWN,
    "unsupported": Verdict.UNKNOWN,
}
_HORN = {**_PROGRAM, "sat": Verdict.SAT, "unsat": Verdict.UNSAT}
_WORD = re.compile(r"\s*(\w+)\s*(?:\(([\w-]+)\).*)?", re.DOTALL)
_STAGES = "|".join(re.escape(stage.value) for stage in Stage)
_UNKNOWN = re.compile(rf"unknown: ({_STAGES}): (.*)")
_NAMES = "|".join(re.escape(p.value) for p in Property if p is not Property.UNREACH_CALL)
_UNSAFE = re.compile(rf"unsafe: .*?: ({_NAMES}): ")
_ERROR = "sea-py: error: "
MOST_REASON = 500
"""Characters of a reason."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A verdict with what was said about it."""

    verdict: Verdict
    subproperty: str = ""
    stage: str = ""
    reason: str = ""


def answer_of(outcome: Outcome, is_horn: bool, codes: Container[int] | None = None) -> Answer:
    """The answer of a run; none if we ended it, whatever it has printed.

    `codes` are the exit codes with which the tool answers, if they are known: with another one it
    has been broken off, and a line that looks like a verdict is of something else.
    """
    if outcome.ended is Ended.ERROR:
        return Answer(Verdict.NONE, reason=outcome.problem)
    if outcome.ended not in (Ended.EXIT, Ended.KILLED):
        return Answer(Verdict.NONE, reason=outcome.ended.value)
    if codes is not None and outcome.exit_code not in codes:
        return Answer(Verdict.NONE, reason=_last_words(outcome))
    for text in (outcome.output, outcome.errors):
        lines = text.splitlines()
        for at in range(len(lines) - 1, -1, -1):
            match = _WORD.fullmatch(lines[at])
            word = match[1].lower() if match else ""
            verdict = (_HORN if is_horn else _PROGRAM).get(word)
            if match and verdict:
                return _explained(verdict, match[2] or "", lines[at - 1] if at else "", outcome)
    return Answer(Verdict.NONE, reason=_last_words(outcome))


def _explained(verdict: Verdict, named: str, before: str, outcome: Outcome) -> Answer:
    if verdict is Verdict.FALSE:
        found = _UNSAFE.match(before)
        return Answer(verdict, subproperty=named or (found[1] if found else ""))
    if verdict is not Verdict.UNKNOWN:
        return Answer(verdict)
    said = _UNKNOWN.match(before)
    if said:
        return Answer(verdict, stage=said[1], reason=said[2][:MOST_REASON])
    return Answer(verdict, reason=_last_words(outcome))


def _last_words(outcome: Outcome) -> str:
    """The signal that ended the run, or the last line of its errors."""
    if outcome.ended is Ended.KILLED and outcome.exit_code is not None:
        return f"ended by {_signal(-outcome.exit_code)}"
    lines = outcome.errors.strip().splitlines()
    if lines:
        return lines[-1].removeprefix(_ERROR)[:MOST_REASON]
    return f"ended with code {outcome.exit_code}" if outcome.exit_code else ""


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
