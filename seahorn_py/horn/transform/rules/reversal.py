"""A linear system read backwards: what leads to a query, instead of what facts lead to.

A rule from one fact to another becomes one from the other to the first; facts become queries and
queries facts (Horn reversal, as in Golem: Blicha, Britikov, Sharygina, CAV 2023).  A model of the
new system holds of all that leads to an error, so its negation is one of the original.
"""

from __future__ import annotations

from dataclasses import replace

from seahorn_py.base.records import dataclass
from seahorn_py.horn.system import Atom, HornSystem, Model, Query, Refutation, Rule, Step, Vacuity
from seahorn_py.horn.transform.transformation import Both, Inapplicable
from seahorn_py.logic.terms import terms


@dataclass(frozen=True)
class Reversal:
    """Rules from heads to bodies; Inapplicable to systems that are not linear."""

    def apply(self, system: HornSystem) -> tuple[HornSystem, Both]:
        """The reversed system."""
        if not system.linear:
            raise Inapplicable("a rule has two premises, the system is not linear")
        rules = tuple(map(_reversed, system.rules))
        return replace(system, rules=rules), Both(lambda model: _negated(system, model), _refuted)


def _reversed(rule: Rule) -> Rule:
    head = rule.body[0] if rule.body else Query(rule.name, Vacuity(rule.name))
    body = (rule.head,) if isinstance(rule.head, Atom) else ()
    return replace(rule, body=body, head=head)


def _negated(system: HornSystem, model: Model) -> Model:
    found = model.interpretations
    return Model({name: terms.not_(found.get(name, terms.TRUE)) for name in system.relations})


def _refuted(refutation: Refutation) -> Refutation:
    """The steps from the last one to the first; each derives what it used."""
    steps: list[Step] = []
    step: Step | None = refutation.query
    while step is not None:
        used = refutation.steps[step.premises[0]] if step.premises else None
        arguments = used.arguments if used is not None else ()
        premises = (len(steps) - 1,) if steps else ()
        steps.append(Step(step.rule, arguments, premises, step.values))
        step = used
    return Refutation(tuple(steps))
