"""Which locals may be reached through pointers when they no longer exist.

A local whose address is only used to access it, or passed by value, dies unnoticed.  Any other use
lets the address get away.  When the function returns, the run knows that the object is gone; that
only its block ends (C17, 6.2.4) is seen by the markers of the compiler, where it gives any.  What
`alloca` gives is no variable and lives as long as the function, unless the stack is reset for an
array of variable length.

Objects that lie elsewhere than a call or block knows outlive it unnoticed: structures that are
passed or returned in memory, arguments behind `...`, and the instance of a local that was there
when its block was entered before.  Where a pointer to one may be left (`keeping`), that is a gap.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import field
from functools import cached_property

from seahorn_py.base.patterns import pattern
from seahorn_py.base.records import dataclass
from seahorn_py.frontend.llvmtext.debugtext import DebugText
from seahorn_py.frontend.llvmtext.inputs import AREA
from seahorn_py.frontend.llvmtext.lines import LABEL, REGISTER, TARGET
from seahorn_py.frontend.llvmtext.module import FunctionText
from seahorn_py.frontend.llvmtext.tokens import NAME
from seahorn_py.frontend.lowering.checks.keeping import Keeping

_ALLOCA = pattern(rf"  (%{NAME}) = alloca ")
_OF_ANY_SIZE = pattern(rf" = alloca [^,]+, i\d+ %{NAME}")
_OFFSET = pattern(rf"  (%{NAME}) = getelementptr [^%]*(?:%{NAME}, )?ptr (%{NAME})")
_DECLARE = pattern(rf"    #dbg_declare\(ptr (%{NAME}), !(\d+),")
_PLACED = pattern(rf"    #dbg_declare\(ptr (%{NAME}), !(\d+), .*, !(\d+)\)")
_BY_CALL = pattern(rf"  (%{NAME}) = alloca i8, i(?:32|64) ")
_NODE = pattern(r"^!(\d+) = (.*)$", re.MULTILINE)
_SCOPE = pattern(r"\bscope: !(\d+)")
_MARKER = pattern(
    rf"  call void @llvm\.lifetime\.(start|end)\.p0\(ptr (%{NAME})\)[^,]*(, !dbg !\d+)?"
)
_POINTER = pattern(rf"  (%{NAME}) = alloca ptr, align")
_ASSIGNED = pattern(rf"  store ptr [^,]+, ptr (%{NAME}), ")
_BY_VALUE = pattern(rf"ptr [^,]*\b(?:byval|sret)\([^()]*\)[^,)]* (%{NAME})(?=[,)])")
_HARMLESS = (" @llvm.lifetime.", " @llvm.memcpy.", " @llvm.memmove.", " @llvm.memset.")


@dataclass(frozen=True, slots=True)
class Marker:
    """The life of a slot begins or ends; `debug` is `, !dbg !N` or ""."""

    slot: str
    live: bool
    debug: str


BLOCKS = "accesses to locals of a block that has ended are not checked"
CALLS = "accesses to arguments and results of a call that has ended are not checked"
AGAIN = "accesses to locals of a block that is entered again are not told from those of before"


@dataclass(frozen=True, slots=True)
class Escapes:
    """Whether the address of a local gets away, and which of such locals die with a block.

    `marked` are those whose death the text shows, `gaps` says what it does not show.
    """

    any: bool = False
    marked: frozenset[str] = frozenset()
    gaps: tuple[str, ...] = ()


def escapes(function: FunctionText, debug: DebugText, keeping: Keeping) -> Escapes:
    """What may outlive its scope in a function."""
    locals_ = _Locals()
    for at, line in enumerate(function.lines):
        locals_.read(at, line)
    way = Way(function.lines, locals_.owners)
    inner = frozenset(slot for slot in locals_.escaped if locals_.is_inner(slot, way, debug))
    marked = inner & locals_.ended
    gaps = {
        BLOCKS: not inner <= locals_.ended,
        CALLS: _outlives_call(function, locals_.escaped, keeping),
        AGAIN: any(_outlives_block(function, slot, way, keeping) for slot in sorted(marked)),
    }
    texts = tuple(text for text, found in gaps.items() if found)
    return Escapes(bool(locals_.escaped), marked, texts)


def confined(native: str) -> bool:
    """Whether the address of no local gets away that dies before its function ends.

    That counts as a local which is declared in an inner block or came with an inlined function, and
    any without a name but those of `alloca`.
    """
    metadata = dict(_NODE.findall(native))
    body: list[str] = []
    for line in native.splitlines():
        body = [] if line.startswith("define ") else [*body, line]
        if line.startswith("}") and _gives_away(body, metadata):
            return False
    return True


def _gives_away(body: Sequence[str], metadata: Mapping[str, str]) -> bool:
    locals_ = _Locals()
    for _ in range(2):  # a register may be used before the line that makes it
        for at, line in enumerate(body):
            locals_.read(at, line)
    lasting = set()
    for line in body:
        if declared := _PLACED.match(line):
            scope = _SCOPE.search(metadata.get(declared[2], ""))
            is_own = "inlinedAt:" not in metadata.get(declared[3], "inlinedAt:")
            if scope and is_own and "!DISubprogram(" in metadata.get(scope[1], ""):
                lasting.add(declared[1])
        elif not locals_.reset and (found := _BY_CALL.match(line)):
            lasting.add(found[1])
    return not locals_.escaped <= lasting


@dataclass
class _Locals:
    """What the lines of a function say of its locals, each named by its register, its slot.

    `owners` are the slots that registers lead into, `variables` the numbers of C variables, `at`
    where slots are made.  `escaped` are those whose address is given away, `ended` those with a
    marked end, `sized` those whose size is only known in a run; these may end at a `reset`.
    """

    owners: dict[str, str] = field(default_factory=dict)
    variables: dict[str, str] = field(default_factory=dict)
    at: dict[str, int] = field(default_factory=dict)
    escaped: set[str] = field(default_factory=set)
    ended: set[str] = field(default_factory=set)
    sized: set[str] = field(default_factory=set)
    reset: bool = False

    def read(self, at: int, line: str) -> None:
        """Learn from the line of that number."""
        if line.startswith("    #dbg"):
            if declared := _DECLARE.match(line):
                self.variables[declared[1]] = declared[2]
        elif " = alloca " in line and (allocated := _ALLOCA.match(line)):
            self.owners[allocated[1]] = allocated[1]
            self.at[allocated[1]] = at
            if _OF_ANY_SIZE.search(line):
                self.sized.add(allocated[1])
        elif (
            " = getelementptr " in line
            and (moved := _OFFSET.match(line))
            and moved[2] in self.owners
        ):
            self.owners[moved[1]] = self.owners[moved[2]]
        else:
            self._use(line)

    def _use(self, line: str) -> None:
        self.reset = self.reset or "@llvm.stackrestore" in line
        marker = read_marker(line)
        if marker and not marker.live:
            self.ended.add(marker.slot)
        self.escaped.update(self.owners[r] for r in _given_away(line) if r in self.owners)

    def is_inner(self, slot: str, way: Way, debug: DebugText) -> bool:
        """Whether a slot dies before its function ends."""
        if slot.startswith(AREA):
            return False
        sized = slot in self.sized
        if sized and slot in self.variables and way.returns(self.at[slot]):
            return True
        return not _lives_on(self.variables.get(slot), sized and not self.reset, debug)


def _outlives_call(function: FunctionText, escaped: Collection[str], keeping: Keeping) -> bool:
    """A pointer into what was passed or returned in memory, or behind `...`, may be left."""
    for place, parameter in enumerate(function.parameters):
        by_value, result = " byval(" in parameter, " sret(" in parameter
        if by_value or result:
            kept = keeping.of_parameter(function, place)
            if kept.stored or (by_value and kept.returned):
                return True
    areas = (slot for slot in sorted(escaped) if slot.startswith(AREA))
    return any(keeping.of_local(function, slot).stored for slot in areas)


def _outlives_block(function: FunctionText, slot: str, way: Way, keeping: Keeping) -> bool:
    """A pointer to an instance of a local may be left when the next one begins."""
    if not way.leads(slot):
        return False
    kept = keeping.of_local(function, slot)
    return kept.stored or kept.merged or any(way.leads(slot, v) for v in kept.variables)


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
        return REGISTER.findall(value) if address else []
    if " byval(" in line or " sret(" in line:
        line = _BY_VALUE.sub("", line)
    return REGISTER.findall(line)


class Way:
    """Where control goes from the lines of a function."""

    def __init__(self, lines: Sequence[str], owners: Mapping[str, str]) -> None:
        self._lines = lines
        self._owners = owners

    def returns(self, start: int) -> bool:
        """Control may come from a line back to it."""
        return any(at == start for at in self._from([start], {}))

    def leads(self, slot: str, variable: str = "") -> bool:
        """Control may come from the end of a slot's life to its next beginning.

        With a variable, it may also come from there to a use of its value before the variable gets
        a new one.
        """
        renewed = dict.fromkeys(self._markers.get((variable, True), []))
        renewed |= dict.fromkeys(self._assigned.get(variable, ()))
        ends, begins = self._markers.get((slot, False), []), self._markers.get((slot, True), [])
        again = [at for at in self._from(ends, renewed) if at in begins and at not in renewed]
        if not variable:
            return bool(again)
        uses = self._uses[variable].difference(renewed)
        return any(at in uses for at in self._from(again, renewed))

    def _from(self, starts: Sequence[int], stops: Collection[int]) -> Iterator[int]:
        """The lines to which control may come from these, but not through `stops`."""
        seen: set[int] = set()
        pending = [after for at in starts for after in self._after(at)]
        while pending:
            at = pending.pop()
            if at not in seen:
                seen.add(at)
                yield at
                pending += () if at in stops else self._after(at)

    def _after(self, at: int) -> Sequence[int]:
        line = self._lines[at]
        if line.startswith(("  ret ", "  unreachable")):
            return ()
        if line.startswith("  br "):
            return [self._labels[name] for name in TARGET.findall(line)]
        if line.startswith("  switch "):
            end = next(k for k in range(at, len(self._lines)) if "]" in self._lines[k])
            text = " ".join(self._lines[at : end + 1])
            return [self._labels[name] for name in TARGET.findall(text)]
        return [at + 1] if at + 1 < len(self._lines) else ()

    @cached_property
    def _uses(self) -> Mapping[str, frozenset[int]]:
        """The lines that name each slot or a place in it, but for markers."""
        found: dict[str, set[int]] = {slot: set() for slot in self._owners.values()}
        for at, line in enumerate(self._lines):
            if "@llvm.lifetime." not in line and not line.startswith("    #dbg"):
                for register in REGISTER.findall(line):
                    if register in self._owners:
                        found[self._owners[register]].add(at)
        return {slot: frozenset(lines) for slot, lines in found.items()}

    @cached_property
    def _assigned(self) -> Mapping[str, list[int]]:
        """The lines that give each slot, a pointer, a value."""
        pointers = {f[1] for line in self._lines if (f := _POINTER.match(line))}
        found: dict[str, list[int]] = {}
        for at, line in enumerate(self._lines):
            assigned = _ASSIGNED.match(line)
            if assigned is not None and assigned[1] in pointers:
                found.setdefault(assigned[1], []).append(at)
        return found

    @cached_property
    def _labels(self) -> dict[str, int]:
        found = ((LABEL.match(line), at) for at, line in enumerate(self._lines))
        return {label[1]: at for label, at in found if label}

    @cached_property
    def _markers(self) -> dict[tuple[str, bool], list[int]]:
        found: dict[tuple[str, bool], list[int]] = {}
        for at, line in enumerate(self._lines):
            marker = read_marker(line)
            if marker is not None:
                found.setdefault((marker.slot, marker.live), []).append(at)
        return found


def scoped(line: str, slots: frozenset[str]) -> list[str]:
    """A marker of a slot's life; the object lives before its first value and after its last use."""
    marker = read_marker(line)
    if marker is None or marker.slot not in slots:
        return [line]
    told = f"  call void @sea.scope(ptr {marker.slot}, i1 {str(marker.live).lower()}){marker.debug}"
    return [told, line] if marker.live else [line, told]
