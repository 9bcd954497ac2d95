"""Parts of globals that keep their first values: their loads become constants.

The kind of a mutex is such a part.  It decides how a lock behaves, so where it is a constant the
copies of locks in a product of threads are short.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from seahorn_py.base.records import dataclass
from seahorn_py.frontend.llvmtext.lines import leading_type, read_call, references
from seahorn_py.frontend.llvmtext.module import ModuleText
from seahorn_py.frontend.llvmtext.tokens import NAME
from seahorn_py.frontend.lowering.threads.copies import GIVEN

KEPT = "sea.kept."
"""Begins the name of the constant with the first value of a global."""

_SIZES = {"i8": 1, "i16": 2, "i32": 4, "i64": 8, "float": 4, "double": 8, "ptr": 8}
"""The most bytes that an access of a type reads or writes, in both data models."""

_PLACE = (
    rf"(?:getelementptr [^(,]*\(i8, ptr @(?P<part>{NAME}), i\d+ (?P<at>\d+)\)|@(?P<all>{NAME}))"
)
_LOAD = re.compile(rf"  %{NAME} = load (?P<type>\w+), ptr {_PLACE}(?=, |$)")
_STORE = re.compile(rf"  store (?P<type>\w+) (?P<value>[-\w%.]+), ptr {_PLACE}(?=, |$)")
_DEFINED = re.compile(r"(?:internal |dso_local |local_unnamed_addr |unnamed_addr )*global (.*)$")
_ZERO = re.compile(r"(?:zeroinitializer|0|null)(?:,|$)")
"""The whole value of a global, behind its type."""

_LOOKING = ("sea.valid.",)


@dataclass(frozen=True, slots=True)
class _Span:
    """Bytes of a global."""

    name: str
    first: int
    end: int

    def meets(self, other: _Span) -> bool:
        """Whether both have a byte."""
        return self.name == other.name and self.first < other.end and other.first < self.end


def with_constant_parts(module: ModuleText, of_marked: bool = False) -> ModuleText | None:
    """The module in which loads of such parts read constants; None if there is no such load.

    Where races are looked for (`of_marked`), volatile only marks what is not to be removed, and an
    access stays if any store meets it.
    """
    values = {n: found[1] for n, body in module.globals.items() if (found := _DEFINED.match(body))}
    lines = [line for f in module.functions.values() for line in f.lines if "@" in line]
    given = {name for name in values if name.startswith(GIVEN)}  # the product stores to these
    known = values.keys() - given - set(_known_elsewhere(lines, of_marked)) - _in_values(module)
    first = {} if of_marked else values  # any store may race
    written = {span for line in lines for span in _writes(line, first) if span.name in known}
    used: set[str] = set()

    def kept(line: str) -> str:
        plain = line.replace(" = load volatile ", " = load ", 1) if of_marked else line
        found = _LOAD.match(plain)
        span = None if found is None else _span(found)
        if span is None or span.name not in known or any(map(span.meets, written)):
            return line
        used.add(span.name)
        line = line.replace(" = load volatile ", " = load ", 1)
        return line.replace(f"@{span.name}", f"@{KEPT}{span.name}", 1)

    bodies = module.functions.items()
    functions = {n: replace(f, lines=tuple(map(kept, f.lines))) for n, f in bodies}
    if not used:
        return None
    constants = {f"{KEPT}{n}": f"internal constant {values[n].split(', !dbg')[0]}" for n in used}
    return replace(module, functions=functions, globals={**module.globals, **constants})


def _in_values(module: ModuleText) -> frozenset[str]:
    """Globals that the values of others name, or that have another name."""
    bodies = (*module.globals.values(), *module.aliases.values())
    return frozenset(name for body in bodies for name in references(body))


def _known_elsewhere(lines: Iterable[str], of_marked: bool) -> Iterator[str]:
    """Globals that code uses otherwise than to load from them and store to them at known places."""
    for line in lines:
        if line.startswith("    #"):
            continue
        line = line.replace(" = load volatile ", " = load ", 1) if of_marked else line
        found = _LOAD.match(line) or _STORE.match(line)
        span = None if found is None else _span(found)
        if span is None and not _only_looks(line):
            yield from references(line)


def _only_looks(line: str) -> bool:
    call = read_call(line) if " call " in line else None
    return call is not None and call.callee.startswith(_LOOKING)


def _span(found: re.Match[str]) -> _Span | None:
    size = _SIZES.get(found["type"])
    if size is None:
        return None
    first = int(found["at"] or 0)
    return _Span(found["part"] or found["all"], first, first + size)


def _writes(line: str, values: Mapping[str, str]) -> Iterator[_Span]:
    """The span that a line changes: zeros over zeros change nothing."""
    found = _STORE.match(line)
    span = None if found is None else _span(found)
    if found is None or span is None:
        return
    is_zero = found["value"] in ("0", "null", "false")
    first = values.get(span.name)
    if not (is_zero and first is not None and _ZERO.match(leading_type(first)[1])):
        yield span
