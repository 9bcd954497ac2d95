"""The states of a transition system in z3: questions about cubes, and the states before a cube.

A cube is a conjunction of literals about a state.  Which states lead into a cube is told by the
projection of an implicant, as a model has it: z3 extrapolates the model to literals that imply the
formula, and eliminates what is not of the first state so that the model stays one (Bjorner, Janota
2015).  A cube that is not what it should be costs an answer of whoever uses it, never a right one.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import z3

from seahorn_py.base.records import dataclass
from seahorn_py.logic.solvers.natives import declaration
from seahorn_py.logic.solvers.solver_child import message
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Term
from seahorn_py.logic.text.smtlib import parse_term, print_term
from seahorn_py.processes import timeline
from seahorn_py.processes.timeline import Kind

if TYPE_CHECKING:
    from ctypes import Array

Formula = z3.ExprRef
Cube = tuple[Formula, ...]


class Undecided(Exception):
    """z3 does not know; the text says why."""


@dataclass(frozen=True)
class Assignment:
    """What z3 found: values that fulfil all that was asked."""

    model: z3.ModelRef

    def fulfils(self, formula: Formula) -> bool:
        """Whether the formula is true; what has no value may have any."""
        return bool(z3.is_true(self.model.eval(formula, model_completion=True)))


@dataclass(frozen=True)
class Core:
    """There are no values: these of the literals, by their places, suffice for that."""

    places: frozenset[int]

    def of(self, cube: Sequence[Formula]) -> Cube:
        """The literals at the places."""
        return tuple(part for k, part in enumerate(cube) if k in self.places)


class StateSpace:
    """States over `here`, and a step from there to `there`, until a point of the clock."""

    def __init__(
        self,
        initial: Term,
        step: Term,
        here: Sequence[Term],
        there: Sequence[Term],
        until: float,
    ) -> None:
        inputs = terms.by_name(terms.free_symbols(step) - {*here, *there})
        named = {"h": here, "t": there, "i": inputs}
        names = {s: f"{c}!{k}" for c, symbols in named.items() for k, s in enumerate(symbols)}
        constants = {symbol: _constant(symbol, name) for symbol, name in names.items()}
        self.until = until
        self.initial = _formula(initial, names)
        self._steps = {0: _formula(step, names)}
        self._symbols = {names[symbol]: symbol for symbol in here}
        self._states = [[constants[s] for s in here], [constants[s] for s in there]]
        self._inputs = [[constants[s] for s in inputs]]
        self._placed: dict[tuple[int, int], tuple[Formula, Formula]] = {}
        self._moves: dict[int, _Exchange] = {}

    def question(self, *facts: Formula) -> Question:
        """A solver that keeps these facts."""
        return Question(self.until, facts)

    def step(self, number: int) -> Formula:
        """The step from the state with this number to the next one."""
        if number not in self._steps:
            here = [*self._states[0], *self._states[1], *self._inputs[0]]
            there = [*self._state(number), *self._state(number + 1), *self._inputs_of(number)]
            self._steps[number] = _Exchange(here, there).of(self._steps[0])
        return self._steps[number]

    def at(self, formula: Formula, number: int) -> Formula:
        """A formula about states, of the state with this number."""
        if number == 0:
            return formula
        key = formula.get_id(), number
        if key not in self._placed:  # what was placed is kept, so that its number stays its own
            if number not in self._moves:
                self._moves[number] = _Exchange(self._states[0], self._state(number))
            self._placed[key] = formula, self._moves[number].of(formula)
        return self._placed[key][1]

    def cube_at(self, cube: Cube, number: int) -> list[Formula]:
        """The literals of a cube, of the state with this number."""
        return [self.at(literal, number) for literal in cube]

    def literals(self, formula: Term) -> Cube:
        """A conjunction over `here` as a cube."""
        return _split(_formula(formula, {s: name for name, s in self._symbols.items()}))

    def term(self, cube: Cube) -> Term:
        """A cube as a formula over `here`; InputError where z3 has other terms in it than ours."""
        parts = (parse_term(part.sexpr(), self._symbols, "z3") for part in cube)
        return terms.and_(parts)

    def before(self, found: Assignment, goal: Cube, steps: int) -> Cube:
        """States, the first one of the values among them, from which steps lead into the goal."""
        run = [self.step(k) for k in range(steps)]
        whole = conjunction([*run, *self.cube_at(goal, steps)])
        hidden = [c for k in range(steps) for c in (*self._state(k + 1), *self._inputs_of(k))]
        with _refusals():
            projected = _split(_projected(found, whole, hidden))
            if not all(map(_is_literal, projected)):
                projected = _split(_implicant(found, conjunction(projected)))
        if self._is_about_states(found, projected, hidden):
            return projected
        return self._values(found)

    def _is_about_states(self, found: Assignment, cube: Cube, hidden: Sequence[Formula]) -> bool:
        whole = conjunction(cube)
        if not all(map(_is_literal, cube)) or not found.fulfils(whole):
            return False
        return _Exchange(hidden, _copies(hidden, "other")).of(whole).eq(whole)

    def _values(self, found: Assignment) -> Cube:
        """The first state of the values alone."""
        values = [
            constant == found.model.eval(constant, model_completion=True)
            for constant in self._states[0]
        ]
        return tuple(part for equal in values for part in _split(equal))

    def _state(self, number: int) -> Sequence[Formula]:
        while len(self._states) <= number:
            self._states.append(_copies(self._states[0], f"s{len(self._states)}"))
        return self._states[number]

    def _inputs_of(self, number: int) -> Sequence[Formula]:
        while len(self._inputs) <= number:
            self._inputs.append(_copies(self._inputs[0], f"i{len(self._inputs)}"))
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
        with timeline.span(Kind.SOLVER, "z3"), _refusals():
            status = self._solver.check(*labels, *others)
        if status == z3.sat:
            return Assignment(self._solver.model())
        if status == z3.unsat:
            places = {label.get_id(): k for k, label in enumerate(labels)}
            core = {label.get_id() for label in self._solver.unsat_core()}
            return Core(frozenset(places[one] for one in core & places.keys()))
        raise Undecided(self._solver.reason_unknown())


def conjunction(parts: Sequence[Formula]) -> Formula:
    """All of them."""
    return parts[0] if len(parts) == 1 else z3.And(*parts) if parts else z3.BoolVal(True)


def outside(cube: Cube) -> Formula:
    """What holds of all states that are not in a cube."""
    return z3.Not(conjunction(cube))


def united(*cubes: Cube) -> Cube:
    """The literals of all of them, each once."""
    return tuple({part.get_id(): part for cube in cubes for part in cube}.values())


@contextmanager
def _refusals() -> Iterator[None]:
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


def _copies(constants: Sequence[Formula], name: str) -> list[Formula]:
    return [z3.Const(f"{name}!{k}", c.sort()) for k, c in enumerate(constants)]


class _Exchange:
    """Constants and others that are put for them, without the checks of z3's Python classes."""

    def __init__(self, before: Sequence[Formula], after: Sequence[Formula]) -> None:
        self._constants = before, after
        self._before, self._after = _array(before), _array(after)

    def of(self, formula: Formula) -> Formula:
        """The formula with the others."""
        context = z3.main_ctx()
        count = len(self._constants[0])
        found = z3.Z3_substitute(context.ref(), formula.as_ast(), count, self._before, self._after)
        return z3.BoolRef(found, context)


def _array(parts: Sequence[Formula]) -> Array[z3.Ast]:
    return (z3.Ast * len(parts))(*(part.as_ast() for part in parts))


def _implicant(found: Assignment, formula: Formula) -> Formula:
    """A conjunction of literals that the values fulfil and that implies the formula."""
    context = z3.main_ctx()
    native = z3.Z3_model_extrapolate(context.ref(), found.model.model, formula.as_ast())
    return z3.BoolRef(native, context)


def _projected(found: Assignment, formula: Formula, hidden: Sequence[Formula]) -> Formula:
    """A formula without what is hidden; where it holds, that has values which fulfil the other."""
    context, cube = z3.main_ctx(), _implicant(found, formula)
    away = _array(hidden)
    model = found.model.model
    native = z3.Z3_qe_model_project(context.ref(), model, len(hidden), away, cube.as_ast())
    return z3.BoolRef(native, context)


def _split(formula: Formula) -> Cube:
    """The conjuncts, each once; equations between numbers are two."""
    found: dict[int, Formula] = {}
    todo = [formula]
    while todo:
        part = todo.pop()
        inner = part.arg(0) if z3.is_not(part) else None
        if z3.is_and(part):
            todo += part.children()
        elif inner is not None and z3.is_or(inner):
            todo += [z3.Not(one) for one in inner.children()]
        elif inner is not None and z3.is_not(inner):
            todo.append(inner.arg(0))
        elif z3.is_eq(part) and z3.is_arith(part.arg(0)):
            todo += [part.arg(0) <= part.arg(1), part.arg(1) <= part.arg(0)]
        elif not z3.is_true(part):
            found[part.get_id()] = part
    return tuple(found.values())


def _is_literal(part: Formula) -> bool:
    inner = part.arg(0) if z3.is_not(part) else part
    return not (z3.is_and(inner) or z3.is_or(inner) or z3.is_not(inner))
