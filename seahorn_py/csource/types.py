"""The integer types of C (C11, 6.2.5) in the data models ILP32 and LP64."""

from __future__ import annotations

from seahorn_py.base.records import dataclass

_SIGNS = frozenset({"signed", "unsigned", "__signed__", "__signed"})


@dataclass(frozen=True, slots=True)
class IntegerType:
    """An integer type of C: its width in bits and whether it is signed."""

    width: int
    signed: bool
    truth: bool = False

    def convert(self, value: int) -> int:
        """The value that an object of this type has when `value` is assigned to it."""
        if self.truth:
            return int(value != 0)
        value %= 1 << self.width
        return value - (1 << self.width) if self.signed and value >> (self.width - 1) else value

    @property
    def range(self) -> tuple[int, int]:
        """The smallest and the largest value."""
        if self.truth:
            return 0, 1
        half = 1 << (self.width - 1)
        return (-half, half - 1) if self.signed else (0, 2 * half - 1)


def integer_type(specifier: str, bits: int) -> IntegerType | None:
    """The integer type that the words of a specifier name in a model of 32 or 64 bits."""
    words = [w for w in specifier.split() if w not in ("const", "volatile")]
    if words in (["_Bool"], ["bool"]):
        return IntegerType(8, False, truth=True)
    signed = "unsigned" not in words
    rest = sorted(w for w in words if w not in _SIGNS and w != "int")
    widths = {"char": 8, "short": 16, "": 32, "long": bits, "long long": 64, "__int128": 128}
    width = widths.get(" ".join(rest))
    return None if width is None or not words else IntegerType(width, signed)
