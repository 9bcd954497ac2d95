"""Types and constants of vectors as those of arrays, in LLVM text.

An array lies in memory as the vector does, but for its alignment.  Where that matters, in structs
and in what globals begin with, an empty array of integers follows it that are aligned like it.
"""

from __future__ import annotations

from collections.abc import Sequence

from seahorn_py.base.errors import UnsupportedError
from seahorn_py.base.patterns import pattern
from seahorn_py.frontend.llvmtext.tokens import bracketed, closing, split_top

VECTOR = pattern(r"<(?P<count>\d+) x (?P<kind>i\d+|float|double|ptr|half|bfloat|x86_fp80)>")

_BITS = {"float": 32, "double": 64}
_WHOLE = frozenset({8, 16, 32, 64})
_ALIGNED = {64: (2, 4, 8, 16), 32: (2, 4, 16)}
"""How many bytes of a vector some integer is aligned like, by the width of pointers."""

_INCOMING = pattern(r"\[ (?=<|splat )")


def as_array(text: str) -> str:
    """The text with arrays for vectors, their constants included."""
    return _replaced(text, 0) if "<" in text else text


def in_memory(text: str, bits: int) -> str:
    """The text of a type or of an initial value with arrays that are aligned like vectors."""
    return _replaced(text, bits) if "<" in text else text


def phi_as_array(line: str) -> str:
    """The same of a phi, which has its type once."""
    found = VECTOR.search(line)
    if found is None:
        return as_array(line)
    head, rest, count = as_array(found[0]), line[found.end() :], int(found["count"])
    done = line[: found.start()] + head
    while incoming := _INCOMING.search(rest):
        end, parts = constant(rest[incoming.end() :], count)
        done += rest[: incoming.end()] + _array(parts)
        rest = rest[incoming.end() + end :]
    return done + rest


def constant(text: str, count: int) -> tuple[int, Sequence[str]]:
    """Where a constant ends that the text begins with, and its elements, with types."""
    if text.startswith("splat "):
        end = closing(text, text.index("(")) + 1
        return end, [text[text.index("(") + 1 : end - 1]] * count
    end = bracketed(text)
    return end, split_top(text[1 : end - 1].strip())


def _replaced(text: str, bits: int) -> str:
    done = ""
    while found := VECTOR.search(text):
        count, kind = int(found["count"]), found["kind"]
        array = f"[{count} x {kind}]"
        pad = _padding(count, kind, bits) if bits else ""
        whole = f"{{ {array}, {pad} }}" if pad else array
        done, text = done + text[: found.start()] + whole, text[found.end() :]
        if text.startswith((" <", " splat ")):
            end, parts = constant(text[1:], count)
            value = _array(parts)
            done += f" {{ {array} {value}, {pad} zeroinitializer }}" if pad else f" {value}"
            text = text[1 + end :]
    return done + text


def _array(elements: Sequence[str]) -> str:
    return f"[{', '.join(elements)}]"


def _padding(count: int, kind: str, bits: int) -> str:
    """An empty array that is aligned like the vector; UnsupportedError if there is none."""
    width = _width(kind, bits)
    size = count * width // 8
    if width not in _WHOLE or size not in _ALIGNED[bits]:
        raise UnsupportedError(f"<{count} x {kind}> in structures and globals is not supported")
    return f"[0 x i{size * 8}]"


def check_stored(count: int, kind: str, bits: int) -> None:
    """UnsupportedError for a vector that lies in memory in another way than an array."""
    width = _width(kind, bits)
    if width not in _WHOLE or count & (count - 1):
        raise UnsupportedError(f"<{count} x {kind}> in memory is not supported")


def _width(kind: str, bits: int) -> int:
    """The bits of an element, 0 where they are not known."""
    return bits if kind == "ptr" else _BITS.get(kind) or int(kind[1:] if kind[0] == "i" else 0)
