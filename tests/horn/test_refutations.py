"""The refutation checker accepts derivations of a query and nothing else."""

from dataclasses import replace

import pytest

from seahorn_py.horn.checking.refutations import check_refutation
from seahorn_py.horn.system import Refutation, Step
from seahorn_py.horn.text.smtlib import read_horn
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import int_const
from seahorn_py.processes.deadline import Deadline


def check(system, *steps):
    return check_refutation(system, Refutation(tuple(steps)), Deadline.after(60))


SUM = read_horn(
    """(declare-fun p (Int) Bool)
(declare-fun q (Int Int) Bool)
(assert (p 1))
(assert (forall ((x Int) (y Int)) (=> (and (p x) (p y)) (p (+ x y)))))
(assert (forall ((x Int) (k Int)) (=> (and (p x) (< k x) (< 5 k)) (q x (* 2 k)))))
(assert (forall ((x Int) (y Int)) (=> (and (q x y) (> y 10)) false)))""",
    "sum",
)
ONE = Step("line3", (int_const(1),), ())
TWO = Step("line4", (int_const(2),), (0, 0))
FOUR = Step("line4", (int_const(4),), (1, 1))
EIGHT = Step("line4", (int_const(8),), (2, 2))
Q = Step("line5", (int_const(8), int_const(14)), (3,))
BAD = Step("line6", (), (4,))
STEPS = [ONE, TWO, FOUR, EIGHT, Q, BAD]
K = next(s for s in terms.free_symbols(SUM.rules[2].constraint) if s.symbol_name() == "k")


def test_a_dag_of_instances_is_accepted():
    checked = check(SUM, *STEPS)
    assert checked.ok
    assert checked.solver == "cvc5"


def test_values_fix_symbols_of_the_rule():
    assert check(SUM, *STEPS[:4], replace(Q, values={K: int_const(7)}), BAD).ok
    wrong = check(SUM, *STEPS[:4], replace(Q, values={K: int_const(6)}), BAD)
    assert wrong.reason == "step 4 is no instance of line5"


@pytest.mark.parametrize(
    ("number", "changes", "reason"),
    [
        (1, {"arguments": (int_const(3),)}, "step 1 is no instance of line4"),
        (4, {"arguments": (int_const(8), int_const(15))}, "step 4 is no instance of line5"),
        (4, {"arguments": (int_const(8), int_const(16))}, "step 4 is no instance of line5"),
        (4, {"arguments": (int_const(8),)}, "step 4 (line5): the arguments do not fit q"),
        (
            4,
            {"arguments": (int_const(8), K)},
            "step 4 (line5): an argument or a value is not constant",
        ),
        (2, {"premises": (1,)}, "step 2 (line4): 1 premises for 2 body atoms"),
        (2, {"premises": (1, 2)}, "step 2 (line4): premise 2 is no earlier step"),
        (2, {"premises": (1, -1)}, "step 2 (line4): premise -1 is no earlier step"),
        (5, {"premises": (3,)}, "step 5 (line6): premise 3 derives no fact of q"),
        (5, {"arguments": (int_const(1),)}, "step 5 (line6): a query has arguments"),
        (5, {"rule": "none"}, "step 5: no rule none"),
        (2, {"premises": (0, 1)}, "step 2 is no instance of line4"),
    ],
)
def test_a_changed_step_is_found(number, changes, reason):
    steps = list(STEPS)
    steps[number] = replace(steps[number], **changes)
    checked = check(SUM, *steps)
    assert not checked.ok
    assert checked.reason == reason


def test_the_last_step_must_derive_a_query():
    assert check(SUM, *STEPS[:5]).reason == "the last step, line5, derives no query"
    assert check(SUM).reason == "an empty refutation"


def test_premises_may_not_come_from_a_query():
    steps = [*STEPS, replace(BAD, premises=(5,))]
    assert "premise 5 derives no fact of q" in check(SUM, *steps).reason


DIVISION = read_horn(
    """(declare-fun p (Int Int) Bool)
(assert (forall ((x Int)) (p x (div 6 x))))
(assert (forall ((x Int) (y Int)) (=> (and (p x y) (= y 3)) false)))""",
    "division",
)


@pytest.mark.parametrize(("divisor", "ok"), [(2, True), (0, False)])
def test_a_refutation_must_not_choose_the_value_of_a_division_by_zero(divisor, ok):
    fact = Step("line2", (int_const(divisor), int_const(3)), ())
    assert check(DIVISION, fact, Step("line3", (), (0,))).ok is ok


def test_wrong_sorts_of_values_are_refused():
    wrong = replace(Q, values={K: terms.TRUE})
    assert "another sort" in check(SUM, *STEPS[:4], wrong, BAD).reason


def test_values_of_a_query_step_must_be_constant():
    x = next(iter(SUM.rules[3].body[0].arguments))
    assert "not constant" in check(SUM, *STEPS[:5], replace(BAD, values={x: x})).reason
