"""Executable counterexamples: what is linked with a program so that it makes its violating run.

Whether memory is valid is not known natively.  So where the check that fails is about memory, the
interpreter's judgement is linked in: at which evaluation the check failed.  The executable counts
the evaluations and stops at the bad access.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from seahorn_py.evidence.runs import native
from seahorn_py.evidence.runs.execution import watches_memory
from seahorn_py.frontend.llvmtext.lowered import Lowered
from seahorn_py.frontend.runtime.alone import Judged, build_alone
from seahorn_py.frontend.runtime.native import Executable, Refusal
from seahorn_py.ir import interpreter
from seahorn_py.ir.interpreter import Frame
from seahorn_py.ir.program import Branch, Fail, Program
from seahorn_py.ir.regions import Value
from seahorn_py.ir.run import Ending, Outcome, RunLimits
from seahorn_py.processes.deadline import Deadline

JUDGING_LIMITS = RunLimits(seconds=10.0, steps=20_000_000)


def build(
    lowered: Lowered, source: Program, run: Outcome, bits: int, path: Path, deadline: Deadline
) -> Executable | Refusal:
    """Write an executable to `path` that makes the FAILED `run` and exits with 1 at its end."""
    request = native.linked_request(run.feed)
    found = judged(source, run) if watches_memory(source) else None
    return build_alone(lowered.native, bits, path, request, check_texts(source), found, deadline)


def check_texts(source: Program) -> Mapping[int, str]:
    """What an executable writes when a check fails, by its number."""
    return {
        check.number: f"{check.origin}: check failed: {check.property}: {check.text}\n"
        for check in source.checks
    }


def judged(source: Program, run: Outcome) -> Judged | None:
    """Which evaluation of its check fails in the interpreter; None if the run does not fail there.

    A check is a branch to a block that fails: a visit of the block that branches is an evaluation.
    """
    if run.check is None:
        return None
    counter = _Counter(_evaluations(source, run.check))
    again = interpreter.run(source, run.feed, JUDGING_LIMITS, counter)
    same = again.ending is Ending.FAILED and again.check == run.check
    return Judged(run.check, counter.visits) if same else None


def _evaluations(source: Program, check: int) -> frozenset[tuple[str, str]]:
    """The blocks, by function and label, in which the check is evaluated."""
    found = set()
    for function in source.functions.values():
        failing = {
            block.label
            for block in function.blocks
            if isinstance(block.terminator, Fail) and block.terminator.check.number == check
        }
        for block in function.blocks:
            end = block.terminator
            if isinstance(end, Branch) and not failing.isdisjoint((end.then, end.otherwise)):
                found.add((function.name, block.label))
    return frozenset(found)


class _Counter:
    """Counts visits of some blocks; an `Observer`."""

    def __init__(self, blocks: frozenset[tuple[str, str]]) -> None:
        self._blocks = blocks
        self.visits = 0

    def at_block(self, function: str, label: str, frame: Frame) -> None:
        """The block begins."""
        self.visits += (function, label) in self._blocks

    def at_return(
        self, function: str, arguments: tuple[Value, ...], results: tuple[Value, ...]
    ) -> None:
        """Nothing is counted here."""
