"""Equations between polynomials that are guessed from runs, and proved."""

from __future__ import annotations

import pytest

from seahorn_py.engines.engine import Budget
from seahorn_py.engines.polynomials.polynomial_guesses import Polynomials
from seahorn_py.engines.polynomials.random_states import states_of
from seahorn_py.engines.polynomials.vanishing import vanishing
from seahorn_py.horn.checking.proofs import check_proof
from seahorn_py.horn.system import HornSystem
from seahorn_py.horn.text.smtlib import read_horn
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.evaluate import evaluate
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Safe, Unknown

SQUARES = """(declare-fun at (Int Int Int Int) Bool)
(assert (forall ((n Int)) (=> (>= n 0) (at n 0 1 1))))
(assert (forall ((n Int) (a Int) (t Int) (s Int))
  (=> (and (at n a t s) (<= s n)) (at n (+ a 1) (+ t 2) (+ s t STEP)))))
(assert (forall ((n Int) (a Int) (t Int) (s Int)) (=> (and (at n a t s) (> s n) CHECK) false)))
(check-sat)"""

LINES = """(declare-fun at (Int Int Int Int) Bool)
(assert (forall ((x Int) (y Int)) (=> (and (>= x 0) (>= y x)) (at x y 0 0))))
(assert (forall ((x Int) (y Int) (k Int) (z Int))
  (=> (and (at x y k z) (< k y)) (at x y (+ k 1) (+ z x)))))
(assert (forall ((x Int) (y Int) (k Int) (z Int))
  (=> (and (at x y k z) (>= k y) CHECK) false)))
(check-sat)"""

HALVES = """(declare-fun at (Int Int Int Int Int) Bool)
(assert (forall ((a Int) (b Int)) (=> (and (>= a 0) (>= b 0)) (at a b a b 0))))
(assert (forall ((a Int) (b Int) (x Int) (y Int) (z Int))
  (=> (and (at a b x y z) (not (= y 0)) (= (mod y 2) 1)) (at a b (* 2 x) (div y 2) (+ z x)))))
(assert (forall ((a Int) (b Int) (x Int) (y Int) (z Int))
  (=> (and (at a b x y z) (not (= y 0)) (= (mod y 2) 0)) (at a b (* 2 x) (div y 2) z))))
(assert (forall ((a Int) (b Int) (x Int) (y Int) (z Int))
  (=> (and (at a b x y z) (= y 0) (not (= z CHECK))) false)))
(check-sat)"""

RIGHT = {
    "a square root": SQUARES.replace("STEP", "2").replace("CHECK", "(>= n (* (+ a 1) (+ a 1)))"),
    "a product by sums": LINES.replace("CHECK", "(not (= z (* x y)))"),
    "a product by halves": HALVES.replace("CHECK", "(* a b)"),
}
WRONG = {
    "a square root": SQUARES.replace("STEP", "2").replace("CHECK", "(>= n (* a a))"),
    "sums of another step": SQUARES.replace("STEP", "3").replace(
        "CHECK", "(>= n (* (+ a 1) (+ a 1)))"
    ),
    "a product by sums": LINES.replace("CHECK", "(not (= z (* x (+ y 1))))"),
    "a product by halves": HALVES.replace("CHECK", "(* a (+ b 1))"),
}


BITS = """(declare-fun at ((_ BitVec 64) (_ BitVec 64) (_ BitVec 64) (_ BitVec 64)) Bool)
(assert (forall ((x (_ BitVec 64)) (y (_ BitVec 64))) (at x y (_ bv1 64) (_ bv0 64))))
(assert (forall ((x (_ BitVec 64)) (y (_ BitVec 64)) (p (_ BitVec 64)) (q (_ BitVec 64)))
  (=> (and (at x y p q) (= (bvand x (_ bv1 64)) (_ bv1 64)))
      (at x y (bvmul p x) (bvadd q (bvmul p (bvsub x (_ bv1 64))))))))
(assert (forall ((x (_ BitVec 64)) (y (_ BitVec 64)) (p (_ BitVec 64)) (q (_ BitVec 64)))
  (=> (and (at x y p q) (not (= (bvadd q (_ bvONE 64)) p))) false)))
(check-sat)"""


def system_of(text: str) -> HornSystem:
    return read_horn(text, "polynomials")


@pytest.mark.parametrize("name", RIGHT)
def test_a_proof_is_confirmed(name: str) -> None:
    system = system_of(RIGHT[name])
    verdict = Polynomials().solve(system, Budget(Deadline.after(30)))
    assert isinstance(verdict, Safe), verdict
    checked = check_proof(system, verdict.proof, finder=verdict.finder, deadline=Deadline.after(30))
    assert checked.ok and checked.solver == Solver.CVC5.value, checked


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_not_proved(name: str) -> None:
    verdict = Polynomials().solve(system_of(WRONG[name]), Budget(Deadline.after(4)))
    assert isinstance(verdict, Unknown), verdict


def test_bits_are_multiplied_as_integers_are() -> None:
    system = system_of(BITS.replace("ONE", "1"))
    verdict = Polynomials().solve(system, Budget(Deadline.after(30)))
    assert isinstance(verdict, Safe), verdict
    checked = check_proof(system, verdict.proof, finder=verdict.finder, deadline=Deadline.after(30))
    assert checked.ok and Solver.CVC5.value in checked.solver, checked


def test_wrong_congruences_are_not_proved() -> None:
    system = system_of(BITS.replace("ONE", "2"))
    assert isinstance(Polynomials().solve(system, Budget(Deadline.after(4))), Unknown)


def test_states_are_those_of_runs() -> None:
    states = states_of(system_of(RIGHT["a square root"]), 60, Deadline.after(20))["at"]
    assert len(states) == 60
    for n, a, t, s in states:
        assert t == 2 * a + 1 and s == (a + 1) ** 2 and (a == 0 or a * a <= n)


def test_other_parameters_are_not_looked_at() -> None:
    text = RIGHT["a product by sums"].replace("at (Int Int Int Int)", "at (Int Int Int Int Bool)")
    text = text.replace("0 0))", "0 0 true))").replace("(+ z x))", "(+ z x) true)")
    text = text.replace("(at x y k z)", "(at x y k z true)")
    verdict = Polynomials().solve(system_of(text), Budget(Deadline.after(30)))
    assert isinstance(verdict, Safe), verdict


def test_rules_with_two_premises_are_for_others() -> None:
    text = "(declare-fun f (Int Int) Bool)(assert (f 0 1))"
    text += "(assert (forall ((x Int) (y Int)) (=> (and (f x y) (f y x)) (f (+ x 1) (* x y)))))"
    text += "(assert (forall ((x Int)) (=> (f x x) false)))(check-sat)"
    verdict = Polynomials().solve(system_of(text), Budget(Deadline.after(5)))
    assert isinstance(verdict, Unknown) and "one premise" in verdict.reason


def test_vanishing_polynomials_are_0_at_the_points() -> None:
    x, y, z = (terms.symbol(f"point.{name}", terms.INT) for name in "xyz")
    points = [(a, b, a * a - 3 * b) for a in range(-4, 5) for b in range(-4, 5)]
    found = vanishing((x, y, z), points, 2)
    assert len(found) == 1
    (whole,) = (one.term(one.denominator) for one in found)
    for point in points:
        assert evaluate(whole, dict(zip((x, y, z), point, strict=True))) == 0
    assert evaluate(whole, {x: 1, y: 1, z: 1}) != 0


def test_few_points_lower_the_degree() -> None:
    x, y = (terms.symbol(f"point.{name}", terms.INT) for name in "xy")
    assert not vanishing((x, y), [(1, 2), (3, 4), (5, 7)], 3)
