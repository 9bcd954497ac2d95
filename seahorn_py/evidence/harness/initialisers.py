"""Values of inputs as C initialisers, in types that every C compiler has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from seahorn_py.base.records import dataclass
from seahorn_py.ir.program import Site
from seahorn_py.ir.types import FloatKind, FloatType, IntType, PointerType

_INTEGERS = {8: "char", 16: "short", 32: "int", 64: "long long"}
_PER_LINE = 8


@dataclass(frozen=True)
class Kind:
    """What a function returns: its C type, the type of its entries in a table, bytes to copy."""

    c_type: str
    stored: str
    size: int


def kind_of(site: Site) -> Kind | None:
    """How C gives a value of the site; None for widths that no C type has."""
    match site.type:
        case IntType(1):
            return Kind("_Bool", "unsigned char", 1)
        case IntType(128):
            return Kind("__int128", "unsigned __int128", 16)
        case IntType(width) if width in _INTEGERS:
            unsigned = any(word in site.c_type for word in ("unsigned", "_Bool", "size_t"))
            name = f"{'unsigned' if unsigned else 'signed'} {_INTEGERS[width]}"
            return Kind(name, name, width // 8)
        case FloatType(FloatKind.SINGLE):
            return Kind("float", "unsigned int", 4)
        case FloatType(FloatKind.DOUBLE):
            return Kind("double", "unsigned long long", 8)
        case PointerType():
            return Kind("void *", "unsigned long", 8)
        case _:
            return None


def table(kind: Kind, values: Sequence[int]) -> str:
    """The initialisers of the values; one of 0 where there are none, as C wants one."""
    shown = [_initialiser(kind, value) for value in values] or ["0"]
    return ",".join(_lines(shown))


def _lines(shown: Sequence[str]) -> Iterator[str]:
    for start in range(0, len(shown), _PER_LINE):
        yield ("\n  " if start else "") + ", ".join(shown[start : start + _PER_LINE])


def _initialiser(kind: Kind, value: int) -> str:
    bits = 8 * kind.size
    value &= (1 << bits) - 1
    if kind.stored.startswith("signed") and value >> (bits - 1):
        value -= 1 << bits
    if value < -(1 << 63) + 1:
        return "-9223372036854775807ll - 1"
    if value >> 64 > 0:
        return f"(unsigned __int128){value >> 64}ull << 64 | {value & ((1 << 64) - 1)}ull"
    suffix = "ull" if value >= 1 << 63 else "ll" if not -(1 << 31) < value < 1 << 31 else ""
    return f"{value}{suffix}"
