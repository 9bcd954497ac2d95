"""What is forgotten: results that only traces show, and with `--track=reg` the values of pointers.

The levels of precision are SeaHorn's.  A comparison of pointers becomes an arbitrary bit, a HAVOC
input, so that the encoding records the over-approximation.  What memory holds is forgotten by
leaving out `promote_memory`.
"""

from __future__ import annotations

from dataclasses import replace

from seahorn_py.ir.program import (
    Bind,
    Block,
    Compare,
    Function,
    Input,
    Program,
    Scope,
    Site,
    SiteKind,
    Statement,
)
from seahorn_py.ir.types import BOOL, PointerType


def forget_results(program: Program) -> Program:
    """Drop the records of what calls of the C library gave."""

    def is_kept(statement: Statement) -> bool:
        return not isinstance(statement, Bind) or statement.variable.scope is not Scope.RESULT

    def block(old: Block) -> Block:
        kept = tuple(filter(is_kept, old.statements))
        return old if len(kept) == len(old.statements) else replace(old, statements=kept)

    def function(old: Function) -> Function:
        return replace(old, blocks=tuple(map(block, old.blocks)))

    functions = {name: function(f) for name, f in program.functions.items()}
    return replace(program, functions=functions)


def forget_pointers(program: Program) -> Program:
    """Replace every comparison of pointers by an arbitrary value of a site of its own."""
    new: list[Site] = []
    first = max((site.number for site in program.sites), default=-1) + 1

    def statement(old: Statement) -> Statement:
        if not isinstance(old, Compare) or not isinstance(old.left.type, PointerType):
            return old
        name = "comparison of pointers"
        number = first + len(new)
        new.append(Site(number, SiteKind.HAVOC, BOOL, name, "_Bool", old.origin, native=False))
        return Input(old.result, new[-1])

    def block(old: Block) -> Block:
        return replace(old, statements=tuple(map(statement, old.statements)))

    def function(old: Function) -> Function:
        return replace(old, blocks=tuple(map(block, old.blocks)))

    functions = {name: function(f) for name, f in program.functions.items()}
    return replace(program, functions=functions, sites=(*program.sites, *new))
