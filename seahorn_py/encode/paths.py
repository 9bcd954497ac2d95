"""The part of a region that leads from its start to one of its ends, and its formula.

One Boolean for each block: the start's holds, another's holds exactly when an edge into it is
taken, which is linear in the region (Beyer et al., "Software model checking via large-block
encoding", FMCAD 2009).  Conditions are deterministic, so the Booleans are those of the one path
that the values take.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Generic, TypeVar

from seahorn_py.base.records import dataclass
from seahorn_py.encode.builder import Builder
from seahorn_py.encode.effects.effects import defined, havoc_region, read_input, translate
from seahorn_py.encode.machine import Shape
from seahorn_py.encode.relevance import demands, extent, is_partial
from seahorn_py.ir.program import (
    Binary,
    Block,
    Branch,
    Input,
    Operand,
    Phi,
    RegionHavoc,
    Register,
    Statement,
)
from seahorn_py.ir.traverse import results
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Term
from seahorn_py.passes.cuts import ControlRegion, call_of

V = TypeVar("V")
Edge = tuple[str, str]


@dataclass(frozen=True)
class Path:
    """Blocks in topological order and the edges between them that lead from `start` to `end`.

    With `at_cut`, `end` is the cut point that the last edges lead to; otherwise it is one of the
    blocks, and the translation stops before its statement `until`, or its terminator.
    """

    start: str
    end: str
    at_cut: bool
    blocks: tuple[str, ...]
    edges: tuple[Edge, ...]
    until: Statement | None = None


def path_to_cut(region: ControlRegion, end: str) -> Path:
    """From the start of a region to a cut point at its end."""
    last = tuple(edge for edge in region.edges if edge[1] == end)
    blocks, edges = _leading_to(region, [source for source, _ in last])
    return Path(region.start, end, True, blocks, (*edges, *last))


def path_to_block(region: ControlRegion, label: str, until: Statement | None = None) -> Path:
    """From the start of a region to (a statement of) one of its blocks."""
    blocks, edges = _leading_to(region, [label])
    return Path(region.start, label, False, blocks, edges, until)


def _leading_to(
    region: ControlRegion, labels: Iterable[str]
) -> tuple[tuple[str, ...], tuple[Edge, ...]]:
    """The blocks of the region from which one of `labels` is reached, and the edges among them."""
    before: dict[str, list[str]] = {}
    for source, target in region.edges:
        if target not in region.ends:
            before.setdefault(target, []).append(source)
    wanted = set(labels)
    pending = list(wanted)
    while pending:
        for source in before.get(pending.pop(), ()):
            if source not in wanted:
                wanted.add(source)
                pending.append(source)
    blocks = tuple(label for label in region.blocks if label in wanted)
    edges = ((source, target) for target in blocks for source in before.get(target, ()))
    return blocks, tuple(edges)


class Walk(Generic[V]):
    """Translates the blocks of a path, and of their statements what the rule needs.

    `roots` are the operands that the head reads at the end of the path.
    """

    def __init__(
        self,
        builder: Builder[V],
        path: Path,
        blocks: Mapping[str, Block],
        roots: Iterable[Operand],
    ) -> None:
        self._builder = builder
        self._path = path
        self._blocks = blocks
        self._into: dict[str, list[str]] = {}
        self._out_of: dict[str, list[str]] = {}
        for source, target in path.edges:
            self._into.setdefault(target, []).append(source)
            self._out_of.setdefault(source, []).append(target)
        self._needed = self._closure(roots)
        self._taken: dict[Edge, Term] = {}

    def run(self) -> None:
        """Add the facts of all blocks; the builder then stands at the end of the path."""
        builder, path = self._builder, self._path
        mark = terms.TRUE
        for label in path.blocks:
            mark = builder.mark(label)
            if label == path.start:
                builder.facts.append(mark)
                builder.enter(label, terms.TRUE)
            else:
                builder.facts.append(terms.iff(mark, self._reached(label)))
                builder.enter(label, mark)
                self._phis(label)
            self._statements(label)
            self._leave(label, mark)
        builder.facts.append(self._reached(path.end) if path.at_cut else mark)
        builder.enter(path.end, terms.TRUE)

    def arriving(self, phi: Phi) -> Mapping[str, Operand]:
        """Source of an edge of the path into the phi's block -> what the phi takes from there."""
        sources = self._into.get(self._path.end, ())
        return {source: value for source, value in phi.incoming if source in sources}

    def merge(
        self, label: str, symbol: Term, shape: Shape, incoming: Mapping[str, Operand]
    ) -> None:
        """The symbol has the value that belongs to the edge taken into the block."""
        for source, value in incoming.items():
            equal = terms.eq(symbol, self._builder.term(value, shape))
            self._builder.facts.append(terms.implies(self._taken[source, label], equal))

    def _reached(self, label: str) -> Term:
        """An edge into the block is taken."""
        return terms.or_(self._taken[source, label] for source in self._into.get(label, ()))

    def _phis(self, label: str) -> None:
        sources = self._into.get(label, ())
        for phi in self._blocks[label].phis:
            if phi.result.name not in self._needed:
                continue
            incoming = {source: value for source, value in phi.incoming if source in sources}
            values = set(incoming.values())
            if len(values) == 1:
                value = values.pop()
                self._builder.copy(phi.result, value)
                continue
            symbol = self._builder.local(phi.result)
            self._builder.hold(phi.result, symbol)
            self.merge(label, symbol, self._builder.shape(phi.result), incoming)

    def _statements(self, label: str) -> None:
        for statement in _executed(self._path, self._blocks[label]):
            if isinstance(statement, Input):
                read_input(self._builder, statement)
                continue
            if isinstance(statement, RegionHavoc):
                needed = statement.result.name in self._needed
                havoc_region(self._builder, statement, needed)
                continue
            if isinstance(statement, Binary) and is_partial(statement):
                defined(self._builder, statement)
            if any(result.name in self._needed for result in results(statement)):
                translate(self._builder, statement)

    def _leave(self, label: str, mark: Term) -> None:
        """The edges of the path that leave the block."""
        terminator = self._blocks[label].terminator
        targets = self._out_of.get(label, ())
        if not targets:
            return
        match terminator:
            case Branch() if terminator.then != terminator.otherwise:
                condition = self._builder.truth(terminator.condition)
                for target in targets:
                    goes = condition if target == terminator.then else terms.not_(condition)
                    self._taken[label, target] = terms.and_([mark, goes])
            case _:
                for target in targets:
                    self._taken[label, target] = mark

    def _closure(self, roots: Iterable[Operand]) -> frozenset[str]:
        """The names of the registers whose definitions on the path the rule needs."""
        floats = self._builder.whole.relevance.floats
        definitions: dict[str, tuple[Operand, ...]] = {}
        pending = list(roots)
        for label in self._path.blocks:
            block = self._blocks[label]
            if label != self._path.start:
                sources = self._into.get(label, ())
                for phi in block.phis:
                    definitions[phi.result.name] = tuple(v for s, v in phi.incoming if s in sources)
            for statement in _executed(self._path, block):
                needs = demands(statement, floats)
                definitions.update((r.name, needs) for r in results(statement))
                if is_partial(statement):
                    pending.extend(needs)
                if isinstance(statement, RegionHavoc):
                    pending.extend(extent(statement))
            if isinstance(block.terminator, Branch) and (
                self._path.at_cut or label != self._path.end
            ):
                pending.append(block.terminator.condition)
        needed: set[str] = set()
        while pending:
            operand = pending.pop()
            if isinstance(operand, Register) and operand.name not in needed:
                needed.add(operand.name)
                pending.extend(definitions.get(operand.name, ()))
        return frozenset(needed)


def _executed(path: Path, block: Block) -> Iterator[Statement]:
    """The statements that run on the path, without a call that begins it."""
    call = call_of(block) if block.label == path.start else None
    for statement in block.statements:
        if statement is path.until:
            return
        if statement is not call:
            yield statement
