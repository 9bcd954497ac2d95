"""Property-directed reachability: theories, several relations, lemmas, projections, refusals."""

from __future__ import annotations

import pytest
from horn_examples import byte_counter, counter, mccarthy, nothing_derives
from test_engine_contract import assert_checked

from seahorn_py.engines.engine import Budget
from seahorn_py.engines.pdr.pdr import Pdr
from seahorn_py.horn.system import HornSystem, Model
from seahorn_py.horn.text.smtlib import read_horn
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Safe, Unknown, Unsafe, Verdict

CLOCKS = """(declare-fun r (Real Real Bool) Bool)
(assert (forall ((x Real)) (=> (and (<= 0.0 x) (<= x 0.5)) (r x 0.0 false))))
(assert (forall ((x Real) (y Real) (b Bool) (d Real))
 (=> (and (r x y b) (< 0.0 d) (<= (+ x d) 2.0)) (r (+ x d) (+ y d) b))))
(assert (forall ((x Real) (y Real) (b Bool)) (=> (and (r x y b) (= x 2.0)) (r 0.0 0.0 true))))
(assert (forall ((x Real) (y Real) (b Bool)) (=> (and (r x y b) (< BOUND (- x y))) false)))"""
"""A clock that starts at up to 1/2, beside one that starts at 0."""

PHASES = """(declare-fun up (Int Int) Bool)
(declare-fun down (Int Int) Bool)
(declare-fun end (Int Int) Bool)
(assert (up 0 0))
(assert (forall ((x Int) (y Int)) (=> (and (up x y) (< x 2)) (up (+ x 1) (+ y 2)))))
(assert (forall ((x Int) (y Int)) (=> (and (up x y) (<= 2 x)) (down x y))))
(assert (forall ((x Int) (y Int)) (=> (and (down x y) (< 0 x)) (down (- x 1) (- y 2)))))
(assert (forall ((x Int) (y Int)) (=> (and (down x y) (<= x 0)) (end x y))))
(assert (forall ((x Int) (y Int)) (=> (and (end x y) (< y ERROR)) false)))"""
"""Three relations; an error is met after eight steps or never."""

MASKED = """(declare-fun r ((_ BitVec 16) (_ BitVec 16)) Bool)
(assert (r #x0000 #x0001))
(assert (forall ((x (_ BitVec 16)) (y (_ BitVec 16)) (z (_ BitVec 16)))
 (=> (r x y) (r (bvand z #xfffe) (bvor y #x0010)))))
(assert (forall ((x (_ BitVec 16)) (y (_ BitVec 16))) (=> (and (r x y) (= x ERROR)) false)))"""
"""Inputs without their lowest bit."""

CELLS = """(declare-fun r ((Array Int Int) Int) Bool)
(assert (forall ((a (Array Int Int))) (=> (= (select a 5) 1) (r a 0))))
(assert (forall ((a (Array Int Int)) (i Int)) (=> (r a i) (r (store a 3 7) (+ i 1)))))
(assert (forall ((a (Array Int Int)) (i Int)) (=> (and (r a i) (= (select a 3) 7)) (r a 3))))
(assert (forall ((a (Array Int Int)) (i Int))
 (=> (and (r a i) (= (+ (select a 5) (select a 3)) (+ 1 ERROR)) (< 2 i)) false)))"""
"""Two cells of an array, of which one is written."""

REPEATED = """(declare-fun r (Int Int Bool) Bool)
(assert (r 3 3 true))
(assert (forall ((x Int) (d Int)) (=> (and (r x x true) (< 0 d)) (r (+ x d) (+ x d) true))))
(assert (forall ((x Int) (b Bool)) (=> (r x ERROR b) false)))"""
"""A premise that has one symbol twice and a constant."""


def solve(system: HornSystem, seconds: float = 60.0) -> Verdict:
    verdict = Pdr().solve(system, Budget(Deadline.after(seconds)))
    assert_checked(system, verdict)
    return verdict


@pytest.mark.parametrize(
    ("text", "error", "answer"),
    [
        (CLOCKS, "0.5", Safe),
        (CLOCKS, "0.25", Unsafe),
        (PHASES, "0", Safe),
        (PHASES, "1", Unsafe),
        (MASKED, "#x0101", Safe),
        (MASKED, "#x0100", Unsafe),
        (CELLS, "0", Safe),
        (CELLS, "7", Unsafe),
        (REPEATED, "2", Safe),
        (REPEATED, "9", Unsafe),
    ],
)
def test_theories(text: str, error: str, answer: type[Verdict]) -> None:
    system = read_horn(text.replace("BOUND", error).replace("ERROR", error), "t")
    assert isinstance(solve(system), answer)


def test_of_bits_only_those_that_matter_are_in_a_lemma() -> None:
    verdict = solve(byte_counter(2, 7))
    assert isinstance(verdict, Safe)
    assert verdict.statistics["lemmas"] < 10


def test_a_model_is_made_of_lemmas() -> None:
    verdict = solve(counter(10, 11))
    assert isinstance(verdict, Safe)
    assert isinstance(verdict.proof, Model)
    assert verdict.statistics["lemmas"]


def test_what_is_never_reached_needs_no_level() -> None:
    verdict = solve(nothing_derives())
    assert isinstance(verdict, Safe)


def test_the_error_at_once() -> None:
    verdict = solve(read_horn("(assert false)", "t"))
    assert isinstance(verdict, Unsafe)
    assert len(verdict.refutation.steps) == 1


def test_a_refutation_has_a_step_for_each_rule_of_the_run() -> None:
    verdict = solve(read_horn(PHASES.replace("ERROR", "1"), "t"))
    assert isinstance(verdict, Unsafe)
    assert len(verdict.refutation.steps) == 8


def test_two_premises_are_refused() -> None:
    verdict = solve(mccarthy(91))
    assert isinstance(verdict, Unknown)
    assert "not linear" in verdict.reason


def test_datatypes_are_refused() -> None:
    text = """(declare-datatypes ((L 0)) (((nil) (cons (head Int) (tail L)))))
    (declare-fun r (L) Bool)
    (assert (r nil))
    (assert (forall ((x L)) (=> (and (r x) (= x (cons 1 nil))) false)))"""
    verdict = solve(read_horn(text, "t"))
    assert isinstance(verdict, Unknown)
    assert "datatypes" in verdict.reason
