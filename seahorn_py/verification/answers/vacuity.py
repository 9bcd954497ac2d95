"""Vacuous proofs: assumptions exclude all runs that would come to a check.

If assumptions ended every run that was made, the program is asked about in which each check fails.
If that program is safe, no run reaches a check, and the proof says nothing: it is vacuous (I. Beer,
S. Ben-David, C. Eisner, Y. Rodeh: "Efficient detection of vacuity in temporal model checking",
FMSD 2001).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from seahorn_py.evidence.runs.execution import Execution
from seahorn_py.ir.program import (
    FALSE,
    TRUE,
    Block,
    Branch,
    Fail,
    Function,
    Program,
    Stop,
    StopKind,
)
from seahorn_py.ir.run import Ending
from seahorn_py.result import Answer, VerificationResult

_FEWEST_RUNS = 20
_SHOWN = 3


def is_suspect(execution: Execution) -> bool:
    """Whether assumptions ended all runs."""
    endings = [run.ending for run in execution.runs]
    return len(endings) >= _FEWEST_RUNS and set(endings) == {Ending.BLOCKED}


def examined(
    result: VerificationResult,
    source: Program,
    runs: int,
    ask: Callable[[Callable[[Program], Program]], VerificationResult],
) -> VerificationResult:
    """The answer with a line, or a warning, that says whether some run reaches a check.

    `runs` is the number of runs that were made.  `ask` gives the answer for a changed program.
    """
    said = f"no check was reached in {runs} runs: assumptions ended all of them"
    match ask(_failing).answer:
        case Answer.UNSAFE:
            line = f"{said}; other runs reach one"
            return replace(result, evidence=(*result.evidence, line))
        case Answer.SAFE:
            warning = f"vacuous: no run reaches a check; assumptions: {_places(source)}"
        case Answer.UNKNOWN:
            warning = f"{said}; whether any run reaches one is not known"
    return replace(result, warnings=(*result.warnings, warning))


def _failing(program: Program) -> Program:
    """The program in which each check fails when a run comes to it."""
    functions = {name: _of_function(f) for name, f in program.functions.items()}
    return replace(program, functions=functions)


def _of_function(function: Function) -> Function:
    failing = {b.label for b in function.blocks if isinstance(b.terminator, Fail) and not b.phis}
    return replace(function, blocks=tuple(_of_block(b, failing) for b in function.blocks))


def _of_block(block: Block, failing: set[str]) -> Block:
    match block.terminator:
        case Branch(_, then, otherwise, origin) if not failing.isdisjoint((then, otherwise)):
            goes = TRUE if then in failing else FALSE
            return replace(block, terminator=Branch(goes, then, otherwise, origin))
        case _:
            return block


def _places(program: Program) -> str:
    """The places of the first assumptions, in words."""
    found = list(dict.fromkeys(_assumed(program)))
    return ", ".join(found[:_SHOWN]) + (", ..." if len(found) > _SHOWN else "")


def _assumed(program: Program) -> Iterator[str]:
    for function in program.functions.values():
        for block in function.blocks:
            end = block.terminator
            if isinstance(end, Stop) and end.kind is StopKind.BLOCKED and end.origin.span:
                yield str(end.origin.span)
