"""A pass that is right, one that drops checks, one that raises, one that breaks the program."""

from __future__ import annotations

from dataclasses import replace

from seahorn_py.ir.program import Fail, Program, Stop, StopKind
from seahorn_py.passes.simplify.simplify import simplify as simplified


def simplify(program: Program) -> Program:
    return simplified(program)


def dropping(program: Program) -> Program:
    """Nothing fails any more."""
    functions = {}
    for name, function in program.functions.items():
        blocks = tuple(
            replace(block, terminator=Stop(StopKind.END))
            if isinstance(block.terminator, Fail)
            else block
            for block in function.blocks
        )
        functions[name] = replace(function, blocks=blocks)
    return replace(program, functions=functions)


def raising(program: Program) -> Program:
    raise LookupError("nowhere")


def breaking(program: Program) -> Program:
    return replace(program, functions={})
