"""Where an access may be to: objects and constant offsets, each under a condition."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import product

from seahorn_py.ir.program import (
    FALSE,
    TRUE,
    Address,
    IntConst,
    Operand,
    Predicate,
    Register,
    SiteKind,
)
from seahorn_py.ir.types import IntType
from seahorn_py.passes.unfolding import choices
from seahorn_py.passes.unfolding.code import Code
from seahorn_py.passes.unfolding.followed import Run
from seahorn_py.passes.unfolding.state import offset_of
from seahorn_py.passes.unfolding.storage import Object
from seahorn_py.passes.unfolding.values import Choice, Invalid, Pointer, Unfit, Value

MOST_PLACES = 260
"""An access by an index is followed to at most so many places."""


class Places:
    """Finds the places of accesses in the run that is followed."""

    def __init__(self, code: Code, run: Run) -> None:
        self._code = code
        self._run = run

    def alternatives(
        self, value: Value, condition: Operand = TRUE
    ) -> Iterator[tuple[Operand, Value]]:
        """The options of a value, each with the condition under which it is meant."""
        value = choices.narrowed(self._code, value)
        if not isinstance(value, Choice):
            yield condition, value
            return
        for number, option in choices.options(self._code, value):
            chosen = choices.is_option(self._code, value, number)
            yield from self.alternatives(option, self._code.both(condition, chosen))

    def targets(self, address: Value, size: int) -> list[tuple[Operand, int, int]]:
        """Where a write of so many bytes may be to, with conditions; Invalid if nowhere."""
        found: list[tuple[Operand, int, int]] = []
        is_outside = False
        for condition, pointer in self.alternatives(address):
            if self.is_foreign(pointer):
                is_outside = True
                continue
            with suppress(Invalid):
                for here, number, start in self.places(pointer, size, writes=True):
                    found.append((self._code.both(condition, here), number, start))
        if not found and not is_outside:
            raise Invalid
        return found

    def places(
        self, pointer: Value, size: int, writes: bool = False
    ) -> Iterator[tuple[Operand, int, int]]:
        """Conditions, objects and offsets of an access; the last condition need not be asked.

        Invalid if there is no such place.
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
        self._run.assumes_valid = True
        count = 0
        for condition, start in self._indexed(pointer, found, size):
            count += 1
            if count > MOST_PLACES:
                raise Unfit("an access by an index that may be at many places")
            yield condition, found.number, start
        if not count:
            raise Invalid

    def is_foreign(self, pointer: Value) -> bool:
        """It comes from outside, and leads to nothing that the program has."""
        read = self._code.inputs.get(pointer) if isinstance(pointer, Register) else None
        if read is None or read.kind not in (SiteKind.EXTERN, SiteKind.NONDET):
            return False
        self._run.assumes_valid = self._run.is_outside = True
        return True

    def _astray(self, pointer: Value) -> Exception:
        if isinstance(pointer, Address) or self._code.is_indeterminate(pointer):
            self._run.assumes_valid = True
            return Invalid()
        return Unfit("an access by a pointer from outside, or made from a number")

    def check(self, found: Object, size: int, start: int, writes: bool) -> None:
        """Invalid if the access is; what is not known is assumed."""
        known = found.known_size
        inside = known is None or start + size <= known
        if start < 0 or not inside or (writes and not found.writable):
            self._run.assumes_valid = True
            raise Invalid
        if known is None:
            self._run.assumes_valid = True
        live = self._run.live(found.number)
        if live == FALSE:
            self._run.assumes_valid = True
            raise Invalid
        if live != TRUE:
            self._run.assumes_valid = True

    def _indexed(self, pointer: Pointer, found: Object, size: int) -> Iterator[tuple[Operand, int]]:
        """The offsets inside the object that the indices may lead to."""
        code, last = self._code, found.known_size
        if last is None:
            raise Unfit("an index into an object of a size that is not known")
        ranges = [self._index_values(index, scale, last) for index, scale in pointer.terms]
        base = signed_offset(pointer.constant, code.word.width)
        (first, *others) = pointer.terms
        if not others:
            index, scale = first
            assert isinstance(index.type, IntType)
            for value in ranges[0]:
                start = base + scale * value
                if 0 <= start <= last - size:
                    canonical = IntConst(value % (1 << index.type.width), index.type)
                    yield code.compare(Predicate.EQ, index, canonical), start
            return
        total = offset_of(code, pointer)
        scales = [scale for _, scale in pointer.terms]
        starts = {
            base + sum(s * v for s, v in zip(scales, values, strict=True))
            for values in product(*ranges)
        }
        for start in sorted(starts):
            if 0 <= start <= last - size:
                yield code.compare(Predicate.EQ, total, IntConst(start, code.word)), start

    def _index_values(self, index: Register, scale: int, last: int) -> Sequence[int]:
        range_ = self._code.range(index)
        assert range_ is not None
        low, high = range_.signed
        if high - low > 2 * last + 2 * MOST_PLACES:
            if len(self._around(last, scale)) > 4 * MOST_PLACES:
                raise Unfit("an index without small bounds")
            return [k for k in self._around(last, scale) if low <= k <= high]
        return range(low, high + 1)

    def _around(self, last: int, scale: int) -> range:
        """The indices that may lead into an object of that size from anywhere in it."""
        reach = last // max(abs(scale), 1) + 1
        return range(-reach, reach + 1)


def signed_offset(offset: int, width: int) -> int:
    """An offset as the number of least magnitude that it is."""
    offset %= 1 << width
    return offset - (1 << width) if offset >> width - 1 else offset
