"""Which predicates can matter to a question about a rule: its cone of influence.

Ball, Majumdar, Millstein, Rajamani, PLDI 2001, section 5.2: a predicate is connected to a question
if it shares a symbol with it, or with another predicate that is connected.  No prime cube of the
answer has a predicate that is not connected.  The exception are predicates that contradict
themselves or each other, and the guard excludes those.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from seahorn_py.engines.boolean.questions import At
from seahorn_py.horn.system import Atom, Query, Relation, Rule, Vacuity, atoms
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.connectives import conjuncts_below_negations
from seahorn_py.logic.terms.terms import Term


class Relevance:
    """The symbols of one rule and of predicates at its atoms."""

    def __init__(self, rule: Rule, relations: Mapping[str, Relation]) -> None:
        self._arguments = [
            dict(zip(relations[a.relation].symbols, a.arguments, strict=True)) for a in atoms(rule)
        ]
        self._head = len(rule.body)
        given = [argument for atom in rule.body for argument in atom.arguments]
        plain = all(g.is_symbol() for g in given) and len(set(given)) == len(given)
        self._separate = plain and len(rule.body) < 2
        self._parts = [
            terms.free_symbols(part) for part in conjuncts_below_negations(rule.constraint)
        ]
        self._placed: dict[At, Term] = {}

    def placed(self, position: int, predicate: Term) -> Term:
        """The predicate over the symbols of the rule."""
        at = position, predicate
        if at not in self._placed:
            self._placed[at] = terms.substitute(predicate, self._arguments[position])
        return self._placed[at]

    def of(self, body: Sequence[At], predicate: Term | None) -> list[int]:
        """The positions of the predicates that matter to one of the head, None: to the guard."""
        sets = [terms.free_symbols(self.placed(*at)) for at in body]
        if predicate is not None:
            cone = set(terms.free_symbols(self.placed(self._head, predicate)))
        elif self._separate:
            cone = set(frozenset[Term]().union(*self._parts))
        else:
            return list(range(len(body)))
        waiting = [*sets, *self._parts]
        grown = True
        while grown:
            touched = [s for s in waiting if s & cone]
            waiting = [s for s in waiting if not s & cone]
            grown = bool(touched)
            cone = cone.union(*touched)
        return [position for position, symbols in enumerate(sets) if symbols & cone]


def quantified(rule: Rule, relations: Mapping[str, Relation]) -> Rule:
    """The same premises, and no instance of the rule for them: for all inputs, not phi."""
    ports = [
        tuple(terms.fresh_like(symbol) for symbol in relations[atom.relation].symbols)
        for atom in rule.body
    ]
    body = tuple(Atom(a.relation, own) for a, own in zip(rule.body, ports, strict=True))
    equal = [
        terms.eq(port, argument)
        for atom, own in zip(rule.body, ports, strict=True)
        for port, argument in zip(own, atom.arguments, strict=True)
    ]
    plain = {
        a: p
        for atom, own in zip(rule.body, ports, strict=True)
        for p, a in zip(own, atom.arguments, strict=True)
        if a.is_symbol()
    }
    constraint = terms.substitute(terms.and_([rule.constraint, *equal]), plain)
    inputs = terms.free_symbols(constraint) - {port for own in ports for port in own}
    none = terms.forall(terms.by_name(inputs), terms.not_(constraint))
    return Rule(rule.name, body, none, Query("none", Vacuity("none")))
