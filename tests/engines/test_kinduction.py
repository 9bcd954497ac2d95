"""k-induction: the k that is needed, proofs and refutations, invariants beside it, limits."""

from __future__ import annotations

import os
import time
from dataclasses import replace

import pytest
from horn_examples import (
    TRUE,
    atom,
    byte_counter,
    counter,
    even_odd,
    fibonacci,
    mccarthy,
    number,
    query,
    relation,
    switch,
    system,
    x,
    y,
    z,
)
from horn_generator import Generator, reached

from seahorn_py.engines.engine import Budget
from seahorn_py.engines.kinduction.kinduction import KInduction
from seahorn_py.engines.kinduction.property import unreached
from seahorn_py.horn.checking.proofs import check_proof
from seahorn_py.horn.checking.refutations import check_refutation
from seahorn_py.horn.system import Atom, HornSystem, KInductive, Model, Rule
from seahorn_py.horn.text.smtlib import read_horn
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Term
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Safe, Unknown, Unsafe, Verdict

SECONDS = 20.0
ALONE = KInduction(invariants=False)
one = number(1)


def solve(
    example: HornSystem, engine: KInduction, seconds: float = SECONDS, jobs: int = 2
) -> Verdict:
    """The answer, after its evidence has convinced code that shares nothing with the engine."""
    verdict = engine.solve(example, Budget(Deadline.after(seconds), jobs=jobs))
    deadline = Deadline.after(60.0)
    match verdict:
        case Safe(proof, finder):
            checked = check_proof(example, proof, finder=finder, deadline=deadline)
            assert checked.ok, checked.reason
        case Unsafe(refutation):
            checked = check_refutation(example, refutation, deadline)
            assert checked.ok, checked.reason
    return verdict


def steps(example: HornSystem, engine: KInduction = ALONE) -> int:
    """In how many steps the proof is inductive."""
    verdict = solve(example, engine)
    assert isinstance(verdict, Safe), verdict
    match verdict.proof:
        case Model():
            return 1
        case KInductive(k):
            return k
    raise AssertionError(verdict.proof)


def length(example: HornSystem, engine: KInduction = ALONE) -> int:
    verdict = solve(example, engine)
    assert isinstance(verdict, Unsafe), verdict
    return len(verdict.refutation.steps)


def reason(example: HornSystem, engine: KInduction = ALONE, seconds: float = SECONDS) -> str:
    verdict = solve(example, engine, seconds)
    assert isinstance(verdict, Unknown), verdict
    return verdict.reason


# ------------------------------------------------------------------------------------------ steps


def rotation(error_at: int) -> HornSystem:
    """(0, 1, 2) is rotated; no component is ever anything else."""
    return system(
        [relation("p", terms.INT, terms.INT, terms.INT)],
        ((), TRUE, atom("p", number(0), one, number(2))),
        ((atom("p", x, y, z),), TRUE, atom("p", y, z, x)),
        ((atom("p", x, y, z),), terms.eq(x, number(error_at)), query()),
    )


def test_the_property_of_a_rotation_holds_after_three_states() -> None:
    assert steps(rotation(3)) == 3
    assert length(rotation(2)) == 4


def test_an_inductive_property_is_a_model() -> None:
    assert steps(switch(False)) == 1
    assert steps(counter(10, 11)) == 1


def test_two_relations_that_feed_each_other() -> None:
    assert steps(even_odd(0)) == 2
    assert length(even_odd(1)) == 2


def test_bits_that_wrap() -> None:
    assert length(byte_counter(100, 44)) == 5
    assert steps(byte_counter(64, 7)) == 4


def test_a_shortest_refutation_is_found_first() -> None:
    assert length(counter(40, 37)) == 39


def test_no_path_is_lost_where_two_rules_go_on() -> None:
    """From each state `x` grows by one or by three: 5 is met after three steps."""
    example = system(
        [relation("p", terms.INT)],
        ((), TRUE, atom("p", number(0))),
        ((atom("p", x),), TRUE, atom("p", terms.plus(x, one))),
        ((atom("p", x),), TRUE, atom("p", terms.plus(x, number(3)))),
        ((atom("p", x),), terms.eq(x, number(5)), query()),
    )
    assert length(example) == 5


def test_two_facts_and_inputs() -> None:
    """`x` starts as 10 or 20 and loses an input of at most 2 a step."""
    fall = terms.minus(x, y)
    small = terms.and_([terms.le(number(0), y), terms.le(y, number(2))])
    example = system(
        [relation("p", terms.INT)],
        ((), TRUE, atom("p", number(20))),
        ((), TRUE, atom("p", number(10))),
        ((atom("p", x),), small, atom("p", fall)),
        ((atom("p", x),), terms.eq(x, number(4)), query()),
    )
    assert length(example) == 5


def test_the_property_names_no_symbol_of_the_rules() -> None:
    b, c = terms.symbol("b.bool", terms.BOOL), terms.symbol("c.bool", terms.BOOL)
    negative = terms.iff(c, terms.and_([b, terms.lt(x, number(0))]))
    example = system(
        [relation("p", terms.INT)],
        ((atom("p", x),), terms.and_([b, negative, c]), query()),
    )
    formula = unreached(example).interpretations["p"]
    assert terms.free_symbols(formula) == set(example.relations["p"].symbols)
    assert not terms.is_quantified(formula)


def test_a_query_that_reads_inputs_is_excluded_for_all_of_them() -> None:
    """`x` stays 0; no input squared is less."""
    less = terms.lt(terms.times(y, y), x)
    example = system(
        [relation("p", terms.INT)],
        ((), TRUE, atom("p", number(0))),
        ((atom("p", x),), TRUE, atom("p", x)),
        ((atom("p", x),), less, query()),
    )
    assert isinstance(solve(example, KInduction()), Safe)


@pytest.mark.full
@pytest.mark.parametrize("block", range(2))
def test_random_systems_agree_with_enumeration(block: int) -> None:
    """A proof and a refutation are checked; what is reached decides which one it may be."""
    for seed in range(8 * block, 8 * block + 8):
        example = Generator(seed).system()
        if example.linear:
            verdict = ALONE.solve(example, Budget(Deadline.after(0.8)))
            assert not isinstance(verdict, Safe if reached(example) else Unsafe), seed
            if isinstance(verdict, Unsafe):
                assert check_refutation(example, verdict.refutation, Deadline.after(SECONDS)).ok


NIBBLE = terms.bv_sort(4)


def test_runs_without_loops_end() -> None:
    """Two states in turn avoid the error for ever and can be left for it at any time."""
    state = terms.symbol("t.nibble", NIBBLE)
    at = {k: terms.eq(state, terms.bv_const(k, 4)) for k in range(4)}
    to = {k: atom("p", terms.bv_const(k, 4)) for k in range(4)}
    example = system(
        [relation("p", NIBBLE)],
        ((), TRUE, to[0]),
        ((atom("p", state),), at[1], to[2]),
        ((atom("p", state),), at[2], to[1]),
        ((atom("p", state),), at[2], to[3]),
        ((atom("p", state),), at[3], query()),
    )
    assert reason(example, KInduction(most=8, invariants=False)).endswith("not 8-inductive")
    simple = KInduction(most=8, invariants=False, simple=True)
    verdict = solve(example, simple)
    assert isinstance(verdict, Safe)
    assert verdict.proof.simple
    assert verdict.proof.k == 3
    reached_too = replace(example, rules=(*example.rules, *reached_from_the_start(state, to)))
    assert length(reached_too, simple) == 4


def reached_from_the_start(state: Term, to: dict[int, Atom]) -> tuple[Rule, ...]:
    zero = terms.eq(state, terms.bv_const(0, 4))
    return (Rule("out", (atom("p", state),), zero, to[2]),)


# -------------------------------------------------------------------------------------- invariants


def test_not_inductive_for_any_k_without_an_invariant() -> None:
    """`y` is twice `x`, which the property does not say."""
    example = system(
        [relation("p", terms.INT, terms.INT)],
        ((), TRUE, atom("p", number(0), number(0))),
        (
            (atom("p", x, y),),
            terms.lt(x, number(1_000_000)),
            atom("p", terms.plus(x, one), terms.plus(y, number(2))),
        ),
        (
            (atom("p", x, y),),
            terms.and_([terms.le(number(1_000_000), x), terms.lt(y, number(2_000_000))]),
            query(),
        ),
    )
    assert reason(example, KInduction(most=6, invariants=False)).endswith("not 6-inductive")
    assert isinstance(solve(example, KInduction()), Safe)
    assert isinstance(solve(example, KInduction(), jobs=1), Safe)


def test_invariants_alone_answer_where_rules_have_two_premises() -> None:
    assert isinstance(solve(mccarthy(91), KInduction()), Safe)
    assert "linear" in reason(fibonacci(3, 8), ALONE)


# ------------------------------------------------------------------------------------------ limits


def test_the_time_is_kept_and_no_child_is_left() -> None:
    began = time.monotonic()
    assert "time limit" in reason(counter(10**6, 10**6), KInduction(), seconds=1.5)
    assert time.monotonic() - began < 6.0
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


def test_without_time_the_answer_is_unknown() -> None:
    assert reason(counter(10, 11), KInduction(), seconds=0.0)


def test_arrays_are_unrolled() -> None:
    a = terms.symbol("a.array", terms.array_sort(terms.INT, terms.INT))
    example = system(
        [relation("p", terms.INT, terms.array_sort(terms.INT, terms.INT))],
        ((), TRUE, atom("p", number(0), a)),
        ((atom("p", x, a),), TRUE, atom("p", terms.plus(x, one), terms.store(a, x, number(7)))),
        (
            (atom("p", x, a),),
            terms.and_([terms.eq(x, number(2)), terms.eq(terms.select(a, one), number(7))]),
            query(),
        ),
    )
    assert length(example) == 4


def test_invariants_prove_what_cannot_be_unrolled() -> None:
    text = "(declare-fun r ((_ BitVec 2)) Bool)(assert (forall ((y (_ BitVec 2)))"
    text += " (=> (forall ((b Bool)) (=> b (bvule y #b01))) (r y))))"
    text += "(assert (forall ((y (_ BitVec 2))) (=> (and (r y) (bvule #b10 y)) false)))"
    assert isinstance(solve(read_horn(text, "t.smt2"), KInduction()), Safe)
