"""Words for values at the head of a loop: C names where there are any, or what the value is.

The words are for users alone; no proof rests on them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

from seahorn_py.base.errors import NOWHERE, Origin
from seahorn_py.base.patterns import pattern
from seahorn_py.csource.types import integer_type
from seahorn_py.ir.graph import blocks_by_label
from seahorn_py.ir.memory import bytes_of
from seahorn_py.ir.program import (
    Address,
    Binary,
    BinaryOp,
    Bind,
    Cast,
    Function,
    Input,
    IntConst,
    Offset,
    Operand,
    Phi,
    Program,
    RegionLoad,
    Register,
    Statement,
    Variable,
)
from seahorn_py.ir.traverse import results

DEEPEST = 6
"""A description is of so many operations at most."""

_EXTENT = pattern(r"(.*)\.(offset|size)(?:\.\d+)?$")
"""What `passes.termination.extents` calls the extent of a pointer."""
_ELEMENT = pattern(r"\*$|(\[\d*\])+$")
"""What is behind the type of an element in the type of an array or a pointer."""
_SIGNS = {BinaryOp.ADD: "+", BinaryOp.SUB: "-", BinaryOp.MUL: "*"}


class Words:
    """The words for the registers of one function."""

    def __init__(self, program: Program, function: Function) -> None:
        self._program, self._function = program, function

    def of(self, register: Register, head: str) -> str:
        """What the register is at the head, which is the label of a block, or "" for the entry."""
        found = self._named(register, head) or self._operand(register, DEEPEST)
        return found or self._place(register)

    @cached_property
    def _made(self) -> Mapping[Register, Phi | Statement]:
        found: dict[Register, Phi | Statement] = {}
        for block in self._function.blocks:
            found |= {phi.result: phi for phi in block.phis}
            found |= {r: s for s in block.statements for r in results(s)}
        return found

    @cached_property
    def _bound(self) -> Mapping[Operand, dict[str, Variable]]:
        """A value -> the variables that have it somewhere; `&x` is the address of `x`."""
        found: dict[Operand, dict[str, Variable]] = {}
        for block in self._function.blocks:
            for statement in block.statements:
                if isinstance(statement, Bind) and statement.value is not None:
                    variable = statement.variable
                    found.setdefault(statement.value, {})[str(variable)] = variable
        return found

    def _named(self, value: Operand, head: str) -> str:
        """The variable with the value: by the records of the head, or if there is one alone."""
        block = blocks_by_label(self._function).get(head)
        for statement in block.statements if block is not None else ():
            if isinstance(statement, Bind) and statement.value == value:
                return str(statement.variable)
        names = self._bound.get(value, {})
        return next(iter(names)) if len(names) == 1 else ""

    def _operand(self, value: Operand, depth: int) -> str:
        """The value in words; "" if that takes too many of them."""
        if isinstance(value, IntConst):
            return str(_signed(value))
        name = self._named(value, "")
        if name or not isinstance(value, Register) or depth == 0:
            return name
        extent = _EXTENT.match(value.name)
        if extent is not None:
            return self._extent(*extent.groups())
        match self._made.get(value):
            case RegionLoad(result=result, address=address):
                width = bytes_of(result.type, self._program.pointer_width)
                return self._element(address, width, depth - 1)
            case Cast(value=inner):
                return self._operand(inner, depth - 1)
            case Binary(op=op, left=left, right=right) if op in _SIGNS:
                one, two = self._operand(left, depth - 1), self._operand(right, depth - 1)
                return f"({one} {_SIGNS[op]} {two})" if one and two else ""
            case Phi() as phi:
                return self._first(phi, depth - 1)
            case _:
                return ""

    def _extent(self, pointer: str, which: str) -> str:
        """The offset or the size of what a pointer points to."""
        names = {n for v, found in self._bound.items() if _is_called(v, pointer) for n in found}
        name = next(iter(names)) if len(names) == 1 else "a pointer"
        return f"offset of {name}" if which == "offset" else f"size of the object of {name}"

    def _first(self, phi: Phi, depth: int) -> str:
        """The cell of memory that a phi keeps: by the loads among its values."""
        loads = {self._operand(v, depth) for _, v in phi.incoming if self._is_load(v)}
        return next(iter(loads)) if len(loads) == 1 else ""

    def _is_load(self, value: Operand) -> bool:
        return isinstance(value, Register) and isinstance(self._made.get(value), RegionLoad)

    def _element(self, address: Operand, width: int, depth: int) -> str:
        """The element at an address: `x`, `a[i]` or `*p`; "" if there is no name for it."""
        match self._made.get(address) if isinstance(address, Register) else None:
            case Offset(base=base, constant=constant, terms=((index, scale),)) if scale == width:
                at = self._operand(index, depth - 1) if depth else ""
                array = self._array(base)
                more = constant // width
                text = f"{at} {'-' if more < 0 else '+'} {abs(more)}" if more else at
                return f"{array}[{text}]" if array and at and constant % width == 0 else ""
            case Offset(base=base, constant=constant, terms=()) if constant % width == 0:
                return self._at(base, constant, width)
        if isinstance(address, Address):
            return self._at(Address(address.symbol, 0), address.offset, width)
        return self._at(address, 0, width)

    def _array(self, base: Operand) -> str:
        if isinstance(base, Address):
            item = self._program.globals.get(str(base.symbol))
            return base.symbol or "" if item is not None and base.offset == 0 else ""
        return self._named(base, "").removeprefix("&")

    def _at(self, base: Operand, offset: int, width: int) -> str:
        if isinstance(base, Address):
            item = self._program.globals.get(str(base.symbol))
            if item is None:
                return ""
            variable = item.variables.get(offset)
            whole = base.symbol if item.size == width else f"{base.symbol}[{offset // width}]"
            return str(variable) if variable is not None else str(whole)
        name = self._named(base, "")
        if not name or not self._is_array(base, name):
            return f"a member of {_pointed(name)}" if name else ""
        if name.startswith("&"):
            return name[1:] if offset == 0 else f"{name[1:]}[{offset // width}]"
        return f"*{name}" if offset == 0 else f"{name}[{offset // width}]"

    def _is_array(self, base: Operand, name: str) -> bool:
        """Whether what a pointer points to is an integer, or an array of integers."""
        variable = self._bound.get(base, {}).get(name)
        element = "" if variable is None else _ELEMENT.sub("", variable.c_type).strip()
        return integer_type(element, self._program.pointer_width) is not None

    def _place(self, register: Register) -> str:
        """Where the value comes from, if nothing better is known."""
        node = self._made.get(register)
        verb = "input" if isinstance(node, Input) else "value"
        place = next((o.span for o in self._origins(node) if o.span is not None), None)
        return (
            f"a {verb} of line {place.line}".replace("a input", "an input") if place else "a value"
        )

    def _origins(self, node: Phi | Statement | None) -> Iterator[Origin]:
        if isinstance(node, Phi):
            for _, value in node.incoming:
                if isinstance(value, Register):
                    yield getattr(self._made.get(value), "origin", NOWHERE)
        elif node is not None:
            yield getattr(node, "origin", NOWHERE)


def _pointed(name: str) -> str:
    return name[1:] if name.startswith("&") else f"*{name}"


def _is_called(value: Operand, name: str) -> bool:
    return isinstance(value, Register) and value.name == name


def _signed(constant: IntConst) -> int:
    width, value = constant.type.width, constant.value
    return value - (1 << width) if width > 1 and value >> (width - 1) else value
