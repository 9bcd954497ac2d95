"""Whether a function keeps a pointer to an object, so that it may be left after the object's life.

This is a flow analysis of the text of one function that ignores the order of instructions.  A value
leads to the object in one step (it points to the object), in two (it points to a variable that
points to the object), or in more.  A pointer that is stored to a variable of the function, or in
place of another pointer to the object, stays there.  A pointer that is stored elsewhere is kept.
For a call the same question is asked of the parameter of the called function; a call through a
pointer keeps all its arguments.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field

from seahorn_py.base.patterns import pattern
from seahorn_py.base.records import dataclass
from seahorn_py.frontend.llvmtext.lines import REGISTER, CallText, read_call
from seahorn_py.frontend.llvmtext.module import FunctionText, ModuleText
from seahorn_py.frontend.llvmtext.tokens import NAME

_RESULT = pattern(rf"  (%{NAME}) = (\w+) ")
_LOADED = pattern(rf" = load (?:atomic )?(?:volatile )?.*, ptr (%{NAME})")
_STORED = pattern(rf"  store (?:atomic )?(?:volatile )?(.*), ptr (%{NAME}|@{NAME})")
_COPIES = ("llvm.memcpy.", "llvm.memmove.")

DIRECT, INDIRECT, DEEP = 1, 2, 3
"""How a value leads to the object: in one step, in two, in any number."""

Ways = frozenset[int]
_NONE: Ways = frozenset()
_BEHIND = {INDIRECT: frozenset({DIRECT}), DEEP: frozenset({DIRECT, INDIRECT, DEEP})}
"""Way of a value -> the ways of a value that is read through it."""


@dataclass(frozen=True, slots=True)
class Kept:
    """Where pointers to an object go in a function.

    `stored`: one is put where it may outlive the function.  `returned`: the ways in which the
    result leads to the object.  `variables`: the locals that one is put into.  `merged`: one goes
    through a phi.
    """

    stored: bool = False
    returned: Ways = _NONE
    variables: frozenset[str] = frozenset()
    merged: bool = False


@dataclass
class Keeping:
    """Answers for the functions of a module."""

    module: ModuleText
    _known: dict[tuple[str, int, int], Kept] = field(default_factory=dict)
    _asked: set[tuple[str, int, int]] = field(default_factory=set)

    def of_local(self, function: FunctionText, slot: str) -> Kept:
        """Where pointers to a local go, which is named by its register."""
        return self._stable(lambda: _Flow(function, self, {slot: frozenset({DIRECT})}).result())

    def of_parameter(self, function: FunctionText, place: int) -> Kept:
        """Where a parameter goes that points to an object."""
        return self._stable(lambda: self.asked(function, place, DIRECT))

    def _stable(self, ask: Callable[[], Kept]) -> Kept:
        """The answer once nothing that is known of called functions changes any more."""
        while True:
            before = dict(self._known)
            self._asked.clear()
            found = ask()
            if self._known == before:
                return found

    def asked(self, function: FunctionText, place: int, way: int) -> Kept:
        """What is known of a parameter so far; each parameter is looked at once a round."""
        key = function.name, place, way
        if key not in self._asked:
            self._asked.add(key)
            register = _register(function.parameters, place)
            flow = _Flow(function, self, {register: frozenset({way})} if register else {})
            self._known[key] = flow.result()
        return self._known.get(key, Kept())


def _register(parameters: tuple[str, ...], place: int) -> str:
    found = REGISTER.findall(parameters[place]) if place < len(parameters) else []
    return found[-1] if found else ""


class _Flow:
    """Registers and variables of one function, with the ways in which they lead to the object."""

    def __init__(
        self, function: FunctionText, keeping: Keeping, values: Mapping[str, Ways]
    ) -> None:
        self._function = function
        self._keeping = keeping
        self._values: dict[str, Ways] = defaultdict(frozenset, values)
        self._contents: dict[str, Ways] = defaultdict(frozenset)
        self._owners: dict[str, str] = {}
        self._stored = False
        self._returned: Ways = _NONE
        self._merged = False
        self._size = -1

    def result(self) -> Kept:
        """Follow the values until nothing changes."""
        while self._size != (size := self._count()):
            self._size = size
            for line in self._function.lines:
                self._line(line)
        variables = frozenset(slot for slot, ways in self._contents.items() if ways)
        return Kept(self._stored, self._returned, variables, self._merged)

    def _count(self) -> int:
        ways = sum(map(len, (*self._values.values(), *self._contents.values(), self._returned)))
        return ways + self._stored + len(self._owners)

    def _ways(self, register: str) -> Ways:
        """The ways of a register; the address of a variable leads where its contents do."""
        held = self._contents.get(self._owners.get(register, ""), _NONE)
        own = self._values.get(register, _NONE)
        return own | {INDIRECT if held == {DIRECT} else DEEP} if held else own

    def _add(self, register: str, ways: Ways) -> None:
        if ways:
            self._values[register] |= ways

    def _line(self, line: str) -> None:
        if " call " in line:
            self._call(line)
            return
        if line.startswith("  store "):
            self._store(line)
            return
        if line.startswith("  ret "):
            self._returned |= self._all(REGISTER.findall(line))
            return
        found = _RESULT.match(line)
        if found is None:
            return
        result, operation = found[1], found[2]
        rest = line[found.end() :]
        match operation:
            case "alloca":
                self._owners[result] = result
            case "load":
                self._load(line, result)
            case "icmp" | "fcmp":
                pass
            case "atomicrmw" | "cmpxchg":
                self._stored |= bool(self._all(REGISTER.findall(rest)))
            case _:
                self._compute(operation, result, REGISTER.findall(rest))

    def _compute(self, operation: str, result: str, operands: list[str]) -> None:
        owner = next((self._owners[o] for o in operands if o in self._owners), None)
        if operation == "getelementptr" and owner is not None:
            self._owners[result] = owner
        ways = self._all(operands)
        self._merged |= operation == "phi" and bool(ways)
        self._add(result, ways)

    def _all(self, registers: Iterable[str]) -> Ways:
        return frozenset(way for register in registers for way in self._ways(register))

    def _load(self, line: str, result: str) -> None:
        found = _LOADED.search(line)
        if found is not None:
            self._add(result, self._read(found[1]))

    def _read(self, address: str) -> Ways:
        """The ways of a value that is read from an address."""
        owner = self._owners.get(address)
        if owner is not None:
            return self._contents.get(owner, _NONE)
        ways = self._ways(address)
        return frozenset(behind for way in ways for behind in _BEHIND.get(way, _NONE))

    def _store(self, line: str) -> None:
        found = _STORED.match(line)
        if found is None:
            self._stored |= bool(self._all(REGISTER.findall(line)))
        else:
            self._put(self._all(REGISTER.findall(found[1])), found[2])

    def _put(self, ways: Ways, address: str) -> None:
        """Note that a value with these ways is stored to an address."""
        if not ways:
            return
        owner = self._owners.get(address)
        if owner is not None:
            self._contents[owner] |= ways
        elif ways != {DIRECT} or self._ways(address) != {INDIRECT}:
            self._stored = True

    def _call(self, line: str) -> None:
        call = read_call(line)
        if call is None:
            self._stored |= bool(self._all(REGISTER.findall(line.partition(" call ")[2])))
        elif call.callee.startswith(_COPIES):
            self._copy(call)
        else:
            function = self._keeping.module.functions.get(call.callee)
            if function is not None:
                for place, argument in enumerate(call.arguments):
                    self._pass(call, function, place, self._all(REGISTER.findall(argument)[-1:]))

    def _copy(self, call: CallText) -> None:
        target, source = (REGISTER.findall(a)[-1:] for a in call.arguments[:2])
        self._put(self._read(source[0]) if source else _NONE, target[0] if target else "")

    def _pass(self, call: CallText, function: FunctionText, place: int, ways: Ways) -> None:
        if place >= len(function.parameters) or function.parameters[place] == "...":
            self._stored |= bool(ways)
            return
        for way in ways:
            kept = self._keeping.asked(function, place, way)
            self._stored |= kept.stored
            if call.result is not None:
                self._add(call.result, kept.returned)
