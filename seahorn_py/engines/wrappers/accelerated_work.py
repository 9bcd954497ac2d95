"""An engine on an accelerated system, and its answer read back; what `wrappers.accelerated` does.

This module loads isl, which takes a while: it is imported by who needs it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from seahorn_py.engines.engine import Budget, Engine
from seahorn_py.errors import InputError, Stage
from seahorn_py.horn.system import HornSystem, Model, Refutation, Step
from seahorn_py.horn.transform.acceleration import Accelerated, accelerate
from seahorn_py.horn.transform.acceleration_back import TooLong, read_model, read_refutation
from seahorn_py.logic.presburger.presburger import Beyond, Presburger
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.logic.solvers.solvers import Status, check_scripts, script_of
from seahorn_py.logic.terms.terms import Term
from seahorn_py.logic.text.smtlib import parse_term, print_symbol
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Safe, Unknown, Unsafe, Verdict


def solve_accelerated(inner: Engine, system: HornSystem, budget: Budget) -> Verdict:
    """A model of the system; a refutation of it, or, where that would be long, of the accelerated
    one; unknown when no loop can be replaced.
    """
    arithmetic = Presburger()
    accelerated = accelerate(system, arithmetic)
    if not accelerated.loops:
        return Unknown(Stage.SOLVE, "no loop has a closure")
    at_once = _at_once(accelerated.system, budget.deadline)
    verdict = at_once or inner.solve(accelerated.system, budget)
    match verdict:
        case Safe(Model() as model):
            return _proof(accelerated, verdict, model, arithmetic)
        case Safe():
            return Unknown(Stage.SOLVE, "only a model can be read back")
        case Unsafe():
            return _refutation(accelerated, verdict, arithmetic, budget.deadline)
        case Unknown():
            return verdict


def _at_once(system: HornSystem, deadline: Deadline) -> Safe | Unsafe | None:
    """The answer where no query needs a fact: each is a formula; None where z3 does not decide."""
    if any(rule.body for rule in system.queries):
        return None
    try:
        scripts = [script_of([rule.constraint]) for rule in system.queries]
    except InputError:
        return None
    answers = check_scripts(scripts, Solver.Z3, deadline, seconds_each=deadline.remaining / 2)
    for rule, answer in zip(system.queries, answers, strict=True):
        if answer.status is Status.SAT:
            return Unsafe(Refutation((Step(rule.name, (), ()),)))
    if all(answer.status is Status.UNSAT for answer in answers):
        return Safe(Model({}))
    return None


def _proof(
    accelerated: Accelerated, verdict: Safe, model: Model, arithmetic: Presburger
) -> Verdict:
    try:
        return replace(verdict, proof=read_model(accelerated, model, arithmetic))
    except Beyond as limit:
        return Unknown(Stage.SOLVE, f"the model cannot be read back: {limit}")


def _refutation(
    accelerated: Accelerated, verdict: Unsafe, arithmetic: Presburger, deadline: Deadline
) -> Verdict:
    def solve(formula: Term, wanted: Sequence[Term]) -> Sequence[Term] | None:
        return _solution(formula, wanted, deadline)

    try:
        found = read_refutation(accelerated, verdict.refutation, arithmetic, solve)
    except (TooLong, Beyond):
        return replace(verdict, system=accelerated.system)
    return replace(verdict, refutation=found)


def _solution(formula: Term, wanted: Sequence[Term], deadline: Deadline) -> list[Term] | None:
    """Values of the symbols in a solution that z3 finds."""
    names = tuple(print_symbol(symbol) for symbol in wanted)
    try:
        script = script_of([formula])
    except InputError:
        return None
    (found,) = check_scripts(
        [script], Solver.Z3, deadline, seconds_each=deadline.remaining, wanted=names
    )
    if found.status is not Status.SAT:
        return None
    return [parse_term(value, {}, "a value of a step") for value in found.values]
