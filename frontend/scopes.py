"""Which locals may be reached through pointers when they no longer exist.

A local whose address is only used to access it, or passed by value, dies unnoticed.  Any other use
lets the address get away.  When the function returns, the run knows that the object is gone; that
only its block ends (C17, 6.2.4) is seen by the markers of the compiler, where it gives any.  What
`alloca` gives is no variable and lives as long as the function, unless the stack is reset for an
array of variable length.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from seahorn_py.frontend.irdebug import DebugText
from seahorn_py.frontend.irtext import NAME, FunctionText
from seahorn_py.frontend.varargs import AREA

_ALLOCA = re.compile(rf"  (%{NAME}) = alloca ")
_OF_ANY_SIZE = re.compile(rf" = alloca [^,]+, i\d+ %{NAME}")
_OFFSET = re.compile(rf"  (%{NAME}) = getelementptr [^%]*(?:%{NAME}, )?ptr (%{NAME})")
_DECLARE = re.compile(rf"    #dbg_declare\(ptr (%{NAME}), !(\d+),")
_MARKER = re.compile(
    rf"  call void @llvm\.lifetime\.(start|end)\.p0\(ptr (%{NAME})\)[^,]*(, !dbg !\d+)?"
)
_REGISTER = re.compile(rf"%{NAME}")
_BY_VALUE = re.compile(rf"ptr [^,]*\b(?:byval|sret)\([^()]*\)[^,)]* (%{NAME})(?=[,)])")
_HARMLESS = (" @llvm.lifetime.", " @llvm.memcpy.", " @llvm.memmove.", " @llvm.memset.")


@dataclass(frozen=True, slots=True)
class Marker:
    """The life of a slot begins or ends; `debug` is `, !dbg !N` or ""."""

    slot: str
    live: bool
    debug: str


@dataclass(frozen=True, slots=True)
class Escapes:
    """Whether the address of a local gets away; of which that die with a block of the function.

    `marked` are those whose death the text shows, `hidden` tells whether there are others.
    """

    any: bool = False
    marked: frozenset[str] = frozenset()
    hidden: bool = False


def escapes(function: FunctionText, debug: DebugText) -> Escapes:
    """What may outlive its scope in a function; linear in its text."""
    owners: dict[str, str] = {}
    variables: dict[str, str] = {}
    escaped: set[str] = set()
    ended: set[str] = set()
    of_any_size: set[str] = set()
    is_reset = any("@llvm.stackrestore" in line for line in function.lines)
    for line in function.lines:
        if line.startswith("    #dbg"):
            declared = _DECLARE.match(line)
            if declared:
                variables[declared[1]] = declared[2]
            continue
        allocated = _ALLOCA.match(line) if " = alloca " in line else None
        if allocated:
            owners[allocated[1]] = allocated[1]
            if not is_reset and _OF_ANY_SIZE.search(line):
                of_any_size.add(allocated[1])
            continue
        moved = _OFFSET.match(line) if " = getelementptr " in line else None
        if moved and moved[2] in owners:
            owners[moved[1]] = owners[moved[2]]
            continue
        marker = read_marker(line)
        if marker and not marker.live:
            ended.add(marker.slot)
        escaped.update(owners[r] for r in _given_away(line) if r in owners)
    inner = {
        slot
        for slot in escaped
        if not slot.startswith(AREA)
        if not _lives_on(variables.get(slot), slot in of_any_size, debug)
    }
    return Escapes(bool(escaped), frozenset(inner & ended), not inner <= ended)


def _lives_on(variable: str | None, of_any_size: bool, debug: DebugText) -> bool:
    """Whether an object lives as long as its function."""
    return of_any_size if variable is None else debug.is_function_scope(variable)


def read_marker(line: str) -> Marker | None:
    """The marker in a line, if it is one."""
    found = _MARKER.match(line) if "@llvm.lifetime." in line else None
    return Marker(found[2], found[1] == "start", found[3] or "") if found else None


def _given_away(line: str) -> list[str]:
    """The registers of a line that are used otherwise than as the address of an access."""
    if " = load " in line or " = icmp " in line or any(name in line for name in _HARMLESS):
        return []
    if line.startswith("  store "):
        value, _, address = line.rpartition(", ptr ")
        return _REGISTER.findall(value) if address else []
    if " byval(" in line or " sret(" in line:
        line = _BY_VALUE.sub("", line)
    return _REGISTER.findall(line)
