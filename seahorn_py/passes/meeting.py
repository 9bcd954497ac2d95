"""Objects that may lie where other ones lie, so that no layout tells their addresses apart.

Whether the arrays of two string literals are distinct, C17 leaves open (6.4.5p7): linkers put a
literal into the end of another one, also across files.  An object without bytes (GNU) may lie where
any other object lies.  So a comparison of such addresses is a gap, where both are constants or
choices between constants.  Where pointers from elsewhere lead to them, the ledger has that they lie
apart.

A compound literal ends with its block (C17, 6.5.2.5p5), but clang lays each out once for its
function.  `literals` are the locals that are such.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import product

from seahorn_py.ir.memory import bytes_of
from seahorn_py.ir.program import (
    Address,
    Alloca,
    Bind,
    Bytes,
    Compare,
    Function,
    Global,
    IntConst,
    Offset,
    Operand,
    Phi,
    Program,
    Register,
    Select,
    Statement,
)
from seahorn_py.ir.traverse import results

MEET = "addresses of string literals or empty objects are compared at {}, which may be one"
APART = (
    "string literals of which one ends another, and empty objects, lie apart where pointers that"
    " the program reads lead to them"
)
_LITERAL = ".str"
"""Begins the names of literals; no name in C has a dot."""


def meeting(program: Program) -> frozenset[str]:
    """The globals that may lie where other ones lie."""
    found = {name for name, item in program.globals.items() if item.size == 0}
    literals = {
        name: data[::-1]
        for name, item in program.globals.items()
        if item.constant and name.startswith(_LITERAL) and (data := _data(item)) is not None
    }
    ends: list[str] = []  # each of these is the end of the next one, and all of the present one
    for name in sorted(literals, key=literals.__getitem__):
        while ends and not literals[name].startswith(literals[ends[-1]]):
            ends.pop()
        if ends:
            found |= {ends[-1], name}
        ends.append(name)
    return frozenset(found)


def literals(program: Program) -> frozenset[tuple[str, str]]:
    """The functions and registers of locals without a name; none without debug information."""
    made: set[tuple[str, str]] = set()
    named: set[tuple[str, str]] = set()
    is_told = False
    for name, function in program.functions.items():
        for block in function.blocks:
            for s in block.statements:
                match s:
                    case Alloca(result=result):
                        made.add((name, result.name))
                    case Bind(variable=variable, value=Register(register)):
                        is_told = True
                        if variable.name.startswith("&"):
                            named.add((name, register))
                    case _:
                        pass
    return frozenset(made - named) if is_told else frozenset()


def _data(item: Global) -> bytes | None:
    """What an object holds, if it holds no addresses."""
    data = bytearray(item.size)
    for offset, leaf in item.leaves:
        match leaf:
            case Bytes():
                data[offset : offset + len(leaf.data)] = leaf.data
            case IntConst(value, type_):
                size = bytes_of(type_, type_.width)
                data[offset : offset + size] = value.to_bytes(size, "little")
            case _:
                return None
    return bytes(data)


def comparisons(program: Program) -> Iterator[str]:
    """Gaps for what tells such objects from others."""
    globals_ = meeting(program)
    for function in program.functions.values() if globals_ else ():
        yield from _told(program, function, definitions(function), globals_)


def definitions(function: Function) -> dict[str, Statement | Phi]:
    """What makes each register."""
    made: dict[str, Statement | Phi] = {}
    for block in function.blocks:
        made.update((phi.result.name, phi) for phi in block.phis)
        made.update((r.name, s) for s in block.statements for r in results(s))
    return made


def meet(
    program: Program, globals_: frozenset[str], left: Collection[str], right: Collection[str]
) -> bool:
    """Whether one of some globals may be one of others; `globals_` are those of `meeting`."""
    empty = {name for name in globals_ if program.globals[name].size == 0}
    return any(
        one != other and ({one, other} <= globals_ or not empty.isdisjoint({one, other}))
        for one, other in product(left, right)
    )


def _told(
    program: Program,
    function: Function,
    made: Mapping[str, Statement | Phi],
    globals_: frozenset[str],
) -> Iterator[str]:
    for block in function.blocks:
        for s in block.statements:
            if isinstance(s, Compare):
                sides = (_symbols(side, made) for side in (s.left, s.right))
                if meet(program, globals_, *sides):
                    yield MEET.format(s.origin)


def _symbols(operand: Operand, made: Mapping[str, Statement | Phi]) -> set[str]:
    """The globals whose addresses an operand is a choice between, as far as that is seen here."""
    found = (s.symbol for s in _sources(operand, made) if isinstance(s, Address))
    return {symbol for symbol in found if symbol is not None}


def is_of_globals(operand: Operand, made: Mapping[str, Statement | Phi]) -> bool:
    """Whether an operand is the address of a global, or a choice between such, and offsets."""
    found = _sources(operand, made)
    return all(isinstance(s, Address) and s.symbol is not None for s in found)


def _sources(operand: Operand, made: Mapping[str, Statement | Phi]) -> Iterator[Operand]:
    """What an operand is a choice between, but for offsets."""
    seen: set[Operand] = set()
    pending = [operand]
    while pending:
        value = pending.pop()
        if value in seen:
            continue
        seen.add(value)
        match made.get(value.name) if isinstance(value, Register) else value:
            case Offset(base=base):
                pending.append(base)
            case Phi(incoming=incoming):
                pending.extend(v for _, v in incoming)
            case Select(then=then, otherwise=otherwise):
                pending.extend((then, otherwise))
            case _:
                yield value
