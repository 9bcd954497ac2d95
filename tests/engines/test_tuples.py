"""Tables of values that occur together: what pairs prove, what triples, and random systems."""

from __future__ import annotations

import pytest
from small_systems import Kind, SmallSystems, facts_of
from test_engine_contract import assert_checked

from seahorn_py.engines.engine import Budget
from seahorn_py.engines.tuples.tables import features_of, tables_of
from seahorn_py.engines.tuples.tuples import Tuples
from seahorn_py.horn.system import HornSystem
from seahorn_py.horn.text.smtlib import read_horn
from seahorn_py.logic.terms import terms
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Safe, Unknown, Unsafe, Verdict

THREADS = """(declare-fun inv (Int Int Int Int) Bool)
(assert (forall ((f Int) (a Int)) (inv 0 f 0 a)))
(assert (forall ((m Int) (f Int) (p Int) (a Int)) (=> (and (inv m f p a) (= m 0)) (inv 1 0 p a))))
(assert (forall ((m Int) (f Int) (p Int) (a Int))
 (=> (and (inv m f p a) (= m 1) (= p 0)) (inv m f 1 a))))
(assert (forall ((m Int) (f Int) (p Int) (a Int))
 (=> (and (inv m f p a) (= p 1) (= f 0)) (inv m 1 2 a))))
(assert (forall ((m Int) (f Int) (p Int) (q Int) (a Int) (b Int))
 (=> (and (inv m f p a) (inv m f q b) (= q 1) (= f 0)) (inv m 1 p a))))
(assert (forall ((m Int) (f Int) (p Int) (a Int)) (=> (and (inv m f p a) ERROR) false)))"""
"""m is where the first thread is, which clears the flag f; others are at p, of which 2 sets it."""

RELATED = """(declare-fun r (Bool Bool Bool) Bool)
(assert (forall ((x Bool) (y Bool)) (r x y (xor x y))))
(assert (forall ((x Bool) (y Bool) (z Bool)) (=> (and (r x y z) (r y x z)) (r y z x))))
(assert (forall ((x Bool) (y Bool) (z Bool)) (=> (and (r x y z) x y z) false)))"""
"""All pairs of values occur."""


def solve(system: HornSystem, most: int = 3, places: int = 0) -> Verdict:
    verdict = Tuples(most, places).solve(system, Budget(Deadline.after(30.0)))
    assert_checked(system, verdict)
    return verdict


@pytest.mark.parametrize(
    ("error", "answer"),
    [
        ("(and (= p 2) (= f 0))", Safe),
        ("(and (= m 0) (< 0 p))", Safe),
        ("(and (= p 2) (= a 7))", Unknown),
        ("(and (= m 1) (= f 1))", Unknown),
    ],
)
def test_threads(error: str, answer: type[Verdict]) -> None:
    assert isinstance(solve(read_horn(THREADS.replace("ERROR", error), "t")), answer)


def test_three_parameters_are_needed() -> None:
    system = read_horn(RELATED, "t")
    assert isinstance(solve(system, most=2), Unknown)
    assert isinstance(solve(system, most=3), Safe)


def test_places_are_looked_for() -> None:
    verdict = solve(read_horn(THREADS.replace("ERROR", "(and (= p 2) (= f 0))"), "t"), places=4)
    assert isinstance(verdict, Unknown)
    assert "no two parameters" in verdict.reason


def test_constants_go_along_the_rules() -> None:
    found = features_of(read_horn(THREADS.replace("ERROR", "(= a 7)"), "t"))
    values = [[terms.number(c) for c in one.constants] for one in found["inv"]]
    assert values == [[0, 1], [0, 1], [0, 1, 2], [7]]


def test_a_table_says_what_it_has_seen() -> None:
    (table,) = tables_of(features_of(read_horn(RELATED, "t"))["r"], 3)
    empty = table.formula()
    assert table.join([0, 0, 1])
    assert not table.join([0, 0, 1])
    x, y, z = (feature.symbol for feature in table.features)
    state = {x: terms.TRUE, y: terms.TRUE, z: terms.FALSE}
    assert terms.substitute(empty, state).simplify() is terms.FALSE
    assert terms.substitute(table.formula(), state).simplify() is terms.TRUE
    other = {**state, z: terms.TRUE}
    assert terms.substitute(table.formula(), other).simplify() is terms.FALSE


def test_random_systems_have_the_answers_of_enumeration() -> None:
    answers = []
    for seed in range(12):
        kind = Kind(pairs=seed % 2 == 0)
        system = SmallSystems(kind, seed).system()
        _, reached = facts_of(system, kind)
        verdict = solve(system)
        assert not isinstance(verdict, Unsafe)
        assert not (reached and isinstance(verdict, Safe)), seed
        answers.append(type(verdict))
    assert Safe in answers
