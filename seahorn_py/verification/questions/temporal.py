"""Whether all runs fulfil a formula of linear temporal logic, by questions about termination.

The automaton of the negated formula is code of the program (`frontend.temporal.product`).  Where
its accepting states give always the same fuel, a run without end violates the formula.  Where they
give any fuel and all runs end, none violates it.  For a safety property it is one question, whether
an error is reached.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from seahorn_py.base.errors import Span, Stage
from seahorn_py.base.patterns import pattern
from seahorn_py.frontend.compiling.support import RULE_FOLDER
from seahorn_py.frontend.temporal.branching import check_branching
from seahorn_py.frontend.temporal.formula import is_branching, read_formula
from seahorn_py.frontend.temporal.insertion import automaton_of, refuse_next
from seahorn_py.frontend.temporal.marks import PREFIX
from seahorn_py.frontend.temporal.product import Fuel, is_of_safety
from seahorn_py.horn.ledger import Approximation, LedgerEntry
from seahorn_py.options import Property, VerifyOptions
from seahorn_py.policy.policy import policy
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Answer, TraceStep, VerificationResult, Violation
from seahorn_py.verification.questions.branching_time import decided, is_linear
from seahorn_py.verification.questions.each_property import summed
from seahorn_py.verification.questions.guesses import read_guesses

Ask = Callable[[VerifyOptions], VerificationResult]

PROPERTY = "ltl"
_UNDER = Approximation.UNDER
_PLACE = pattern(rf"loop at \S*?{re.escape(RULE_FOLDER)}\S+?(?=: )")
_CHOSEN = "rule()"
_MEANS = "no run is accepted by the automaton of the negated formula"
_FUEL = "between two accepting states of the automaton a run makes fewer than 2^63 steps"


def answered(ask: Ask, options: VerifyOptions, paths: Sequence[Path]) -> VerificationResult:
    """The answer about the formula; `ask` has that of a run of all steps."""
    formula = read_formula(options.frontend.formula)
    if is_branching(formula):
        check_branching(formula)
        refuse_next(formula)
        if not is_linear(formula):
            return decided(lambda one: _of_runs(ask, one), options, read_guesses(paths))
    return _of_runs(ask, options)


def _of_runs(ask: Ask, options: VerifyOptions) -> VerificationResult:
    """The answer about a formula of linear time."""
    deadline = Deadline.after(options.timeout)
    formula = options.frontend.formula
    if is_of_safety(automaton_of(formula)[0]):
        return _answer(_asked(ask, options, Fuel.NONE, deadline), formula)
    spent = []
    if not options.frontend.choices:  # where inputs are chosen a violation means nothing
        share = deadline.share(policy().properties.violated_share)
        first = _asked(ask, options, Fuel.FIXED, share)
        if first.answer is Answer.UNSAFE:
            return _answer(first, formula)
        spent.append(first.times)
    second = _asked(ask, options, Fuel.ANY, deadline)
    assumed = LedgerEntry(Approximation.ASSUMED, _FUEL)
    if second.answer is Answer.SAFE:
        second = replace(second, ledger=(*second.ledger, assumed))
    return replace(_answer(second, formula), times=summed((*spent, second.times)))


def _asked(ask: Ask, options: VerifyOptions, fuel: Fuel, limit: Deadline) -> VerificationResult:
    """The answer for the program with the automaton; unknown if the time is over."""
    left = limit.remaining
    if left == 0:
        return VerificationResult(Answer.UNKNOWN, stage=Stage.SOLVE, reason="time limit")
    wanted = Property.RULE if fuel is Fuel.NONE else Property.TERMINATION
    frontend = replace(options.frontend, fuel=fuel.value, properties=frozenset({wanted}))
    one = replace(options, frontend=frontend, ask_default=False, timeout=left)
    return ask(replace(one, each_property=False, every_check=False))  # no check is the formula


def _answer(result: VerificationResult, formula: str) -> VerificationResult:
    """The answer about the program, in words about the formula.

    A run violates nothing if letters may have been missed in it.
    """
    match result.answer:
        case Answer.SAFE:
            evidence = (line for line in result.evidence if RULE_FOLDER not in line)
            meaning = f"all runs fulfil {formula}"
            return replace(result, evidence=(_MEANS, *evidence), meaning=meaning, ranks=())
        case Answer.UNSAFE if unseen := [e.text for e in result.ledger if e.kind is _UNDER]:
            undecided = replace(result, answer=Answer.UNKNOWN, violation=None, evidence=())
            return replace(undecided, stage=Stage.FRONT_END, reason=unseen[0])
        case Answer.UNSAFE if result.violation is not None:
            evidence = (_without_place(line) for line in result.evidence)
            shown = _told(result.violation, formula)
            return replace(result, evidence=tuple(evidence), violation=shown)
    return result


def _told(violation: Violation, formula: str) -> Violation:
    """The violation of the formula, by the steps of the program alone."""
    steps = list(_of_program(violation.trace))
    cycle = violation.cycle
    if cycle is not None:
        before = len(list(_of_program(violation.trace[:cycle])))
        cycle = max(0, min(before, len(steps) - 1))
    place = violation.place
    if place is not None and _is_ours(place):
        place = steps[-1].place if steps else None
    return replace(
        violation,
        property=PROPERTY,
        text=f"a run does not fulfil {formula}",
        trace=tuple(steps),
        cycle=cycle,
        place=place,
    )


def _of_program(trace: Sequence[TraceStep]) -> Iterator[TraceStep]:
    """The steps of the program, without what the automaton chose in them.

    A statement in which the automaton steps is visited before and after that: it is one step.
    """
    waiting: TraceStep | None = None
    for step in trace:
        if _is_ours(step.place):
            continue
        changes = tuple(change for change in step.changes if not _is_chosen(change.name))
        if waiting is not None and not waiting.changes and _is_same_line(waiting, step):
            waiting = None
        if waiting is not None:
            yield waiting
        waiting = replace(step, changes=changes)
    if waiting is not None:
        yield waiting


def _is_chosen(name: str) -> bool:
    """Whether a variable is not of the program, but of the formula."""
    return name == _CHOSEN or name.startswith(PREFIX)


def _is_same_line(one: TraceStep, other: TraceStep) -> bool:
    return (one.place.file, one.place.line) == (other.place.file, other.place.line)


def _without_place(line: str) -> str:
    """A line of evidence without a place in the code of the automaton."""
    return _PLACE.sub("a loop", line)


def _is_ours(place: Span) -> bool:
    return RULE_FOLDER in place.file
