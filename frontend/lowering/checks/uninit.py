"""One arbitrary but fixed value for every object without an initial value.

C leaves the value of an uninitialised automatic object indeterminate (C17, 6.7.9).  Left alone,
LLVM reads it as `undef`, which may differ at every use and lets passes delete errors.  Here each
slot is filled when the object's lifetime begins: at its `lifetime.start`, or at the `alloca` when
it has none (the return slot, declarations that a `switch` or `goto` jumps over).  A slot whose next
mention in the same block is a store of its whole value needs nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from seahorn_py.base.patterns import pattern
from seahorn_py.base.records import dataclass
from seahorn_py.frontend.llvmtext.debugtext import DebugText
from seahorn_py.frontend.llvmtext.inputs import AREA, Cause, Inputs
from seahorn_py.frontend.llvmtext.lines import REGISTER
from seahorn_py.frontend.llvmtext.module import FunctionText
from seahorn_py.frontend.llvmtext.tokens import NAME
from seahorn_py.ir.program import SiteKind

_ALLOCA = pattern(
    rf"  (%{NAME}) = alloca (?:inalloca )?(.*?)(?:, (i\d+) (%{NAME}|-?\d+))?, align \d+(.*)"
)
_LIFETIME = pattern(rf"  call void @llvm\.lifetime\.start\.p0\(ptr (%{NAME})\)[^,]*(.*)")
_DECLARE = pattern(rf"    #dbg_declare\(ptr (%{NAME}), !(\d+), .*, (!\d+)\)")
_STORE = pattern(rf"  store (.*) (\S+), ptr (%{NAME}), align ")
_WHOLE = pattern(rf"  call void @llvm\.mem(?:cpy|set|move)\.[\w.]*\(ptr [^%,]*(%{NAME}), .*")
_LENGTH = pattern(r", i\d+ (\d+), i1 false\)")


@dataclass
class _Slot:
    """A slot of the function; `fill` is where its pending value goes in the output."""

    type: str
    site: Cause
    debug: str


class _Filler:
    """One pass over a function's lines; pending slots are those not yet mentioned."""

    def __init__(self, inputs: Inputs, slots: dict[str, _Slot], own_objects: bool) -> None:
        self.inputs = inputs
        self.own_objects = own_objects
        self.slots = slots
        self.pending: dict[str, int] = {}
        self.inserted: dict[int, list[str]] = {}
        self.settled: set[str] = set()
        self.out: list[str] = []

    def begin(self, slot: str) -> None:
        """The lifetime of the slot begins after the line just written."""
        self.pending[slot] = len(self.out)

    def settle(self, slot: str) -> None:
        """The slot's value matters: fill it where its lifetime began."""
        at = self.pending.pop(slot, None)
        if at is not None:
            known = self.slots[slot]
            self.settled.add(slot)
            if self.own_objects and known.type == "ptr":
                lines = [f"  store ptr {self.inputs.object()}, ptr {slot}, align 1{known.debug}"]
            else:
                lines = self.inputs.fill(slot, known.type, known.site, known.debug)
            self.inserted.setdefault(at, []).extend(lines)

    def settle_all(self) -> None:
        """A block ends: nothing is known of the next mention."""
        for slot in list(self.pending):
            self.settle(slot)

    def read(self, line: str) -> None:
        """Settle the pending slots that the line mentions, unless it overwrites them whole."""
        whole = self._overwritten(line)
        for register in REGISTER.findall(line):
            if register in self.pending and register != whole:
                self.settle(register)
        if whole is not None:
            self.pending.pop(whole, None)

    def _overwritten(self, line: str) -> str | None:
        found = _STORE.match(line)
        if found and found[3] in self.pending and found[2] != found[3]:
            return found[3] if found[1] == self.slots[found[3]].type else None
        copied = _WHOLE.match(line)
        if copied and copied[1] in self.pending and line.count(copied[1] + ",") == 1:
            length = _LENGTH.search(line)
            size = self.inputs.size(self.slots[copied[1]].type)
            return copied[1] if length and int(length[1]) == size else None
        return None

    def result(self) -> list[str]:
        """The lines with what was inserted."""
        if not self.inserted:
            return self.out
        merged: list[str] = []
        done = 0
        for at, lines in sorted(self.inserted.items()):
            merged += (*self.out[done:at], *lines)
            done = at
        return [*merged, *self.out[done:]]


def initialise(
    function: FunctionText, inputs: Inputs, debug: DebugText, own_objects: bool = False
) -> list[str]:
    """The body of a function in which every object has a value from the start of its life.

    With `own_objects` pointers lead to objects of their own, which is assumed.
    """
    return _filled(function, inputs, debug, own_objects).result()


def unset_slots(function: FunctionText, inputs: Inputs, debug: DebugText) -> dict[str, str]:
    """The slots, with their types, that have no value of the program's where their life begins."""
    filler = _filled(function, inputs, debug)
    return {slot: filler.slots[slot].type for slot in sorted(filler.settled)}


def _filled(
    function: FunctionText, inputs: Inputs, debug: DebugText, own_objects: bool = False
) -> _Filler:
    slots = _slots(function.lines, debug)
    started = {m[1] for line in function.lines if (m := _begun(line))}
    filler = _Filler(inputs, slots, own_objects)
    for line in function.lines:
        if line.startswith("    #dbg") or not line:
            filler.out.append(line)
            continue
        begun = _begun(line)
        if begun and begun[1] in slots:
            filler.settle(begun[1])
            filler.out.append(line)
            filler.begin(begun[1])
            continue
        if filler.pending:
            filler.read(line)
            if line[0] != " " or _ends_block(line):
                filler.settle_all()
        filler.out.append(line)
        if " = alloca " in line:
            _begin_alloca(line, filler, started)
    return filler


def _begun(line: str) -> re.Match[str] | None:
    return _LIFETIME.match(line) if "@llvm.lifetime.start." in line else None


def _slots(lines: Iterable[str], debug: DebugText) -> dict[str, _Slot]:
    slots: dict[str, _Slot] = {}
    for line in lines:
        found = _ALLOCA.match(line) if " = alloca " in line else None
        if found and not found[3] and not _is_of_varargs(found):
            slots[found[1]] = _Slot(found[2], (SiteKind.UNINIT, "", found[2], None), "")
        declared = _DECLARE.match(line) if "#dbg_declare" in line else None
        if declared and declared[1] in slots:
            slot = slots[declared[1]]
            c_type, signed = debug.variable_type(declared[2])
            slot.site = (SiteKind.UNINIT, debug.name(declared[2]), c_type, signed)
            slot.debug = f", !dbg {declared[3]}"
    return slots


def _is_of_varargs(found: re.Match[str]) -> bool:
    """Whether a slot holds variable arguments or is a list of them, which `va_start` fills."""
    return found[1].startswith(AREA) or found[2] == "[1 x %struct.__va_list_tag]"


def _begin_alloca(line: str, filler: _Filler, started: set[str]) -> None:
    found = _ALLOCA.match(line)
    if found is None:
        return
    if found[3]:
        filler.out.extend(_fill_array(found, filler.inputs))
    elif found[1] in filler.slots and found[1] not in started:
        filler.begin(found[1])


def _fill_array(found: re.Match[str], inputs: Inputs) -> Sequence[str]:
    """A variable-length array or `alloca`: one havoc of count times size bytes."""
    address, kind, width, count, tail = found.groups()
    site = (SiteKind.UNINIT, "", f"{kind}[]", None)
    debug = tail if tail.startswith(", !dbg") else ""
    if not count.startswith("%"):
        size = str(int(count) * inputs.size(kind))
        return inputs.havoc(address, size, site, debug)
    lines: list[str] = []
    if width != inputs.word:
        wide = inputs.name()
        cast = "zext" if int(width[1:]) < int(inputs.word[1:]) else "trunc"
        lines.append(f"  {wide} = {cast} {width} {count} to {inputs.word}{debug}")
        count = wide
    size = inputs.name()
    lines.append(f"  {size} = mul {inputs.word} {count}, {inputs.size(kind)}{debug}")
    return [*lines, *inputs.havoc(address, size, site, debug)]


def _ends_block(line: str) -> bool:
    return line.startswith(("  br ", "  switch ", "  ret ", "  unreachable", "  indirectbr "))
