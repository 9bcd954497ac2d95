"""Values of inputs as numbers: how large they are, and which simpler ones are near.

An integer is as large as its absolute value in the sign of its C type.  A float is as large as its
absolute value, rounded up, and its binary digits after the point: 3.0 is simpler than 2.500001.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from seahorn_py.base.records import dataclass
from seahorn_py.ir.floats.floats import Format, format_of
from seahorn_py.ir.program import Site
from seahorn_py.ir.types import IntType

_INFINITE = 1 << 1100
_FAR = 1 << 64
"""Floats that are farther from 0 are tried as powers of two."""

_DIGITS = (0, 1, 2, 4, 8)
"""Binary digits after the point that a float may keep."""


@dataclass(frozen=True)
class Integer:
    """Machine integers of a width, read with or without a sign."""

    width: int
    signed: bool

    def number(self, raw: int) -> int:
        """The value of a canonical machine integer."""
        return raw - (1 << self.width) if self.signed and raw >> (self.width - 1) else raw

    def size(self, raw: int) -> int:
        """The absolute value."""
        return abs(self.number(raw))

    def is_negative(self, raw: int) -> bool:
        """Below 0."""
        return self.number(raw) < 0

    def of(self, number: int) -> int:
        """The machine integer of a number, wrapped around."""
        return number % (1 << self.width)

    def near_zero(self) -> tuple[int, ...]:
        """The simplest values, the best first."""
        return (0, 1, self.of(-1)) if self.signed else (0, 1)

    def moved(self, raw: int, delta: int) -> int:
        """So much more, wrapped around."""
        return self.of(raw + delta)

    def simpler(self, raw: int) -> Iterator[int]:
        """The value without its sign, then without one of its bits, the highest first."""
        number = self.number(raw)
        if number < 0:
            yield self.of(-number)
        for bit in reversed(range(abs(number).bit_length())):
            if abs(number) >> bit & 1:
                yield self.of((abs(number) - (1 << bit)) * (-1 if number < 0 else 1))


@dataclass(frozen=True)
class Real:
    """Floats of a format."""

    format: Format

    def number(self, raw: int) -> int:
        """The whole part; 0 for what is no number or farther from 0 than `_FAR`."""
        value = self.format.decode(raw)
        return int(value) if abs(value) <= _FAR else 0

    def size(self, raw: int) -> int:
        """The absolute value, rounded up, and the number of binary digits after the point."""
        value = abs(self.format.decode(raw))
        if not math.isfinite(value):
            return _INFINITE
        return math.ceil(value) + value.as_integer_ratio()[1].bit_length() - 1

    def is_negative(self, raw: int) -> bool:
        """The sign is set."""
        return bool(raw & self.format.sign)

    def of(self, number: int) -> int:
        """The float nearest to a number."""
        try:
            return self.format.encode(float(number))
        except OverflowError:
            return self.format.encode(math.copysign(math.inf, number))

    def near_zero(self) -> tuple[int, ...]:
        """The simplest values, the best first."""
        return self.of(0), self.of(1), self.of(-1)

    def moved(self, raw: int, delta: int) -> int:
        """So much more, rounded."""
        value = self.format.decode(raw)
        return self.format.encode(value + delta) if math.isfinite(value + delta) else raw

    def simpler(self, raw: int) -> Iterator[int]:
        """The value without its sign, then nearer to 0 or with fewer digits after the point."""
        value = self.format.decode(raw)
        if value < 0:
            yield self.format.encode(-value)
        if not abs(value) <= _FAR:
            top = math.frexp(value)[1] - 1 if math.isfinite(value) else 1024
            powers = (top - (top >> k) for k in range(top.bit_length()))
            yield from (self.of((1 << power) * (-1 if value < 0 else 1)) for power in powers)
            return
        for digits in _DIGITS:
            scaled = value * (1 << digits)
            yield self.format.encode(math.floor(scaled) / (1 << digits))
            yield self.format.encode(math.ceil(scaled) / (1 << digits))


Numbers = Integer | Real


def numbers_of(site: Site) -> Numbers | None:
    """How to read the values of a site; None for those that stay as they are."""
    if not site.native:
        return None
    if isinstance(site.type, IntType):
        width = site.type.width
        unsigned = width == 1 or "unsigned" in site.c_type or "_Bool" in site.c_type
        return Integer(width, not unsigned)
    form = format_of(site.type)
    return None if form is None else Real(form)
