"""What matters to the checks of a program that is loosened: values, branches, functions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from enum import Enum

from seahorn_py.base.errors import Span
from seahorn_py.ir.graph import loop_heads
from seahorn_py.ir.program import (
    Alloca,
    Binary,
    Bind,
    Bits,
    Block,
    Branch,
    Call,
    Cast,
    Compare,
    Fail,
    FloatOp,
    Function,
    Havoc,
    Lifetime,
    Load,
    MemoryCopy,
    MemorySet,
    Offset,
    Operand,
    Overflow,
    Phi,
    Program,
    RegionHavoc,
    RegionLoad,
    Register,
    Return,
    Select,
    Statement,
    Stop,
    Store,
    Valid,
)
from seahorn_py.ir.traverse import results, targets, uses
from seahorn_py.passes.environment import ALLOCATION
from seahorn_py.passes.slicing.cannot_fail import failing_functions
from seahorn_py.passes.slicing.dependence import Dependence, dependence

Value = tuple[str, Register]

_COMPUTING = (Binary, Bits, Cast, Compare, FloatOp, Offset, Overflow)
"""What is computed of an arbitrary value is taken to be arbitrary, too."""

_MEMORY = (Alloca, Havoc, Lifetime, Load, MemoryCopy, MemorySet, Store, Valid)


class Following(Enum):
    """Which values are followed; others are open, that is, arbitrary.

    EVENTS: inputs, what is close, states that are constants, and what is computed of these.
    NUMBERS: what loops compute as well.  EVERYTHING: memory, too.
    """

    EVENTS = "events"
    NUMBERS = "numbers"
    EVERYTHING = "everything"


def is_in_form(program: Program, following: Following) -> bool:
    """Whether calls are of the program's functions, and memory is in regions.

    Allocations are known where their results are open: what a call leaves out may be used again.
    """
    allocates = frozenset[str]() if following is Following.EVERYTHING else ALLOCATION
    known = program.functions.keys() | allocates
    return not any(
        isinstance(s, _MEMORY) or (isinstance(s, Call) and s.callee not in known)
        for f in program.functions.values()
        for b in f.blocks
        for s in b.statements
    )


class Marks:
    """What matters, found from the checks backwards."""

    def __init__(
        self, program: Program, is_watcher: Callable[[Span | None], bool], following: Following
    ) -> None:
        self._program = program
        self._is_watcher = is_watcher
        self._following = following
        self._failing = failing_functions(program)
        self._blocks = {n: {b.label: b for b in f.blocks} for n, f in program.functions.items()}
        self._made = {n: dict(_definitions(f)) for n, f in program.functions.items()}
        self._heads = {n: frozenset(loop_heads(f)) for n, f in program.functions.items()}
        self._sites: dict[str, list[tuple[str, str, Call]]] = {n: [] for n in program.functions}
        for name, function in program.functions.items():
            for block in function.blocks:
                for statement in block.statements:
                    if isinstance(statement, Call) and statement.callee in self._sites:
                        self._sites[str(statement.callee)].append((name, block.label, statement))
        self._pending: list[tuple[str, str | Register]] = []
        self._passed: set[tuple[str, str]] = set()
        self._left_out: dict[str, frozenset[str]] = {}
        self._close: frozenset[Value] | None = None
        self._open: dict[Value, bool] = {}
        self.dependences: dict[str, Dependence] = {}
        self.kept: dict[str, None] = {}
        self.needed: dict[str, set[Register]] = {name: set() for name in program.functions}
        self.branches: dict[str, set[str]] = {name: set() for name in program.functions}

    # ---------------------------------------------------------------------------------- questions

    def left_out(self, name: str) -> frozenset[str]:
        """Blocks in which runs end whose reason is not followed: such runs go on."""
        return self._left_out[name]

    def is_open(self, name: str, register: Register) -> bool:
        """Whether a value becomes an arbitrary one where it is needed."""
        known = self._open.get((name, register))
        if known is None:
            self._open[name, register] = False  # around a loop
            known = self._open[name, register] = self._opens(name, register)
        return known

    def _opens(self, name: str, register: Register) -> bool:
        if self._following is Following.EVERYTHING or register not in self._made[name]:
            return False
        label, made = self._made[name][register]
        is_allocation = isinstance(made, Call) and made.callee in ALLOCATION
        if isinstance(made, RegionLoad | RegionHavoc) or is_allocation:
            return True
        if self._close is None or (name, register) in self._close:
            return False
        if isinstance(made, Phi):
            if self._following is not Following.EVENTS or self._is_flag(name, made):
                return False
            given = (r for _, value in made.incoming for r in _registers(value))
            return label in self._heads[name] or self._is_any_open(name, given)
        return isinstance(made, _COMPUTING) and self._is_any_open(name, uses(made))

    def _is_flag(self, name: str, phi: Phi) -> bool:
        """Whether a value is one of the constants that the program chooses from: a state."""
        pending: list[Operand] = [phi.result]
        seen: set[Operand] = set()
        while pending:
            value = pending.pop()
            if value in seen or not isinstance(value, Register):
                continue
            seen.add(value)
            match self._made[name].get(value):
                case (_, Phi(incoming=incoming)):
                    pending += (one for _, one in incoming)
                case (_, Select(then=then, otherwise=otherwise)):
                    pending += (then, otherwise)
                case (_, Cast(value=inner)):
                    pending.append(inner)
                case _:
                    return False
        return True

    def _is_any_open(self, name: str, registers: Iterable[Register]) -> bool:
        return any(self.is_open(name, register) for register in registers)

    def is_kept(self, name: str, call: Call) -> bool:
        """Whether a call stays."""
        return call.callee in self._failing or not self.needed[name].isdisjoint(call.results)

    # ------------------------------------------------------------------------------------ marking

    def mark(self) -> None:
        """Follow everything that matters back to where it comes from."""
        self._close = self._closure(self._watched())
        self._open.clear()
        for name, function in self._program.functions.items():
            self._left_out[name] = self._ends(function)
            self.dependences[name] = dependence(function, self._left_out[name])
        for name in (self._program.entry, *self._failing):
            self._keep(name)
        while self._pending:
            name, item = self._pending.pop()
            if isinstance(item, Register):
                self._value(name, item)
            else:
                self._block(name, item)

    def _watched(self) -> Iterator[Value]:
        """What the code of the watcher asks, and what its variables hold."""
        for name, function in self._program.functions.items():
            for block in function.blocks:
                end = block.terminator
                if isinstance(end, Branch) and self._is_watcher(end.origin.span):
                    yield from ((name, register) for register in uses(end))
                for bound in block.statements:
                    if isinstance(bound, Bind) and self._is_watcher(bound.variable.span):
                        yield from ((name, r) for r in _registers(bound.value))

    def _keep(self, name: str) -> None:
        if name in self.kept:
            return
        self.kept[name] = None
        for block in self._program.functions[name].blocks:
            end = block.terminator
            calls_failing = any(c.callee in self._failing for c in _calls(block))
            if isinstance(end, Fail | Return | Stop) or calls_failing:
                self._pending.append((name, block.label))

    def _block(self, name: str, label: str) -> None:
        """A run that passes the block matters: so does what decides whether one does."""
        if (name, label) in self._passed:
            return
        self._passed.add((name, label))
        for deciding in self.dependences[name].deciding.get(label, ()):
            self._branch(name, deciding)

    def _branch(self, name: str, label: str) -> None:
        if label in self.branches[name]:
            return
        self.branches[name].add(label)
        self._pending.append((name, label))
        end = self._blocks[name][label].terminator
        if isinstance(end, Branch):
            self._pending += [(name, r) for r in uses(end)]

    def _value(self, name: str, register: Register) -> None:
        if register in self.needed[name]:
            return
        self.needed[name].add(register)
        self._pending += self._sources(name, register)
        if register not in self._made[name]:
            return
        label, made = self._made[name][register]
        self._pending.append((name, label))
        if self.is_open(name, register):
            return
        if isinstance(made, Phi):
            for before, _ in made.incoming:
                self._pending.append((name, before))
                if isinstance(self._blocks[name][before].terminator, Branch):
                    self._branch(name, before)
        elif isinstance(made, Call) and made.callee in self._sites:
            self._keep(str(made.callee))

    # --------------------------------------------------------------------------------------- data

    def _sources(self, name: str, register: Register) -> Iterator[Value]:
        """The values that a value is computed from, across calls."""
        if self.is_open(name, register):
            return
        if register not in self._made[name]:
            position = self._program.functions[name].parameters.index(register)
            for caller, _, call in self._sites[name]:
                yield from ((caller, a) for a in _registers(call.arguments[position]))
            return
        made = self._made[name][register][1]
        if isinstance(made, Phi):
            yield from ((name, r) for _, value in made.incoming for r in _registers(value))
        elif isinstance(made, Call) and made.callee in self._sites:
            callee, position = str(made.callee), made.results.index(register)
            for block in self._program.functions[callee].blocks:
                if isinstance(block.terminator, Return):
                    values = block.terminator.values
                    yield from ((callee, r) for r in _registers(values[position]))
        else:
            yield from ((name, r) for r in uses(made))

    def _closure(self, roots: Iterator[Value]) -> frozenset[Value]:
        found: set[Value] = set()
        pending = list(roots)
        while pending:
            value = pending.pop()
            if value not in found:
                found.add(value)
                pending += self._sources(*value)
        return frozenset(found)

    def _is_followed(self, name: str, operand: Operand) -> bool:
        """Whether no value is open of which the operand is computed."""
        found = self._closure((name, register) for register in _registers(operand))
        return not any(self.is_open(*value) for value in found)

    # --------------------------------------------------------------------------------------- ends

    def _ends(self, function: Function) -> frozenset[str]:
        """The blocks that lead to an end of the run alone, whose reason is not followed."""
        if self._following is Following.EVERYTHING:
            return frozenset()
        name = function.name
        reasons: dict[str, list[bool]] = {}
        for block in function.blocks:
            end = block.terminator
            is_open = isinstance(end, Branch) and not (
                self._is_watcher(end.origin.span) or self._is_followed(name, end.condition)
            )
            for target in targets(end):
                reasons.setdefault(target, []).append(is_open)
        found = {
            block.label
            for block in function.blocks
            if isinstance(block.terminator, Stop)
            and all(reasons.get(block.label, [False]))
            and not any(call.callee in self._failing for call in _calls(block))
        }
        ways = (targets(block.terminator) for block in function.blocks)
        return frozenset(found.difference(*(w for w in ways if w and found.issuperset(w))))


def _registers(operand: Operand | None) -> tuple[Register, ...]:
    return (operand,) if isinstance(operand, Register) else ()


def _calls(block: Block) -> Iterator[Call]:
    return (s for s in block.statements if isinstance(s, Call))


def _definitions(
    function: Function,
) -> Iterator[tuple[Register, tuple[str, Phi | Statement]]]:
    for block in function.blocks:
        for phi in block.phis:
            yield phi.result, (block.label, phi)
        for statement in block.statements:
            for register in results(statement):
                yield register, (block.label, statement)
