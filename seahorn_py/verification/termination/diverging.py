"""A run that never ends: a recurrent set that another solver finds closed, and inputs into it.

1. A recurrent set is found in Presburger arithmetic (`engines.termination.recurrent`).
2. A second solver is asked, of the rules themselves, whether each state of the set has a step into
   the set.
3. A run into the set is a refutation of the system in which it is an error to be in the set.  The
   steps of the refutation are checked one by one.
4. The native run on the inputs of the refutation must not end.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial

from seahorn_py.base.errors import NOWHERE, Stage, StageFailure
from seahorn_py.encode.encoding import CutKind, Encoding
from seahorn_py.engines import catalogue
from seahorn_py.engines.engine import Budget
from seahorn_py.engines.portfolio import Portfolio
from seahorn_py.engines.termination.recurrent import (
    Component,
    Family,
    closedness,
    components,
    families,
    within,
)
from seahorn_py.evidence.replay.replay import feed_from
from seahorn_py.evidence.runs.inputs import undefined_shifts
from seahorn_py.frontend.temporal.insertion import automaton_of
from seahorn_py.frontend.temporal.product import STATE, accepting_components
from seahorn_py.horn.checking.refutations import check_refutation
from seahorn_py.horn.ledger import Approximation, LedgerEntry
from seahorn_py.horn.system import (
    Atom,
    Check,
    CheckId,
    HornSystem,
    Model,
    Query,
    Refutation,
    Rule,
    Step,
)
from seahorn_py.horn.text.wire import model_from_text, model_to_text
from seahorn_py.horn.transform.transitions import instance
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.logic.solvers.solvers import Status, check_scripts, script_of, solve_script
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.folding import folded
from seahorn_py.logic.terms.terms import Term
from seahorn_py.logic.text.smtlib import print_symbol
from seahorn_py.options import EngineName
from seahorn_py.policy.policy import policy
from seahorn_py.processes.child import ChildError, Fork
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Answer, Unsafe, VerificationResult, Violation
from seahorn_py.verification.encodings.one_encoding import Task
from seahorn_py.verification.termination.endless import endless, went_on
from seahorn_py.verification.termination.whole import without_invalid

RECURS = " recurs"
STEPS = 12
"""The run is continued by so many steps inside of the set."""
OPERATIONS = 8_000_000


def diverging(task: Task) -> VerificationResult:
    """Unsafe if a run is found that does not end; otherwise unknown."""
    subject, reason = without_invalid(task.subject)
    task = replace(task, subject=subject)
    encoding = task.encode(frozenset(), not task.ideal)
    reason = reason or _inexact(encoding)
    if reason:
        reason = f"no run without end is looked for: {reason}"
        return VerificationResult(Answer.UNKNOWN, stage=Stage.ENCODE, reason=reason)
    reasons = ["no recurrent set found"]
    for component in components(encoding.system):
        for family in _candidates(encoding.system, component, task):
            if not _is_closed(encoding.system, component, family, task):
                continue
            try:
                return _entered(task, encoding, component, family)
            except StageFailure as failure:
                reasons.append(failure.reason)
    return VerificationResult(Answer.UNKNOWN, stage=Stage.SOLVE, reason="; ".join(reasons))


def _inexact(encoding: Encoding) -> str:
    """Why the rules are not exactly what the program does; empty if they are."""
    for entry in encoding.system.ledger:
        if entry.kind is not Approximation.ASSUMED:
            return entry.text
    unknown = {site.number for site in encoding.program.sites if not site.native}
    unknown |= undefined_shifts(encoding.program.sites)
    if any(read.site in unknown for rule in encoding.system.rules for read in rule.inputs):
        return "it reads what is undefined"
    return ""


def _candidates(system: HornSystem, component: Component, task: Task) -> Iterator[Family]:
    for part in _parts(system, component, task):
        limit = task.deadline.at_most(policy().termination.recurrent_seconds)
        work = partial(_search, system, part, limit)
        try:
            with Fork(work, limit, task.options.memory_mib) as fork:
                found = fork.result()
        except ChildError:
            continue
        assert isinstance(found, list)
        for text in found:
            yield model_from_text(text).interpretations


def _parts(system: HornSystem, component: Component, task: Task) -> Iterator[Component]:
    """The component, or its parts in which the automaton of a formula may accept."""
    if not task.options.frontend.formula:
        yield component
        return
    automaton, _ = automaton_of(task.options.frontend.formula)
    for low, high in accepting_components(automaton):
        yield within(system, component, f"global.{STATE}", low, high)
    yield component


def _search(system: HornSystem, component: Component, limit: Deadline) -> list[str]:
    found = families(system, component, OPERATIONS, limit)
    return [model_to_text(Model(family)) for family in found]


def _is_closed(system: HornSystem, component: Component, family: Family, task: Task) -> bool:
    """Whether a second solver confirms that each state of the family has a step into it."""
    scripts = closedness(system, component, family)
    for solver in (Solver.CVC5, Solver.Z3):
        answers = check_scripts(
            scripts, solver, task.deadline, seconds_each=policy().termination.closed_seconds
        )
        open_ = [s for s, a in zip(scripts, answers, strict=True) if a.status is not Status.UNSAT]
        if any(a.status is Status.SAT for a in answers):
            return False
        scripts = open_
        if not scripts:
            return True
    return False


def _entered(
    task: Task, encoding: Encoding, component: Component, family: Family
) -> VerificationResult:
    """Unsafe, by a run into the family that is found and checked; StageFailure without one."""
    asked = _asking(encoding.system, family)
    entering = _refuted(task, asked)
    refutation = _prolonged(asked, component, entering, task.deadline)
    checked = check_refutation(asked, refutation, task.deadline)
    if not checked.ok:
        raise StageFailure(Stage.REPROOF, checked.reason)
    at = refutation.query.rule.removesuffix(RECURS)
    place, cut = asked.relations[at].origin, encoding.cuts[at]
    called = f"recursion of {cut.function}" if cut.kind is CutKind.ENTRY else "loop"
    closed = f"{called} at {place}: need not end: a second solver found that its states recur"
    if task.ideal:
        text = "signed integers are those of mathematics; no native run was compared"
        ledger = (*asked.ledger, LedgerEntry(Approximation.ASSUMED, text))
        violation = Violation(
            "termination", f"the {called} at {place} need not end", place.span, ()
        )
        return VerificationResult(Answer.UNSAFE, (closed,), violation=violation, ledger=ledger)
    reads = any(rule.inputs for rule in component.rules)
    feed = feed_from(replace(encoding, system=asked), refutation, task.deadline)
    recurses = any(encoding.cuts[name].kind is CutKind.ENTRY for name in component.names)
    evidence = (closed, *went_on(task.subject, feed, reads, recurses))
    earlier = _visits(asked, entering) - 1
    shown = endless(task.subject, feed, place, earlier, called=called)
    return VerificationResult(Answer.UNSAFE, evidence, violation=shown, ledger=asked.ledger)


def _visits(system: HornSystem, refutation: Refutation) -> int:
    """How often the run visits the relation at which it comes into the family."""
    heads = {rule.name: rule.head for rule in system.rules}
    at = refutation.query.rule.removesuffix(RECURS)
    reached = (heads[step.rule] for step in refutation.steps)
    return sum(isinstance(head, Atom) and head.relation == at for head in reached)


def _asking(system: HornSystem, family: Family) -> HornSystem:
    """The system in which it is an error to be in the family."""
    identity = CheckId("termination", "a recurrent set", NOWHERE)
    entering = []
    for name, formula in family.items():
        relation = system.relations[name]
        query = Query(f"recurs.{name}", Check(identity, 0))
        body = (Atom(name, relation.symbols),)
        entering.append(Rule(f"{name}{RECURS}", body, formula, query, origin=relation.origin))
    rules = [rule for rule in system.rules if isinstance(rule.head, Atom)]
    return replace(system, rules=(*rules, *entering))


def _refuted(task: Task, system: HornSystem) -> Refutation:
    turns = catalogue.named((EngineName.BMC, EngineName.SPACER), task.jobs, None)
    portfolio = Portfolio(turns, task.journal, task.arithmetic.value)
    limit = task.deadline.at_most(policy().termination.entering_seconds)
    budget = Budget(limit, task.options.memory_mib, task.jobs)
    with closing(portfolio.verdicts(system, budget)) as answers:
        for verdict in answers:
            if isinstance(verdict, Unsafe) and verdict.system is None:
                return verdict.refutation
    raise StageFailure(Stage.SOLVE, "no run into the recurrent set found")


def _prolonged(
    system: HornSystem, component: Component, refutation: Refutation, deadline: Deadline
) -> Refutation:
    """The run into the family, continued by some steps inside of it."""
    steps = list(refutation.steps[:-1])
    at = refutation.query.rule.removesuffix(RECURS)
    premise = refutation.query.premises[0]
    for _ in range(STEPS):
        rules = [r for r in component.rules if r.body[0].relation == at]
        found = _stepped(system, rules, steps[premise].arguments, deadline)
        if found is None:
            break
        rule, values = found
        assert isinstance(rule.head, Atom)
        steps.append(Step(rule.name, values, (premise,)))
        premise, at = len(steps) - 1, rule.head.relation
    return Refutation((*steps, Step(f"{at}{RECURS}", (), (premise,))))


def _stepped(
    system: HornSystem, rules: Sequence[Rule], state: Sequence[Term], deadline: Deadline
) -> tuple[Rule, tuple[Term, ...]] | None:
    """A step from a state to a state of the family: its rule, and the values after it."""
    for rule in rules:
        assert isinstance(rule.head, Atom)
        inside = next(r for r in system.rules if r.name == f"{rule.head.relation}{RECURS}")
        reached = inside.body[0].arguments
        after = [terms.variable(f"after!{k}", terms.sort_of(a)) for k, a in enumerate(reached)]
        values = dict(zip(reached, after, strict=True))
        formula = terms.and_([instance(rule, [state], after), folded(inside.constraint, values)])
        names = [print_symbol(symbol) for symbol in after]
        found = solve_script(script_of([formula], after), names, Solver.Z3, deadline)
        if found is not None:
            return rule, tuple(found[name] for name in names)
    return None
