"""A system whose rules know between which numbers arguments lie, and which remainders they have.

Both are found by abstract interpretation of the rules (`horn.transform.arguments.intervals`,
`horn.transform.arguments.congruences`), and are kept by every rule.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

from seahorn_py.base.records import dataclass
from seahorn_py.horn.system import HornSystem, Model, Relation
from seahorn_py.horn.transform.arguments.congruences import Residues, congruences
from seahorn_py.horn.transform.arguments.intervals import Range, intervals
from seahorn_py.horn.transform.rules.strengthening import Strengthening
from seahorn_py.horn.transform.transformation import Both, Inapplicable
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import INT, Term


@dataclass(frozen=True)
class NumberFacts:
    """Inapplicable where nothing is known of any argument."""

    def apply(self, system: HornSystem) -> tuple[HornSystem, Both]:
        """The system in which body atoms are known to satisfy the facts."""
        known = facts_about_numbers(system)
        if all(formula is terms.TRUE for formula in known.interpretations.values()):
            raise Inapplicable("nothing is known of any argument")
        return Strengthening(known).apply(system)


def facts_about_numbers(system: HornSystem) -> Model:
    """What holds of all facts of each relation; FALSE where there are none."""
    ranges, classes = intervals(system), congruences(system)
    return Model(
        {
            name: terms.and_(_facts(relation, ranges[name], classes[name]))
            if name in ranges and name in classes
            else terms.FALSE
            for name, relation in system.relations.items()
        }
    )


def _facts(
    relation: Relation, ranges: tuple[Range, ...], classes: tuple[Residues, ...]
) -> Iterator[Term]:
    for symbol, (low, high), own in zip(relation.symbols, ranges, classes, strict=True):
        if terms.sort_of(symbol) is not INT:
            continue
        if low > -inf:
            yield terms.le(terms.int_const(int(low)), symbol)
        if high < inf:
            yield terms.le(symbol, terms.int_const(int(high)))
        if own.modulus > 1:
            rest = terms.mod(symbol, terms.int_const(own.modulus))
            yield terms.eq(rest, terms.int_const(own.remainder))
        elif own.modulus == 0 and low < high:
            yield terms.eq(symbol, terms.int_const(own.remainder))
