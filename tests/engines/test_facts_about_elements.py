"""Facts about the elements of arrays: loops over arrays of any size, as clauses."""

from __future__ import annotations

import pytest

from seahorn_py.engines.elements.all_elements import Elements
from seahorn_py.engines.elements.candidates import bits, candidates
from seahorn_py.engines.elements.cellnumbers import cells_of, rule_cells
from seahorn_py.engines.engine import Budget
from seahorn_py.horn.checking.proofs import check_proof
from seahorn_py.horn.system import HornSystem, Model
from seahorn_py.horn.text.chcfiles import read_horn
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.logic.terms import terms
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Safe, Unknown

FILL = """
(set-logic HORN)
(declare-fun fill ((Array Int Int) (Array Int Int) Int Int) Bool)
(declare-fun look ((Array Int Int) (Array Int Int) Int Int) Bool)
(assert (forall ((a (Array Int Int)) (b (Array Int Int)) (n Int)) (fill a b n 0)))
(assert (forall ((a (Array Int Int)) (b (Array Int Int)) (n Int) (i Int) (x Int))
  (=> (and (fill a b n i) (< i n)) STORE)))
(assert (forall ((a (Array Int Int)) (b (Array Int Int)) (n Int) (i Int))
  (=> (and (fill a b n i) (>= i n)) (look a b n 0))))
(assert (forall ((a (Array Int Int)) (b (Array Int Int)) (n Int) (i Int))
  (=> (and (look a b n i) (< i n)) (look a b n (+ i 1)))))
(assert (forall ((a (Array Int Int)) (b (Array Int Int)) (n Int) (i Int))
  (=> (and (look a b n i) (< i n) (not CHECK)) false)))
(check-sat)
"""
"""A loop over n elements, addressed by four bytes each, and one that checks each of them."""

A, B = "(store a (+ 400 (* 4 i)) {})", "(store b (+ 9000 (* 4 i)) {})"
AT_A, AT_B = "(select a (+ 400 (* 4 i)))", "(select b (+ 9000 (* 4 i)))"
NEXT = "(fill {} {} n (+ i 1))"

RIGHT = {
    "a number": (NEXT.format(A.format("7"), "b"), f"(= {AT_A} 7)"),
    "the index": (NEXT.format(A.format("(+ i i 3)"), "b"), f"(= {AT_A} (+ i i 3))"),
    "a copy": (NEXT.format(A.format(AT_B), "b"), f"(= {AT_A} {AT_B})"),
    "a step of seven": (
        NEXT.format(A.format("(select b (+ 9004 (* 28 i)))"), "b"),
        f"(= {AT_A} (select b (+ 9004 (* 28 i))))",
    ),
    "an input": (
        f"(or (<= x 3) {NEXT.format(A.format('x'), 'b')})",
        f"(< 3 {AT_A})",
    ),
    "one of two": (
        NEXT.format(A.format("(ite (< x 5) 0 x)"), "b"),
        f"(or (= {AT_A} 0) (>= {AT_A} 5))",
    ),
}
WRONG = {
    "one short": (NEXT.format(A.format("i"), "b").replace("400", "404"), f"(= {AT_A} i)"),
    "the other array": (NEXT.format("a", B.format("7")), f"(= {AT_A} 7)"),
    "overwritten": (
        NEXT.format(A.format("7").replace("(store a", "(store (store a 400 1)"), "b"),
        f"(= {AT_A} 7)",
    ),
    "not every input": (
        f"(or (<= x 3) {NEXT.format(A.format('x'), 'b')})",
        f"(< 4 {AT_A})",
    ),
}

SORTED = """
(set-logic HORN)
(declare-fun pass ((Array Int Int) Int Int Int) Bool)
(declare-fun look ((Array Int Int) Int Int) Bool)
(assert (forall ((a (Array Int Int)) (n Int)) (pass a n 1 0)))
(assert (forall ((a (Array Int Int)) (n Int) (i Int) (swapped Int))
  (=> (and (pass a n i swapped) (< i n) (<= (select a (- i 1)) (select a i)))
      (pass a n (+ i 1) swapped))))
(assert (forall ((a (Array Int Int)) (n Int) (i Int) (swapped Int))
  (=> (and (pass a n i swapped) (< i n) (> (select a (- i 1)) (select a i)))
      (pass (store (store a i (select a (- i 1))) (- i 1) (select a i)) n (+ i 1) SWAPPED))))
(assert (forall ((a (Array Int Int)) (n Int) (i Int) (swapped Int))
  (=> (and (pass a n i swapped) (>= i n) (not (= swapped 0))) (pass a n 1 0))))
(assert (forall ((a (Array Int Int)) (n Int) (i Int) (x Int))
  (=> (and (pass a n i 0) (>= i n) (<= 0 x)) (look a n x))))
(assert (forall ((a (Array Int Int)) (n Int) (x Int))
  (=> (and (look a n x) (< (+ x 1) n) (> (select a x) (select a (+ x 1)))) false)))
(check-sat)
"""


def filled(parts: tuple[str, str]) -> HornSystem:
    store, check = parts
    return read_horn(FILL.replace("STORE", store).replace("CHECK", check), "fill")


def assert_proved(system: HornSystem) -> None:
    verdict = Elements().solve(system, Budget(Deadline.after(40)))
    assert isinstance(verdict, Safe), verdict
    checked = check_proof(system, verdict.proof, finder=verdict.finder, deadline=Deadline.after(40))
    assert checked.ok and checked.solver == Solver.CVC5.value, checked


@pytest.mark.parametrize("name", RIGHT)
def test_what_loops_do_to_every_element(name: str) -> None:
    assert_proved(filled(RIGHT[name]))


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_not_proved(name: str) -> None:
    verdict = Elements().solve(filled(WRONG[name]), Budget(Deadline.after(40)))
    assert isinstance(verdict, Unknown), verdict


def test_order_hangs_on_a_flag() -> None:
    assert_proved(read_horn(SORTED.replace("SWAPPED", "1"), "sorted"))


def test_a_flag_that_is_forgotten_proves_nothing() -> None:
    system = read_horn(SORTED.replace("SWAPPED", "swapped"), "sorted")
    verdict = Elements().solve(system, Budget(Deadline.after(40)))
    assert isinstance(verdict, Unknown), verdict


def test_candidates_are_about_the_relation_alone() -> None:
    system = filled(RIGHT["a step of seven"])
    cells = cells_of(system)
    rules = [rule_cells(rule, rule.constraint, system, cells) for rule in system.rules]
    for name, known in candidates(system, cells, rules, Model({})).items():
        facts = [(p, r) for p, where in enumerate(known.start) for r in bits(where)]
        assert facts
        for fact in facts:
            symbols = set(system.relations[name].symbols)
            assert terms.free_symbols(known.formula(fact)) <= symbols


def test_the_cells_of_two_arrays_are_numbered_alike() -> None:
    system = filled(RIGHT["a copy"])
    cells = cells_of(system)
    rule = rule_cells(system.rules[1], system.rules[1].constraint, system, cells)
    numbers = {number.key for _, number, _ in rule.accesses()}
    assert len(numbers) == 1
    assert len({root for root, _, _ in rule.accesses()}) == 2


def test_bits() -> None:
    assert list(bits(0b10110)) == [1, 2, 4]


def test_without_arrays_there_is_nothing_to_say() -> None:
    counter = "(set-logic HORN)(declare-fun p (Int) Bool)(assert (p 0))(check-sat)"
    verdict = Elements().solve(read_horn(counter, "counter"), Budget(Deadline.after(10)))
    assert isinstance(verdict, Unknown) and "no arrays" in verdict.reason
