"""One large constant of a system made a parameter: loops to 100000 become loops to any `n`.

An invariant of a loop with a symbolic bound is found by generalising from a few iterations; with a
large number in its place each iteration looks like a case of its own.  So the number becomes a
parameter of every relation, which no rule changes, and what is a small multiple of it, up to a
small rest, is written in terms of it.  A model of the new system, with the number put back, is one
of the old: its rules are instances of the new ones.  A refutation may need another number.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from seahorn_py.base.records import dataclass
from seahorn_py.horn.system import Atom, HornSystem, Model, Parameter, Rule, atoms
from seahorn_py.horn.transform.cells.observation import has_arrays
from seahorn_py.horn.transform.transformation import Inapplicable, Models
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.binding import nodes, rebuilt
from seahorn_py.logic.terms.terms import INT, Term

SMALLEST = 64
LARGEST_FACTOR = 8
LARGEST_REST = 8

_BOUNDS = {sign * (1 << k) + off for k in range(7, 65) for sign in (1, -1) for off in (-1, 0, 1)}
"""The limits of machine integers, which are no sizes of anything."""


@dataclass(frozen=True)
class SymbolicSize:
    """The large constant of a system as a parameter."""

    def apply(self, system: HornSystem) -> tuple[HornSystem, Models]:
        """The system for any number; Inapplicable without a large one, and over arrays."""
        value = None if has_arrays(system) else _large_constant(system)
        if value is None:
            raise Inapplicable("there is no large constant")
        name = terms.fresh_like(terms.variable("size", INT))
        relations = {
            r.name: replace(r, parameters=(*r.parameters, Parameter(name)))
            for r in system.relations.values()
        }
        rules = tuple(_with_size(rule, name, value) for rule in system.rules)

        def back(model: Model) -> Model:
            size = {name: terms.int_const(value)}
            found = model.interpretations.items()
            return Model({n: terms.substitute(f, size) for n, f in found})

        return HornSystem(relations, rules, system.ledger), Models(back)


def _large_constant(system: HornSystem) -> int | None:
    """The least of the large numbers in which most of them can be written."""
    found = Counter(value for rule in system.rules for value in _constants(rule))
    if not found:
        return None

    def covered(value: int) -> int:
        return sum(n for other, n in found.items() if _multiple(other, value) is not None)

    return max(sorted(found), key=covered)


def _constants(rule: Rule) -> Iterator[int]:
    for term in _terms(rule):
        for node in nodes(term):
            if node.is_int_constant():
                value = int(node.constant_value())
                if value >= SMALLEST and value not in _BOUNDS:
                    yield value


def _terms(rule: Rule) -> Iterator[Term]:
    yield rule.constraint
    for atom in atoms(rule):
        yield from atom.arguments


def _multiple(number: int, value: int) -> tuple[int, int] | None:
    """Factor and rest when the number is written in terms of the value."""
    if number in _BOUNDS:
        return None
    factor, rest = divmod(number + LARGEST_REST, value)
    rest -= LARGEST_REST
    if not 0 < abs(factor) <= LARGEST_FACTOR or abs(rest) > LARGEST_REST:
        return None
    return factor, rest


def _with_size(rule: Rule, name: Term, value: int) -> Rule:
    """The rule for any size from 1 on."""
    at_least = terms.le(terms.int_const(1), name)

    def rewritten(atom: Atom) -> Atom:
        arguments = (_rewritten(a, name, value) for a in atom.arguments)
        return Atom(atom.relation, (*arguments, name))

    return replace(
        rule,
        body=tuple(map(rewritten, rule.body)),
        constraint=terms.and_([at_least, _rewritten(rule.constraint, name, value)]),
        head=rewritten(rule.head) if isinstance(rule.head, Atom) else rule.head,
    )


def _rewritten(term: Term, name: Term, value: int) -> Term:
    """The term with numbers written in terms of the size."""
    built: dict[Term, Term] = {}
    for node in nodes(term):
        built[node] = node
        if node.is_int_constant():
            parts = _multiple(int(node.constant_value()), value)
            if parts is not None:
                scaled = terms.times(terms.int_const(parts[0]), name)
                built[node] = terms.plus(scaled, terms.int_const(parts[1]))
        elif node.args() and not node.is_quantifier():
            # a factor or a divisor stays a number, or the term would not be linear
            scales = node.is_times() or node.is_function_application()
            kept = (a if scales and a.is_int_constant() else built[a] for a in node.args())
            built[node] = rebuilt(node, tuple(kept))
    return built[term]
