"""The states of a transition system in z3: questions about cubes, and the states before a cube.

A cube is a conjunction of literals about a state.  Which states lead into a cube is told by the
projection of an implicant, as a model has it: z3 extrapolates the model to literals that imply the
formula, and eliminates what is not of the first state so that the model stays one (Bjorner, Janota
2015).  A cube that is not what it should be costs an answer of whoever uses it, never a right one.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

import z3

from seahorn_py.logic.solvers.cubes import (
    Assignment,
    Core,
    Cube,
    Exchange,
    Formula,
    conjunction,
    copies,
    implicant,
    is_literal,
    mark,
    projected,
    split,
)
from seahorn_py.logic.solvers.natives import declaration
from seahorn_py.logic.solvers.solver_child import message
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Term
from seahorn_py.logic.text.smtlib import parse_term, print_term
from seahorn_py.policy.policy import policy
from seahorn_py.processes import timeline
from seahorn_py.processes.timeline import Kind


class Undecided(Exception):
    """z3 does not know; the text says why."""


class StateSpace:
    """States over `here`, and a step from there to `there`, until a point of the clock.

    What else the formulas speak of are inputs; those of `initial` and `error` are not of the step.
    """

    def __init__(
        self,
        initial: Term,
        step: Term,
        here: Sequence[Term],
        there: Sequence[Term],
        until: float,
        error: Term = terms.FALSE,
    ) -> None:
        found = (terms.free_symbols(formula) for formula in (initial, step, error))
        inputs = terms.by_name(set().union(*found) - {*here, *there})
        named = {"h": here, "t": there, "i": inputs}
        names = {s: f"{c}!{k}" for c, symbols in named.items() for k, s in enumerate(symbols)}
        constants = {symbol: _constant(symbol, name) for symbol, name in names.items()}
        self.until = until
        self.initial = _formula(initial, names)
        self.error = _formula(error, names)
        self._steps = {0: _formula(step, names)}
        self._symbols = {names[symbol]: symbol for symbol in here}
        self._states = [[constants[s] for s in here], [constants[s] for s in there]]
        self._inputs = [[constants[s] for s in inputs]]
        self._names = inputs
        self._placed: dict[tuple[int, int], tuple[Formula, Formula]] = {}
        self._exchanges: dict[tuple[tuple[int, ...], tuple[int, ...]], Exchange] = {}

    def question(self, *facts: Formula) -> Question:
        """A solver that keeps these facts."""
        return Question(self.until, facts)

    def step(self, number: int) -> Formula:
        """The step from the state with this number to the next one."""
        if number not in self._steps:
            here = [*self._states[0], *self._states[1], *self._inputs[0]]
            there = [*self._state(number), *self._state(number + 1), *self._inputs_of(number)]
            self._steps[number] = Exchange(here, there).of(self._steps[0])
        return self._steps[number]

    def at(self, formula: Formula, number: int) -> Formula:
        """A formula about states, of the state with this number."""
        if number == 0:
            return formula
        key = formula.get_id(), number
        if key not in self._placed:  # what was placed is kept, so that its number stays its own
            self._placed[key] = formula, self._exchange((0,), (number,)).of(formula)
        return self._placed[key][1]

    def cube_at(self, cube: Cube, number: int) -> list[Formula]:
        """The literals of a cube, of the state with this number."""
        return [self.at(literal, number) for literal in cube]

    def literals(self, formula: Term) -> Cube:
        """A conjunction over `here` as a cube."""
        return split(_formula(formula, {s: name for name, s in self._symbols.items()}))

    def term(self, cube: Cube) -> Term:
        """A cube as a formula over `here`; InputError where z3 has other terms in it than ours."""
        parts = (parse_term(part.sexpr(), self._symbols, "z3") for part in cube)
        return terms.and_(parts)

    def between(self, formula: Formula, first: int, last: int) -> Formula:
        """A formula about the states 0 and 1, of the states with these numbers."""
        return self._exchanged((0, 1), (first, last), formula)

    def from_to(self, formula: Formula, first: int, last: int) -> Formula:
        """A formula about the states with these numbers, of the states 0 and 1."""
        return self._exchanged((first, last), (0, 1), formula)

    def same(self) -> Formula:
        """State 1 is state 0."""
        pairs = zip(self._states[0], self._states[1], strict=True)
        return conjunction([before == after for before, after in pairs])

    def mark(self, name: str) -> Formula:
        """A truth value that is none of the states and inputs."""
        return mark(name)

    def shared(self, *numbers: int) -> list[Formula]:
        """The constants of these states."""
        return [constant for number in numbers for constant in self._state(number)]

    def others(self) -> list[Formula]:
        """The constants of what lies between the states 0 and 2, and of their inputs."""
        return [*self._state(1), *self._inputs_of(0), *self._inputs_of(1)]

    def without(self, parts: Sequence[Formula], number: int) -> Formula | None:
        """What the parts, about the states 0 and 1, say of the other one; None if z3 has none.

        It is about state 0.
        """
        hidden = [*self._state(number), *self._inputs_of(0)]
        whole = z3.Exists(hidden, conjunction(parts))
        most = self._milliseconds(policy().interpolation.elimination_seconds)
        tactic = z3.TryFor(z3.Then("qe2", "simplify"), most)
        try:
            goals = tactic(whole)
        except z3.Z3Exception:
            return None
        found = goals[0].as_expr()
        if len(goals) > 1 or "exists" in found.sexpr() or "forall" in found.sexpr():
            return None
        return found if number else self._exchange((1,), (0,)).of(found)

    def _milliseconds(self, most: float) -> int:
        return max(1, int(min(most, self.until - time.monotonic()) * 1000))

    def before(self, found: Assignment, goal: Cube, steps: int) -> Cube:
        """States, the first one of the values among them, from which steps lead into the goal."""
        run = [self.step(k) for k in range(steps)]
        return self.projected(found, [*run, *self.cube_at(goal, steps)], 0, steps)

    def projected(self, found: Assignment, parts: Sequence[Formula], onto: int, last: int) -> Cube:
        """States with the number `onto`, that of the values among them, as a cube.

        With each of them the parts hold for some values of the others of the states up to `last`.
        """
        hidden = self.shared(*(k for k in range(last + 1) if k != onto))
        hidden += [c for k in range(last) for c in self._inputs_of(k)]
        with refusals():
            cube = split(projected(found, conjunction(parts), hidden))
            if not all(map(is_literal, cube)):
                cube = split(implicant(found, conjunction(cube)))
        if self._is_about_states(found, cube, hidden):
            return cube if onto == 0 else self._at_first(cube, onto)
        return self.exactly(found, onto)

    def values(self, found: Assignment, number: int) -> Mapping[Term, str]:
        """What the symbols of a state are, in SMT-LIB."""
        constants = zip(self._symbols.values(), self._state(number), strict=True)
        return {symbol: found.value(constant).sexpr() for symbol, constant in constants}

    def inputs(self, found: Assignment, number: int) -> Mapping[Term, str]:
        """What the other symbols of the step from a state are, in SMT-LIB."""
        constants = zip(self._names, self._inputs_of(number), strict=True)
        return {symbol: found.value(constant).sexpr() for symbol, constant in constants}

    def exactly(self, found: Assignment, number: int) -> Cube:
        """The state of the values alone."""
        constants = zip(self._states[0], self._state(number), strict=True)
        values = [first == found.value(constant) for first, constant in constants]
        return tuple(part for equal in values for part in split(equal))

    def _at_first(self, cube: Cube, number: int) -> Cube:
        back = self._exchange((number,), (0,))
        return tuple(back.of(part) for part in cube)

    def _is_about_states(self, found: Assignment, cube: Cube, hidden: Sequence[Formula]) -> bool:
        whole = conjunction(cube)
        if not all(map(is_literal, cube)) or not found.fulfils(whole):
            return False
        return Exchange(hidden, copies(hidden, "other")).of(whole).eq(whole)

    def _exchanged(
        self, before: tuple[int, ...], after: tuple[int, ...], formula: Formula
    ) -> Formula:
        return formula if before == after else self._exchange(before, after).of(formula)

    def _exchange(self, before: tuple[int, ...], after: tuple[int, ...]) -> Exchange:
        if (before, after) not in self._exchanges:
            found = Exchange(self.shared(*before), self.shared(*after))
            self._exchanges[before, after] = found
        return self._exchanges[before, after]

    def _state(self, number: int) -> Sequence[Formula]:
        while len(self._states) <= number:
            self._states.append(copies(self._states[0], f"s{len(self._states)}"))
        return self._states[number]

    def _inputs_of(self, number: int) -> Sequence[Formula]:
        while len(self._inputs) <= number:
            self._inputs.append(copies(self._inputs[0], f"i{len(self._inputs)}"))
        return self._inputs[number]


class Question:
    """An incremental solver; each literal that is asked has a label there, which is assumed."""

    def __init__(self, until: float, facts: Iterable[Formula]) -> None:
        self._until = until
        self._solver = z3.Solver()
        self._solver.add(*facts)
        self._labels: dict[int, tuple[Formula, Formula]] = {}

    def keep(self, fact: Formula) -> None:
        """From now on this holds."""
        self._solver.add(fact)

    def once(self, formulas: Sequence[Formula]) -> Assignment | None:
        """Values that fulfil the formulas, of which nothing is kept; Undecided as above."""
        self._solver.push()
        self._solver.add(*formulas)
        found = self._answer([], [])
        self._solver.pop()
        return found if isinstance(found, Assignment) else None

    def ask(self, literals: Sequence[Formula], *beside: Formula) -> Assignment | Core:
        """Values that fulfil the literals and what stands beside, or which literals exclude them.

        Undecided where z3 does not know.
        """
        labels = [self._label(literal) for literal in literals]
        others = [self._label(formula) for formula in beside]
        return self._answer(labels, others)

    def _label(self, formula: Formula) -> Formula:
        key = formula.get_id()  # of a formula that is kept
        if key not in self._labels:
            label = z3.Bool(f"label!{key}")
            self._labels[key] = formula, label
            self._solver.add(z3.Implies(label, formula))
        return self._labels[key][1]

    def _answer(self, labels: Sequence[Formula], others: Sequence[Formula]) -> Assignment | Core:
        left = self._until - time.monotonic()
        if left <= 0:
            raise Undecided("time limit")
        self._solver.set("timeout", max(1, int(left * 1000)))
        with timeline.span(Kind.SOLVER, "z3"), refusals():
            status = self._solver.check(*labels, *others)
        if status == z3.sat:
            return Assignment(self._solver.model())
        if status == z3.unsat:
            places = {label.get_id(): k for k, label in enumerate(labels)}
            core = {label.get_id() for label in self._solver.unsat_core()}
            return Core(frozenset(places[one] for one in core & places.keys()))
        raise Undecided(self._solver.reason_unknown())


@contextmanager
def refusals() -> Iterator[None]:
    """What z3 refuses is not decided."""
    try:
        yield
    except z3.Z3Exception as failure:
        raise Undecided(message(failure)) from None


# ------------------------------------------------------------------------------------------- terms


def _constant(symbol: Term, name: str) -> Formula:
    known = {terms.BOOL: z3.BoolSort, terms.INT: z3.IntSort, terms.REAL: z3.RealSort}
    return z3.Const(name, known[terms.sort_of(symbol)]())


def _formula(term: Term, names: dict[Term, str]) -> Formula:
    declared = [declaration(symbol, names[symbol]) for symbol in terms.free_symbols(term)]
    text = f"{''.join(declared)}(assert {print_term(term, names)})"
    return conjunction(list(z3.parse_smt2_string(text)))
