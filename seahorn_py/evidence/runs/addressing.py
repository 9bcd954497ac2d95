"""Programs that access memory by the names of objects only.

No run of such a program accesses anything outside of an object, reads what was never written, or
depends on where its objects lie.
"""

from __future__ import annotations

from seahorn_py.ir.memory import bytes_of
from seahorn_py.ir.program import (
    Address,
    Bind,
    Call,
    Load,
    Operand,
    Program,
    Statement,
    Store,
)
from seahorn_py.ir.traverse import operands, results
from seahorn_py.ir.types import POINTER, Type


def by_name_only(program: Program) -> bool:
    """Whether each access lies in a global, at a known offset, and pointers are nowhere else."""
    blocks = [b for function in program.functions.values() for b in function.blocks]
    return (
        all(_by_name(program, statement) for b in blocks for statement in b.statements)
        and not any(map(_is_pointer, (o for b in blocks for o in operands(b.terminator))))
        and not any(isinstance(v, Address) for g in program.globals.values() for _, v in g.leaves)
    )


def _by_name(program: Program, statement: Statement) -> bool:
    match statement:
        case Bind():
            return True
        case Load(result, address):
            return not _is_pointer(result) and _inside(program, address, result.type)
        case Store(value, address):
            return not _is_pointer(value) and _inside(program, address, value.type, written=True)
        case Call(callee=callee) if callee not in program.functions:
            return False
    return not any(map(_is_pointer, (*operands(statement), *results(statement))))


def _is_pointer(operand: Operand) -> bool:
    return operand.type == POINTER


def _inside(program: Program, address: Operand, held: Type, *, written: bool = False) -> bool:
    if not isinstance(address, Address) or address.symbol is None:
        return False
    of = program.globals.get(address.symbol)
    if of is None:
        return False
    end = address.offset + bytes_of(held, program.pointer_width)
    return address.offset >= 0 and end <= of.size and not (written and of.constant)
