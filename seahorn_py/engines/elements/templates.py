"""Candidates for what holds of elements, read off the comparisons and stores of the rules.

A comparison of `a[i]` in a rule becomes one of `a[k]` for any `k`, where `i` stands for `k` in all
of it; a store of `e` into `a[i]` becomes `a[k] = e`.  So a check that is asked of one element gives
what has to hold of all of them, and a loop that fills an array says what it filled it with
(Srivastava, Gulwani: Program verification using templates over predicate abstraction, PLDI 2009,
take such templates from the user).  Predicates go from relation to relation along the rules, both
ways.  Whether they hold anywhere is not asked here.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations, permutations

from seahorn_py.engines.elements.cellnumbers import Cells, RuleCells
from seahorn_py.engines.elements.cellpredicates import CELL, LARGE, OTHER, Predicate
from seahorn_py.engines.elements.wording import Holding, Wording
from seahorn_py.horn.system import Atom, HornSystem, Relation, atoms
from seahorn_py.horn.transform.cells.numbering import Position
from seahorn_py.logic.solvers.natives import Solvers
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.logic.solvers.solvers import Status
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.binding import nodes
from seahorn_py.logic.terms.linear import Linear, number_form, unit_form
from seahorn_py.logic.terms.terms import Term
from seahorn_py.policy.policy import policy

MOST_PREDICATES = 60
"""For one relation; what comes later is left out."""

Found = Mapping[str, list[Predicate]]
"""Predicates by relation."""


def predicates(system: HornSystem, cells: Cells, rules: Iterable[RuleCells]) -> Found:
    """The candidates for each relation."""
    own = list(rules)
    holding = _holding(own)
    found: dict[str, dict[Predicate, None]] = defaultdict(dict)
    for relation in system.relations.values():
        found[relation.name] |= dict.fromkeys(_usual(relation, cells))
    for rule in own:
        for atom in rule.rule.body:
            wording = Wording(rule, system.relations[atom.relation], atom, cells, holding)
            found[atom.relation] |= dict.fromkeys(_of_rule(wording))
    todo = [(name, p) for name, known in found.items() for p in known if p.variables]
    while todo:
        name, predicate = todo.pop(0)
        for other, moved in _moves(name, predicate, system, cells, own):
            if moved not in found[other] and len(found[other]) < MOST_PREDICATES:
                found[other][moved] = None
                todo.append((other, moved))
    return {name: list(known) for name, known in found.items()}


def _holding(rules: Iterable[RuleCells]) -> Holding:
    """The integer parameters that are given elements, with the classes of their arrays."""
    found: dict[Position, set[Position]] = defaultdict(set)
    for rule in rules:
        head = rule.rule.head
        for k, argument in enumerate(head.arguments if isinstance(head, Atom) else ()):
            if argument.is_select() and argument.arg(0) in rule.arrays:
                assert isinstance(head, Atom)
                found[head.relation, k].add(rule.arrays[argument.arg(0)][0])
    return found


def _usual(relation: Relation, cells: Cells) -> Iterator[Predicate]:
    """Neighbours in order, and arrays that are equal element by element."""
    positions = cells.positions(relation.name)
    this, following = unit_form(CELL), unit_form(CELL).plus(number_form(1))

    def at(position: Position, number: Linear) -> Term:
        symbol = relation.symbols[position[1]]
        return terms.select(symbol, cells.numbering[position].address(number).term())

    for position in positions:
        one, other = at(position, this), at(position, following)
        yield Predicate((CELL,), terms.le(one, other))
        yield Predicate((CELL,), terms.le(other, one))
    for left, right in combinations(positions, 2):
        yield Predicate((CELL,), terms.eq(at(left, this), at(right, this)))


# ------------------------------------------------------------------------------------ of a rule


def _of_rule(wording: Wording) -> Iterator[Predicate]:
    """From the comparisons, and the stores, of a rule."""
    accesses = list(wording.rule.accesses())
    numbers = {node: number for _, number, node in accesses if node.is_select()}
    stored: dict[Term, Term] = {}
    for _, number, node in accesses:
        if node.is_store():
            own = terms.select(node.arg(0), node.arg(1))
            yield from wording.anchored(terms.eq(own, node.arg(2)), {CELL: number})
            if node.arg(2).is_symbol():
                stored[node.arg(2)] = own
                numbers[own] = number
    clause = _clause(wording.rule, numbers)
    for read in (n for n in nodes(clause) if n in numbers):
        yield from wording.anchored(clause, {CELL: numbers[read]})
    for found in _comparisons(wording.rule):
        for said in (found, terms.not_(found)):
            yield from wording.as_elements(said)
            yield from wording.of_integers(said)
            yield from _of_comparison(terms.substitute(said, stored), numbers, wording)


def _of_comparison(
    said: Term, numbers: Mapping[Term, Linear], wording: Wording
) -> Iterator[Predicate]:
    """A comparison with any cell in place of one that it reads, or any two in place of two."""
    reads = [n for n in nodes(said) if n in numbers]
    for read in reads:
        yield from wording.anchored(said, {CELL: numbers[read]})
    for one, other in permutations(reads, 2):
        yield from wording.anchored(said, {CELL: numbers[one], OTHER: numbers[other]})


def _clause(rule: RuleCells, numbers: Mapping[Term, Linear]) -> Term:
    """That one of the comparisons of elements with which a query always ends is otherwise."""
    if isinstance(rule.rule.head, Atom):
        return terms.FALSE
    solver = Solvers(Solver.Z3).backend()
    names = {s: f"v!{k}" for k, s in enumerate(terms.by_name(terms.free_symbols(rule.known)))}
    solver.declare(names)
    solver.add(solver.formula(rule.known, names))
    seconds = policy().elements.preparing_seconds
    until = time.monotonic() + seconds
    found = []
    for comparison in _comparisons(rule):
        if any(n in numbers for n in nodes(comparison)):
            for said in (comparison, terms.not_(comparison)):
                solver.push()
                solver.add(solver.formula(said, names))
                if solver.check([], until, seconds) is Status.UNSAT:
                    found.append(said)
                solver.pop()
    return terms.or_(found) if len(found) > 1 else terms.FALSE


def _comparisons(rule: RuleCells) -> Iterator[Term]:
    """The comparisons of integers in a rule, without those with limits of types."""
    found: dict[Term, None] = {}
    for formula in _formulas(rule):
        for node in nodes(formula):
            compares = node.is_le() or node.is_lt() or node.is_equals()
            if compares and terms.sort_of(node.arg(0)) is terms.INT and not _is_limit(node):
                found.setdefault(node)
    yield from found


def _formulas(rule: RuleCells) -> Iterator[Term]:
    yield rule.rule.constraint
    if isinstance(rule.rule.head, Atom):
        yield from rule.rule.head.arguments


def _is_limit(comparison: Term) -> bool:
    numbers = (a for a in comparison.args() if a.is_int_constant())
    return any(abs(terms.number(n)) >= LARGE for n in numbers)


# ------------------------------------------------------------------------- between relations


def _moves(
    name: str, predicate: Predicate, system: HornSystem, cells: Cells, rules: Iterable[RuleCells]
) -> Iterator[tuple[str, Predicate]]:
    """The predicate as other relations may say it, along the rules.

    Of arrays that a rule changes it speaks before the change.
    """
    for rule in rules:
        for one, other in permutations(list(atoms(rule.rule)), 2):
            if one.relation == name and other.relation != name:
                symbols = system.relations[name].symbols
                given = dict(zip(symbols, one.arguments, strict=True))
                wording = Wording(rule, system.relations[other.relation], other, cells, {})
                for body in wording.said(terms.substitute(predicate.body, given)):
                    moved = Predicate(predicate.variables, body)
                    if moved.speaks:
                        yield other.relation, moved
