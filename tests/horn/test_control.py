"""Parameters with few values as control: places, and what is no control."""

from __future__ import annotations

import pytest

from seahorn_py.engines.engine import Budget
from seahorn_py.engines.spacer.spacer import Spacer
from seahorn_py.engines.wrappers.transformed import carried
from seahorn_py.horn.checking.proofs import check_proof
from seahorn_py.horn.checking.refutations import check_refutation
from seahorn_py.horn.text.smtlib import read_horn
from seahorn_py.horn.transform.arguments.control import Control
from seahorn_py.horn.transform.transformation import Inapplicable
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Safe, Unsafe

MACHINE = """(declare-fun r (Int Bool Int) Bool)
(assert (forall ((b Bool)) (r 0 b 0)))
(assert (forall ((b Bool) (n Int)) (=> (and (r 0 b n) (or b (< n 5))) (r 1 (not b) n))))
(assert (forall ((b Bool) (n Int)) (=> (and (r 1 b n) (not b)) (r 2 b (+ n 1)))))
(assert (forall ((p Int) (b Bool) (n Int)) (=> (and (r p b n) (= p 2)) (r 0 true n))))
(assert (forall ((b Bool) (n Int)) (=> (and (r 2 b n) ERROR) false)))"""
"""Its first parameter is a place; the second one is derived as a term, so it stays."""


@pytest.mark.parametrize(("error", "safe"), [("(= n 0)", True), ("(= n 3)", False)])
def test_places_become_relations(error: str, safe: bool) -> None:
    system = read_horn(MACHINE.replace("ERROR", error), "t")
    changed, back = Control().apply(system)
    assert [len(r.parameters) for r in changed.relations.values()] == [2, 2, 2]
    inner = Spacer().solve(changed, Budget(Deadline.after(10)))
    match carried(inner, changed, (back,)):
        case Safe(proof):
            assert safe
            checked = check_proof(system, proof, finder=Solver.Z3, deadline=Deadline.after(10))
        case Unsafe(refutation):
            assert not safe
            checked = check_refutation(system, refutation, Deadline.after(10))
    assert checked.ok, checked.reason


def test_truth_values_are_places_where_they_are_handed_on() -> None:
    text = """(declare-fun r (Bool Int) Bool)
(assert (forall ((b Bool)) (r b 0)))
(assert (forall ((b Bool) (n Int)) (=> (r b n) (r b (+ n 1)))))"""
    changed, _ = Control().apply(read_horn(text, "t"))
    assert len(changed.relations) == 2
    assert len(changed.rules) == 4


def test_numbers_that_grow_are_no_control() -> None:
    text = (
        "(declare-fun r (Int) Bool)(assert (r 0))(assert (forall ((n Int)) (=> (r n) (r (+ n 1)))))"
    )
    with pytest.raises(Inapplicable):
        Control().apply(read_horn(text, "t"))
