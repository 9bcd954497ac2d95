"""Derivations of one system, handed to Spacer for interpolants."""

from __future__ import annotations

import time
from collections.abc import Sequence

from seahorn_py.engines.refinement.derivation import Derivation, Formulas
from seahorn_py.horn.system import Atom, Rule
from seahorn_py.logic.solvers.spacer.derivations import Applied, Derivations
from seahorn_py.logic.terms.terms import Term


class HornInterpolation:
    """Spacer on derivations of one system."""

    def __init__(self, formulas: Formulas) -> None:
        self._formulas = formulas
        self._derivations = Derivations()

    def ask(self, of: Derivation, until: float, seconds: float) -> list[Term] | str:
        """A formula over the parameters of its relation for each step but the last; or why not."""
        steps = [self._applied(step.rule, step.premises) for step in of.steps]
        others = [(o.step, self._applied(o.rule, o.premises)) for o in of.alternatives]
        left = min(until - time.monotonic(), seconds)
        return self._derivations.interpolants(steps, others, left)

    def _applied(self, rule: Rule, premises: Sequence[int]) -> Applied:
        own = self._formulas.of(rule)
        head = rule.head
        relations = self._formulas.relations
        parameters = relations[head.relation].symbols if isinstance(head, Atom) else ()
        return Applied(rule.name, own.formula, own.symbols, own.ports, premises, parameters)
