"""What may hold of an element of an array: a comparison that speaks of any cell."""

from __future__ import annotations

from seahorn_py.base.records import dataclass
from seahorn_py.engines.elements.cellnumbers import Cells
from seahorn_py.horn.system import HornSystem
from seahorn_py.horn.transform.cells.numbering import Position
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.binding import nodes
from seahorn_py.logic.terms.linear import Linear, linear
from seahorn_py.logic.terms.terms import Term

CELL = terms.symbol("elements.cell", terms.INT)
OTHER = terms.symbol("elements.other", terms.INT)
"""The numbers of the cells that a predicate speaks of: any."""

LARGE = 2**31 - 1
"""Numbers as large are limits of types, which say nothing of a program."""


@dataclass(frozen=True)
class Predicate:
    """A comparison over the parameters of a relation and the cells `variables`."""

    variables: tuple[Term, ...]
    body: Term

    @property
    def speaks(self) -> bool:
        """Whether it speaks of all its cells."""
        return set(self.variables) <= terms.free_symbols(self.body)


def reads(
    predicate: Predicate, system: HornSystem, cells: Cells, relation: str
) -> list[tuple[Position, Linear]]:
    """The arrays and numbers of cells that a predicate reads."""
    symbols = system.relations[relation].symbols
    found = []
    for node in selects(predicate.body):
        position = relation, symbols.index(node.arg(0))
        numbering = cells.numbering[position]
        number = linear(node.arg(1)).plus(numbering.base, -1).over(numbering.stride)
        assert number is not None
        found.append((position, number))
    return found


def selects(formula: Term) -> list[Term]:
    """The reads of arrays in a formula, in term order."""
    return [node for node in nodes(formula) if node.is_select()]
