"""Conditions with products of integers case by case: what they prove is valid."""

from __future__ import annotations

import pytest

from seahorn_py.horn.checking.products import product_conditions
from seahorn_py.horn.checking.proofs import check_proof, proved_modularly
from seahorn_py.horn.system import HornSystem, Model
from seahorn_py.horn.text.smtlib import read_horn
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.logic.text.smtlib import parse_term
from seahorn_py.processes.deadline import NEVER, Deadline

POWERS = """(declare-fun inv (Int Int) Bool)
(assert (inv 0 0))
(assert (forall ((x Int) (y Int)) (=> (inv x y) (inv (+ x (* y y)) (+ y 1)))))
(assert (forall ((x Int) (y Int))
  (=> (and (inv x y) (not (= (* 6 x) (* y (- y 1) (- (* 2 y) 1))))) false)))"""

RIGHT = "(= (* 6 x) (* y (- y 1) (- (* 2 y) 1)))"
WRONG = [
    "(= (* 6 x) (* y (- y 1) (- (* 2 y) 2)))",
    "(= (* 6 x) (* y y y))",
    "(and (>= y 1) (= (* 6 x) (* y (- y 1) (- (* 2 y) 1))))",
    "(or (= (* 6 x) (* y (- y 1) (- (* 2 y) 1))) (= x (* y y)))",
]


def claimed(system: HornSystem, formula: str) -> Model:
    symbols = system.relations["inv"].symbols
    return Model({"inv": parse_term(formula, dict(zip("xy", symbols, strict=True)))})


@pytest.mark.parametrize("solver", [Solver.CVC5, Solver.Z3])
def test_sums_of_squares(solver: Solver) -> None:
    system = read_horn(POWERS, "powers")
    model = claimed(system, RIGHT)
    assert proved_modularly(system, model, range(3), solver, Deadline.after(30)) == {0, 1, 2}


def test_the_checker_confirms_them() -> None:
    system = read_horn(POWERS, "powers")
    found = check_proof(
        system, claimed(system, RIGHT), finder=Solver.Z3, deadline=Deadline.after(30)
    )
    assert found.ok and found.solver == Solver.CVC5.value


@pytest.mark.parametrize("formula", WRONG)
def test_wrong_claims_are_not_proved(formula: str) -> None:
    system = read_horn(POWERS, "powers")
    model = claimed(system, formula)
    proved = proved_modularly(system, model, range(3), Solver.CVC5, Deadline.after(30))
    assert proved < {0, 1, 2}
    assert not check_proof(system, model, finder=Solver.Z3, deadline=Deadline.after(20)).ok


def test_without_products_there_are_no_conditions() -> None:
    text = "(declare-fun inv (Int Int) Bool)(assert (inv 0 0))"
    text += "(assert (forall ((x Int) (y Int)) (=> (and (inv x y) (< x y)) false)))"
    system = read_horn(text, "lines")
    assert not product_conditions(system, claimed(system, "(= x y)"), system.rules[1], NEVER)


def test_multiples_of_an_equation_are_given() -> None:
    """`x*z = y*w` and `y*z = x*x` make `x*x*x = y*y*w`, which a multiple of each shows."""
    text = """(declare-fun inv (Int Int Int Int) Bool)
    (assert (forall ((x Int) (y Int) (z Int) (w Int))
      (=> (and (= (* x z) (* y w)) (= (* y z) (* x x))) (inv x y z w))))
    (assert (forall ((x Int) (y Int) (z Int) (w Int))
      (=> (and (inv x y z w) (not (= (* x x x) (* y y w)))) false)))"""
    system = read_horn(text, "multiples")
    symbols = dict(zip("xyzw", system.relations["inv"].symbols, strict=True))
    model = Model({"inv": parse_term("(and (= (* x z) (* y w)) (= (* y z) (* x x)))", symbols)})
    proved = proved_modularly(system, model, range(2), Solver.CVC5, Deadline.after(30))
    assert proved == {0, 1}
