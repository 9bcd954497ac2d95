"""SSA construction for memory cells.

R. Cytron, J. Ferrante, B. Rosen, M. Wegman, F. Zadeck: "Efficiently computing static single
assignment form and the control dependence graph", TOPLAS 13(4), 1991.  Phi functions go to the
iterated dominance frontier of the writes (section 5.1), pruned to where the cell is live
(`_live_cells`); a walk of the dominator tree renames (section 5.2, `_Renaming`).

Input is a function in which accesses of cells are the pseudo statements `Read` and `Write`; output
is a `Function` of ordinary statements.  Every cell must be written on every path to a read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from seahorn_py.base.errors import NOWHERE, InternalError, Origin
from seahorn_py.base.records import dataclass
from seahorn_py.ir.graph import (
    dominance_frontiers,
    dominator_tree,
    immediate_dominators,
    predecessors,
    reverse_postorder,
)
from seahorn_py.ir.program import (
    Bind,
    Block,
    Function,
    Operand,
    Phi,
    Register,
    Statement,
    Terminator,
    Variable,
)
from seahorn_py.ir.traverse import results
from seahorn_py.ir.types import Type
from seahorn_py.passes.simplify.blocks import substituted


@dataclass(frozen=True)
class Cell:
    """A scalar that is to become registers; `number` is its place in the bit sets."""

    number: int
    name: str
    type: Type
    variable: Variable | None


@dataclass(frozen=True)
class Read:
    """`result` is the value of the cell."""

    result: Register
    cell: Cell


@dataclass(frozen=True)
class Write:
    """The cell takes a value."""

    cell: Cell
    value: Operand
    origin: Origin = NOWHERE


@dataclass(frozen=True)
class Let:
    """`result` is another name of `value`."""

    result: Register
    value: Operand


Line = Statement | Read | Write | Let


@dataclass(frozen=True)
class Draft:
    """A block that may read and write cells."""

    label: str
    phis: tuple[Phi, ...]
    statements: tuple[Line, ...]
    terminator: Terminator


def construct(function: Function, drafts: Iterable[Draft]) -> Function:
    """The function whose body is `drafts`, with the cells turned into registers."""
    body = {draft.label: draft for draft in drafts}
    skeleton = replace(
        function,
        blocks=tuple(Block(d.label, d.phis, (), d.terminator) for d in body.values()),
    )
    joins = _joins(skeleton, body)
    renaming = _Renaming(skeleton, body, joins)
    renaming.walk()
    blocks = tuple(renaming.finished(label) for label in body)
    return substituted(replace(function, blocks=blocks), renaming.known)


def _results(draft: Draft) -> Iterable[Register]:
    for phi in draft.phis:
        yield phi.result
    for line in draft.statements:
        match line:
            case Read(result=result) | Let(result=result):
                yield result
            case Write():
                pass
            case _:
                yield from results(line)


def _cells(body: Mapping[str, Draft]) -> dict[int, Cell]:
    accesses = (s for d in body.values() for s in d.statements if isinstance(s, Read | Write))
    return {access.cell.number: access.cell for access in accesses}


def _live_cells(skeleton: Function, body: Mapping[str, Draft]) -> dict[str, int]:
    """For each block the set (as bits) of cells that may be read before they are written."""
    exposed: dict[str, int] = {}
    written: dict[str, int] = {}
    for label, draft in body.items():
        reads = writes = 0
        for statement in draft.statements:
            if isinstance(statement, Read):
                reads |= 1 << statement.cell.number & ~writes
            elif isinstance(statement, Write):
                writes |= 1 << statement.cell.number
        exposed[label], written[label] = reads, writes
    live = dict(exposed)
    before = predecessors(skeleton)
    pending = list(reverse_postorder(skeleton))
    while pending:
        label = pending.pop()
        for previous in before[label]:
            grown = live[previous] | live[label] & ~written[previous]
            if grown != live[previous]:
                live[previous] = grown
                pending.append(previous)
    return live


def _joins(skeleton: Function, body: Mapping[str, Draft]) -> dict[str, list[Cell]]:
    """The blocks that need a phi, with the cells they need it for."""
    live = _live_cells(skeleton, body)
    frontiers = dominance_frontiers(skeleton)
    writers: dict[int, list[str]] = {}
    for label, draft in body.items():
        for number in {s.cell.number for s in draft.statements if isinstance(s, Write)}:
            writers.setdefault(number, []).append(label)
    joins: dict[str, list[Cell]] = {}
    for number, cell in sorted(_cells(body).items()):
        pending = list(writers.get(number, ()))
        placed: set[str] = set()
        while pending:
            for label in frontiers[pending.pop()]:
                if label not in placed and live[label] >> number & 1:
                    placed.add(label)
                    pending.append(label)
        for label in placed:
            joins.setdefault(label, []).append(cell)
    return joins


class _Renaming:
    """The walk that replaces reads by the values that reach them."""

    def __init__(
        self, skeleton: Function, body: Mapping[str, Draft], joins: Mapping[str, list[Cell]]
    ) -> None:
        self._skeleton = skeleton
        self._body = body
        self._joins = joins
        self._before = predecessors(skeleton)
        self._values: dict[str, dict[int, Operand]] = {}
        self.known: dict[Register, Operand] = {}
        self._statements: dict[str, list[Statement]] = {}
        self._results: dict[str, dict[int, Register]] = {}
        self._taken = {r.name for d in body.values() for r in _results(d)}
        self._taken |= {parameter.name for parameter in skeleton.parameters}

    def walk(self) -> None:
        """Visit every block after its immediate dominator."""
        above = immediate_dominators(self._skeleton)
        for label in dominator_tree(self._skeleton).preorder:
            reached = self._values[above[label]] if label in above else {}
            self._visit(label, dict(reached))

    def _visit(self, label: str, values: dict[int, Operand]) -> None:
        statements: list[Statement] = []
        self._results[label] = {}
        for cell in self._joins.get(label, ()):
            result = Register(self._fresh(f"{cell.name}.{label}"), cell.type)
            self._results[label][cell.number] = values[cell.number] = result
            if cell.variable is not None:
                statements.append(Bind(cell.variable, result))
        for statement in self._body[label].statements:
            if isinstance(statement, Read):
                self.known[statement.result] = self._value(values, statement.cell)
            elif isinstance(statement, Let):
                self.known[statement.result] = self._resolved(statement.value)
            elif isinstance(statement, Write):
                value = self._resolved(statement.value)
                values[statement.cell.number] = value
                if statement.cell.variable is not None:
                    statements.append(Bind(statement.cell.variable, value, statement.origin))
            else:
                statements.append(statement)
        self._statements[label] = statements
        self._values[label] = values

    def _fresh(self, stem: str) -> str:
        name, number = stem, 2
        while name in self._taken:
            name, number = f"{stem}.{number}", number + 1
        self._taken.add(name)
        return name

    def _value(self, values: Mapping[int, Operand], cell: Cell) -> Operand:
        if cell.number not in values:
            raise InternalError(f"{self._skeleton.name}: {cell.name} is read before it is written")
        return values[cell.number]

    def _resolved(self, operand: Operand) -> Operand:
        if isinstance(operand, Register):
            return self.known.get(operand, operand)
        return operand

    def finished(self, label: str) -> Block:
        """The block with its phis; its reads are gone, uses of them are still to be replaced."""
        draft = self._body[label]
        added = []
        for cell in self._joins.get(label, ()):
            sources = self._before[label]
            incoming = tuple((p, self._value(self._values[p], cell)) for p in sources)
            added.append(Phi(self._results[label][cell.number], incoming))
        phis = (*draft.phis, *added)
        return Block(label, phis, tuple(self._statements[label]), draft.terminator)
