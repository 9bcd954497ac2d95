"""What the C expressions of formulas are made of: variables, constants, parentheses."""

from __future__ import annotations

from collections.abc import Iterable

from seahorn_py.base.records import dataclass
from seahorn_py.csource.types import IntegerType
from seahorn_py.logic.terms.terms import Term


@dataclass(frozen=True, slots=True)
class Lvalue:
    """A C lvalue whose bits a symbol stands for.

    `type` is its type in C, None if that is only known to have `width` bits.  In integers `signed`
    says how the symbol represents it, `range` what bounds are known for the symbol.
    """

    name: str
    type: IntegerType | None
    width: int
    signed: bool
    range: tuple[int, int]


SIGNED = {8: "signed char", 16: "short", 32: "int", 64: "long long"}
UNSIGNED = {8: "unsigned char", 16: "unsigned short", 32: "unsigned int", 64: "unsigned long long"}


def as_signed(leaf: Lvalue) -> str | None:
    """The variable read as a signed integer of its width."""
    return _viewed(leaf, True, SIGNED)


def as_unsigned(leaf: Lvalue) -> str | None:
    """The variable read as an unsigned integer of its width."""
    return _viewed(leaf, False, UNSIGNED)


def _viewed(leaf: Lvalue, signed: bool, names: dict[int, str]) -> str | None:
    if leaf.type is not None and (leaf.type.truth or leaf.type.signed is signed):
        return leaf.name
    cast = names.get(leaf.width)
    return None if cast is None else f"({cast}){leaf.name}"


def number(value: int) -> str | None:
    """A constant of type int, or of long long where it needs that; None if it does not fit."""
    if not -(1 << 63) < value < 1 << 63:
        return None
    return str(value) if abs(value) < 1 << 31 else f"{value}LL"


def joined(texts: Iterable[str], operator: str) -> str:
    """The texts in parentheses, joined by `&&` or `||`; "" if there are none."""
    parts = list(dict.fromkeys(texts))
    if len(parts) == 1:
        return parts[0]
    return f" {operator} ".join(f"({p})" if needs_parentheses(p) else p for p in parts)


def needs_parentheses(text: str) -> bool:
    """The text joins others itself."""
    return " && " in text or " || " in text


def is_word(term: Term) -> bool:
    """A comparison of bit-vectors."""
    return bool(term.is_bv_ult() or term.is_bv_ule() or term.is_bv_slt() or term.is_bv_sle())
