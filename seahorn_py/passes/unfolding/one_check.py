"""All checks of an unfolded program as one, which fails where one of them does.

Each check has a Horn rule of its own, with the formula of all blocks before it.  In a program
without loops these formulas are nearly the same: their text grows with the number of checks times
the length of the program.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import count

from seahorn_py.base.errors import NOWHERE
from seahorn_py.ir.program import Block, CheckSite, Fail, Jump, Program

TEXT = "one of the checks fails"


def one_check(program: Program) -> Program:
    """The program, which has one function, with one check; itself if fewer than two can fail.

    A proof of this check proves all of them, and a run that violates it violates one of them.
    """
    (function,) = program.functions.values()
    failing = {block.label for block in function.blocks if isinstance(block.terminator, Fail)}
    if len(failing) < 2:
        return program
    number = 1 + max(check.number for check in program.checks)
    check = CheckSite(number, program.checks[0].property, TEXT, NOWHERE)
    labels = {block.label for block in function.blocks}
    label = next(name for name in (f"failing{k}" for k in count()) if name not in labels)
    blocks = (
        *(
            replace(block, terminator=Jump(label)) if block.label in failing else block
            for block in function.blocks
        ),
        Block(label, (), (), Fail(check)),
    )
    functions = {function.name: replace(function, blocks=blocks)}
    return replace(program, functions=functions, checks=(*program.checks, check))
