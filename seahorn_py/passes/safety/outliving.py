"""Which stack objects a pointer may outlive: those whose address is stored, returned, given away.

A pointer that a function is given stays with it only if the function, or one that it calls, stores
or returns pointers at all.
"""

from __future__ import annotations

from collections.abc import Iterable

from seahorn_py.ir.graph import call_graph
from seahorn_py.ir.program import (
    Alloca,
    Call,
    Cast,
    CastOp,
    Function,
    Offset,
    Operand,
    Program,
    Register,
    Return,
    Select,
    Statement,
    Store,
)
from seahorn_py.ir.types import POINTER


def keepers(program: Program) -> frozenset[str]:
    """The functions that may keep a pointer which they are given."""
    calls = call_graph(program)
    found = {name for name, function in program.functions.items() if _keeps(function)}
    grown = True
    while grown:
        more = {name for name, callees in calls.items() if not found.isdisjoint(callees)} - found
        found |= more
        grown = bool(more)
    return frozenset(found)


def _keeps(function: Function) -> bool:
    statements = (s for block in function.blocks for s in block.statements)
    return POINTER in function.results or any(_stores_pointer(s) for s in statements)


def _stores_pointer(statement: Statement) -> bool:
    match statement:
        case Store(value=value):
            return value.type == POINTER
        case Cast(op=op):
            return op is CastOp.PTRTOINT
        case Call(callee=callee):
            return isinstance(callee, Register)
        case _:
            return False


def outliving(function: Function, keeping: frozenset[str]) -> frozenset[str]:
    """The stack objects of the function, by register, that pointers may lead to when it ends."""
    sources = _sources(function)
    pending = [v.name for v in _given_away(function, keeping) if isinstance(v, Register)]
    seen: set[str] = set()
    while pending:
        name = pending.pop()
        if name in seen:
            continue
        seen.add(name)
        for value in sources.get(name, ()):
            if isinstance(value, Register):
                pending.append(value.name)
    statements = (s for block in function.blocks for s in block.statements)
    slots = (s.result.name for s in statements if isinstance(s, Alloca))
    return frozenset(seen.intersection(slots))


def _sources(function: Function) -> dict[str, tuple[Operand, ...]]:
    """Register -> the values whose object it may point into."""
    sources: dict[str, tuple[Operand, ...]] = {}
    for block in function.blocks:
        for phi in block.phis:
            sources[phi.result.name] = tuple(value for _, value in phi.incoming)
        for statement in block.statements:
            match statement:
                case Offset(result=result, base=base):
                    sources[result.name] = (base,)
                case Select(result=result, then=then, otherwise=otherwise):
                    sources[result.name] = (then, otherwise)
                case Cast(result=result, value=value):
                    sources[result.name] = (value,)
                case _:
                    pass
    return sources


def _given_away(function: Function, keeping: frozenset[str]) -> Iterable[Operand]:
    for block in function.blocks:
        for statement in block.statements:
            match statement:
                case Store(value=value):
                    yield value
                case Cast(op=CastOp.PTRTOINT, value=value):
                    yield value
                case Call(callee=callee, arguments=arguments):
                    if isinstance(callee, Register) or callee in keeping:
                        yield from arguments
                case _:
                    pass
        if isinstance(block.terminator, Return):
            yield from block.terminator.values
