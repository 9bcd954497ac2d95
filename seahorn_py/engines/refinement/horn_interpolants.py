"""Derivations of one system, handed to Spacer for interpolants."""

from __future__ import annotations

import time

from seahorn_py.engines.refinement.derivation import Derivation, DerivationStep, Formulas
from seahorn_py.logic.solvers.spacer.derivations import Applied, Derivations
from seahorn_py.logic.terms.terms import Term


class HornInterpolation:
    """Spacer on derivations of one system."""

    def __init__(self, formulas: Formulas) -> None:
        self._formulas = formulas
        self._derivations = Derivations()

    def ask(self, of: Derivation, until: float, seconds: float) -> list[Term] | str:
        """A formula over the parameters of its relation for each step but the last; or why not."""
        steps = [self._applied(step) for step in of.steps]
        return self._derivations.interpolants(steps, min(until - time.monotonic(), seconds))

    def _applied(self, step: DerivationStep) -> Applied:
        rule = self._formulas.of(step.rule)
        relation = self._formulas.relations.get(step.node.relation)
        parameters = () if relation is None else relation.symbols
        name = step.rule.name
        return Applied(name, rule.formula, rule.symbols, rule.ports, step.premises, parameters)
