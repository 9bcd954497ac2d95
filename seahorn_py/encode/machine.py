"""What the two encodings of machine integers have in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from enum import Enum
from typing import Generic, Protocol, TypeVar

from seahorn_py.base.records import dataclass
from seahorn_py.encode.open_rule import OpenRule
from seahorn_py.ir.algebra import Algebra
from seahorn_py.ir.program import Binary, BinaryOp, Operand
from seahorn_py.logic.terms.terms import Sort, Term
from seahorn_py.passes.ranges.intervals import Bounds

V = TypeVar("V")

WRAPPING = frozenset({BinaryOp.ADD, BinaryOp.SUB, BinaryOp.MUL, BinaryOp.SHL})
"""Operations whose exact result may not fit; all others fit or are not defined."""


@dataclass(frozen=True, slots=True)
class Shape:
    """How a register is represented: its width, as signed or unsigned, the bounds known for it.

    With `pointer`, it is an address.  With `addresses`, the register holds a region, a map from
    addresses of that width, and the rest describes an element of it.
    """

    width: int
    signed: bool
    bounds: tuple[int, int]
    pointer: bool = False
    addresses: int | None = None

    @property
    def element(self) -> Shape:
        """How an element of the region is represented."""
        return replace(self, addresses=None)


@dataclass(frozen=True, slots=True)
class Scaled(Generic[V]):
    """A part of an address: `factor` times the signed number of `width` bits.

    The `bounds` are what branches say of the value.
    """

    value: V
    width: int
    factor: int
    bounds: Bounds | None = None


class Mode(Enum):
    """What a wrapping operation means where its bounds do not exclude that it wraps.

    OBLIGATION: plain arithmetic; a query asks whether it can wrap.  SPLIT: the cases are written
    out.  ASSUMED: it does not wrap.  GUARDED: the run ends if it wraps, so plain arithmetic.
    """

    OBLIGATION = "obligation"
    SPLIT = "split"
    ASSUMED = "assumed"
    GUARDED = "guarded"


class FunctionRule(OpenRule, Protocol):
    """An open rule of a function, whose operations are known to wrap or not."""

    def mode(self, statement: Binary) -> Mode:
        """What the operation means if it wraps."""

    def bounds(self, operand: Operand) -> Bounds | None:
        """What the branches that lead here say of an operand, in its own representation."""

    def violation(self, statement: Binary, wraps: Term) -> None:
        """The operation leaves its range when `wraps` holds (not called for SPLIT)."""


class Machine(Protocol[V]):
    """An encoding of machine integers by values V and their terms."""

    def algebra(self, rule: OpenRule) -> Algebra[V, Term]:
        """The operations."""

    def floats(self) -> Algebra[V, Term] | None:
        """The operations on the bits of floats; None where a float is any value."""

    def sort(self, width: int) -> Sort:
        """The sort of a register of this width; Booleans for an i1."""

    def value(self, symbol: Term, shape: Shape) -> V:
        """The value that a symbol of this shape holds."""

    def term(self, value: V, shape: Shape) -> Term:
        """The value as a symbol of this shape holds it."""

    def domain(self, symbol: Term, shape: Shape) -> Term:
        """What is known of a symbol of this shape."""

    def given(self, symbol: Term, shape: Shape) -> Term:
        """What is known of an input of this shape besides."""

    def keep(self, value: V, shape: Shape) -> V:
        """The value as a register of this shape holds it."""

    def named(self, symbol: Term, value: V) -> V:
        """A value that is held by `symbol` from now on."""

    def plain(self, value: V) -> Term:
        """The term of a value, whatever its representation."""

    def arithmetic(self, rule: FunctionRule, statement: Binary, shape: Shape, a: V, b: V) -> V:
        """A wrapping operation."""

    def natural(self, width: int, value: V) -> Term:
        """A term for the unsigned number."""

    def moved(self, width: int, address: V, constant: int, parts: Sequence[Scaled[V]]) -> V:
        """An address of `width` bits, moved by the sum of the constant and the parts."""

    def same_address(self, a: V, b: V) -> Term:
        """Equality of addresses."""

    def lower_address(self, a: V, b: V) -> Term:
        """Order of addresses."""

    def number_of(self, rule: FunctionRule, width: int, address: V, signed: bool) -> V:
        """The machine integer of `width` bits that an address is."""

    def address_of(self, width: int, number: V) -> V:
        """The address that a machine integer of `width` bits is."""
