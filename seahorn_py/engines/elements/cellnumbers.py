"""The accesses of a rule as numbers of cells, and which arrays of all relations belong together.

`horn.transform.cells.numbering` numbers the cells of each array parameter.  Here an access of a
rule is told by the class of its array and by the number of the cell, a linear form over the
symbols of the rule.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from seahorn_py.base.records import dataclass
from seahorn_py.horn.system import Atom, HornSystem, Rule, atoms
from seahorn_py.horn.transform.cells.arrayflow import Classes, array_flow, rule_nodes
from seahorn_py.horn.transform.cells.numbering import Numbering, Position, numberings
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.connectives import conjuncts
from seahorn_py.logic.terms.linear import Forms, Linear
from seahorn_py.logic.terms.terms import Term


@dataclass(frozen=True)
class Cells:
    """The arrays of integers of a system: a numbering for each position, and its class."""

    numbering: Mapping[Position, Numbering]
    classes: Mapping[Position, Position]

    def positions(self, relation: str) -> list[Position]:
        """The arrays of a relation."""
        return [p for p in self.classes if p[0] == relation]


@dataclass(frozen=True)
class RuleCells:
    """A rule: linear forms of its terms, and the class and numbering of each of its arrays.

    `known` is what its constraint and the invariants of its body say.
    """

    rule: Rule
    known: Term
    forms: Forms
    arrays: Mapping[Term, tuple[Position, Numbering]]

    def number(self, array: Term, index: Term) -> Linear | None:
        """The number of the cell at an index; None where the numbering has none."""
        found = self.arrays.get(array)
        if found is None:
            return None
        _, numbering = found
        return self.forms.of(index).plus(numbering.base, -1).over(numbering.stride)

    def accesses(self) -> Iterator[tuple[Position, Linear, Term]]:
        """Class, number of the cell, and the term, of each read and change."""
        for node in rule_nodes(self.rule):
            if (node.is_select() or node.is_store()) and node.arg(0) in self.arrays:
                number = self.number(node.arg(0), node.arg(1))
                if number is not None:
                    yield self.arrays[node.arg(0)][0], number, node


def cells_of(system: HornSystem) -> Cells:
    """The arrays from integers to integers."""
    classes: Classes[Position] = Classes()
    for rule in system.rules:
        for positions in _together(rule).values():
            for _, position in positions[1:]:
                classes.join(position, positions[0][1])
    numbering = {
        (name, k): found
        for (name, k), found in numberings(system).items()
        if _of_integers(system.relations[name].symbols[k])
    }
    return Cells(numbering, {position: classes.find(position) for position in numbering})


def rule_cells(rule: Rule, known: Term, system: HornSystem, cells: Cells) -> RuleCells:
    """The accesses of one rule."""
    forms = Forms(conjuncts(known))
    flow = array_flow(rule_nodes(rule))
    roots: dict[Term, tuple[Position, Numbering]] = {}
    for root, positions in _together(rule).items():
        atom, position = positions[0]
        if position in cells.numbering:
            numbering = cells.numbering[position].at(values_of(atom, system, forms))
            roots[root] = cells.classes[position], numbering
    arrays = {}
    for node in rule_nodes(rule):
        if terms.sort_of(node).is_array_type() and flow.classes.find(node) in roots:
            arrays[node] = roots[flow.classes.find(node)]
    return RuleCells(rule, known, forms, arrays)


def values_of(atom: Atom, system: HornSystem, forms: Forms) -> dict[Term, Linear]:
    """The integer arguments of an atom, by the symbols of their parameters."""
    symbols = system.relations[atom.relation].symbols
    pairs = zip(symbols, atom.arguments, strict=True)
    return {s: forms.of(a) for s, a in pairs if terms.sort_of(s) is terms.INT}


def _together(rule: Rule) -> dict[Term, list[tuple[Atom, Position]]]:
    """The array arguments of a rule, by the roots of the arrays that are versions of each other."""
    flow = array_flow(rule_nodes(rule))
    found: dict[Term, list[tuple[Atom, Position]]] = {}
    for atom in atoms(rule):
        for k, argument in enumerate(atom.arguments):
            if terms.sort_of(argument).is_array_type() and not argument.is_array_value():
                root = flow.classes.find(argument)
                found.setdefault(root, []).append((atom, (atom.relation, k)))
    return found


def _of_integers(array: Term) -> bool:
    sort = terms.sort_of(array)
    return sort.index_type is terms.INT and sort.elem_type is terms.INT
