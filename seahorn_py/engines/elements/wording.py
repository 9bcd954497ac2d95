"""Terms of a rule, said in the parameters of one of its atoms."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import product

from seahorn_py.engines.elements.cellnumbers import Cells, RuleCells
from seahorn_py.engines.elements.cellpredicates import CELL, OTHER, Predicate, selects
from seahorn_py.horn.system import Atom, Relation
from seahorn_py.horn.transform.cells.numbering import Position
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.binding import nodes, rebuilt
from seahorn_py.logic.terms.linear import Linear, number_form, unit_form
from seahorn_py.logic.terms.terms import Term

Holding = Mapping[Position, Collection[Position]]
"""Integer parameters that are given elements, with the classes of their arrays."""


class _Inexpressible(Exception):
    """A term of a rule that the parameters of an atom do not give."""


class Wording:
    """For one atom of a rule."""

    def __init__(
        self, rule: RuleCells, relation: Relation, atom: Atom, cells: Cells, holding: Holding
    ) -> None:
        self.rule = rule
        self._relation = relation
        self._cells = cells
        self._given: dict[Term, Linear] = {}
        self._holding: dict[Term, list[Position]] = {}
        self._flags: dict[Term, Term] = {}
        for k, (symbol, argument) in enumerate(zip(relation.symbols, atom.arguments, strict=True)):
            if terms.sort_of(symbol) is terms.INT:
                self._learn(symbol, rule.forms.of(argument))
                for root in holding.get((relation.name, k), ()):
                    self._holding.setdefault(argument, []).extend(self._of_class(root))
            elif argument.is_symbol():
                self._flags.setdefault(argument, symbol)

    def _learn(self, symbol: Term, form: Linear) -> None:
        """The parameter is the form: a symbol, whose value it tells."""
        if len(form.coefficients) == 1:
            ((unit, coefficient),) = form.coefficients.items()
            if abs(coefficient) == 1 and unit.is_symbol():
                value = unit_form(symbol).plus(number_form(form.constant), -1).times(coefficient)
                self._given.setdefault(unit, value)

    def as_elements(self, comparison: Term) -> Iterator[Predicate]:
        """With elements in place of parameters that hold elements."""
        for symbol in terms.by_name(terms.free_symbols(comparison)):
            for position in self._holding.get(symbol, ()):
                array = self._relation.symbols[position[1]]
                address = self._cells.numbering[position].address(unit_form(CELL))
                element = terms.select(array, address.term())
                for body in self.said(comparison, self._given | {symbol: unit_form(element)}):
                    yield Predicate((CELL,), body)

    def of_integers(self, comparison: Term) -> Iterator[Predicate]:
        """A comparison of parameters alone."""
        for body in self.said(comparison):
            if terms.free_symbols(body) and not selects(body):
                yield Predicate((), body)

    def anchored(self, said: Term, numbers: Mapping[Term, Linear]) -> Iterator[Predicate]:
        """With the cells in place of symbols of their numbers."""
        for symbols in product(*(_solvable(n) for n in numbers.values())):
            if len(set(symbols)) < len(symbols):
                continue
            given = dict(self._given)
            for variable, symbol, number in zip(numbers, symbols, numbers.values(), strict=True):
                form = number.at(given | {symbol: unit_form(symbol)})
                given[symbol] = _solved(form, symbol, variable)
            found = (Predicate(tuple(numbers), body) for body in self.said(said, given))
            yield from (predicate for predicate in found if predicate.speaks)

    def said(self, formula: Term, given: Mapping[Term, Linear] | None = None) -> list[Term]:
        """The formula in the parameters, for each array that may be meant; none if there is none.

        `given` are the values of symbols; those that the atom tells by default.
        """
        values = self._given if given is None else given
        arrays = [n.arg(0) for n in nodes(formula) if n.is_select()]
        if any(array not in self.rule.arrays for array in arrays):
            return []
        classes = sorted({self.rule.arrays[array][0] for array in arrays})
        own = [self._of_class(c) for c in classes]
        found = []
        for positions in product(*own):
            chosen = dict(zip(classes, positions, strict=True))
            try:
                found.append(self._said(formula, values, chosen))
            except _Inexpressible:
                continue
        return found

    def _of_class(self, root: Position) -> list[Position]:
        own = self._cells.positions(self._relation.name)
        return [p for p in own if self._cells.classes[p] == root]

    def _said(
        self, formula: Term, given: Mapping[Term, Linear], chosen: Mapping[Position, Position]
    ) -> Term:
        done: dict[Term, Term] = {}
        for node in nodes(formula):
            done[node] = self._node(node, given, chosen, done)
        allowed = {CELL, OTHER, *self._relation.symbols}
        if not terms.free_symbols(done[formula]) <= allowed:
            raise _Inexpressible
        return done[formula]

    def _node(
        self,
        node: Term,
        given: Mapping[Term, Linear],
        chosen: Mapping[Position, Position],
        done: Mapping[Term, Term],
    ) -> Term:
        if terms.sort_of(node).is_array_type():
            return node
        if node.is_symbol():
            if terms.sort_of(node) is terms.INT:
                form = self.rule.forms.of(node).at(given)
                return form.term()
            return self._flags.get(node, node)
        if not node.is_select():
            return rebuilt(node, tuple(done[a] for a in node.args()))
        number = self.rule.number(node.arg(0), node.arg(1))
        if number is None or self.rule.arrays[node.arg(0)][0] not in chosen:
            raise _Inexpressible
        position = chosen[self.rule.arrays[node.arg(0)][0]]
        array = self._relation.symbols[position[1]]
        address = self._cells.numbering[position].address(number.at(given))
        return terms.select(array, address.term())


def _solvable(number: Linear) -> list[Term]:
    """The symbols of a number that may be said by the cell."""
    return [unit for unit in number.coefficients if unit.is_symbol()]


def _solved(number: Linear, symbol: Term, variable: Term) -> Linear:
    """The symbol where the cell is `number`; where that is a multiple of it the symbol itself."""
    coefficient = number.coefficients[symbol]
    if abs(coefficient) != 1:
        return unit_form(variable)
    rest = number.plus(unit_form(symbol), -coefficient)
    return unit_form(variable).plus(rest, -1).times(coefficient)
