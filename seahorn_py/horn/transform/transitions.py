"""Rules as relations between integer points: from the arguments of the body to those of the head.

A rule whose constraint is Presburger arithmetic, inputs and other symbols being projected out,
relates the facts that it is applied to with the fact that it derives.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from seahorn_py.horn.system import Atom, HornSystem, Relation, Rule
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Term

if TYPE_CHECKING:  # isl costs start-up time
    from seahorn_py.logic.presburger.presburger import Map, Presburger


def transition(arithmetic: Presburger, rule: Rule) -> Map:
    """From the arguments of the body's atoms, one after the other, to the head's (none: a query).

    `Beyond` when the rule is not Presburger arithmetic.
    """
    before = [a for atom in rule.body for a in atom.arguments]
    after = rule.head.arguments if isinstance(rule.head, Atom) else ()
    inputs, outputs = ports("before", before), ports("after", after)
    formula = terms.and_([rule.constraint, equations(inputs, before), equations(outputs, after)])
    return arithmetic.relation(formula, inputs, outputs)


def ports(name: str, values: Sequence[Term]) -> list[Term]:
    """Symbols of the sorts of these terms, the same ones each time."""
    return [
        terms.variable(f"{name}!{number}.{terms.sort_of(value)}", terms.sort_of(value))
        for number, value in enumerate(values)
    ]


def equations(left: Sequence[Term], right: Sequence[Term]) -> Term:
    """Equations between the terms, pair by pair."""
    return terms.and_(terms.eq(a, b) for a, b in zip(left, right, strict=True))


def instance(rule: Rule, body: Sequence[Sequence[Term]], head: Sequence[Term]) -> Term:
    """That these facts give this one by the rule; its symbols are free."""
    parts = [rule.constraint]
    for atom, values in zip(rule.body, body, strict=True):
        parts.append(equations(atom.arguments, values))
    if isinstance(rule.head, Atom):
        parts.append(equations(rule.head.arguments, head))
    return terms.and_(parts)


def numbers(values: Sequence[Term]) -> tuple[int, ...]:
    """Constants as coordinates of a point."""
    return tuple(int(v.constant_value()) for v in values)


def constants(point: Sequence[int], relation: Relation) -> tuple[Term, ...]:
    """A point as constants of the sorts of the relation's parameters."""
    return tuple(
        terms.bool_const(bool(value)) if p.sort is terms.BOOL else terms.int_const(value)
        for value, p in zip(point, relation.parameters, strict=True)
    )


def is_arithmetic(system: HornSystem, name: str) -> bool:
    """Whether all parameters of the relation are integers or Booleans."""
    return all(p.sort in (terms.INT, terms.BOOL) for p in system.relations[name].parameters)
