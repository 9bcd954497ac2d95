"""Binary floats as words: their parts, and rounding to nearest, ties to even.

IEEE 754-2019, sections 3.3 to 3.5, 4.3.1 and 7.4.  A float of `exponent` and `precision` bits (the
leading one counted) is packed as sign, biased exponent, fraction.  The x87 format stores the
leading bit too: it is dropped when a float is read and made again when one is written; encodings
that the processor does not support count as NaN, pseudo-denormals as the numbers they are (Intel
64 and IA-32 Architectures Software Developer's Manual, volume 1, section 8.2.2).  There is one NaN:
what sets NaNs apart is not kept.  It is the default one of x86.
"""

from __future__ import annotations

from typing import Generic, TypeVar

from seahorn_py.base.records import dataclass
from seahorn_py.ir.floats.words import Word, Words
from seahorn_py.ir.types import FloatKind

V = TypeVar("V")
B = TypeVar("B")


@dataclass(frozen=True, slots=True)
class Format:
    """Widths in bits, `precision <= bias`; `explicit`: the leading bit is stored."""

    exponent: int
    precision: int
    explicit: bool = False

    @property
    def width(self) -> int:
        """All bits of a packed float, without an explicit leading one."""
        return self.exponent + self.precision

    @property
    def stored(self) -> int:
        """All bits of a float in a register."""
        return self.width + self.explicit

    @property
    def bias(self) -> int:
        """What is added to the exponent of a normal number."""
        return (1 << self.exponent - 1) - 1

    @property
    def infinity(self) -> int:
        """The packed positive infinity; greater magnitudes are NaNs."""
        return ((1 << self.exponent) - 1) << self.precision - 1

    @property
    def sign(self) -> int:
        """The packed negative zero."""
        return 1 << self.width - 1

    @property
    def nan(self) -> int:
        """The packed NaN."""
        return self.sign | self.infinity | 1 << self.precision - 2


FORMATS = {
    FloatKind.SINGLE: Format(8, 24),
    FloatKind.DOUBLE: Format(11, 53),
    FloatKind.X87: Format(15, 64, explicit=True),
}


@dataclass(frozen=True, slots=True)
class Parts(Generic[V, B]):
    """A packed float taken apart.

    A finite one is `significand / 2**(precision-1) * 2**(exponent - bias)`; the exponent, which is
    at least 1, has two bits more than the format's, the significand `precision` bits, of which the
    first is 0 for zeros and subnormal numbers.
    """

    negative: B
    nan: B
    infinite: B
    zero: B
    exponent: Word[V]
    significand: Word[V]


class Floats(Words[V, B]):
    """Words that are packed floats of one format; `canonical`: so are all registers read."""

    def __init__(self, words: Words[V, B], form: Format, canonical: bool = False) -> None:
        super().__init__(words.algebra)
        self.form = form
        self._canonical = canonical

    # ------------------------------------------------------------------------ reading and writing

    def read(self, stored: V) -> Word[V]:
        """The packed float in a register; all NaNs become one."""
        form = self.form
        if not form.explicit:
            word = Word(form.width, stored)
            return word if self._canonical else self._one_nan(word)
        word, fraction = Word(form.stored, stored), form.precision - 1
        head, tail = self.high(word, form.exponent + 1), self.low(word, fraction)
        if self._canonical:
            return self.join(head, tail)
        leading = self.bit(word, fraction)
        is_small = self.equals(self.low(head, form.exponent), 0)
        pseudo = self.all(leading, is_small)
        head = self.choose(pseudo, self.plus(head, 1), head)
        packed = self._one_nan(self.join(head, tail))
        unsupported = self.not_(self.any(leading, is_small))
        return self.choose(unsupported, self.const(form.width, form.nan), packed)

    def _one_nan(self, word: Word[V]) -> Word[V]:
        return self.choose(self.is_nan(word), self.const(word.width, self.form.nan), word)

    def write(self, word: Word[V]) -> V:
        """The register that holds a packed float."""
        form = self.form
        if not form.explicit:
            return word.value
        fraction = form.precision - 1
        head, tail = self.high(word, form.exponent + 1), self.low(word, fraction)
        is_small = self.equals(self.low(head, form.exponent), 0)
        leading = self.where(self.not_(is_small), form.precision, 1 << fraction)
        return self.join(head, self.or_(leading, self.extend(tail, form.precision))).value

    # ----------------------------------------------------------------------------------- classes

    def magnitude(self, word: Word[V]) -> Word[V]:
        """Exponent and fraction."""
        return self.low(word, self.form.width - 1)

    def is_nan(self, word: Word[V]) -> B:
        """Not a number."""
        return self.ult(self.const(word.width - 1, self.form.infinity), self.magnitude(word))

    def is_zero(self, word: Word[V]) -> B:
        """Either zero."""
        return self.equals(self.magnitude(word), 0)

    def signed(self, negative: B, magnitude: Word[V]) -> Word[V]:
        """The float of this sign and magnitude."""
        width = self.form.width
        return self.or_(self.where(negative, width, self.form.sign), self.extend(magnitude, width))

    def not_a_number(self) -> Word[V]:
        """The NaN."""
        return self.const(self.form.width, self.form.nan)

    def infinity(self, negative: B) -> Word[V]:
        """An infinity."""
        return self.signed(negative, self.const(self.form.width - 1, self.form.infinity))

    def parts(self, word: Word[V]) -> Parts[V, B]:
        """The float taken apart."""
        form = self.form
        magnitude, fraction = self.magnitude(word), form.precision - 1
        field = self.high(magnitude, form.exponent)
        is_small = self.equals(field, 0)
        leading = self.where(self.not_(is_small), form.precision, 1 << fraction)
        significand = self.or_(leading, self.extend(self.low(word, fraction), form.precision))
        exponent = self.choose(is_small, self.const(form.exponent, 1), field)
        return Parts(
            self.top(word),
            self.is_nan(word),
            self.equals(magnitude, form.infinity),
            self.is_zero(word),
            self.extend(exponent, form.exponent + 2),
            significand,
        )

    def normal_parts(self, word: Word[V]) -> Parts[V, B]:
        """As `parts`, but the significand of every number other than 0 begins with 1.

        The exponent, which may be below 1 then, has enough bits for that.
        """
        parts = self.parts(word)
        wide = max(self.form.exponent, self.form.precision.bit_length()) + 2
        exponent = self.extend(parts.exponent, wide)
        exponent, significand = self.normalised(exponent, parts.significand, least=None)
        return Parts(parts.negative, parts.nan, parts.infinite, parts.zero, exponent, significand)

    # ---------------------------------------------------------------------------------- rounding

    def normalised(
        self, exponent: Word[V], significand: Word[V], least: int | None
    ) -> tuple[Word[V], Word[V]]:
        """The same number with a significand that begins with 1, if it is not 0.

        With `least`, the (signed) exponent does not sink below it, and the significand may begin
        with 0 instead.
        """
        width = significand.width
        for stage in reversed(range((width - 1).bit_length())):
            by = 1 << stage
            free = self.equals(self.high(significand, by), 0) if by > 1 else None
            moves = self.not_(self.top(significand)) if free is None else free
            if least is not None:
                enough = self.slt(self.const(exponent.width, least + by - 1), exponent)
                moves = self.all(moves, enough)
            significand = self.choose(moves, self.left(significand, by), significand)
            exponent = self.choose(moves, self.plus(exponent, -by), exponent)
        return exponent, significand

    def rounded(
        self, negative: B, exponent: Word[V], significand: Word[V], tiny: bool = True
    ) -> Word[V]:
        """The float nearest to `significand / 2**(width-1) * 2**(exponent - bias)`.

        The last bit of the significand may stand for more than one (a sticky bit) if at least two
        bits come after the `precision` first ones of its number.  The exponent is signed; `tiny`
        says that it may be below 1.  0 keeps the sign.
        """
        form, precision = self.form, self.form.precision
        significand = self.pad(significand, max(0, precision + 3 - significand.width))
        size = significand.width
        wide = max(exponent.width, form.exponent + 2, size.bit_length() + 2)
        exponent = self.extend_signed(exponent, wide)
        is_zero = self.equals(significand, 0)
        exponent, significand = self.normalised(exponent, significand, least=1)
        if tiny:
            is_tiny = self.slt(exponent, self.const(wide, 1))
            by = self.smaller(self.sub(self.const(wide, 1), exponent), precision + 2)
            sunk = self.shift_right_sticky(significand, by)
            significand = self.choose(is_tiny, sunk, significand)
            exponent = self.choose(is_tiny, self.const(wide, 1), exponent)
        magnitude = self._rounded_magnitude(exponent, significand)
        return self.signed(
            negative, self.choose(is_zero, self.const(magnitude.width, 0), magnitude)
        )

    def _rounded_magnitude(self, exponent: Word[V], significand: Word[V]) -> Word[V]:
        """An exponent of at least 1, and a significand that begins with 1 unless that is 1.

        With the leading bit added to the exponent in front of the fraction, less 1, the carry of
        rounding up leads to the next exponent, and from the greatest one to infinity.
        """
        form, precision, size = self.form, self.form.precision, significand.width
        kept = self.high(significand, precision)
        half = self.bit(significand, size - precision - 1)
        more = self.not_(self.equals(self.low(significand, size - precision - 1), 0))
        up = self.all(half, self.any(more, self.bit(kept, 0)))
        wide = exponent.width + precision - 1
        packed = self.pad(self.plus(exponent, -1), precision - 1)
        packed = self.add(packed, self.extend(kept, wide))
        packed = self.add(packed, self.where(up, wide, 1))
        fits = self.below(packed, form.infinity)
        greatest = self.const(form.width - 1, form.infinity)
        return self.choose(fits, self.low(packed, form.width - 1), greatest)
