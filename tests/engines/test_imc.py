"""Interpolation-based model checking: both methods, places, refutations, limits."""

from __future__ import annotations

import os

import pytest
from horn_examples import (
    TRUE,
    array_initialisation,
    atom,
    byte_counter,
    counter,
    even_odd,
    mccarthy,
    number,
    query,
    relation,
    switch,
    system,
    two_counters,
    x,
    y,
)

from seahorn_py.base.errors import Stage
from seahorn_py.engines.engine import Budget
from seahorn_py.engines.imc.imc import Imc
from seahorn_py.engines.imc.method import Method
from seahorn_py.engines.imc.steps import Transitions
from seahorn_py.horn.checking.proofs import check_proof
from seahorn_py.horn.checking.refutations import check_refutation
from seahorn_py.horn.system import HornSystem, Model
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.logic.terms import terms
from seahorn_py.logic.text.smtlib import print_term
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Safe, Unknown, Unsafe, Verdict

SECONDS = 40.0
BOTH = pytest.mark.parametrize("engine", [Imc(method) for method in Method], ids=lambda e: e.method)
one = number(1)


def solve(example: HornSystem, engine: Imc, seconds: float = SECONDS) -> Verdict:
    """The answer, after its evidence has convinced code that shares nothing with the engine."""
    verdict = engine.solve(example, Budget(Deadline.after(seconds)))
    deadline = Deadline.after(60.0)
    match verdict:
        case Safe(proof, finder):
            checked = check_proof(example, proof, finder=finder, deadline=deadline)
            assert checked.ok, checked.reason
        case Unsafe(refutation):
            checked = check_refutation(example, refutation, deadline)
            assert checked.ok, checked.reason
    return verdict


def model(example: HornSystem, engine: Imc) -> Model:
    verdict = solve(example, engine)
    assert isinstance(verdict, Safe), verdict
    assert isinstance(verdict.proof, Model)
    return verdict.proof


@BOTH
def test_the_fixpoint_is_a_model_over_the_parameters(engine: Imc) -> None:
    example = two_counters(3)
    found = model(example, engine).interpretations["pair"]
    assert terms.free_symbols(found) <= set(example.relations["pair"].symbols)


@BOTH
def test_bits_are_proved_by_bitwuzla(engine: Imc) -> None:
    verdict = solve(byte_counter(64, 7), engine)
    assert isinstance(verdict, Safe), verdict
    assert verdict.finder is Solver.BITWUZLA


@pytest.mark.full
@BOTH
def test_places_of_several_relations(engine: Imc) -> None:
    """Numbers are even at one relation and odd at the other."""
    assert set(model(even_odd(0), engine).interpretations) == {"even", "odd"}


@BOTH
def test_refutations(engine: Imc) -> None:
    for example, length in ((even_odd(1), 2), (byte_counter(100, 44), 5), (switch(True), 2)):
        verdict = solve(example, engine)
        assert isinstance(verdict, Unsafe), verdict
        assert len(verdict.refutation.steps) == length


def test_an_error_before_the_end_of_a_run_is_part_of_the_suffix() -> None:
    """No state has a successor; the error is met by the second of two facts only."""
    example = system(
        [relation("p", terms.INT)],
        ((), TRUE, atom("p", number(0))),
        ((), terms.lt(number(5), y), atom("p", y)),
        ((atom("p", x),), terms.and_([terms.lt(one, x), terms.lt(x, number(6))]), query()),
    )
    for method in Method:
        model(example, Imc(method))


@pytest.mark.full
def test_a_relation_keeps_the_slots_of_its_own_sorts() -> None:
    """A Boolean and two numbers on one side, one number on the other: nothing is mixed up."""
    b = terms.symbol("imc.b", terms.BOOL)
    example = system(
        [relation("p", terms.INT, terms.BOOL, terms.INT), relation("q", terms.INT)],
        ((), TRUE, atom("p", one, terms.TRUE, number(2))),
        ((atom("p", x, b, y),), b, atom("q", y)),
        ((atom("q", x),), TRUE, atom("p", x, terms.TRUE, x)),
        ((atom("q", x),), terms.not_(terms.eq(x, number(2))), query()),
    )
    model(example, Imc())


def test_the_formulas_of_a_transition_system() -> None:
    transitions = Transitions(counter(10, 11))
    assert print_term(transitions.initial) == "(not location!0@0)"
    assert print_term(transitions.bad(3)) == (
        "(and location!0@3 (= x.Int@3 11) (= slot!0!Int@3 x.Int@3))"
    )
    about = transitions.state(terms.eq(transitions.bad(3).arg(0), terms.TRUE), 3)
    assert print_term(about) == "location!0@0"
    assert transitions.model(about).interpretations == {"loop": terms.TRUE}


@pytest.mark.full
def test_arrays_are_answered_or_left_open() -> None:
    for reached in (7, 8):
        verdict = solve(array_initialisation(reached), Imc(), 3.0)
        assert not isinstance(verdict, Safe if reached == 7 else Unsafe)


def test_two_premises_are_refused_with_the_reason() -> None:
    verdict = solve(mccarthy(91), Imc())
    assert isinstance(verdict, Unknown)
    assert "not linear" in verdict.reason


def test_limits() -> None:
    verdict = solve(counter(40, 40), Imc(most=2))
    assert isinstance(verdict, Unknown)
    assert "k up to 2" in verdict.reason
    verdict = solve(counter(10, 11), Imc(), seconds=0.0)
    assert isinstance(verdict, Unknown)
    assert verdict.stage is Stage.SOLVE
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)
