"""Which memory accesses the text of a function alone shows to be valid.

An invalid access ends a run.  So a run that is said never to end must make none.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from seahorn_py.ir.memory import bytes_of
from seahorn_py.ir.program import (
    NO_REUSE,
    Address,
    Alloca,
    Call,
    Function,
    Havoc,
    IntConst,
    Load,
    MemoryCopy,
    MemorySet,
    Offset,
    Operand,
    Program,
    Register,
    Statement,
    Store,
)
from seahorn_py.ir.traverse import results

Places = Mapping[Register, tuple[int, int]]
"""Pointer register -> its offset in its object and the size of that object, in bytes."""


def doubtful_access(program: Program, tested: Collection[tuple[str, str]] = frozenset()) -> str:
    """Why some run of the program may make an invalid access; "" if none does.

    `program` is as the front end read it: passes have removed no access yet.  Loads and stores
    through the registers that are `tested`, with their functions, do not count.
    """
    if NO_REUSE in program.assumptions:
        return "memory is freed"
    for name, function in program.functions.items():
        known = _places(function)
        for block in function.blocks:
            for statement in block.statements:
                if _is_tested(statement, name, tested):
                    continue
                if not _is_valid(statement, known, program):
                    return f"an access may be invalid at {getattr(statement, 'origin', '?')}"
    return ""


def _is_tested(statement: Statement, function: str, tested: Collection[tuple[str, str]]) -> bool:
    match statement:
        case Load(address=Register(name=name)) | Store(address=Register(name=name)):
            return (function, name) in tested
        case _:
            return False


def _places(function: Function) -> dict[Register, tuple[int, int]]:
    """Pointers at a known offset into an object that lives as long as the function."""
    known: dict[Register, tuple[int, int]] = {}
    for block in function.blocks:
        for statement in block.statements:
            match statement:
                case Alloca(result=result, size=IntConst(value=size)):
                    known[result] = 0, size
                case Call(results=(result,), callee="malloc", arguments=(IntConst(value=size),)):
                    known[result] = 0, size
                case Offset(result=result, base=Register() as base, terms=()) if base in known:
                    at, size = known[base]
                    known[result] = at + statement.constant, size
    return known


def _is_valid(statement: Statement, known: Places, program: Program) -> bool:
    """The statement makes no access, or one inside an object."""

    def inside(address: Operand, size: int) -> bool:
        at = _place(address, known, program)
        return at is not None and at[0] >= 0 and at[0] + size <= at[1]

    match statement:
        case Load(result=result, address=address):
            return inside(address, bytes_of(result.type, program.pointer_width))
        case Store(value=value, address=address):
            written = not _is_constant(address, program)
            return written and inside(address, bytes_of(value.type, program.pointer_width))
        case Havoc(address=address, size=IntConst(value=size)):
            return inside(address, size)
        case MemorySet(target=target, length=IntConst(value=size)):
            return inside(target, size)
        case MemoryCopy(target=target, source=source, length=IntConst(value=size)):
            return inside(target, size) and inside(source, size)
        case Havoc() | MemorySet() | MemoryCopy():
            return False
        case Call(callee=str(name)):
            return name in program.functions or (name == "malloc" and bool(results(statement)))
        case Call():
            return False
        case _:
            return True


def _place(address: Operand, known: Places, program: Program) -> tuple[int, int] | None:
    match address:
        case Register():
            return known.get(address)
        case Address(symbol=str(name), offset=offset) if name in program.globals:
            return offset, program.globals[name].size
        case _:
            return None


def _is_constant(address: Operand, program: Program) -> bool:
    if not isinstance(address, Address) or address.symbol is None:
        return False
    item = program.globals.get(address.symbol)
    return item is not None and item.constant
