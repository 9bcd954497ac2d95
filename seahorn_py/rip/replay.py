"""From a refutation to a run: the values of uninitialised variables, in the order of the calls."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from seahorn_py.horn.system import HornSystem, Refutation
from seahorn_py.horn.walking import run_backwards
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Term
from seahorn_py.rip.interpreter import Value
from seahorn_py.rip.syntax import Program, Variable


def initial_values(
    program: Program, system: HornSystem, refutation: Refutation
) -> list[Mapping[str, Value]]:
    """The globals, then the locals of each activation."""
    rules = {rule.name: rule for rule in system.rules}
    found: list[Mapping[str, Value]] = []
    for number in reversed(run_backwards(system, refutation)):
        step = refutation.steps[number]
        rule = rules[step.rule]
        if not rule.body:
            found.append(_named(program.variables, step.arguments))
        elif rule.body[0].relation.endswith(".entry"):
            name = rule.body[0].relation.removesuffix(".entry")
            locals_ = program.function(name).variables
            found.append(_named(locals_, step.arguments[2 * len(program.variables) :]))
    return found


def _named(variables: Iterable[Variable], values: Iterable[Term]) -> dict[str, Value]:
    return {
        variable.name: terms.number(value)
        for variable, value in zip(variables, values, strict=True)
    }
