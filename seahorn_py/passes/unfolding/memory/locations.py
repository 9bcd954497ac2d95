"""The places of an access: objects and constant offsets, each under a condition."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, product
from math import gcd, prod
from typing import TypeGuard

from seahorn_py.ir.program import (
    FALSE,
    TRUE,
    Address,
    IntConst,
    Operand,
    Predicate,
    Register,
)
from seahorn_py.ir.types import IntType
from seahorn_py.passes.simplify.simplify import NULL_PAGE
from seahorn_py.passes.unfolding.code import choices
from seahorn_py.passes.unfolding.code.code import Code
from seahorn_py.passes.unfolding.code.values import Choice, Invalid, Pointer, Unfit, Value
from seahorn_py.passes.unfolding.memory.outside import is_from_outside, is_indeterminate
from seahorn_py.passes.unfolding.state.followed import Run
from seahorn_py.passes.unfolding.state.state import offset_of
from seahorn_py.passes.unfolding.state.storage import Object

MOST_PLACES = 260
"""The most places to which an access by an index is followed one by one."""


MOST_SEARCHED = 1 << 20
"""The most offsets that are looked at to find these places."""

FIRST_PAGE = range(NULL_PAGE)
"""An access there ends the run."""


class Places:
    """Finds the places of accesses in the run that is followed."""

    def __init__(self, code: Code, run: Run) -> None:
        self._code = code
        self._run = run

    def alternatives(
        self, value: Value, condition: Operand = TRUE
    ) -> Iterator[tuple[Operand, Value]]:
        """The options of a value, each with the condition under which it is the value."""
        value = choices.narrowed(self._code, value)
        if not isinstance(value, Choice):
            yield condition, value
            return
        for number, option in choices.options(self._code, value):
            chosen = choices.is_option(self._code, value, number)
            yield from self.alternatives(option, self._code.both(condition, chosen))

    def places(
        self, pointer: Value, size: int, writes: bool = False
    ) -> Iterator[tuple[Operand, int, int]]:
        """The places of an access, as (condition, number of an object, offset).

        If no other place is taken the last one is, so its condition need not be asked.  Raises
        Invalid if there is no place.
        """
        if not isinstance(pointer, Pointer):
            raise self._astray(pointer)
        found = self._run.objects[pointer.object]
        if not pointer.terms:
            constant = signed_offset(pointer.constant, self._code.word.width)
            self.check(found, size, constant, writes)
            yield TRUE, found.number, constant
            return
        self.check(found, size, 0, writes)
        is_somewhere = False
        for condition, start in self._indexed(pointer, found, size):
            is_somewhere = True
            yield condition, found.number, start
        if not is_somewhere:
            raise Invalid

    def is_anywhere(self, pointer: Value, size: int, writes: bool = False) -> TypeGuard[Pointer]:
        """Whether a pointer may lead to too many places of its object to look at each.

        Raises Invalid if it leads to none.
        """
        if not isinstance(pointer, Pointer) or not pointer.terms:
            return False
        found = self._run.objects[pointer.object]
        self.check(found, size, 0, writes)
        if self._run.contents(pointer.object).log is not None:
            return True
        _, last = self.sizes(found)
        if last > MOST_SEARCHED:
            return True
        several = (start for start in self._starts(pointer, last) if 0 <= start <= last - size)
        return sum(1 for _ in islice(several, MOST_PLACES + 1)) > MOST_PLACES

    def starts(self, pointer: Pointer, size: int) -> Sequence[int]:
        """The offsets of an access of `size` bytes, in order; `is_anywhere` must be false."""
        found = self._run.objects[pointer.object]
        self.check(found, size, 0, False)
        _, last = self.sizes(found)
        return [start for start in self._starts(pointer, last) if 0 <= start <= last - size]

    def room(self, address: Value, unknown: int) -> int:
        """The most bytes that an object may have from an address on, `unknown` from a register."""
        rooms = [0]
        for _, pointer in self.alternatives(address):
            if isinstance(pointer, Address):
                continue
            if not isinstance(pointer, Pointer):
                return unknown
            _, size = self.sizes(self._run.objects[pointer.object])
            before = signed_offset(pointer.constant, self._code.word.width)
            rooms.append(size if pointer.terms else size - before)
        return max(rooms)

    def is_foreign(self, pointer: Value) -> bool:
        """Whether a pointer comes from outside, so that it leads to no object of the program."""
        if not isinstance(pointer, Register) or not is_from_outside(self._code, pointer):
            return False
        self._run.is_outside = True
        return True

    def _astray(self, pointer: Value) -> Exception:
        code = self._code
        if code.is_astray(pointer):
            return Invalid()
        if is_indeterminate(code, pointer):
            return Invalid()
        return Unfit("an access by a pointer from outside, or made from a number")

    def check(self, found: Object, size: int, start: int, writes: bool) -> None:
        """Raises Invalid if the access is known to be invalid.

        Doubtful accesses have been dealt with before (`validity.expect`).
        """
        inside = start + size <= self.sizes(found)[1]
        is_allowed = found.writable or not writes
        if start < 0 or not inside or not is_allowed or self._run.live(found.number) == FALSE:
            raise Invalid

    def _indexed(self, pointer: Pointer, found: Object, size: int) -> Iterator[tuple[Operand, int]]:
        """The offsets inside the object that the indices may lead to."""
        _, last = self.sizes(found)
        for start in self._starts(pointer, last):
            if 0 <= start <= last - size:
                condition = self._is_at(pointer, start)
                if condition != FALSE:
                    yield condition, start

    def is_inside(self, pointer: Pointer, size: int) -> bool:
        """Whether `size` bytes from the pointer on lie in its object, whatever the indices are."""
        low = high = signed_offset(pointer.constant, self._code.word.width)
        for index, scale in pointer.terms:
            ends = [scale * end for end in self._values(index)]
            low, high = low + min(ends), high + max(ends)
        least, _ = self.sizes(self._run.objects[pointer.object])
        return low >= 0 and high + size <= least

    def sizes(self, found: Object) -> tuple[int, int]:
        """The least and greatest number of bytes that an object may have."""
        range_ = self._code.range(self._run.size(found.number))
        assert range_ is not None
        return range_.unsigned

    def _starts(self, pointer: Pointer, last: int) -> Sequence[int]:
        """The offsets that the indices may lead to.

        If that takes too long to find out, all offsets up to `last` that their scales allow.
        """
        width = self._code.word.width
        base = signed_offset(pointer.constant, width)
        scales = [scale for _, scale in pointer.terms]
        ranges = [self._values(index) for index, _ in pointer.terms]
        if prod(high - low + 1 for low, high in ranges) <= MOST_SEARCHED:
            several = product(*(range(low, high + 1) for low, high in ranges))
            sums = (sum(s * v for s, v in zip(scales, values, strict=True)) for values in several)
            return sorted({signed_offset(base + moved, width) for moved in sums})
        step = gcd(1 << width, *scales)
        return range(base % step, last, step)

    def _is_at(self, pointer: Pointer, start: int) -> Operand:
        """Whether the offset is `start`, as a condition on the index if there is only one."""
        code, width = self._code, self._code.word.width
        (index, scale), *others = pointer.terms
        base = signed_offset(pointer.constant, width)
        low, high = self._values(index)
        half = 1 << width - 1
        if others or not all(-half <= base + scale * end < half for end in (low, high)):
            return code.compare(Predicate.EQ, offset_of(code, pointer), IntConst(start, code.word))
        value, rest = divmod(start - base, scale) if scale else (low, 0)
        assert isinstance(index.type, IntType)
        if rest or not low <= value <= high:
            return FALSE
        canonical = IntConst(value % (1 << index.type.width), index.type)
        return code.compare(Predicate.EQ, index, canonical) if scale else TRUE

    def _values(self, index: Register) -> tuple[int, int]:
        """The least and the greatest signed value of an index."""
        range_ = self._code.range(index)
        assert range_ is not None
        return range_.signed


def signed_offset(offset: int, width: int) -> int:
    """An offset, which is known modulo 2 ** width, as a signed number."""
    offset %= 1 << width
    return offset - (1 << width) if offset >> width - 1 else offset
