"""Facts about all blocks of a heap: lists of any length, as clauses."""

from __future__ import annotations

import pytest

from seahorn_py.engines.engine import Budget
from seahorn_py.engines.heap.block_places import Value, flow_of
from seahorn_py.engines.heap.facts import facts, vocabulary
from seahorn_py.engines.heap.heap import Heap
from seahorn_py.horn.checking.instances import Choice, choices_for
from seahorn_py.horn.checking.proofs import check_proof
from seahorn_py.horn.system import HornSystem, Model
from seahorn_py.horn.text.chcfiles import read_horn
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Safe, Unknown

LIST = """
(set-logic HORN)
(declare-fun make ((Array Int Int) (Array Int Int) Int Int) Bool)
(declare-fun walk ((Array Int Int) (Array Int Int) Int) Bool)
(assert (forall ((next (Array Int Int)))
  (make ((as const (Array Int Int)) 0) next 0 100)))
(assert (forall ((live (Array Int Int)) (next (Array Int Int)) (head Int) (new Int))
  (=> (make live next head new)
      (make (store live (+ new 8) 1) (store next new head) new (+ new 16)))))
(assert (forall ((live (Array Int Int)) (next (Array Int Int)) (head Int) (new Int))
  (=> (make live next head new) (walk live next head))))
(assert (forall ((live (Array Int Int)) (next (Array Int Int)) (at Int))
  (=> (and (walk live next at) (not (= at 0))) STEP)))
(assert (forall ((live (Array Int Int)) (next (Array Int Int)) (at Int))
  (=> (and (walk live next at) (not (= at 0)) (= (select live (+ at 8)) 0)) false)))
(check-sat)
"""
"""`make` puts blocks of 16 bytes before a list; `walk` goes along it, and reads live blocks."""

STEPS = {
    "walk": "(walk live next (select next at))",
    "free": "(walk (store live (+ at 8) 0) next (select next at))",
    "cut": "(walk live (store next at 0) (select next at))",
}
WRONG = {
    "free and stay": "(walk (store live (+ at 8) 0) next at)",
    "past the end": "(walk live next (+ 16 (select next at)))",
}


TURNED = """
(declare-fun turn ((Array Int Int) (Array Int Int) Int Int) Bool)
(assert (forall ((live (Array Int Int)) (next (Array Int Int)) (head Int) (new Int))
  (=> (make live next head new) (turn live next head 0))))
(assert (forall ((live (Array Int Int)) (next (Array Int Int)) (head Int) (back Int))
  (=> (and (turn live next head back) (not (= head 0)))
      (turn live (store next head back) (select next head) head))))
(assert (forall ((live (Array Int Int)) (next (Array Int Int)) (back Int))
  (=> (turn live next 0 back) (walk live next back))))
"""
"""`turn` moves the first block to the front of a second list, as long as there is one."""


def listed(step: str) -> HornSystem:
    return read_horn(LIST.replace("STEP", step), "list")


def test_the_flow_of_a_list() -> None:
    flow = flow_of(listed(STEPS["walk"]))
    assert flow.counters == {("make", 3)}
    assert flow.values["parameter", "walk", 2] == {Value(0), Value(0, True)}
    columns = [flow.columns[flow.classes["walk", k]] for k in (0, 1)]
    assert columns == [(8,), (0,)]


def test_facts_are_about_the_relation_alone() -> None:
    system = listed(STEPS["free"])
    flow = flow_of(system)
    for relation in system.relations.values():
        found = list(facts(vocabulary(relation, flow, 100)))
        assert found
        for fact in found:
            free = set(fact.body.get_free_variables()) - set(fact.blocks)
            assert free <= set(relation.symbols)


@pytest.mark.parametrize("name", STEPS)
def test_lists_of_any_length(name: str) -> None:
    system = listed(STEPS[name])
    verdict = Heap().solve(system, Budget(Deadline.after(30)))
    assert isinstance(verdict, Safe), verdict
    checked = check_proof(system, verdict.proof, finder=verdict.finder, deadline=Deadline.after(30))
    assert checked.ok and checked.solver == Solver.CVC5.value, checked


def test_a_list_that_is_turned_round_and_freed() -> None:
    made = "  (=> (make live next head new) (walk live next head))))"
    before = LIST.index("(assert (forall", LIST.index("(+ new 16)"))
    after = LIST.index(made) + len(made)
    text = LIST[:before] + TURNED + LIST[after:].replace("STEP", STEPS["free"])
    system = read_horn(text, "turned")
    verdict = Heap().solve(system, Budget(Deadline.after(60)))
    assert isinstance(verdict, Safe), verdict
    checked = check_proof(system, verdict.proof, finder=verdict.finder, deadline=Deadline.after(60))
    assert checked.ok, checked


def test_no_fact_of_a_proof_can_be_left_out_alone() -> None:
    system = listed(STEPS["walk"])
    verdict = Heap().solve(system, Budget(Deadline.after(30)))
    assert isinstance(verdict, Safe) and isinstance(verdict.proof, Model)
    (walk,) = (f for name, f in verdict.proof.interpretations.items() if name == "walk")
    parts = walk.args() if walk.is_and() else (walk,)
    assert len(parts) == 2, "where `at` leads, and where fields lead"


def test_cells_led_to_come_first_where_a_model_follows_pointers() -> None:
    system = listed(STEPS["walk"])
    verdict = Heap().solve(system, Budget(Deadline.after(30)))
    assert isinstance(verdict, Safe) and isinstance(verdict.proof, Model)
    assert choices_for(verdict.proof)[0] is Choice.LED_TO
    assert choices_for(Model({}))[0] is Choice.ACCESSED


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_not_proved(name: str) -> None:
    verdict = Heap().solve(listed(WRONG[name]), Budget(Deadline.after(30)))
    assert isinstance(verdict, Unknown), verdict


def test_without_blocks_there_is_nothing_to_say() -> None:
    counter = "(set-logic HORN)(declare-fun p (Int) Bool)(assert (p 0))(check-sat)"
    verdict = Heap().solve(read_horn(counter, "counter"), Budget(Deadline.after(10)))
    assert isinstance(verdict, Unknown) and "no blocks" in verdict.reason
