"""A large constant as a parameter, and models with the number put back."""

from __future__ import annotations

import re

import pytest
from array_programs import horn_system

from seahorn_py.engines.engine import Budget
from seahorn_py.engines.spacer import spacer
from seahorn_py.engines.spacer.spacer import Spacer
from seahorn_py.horn.checking.proofs import check_proof
from seahorn_py.horn.system import HornSystem
from seahorn_py.horn.text.smtlib import print_horn
from seahorn_py.horn.transform.arguments.symbolicsize import SymbolicSize
from seahorn_py.horn.transform.transformation import Inapplicable
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Safe, Unknown, Verdict


def counter(error: str, step: int = 2) -> HornSystem:
    """A few steps at a time to 100000, below the limit of the machine's integers."""
    return horn_system(
        f"""
        loop i n
        : true --> (loop 0 0)
        : (loop i n) (< i 100000) (<= n 2147483647) --> (loop (+ i {step}) (+ n (* 300 i)))
        : (loop i n) {error} --> false
        """
    )


def answer(system: HornSystem) -> Verdict:
    return Spacer(spacer.SYMBOLIC).solve(system, Budget(Deadline.after(20)))


def test_sizes_become_a_parameter_and_limits_stay() -> None:
    sized = SymbolicSize().apply(counter("(> i 100001)"))
    text = re.sub(r"(![0-9]+)+", "", print_horn(sized[0]))
    rules = [line for line in text.splitlines() if "assert" in line]
    assert rules == [
        "(assert (forall ((size Int)) (=> (<= 1 size) (loop 0 0 size))))",
        "(assert (forall ((i Int) (n Int) (size Int)) (=> (and (loop i n size) "
        "(and (<= 1 size) (and (< i size) (<= n 2147483647)))) "
        "(loop (+ i 2) (+ n (* 300 i)) size))))",
        "(assert (forall ((i Int) (n Int) (size Int)) (=> (and (loop i n size) "
        "(and (<= 1 size) (< (+ size 1) i))) false)))",
    ]


def test_a_proof_for_every_size_is_one_for_the_number() -> None:
    system = counter("(> i 100001)")
    verdict = answer(system)
    assert isinstance(verdict, Safe), verdict
    checked = check_proof(system, verdict.proof, finder=Solver.Z3, deadline=Deadline.after(20))
    assert checked.ok, checked.reason


def test_a_refutation_may_need_another_size() -> None:
    """Steps of 33 pass 100000 at 100023; the size 65 they pass by one."""
    verdict = answer(counter("(= i 100001)", step=33))
    assert isinstance(verdict, Unknown)
    assert "time" not in verdict.reason


def test_without_a_size_there_is_no_turn() -> None:
    system = horn_system(
        """
        loop i
        : true --> (loop 0)
        : (loop i) (< i 2147483647) --> (loop (+ i 1))
        : (loop i) (< i 0) --> false
        """
    )
    with pytest.raises(Inapplicable):
        SymbolicSize().apply(system)
    assert isinstance(answer(system), Unknown)
