"""Slicing: keep what can decide whether a check fails.

M. Weiser: "Program slicing", IEEE TSE 10(4), 1984, for the criterion "some check fails".  Control
is kept where both ways of a branch still differ (`slicing.cannot_fail` ends the rest, `simplify`
joins equal branches), so every branch condition is needed.  Data are kept in the cone of influence
of the conditions, across calls: parameters and results that nobody needs go, and so do calls that
only return.  Loops stay, since an infinite one never ends, and so do operations that may end the
run.

What is in memory and has no registers is needed only while some load of it is.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

from seahorn_py.base.records import dataclass
from seahorn_py.ir.graph import (
    addresses_taken,
    call_graph,
    calls,
    loop_heads,
    recursive_functions,
    strong_components,
)
from seahorn_py.ir.program import (
    Block,
    Branch,
    Call,
    Fail,
    Function,
    Havoc,
    Load,
    MemoryCopy,
    MemorySet,
    Operand,
    Program,
    Register,
    Return,
    Statement,
    Stop,
    Store,
)
from seahorn_py.ir.traverse import results, uses
from seahorn_py.passes.environment import ALLOCATION
from seahorn_py.passes.simplify.deadcode import has_effect, needs, siblings, sweep
from seahorn_py.passes.simplify.simplify import simplify
from seahorn_py.passes.slicing.cannot_fail import end_where_nothing_fails
from seahorn_py.passes.slicing.counting import drop_counting

MAX_ROUNDS = 4
_WRITES = (Store, MemoryCopy, MemorySet, Havoc)


def slice_program(program: Program) -> Program:
    """Keep what can matter to a check; the same checks fail on the same inputs."""
    program = simplify(_sliced(program))
    for _ in range(MAX_ROUNDS - 1):
        kept = _sliced(program)
        if kept == program:
            break
        program = simplify(kept, program)
    return program


def _sliced(program: Program) -> Program:
    return drop_counting(keep_cone(end_where_nothing_fails(drop_uncalled(program))))


def drop_uncalled(program: Program) -> Program:
    """Keep the functions that the entry may call, directly or not, or whose address is taken."""
    graph = call_graph(program)
    kept: set[str] = set()
    pending = [program.entry, *addresses_taken(program)]
    while pending:
        name = pending.pop()
        if name not in kept:
            kept.add(name)
            pending.extend(graph[name])
    functions = {name: f for name, f in program.functions.items() if name in kept}
    return replace(program, functions=functions)


def keep_cone(program: Program) -> Program:
    """Drop statements, parameters, results and calls that no branch and no end depends on."""
    if any(not isinstance(c.callee, str) for f in program.functions.values() for c in calls(f)):
        return program
    cone = _Cone(program)
    cone.mark()
    functions = {name: cone.kept(function) for name, function in program.functions.items()}
    return replace(program, functions=functions)


@dataclass(frozen=True)
class _Site:
    """A call by name of a function of the program."""

    caller: str
    call: Call


Value = tuple[str, Register]


class _Cone:
    """Marks the registers, as pairs with their function, that are needed."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._memory = False
        self._live: dict[str, set[Register]] = {name: set() for name in program.functions}
        self._needs = {name: needs(f) for name, f in program.functions.items()}
        self._siblings = {name: siblings(f) for name, f in program.functions.items()}
        self._returns = {name: _returns(f) for name, f in program.functions.items()}
        self._sites: dict[str, list[_Site]] = {name: [] for name in program.functions}
        self._results: dict[Value, tuple[str, int]] = {}
        self._parameters: dict[Value, int] = {}
        for name, function in program.functions.items():
            for k, parameter in enumerate(function.parameters):
                self._parameters[name, parameter] = k
            for call in calls(function):
                self._note_call(name, call)
        self._total = _always_returning(program)

    def _note_call(self, caller: str, call: Call) -> None:
        if isinstance(call.callee, str) and call.callee in self._sites:
            self._sites[call.callee].append(_Site(caller, call))
            for k, result in enumerate(call.results):
                self._results[caller, result] = (call.callee, k)

    def _is_inner(self, statement: Statement) -> bool:
        return isinstance(statement, Call) and statement.callee in self._program.functions

    def _is_root(self, statement: Statement) -> bool:
        """It has an effect of its own that matters, whatever becomes of its results."""
        if isinstance(statement, _WRITES):
            return self._memory
        if isinstance(statement, Call) and not self._is_inner(statement):
            return self._memory or statement.callee not in ALLOCATION
        return has_effect(statement) and not self._is_inner(statement)

    def mark(self) -> None:
        """Mark what the roots depend on; if that includes memory, mark what memory holds."""
        self._mark_roots()
        if any(self._reads_memory(f) for f in self._program.functions.values()):
            self._memory = True
            self._mark_roots()

    def _reads_memory(self, function: Function) -> bool:
        """A needed value comes from memory, or is the address of a block of the heap."""
        live = self._live[function.name]
        return any(
            isinstance(s, Load | Call) and not self._is_inner(s) and not live.isdisjoint(results(s))
            for block in function.blocks
            for s in block.statements
        )

    def _mark_roots(self) -> None:
        pending = [root for f in self._program.functions.values() for root in self._roots(f)]
        while pending:
            name, register = pending.pop()
            if register not in self._live[name]:
                self._live[name].add(register)
                pending.extend(self._depends(name, register))

    def _roots(self, function: Function) -> Iterator[Value]:
        for block in function.blocks:
            for statement in block.statements:
                if self._is_root(statement):
                    yield from ((function.name, r) for r in uses(statement))
            if isinstance(block.terminator, Branch):
                yield from ((function.name, r) for r in uses(block.terminator))

    def _depends(self, name: str, register: Register) -> Iterator[Value]:
        for needed in self._needs[name].get(register, ()):
            yield name, needed
        sibling = self._siblings[name].get(register)
        if sibling is not None:
            yield name, sibling
        if (name, register) in self._parameters:
            for site in self._sites[name]:
                argument = site.call.arguments[self._parameters[name, register]]
                if isinstance(argument, Register):
                    yield site.caller, argument
        if (name, register) in self._results:
            yield from self._returned(*self._results[name, register])

    def _returned(self, callee: str, position: int) -> Iterator[Value]:
        for values in self._returns[callee]:
            returned = values[position]
            if isinstance(returned, Register):
                yield callee, returned

    def kept(self, function: Function) -> Function:
        """The part of the function that is needed, with what is left of its signature."""
        positions = self._positions(function.name)
        return replace(
            function,
            parameters=_chosen(function.parameters, self._needed_parameters(function.name)),
            results=_chosen(function.results, positions),
            blocks=tuple(self._block(block, function, positions) for block in function.blocks),
        )

    def _needed_parameters(self, name: str) -> tuple[int, ...]:
        parameters = self._program.functions[name].parameters
        return tuple(k for k, p in enumerate(parameters) if p in self._live[name])

    def _positions(self, name: str) -> tuple[int, ...]:
        """The results of a function that some caller needs; all of the entry."""
        count = len(self._program.functions[name].results)
        if name == self._program.entry:
            return tuple(range(count))
        sites = self._sites[name]
        return tuple(
            k
            for k in range(count)
            if any(site.call.results[k] in self._live[site.caller] for site in sites)
        )

    def _block(self, block: Block, function: Function, positions: Sequence[int]) -> Block:
        swept = sweep(block, self._live[function.name], self._is_kept)
        statements = tuple(self._shortened(s) for s in swept.statements)
        terminator = swept.terminator
        if isinstance(terminator, Return):
            terminator = replace(terminator, values=_chosen(terminator.values, positions))
        return replace(swept, statements=statements, terminator=terminator)

    def _is_kept(self, statement: Statement) -> bool:
        """It stays even if none of its results is needed."""
        if isinstance(statement, Call) and self._is_inner(statement):
            return statement.callee not in self._total
        return self._is_root(statement)

    def _shortened(self, statement: Statement) -> Statement:
        """A call with the arguments and results that its callee still has."""
        if not isinstance(statement, Call) or not self._is_inner(statement):
            return statement
        callee = str(statement.callee)
        return replace(
            statement,
            results=_chosen(statement.results, self._positions(callee)),
            arguments=_chosen(statement.arguments, self._needed_parameters(callee)),
        )


T = TypeVar("T")


def _chosen(items: Sequence[T], positions: Iterable[int]) -> tuple[T, ...]:
    return tuple(items[k] for k in positions)


def _returns(function: Function) -> list[tuple[Operand, ...]]:
    """What the function returns, wherever it does."""
    ends = (block.terminator for block in function.blocks)
    return [end.values for end in ends if isinstance(end, Return)]


def _always_returning(program: Program) -> frozenset[str]:
    """Functions whose calls only compute results: no loop, no end, no effect, such calls only."""
    recursive = recursive_functions(program)
    total: set[str] = set()
    graph = call_graph(program)
    for component in strong_components(graph, graph.__getitem__):
        name = component[0]
        if name not in recursive and _is_straight(program.functions[name], total):
            total.add(name)
    return frozenset(total)


def _is_straight(function: Function, total: Container[str]) -> bool:
    for block in function.blocks:
        if isinstance(block.terminator, Fail | Stop):
            return False
        for statement in block.statements:
            is_total = isinstance(statement, Call) and statement.callee in total
            if has_effect(statement) and not is_total:
                return False
    return not loop_heads(function)
