"""From a refutation to a run: the values of uninitialised variables, in the order of the calls.

From the query the run is followed backwards: along first premises to the entry of the function, on
to the caller that gave the context, and so to the start of the program.  Where a caller is joined
with a summary, the whole callee is inserted, from its entry to its exit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from seahorn_py.horn.system import Atom, HornSystem, Refutation, Rule
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
    for number in reversed(_backwards(refutation, rules)):
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


def _backwards(refutation: Refutation, rules: Mapping[str, Rule]) -> list[int]:
    """The steps of the run, the last one first."""
    found = []
    todo = [(len(refutation.steps) - 1, False)]
    while todo:
        number, inside = todo.pop()
        step = refutation.steps[number]
        head = rules[step.rule].head
        if inside and isinstance(head, Atom) and head.relation.endswith(".entry"):
            continue
        found.append(number)
        if len(step.premises) == 2:
            caller, summary = step.premises
            todo += [(caller, inside), (summary, True)]
        else:
            todo += [(premise, inside) for premise in step.premises]
    return found
