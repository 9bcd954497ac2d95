"""Cycles with one entry each: what a jump into the middle of a loop enters goes through a hub.

A cycle that runs may enter at several blocks gets a new block, the hub, through which all edges to
those blocks go.  It knows where a run goes on (node gathering; "controlled node splitting" of
Janssen, Corporaal, TOPLAS 1997, has copies instead).  The hub dominates the cycle, which is a
natural loop then, and the same is done inside of it.

Phis of the entries become phis of the hub.  On an edge to another entry their value is of no
account: it is that of the same C variable there, if there is one, so that one expression ranks all
entries.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property

from seahorn_py.base.records import dataclass
from seahorn_py.ir.graph import (
    blocks_by_label,
    predecessors,
    reverse_postorder,
    strong_components,
    successors,
)
from seahorn_py.ir.program import (
    FALSE,
    NULL,
    TRUE,
    Bind,
    Block,
    Branch,
    FloatConst,
    Function,
    IntConst,
    Jump,
    Operand,
    Phi,
    Program,
    RegionFill,
    Register,
    Statement,
    Variable,
)
from seahorn_py.ir.traverse import definitions, retarget
from seahorn_py.ir.types import BOOL, FloatType, IntType, RegionType, Scalar
from seahorn_py.passes.termination.loops import HUB, head_origin


def with_hubs(program: Program) -> Program:
    """The program, which is in encoding form, without cycles of several entries."""
    functions = {name: _one_entry_each(f) for name, f in program.functions.items()}
    return replace(program, functions=functions)


def _one_entry_each(function: Function) -> Function:
    while True:
        found = _several(function)
        if found is None:
            return function
        function = _Gathering(function, *found).run()


def _several(function: Function) -> tuple[frozenset[str], tuple[str, ...]] | None:
    """An outermost cycle with several entries, and those in reverse postorder."""
    order = reverse_postorder(function)
    follow, before = successors(function), predecessors(function)
    pending = [frozenset(order)]
    while pending:
        part = pending.pop()
        for component in _components(part, follow):
            inside = frozenset(component)
            entries = tuple(e for e in order if e in inside and not inside.issuperset(before[e]))
            if len(entries) > 1:
                return inside, entries
            pending.append(inside - set(entries))
    return None


def _components(
    part: frozenset[str], follow: Mapping[str, Sequence[str]]
) -> Iterator[tuple[str, ...]]:
    """The cycles in a part of a function; whole ones alone."""

    def within(label: str) -> Iterable[str]:
        return (target for target in follow[label] if target in part)

    for component in strong_components(sorted(part), within):
        if len(component) > 1:
            yield component


@dataclass
class _Gathering:
    """Gives one cycle a hub."""

    function: Function
    inside: frozenset[str]
    entries: tuple[str, ...]
    blocks: dict[str, Block] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)
    count: int = 0

    def run(self) -> Function:
        """The function with the hub, edges that lead to it, and its choice of an entry."""
        self.blocks = blocks_by_label(self.function)
        self.taken = {r.name for b in self.function.blocks for r in definitions(b)}
        self.taken |= {r.name for r in self.function.parameters} | set(self.blocks)
        hub = self._name(HUB)
        chosen = [Register(self._name("chosen"), BOOL) for _ in self.entries[1:]]
        arriving: list[tuple[str, dict[Register, Operand]]] = []
        for source, entry in self._edges():
            label = self._name(f"{HUB}edge")
            values, body = self._values(source, entry)
            picks = self.entries.index(entry)
            values |= {bit: TRUE if k == picks else FALSE for k, bit in enumerate(chosen)}
            end = retarget(self.blocks[source].terminator, {entry: label})
            self.blocks[source] = replace(self.blocks[source], terminator=end)
            self.blocks[label] = Block(label, (), tuple(body), Jump(hub))
            arriving.append((label, values))
        merged = [phi.result for entry in self.entries for phi in self.blocks[entry].phis]
        phis = tuple(Phi(r, tuple((at, v[r]) for at, v in arriving)) for r in (*merged, *chosen))
        self._choose(hub, phis, chosen)
        return replace(self.function, blocks=tuple(self.blocks.values()))

    def _edges(self) -> list[tuple[str, str]]:
        """All edges to entries."""
        before = predecessors(self.function)
        return [(source, entry) for entry in self.entries for source in before[entry]]

    def _choose(self, hub: str, phis: tuple[Phi, ...], chosen: Sequence[Register]) -> None:
        """The hub, and a block after it for each further choice."""
        label, last = hub, len(chosen) - 1
        for number, bit in enumerate(chosen):
            entry = self.entries[number]
            other = self.entries[-1] if number == last else self._name(f"{HUB}next")
            end = Branch(bit, entry, other, head_origin(self.blocks[entry]))
            self.blocks[label] = Block(label, phis, (), end)
            label, phis = other, ()
        for entry in self.entries:
            self.blocks[entry] = replace(self.blocks[entry], phis=())

    def _values(self, source: str, entry: str) -> tuple[dict[Register, Operand], list[Statement]]:
        """What the phis of all entries hold on one edge, and statements that make it."""
        own = {p.result: dict(p.incoming)[source] for p in self._phis(entry)}
        body: list[Statement] = []
        values = dict(own)
        for other in self.entries:
            for phi in self._phis(other) if other != entry else ():
                alike = (v for r, v in own.items() if self._are_alike(r, phi.result))
                found = next(alike, phi.result if source in self.inside else None)
                values[phi.result] = self._any(phi.result, body) if found is None else found
        return values, body

    def _phis(self, entry: str) -> tuple[Phi, ...]:
        return next(b.phis for b in self.function.blocks if b.label == entry)

    def _are_alike(self, one: Register, other: Register) -> bool:
        """They hold one C variable."""
        both = (self._variables.get(register, frozenset()) for register in (one, other))
        return one.type == other.type and bool(frozenset.intersection(*both))

    @cached_property
    def _variables(self) -> dict[Register, frozenset[Variable]]:
        """Register -> the C variables that it is a value of, at once or in a later phi."""
        found: dict[Register, frozenset[Variable]] = {}
        for block in self.function.blocks:
            for statement in block.statements:
                if isinstance(statement, Bind) and isinstance(statement.value, Register):
                    known = found.get(statement.value, frozenset())
                    found[statement.value] = known | {statement.variable}
        for label in reversed(reverse_postorder(self.function)):
            for phi in self.blocks[label].phis:
                for _, value in phi.incoming:
                    if isinstance(value, Register) and phi.result in found:
                        found.setdefault(value, found[phi.result])
        return found

    def _any(self, register: Register, body: list[Statement]) -> Operand:
        """Some value of the type of a register."""
        if not isinstance(register.type, RegionType):
            return _zero(register.type)
        filled = Register(self._name("filled"), register.type)
        body.append(RegionFill(filled, _zero(register.type.element)))
        return filled

    def _name(self, stem: str) -> str:
        while True:
            self.count += 1
            name = f"{stem}{self.count}"
            if name not in self.taken:
                self.taken.add(name)
                return name


def _zero(type_: Scalar) -> Operand:
    match type_:
        case IntType():
            return IntConst(0, type_)
        case FloatType():
            return FloatConst(0, type_)
        case _:
            return NULL
