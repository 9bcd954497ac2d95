"""Locals whose address nobody holds: it is only used to access them where they are made.

Points-to analysis unites what is copied with what it is copied to, so pointers to the one may lead
to the other, as far as it can see.  No pointer leads to a hidden local.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from seahorn_py.ir.graph import reverse_postorder
from seahorn_py.ir.program import (
    Alloca,
    Bind,
    Function,
    Havoc,
    Lifetime,
    Load,
    MemoryCopy,
    MemorySet,
    Offset,
    Operand,
    Program,
    Register,
    Statement,
    Store,
    Valid,
)
from seahorn_py.ir.traverse import operands


def hidden(program: Program) -> frozenset[tuple[str, str]]:
    """The functions and names of such locals."""
    return frozenset(
        (function.name, name)
        for function in program.functions.values()
        for name in _hidden(function)
    )


def _hidden(function: Function) -> frozenset[str]:
    """The names of the hidden locals of a function."""
    blocks = {block.label: block for block in function.blocks}
    order = [blocks[label] for label in reverse_postorder(function)]
    roots: dict[str, str] = {}
    held: set[str] = set()
    for block in order:  # definitions come before uses, but for phis
        for statement in block.statements:
            match statement:
                case Alloca(result=result):
                    roots[result.name] = result.name
                case Offset(result=result, base=Register(name=base)) if base in roots:
                    roots[result.name] = roots[base]
                case _:
                    pass
    for block in order:
        values = [value for phi in block.phis for _, value in phi.incoming]
        values += operands(block.terminator)
        for statement in block.statements:
            values += _given_away(statement)
        held |= _roots(values, roots)
    return frozenset(roots.values()) - held


def _roots(values: Iterable[Operand], roots: Mapping[str, str]) -> set[str]:
    return {roots[v.name] for v in values if isinstance(v, Register) and v.name in roots}


def _given_away(statement: Statement) -> tuple[Operand, ...]:
    """The operands that are more than the place of an access."""
    match statement:
        case Load() | Lifetime() | Bind() | MemoryCopy() | MemorySet() | Havoc() | Valid():
            return ()
        case Store(value=value):
            return (value,)
        case Offset(terms=terms):
            return tuple(index for index, _ in terms)
        case _:
            return operands(statement)
