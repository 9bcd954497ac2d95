"""Native text that tells the run time of its objects, so that runs can be watched.

Behind every local there is a gap, and a call of `sea.object` names the local.  The entry names the
globals, which have gaps between them too.  A watched run ends at an access outside of all objects.
The error found is a suspicion, which the interpreter judges: a neighbour may hide an error, and
objects of other kinds (arguments by value) are not known.

Nothing is suspected in a run whose objects are not named.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from seahorn_py.base.patterns import pattern
from seahorn_py.base.records import dataclass
from seahorn_py.frontend.llvmtext.lines import leading_type

GAP = 32
"""The bytes of the gap behind an object."""

_ONE = "\\01"

_ASKS = "call i1 @sea.valid."
_MAIN = "define void @sea.main("
_LOCAL = pattern(r"  (%[^ =]+) = alloca (.*?)(, align \d+)?(, !dbg !\d+)?$")
_COUNTED = pattern(r", i(\d+) ([^ ,]+)")
_GLOBAL = pattern(r'(@(?:"[^"]*"|[-\w.$]+)) = (?!.*\bexternal\b)[^@{\["]*?\b(?:global|constant) ')
_LABEL = pattern(r"(?:[-\w.$]+|\"[^\"]*\"):")


def watched(text: str, bits: int) -> str:
    """A completed text whose objects are named to the run time.

    It is the same text if no check asks about memory, or if a local is of a kind that is not known.
    """
    if _ASKS not in text:
        return text
    lines = text.split("\n")
    locals_ = [line for line in lines if " = alloca " in line]
    if any(_local(line, bits) is None for line in locals_):
        return text
    named = "\n".join(_lines(lines, bits))
    return f"{named}\ndeclare void @sea.object(ptr, i{bits})\n"


@dataclass(frozen=True)
class _Local:
    """A local: its type, and how many of it there are, "" for one; what is behind that."""

    name: str
    kind: str
    count: str
    rest: str

    def lines(self, bits: int) -> Iterator[str]:
        """The local with a gap behind it, and its name for the run time."""
        if not self.count:
            yield f"  {self.name} = alloca {{ {self.kind}, [{GAP} x i8] }}{self.rest}"
            yield _named(self.name, self.kind, bits)
            return
        own = re.sub(r"\W", ".", self.name)
        more, size = f"%sea.more{own}", f"%sea.size{own}"
        yield f"  {more} = add i{bits} {self.count}, {GAP}"
        yield f"  {self.name} = alloca {self.kind}, i{bits} {more}{self.rest}"
        yield f"  {size} = mul i{bits} {self.count}, {_size(self.kind, bits)}"
        yield f"  call void @sea.object(ptr {self.name}, i{bits} {size})"


def _local(line: str, bits: int) -> _Local | None:
    """The local that an alloca makes; None if it is of another kind."""
    found = _LOCAL.fullmatch(line)
    if found is None:
        return None
    kind, rest = leading_type(found[2])
    counted = _COUNTED.fullmatch(rest.strip())
    if rest.strip() and (counted is None or int(counted[1]) != bits):
        return None
    behind = f"{found[3] or ''}{found[4] or ''}"
    return _Local(found[1], kind, counted[2] if counted else "", behind)


def _lines(lines: list[str], bits: int) -> Iterator[str]:
    entry = [_named(*object_, bits) for object_ in map(_global, lines) if object_ is not None]
    waiting: list[str] = []
    for line in lines:
        if waiting and not _LABEL.match(line):
            yield from waiting
            waiting = []
        if line.startswith(_MAIN):
            waiting = entry
        local = _local(line, bits)
        if local is not None:
            yield from local.lines(bits)
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
    return f"  call void @sea.object(ptr {name}, i{bits} {_size(kind, bits)})"


def _size(kind: str, bits: int) -> str:
    """The bytes of a type, as a constant of LLVM text."""
    return f"ptrtoint (ptr getelementptr ({kind}, ptr null, i32 1) to i{bits})"
