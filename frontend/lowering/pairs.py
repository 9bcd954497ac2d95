"""Pairs of floats that travel in one register are 64 bits.

System V ABI, AMD64 supplement, 3.2.3: a struct of two floats is passed and returned in the low half
of an SSE register, which clang writes as a vector of two floats.  A module that only moves such
vectors means the same with integers of 64 bits in their place; one that computes with them is left
as it is, and refused later.
"""

from __future__ import annotations

from seahorn_py.base.patterns import pattern

_PAIR = "<2 x float>"
_MOVES = pattern(
    r"(?:define|declare)\b|%\S+ = type\b"
    r"|  (?:%\S+ = )?(?:(?:tail|notail) )?"
    r"(?:load|store|call|ret|phi|select|alloca|getelementptr|insertvalue|extractvalue)\b"
)
_CONSTANT = f"{_PAIR} <"


def without_pairs(text: str) -> str:
    """The text of a module, its pairs as integers where they are only moved."""
    if _PAIR not in text:
        return text
    using = [line for line in text.splitlines() if _PAIR in line]
    if not all(_MOVES.match(line) and _CONSTANT not in line for line in using):
        return text
    return text.replace(_PAIR, "i64")
