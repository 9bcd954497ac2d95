"""What the instructions of a thread touch that others may reach, and which of them may not go on.

A base is the name of a global, `ANY` (memory that is reached by pointers that leave their function:
the heap, locals and globals whose address is taken), `LIVE` (which blocks are live), or the end of
a thread.  Locals whose address stays in registers have none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

from seahorn_py.base.records import dataclass
from seahorn_py.frontend.llvmtext.lines import REGISTER, CallText, argument, read_call, references
from seahorn_py.frontend.llvmtext.tokens import NAME, split_top
from seahorn_py.frontend.lowering.events import primitives

MAKE = "sea.product.make."
"""Begins the name of a function whose call makes a thread, with the number of its place."""

ANY = "any"
LIVE = "live"
SOME_END = "end"

_DEFINED = re.compile(rf"  (%{NAME}) = (\w+)")
_LOAD = re.compile(rf"  %{NAME} = load (?:atomic )?(?:volatile )?")
_STORE = re.compile(r"  store (?:atomic )?(?:volatile )?")
_CHANGE = re.compile(
    rf"  %{NAME} = (?:atomicrmw (?:volatile )?\w+ |cmpxchg (?:weak )?(?:volatile )?)"
)
_SCOPE = re.compile(r' syncscope\("[^"]*"\)')
ORDER = re.compile(r" (unordered|monotonic|acquire|release|acq_rel|seq_cst)\b")
_ADDRESS = re.compile(rf"  (%{NAME}) = getelementptr (?:\w+ )*?.+?, ptr (?P<place>[%@]\S+?),")
_OF_CONSTANT = re.compile(rf"getelementptr .*?\(.*?ptr @({NAME})")
_BLOCKS = re.compile(
    r"  call void @(?:sea\.(?:assume|defined|check)\(i1 (?!true\b)|sea\.stop\(|__sea_thread_wait\()"
)
_MOVES = re.compile(r"llvm\.mem(?:cpy|move|set)\.")
_HARMLESS = re.compile(r"(?:sea\.(?:input|check|assume|defined|stop|called)\b|llvm\.(?!mem|stack))")
_LOOKING = ("sea.valid.", "sea.product.touch.")
_FREED = frozenset({"free", "realloc", "sea.reuse"})
_GIVES = frozenset({"malloc", "calloc", "aligned_alloc"})


@dataclass(frozen=True, slots=True)
class Access:
    """What an instruction touches: the base, the pointer and the type as they are written.

    `order` is that of an atomic instruction, "" for others; `is_plain` tells an access of memory
    by the program itself, which may race.
    """

    base: str
    writes: bool
    pointer: str = ""
    type: str = ""
    order: str = ""
    is_plain: bool = False


@dataclass(frozen=True)
class Called:
    """The functions that are not inlined: those that touch nothing shared, and those that do.

    Of the first, `endless` has those of which a call may have no end, or end the run.
    """

    own: frozenset[str] = frozenset()
    endless: frozenset[str] = frozenset()
    others: frozenset[str] = frozenset()


class Touched:
    """What the lines of one function touch, which calls functions that are not inlined."""

    def __init__(self, lines: Iterable[str], called: Called) -> None:
        self._lines = [line for line in lines if not line.startswith("    #")]
        self._called = called
        self._own = called.own
        self._defined = {m[1]: line for line in self._lines if (m := _DEFINED.match(line))}

    def accesses(self, line: str) -> Iterator[Access]:
        """What the line touches, without what only this thread can reach."""
        for access in _accesses(line, self._own):
            if access.base.startswith(SOME_END) and self._is_waited_for(line):
                continue
            if access.base:
                yield access
                continue
            if " @sea.havoc(" in line and self._is_fresh(access.pointer):
                continue
            for base in self._bases(access.pointer, frozenset()):
                yield Access(base, access.writes, access.pointer, access.type, access.order, True)

    def _is_fresh(self, pointer: str) -> bool:
        """Whether a pointer is that of a block that was just made, which nobody else knows."""
        line = self._defined.get(pointer, "")
        call = read_call(line) if " call " in line else None
        return call is not None and call.callee in _GIVES

    def _is_waited_for(self, line: str) -> bool:
        """Whether an end is only waited for, so that nothing sees that it has not come yet."""
        found = _DEFINED.match(line)
        uses = self._uses.get(found[1], []) if found else []
        return all(f" @{primitives.WAIT}(" in use for use in uses)

    @cached_property
    def _uses(self) -> dict[str, list[str]]:
        uses: dict[str, list[str]] = {}
        for line in self._lines:
            for name in REGISTER.findall(line.partition(" = ")[2] or line):
                uses.setdefault(name, []).append(line)
        return uses

    def may_block(self, line: str) -> bool:
        """Whether the run may end, wait or stay there without an error."""
        return _BLOCKS.match(line) is not None or self._calls_one_of(line, self._called.endless)

    def may_touch_anything(self, line: str) -> bool:
        """Whether the line calls through a pointer, or what touches shared memory."""
        is_unknown = " call " in line and read_call(line) is None
        return is_unknown or self._calls_one_of(line, self._called.others)

    def _calls_one_of(self, line: str, names: frozenset[str]) -> bool:
        call = read_call(line) if names and " call " in line else None
        return call is not None and call.callee in names

    @cached_property
    def escaped(self) -> frozenset[str]:
        """Globals and registers whose addresses this function hands on."""
        found: set[str] = set()
        for line in self._lines:
            for pointer in _handed_on(line, self._own):
                found.update(self._roots(pointer, frozenset()))
        return frozenset(found)

    def _bases(self, pointer: str, seen: frozenset[str]) -> frozenset[str]:
        found: set[str] = set()
        for root in self._roots(pointer, seen):
            if root.startswith("@"):
                found.add(root)
            elif not self._is_local(root) or root in self.escaped:
                found.add(ANY)
        return frozenset(found)

    def _is_local(self, register: str) -> bool:
        return " = alloca " in self._defined.get(register, "")

    def _roots(self, pointer: str, seen: frozenset[str]) -> frozenset[str]:
        """The globals, allocas and other registers that a pointer is derived from."""
        if pointer.startswith("@"):
            return frozenset({pointer})
        if not pointer.startswith("%"):
            return frozenset(f"@{name}" for name in references(pointer))
        if pointer in seen:
            return frozenset()
        line = self._defined.get(pointer, "")
        kind = found[2] if (found := _DEFINED.match(line)) else ""
        if kind == "getelementptr":
            return self._of_address(line, seen | {pointer})
        if kind in ("phi", "select") or (kind == "bitcast" and " to ptr" in line):
            seen = seen | {pointer}
            operands = _operands(line)
            return frozenset(root for each in operands for root in self._roots(each, seen))
        return frozenset({pointer})

    def _of_address(self, line: str, seen: frozenset[str]) -> frozenset[str]:
        found = _ADDRESS.match(line)
        if found is not None:
            return self._roots(found["place"], seen)
        return frozenset(f"@{name}" for name in references(line)) or frozenset({ANY})


def overlap(one: str, other: str, escaped: frozenset[str]) -> bool:
    """Whether two bases may be the same memory."""
    if one == other:
        return True
    if ANY in (one, other):
        return (one if other == ANY else other) in escaped
    return SOME_END in (one, other) and one.startswith(SOME_END) and other.startswith(SOME_END)


def conflict(one: Access, other: Access, escaped: frozenset[str]) -> bool:
    """Whether the order of two accesses of different threads matters."""
    return (one.writes or other.writes) and overlap(one.base, other.base, escaped)


def end_of(number: int | str) -> str:
    """The base of the end of a thread."""
    return f"{SOME_END} {number}"


def _accesses(line: str, own: frozenset[str]) -> Iterator[Access]:
    """Accesses whose base is "" where it is that of the pointer."""
    parts = _parts(line)
    if parts is not None:
        writes, kind, place, order = parts
        yield Access("", writes, place, kind, order)
    elif " call " in line:
        yield from _of_call(line, own)


def _parts(line: str) -> tuple[bool, str, str, str] | None:
    """Whether an access writes, its type, pointer and order; None for another instruction."""
    for pattern, at in ((_LOAD, 1), (_STORE, 1), (_CHANGE, 0)):
        found = pattern.match(line)
        if found is not None:
            operands = split_top(line[found.end() :])
            pointer = operands[at].removeprefix("ptr ")
            orders = sorted(ORDER.findall(" ".join(operands[1:3])))  # the strongest comes last
            value = operands[1 - at]
            kind = value if pattern is _LOAD else argument(ORDER.sub("", value))[0]
            place = ORDER.sub("", _SCOPE.sub("", pointer)) if at else pointer
            return pattern is not _LOAD, kind, place, orders[0] if orders else ""
    return None


def _of_call(line: str, own: frozenset[str]) -> Iterator[Access]:
    call = read_call(line)
    if call is None:
        yield Access(ANY, True)
        return
    name = call.callee
    pointers = [argument(text)[1] for text in call.arguments if text.startswith("ptr ")]
    if _MOVES.match(name) or name == "sea.havoc":
        for k, pointer in enumerate(pointers):
            yield Access("", k == 0, pointer, _bytes(call))
    elif name.startswith("sea.valid.") or name == "sea.scope":
        yield Access(LIVE, name == "sea.scope", pointers[0] if pointers else "")
    elif name == primitives.ENDED:
        value = argument(call.arguments[0])[1]
        yield Access(end_of(value) if value.isdigit() else SOME_END, False)
    elif name in _FREED:
        yield Access(LIVE, True)
        yield Access(ANY, True, pointers[0] if pointers else "", "block")
    elif name.startswith("sea.product.") or name in primitives.PRIMITIVES or name in own:
        return
    elif not is_harmless(name):
        yield Access(ANY, True)


def _bytes(call: CallText) -> str:
    """The type of what a call moves, fills or makes arbitrary; `bytes` if only a run tells."""
    size = argument(call.arguments[1 if call.callee == "sea.havoc" else 2])[1]
    return f"[{size} x i8]" if size.isdigit() else "bytes"


def is_harmless(name: str) -> bool:
    """Whether a function that is no part of the program touches no memory."""
    return name in _GIVES or _HARMLESS.match(name) is not None


def _operands(line: str) -> Iterator[str]:
    """The pointers of a phi or select."""
    right = line.partition(" = ")[2].partition(", !dbg")[0]
    if right.startswith("phi"):
        for part in re.findall(r"\[ (.*?), %\S+ \]", right):
            yield part
        return
    for part in re.findall(r"ptr ([%@]\S+?)(?=,| |$)", right):
        yield part


def _handed_on(line: str, own: frozenset[str]) -> Iterator[str]:
    """The pointers in a line that are used otherwise than to access what they lead to."""
    body = line.partition(", !dbg")[0]
    if " = load " in body or " = getelementptr " in body or " = icmp " in body:
        return
    if _parts(line) is not None:
        value = split_top(body[body.index("ptr ") :] if " = " in body else body[8:])
        body = value[0] if body.startswith("  store ") else ", ".join(value[1:])
    elif " call " in body and (call := read_call(line)) is not None:
        name = call.callee
        is_quiet = _MOVES.match(name) or is_harmless(name) or name.startswith(_LOOKING)
        if is_quiet and call.type != "ptr":
            return
        body = ", ".join(call.arguments)
    elif " = phi " in body or " = select " in body or " = alloca " in body:
        return
    right = body.partition(" = ")[2] or body
    yield from REGISTER.findall(right)
    yield from (f"@{name}" for name in references(right))


def globals_escaping(values: Mapping[str, str]) -> frozenset[str]:
    """Globals whose addresses are in the initial values of others."""
    return frozenset(f"@{name}" for body in values.values() for name in references(body))
