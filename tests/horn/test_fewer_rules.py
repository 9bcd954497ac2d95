"""Redundant rules and premises: the same facts, and refutations that are carried back."""

from __future__ import annotations

from dataclasses import replace

import pytest
from small_systems import Kind, SmallSystems, X, facts_of

from seahorn_py.engines.engine import Budget
from seahorn_py.engines.spacer.spacer import Spacer
from seahorn_py.horn.checking.proofs import check_proof
from seahorn_py.horn.checking.refutations import check_refutation
from seahorn_py.horn.system import HornSystem, Model
from seahorn_py.horn.transform.rules.fewerrules import FewerRules
from seahorn_py.horn.transform.transformation import Both
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.logic.terms import terms
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Safe, Unsafe

KIND = Kind()


def with_redundant(system: HornSystem) -> HornSystem:
    """Each rule three times: with its premises twice, with one condition more, with its head."""
    rules = []
    for rule in system.rules:
        more = terms.and_([rule.constraint, terms.le(X, terms.int_const(2))])
        rules.append(replace(rule, name=f"{rule.name} weaker", constraint=more))
        rules.append(replace(rule, body=rule.body * 2))
        if rule.body:
            rules.append(replace(rule, name=f"{rule.name} idle", head=rule.body[0]))
    return replace(system, rules=tuple(rules))


@pytest.mark.parametrize("seed", range(3))
def test_what_is_left_derives_the_same(seed: int) -> None:
    small = SmallSystems(KIND, seed).system()
    system = with_redundant(small)
    changed, back = FewerRules().apply(system)
    assert len(changed.rules) <= len(small.rules)
    assert all(len(set(rule.body)) == len(rule.body) for rule in changed.rules)
    assert facts_of(changed, KIND) == facts_of(system, KIND) == facts_of(small, KIND)
    assert isinstance(back, Both)
    match Spacer().solve(changed, Budget(Deadline.after(5))):
        case Safe(Model() as model):
            proof = back.model(model)
            checked = check_proof(system, proof, finder=Solver.Z3, deadline=Deadline.after(5))
            assert checked.ok, checked.reason
        case Unsafe(refutation):
            carried = back.refutation(refutation)
            checked = check_refutation(system, carried, Deadline.after(5))
            assert checked.ok, checked.reason
