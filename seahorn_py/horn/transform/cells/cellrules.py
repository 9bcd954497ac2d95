"""One Horn rule under observation: instances of the body at the cells that matter, no arrays.

An array symbol becomes variables, one for each cell that is read; equal cells have equal contents
(Ackermann).  A read goes through stores to the symbols below.  An equation of arrays becomes
equations of contents at the cells that matter to the arrays; the negation of an equation becomes a
difference at some cell.  Contents of tables, `select`, `store` and conditions nest deeply in large
blocks: everything here iterates.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from itertools import combinations, islice, product

from seahorn_py.base.records import dataclass
from seahorn_py.horn.system import Atom, Query, Relation, Rule, atoms
from seahorn_py.horn.transform.cells.arrayflow import ArrayFlow, array_flow, rule_nodes
from seahorn_py.horn.transform.cells.numbering import Numbering
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.binding import rebuilt
from seahorn_py.logic.terms.linear import Forms, Linear, equal, number_form, unit_form
from seahorn_py.logic.terms.terms import Term

MAX_INSTANCES = 16
"""How many instances one body atom may become; fewer are sound."""


@dataclass(frozen=True)
class Observed:
    """One observed cell of some arrays of a relation: its number, and the content in each array.

    `contents` and `numberings` are by the position of the array.
    """

    index: Term
    contents: Mapping[int, Term]
    numberings: Mapping[int, Numbering]


@dataclass(frozen=True)
class MorphedRelation:
    """A relation before and after; without arrays nothing changes."""

    old: Relation
    cells: tuple[Observed, ...]
    relation: Relation


def morph_rule(
    rule: Rule, relations: Mapping[str, MorphedRelation], *, mixed: bool, followed: bool = False
) -> Rule:
    """The rule over the new relations; inputs and blocks are left out.

    `mixed`: instances may observe cells of the head together with cells that are read; `followed`:
    they only observe the cells of the head, if there is one.  If every instance of the new rule is
    valid, so is the old rule under the quantified model.
    """
    most = 1 if followed and isinstance(rule.head, Atom) else MAX_INSTANCES
    return _Morphing(rule, relations, mixed, most).run()


@dataclass
class _Contents:
    """The variables that stand for the cells of array symbols, and why equal cells agree."""

    known: dict[Term, dict[object, tuple[Linear, Term]]] = field(default_factory=dict)
    congruences: list[Term] = field(default_factory=list)

    def at(self, array: Term, address: Linear) -> Term:
        """The content of a cell of an array that is no store, constant or condition."""
        cells = self.known.setdefault(array, {})
        if address.key not in cells:
            sort = terms.sort_of(array).elem_type
            content = terms.fresh_like(terms.variable(f"{_name(array)}.at", sort))
            for other, known in cells.values():
                same = terms.implies(equal(address, other), terms.eq(content, known))
                self.congruences.append(same)
            cells[address.key] = address, content
        return cells[address.key][1]


class _Morphing:
    def __init__(
        self, rule: Rule, relations: Mapping[str, MorphedRelation], mixed: bool, most: int
    ) -> None:
        self._rule = rule
        self._mixed = mixed
        self._most = most
        self._relations = relations
        self._flow: ArrayFlow = array_flow(rule_nodes(rule))
        self._forms = Forms([rule.constraint])
        self._plain: dict[Term, Term] = {}
        self._contents = _Contents()
        self._facts: list[Term] = []
        self._addresses: dict[Term, dict[object, Linear]] = {}
        self._reads: dict[tuple[Term, object], Term] = {}
        self._equations: dict[Term, Term] = {}

    def run(self) -> Rule:
        """The new rule: the cells of the head and of the reads first, then what rests on them."""
        self._rewrite()
        head_cells = self._head_cells()
        self._differences()
        head = self._head(head_cells)
        body = [atom for old in self._rule.body for atom in self._instances(old)]
        constraint = self._with_equations(self._plain[self._rule.constraint])
        return Rule(
            self._rule.name,
            tuple(body),
            terms.and_([constraint, *self._facts, *self._contents.congruences]),
            head,
            origin=self._rule.origin,
        )

    # ------------------------------------------------------------------------- terms and reads

    def _rewrite(self) -> None:
        """Every term without reads of arrays; array terms only for when they are elements."""
        for node in rule_nodes(self._rule):
            arguments = tuple(self._plain[a] for a in node.args() if not node.is_quantifier())
            if node.is_select():
                address = self._forms.of(arguments[1])
                self._demand(node.arg(0), address)
                self._plain[node] = self._read(node.arg(0), address)
            elif node.is_equals() and terms.sort_of(node.arg(0)).is_array_type():
                self._plain[node] = terms.fresh_like(terms.variable("same", terms.BOOL))
                self._equations[self._plain[node]] = node
            elif node.is_quantifier() or not arguments:
                self._plain[node] = node
            else:
                self._plain[node] = rebuilt(node, arguments)

    def _demand(self, array: Term, address: Linear) -> None:
        cells = self._addresses.setdefault(self._flow.classes.find(array), {})
        cells.setdefault(address.key, address)

    def _demanded(self, array: Term) -> Sequence[Linear]:
        return list(self._addresses.get(self._flow.classes.find(array), {}).values())

    def _read(self, array: Term, address: Linear) -> Term:
        """The content of a cell, in terms of the contents of array symbols."""
        for part in _spine(array):
            if (part, address.key) not in self._reads:
                self._reads[part, address.key] = self._read_part(part, address)
        return self._reads[array, address.key]

    def _read_part(self, part: Term, address: Linear) -> Term:
        if part.is_store():
            below, index, value = part.args()
            here = equal(address, self._forms.of(self._plain[index]))
            return terms.ite(here, self._plain[value], self._reads[below, address.key])
        if part.is_ite():
            condition, then, otherwise = part.args()
            return terms.ite(
                self._plain[condition],
                self._reads[then, address.key],
                self._reads[otherwise, address.key],
            )
        if part.is_array_value():
            return self._plain[part.array_value_default()]
        if part.is_symbol():
            return self._contents.at(part, address)
        return terms.select(self._plain[part], address.term())

    # ----------------------------------------------------------------------- equations of arrays

    def _differences(self) -> None:
        """Where an equation may have to be false, it and a difference at some cell exclude it."""
        negative = _negative(self._rule)
        for same, equation in list(self._equations.items()):
            if equation not in negative:
                continue
            left, right = equation.args()
            index = terms.fresh_like(terms.variable("difference", terms.sort_of(left).index_type))
            cell = unit_form(index)
            self._demand(left, cell)
            differ = terms.not_(terms.eq(self._read(left, cell), self._read(right, cell)))
            self._facts.append(terms.or_([same, differ]))

    def _with_equations(self, constraint: Term) -> Term:
        """The equations, spelled out at the cells that matter to them."""
        values = {}
        for same, equation in self._equations.items():
            left, right = equation.args()
            cells = {c.key: c for c in (*self._demanded(left), *self._demanded(right))}.values()
            equations = (terms.eq(self._read(left, c), self._read(right, c)) for c in cells)
            values[same] = terms.and_(equations)
        for same in [s for s in values if self._equations[s] in _negative(self._rule)]:
            self._facts.append(terms.implies(same, values.pop(same)))
        return terms.substitute(constraint, values)

    # ---------------------------------------------------------------------------------- atoms

    def _numbering(self, atom: Atom, numbering: Numbering) -> Numbering:
        symbols = self._relations[atom.relation].old.symbols
        used = numbering.base.coefficients
        values = {
            s: self._forms.of(self._plain[a])
            for s, a in zip(symbols, atom.arguments, strict=True)
            if s in used
        }
        return numbering.at(values)

    def _head_cells(self) -> list[Term]:
        """A fresh number for each observed cell of the head; the cells matter to the rule."""
        atom = self._rule.head
        if not isinstance(atom, Atom):
            return []
        numbers = []
        reads, self._addresses = self._addresses, {}
        for cell in self._relations[atom.relation].cells:
            numbers.append(terms.fresh_like(cell.index))
            for position, numbering in cell.numberings.items():
                address = self._numbering(atom, numbering).address(unit_form(numbers[-1]))
                self._demand(atom.arguments[position], address)
        for root, cells in reads.items():
            self._addresses[root] = {**self._addresses.get(root, {}), **cells}
        return numbers

    def _head(self, numbers: Sequence[Term]) -> Atom | Query:
        atom = self._rule.head
        if not isinstance(atom, Atom):
            return atom
        return self._atom(atom, [unit_form(number) for number in numbers])

    def _atom(self, atom: Atom, numbers: Sequence[Linear]) -> Atom:
        """The new atom that observes the cells of these numbers."""
        arguments = []
        for cell, number in zip(self._relations[atom.relation].cells, numbers, strict=True):
            arguments.append(number.term())
            for position, numbering in cell.numberings.items():
                address = self._numbering(atom, numbering).address(number)
                arguments.append(self._read(atom.arguments[position], address))
        arguments += [
            self._plain[a] for a in atom.arguments if not terms.sort_of(a).is_array_type()
        ]
        return Atom(atom.relation, tuple(arguments))

    def _instances(self, atom: Atom) -> Iterator[Atom]:
        """The new atoms of a body atom: its cells among those that matter to the rule."""
        groups: dict[tuple[int, ...], list[Observed]] = {}
        for cell in self._relations[atom.relation].cells:
            groups.setdefault(tuple(cell.numberings), []).append(cell)
        choices = [
            _combinations(self._numbers(atom, g[0]), len(g), self._mixed) for g in groups.values()
        ]
        for chosen in islice(_early_first(choices), self._most):
            yield self._atom(atom, [number for numbers in chosen for number in numbers])

    def _numbers(self, atom: Atom, cell: Observed) -> list[Linear]:
        """The numbers of the cells that matter, or any number when none does."""
        found: dict[object, Linear] = {}
        for position, numbering in cell.numberings.items():
            own = self._numbering(atom, numbering)
            for address in self._demanded(atom.arguments[position]):
                number = self._number(own, address)
                if number is not None:
                    found.setdefault(number.key, number)
        return list(found.values()) or [unit_form(terms.fresh_like(cell.index))]

    def _number(self, numbering: Numbering, address: Linear) -> Linear | None:
        """The number of the cell at an address; of a cell nearby when that is not known.

        None when the address can be that of no cell.
        """
        distance = address.plus(numbering.base, -1)
        exact = distance.over(numbering.stride)
        if exact is not None or distance.plus(number_form(-distance.constant)).over(
            numbering.stride
        ):
            return exact
        number = terms.fresh_like(terms.variable("near", terms.INT))
        start = unit_form(number).times(numbering.stride)
        self._facts += [
            terms.le(start.term(), distance.term()),
            terms.lt(distance.term(), start.plus(number_form(numbering.stride)).term()),
        ]
        return unit_form(number)


def _spine(array: Term) -> Iterator[Term]:
    """The array terms that a read of `array` may reach, those below first."""
    done: set[Term] = set()
    todo = [(array, False)]
    while todo:
        node, expanded = todo.pop()
        if node in done:
            continue
        below = node.args()[:1] if node.is_store() else node.args()[1:] if node.is_ite() else ()
        if expanded or not below:
            done.add(node)
            yield node
            continue
        todo.append((node, True))
        todo.extend((part, False) for part in below)


def _negative(rule: Rule) -> frozenset[Term]:
    """The formulas in the rule that may have to be false, or stand inside of terms."""
    seen: set[tuple[Term, bool]] = set()
    todo = [(rule.constraint, True)]
    todo += [(a, p) for atom in atoms(rule) for a in atom.arguments for p in (True, False)]
    while todo:
        node, positive = todo.pop()
        if (node, positive) in seen or node.is_quantifier():
            continue
        seen.add((node, positive))
        if node.is_not():
            todo.append((node.arg(0), not positive))
        elif node.is_and() or node.is_or():
            todo.extend((part, positive) for part in node.args())
        elif node.is_implies():
            todo += [(node.arg(0), not positive), (node.arg(1), positive)]
        else:
            todo.extend((part, way) for part in node.args() for way in (True, False))
    return frozenset(node for node, positive in seen if not positive)


def _combinations(numbers: Sequence[Linear], size: int, mixed: bool) -> list[tuple[Linear, ...]]:
    """The choices of `size` numbers, in their order; repeated when there are too few.

    Unless `mixed`, the first `size` numbers, those of the head's cells, and the others stay apart,
    if there are enough others.
    """
    padded = [*numbers, *[numbers[-1]] * (size - len(numbers))]
    if mixed or len(padded) < 2 * size:
        return list(combinations(padded, size))
    return [tuple(padded[:size]), *combinations(padded[size:], size)]


def _early_first(
    choices: Sequence[Sequence[tuple[Linear, ...]]],
) -> Iterator[tuple[tuple[Linear, ...], ...]]:
    """One choice of each group, in all ways; those that come early in their groups first."""
    ways = product(*(range(len(choice)) for choice in choices))
    for way in sorted(islice(ways, MAX_INSTANCES**2), key=sum):
        yield tuple(choice[number] for choice, number in zip(choices, way, strict=True))


def _name(array: Term) -> str:
    return str(array.symbol_name()) if array.is_symbol() else "array"
