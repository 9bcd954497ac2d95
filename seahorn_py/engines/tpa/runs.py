"""From what transition power abstraction has reached to a refutation, backwards, leaf by leaf.

Each state that a leaf has reached is some steps away from one that the leaf before has reached.  So
the run is made from its end, with one question to the solver for each leaf.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache

from seahorn_py.base.records import dataclass
from seahorn_py.engines.imc.steps import Transitions
from seahorn_py.engines.tpa.powers import Leaf, Run
from seahorn_py.engines.tpa.spaces import of_end, space_of
from seahorn_py.horn.system import Atom, HornSystem, Refutation, Step, symbols_of
from seahorn_py.logic.solvers.cubes import Assignment, Cube
from seahorn_py.logic.solvers.statespace import Question, StateSpace, Undecided
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Term
from seahorn_py.logic.text.smtlib import parse_term

TAKEN = terms.variable("rule!taken", terms.INT)
"""The number of the rule that a step takes."""

Values = Mapping[Term, str]


@dataclass(frozen=True)
class Passed:
    """A rule instance of the run: what its rule reads, and the state after it.

    `end` says that the rule is that of a fact or of a query.
    """

    inputs: Values
    after: Values
    end: str = ""


def refutation(system: HornSystem, run: Run, until: float) -> Refutation:
    """The rule instances of a run."""
    numbered = (
        replace(rule, constraint=terms.and_([rule.constraint, terms.eq(TAKEN, terms.int_const(k))]))
        for k, rule in enumerate(system.rules)
    )
    transitions = Transitions(replace(system, rules=tuple(numbered)))
    passed = list(_backwards(space_of(transitions, until), run))
    steps = (_step(system, transitions, one, k) for k, one in enumerate(reversed(passed)))
    return Refutation(tuple(steps))


def _backwards(space: StateSpace, run: Run) -> Iterator[Passed]:
    """The rule instances, the last one first."""
    found = _found(space.question(space.error), run[-1].reached)
    yield Passed(space.inputs(found, 0), space.values(found, 0), "last")
    goal = space.exactly(found, 0)
    questions: dict[int, Question] = {}
    for leaf in reversed(run):
        if leaf.steps not in questions:
            questions[leaf.steps] = space.question(*map(space.step, range(leaf.steps)))
        found = _found(questions[leaf.steps], (*leaf.source, *space.cube_at(goal, leaf.steps)))
        yield from _steps_of(space, leaf, found)
        goal = space.exactly(found, 0)
    yield Passed(space.inputs(found, 0), space.values(found, 0), "first")


def _found(question: Question, literals: Cube) -> Assignment:
    found = question.once(literals)
    if found is None:
        raise Undecided("no values lead back from a state that was reached")
    return found


def _steps_of(space: StateSpace, leaf: Leaf, found: Assignment) -> Iterator[Passed]:
    """The steps of a leaf that do not stay, the last one first."""
    states = [space.values(found, number) for number in range(leaf.steps + 1)]
    for number in reversed(range(leaf.steps)):
        if states[number] != states[number + 1]:
            yield Passed(space.inputs(found, number), states[number + 1])


def _step(system: HornSystem, transitions: Transitions, passed: Passed, number: int) -> Step:
    own: Callable[[Term], Term] = lambda s: of_end(s, passed.end) if passed.end else s  # noqa: E731
    rule = system.rules[terms.number(_term(passed.inputs[own(TAKEN)]))]
    arguments: tuple[Term, ...] = ()
    if isinstance(rule.head, Atom):
        slots = transitions.slots(rule.head.relation)
        arguments = tuple(_term(passed.after[slot]) for slot in slots)
    values = {s: _term(passed.inputs[own(s)]) for s in symbols_of(rule)}
    return Step(rule.name, arguments, (number - 1,) if rule.body else (), values)


@cache
def _term(text: str) -> Term:
    return parse_term(text, {}, "z3")
