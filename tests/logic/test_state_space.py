"""Cubes of states: what leads into a cube does, and what is excluded is."""

from __future__ import annotations

import random
import time

import pytest

from seahorn_py.logic.solvers.cubes import Assignment, Core, outside
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.logic.solvers.solvers import Status, check_scripts, script_of
from seahorn_py.logic.solvers.statespace import StateSpace
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Sort, Term
from seahorn_py.processes.deadline import Deadline

SORTS = {"integers": terms.INT, "reals": terms.REAL}


def variables(sort: Sort, at: str) -> list[Term]:
    names = [terms.symbol(f"space.{n}.{at}.{sort}", sort) for n in "xy"]
    return [*names, terms.symbol(f"space.b.{at}", terms.BOOL)]


def number(sort: Sort, value: int) -> Term:
    return terms.int_const(value) if sort is terms.INT else terms.real_const(value)


def atom(choose: random.Random, sort: Sort, symbols: list[Term]) -> Term:
    left, right = (terms.times(number(sort, choose.randint(-2, 2)), s) for s in symbols[:2])
    total = terms.plus(terms.plus(left, right), number(sort, choose.randint(-3, 3)))
    known = choose.choice([terms.le, terms.lt, terms.eq])(total, number(sort, 0))
    return terms.or_([known, symbols[2]]) if choose.random() < 0.3 else known


def step(choose: random.Random, sort: Sort, here: list[Term], there: list[Term]) -> Term:
    given = terms.symbol(f"space.i.{sort}", sort)
    moved = terms.eq(there[0], terms.plus(here[choose.randint(0, 1)], given))
    kept = terms.eq(there[1], terms.ite(here[2], here[0], here[1]))
    bound = terms.le(given, number(sort, choose.randint(0, 3)))
    flag = terms.iff(there[2], terms.lt(given, here[1]))
    return terms.and_([moved, kept, bound, flag, atom(choose, sort, here)])


@pytest.mark.parametrize("name", SORTS)
def test_what_leads_into_a_cube_does(name: str) -> None:
    sort = SORTS[name]
    here, there = variables(sort, "0"), variables(sort, "1")
    scripts = []
    for seed in range(12):
        choose = random.Random(seed)
        moving = step(choose, sort, here, there)
        space = StateSpace(terms.TRUE, moving, here, there, time.monotonic() + 10)
        goal = terms.and_([atom(choose, sort, here), terms.not_(here[2])])
        cube = space.literals(goal)
        found = space.question(space.step(0)).ask(space.cube_at(cube, 1))
        if isinstance(found, Core):
            continue
        before = space.term(space.before(found, cube, 1))
        arriving = terms.substitute(goal, dict(zip(here, there, strict=True)))
        hidden = [*there, terms.symbol(f"space.i.{sort}", sort)]
        leads = terms.exists(hidden, terms.and_([moving, arriving]))
        scripts.append(script_of([before, terms.not_(leads)]))
    assert len(scripts) > 4
    answers = check_scripts(scripts, Solver.Z3, Deadline.after(20))
    assert all(answer.status is Status.UNSAT for answer in answers)


def test_a_core_names_what_excludes() -> None:
    here, there = variables(terms.INT, "0"), variables(terms.INT, "1")
    space = StateSpace(terms.TRUE, terms.TRUE, here, there, time.monotonic() + 10)
    low, high = (space.literals(terms.lt(here[0], terms.int_const(k)))[0] for k in (1, 5))
    question = space.question(outside((high,)))
    flag = space.literals(here[2])[0]
    found = question.ask((flag, low))
    assert isinstance(found, Core)
    assert found.of((flag, low)) == (low,)
    assert isinstance(question.ask((flag,)), Assignment)
    assert isinstance(question.ask((flag,), low), Core)
