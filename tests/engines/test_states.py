"""Explicit states: what gives values, what is chosen, what has any value, and what is declined."""

from __future__ import annotations

import pytest
from small_systems import Kind, SmallSystems, facts_of
from test_engine_contract import assert_checked

from seahorn_py.engines.engine import Budget
from seahorn_py.engines.states.states import States
from seahorn_py.horn.text.smtlib import read_horn
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Safe, Unknown, Unsafe, Verdict

CASES = """(declare-fun r (Int Bool) Bool)
(assert (r 0 false))
(assert (forall ((x Int) (y Int) (b Bool) (c Bool) (d Bool))
 (=> (and (r x b) (= c (and b (< x 3))) (= d (not c)) (<= 0 y 9)
  (=> c (= y (+ x 1))) (=> d (= y 0))) (r y (not b)))))
(assert (forall ((x Int) (b Bool)) (=> (and (r x b) ERROR) false)))"""
"""A number that two implications give: 0 false, 0 true, 1 false, and so on from 0."""

CHOSEN = """(declare-fun p (Int) Bool)
(declare-fun q (Int Int) Bool)
(assert (p 0))
(assert (forall ((x Int) (s Int)) (=> (and (p x) (<= (- 128) s 127) (= s 3) (< x 5)) (p (+ x 1)))))
(assert (forall ((x Int) (s Int)) (=> (and (p x) (<= (- 128) s 127) (not (= s 3))) (q x s))))
(assert (forall ((x Int) (s Int)) (=> (and (q x s) ERROR) false)))"""
"""Which way is taken depends on a number, which is handed on."""

ARRAYS = """(declare-fun r (Int (Array Int Int)) Bool)
(assert (r 0 ((as const (Array Int Int)) 7)))
(assert (forall ((k Int) (a (Array Int Int)))
 (=> (and (r k a) (< k 4)) (r (+ k 1) (store a (mod k 2) k)))))
(assert (forall ((k Int) (a (Array Int Int))) (=> (and (r k a) ERROR) false)))"""


def solve(text: str, error: str) -> Verdict:
    system = read_horn(text.replace("ERROR", error), "t")
    verdict = States().solve(system, Budget(Deadline.after(20.0)))
    assert_checked(system, verdict)
    return verdict


@pytest.mark.parametrize(
    ("text", "error", "answer"),
    [
        (CASES, "(< 1 x)", Safe),
        (CASES, "(and (= x 1) (not b))", Unsafe),
        (CHOSEN, "(< 5 x)", Safe),
        (CHOSEN, "(= x 5)", Unknown),
        (ARRAYS, "(and (= k 4) (not (= (+ (select a 0) (select a 1)) 5)))", Safe),
        (ARRAYS, "(= (select a 1) 3)", Unsafe),
    ],
)
def test_answers(text: str, error: str, answer: type[Verdict]) -> None:
    assert isinstance(solve(text, error), answer)


ANY = """(declare-fun r (Int Int (Array Int Int)) Bool)
(assert (forall ((x Int) (y Int) (a (Array Int Int))) (=> (<= 3 x) (r x y a))))
(assert (forall ((x Int) (y Int) (z Int) (a (Array Int Int)))
 (=> (and (r x y a) (= x (+ (- 1) z))) (r z y (store a z y)))))
(assert (forall ((x Int) (y Int) (z Int) (a (Array Int Int)) (b (Array Int Int)))
 (=> (and (r x y a) (r z y b)) (r (- 5) y a))))
(assert (forall ((x Int) (y Int) (a (Array Int Int))) (=> (and (r x y a) ERROR) false)))"""
"""The first parameter may be any number from 3 on, or -5 by two premises."""


@pytest.mark.parametrize(
    ("error", "answer"),
    [
        ("(and (= x 7) (= (select a 5) y))", Unsafe),
        ("(= x 0)", Unknown),
        ("(= x (- 5))", Unknown),
    ],
)
def test_some_values_show_errors_alone(error: str, answer: type[Verdict]) -> None:
    system = read_horn(ANY.replace("ERROR", error), "t")
    verdict = States(some=True).solve(system, Budget(Deadline.after(3.0)))
    assert_checked(system, verdict)
    assert isinstance(verdict, answer), verdict


def test_some_values_of_random_systems_prove_nothing() -> None:
    for seed in range(8):
        kind = Kind(pairs=seed % 2 == 0)
        system = SmallSystems(kind, seed).system()
        _, reached = facts_of(system, kind)
        verdict = States(some=True).solve(system, Budget(Deadline.after(3.0)))
        assert_checked(system, verdict)
        assert isinstance(verdict, (Unsafe, Unknown) if reached else Unknown), seed


def test_any_number_is_declined_where_it_is_added() -> None:
    verdict = solve(CHOSEN.replace("(q x s)))", "(q (+ x s) s)))", 1), "(= x 5)")
    assert isinstance(verdict, Unknown)
    assert "too many values" in verdict.reason


def test_a_number_of_which_only_the_rest_counts() -> None:
    text = CHOSEN.replace("(not (= s 3))) (q x s)", "(= (mod s 4) 1)) (q x 0)")
    assert isinstance(solve(text, "(< 5 x)"), Safe)


@pytest.mark.parametrize("kind", [Kind(pairs=False), Kind(pairs=False, free=True, arrays=True)])
def test_random_systems_have_the_answers_of_enumeration(kind: Kind) -> None:
    answers = []
    for seed in range(25):
        system = SmallSystems(kind, seed).system()
        _, reached = facts_of(system, kind)
        verdict = States().solve(system, Budget(Deadline.after(5.0)))
        assert not isinstance(verdict, Safe if reached else Unsafe), seed
        answers.append(type(verdict))
    assert answers.count(Unknown) <= 12
