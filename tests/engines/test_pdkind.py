"""Property-directed k-induction: lemmas, depth, refutations, and what is declined."""

from __future__ import annotations

import pytest
from horn_examples import byte_counter, mccarthy, two_counters
from test_engine_contract import assert_checked

from seahorn_py.engines.engine import Budget
from seahorn_py.engines.pdkind.pdkind import PdKind
from seahorn_py.horn.system import HornSystem, KInductive, Model
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

THREE = """(declare-fun r (Int Int Int) Bool)
(assert (r 0 0 0))
(assert (forall ((x Int) (y Int) (z Int)) (=> (r x y z) (r y z 0))))
(assert (forall ((x Int) (y Int) (z Int)) (=> (and (r x y z) (not (= x 0))) false)))"""
"""After three steps all is 0, wherever the run began."""


def solve(system: HornSystem, engine: PdKind | None = None, seconds: float = 20.0) -> Verdict:
    verdict = (engine or PdKind()).solve(system, Budget(Deadline.after(seconds)))
    assert_checked(system, verdict)
    return verdict


@pytest.mark.parametrize(("bound", "answer"), [("0.5", Safe), ("0.25", Unsafe)])
def test_clocks(bound: str, answer: type[Verdict]) -> None:
    assert isinstance(solve(read_horn(CLOCKS.replace("BOUND", bound), "t")), answer)


def test_a_model_is_made_of_lemmas() -> None:
    verdict = solve(two_counters(1))
    assert isinstance(verdict, Safe)
    assert isinstance(verdict.proof, Model)


def test_induction_over_several_steps_finds_proofs_of_several_steps() -> None:
    verdict = solve(read_horn(THREE, "t"), PdKind(deepest=3))
    assert isinstance(verdict, Safe)
    assert isinstance(verdict.proof, KInductive | Model)


def test_the_error_at_once() -> None:
    system = read_horn("(assert false)", "t")
    assert isinstance(solve(system), Unsafe)


@pytest.mark.parametrize(
    ("system", "reason"),
    [(mccarthy(91), "not linear"), (byte_counter(2, 7), "more than numbers")],
)
def test_what_is_declined(system: HornSystem, reason: str) -> None:
    verdict = solve(system)
    assert isinstance(verdict, Unknown)
    assert reason in verdict.reason


def test_without_a_projection_states_are_excluded_one_by_one() -> None:
    text = "(declare-fun r (Int Int) Bool)(assert (r 2 3))"
    text += "(assert (forall ((x Int) (y Int)) (=> (and (r x y) (< (* x y) 50)) (r (* x y) y))))"
    text += "(assert (forall ((x Int) (y Int)) (=> (and (r x y) (= (* x x) 324)) false)))"
    assert not isinstance(solve(read_horn(text, "t"), seconds=3.0), Safe)
