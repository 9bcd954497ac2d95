"""What a register or a byte of memory holds while a program is unfolded.

A value is an operand of the new program, a pointer into an object (the new program has no objects),
a byte of another value, or one of several values by the number in a register.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeGuard

from seahorn_py.base.records import dataclass
from seahorn_py.ir.algebra import signed
from seahorn_py.ir.program import NULL, Address, FloatConst, IntConst, Operand, Register
from seahorn_py.ir.types import POINTER, FloatType, IntType, Type

Term = tuple[Register, int]
SELECTOR = IntType(32)


class Unfit(Exception):
    """The program cannot be unfolded; the text says why."""


class Invalid(Exception):
    """An access is invalid whatever the inputs are, and ends the run."""


class Failed(Exception):
    """What unfolding expects of the run does not hold, whatever the inputs are."""


@dataclass(frozen=True, slots=True)
class Pointer:
    """`constant + sum(index * scale)` bytes behind the start of an object.

    Indices are sign-extended, and the sum is taken modulo 2 to the width of a pointer.  An integer
    that was made from a pointer is a `Pointer` too.
    """

    object: int
    constant: int
    terms: tuple[Term, ...] = ()

    def moved(self, by: int, terms: tuple[Term, ...] = ()) -> Pointer:
        """The pointer `by` bytes and the indices in `terms` further on."""
        return Pointer(self.object, self.constant + by, (*self.terms, *terms))


@dataclass(frozen=True, slots=True)
class Piece:
    """Byte number `index` of a value of `size` bytes, counted from its lowest byte."""

    value: Whole
    index: int
    size: int


@dataclass(frozen=True, slots=True)
class Choice:
    """The option whose number is in `selector : i32`."""

    selector: Register
    options: tuple[Value, ...]


Whole = Operand | Pointer | Choice
Value = Operand | Pointer | Piece | Choice


def is_operand(value: Value) -> TypeGuard[Operand]:
    """Whether the value is an operand of the new program."""
    return isinstance(value, Register | IntConst | FloatConst | Address)


def is_number(value: Value) -> TypeGuard[Operand]:
    """Whether the value is an operand of the new program and no address of a global or function."""
    if isinstance(value, Address):
        return value.symbol is None
    return isinstance(value, Register | IntConst | FloatConst)


def type_of(value: Value) -> Type:
    """The type of an operand; the type of pointers for any other value."""
    return value.type if is_operand(value) else POINTER


def zero(type_: Type) -> Operand:
    """The constant 0, 0.0 or null of a type."""
    match type_:
        case IntType():
            return IntConst(0, type_)
        case FloatType():
            return FloatConst(0, type_)
        case _:
            return NULL


def mapped(value: Value, change: Callable[[Register], Operand]) -> Value:
    """The value with `change(register)` in the place of each register in it."""
    match value:
        case Register():
            return change(value)
        case Pointer(number, constant, terms):
            changed = [(change(index), scale) for index, scale in terms]
            fixed = sum(
                scale * signed(index.type.width, index.value)
                for index, scale in changed
                if isinstance(index, IntConst)
            )
            left = [(index, scale) for index, scale in changed if isinstance(index, Register)]
            return Pointer(number, constant + fixed, tuple(left))
        case Piece(whole, byte, size):
            inner = mapped(whole, change)
            assert not isinstance(inner, Piece)
            return Piece(inner, byte, size)
        case Choice(selector, options):
            other = change(selector)
            found = tuple(mapped(option, change) for option in options)
            if isinstance(other, IntConst):
                return found[other.value]
            assert isinstance(other, Register)
            return Choice(other, found)
        case _:
            return value
