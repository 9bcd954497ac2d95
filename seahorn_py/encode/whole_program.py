"""What is known of the program as a whole when its rules are built."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Generic, TypeVar

from seahorn_py.base.records import dataclass
from seahorn_py.encode.encoding import Arithmetic, Cut, EncodeOptions
from seahorn_py.encode.integers.intvalue import representation
from seahorn_py.encode.machine import Machine, Shape
from seahorn_py.encode.pointers import Layout
from seahorn_py.encode.relevance import Relevance
from seahorn_py.encode.signedness import Value, result_name
from seahorn_py.horn.system import Parameter, Relation
from seahorn_py.ir.program import Operand, Program, Register
from seahorn_py.ir.types import FloatKind, FloatType, IntType, PointerType, RegionType, Type
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Sort
from seahorn_py.passes.ranges.intervals import Bounds
from seahorn_py.passes.ranges.ranges import Ranges

V = TypeVar("V")

_FLOAT_WIDTHS = {FloatKind.SINGLE: 32, FloatKind.DOUBLE: 64, FloatKind.X87: 80}


@dataclass(frozen=True)
class Related:
    """A relation with its place and the shapes of its parameters."""

    relation: Relation
    cut: Cut
    shapes: tuple[Shape, ...]

    @property
    def parameters(self) -> zip[tuple[Register, Parameter, Shape]]:
        """Register, parameter and shape of each position."""
        return zip(self.cut.registers, self.relation.parameters, self.shapes, strict=True)


@dataclass(frozen=True)
class WholeProgram(Generic[V]):
    """The program, how its registers are represented, and what of it matters."""

    program: Program
    options: EncodeOptions
    machine: Machine[V]
    signs: Mapping[Value, bool]
    wrapping: frozenset[Value]
    relevance: Relevance
    layout: Layout
    ranges: Ranges | None
    _shapes: dict[tuple[str, str], Shape] = field(default_factory=dict)

    @property
    def asks_for_room(self) -> bool:
        """Whether it is an obligation that addresses do not run out, which integers never do."""
        options = self.options
        is_split = options.split_all or bool(options.split)
        return options.arithmetic is Arithmetic.BV and bool(self.program.bit_gaps) and not is_split

    def width(self, of: Type) -> int:
        """The width in bits of a register of this type, or of an element of a region."""
        if isinstance(of, RegionType):
            of = of.element
        if isinstance(of, IntType):
            return of.width
        return _FLOAT_WIDTHS[of.kind] if isinstance(of, FloatType) else self.program.pointer_width

    def shape(self, function: str, register: Register) -> Shape:
        """How a register is represented; floats by their bits."""
        key = function, register.name
        if key not in self._shapes:
            self._shapes[key] = self._shape(function, register)
        return self._shapes[key]

    def _shape(self, function: str, register: Register) -> Shape:
        width = self.width(register.type)
        if isinstance(register.type, RegionType):
            return self._region(function, register, register.type)
        is_integer = isinstance(register.type, IntType)
        signed = is_integer and self.signs.get((function, register.name), True)
        low, high = representation(width, signed)
        known = self._range(function, register, signed) if is_integer and width > 1 else None
        if known is not None:
            low, high = max(low, known[0]), min(high, known[1])
            if low > high:
                low, high = representation(width, signed)
        is_pointer = isinstance(register.type, PointerType)
        return Shape(width, signed, (low, high), pointer=is_pointer)

    def _region(self, function: str, register: Register, of: RegionType) -> Shape:
        width = self.width(of)
        is_integer = isinstance(of.element, IntType)
        signed = is_integer and self.signs.get((function, register.name), True)
        return Shape(
            width,
            signed,
            representation(width, signed),
            pointer=isinstance(of.element, PointerType),
            addresses=self.program.pointer_width,
        )

    def _range(self, function: str, register: Register, signed: bool) -> Bounds | None:
        if self.ranges is None or register.name.startswith("ret."):
            return None
        known = self.ranges.signed if signed else self.ranges.unsigned
        return known(function, register)

    def bounds_at(self, function: str, label: str, operand: Operand) -> Bounds | None:
        """Bounds of an operand in the statements of a block, in its own representation."""
        if self.ranges is None or not isinstance(operand, Register):
            return None
        found = self.ranges.at(function, label, operand)
        if found is None:
            return None
        return found.signed if self.shape(function, operand).signed else found.unsigned

    def result(self, function: str, number: int) -> Register:
        """The synthetic register of a result."""
        return Register(result_name(number), self.program.functions[function].results[number])

    def sort(self, shape: Shape) -> Sort:
        """The sort of the symbols of this shape."""
        element = self.machine.sort(shape.width)
        if shape.addresses is None:
            return element
        return terms.array_sort(self.machine.sort(shape.addresses), element)

    def carried(self, function: str) -> tuple[Register, ...]:
        """The parameters of a function that its relations carry."""
        parameters = self.program.functions[function].parameters
        return tuple(p for p in parameters if self.relevance.needs(function, p))
