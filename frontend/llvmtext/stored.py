"""Local variables that have one value from when it is stored until they are out of scope.

Debug records of optimised text may be lost with blocks that become empty.  In native text a scalar
local is a slot of the stack: one into which a single instruction stores, and whose address goes
nowhere else, has no other value, whatever records there are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from seahorn_py.base.patterns import pattern

_DECLARED = pattern(
    r"(?:#dbg_declare\(|@llvm\.dbg\.declare\(metadata )ptr (%[\w.$-]+), (?:metadata )?(!\d+),"
    r" (?:metadata )?(!DIExpression\(\))?"
)
_VALUE = pattern(r"(?:#dbg_value|@llvm\.dbg\.value)\(.*?, (?:metadata )?(!\d+),")
_VARIABLE = pattern(r"^(!\d+) = (?:distinct )?!DILocalVariable\((.*)\)$", re.MULTILINE)
_NAME, _LINE = pattern(r'name: "([^"]*)"'), pattern(r"\bline: (\d+)")
_REGISTER = pattern(r"%[\w.$-]+")
_HARMLESS = pattern(r"= alloca |#dbg_declare\(|@llvm\.dbg\.declare\(|@llvm\.lifetime\.")

Named = tuple[str, int]
"""The name of a variable, and the line of its declaration."""


def stored_once(native: str) -> frozenset[Named]:
    """The variables of which that is so in every copy of their function."""
    names = {number: _named(text) for number, text in _VARIABLE.findall(native)}
    spoiled = {names.get(match[1]) for match in _VALUE.finditer(native)}
    found: set[Named] = set()
    for body in _bodies(native):
        stores, other = _uses(body)
        for slot, number, is_plain in _DECLARED.findall("\n".join(body)):
            named = names.get(number)
            if named is None:
                continue
            found.add(named)
            if slot in other or stores.get(slot, 0) > 1 or not is_plain:
                spoiled.add(named)
    return frozenset(found - spoiled)


def _named(text: str) -> Named | None:
    name, line = _NAME.search(text), _LINE.search(text)
    return (name[1], int(line[1])) if name and line else None


def _bodies(native: str) -> Iterator[list[str]]:
    """The lines of each function."""
    body: list[str] | None = None
    for line in native.splitlines():
        if line.startswith("define "):
            body = []
        elif line.startswith("}") and body is not None:
            yield body
            body = None
        elif body is not None:
            body.append(line)


def _uses(body: list[str]) -> tuple[dict[str, int], set[str]]:
    """How often is stored to each register, and which of them are used otherwise than as slots."""
    stores: dict[str, int] = {}
    other: set[str] = set()
    for line in body:
        if _HARMLESS.search(line):
            continue
        text = line.strip()
        stored = re.match(r"store [^,]* ?(\S+), ptr (%[\w.$-]+), align \d+", text)
        loaded = re.match(r"(%[\w.$-]+) = load [^,]+, ptr (%[\w.$-]+), align \d+", text)
        if stored:
            stores[stored[2]] = stores.get(stored[2], 0) + 1
            other |= set(_REGISTER.findall(text[: stored.start(2)]))
        elif not loaded:
            other |= set(_REGISTER.findall(text))
    return stores, other
