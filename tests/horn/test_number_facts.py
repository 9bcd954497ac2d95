"""Intervals and congruences of arguments: what is derived has them, and they are found."""

from __future__ import annotations

import pytest
from small_systems import Kind, SmallSystems, facts_of

from seahorn_py.horn.checking.proofs import check_proof
from seahorn_py.horn.system import Model
from seahorn_py.horn.text.smtlib import read_horn
from seahorn_py.horn.transform.arguments.congruences import ANY, Residues, congruences
from seahorn_py.horn.transform.arguments.numberfacts import NumberFacts, facts_about_numbers
from seahorn_py.horn.transform.transformation import Inapplicable
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.logic.text.infix import print_infix
from seahorn_py.processes.deadline import Deadline

STEPS = """(declare-fun at (Int Int) Bool)
(assert (forall ((x Int)) (=> (= (mod x 4) 1) (at x 6))))
(assert (forall ((x Int) (y Int)) (=> (and (at x y) (< y 99)) (at (+ x 8) (+ y 3)))))
(assert (forall ((x Int) (y Int)) (=> (and (at x y) (= (mod x 2) 0)) false)))"""


def test_remainders_are_found() -> None:
    found = congruences(read_horn(STEPS, "steps"))
    assert found == {"at": (Residues(4, 1), Residues(3, 0))}


def test_facts_are_a_model_of_the_rules() -> None:
    system = read_horn(STEPS, "steps")
    known = facts_about_numbers(system)
    said = print_infix(known.interpretations["at"], {})
    assert "6 <=" in said and "<= 101" in said
    checked = check_proof(system, known, finder=Solver.Z3, deadline=Deadline.after(20))
    assert checked.ok, checked


@pytest.mark.parametrize("seed", range(12))
def test_they_hold_of_all_that_is_derived(seed: int) -> None:
    """Enumerated facts of random systems, against the classes and the model as a whole."""
    kind = Kind(products=True)
    system = SmallSystems(kind, seed).system()
    classes = congruences(system)
    for relation, values in facts_of(system, kind)[0]:
        for value, own in zip(values, classes[relation], strict=True):
            inside = value == own.remainder if not own.modulus else None
            assert own == ANY or inside or (value - own.remainder) % own.modulus == 0
    rules = [rule for rule in system.rules if rule not in system.queries]
    kept = type(system)(system.relations, tuple(rules), system.ledger)
    model: Model = facts_about_numbers(system)
    checked = check_proof(kept, model, finder=Solver.Z3, deadline=Deadline.after(20))
    assert checked.ok, checked


def test_where_nothing_is_known_there_is_nothing_to_do() -> None:
    text = "(declare-fun at (Int) Bool)(assert (forall ((x Int)) (at x)))"
    text += "(assert (forall ((x Int)) (=> (and (at x) (= x 3)) false)))"
    with pytest.raises(Inapplicable):
        NumberFacts().apply(read_horn(text, "any"))
