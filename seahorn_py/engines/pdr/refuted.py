"""From cubes that lead to an error to a refutation: rule by rule, from the fact on."""

from __future__ import annotations

from collections.abc import Iterator

from seahorn_py.engines.pdr.blocking import Obligation, Reached
from seahorn_py.horn.system import Refutation, Step
from seahorn_py.logic.solvers.cubes import Assignment, Cube, Formula
from seahorn_py.logic.solvers.rulespace import Clause
from seahorn_py.logic.solvers.statespace import Question, Undecided
from seahorn_py.logic.terms.terms import Term
from seahorn_py.logic.text.smtlib import parse_term


def refutation(met: Reached, until: float) -> Refutation:
    """The rule instances of a run through the cubes; Undecided if there are none."""
    return Refutation(tuple(_steps(met, until)))


def _steps(met: Reached, until: float) -> Iterator[Step]:
    state: Cube = ()
    for number, (clause, then) in enumerate(_rules(met)):
        goal = clause.goal(then.cube) if then else []
        found = Question(until, [clause.fact, *state]).ask(goal)
        if not isinstance(found, Assignment):
            raise Undecided("a cube does not lead to the error")
        values = {symbol: _term(value) for symbol, value in clause.values(found).items()}
        arguments = clause.after(found)
        premises = (number - 1,) if clause.premise else ()
        yield Step(clause.name, tuple(map(_term, arguments)), premises, values)
        state = clause.head.state(arguments) if clause.head else ()


def _rules(met: Reached) -> Iterator[tuple[Clause, Obligation | None]]:
    """The rules in their order, and the obligation whose cube each leads into."""
    clause, way = met.clause, met.way
    yield clause, way
    while way is not None:
        yield way.clause, way.then
        way = way.then


def _term(value: Formula) -> Term:
    return parse_term(value.sexpr(), {}, "z3")
