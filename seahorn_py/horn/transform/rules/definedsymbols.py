"""Symbols that an equation defines are replaced by what they are.

Where `x = t` is a part of the condition of a rule, and no premise speaks of `x`, the rule is that
with `t` for `x` (destructive equality resolution).  Then an argument of the head is the term that
it is computed as, and what nobody asks for is not computed.

A model of the new system is one of the old.  In a refutation the values of what was replaced are
computed from those of the rest.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from seahorn_py.base.records import dataclass
from seahorn_py.horn.system import HornSystem, Refutation, Rule, Step
from seahorn_py.horn.transform.composition import substituted, symbols
from seahorn_py.horn.transform.transformation import Both, NotCarried, same_model
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.connectives import conjuncts
from seahorn_py.logic.terms.constants import any_value, known_value
from seahorn_py.logic.terms.definitions import values_given
from seahorn_py.logic.terms.terms import Term

MOST_ROUNDS = 20
"""Definitions that rest on each other are looked at so often."""


@dataclass(frozen=True)
class Definitions:
    """Without symbols that equations define."""

    def apply(self, system: HornSystem) -> tuple[HornSystem, Both]:
        """The system with the same relations and rules over fewer symbols."""
        found = {rule.name: _resolved(rule) for rule in system.rules}
        rules = tuple(one.rule for one in found.values())
        back = Both(same_model, lambda refutation: _with_values(found, refutation))
        return replace(system, rules=rules), back


@dataclass(frozen=True)
class _Resolved:
    """A rule, and the definitions that went, those that rest on others first."""

    rule: Rule
    values: tuple[Mapping[Term, Term], ...]


def _resolved(rule: Rule) -> _Resolved:
    rounds: list[Mapping[Term, Term]] = []
    while len(rounds) < MOST_ROUNDS and (values := _definitions(rule)):
        rounds.append(values)
        rule = substituted(rule, values)
    return _Resolved(rule, tuple(reversed(rounds)))


def _definitions(rule: Rule) -> Mapping[Term, Term]:
    """Definitions of which none speaks of what another one defines."""
    values: dict[Term, Term] = {}
    if rule.inputs or rule.blocks:  # a run is told by them
        return values
    arguments = (argument for atom in rule.body for argument in atom.arguments)
    fixed: set[Term] = set().union(*map(terms.free_symbols, arguments))
    for part in conjuncts(rule.constraint):
        for symbol, value in values_given(part):
            free = terms.free_symbols(value)
            if symbol not in fixed and symbol not in free and not free & values.keys():
                values[symbol] = value
                fixed |= free | {symbol}
                break
    return values


def _with_values(found: Mapping[str, _Resolved], refutation: Refutation) -> Refutation:
    """The same steps with values for all symbols; NotCarried where some are not given."""
    return Refutation(tuple(_step(found[step.rule], step) for step in refutation.steps))


def _step(resolved: _Resolved, step: Step) -> Step:
    if not resolved.values:
        return step
    if any(symbol not in step.values for symbol in symbols(resolved.rule)):
        raise NotCarried("values of a step are not given")
    values = dict(step.values)
    for definitions in resolved.values:
        values |= {symbol: _value(term, values) for symbol, term in definitions.items()}
    return replace(step, values=values)


def _value(term: Term, given: dict[Term, Term]) -> Term:
    """The value of a term; symbols that went with it may have any, which they keep."""
    for symbol in terms.free_symbols(term):
        given.setdefault(symbol, any_value(terms.sort_of(symbol)))
    return known_value(terms.substitute(term, given))
