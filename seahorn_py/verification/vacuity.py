"""Proofs of what no run comes to, since assumptions exclude all runs.

Where an assumption ended every run that was made, it is asked whether some run reaches a check at
all: in the program in which each check fails.  A proof of that is one that the first one says
nothing (Beer, Ben-David, Eisner, Rodeh 2001 call such an answer vacuous).
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
    """Whether assumptions ended all of the runs."""
    endings = [run.ending for run in execution.runs]
    return len(endings) >= _FEWEST_RUNS and set(endings) == {Ending.BLOCKED}


def examined(
    result: VerificationResult,
    source: Program,
    runs: int,
    ask: Callable[[Callable[[Program], Program]], VerificationResult],
) -> VerificationResult:
    """The answer with what is known of the runs that reach a check.

    `ask` has the answer for a program that is changed by what it is given.
    """
    said = f"no check was reached in {runs} runs: assumptions ended all of them"
    match ask(_failing).answer:
        case Answer.UNSAFE:
            line = f"{said}; others reach one"
            return replace(result, evidence=(*result.evidence, line))
        case Answer.SAFE:
            warning = f"vacuous: no run reaches a check; assumptions: {_places(source)}"
        case Answer.UNKNOWN:
            warning = f"{said}; whether any run reaches one is not known"
    return replace(result, warnings=(*result.warnings, warning))


def _failing(program: Program) -> Program:
    """The program in which every check fails that a run comes to."""
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
    """Where assumptions are, the first of them."""
    found = list(dict.fromkeys(_assumed(program)))
    return ", ".join(found[:_SHOWN]) + (", ..." if len(found) > _SHOWN else "")


def _assumed(program: Program) -> Iterator[str]:
    for function in program.functions.values():
        for block in function.blocks:
            end = block.terminator
            if isinstance(end, Stop) and end.kind is StopKind.BLOCKED and end.origin.span:
                yield str(end.origin.span)
