"""Where the result may depend on an order of evaluation that C leaves open (C17, 6.5p3).

Operands, arguments and both sides of an assignment may be evaluated in any order.  In the text that
clang gives they are values that meet in one instruction.  Where one of them comes from a call that
writes what another reads or writes, the ledger says that clang's order is assumed.  Memory is told
apart by global, and by the type of an access through a pointer.  Elements of initializers are not
looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from itertools import combinations

from seahorn_py.base.patterns import pattern
from seahorn_py.base.records import dataclass
from seahorn_py.frontend.library.contracts import Source, names_of
from seahorn_py.frontend.llvmtext.debugtext import DebugText
from seahorn_py.frontend.llvmtext.lines import leading_type, read_call
from seahorn_py.frontend.llvmtext.module import FunctionText, ModuleText
from seahorn_py.frontend.llvmtext.tokens import NAME

_RESULT = pattern(rf"  (%{NAME}) = (\w+) ")
_LOAD = pattern(rf"  %{NAME} = load (?:atomic )?(?:volatile )?(.*)")
_STORE = pattern(r"  store (?:atomic )?(?:volatile )?(.*)")
_POINTER = pattern(rf"ptr (?:align \d+ )?(?:(%{NAME})|[^@%]*@({NAME}))")
_OFFSET = pattern(rf"  (%{NAME}) = getelementptr [^%@]*(?:%{NAME}, )?ptr (%{NAME}|@{NAME})")
_REGISTER = pattern(rf"%{NAME}")
_COPY = pattern(r"@llvm\.mem(?:cpy|move|set)\.")
_REPLACED = pattern(r" = (?:atomicrmw|cmpxchg) ")
_ANYTHING = "*"
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class _Effect:
    """What is read and written: names of globals, types of accesses through pointers."""

    reads: frozenset[str] = frozenset()
    writes: frozenset[str] = frozenset()

    def __or__(self, other: _Effect) -> _Effect:
        return _Effect(self.reads | other.reads, self.writes | other.writes)

    def disturbs(self, other: _Effect) -> bool:
        """Whether it matters which of the two is first."""
        return _meet(self.writes, other.reads | other.writes) or _meet(other.writes, self.reads)


def _meet(some: frozenset[str], others: frozenset[str]) -> bool:
    if not some or not others:
        return False
    return _ANYTHING in some or _ANYTHING in others or not some.isdisjoint(others)


_NOTHING = _Effect()
_Event = tuple[int, str, _Effect]
"""A line, what it calls if it does, and what it reads itself."""


class Sequencing:
    """Looks at the functions of one module."""

    def __init__(self, module: ModuleText, debug: DebugText) -> None:
        self._module = module
        self._debug = debug
        self._places: dict[str, None] = {}

    @property
    def assumption(self) -> str:
        """What the ledger says of the functions looked at, "" if the order never matters."""
        shown = ", ".join(list(self._places)[:_SHOWN])
        more = ", ..." if len(self._places) > _SHOWN else ""
        text = "operands that disturb each other are evaluated in the order of clang"
        return f"{text}: {shown}{more}" if shown else ""

    def read(self, function: FunctionText) -> None:
        """Note where values meet in a function that came from calls which disturb each other."""
        for at, pairs in self.meetings(function):
            if next(pairs, None):
                self.note(function.lines[at])

    def note(self, line: str) -> None:
        """The order matters at a line, and clang's is assumed."""
        self._places[self._debug.place(line) or "?"] = None

    def meetings(self, function: FunctionText) -> Iterator[tuple[int, Iterator[tuple[int, int]]]]:
        """The lines where values meet, each with the pairs of lines which disturb each other."""
        known: dict[str, frozenset[_Event]] = {}
        roots = _Roots(function)
        for at, line in enumerate(function.lines):
            event = self._event(at, line, roots)
            if not known and event is None:
                continue
            found = _RESULT.match(line)
            operands = [known[r] for r in _operands(line, found) if r in known]
            if len(operands) > 1 and " = phi " not in line:
                yield at, self._pairs(operands)
            if found is not None:
                own = frozenset({event}) if event is not None else frozenset()
                events = own.union(*operands)
                if events:
                    known[found[1]] = events

    def _event(self, at: int, line: str, roots: _Roots) -> _Event | None:
        if " = load " in line:
            read = _access(_LOAD.match(line), roots)
            return (at, "", _Effect(reads=frozenset({read}))) if read else None
        if " call " not in line:
            return None
        call = read_call(line)
        if call is None:
            return (at, _ANYTHING, _Effect(writes=frozenset({_ANYTHING})))
        return (at, call.callee, _NOTHING) if call.callee[:5] != "llvm." else None

    def _pairs(self, operands: list[frozenset[_Event]]) -> Iterator[tuple[int, int]]:
        for left, right in combinations(operands, 2):
            for a in left - right:
                yield from ((a[0], b[0]) for b in right - left if self._disturb(a, b))

    def _disturb(self, left: _Event, right: _Event) -> bool:
        if not (left[1] or right[1]):
            return False
        return self._effect_of(left).disturbs(self._effect_of(right))

    def _effect_of(self, event: _Event) -> _Effect:
        return event[2] | self._effects.get(event[1], _NOTHING)

    @cached_property
    def _effects(self) -> Mapping[str, _Effect]:
        """What each function of the module does, with the functions that it calls."""
        silent = names_of(Source.HEAP)
        functions = {n: f for n, f in self._module.functions.items() if n not in silent}
        effects = {name: _own_effect(f) for name, f in functions.items()}
        callees = {name: frozenset(_callees(f)) & functions.keys() for name, f in functions.items()}
        callers: dict[str, set[str]] = {}
        for name, called in callees.items():
            for callee in called:
                callers.setdefault(callee, set()).add(name)
        waiting = list(effects)
        while waiting:
            name = waiting.pop()
            for caller in callers.get(name, ()):
                grown = effects[caller] | effects[name]
                if grown != effects[caller]:
                    effects[caller] = grown
                    waiting.append(caller)
        return effects


class _Roots:
    """The objects that the pointers of a function lead to: its locals, globals, or unknown ones."""

    def __init__(self, function: FunctionText) -> None:
        self._roots: dict[str, str] = {}
        self._escaping: set[str] = set()
        for line in function.lines:
            if " = alloca " in line:
                register = line[2 : line.index(" ", 2)]
                self._roots[register] = register
            elif " = getelementptr " in line:
                moved = _OFFSET.match(line)
                if moved:
                    self._roots[moved[1]] = self._roots.get(moved[2], moved[2])
            elif "  store ptr %" in line or " call " in line:
                self._escaping.update(self._given(line))

    def _given(self, line: str) -> Iterator[str]:
        """The locals whose address a line hands out."""
        if "@llvm.lifetime." not in line and not _COPY.search(line):
            handed = line.rpartition(", ptr ")[0] if line.startswith("  store") else line
            yield from (self._roots.get(r, r) for r in _REGISTER.findall(handed))

    def memory(self, pointer: re.Match[str] | None, kind: str) -> str:
        """What an access of that type touches; "" if nobody else can."""
        if pointer is None:
            return kind
        root = self._roots.get(pointer[1], pointer[1]) if pointer[1] else f"@{pointer[2]}"
        is_local = root in self._roots and root[:1] == "%"
        return "" if is_local and root not in self._escaping else root if root[0] == "@" else kind


def _operands(line: str, found: re.Match[str] | None) -> Iterable[str]:
    return dict.fromkeys(_REGISTER.findall(line, found.end() if found else 0))


def _access(found: re.Match[str] | None, roots: _Roots) -> str:
    """What a load touches, "" if nothing that others can change."""
    if found is None:
        return ""
    kind = leading_type(found[1])[0]
    return roots.memory(_POINTER.search(found[1], len(kind)), kind)


def _stored(line: str, roots: _Roots) -> str:
    found = _STORE.match(line)
    if found is None:
        return ""
    kind = leading_type(found[1])[0]
    return roots.memory(_POINTER.search(found[1], found[1].rindex(", ptr ")), kind)


def _own_effect(function: FunctionText) -> _Effect:
    """What the lines of a function do, without those of the functions that it calls."""
    reads: set[str] = set()
    writes: set[str] = set()
    roots = _Roots(function)
    for line in function.lines:
        if " = load " in line:
            reads.add(_access(_LOAD.match(line), roots))
        elif line.startswith("  store "):
            writes.add(_stored(line, roots))
        elif _COPY.search(line):
            copied = [roots.memory(p, _ANYTHING) for p in _POINTER.finditer(line)]
            writes.update(copied[:1])
            reads.update(copied[1:])
        elif _REPLACED.search(line) or (" call " in line and read_call(line) is None):
            writes.add(_ANYTHING)
    return _Effect(frozenset(reads - {""}), frozenset(writes - {""}))


def _callees(function: FunctionText) -> Iterator[str]:
    for line in function.lines:
        call = read_call(line) if " call " in line else None
        if call is not None:
            yield call.callee
