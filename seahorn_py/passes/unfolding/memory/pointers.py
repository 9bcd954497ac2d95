"""Arithmetic and comparison of pointers, also of integers that were made from them.

Three things are known of where objects lie.  They do not overlap while they live; they have no byte
among the first 4,096 bytes of the address space, and not the last one; and each starts at a
multiple of its alignment.  So a number that was made of no address may be the address of any
object: objects have arbitrary addresses where they are compared with such numbers (`layout`).
"""

from __future__ import annotations

from collections.abc import Mapping

from seahorn_py.ir.program import (
    FALSE,
    TRUE,
    Address,
    BinaryOp,
    IntConst,
    Operand,
    Predicate,
    Register,
)
from seahorn_py.ir.types import IntType
from seahorn_py.passes.simplify.folding import REFLEXIVE
from seahorn_py.passes.simplify.simplify import NULL_PAGE
from seahorn_py.passes.unfolding.code import choices
from seahorn_py.passes.unfolding.code.code import Code
from seahorn_py.passes.unfolding.code.values import Pointer, Unfit, Value, is_number, is_operand
from seahorn_py.passes.unfolding.memory.layout import ORDERS, number_of, ordered
from seahorn_py.passes.unfolding.memory.locations import signed_offset
from seahorn_py.passes.unfolding.state.followed import Run
from seahorn_py.passes.unfolding.state.state import offset_of
from seahorn_py.passes.unfolding.state.storage import Kind, Object

EQUALITY = frozenset({Predicate.EQ, Predicate.NE})
SIGNED: Mapping[Predicate, Predicate] = {
    Predicate.ULT: Predicate.SLT,
    Predicate.ULE: Predicate.SLE,
    Predicate.UGT: Predicate.SGT,
    Predicate.UGE: Predicate.SGE,
}

ABOVE = frozenset({Predicate.UGT, Predicate.UGE})


class Pointers:
    """What is computed with pointers in the state that is followed."""

    def __init__(self, code: Code, run: Run) -> None:
        self._code = code
        self._run = run

    # ------------------------------------------------------------------------------- arithmetic

    def binary(self, op: BinaryOp, left: Value, right: Value) -> Value:
        """An operation on integers of which at least one was made from a pointer."""
        match op, left, right:
            case BinaryOp.ADD, Pointer(), _ if is_number(right):
                return self._moved(left, right, 1)
            case BinaryOp.ADD, _, Pointer() if is_number(left):
                return self._moved(right, left, 1)
            case BinaryOp.SUB, Pointer(), _ if is_number(right):
                return self._moved(left, right, -1)
            case BinaryOp.SUB, Pointer(), Pointer() if left.object == right.object:
                a, b = offset_of(self._code, left), offset_of(self._code, right)
                return self._code.binary(BinaryOp.SUB, a, b)
            case BinaryOp.SUB, _, Pointer() if isinstance(left, Pointer) or is_number(left):
                return self._code.binary(BinaryOp.SUB, self.number(left), self.number(right))
            case BinaryOp.AND, Pointer(), IntConst():
                return self._masked(left, right)
            case (BinaryOp.AND, Pointer() as pointer, mask) | (
                BinaryOp.AND,
                mask,
                Pointer() as pointer,
            ) if self._is_all_or_nothing(mask):
                none = IntConst(0, self._code.word)
                kept = self._code.compare(Predicate.NE, self.number(mask), none)
                return choices.one_of(self._code, kept, pointer, none)
            case BinaryOp.UREM, Pointer(), IntConst(value) if value & value - 1 == 0 < value:
                return self._masked(left, IntConst(value - 1, right.type))
            case _:
                return self._code.binary(op, self.number(left), self.number(right))

    def number(self, value: Value) -> Operand:
        """The value as an integer: an address has any number."""
        if isinstance(value, Pointer) or (isinstance(value, Address) and not is_number(value)):
            return number_of(self._code, self._run, value)
        assert is_operand(value)
        return self._code.converted(value, self._code.word)

    def _is_all_or_nothing(self, mask: Value) -> bool:
        """Whether all bits of the mask are equal: it is 0 or -1."""
        range_ = self._code.range(mask) if is_number(mask) else None
        return range_ is not None and range_.signed[0] >= -1 and range_.signed[1] <= 0

    def _moved(self, pointer: Pointer, by: Operand, scale: int) -> Pointer:
        if isinstance(by, IntConst):
            return pointer.moved(scale * signed_offset(by.value, by.type.width))
        if isinstance(by, Address):
            return pointer.moved(scale * by.offset)
        assert isinstance(by, Register)
        return pointer.moved(0, ((by, scale),))

    def _masked(self, pointer: Pointer, mask: IntConst) -> Value:
        """The address with a mask: its low bits, or the address without them, by its alignment."""
        align = self._run.objects[pointer.object].align
        if pointer.terms:
            return self._code.binary(BinaryOp.AND, self.number(pointer), mask)
        low = pointer.constant & (align - 1)
        if mask.value < align:
            return IntConst(low & mask.value, mask.type)
        missing = (~mask.value) & ((1 << mask.type.width) - 1)
        if missing & (missing + 1) == 0 and missing < align:
            return pointer.moved(-(low & missing))
        return self._code.binary(BinaryOp.AND, self.number(pointer), mask)

    # ------------------------------------------------------------------------------- comparison

    def compare(self, predicate: Predicate, left: Value, right: Value) -> Operand:
        """A comparison with the address of an object or function, at least on one side.

        The condition that `telling` gives for it must hold.
        """
        if self._is_of_literal(left, right):
            raise Unfit("a comparison with the address of a compound literal")
        if left == right:
            return _bit(predicate in REFLEXIVE)
        match left, right:
            case Pointer(), Pointer() if left.object == right.object:
                return self._in_one_object(predicate, left, right)
            case _ if predicate in EQUALITY and self._are_apart(left, right):
                return _bit(predicate is Predicate.NE)
            case (Pointer() | Address(str()) as known, Register() as other) | (
                Register() as other,
                Pointer() | Address(str()) as known,
            ) if predicate in EQUALITY:
                return self._may_be(predicate, known, other)
            case Pointer(), other if predicate in SIGNED and self._is_below_all(other):
                return _bit(predicate in ABOVE)
            case other, Pointer() if predicate in SIGNED and self._is_below_all(other):
                return _bit(predicate not in ABOVE)
            case Pointer(), Pointer() if predicate in ORDERS and self._are_apart(left, right):
                return ordered(self._code, self._run, predicate, left, right)
            case (Pointer(), Register()) | (Register(), Pointer()) if predicate in ORDERS:
                return self._code.compare(predicate, self.number(left), self.number(right))
            case _:
                raise Unfit("a comparison that depends on where objects lie")

    def in_one_object(self, left: Value, right: Value) -> Operand:
        """Whether two addresses lead into one object, or both are null, as an int of C."""
        match left, right:
            case Pointer(), Pointer():
                found = left.object == right.object
            case Pointer(), other if self._is_low(other):
                found = False
            case other, Pointer() if self._is_low(other):
                found = False
            case _ if self._number(left) == self._number(right) == 0:
                found = True
            case _:
                raise Unfit("which objects pointers from outside lead to is asked")
        return IntConst(int(found), IntType(32))

    def _is_of_literal(self, left: Value, right: Value) -> bool:
        """Whether two addresses of locals are compared, one of which is that of a literal."""
        sides = [self._object(side) for side in (left, right) if isinstance(side, Pointer)]
        are_locals = len(sides) == 2 and all(found.kind is Kind.STACK for found in sides)
        return are_locals and any(found.may_meet for found in sides)

    def _may_be(self, predicate: Predicate, known: Pointer | Address, other: Register) -> Operand:
        """The comparison with a number: the address of the object or function is arbitrary."""
        code, word = self._code, self._code.word
        value = code.converted(other, word)
        same = code.compare(Predicate.EQ, self.number(known), value)
        page = IntConst(NULL_PAGE, word)
        found = code.both(same, code.compare(Predicate.UGE, value, page))
        return found if predicate is Predicate.EQ else code.negated(found)

    def telling(self, predicate: Predicate, left: Value, right: Value) -> Operand:
        """Whether a comparison has one result wherever objects lie, as an i1."""
        code = self._code
        match left, right:
            case Pointer(), Pointer() if left.object == right.object:
                if predicate in EQUALITY:
                    return TRUE
                return code.both(self._near(left), self._near(right))
            case Pointer(), Pointer() if predicate in EQUALITY:
                return code.both(
                    self._live(left, right), code.both(self._inside(left), self._inside(right))
                )
            case Pointer(), Pointer():
                return code.both(
                    self._live(left, right), code.both(self._within(left), self._within(right))
                )
            case (Pointer() as pointer, other) | (other, Pointer() as pointer):
                if code.is_moved_null(other):
                    return FALSE
                return self._near(pointer) if self._is_low(other) else self._inside(pointer)
            case _:
                return TRUE

    def _in_one_object(self, predicate: Predicate, left: Pointer, right: Pointer) -> Operand:
        if left.terms == right.terms:
            left, right = (Pointer(p.object, p.constant) for p in (left, right))
        if predicate not in EQUALITY and predicate not in SIGNED:
            raise Unfit("a comparison of pointers as signed numbers")
        a, b = offset_of(self._code, left), offset_of(self._code, right)
        return self._code.compare(SIGNED.get(predicate, predicate), a, b)

    def _are_apart(self, left: Value, right: Value) -> bool:
        """Whether two addresses differ, wherever objects lie."""
        match left, right:
            case Pointer(), Pointer():
                # of two locals or blocks, one may have died unseen before the other was made
                several = [self._object(p) for p in (left, right)]
                kinds = {found.kind for found in several}
                unseen = any(found.ends_unseen for found in several)
                if all(o.may_meet for o in several) or any(o.known_size == 0 for o in several):
                    return False
                if kinds == {Kind.HEAP}:
                    return not self._run.frees_unseen
                return kinds != {Kind.STACK} or not unseen
            case (Pointer(), other) | (other, Pointer()):
                is_function = isinstance(other, Address) and other.symbol is not None
                is_apart = is_function or self._code.is_moved_null(other)
                return is_apart or self._is_low(other) or self._is_last(other)
            case Address(str() as f, 0), Address(str() as g, 0):
                return f != g
            case (Address(str(), 0), other) | (other, Address(str(), 0)):
                return self._is_low(other) or self._is_last(other)
            case _:
                return False

    def _is_below_all(self, value: Value) -> bool:
        """It lies before all objects; or `telling` is false, and the answer counts for nothing."""
        return self._is_low(value) or self._code.is_moved_null(value)

    def _is_low(self, value: Value) -> bool:
        """Whether it is a number of the first page of the address space, where no object lies."""
        return self._number(value) in range(NULL_PAGE // 2)

    def _is_last(self, value: Value) -> bool:
        """Whether it is the last address, where no object lies."""
        return self._number(value) == (1 << self._code.word.width) - 1

    def _number(self, value: Value) -> int:
        match value:
            case IntConst(number):
                return number
            case Address(None, offset):
                return offset % (1 << self._code.word.width)
            case _:
                return NULL_PAGE

    def _bounds(self, pointer: Pointer) -> tuple[int, int]:
        """The least and greatest offset that the pointer may have, unless it wraps."""
        low = high = signed_offset(pointer.constant, self._code.word.width)
        for index, scale in pointer.terms:
            range_ = self._code.range(index)
            assert range_ is not None
            ends = [scale * end for end in range_.signed]
            low, high = low + min(ends), high + max(ends)
        return low, high

    def _inside(self, pointer: Pointer) -> Operand:
        """Whether it points to a byte of its object, or to the start of a block of the heap."""
        found, size = self._object(pointer), self._run.size(pointer.object)
        low, high = self._bounds(pointer)
        is_start = found.kind is Kind.HEAP and low == high == 0
        if is_start or (low >= 0 and high < self._least(size)):
            return TRUE
        return self._code.compare(Predicate.ULT, offset_of(self._code, pointer), size)

    def _live(self, left: Pointer, right: Pointer) -> Operand:
        return self._code.both(self._run.live(left.object), self._run.live(right.object))

    def _within(self, pointer: Pointer) -> Operand:
        """Whether it points into its object or right behind it."""
        size = self._run.size(pointer.object)
        low, high = self._bounds(pointer)
        if low >= 0 and high <= self._least(size):
            return TRUE
        return self._code.compare(Predicate.ULE, offset_of(self._code, pointer), size)

    def _near(self, pointer: Pointer) -> Operand:
        """Whether it points into its object, right behind it, or a little in front of it."""
        size = self._run.size(pointer.object)
        low, high = self._bounds(pointer)
        if low > -NULL_PAGE // 2 and high <= self._least(size):
            return TRUE
        return self._code.compare(Predicate.ULE, offset_of(self._code, pointer), size)

    def _least(self, size: Operand) -> int:
        range_ = self._code.range(size)
        assert range_ is not None
        return range_.unsigned[0]

    def _object(self, pointer: Pointer) -> Object:
        return self._run.objects[pointer.object]


def _bit(value: bool) -> IntConst:
    return IntConst(int(value), TRUE.type)
