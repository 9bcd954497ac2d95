"""Recurrent sets of systems that are written out, and sets that are none."""

from __future__ import annotations

import pytest

from seahorn_py.engines.termination.recurrent import closedness, components, families
from seahorn_py.horn.system import Atom, HornSystem, Parameter, Relation, Rule
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.logic.solvers.solvers import Status, check_scripts, script_of
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Term
from seahorn_py.processes.deadline import Deadline

X, Y, Z = (terms.symbol(f"recurrent.{name}", terms.INT) for name in "xyz")
ZERO = terms.int_const(0)
OPERATIONS = 1_000_000


def looping(guard: Term, x: Term) -> HornSystem:
    """`while (guard) x = ...;`, any `z` being an input of each round."""
    relation = Relation("loop", (Parameter(X), Parameter(Y)))
    start = Rule("start", (), terms.TRUE, Atom("loop", (X, Y)))
    step = Rule("step", (Atom("loop", (X, Y)),), guard, Atom("loop", (x, Y)))
    return HornSystem({"loop": relation}, (start, step))


NONNEGATIVE = terms.le(ZERO, X)
SUBTRACTING = looping(NONNEGATIVE, terms.minus(X, Y))
CHOOSING = looping(NONNEGATIVE, terms.minus(X, Z))
COUNTING = looping(NONNEGATIVE, terms.minus(X, terms.int_const(1)))


def statuses(system: HornSystem, formula: Term, solver: Solver) -> set[Status]:
    (component,) = components(system)
    scripts = closedness(system, component, {"loop": formula})
    return {a.status for a in check_scripts(scripts, solver, Deadline.after(20))}


@pytest.mark.parametrize(
    ("system", "inside"), [(SUBTRACTING, terms.le(Y, ZERO)), (CHOOSING, terms.TRUE)]
)
def test_a_set_is_found_and_closed(system: HornSystem, inside: Term) -> None:
    """Of the first one the rounds have no end; inputs are chosen in the second one."""
    (component,) = components(system)
    found = list(families(system, component, OPERATIONS, Deadline.after(20)))
    assert found
    for solver in (Solver.CVC5, Solver.Z3):
        for family in found:
            assert statuses(system, family["loop"], solver) == {Status.UNSAT}
    largest = terms.or_([family["loop"] for family in found])
    wanted = terms.and_([NONNEGATIVE, inside, terms.not_(largest)])
    script = script_of([wanted])
    assert check_scripts([script], Solver.Z3, Deadline.after(20))[0].status is Status.UNSAT


@pytest.mark.parametrize("solver", [Solver.CVC5, Solver.Z3])
@pytest.mark.parametrize(
    ("system", "formula"),
    [
        (SUBTRACTING, NONNEGATIVE),
        (SUBTRACTING, terms.le(Y, ZERO)),
        (SUBTRACTING, terms.and_([NONNEGATIVE, terms.le(Y, terms.int_const(1))])),
        (CHOOSING, terms.TRUE),
        (COUNTING, NONNEGATIVE),
        (COUNTING, terms.TRUE),
    ],
)
def test_a_set_that_is_not_closed_is_refused(
    system: HornSystem, formula: Term, solver: Solver
) -> None:
    assert statuses(system, formula, solver) == {Status.SAT}


def test_a_loop_that_ends_has_none() -> None:
    (component,) = components(COUNTING)
    assert not list(families(COUNTING, component, OPERATIONS, Deadline.after(20)))


@pytest.mark.parametrize("operations", [100, 300, 1_000, 3_000])
@pytest.mark.parametrize("system", [SUBTRACTING, CHOOSING])
def test_what_takes_too_many_operations_is_left(system: HornSystem, operations: int) -> None:
    """Wherever in the search the operations come to their end."""
    (component,) = components(system)
    for family in families(system, component, operations, Deadline.after(20)):
        assert statuses(system, family["loop"], Solver.Z3) == {Status.UNSAT}
