"""Refinement of values: the parameters whose values exclude a counterexample.

Beyer, Loewe: Explicit-state software model checking based on CEGAR and interpolation, FASE 2013.

Where a step uses a fact, each parameter of the fact is an equality that may be given up.  Those
that an unsatisfiable core needs are followed from now on; what is followed already is kept.  The
core is not made least: to follow more at once takes fewer rounds.
"""

from __future__ import annotations

from collections.abc import Iterator

from seahorn_py.base.records import dataclass
from seahorn_py.engines.refinement.derivation import Derivation, Formulas
from seahorn_py.engines.refinement.precision import Precision
from seahorn_py.engines.refinement.predicates import can_follow
from seahorn_py.logic.solvers.natives import Backend, Native, Solvers
from seahorn_py.logic.solvers.solvers import Status
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Term
from seahorn_py.policy.policy import policy

Parameter = tuple[str, Term]
"""A relation and one of its parameters."""


@dataclass(frozen=True)
class NeededValues:
    """Asks a solver for the core."""

    formulas: Formulas
    solvers: Solvers

    def ask(self, of: Derivation, known: Precision, until: float) -> tuple[Parameter, ...]:
        """The parameters that are to be followed as well; none where the solver knows of none."""
        backend = self.solvers.backend()
        labels: dict[Parameter, Native] = {}
        for parameter, equality in self._assert_steps(backend, of):
            name, symbol = parameter
            if symbol in known.values(name) or not can_follow(symbol):
                backend.add(equality)
                continue
            if parameter not in labels:
                labels[parameter] = backend.label(len(labels))
            backend.add(backend.implication(labels[parameter], equality))
        assumed = list(labels.values())
        if backend.check(assumed, until, policy().refinement.values_seconds) is not Status.UNSAT:
            return ()
        needed = set(backend.core(assumed))
        return tuple(parameter for k, parameter in enumerate(labels) if k in needed)

    def _assert_steps(self, backend: Backend, of: Derivation) -> Iterator[tuple[Parameter, Native]]:
        """The rules with names of their own for what they use; what it is equal to, one by one."""
        heads: list[dict[Term, str]] = []
        for number, (rule, names) in enumerate(self.formulas.instances(of.steps)):
            step = of.steps[number]
            uses = list(zip(step.premises, rule.ports, strict=False))
            for position, (_, ports) in enumerate(uses):
                names |= {port: f"u!{number}!{position}!{k}" for k, port in enumerate(ports)}
            backend.declare(names)
            backend.add(backend.formula(rule.formula, names))
            heads.append({port: names[port] for port in rule.ports[-1]} if rule.ports else {})
            for source, ports in uses:
                relation = self.formulas.relations[of.steps[source].node.relation]
                made = heads[source]
                for symbol, use, fact in zip(relation.symbols, ports, made, strict=True):
                    equal = terms.eq(use, fact)
                    pair = {use: names[use], fact: made[fact]}
                    yield (relation.name, symbol), backend.formula(equal, pair)
