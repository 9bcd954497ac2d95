"""The checker of proofs: every rule of the system is valid under the interpretation that a proof
gives.

The conditions go to a solver other than the one that found the proof.  Pure bit-vectors go to
bitwuzla; everything else, and what bitwuzla leaves open, goes to cvc5.  Conditions with products of
bits are first asked as conditions on integers (`horn.checking.modular`), and those with products
of integers case by case (`horn.checking.products`).  Each solver looks at all
conditions for a moment, then by cases and by goals at those it left open, and only then at length
(`horn.checking.implications`).  Where arrays are indexed by arrays all is asked once more with keys
for these indices (`horn.checking.arraykeys`).  Anything but UNSAT fails.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import assert_never

from seahorn_py.base.errors import InputError
from seahorn_py.base.records import dataclass
from seahorn_py.horn.checking import unrolling
from seahorn_py.horn.checking.arraykeys import over_keys
from seahorn_py.horn.checking.implications import (
    Goals,
    goals,
    premise_cases,
    verification_condition,
)
from seahorn_py.horn.checking.induction import conditions
from seahorn_py.horn.checking.instances import choices_for, instance_condition
from seahorn_py.horn.checking.modular import modular_conditions
from seahorn_py.horn.checking.products import product_conditions
from seahorn_py.horn.system import (
    HornSystem,
    KInductive,
    Model,
    Proof,
    Unrolling,
)
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.logic.solvers.solvers import Answer, Status, are_bits, check_scripts
from seahorn_py.logic.terms import terms
from seahorn_py.policy.policy import policy
from seahorn_py.processes.deadline import Deadline


@dataclass(frozen=True)
class _Question:
    """A script to be shown unsatisfiable; it is if all cases are, or all goals, if it has some."""

    name: str
    script: str
    cases: Callable[[], Sequence[str]] = tuple
    goals: Callable[[Deadline], Goals] = lambda _: Goals()


@dataclass(frozen=True)
class Checked:
    """Whether evidence was confirmed, by which solver, and what failed otherwise."""

    ok: bool
    solver: str
    reason: str = ""


def check_proof(system: HornSystem, proof: Proof, *, finder: Solver, deadline: Deadline) -> Checked:
    """Check a proof of any kind; `finder` is the solver that must not confirm it."""
    match proof:
        case Model():
            return check_model(system, proof, finder=finder, deadline=deadline)
        case KInductive():
            return check_kinductive(system, proof, finder=finder, deadline=deadline)
        case Unrolling():
            return check_unrolling(system, proof, finder=finder, deadline=deadline)
    assert_never(proof)


def check_model(system: HornSystem, model: Model, *, finder: Solver, deadline: Deadline) -> Checked:
    """Whether the model makes every rule valid; the first rule that is not proved is named."""
    wrong = _malformed(system, model)
    if wrong:
        return Checked(False, "", wrong)
    found = _check_rules(system, model, finder, deadline)
    keyed = None if found.ok or not deadline.remaining else over_keys(system, model)
    if keyed is not None:
        checked = _check_rules(*keyed, finder, deadline)
        return checked if checked.ok else found
    return found


def _check_rules(system: HornSystem, model: Model, finder: Solver, deadline: Deadline) -> Checked:
    """The same for a model that is well-formed."""
    try:
        scripts = [verification_condition(system, model, rule) for rule in system.rules]
    except InputError as error:
        return Checked(False, "", str(error))
    solvers = [s for s in _solvers_for(system, model) if s is not finder]
    left = _left_by_instances(system, model, solvers, deadline)
    by_instances = len(left) < len(system.rules)
    for_integers = next(s for s in (Solver.CVC5, Solver.Z3) if s is not finder)
    soon = deadline.share(policy().confirming.modular_share)
    proved = proved_modularly(system, model, left, for_integers, soon)
    left = [k for k in left if k not in proved]
    questions = [
        _Question(
            system.rules[k].name,
            scripts[k],
            partial(premise_cases, system, model, system.rules[k]),
            partial(goals, system, model, system.rules[k]),
        )
        for k in left
    ]
    checked = _all_unsat(questions, solvers if left else (), deadline)
    used = [solvers[0].value] if by_instances else []
    used += ([for_integers.value] if proved else []) + ([checked.solver] if left else [])
    return replace(checked, ok=checked.ok or not left, solver=" and ".join(dict.fromkeys(used)))


def proved_modularly(
    system: HornSystem, model: Model, asked: Iterable[int], solver: Solver, deadline: Deadline
) -> frozenset[int]:
    """Those of the rules asked about that are valid by cases with products, of bits or integers."""
    rules = {k: system.rules[k] for k in asked}
    casing = deadline.share(policy().confirming.casing_share)
    conditions_ = {
        k: modular_conditions(system, model, rule)
        or product_conditions(system, model, rule, casing)
        for k, rule in rules.items()
    }
    scripts = [script for found in conditions_.values() for script in found]
    each = policy().confirming.modular_seconds
    answers = check_scripts(scripts, solver, deadline, seconds_each=each)
    unsat = {s for s, a in zip(scripts, answers, strict=True) if a.status is Status.UNSAT}
    return frozenset(k for k, found in conditions_.items() if found and unsat.issuperset(found))


def _left_by_instances(
    system: HornSystem, model: Model, solvers: Sequence[Solver], deadline: Deadline
) -> list[int]:
    """The rules that instances of the model's quantifiers, if it has any, do not prove."""
    left = list(range(len(system.rules)))
    for choice in choices_for(model):
        rules = {k: system.rules[k] for k in left}
        found = {k: instance_condition(system, model, r, choice) for k, r in rules.items()}
        tried = {k: script for k, script in found.items() if script is not None}
        scripts = list(tried.values())
        each = policy().confirming.reproof_seconds / 4
        answers = check_scripts(scripts, solvers[0], deadline, seconds_each=each)
        proved = {k for k, a in zip(tried, answers, strict=True) if a.status is Status.UNSAT}
        left = [k for k in left if k not in proved]
    return left


def check_kinductive(
    system: HornSystem, proof: KInductive, *, finder: Solver, deadline: Deadline
) -> Checked:
    """Whether the model is k-inductive and excludes the queries; for k > 1 of linear systems."""
    if proof.k == 1:
        return check_model(system, proof.model, finder=finder, deadline=deadline)
    if proof.k < 1 or not system.linear:
        return Checked(False, "", f"no checker for {proof.k}-inductive models of this system")
    wrong = _malformed(system, proof.model)
    if wrong:
        return Checked(False, "", wrong)
    try:
        found = conditions(system, proof)
    except InputError as error:
        return Checked(False, "", str(error))
    solvers = [s for s in _solvers_for(system, proof.model) if s is not finder]
    questions = [_Question(condition.name, condition.script) for condition in found]
    return _all_unsat(questions, solvers, deadline)


def check_unrolling(
    system: HornSystem, proof: Unrolling, *, finder: Solver, deadline: Deadline
) -> Checked:
    """Bounds on the unwindings within which no query and beyond which nothing is reachable."""
    found = unrolling.confirm(system, proof, finder, deadline)
    return Checked(bool(found.solver), found.solver, found.reason)


def _malformed(system: HornSystem, model: Model) -> str:
    """What makes the model none of this system; empty when nothing does."""
    for name, formula in model.interpretations.items():
        relation = system.relations.get(name)
        if relation is None:
            return f"the model interprets {name}, which is no relation"
        if terms.sort_of(formula) is not terms.BOOL:
            return f"the interpretation of {name} is no formula"
        if len(set(relation.symbols)) != len(relation.symbols):
            return f"{name} has two parameters of one name"
        stray = terms.free_symbols(formula) - set(relation.symbols)
        if stray:
            found = ", ".join(sorted(s.symbol_name() for s in stray))
            return f"the interpretation of {name} uses {found}, no parameters of it"
    return ""


def _solvers_for(system: HornSystem, model: Model) -> tuple[Solver, ...]:
    everything = [*system.formulas()]
    everything += [s for relation in system.relations.values() for s in relation.symbols]
    everything += model.interpretations.values()
    if are_bits(everything, quantified=True):
        return Solver.BITWUZLA, Solver.CVC5, Solver.Z3
    return Solver.CVC5, Solver.Z3


def _all_unsat(
    questions: Sequence[_Question], solvers: Sequence[Solver], deadline: Deadline
) -> Checked:
    """All questions soon, then at length; by the first solver, what it leaves by the next."""
    left, used = list(questions), dict[str, None]()
    reason = "no second solver"
    soon_each = policy().confirming.reproof_seconds_at_first
    for seconds in (soon_each, policy().confirming.reproof_seconds):
        for solver in solvers:
            used[solver.value] = None
            open_ = _open(left, solver, seconds, deadline)
            for question, answer in open_:
                if answer.status is Status.SAT:
                    failed = f"{solver.value}: rule {question.name} is not valid under the model"
                    return Checked(False, solver.value, failed)
            left = [question for question, _ in open_]
            if seconds == soon_each:
                soon = deadline.share(policy().confirming.cases_share)
                left = [question for question in left if not _by_cases(question, solver, soon)]
                left = [question for question in left if not _by_goals(question, solver, deadline)]
            if not left:
                return Checked(True, " and ".join(used))
            reason = _open_reason(left, dict(open_)[left[0]], solver)
    return Checked(False, " and ".join(used), reason)


def _open(
    questions: Sequence[_Question], solver: Solver, seconds: float, deadline: Deadline
) -> list[tuple[_Question, Answer]]:
    """Those that the solver does not prove, with what it says."""
    scripts = [question.script for question in questions]
    answers = check_scripts(scripts, solver, deadline, seconds_each=seconds)
    pairs = zip(questions, answers, strict=True)
    return [(question, answer) for question, answer in pairs if answer.status is not Status.UNSAT]


def _by_cases(question: _Question, solver: Solver, deadline: Deadline) -> bool:
    cases = question.cases() if deadline.remaining else ()
    each = policy().confirming.reproof_seconds_at_first
    answers = check_scripts(cases, solver, deadline, seconds_each=each)
    return bool(cases) and all(answer.status is Status.UNSAT for answer in answers)


def _by_goals(question: _Question, solver: Solver, deadline: Deadline) -> bool:
    """Whether all conjuncts of the head follow; at length, if z3 has found that they do."""
    if not deadline.remaining:
        return False
    confirming = policy().confirming
    found = question.goals(deadline.share(confirming.cases_share))
    share = confirming.goals_share if found.expected else confirming.cases_share
    each = confirming.reproof_seconds / 4 if found.expected else confirming.reproof_seconds_at_first
    answers = check_scripts(found.scripts, solver, deadline.share(share), seconds_each=each)
    return bool(answers) and all(answer.status is Status.UNSAT for answer in answers)


def _open_reason(left: Sequence[_Question], answer: Answer, solver: Solver) -> str:
    more = f" and {len(left) - 1} more" if len(left) > 1 else ""
    return f"{solver.value} did not prove rule {left[0].name}{more}: {answer.reason}"
