"""A system whose rules may also use invariants that are known.

An invariant holds of every fact that can be derived, so its conjunction with the body atoms of the
rules leaves the same derivations.  A refutation is one of both systems; a model of the new one
becomes one of the original when it is joined by the invariants.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from seahorn_py.base.records import dataclass
from seahorn_py.horn.system import HornSystem, Model, Rule
from seahorn_py.horn.transform.transformation import Both, same_refutation
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.connectives import conjuncts
from seahorn_py.logic.terms.terms import Term


@dataclass(frozen=True)
class Strengthening:
    """By a model of all rules but the queries."""

    invariants: Model

    def apply(self, system: HornSystem) -> tuple[HornSystem, Both]:
        """The system in which body atoms are known to satisfy the invariants."""
        formulas = self.invariants.interpretations
        rules = tuple(_under(rule, system, formulas) for rule in system.rules)

        def back(model: Model) -> Model:
            return conjoined(system, [model, self.invariants])

        return replace(system, rules=rules), Both(back, same_refutation)


def _under(rule: Rule, system: HornSystem, formulas: Mapping[str, Term]) -> Rule:
    known = []
    for atom in rule.body:
        symbols = system.relations[atom.relation].symbols
        values = dict(zip(symbols, atom.arguments, strict=True))
        known.append(terms.substitute(formulas.get(atom.relation, terms.TRUE), values))
    return replace(rule, constraint=terms.and_([rule.constraint, *known]))


def conjoined(system: HornSystem, parts: Iterable[Model]) -> Model:
    """The conjunction of models."""
    models = list(parts)
    return Model(
        {
            name: terms.and_(
                conjunct
                for model in models
                for conjunct in conjuncts(model.interpretations.get(name, terms.TRUE))
            )
            for name in system.relations
        }
    )
