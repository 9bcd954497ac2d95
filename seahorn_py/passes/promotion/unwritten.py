"""Globals that are only read hold what they held at the start, as `stdin` does in most programs.

Only globals are looked at whose address appears nowhere but in loads and in questions whether an
access is valid: then nothing else in the program can lead to them.
"""

from __future__ import annotations

from dataclasses import replace

from seahorn_py.ir.program import (
    Address,
    Bind,
    Function,
    Load,
    Operand,
    Program,
    Register,
    Statement,
    Valid,
)
from seahorn_py.ir.traverse import operands, substitute
from seahorn_py.passes.promotion.constants import initial_value
from seahorn_py.passes.promotion.object_parts import byte_size


def read_unwritten(program: Program) -> Program:
    """The program with what such globals hold in the place of loads."""
    known = program.globals.keys() - _taken(program)
    functions = {name: _read(f, program, known) for name, f in program.functions.items()}
    return replace(program, functions=functions)


def _taken(program: Program) -> set[str]:
    """The symbols that may be written, or whose address may go anywhere."""
    found = {str(leaf.symbol) for g in program.globals.values() for leaf in _addresses(g.leaves)}
    for function in program.functions.values():
        for block in function.blocks:
            values = [value for phi in block.phis for _, value in phi.incoming]
            values += operands(block.terminator)
            for statement in block.statements:
                values += _given_away(statement)
            found |= {str(v.symbol) for v in values if isinstance(v, Address)}
    return found


def _addresses(leaves: tuple[tuple[int, object], ...]) -> list[Address]:
    return [leaf for _, leaf in leaves if isinstance(leaf, Address)]


def _given_away(statement: Statement) -> tuple[Operand, ...]:
    match statement:
        case Load() | Bind():
            return ()
        case Valid(size=size):
            return (size,)
        case _:
            return operands(statement)


def _read(function: Function, program: Program, known: set[str]) -> Function:
    values: dict[Register, Operand] = {}
    for block in function.blocks:
        for statement in block.statements:
            if isinstance(statement, Load):
                value = _initial(statement, program, known)
                if value is not None:
                    values[statement.result] = value
    if not values:
        return function
    blocks = (
        replace(b, statements=tuple(s for s in b.statements if not _gives(s, values)))
        for b in function.blocks
    )
    return substitute(replace(function, blocks=tuple(blocks)), values)


def _gives(statement: Statement, values: dict[Register, Operand]) -> bool:
    return isinstance(statement, Load) and statement.result in values


def _initial(load: Load, program: Program, known: set[str]) -> Operand | None:
    """What a load reads; None where that is not known."""
    match load.address:
        case Address(symbol=str() as symbol, offset=offset) if symbol in known:
            found = program.globals[symbol]
        case _:
            return None
    size = byte_size(load.result.type, program.pointer_width)
    if load.volatile or not 0 <= offset <= found.size - size:
        return None
    return initial_value(found, offset, size, load.result.type)
