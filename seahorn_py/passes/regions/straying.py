"""Which pointers may stray from their object: beyond its last byte, or before its first one.

If such a pointer is compared with a pointer to another object, a run can tell how objects lie.
Points-to analysis knows some offsets exactly, wherever a pointer went.  A pointer of unknown offset
strays if the same function moves it, or if moved pointers to its objects are stored, passed,
returned or carried round loops anywhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from seahorn_py.ir.program import (
    Address,
    Binary,
    BinaryOp,
    Call,
    Cast,
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
from seahorn_py.ir.traverse import operands, results
from seahorn_py.passes.pointsto.pointsto import Node, PointsTo


class Straying:
    """Answers for the values of one program."""

    def __init__(self, program: Program, found: PointsTo) -> None:
        self._program = program
        self._found = found

    def may_stray(self, function: Function, operand: Operand) -> bool:
        """Whether the value may be an address outside of the object that it was made from."""
        cell = self._found.cell(function.name, operand)
        if cell is None:
            return False
        if isinstance(operand, Address):
            of = self._program.globals.get(operand.symbol or "")
            if of is not None:
                return not (operand.offset == 0 or 0 < operand.offset < of.size)
        node = self._found.nodes[cell.node]
        if node.stride == 0:
            return not _is_inside(node, cell.offset)
        is_moved = isinstance(operand, Register) and operand.name in self._moved[function.name]
        return is_moved or node.number in self._strays

    @cached_property
    def _moved(self) -> dict[str, frozenset[str]]:
        """Function -> the registers that hold moved addresses."""
        return {
            name: frozenset(
                register.name
                for block in function.blocks
                for s in block.statements
                if _moves(s)
                for register in results(s)
            )
            for name, function in self._program.functions.items()
        }

    @cached_property
    def _strays(self) -> frozenset[int]:
        """The nodes with moved addresses that leave the function that moved them."""
        found: set[int] = set()
        for name, function in self._program.functions.items():
            moved = self._moved[name]
            for value in _passed_on(function):
                if isinstance(value, Register) and value.name in moved:
                    node = self._found.node(name, value)
                    if node is not None:
                        found.add(node.number)
        return frozenset(found)


def _is_inside(node: Node, offset: int) -> bool:
    """Whether a pointer of this offset leads to a byte of each object of the node, or its start."""
    return all(
        offset == start or (o.size is not None and 0 < offset - start < o.size)
        for o, start in node.data
    )


def _moves(s: Statement) -> bool:
    match s:
        case Offset(constant=constant, terms=terms):
            return constant != 0 or bool(terms)
        case Binary(op=op):
            return op in (BinaryOp.ADD, BinaryOp.SUB, BinaryOp.XOR, BinaryOp.OR)
        case _:
            return False


def _passed_on(function: Function) -> Iterator[Operand]:
    """The operands of phis, stores, calls, returns and computations, which go on elsewhere."""
    for block in function.blocks:
        for phi in block.phis:
            yield from (value for _, value in phi.incoming)
        for s in block.statements:
            if isinstance(s, Store):
                yield s.value
            elif isinstance(s, Call | Select | Cast | Binary | Offset):
                yield from operands(s)
        if isinstance(block.terminator, Return):
            yield from block.terminator.values
