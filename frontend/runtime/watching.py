"""Native text that tells the run time of its objects, so that runs can be watched.

Behind every local there is a gap, and a call of `sea.object` names the local.  The entry names the
globals, which have gaps between them too.  A watched run ends at an access outside of all objects.
The error found is a suspicion, which the interpreter judges: a neighbour may hide an error, and
objects of other kinds (arguments by value) are not known.
"""

from __future__ import annotations

from collections.abc import Iterator

from seahorn_py.base.patterns import pattern
from seahorn_py.frontend.llvmtext.lines import leading_type

GAP = 32
"""The bytes of the gap behind an object."""

_ONE = "\\01"

_ASKS = "call i1 @sea.valid."
_MAIN = "define void @sea.main("
_LOCAL = pattern(r"  (%[^ =]+) = alloca (.*?)(, align \d+)?(, !dbg !\d+)?$")
_GLOBAL = pattern(r'(@(?:"[^"]*"|[-\w.$]+)) = (?!.*\bexternal\b)[^@{\["]*?\b(?:global|constant) ')
_LABEL = pattern(r"(?:[-\w.$]+|\"[^\"]*\"):")


def watched(text: str, bits: int) -> str:
    """A completed text whose objects are named to the run time.

    It is the same text if no check asks about memory, or if a local has an unknown size.
    """
    if _ASKS not in text:
        return text
    lines = text.split("\n")
    locals_ = [line for line in lines if " = alloca " in line]
    if any(_size(line) is None for line in locals_):
        return text
    named = "\n".join(_lines(lines, bits))
    return f"{named}\ndeclare void @sea.object(ptr, i{bits})\n"


def _size(line: str) -> str | None:
    """The type of a local; None if an alloca makes several in a row."""
    found = _LOCAL.fullmatch(line)
    if found is None:
        return None
    kind, rest = leading_type(found[2])
    return None if rest.strip() else kind


def _lines(lines: list[str], bits: int) -> Iterator[str]:
    entry = [_named(*object_, bits) for object_ in map(_global, lines) if object_ is not None]
    waiting: list[str] = []
    for line in lines:
        if waiting and not _LABEL.match(line):
            yield from waiting
            waiting = []
        if line.startswith(_MAIN):
            waiting = entry
        local = _LOCAL.fullmatch(line)
        if local is not None:
            name, kind, align, place = local.groups()
            yield f"  {name} = alloca {{ {kind}, [{GAP} x i8] }}{align or ''}{place or ''}"
            yield _named(name, kind, bits)
        else:
            yield line
        if line.startswith("@") and _global(line) is not None:
            yield from _gap(line)


def _global(line: str) -> tuple[str, str] | None:
    """The name and type of the variable that a line defines; None if it defines none."""
    found = _GLOBAL.match(line)
    return None if found is None else (found[1], leading_type(line[found.end() :])[0])


def _gap(line: str) -> Iterator[str]:
    """The gap behind a variable, in the same section."""
    if " global " in line.split(" = ", 1)[1][:60]:
        name = line.split(" = ", 1)[0].strip('@"')
        content = "zeroinitializer" if " zeroinitializer" in line else f'c"{GAP * _ONE}"'
        yield f'@"sea.gap.{name}" = internal global [{GAP} x i8] {content}'


def _named(name: str, kind: str, bits: int) -> str:
    size = f"ptrtoint (ptr getelementptr ({kind}, ptr null, i32 1) to i{bits})"
    return f"  call void @sea.object(ptr {name}, i{bits} {size})"
