"""Transition power abstraction: powers, runs that are put together, and what is declined."""

from __future__ import annotations

import pytest
from horn_examples import byte_counter, mccarthy
from small_systems import Kind, SmallSystems, facts_of
from test_engine_contract import assert_checked

from seahorn_py.engines.engine import Budget
from seahorn_py.engines.tpa.tpa import Tpa
from seahorn_py.horn.system import HornSystem, Model
from seahorn_py.horn.text.smtlib import read_horn
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Safe, Unknown, Unsafe, Verdict

LOOP = """(declare-fun r (Int Int) Bool)
(assert (r 0 0))
(assert (forall ((x Int) (y Int) (z Int))
 (=> (and (r x y) (< x 60) (<= 1 z 2)) (r (+ x 1) (+ y z)))))
(assert (forall ((x Int) (y Int)) (=> (and (r x y) ERROR) false)))"""
"""After 60 rounds y is between 60 and 120."""

TWO = """(declare-fun p (Int Int) Bool)
(declare-fun q (Int) Bool)
(assert (p 0 0))
(assert (forall ((x Int) (y Int)) (=> (and (p x y) (< x 4)) (p (+ x 1) (+ y 2)))))
(assert (forall ((x Int) (y Int)) (=> (and (p x y) (= x 4)) (q (- y x)))))
(assert (forall ((x Int)) (=> (and (q x) (< 0 x)) (q (- x 2)))))
(assert (forall ((x Int)) (=> (and (q x) (= x 0)) false)))"""
"""One loop after the other: q holds of 4, 2, 0."""


FORMS = pytest.mark.parametrize("split", [False, True])


def solve(system: HornSystem, split: bool = False, seconds: float = 30.0) -> Verdict:
    verdict = Tpa(split).solve(system, Budget(Deadline.after(seconds)))
    assert_checked(system, verdict)
    return verdict


@FORMS
def test_what_a_loop_does_in_so_many_steps_is_proved(split: bool) -> None:
    verdict = solve(read_horn(LOOP.replace("ERROR", "(< y x)"), "t"), split)
    assert isinstance(verdict, Safe)
    assert isinstance(verdict.proof, Model)


@pytest.mark.full
@FORMS
def test_a_long_run_is_put_together_of_halves(split: bool) -> None:
    verdict = solve(read_horn(LOOP.replace("ERROR", "(< 61 y)"), "t"), split)
    assert isinstance(verdict, Unsafe)
    assert len(verdict.refutation.steps) > 30


@FORMS
def test_a_run_goes_through_two_loops(split: bool) -> None:
    assert isinstance(solve(read_horn(TWO, "t"), split), Unsafe)


@FORMS
def test_the_error_at_once(split: bool) -> None:
    assert isinstance(solve(read_horn("(assert false)", "t"), split), Unsafe)


@pytest.mark.full
@FORMS
def test_random_systems_have_the_answers_of_enumeration(split: bool) -> None:
    kind = Kind(pairs=False)
    answers = []
    for seed in range(6):
        system = SmallSystems(kind, seed).system()
        _, reached = facts_of(system, kind)
        verdict = solve(system, split, seconds=5.0)
        assert not isinstance(verdict, Safe if reached else Unsafe), seed
        answers.append(type(verdict))
    assert answers.count(Unknown) <= 1


@pytest.mark.parametrize(
    ("system", "reason"),
    [(mccarthy(91), "not linear"), (byte_counter(2, 7), "more than numbers")],
)
def test_what_is_declined(system: HornSystem, reason: str) -> None:
    verdict = solve(system)
    assert isinstance(verdict, Unknown)
    assert reason in verdict.reason
