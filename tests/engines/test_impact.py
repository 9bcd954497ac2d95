"""Lazy abstraction with interpolants: covering, forcing, refutations, derivations of any shape."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from horn_examples import (
    TRUE,
    atom,
    byte_counter,
    counter,
    even_odd,
    number,
    query,
    relation,
    switch,
    system,
    twice_in_a_body,
    two_counters,
    x,
    y,
)

from seahorn_py.engines.conclusion import Conclusion, Limit, Proved, Reached
from seahorn_py.engines.impact.entailment import Entailment
from seahorn_py.engines.impact.loop import Unwound
from seahorn_py.engines.impact.unwinding import Unwinding
from seahorn_py.engines.refinement.horn_interpolants import HornInterpolation
from seahorn_py.engines.refinement.reachability import Edge
from seahorn_py.engines.refinement.rounds import Round
from seahorn_py.engines.refinement.skeleton import Problem
from seahorn_py.engines.refinement.strategies.tree_interpolants import TreeInterpolants
from seahorn_py.engines.refinement.tracing import Trace
from seahorn_py.horn.checking.proofs import check_proof
from seahorn_py.horn.checking.refutations import check_refutation
from seahorn_py.horn.system import HornSystem, Obligation, OperationId, Query, Rule
from seahorn_py.logic.solvers.natives import Solvers
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.logic.terms import terms
from seahorn_py.processes.deadline import Deadline

pytestmark = pytest.mark.grows

SECONDS = 60.0
one = number(1)


def unwound(
    example: HornSystem, *, forced: bool = True, trace: Path | None = None
) -> tuple[Conclusion, dict[str, int], list[Round]]:
    """The algorithm in this process; evidence convinces code that shares nothing with it."""
    rounds: list[Round] = []
    observe = rounds.append if trace is None else Trace(trace, example, "impact")
    problem = Problem(example, Deadline.after(SECONDS))
    learns = TreeInterpolants(HornInterpolation(problem.formulas))
    algorithm = Unwound(problem, learns, observe, forced=forced)
    outcome = algorithm.run()
    match outcome:
        case Proved(proof, finder):
            checked = check_proof(example, proof, finder=finder, deadline=Deadline.after(SECONDS))
            assert checked.ok, checked.reason
        case Reached(refutation):
            checked = check_refutation(example, refutation, Deadline.after(SECONDS))
            assert checked.ok, checked.reason
    return outcome, algorithm.statistics(), rounds


def test_forced_covering_ends_what_would_be_unwound() -> None:
    """After the first refinement the second vertex is covered by the first."""
    outcome, statistics, _ = unwound(counter(10, 11))
    assert isinstance(outcome, Proved), outcome
    assert statistics == {"vertices": 2, "refinements": 1, "forced covers": 1}


def test_without_force_labels_cover_once_they_are_inductive() -> None:
    outcome, statistics, _ = unwound(two_counters(3), forced=False)
    assert isinstance(outcome, Proved), outcome
    assert statistics["forced covers"] == 0


@pytest.mark.parametrize(
    ("example", "length"), [(even_odd(1), 2), (byte_counter(100, 44), 5), (switch(True), 2)]
)
def test_refutations(example: HornSystem, length: int) -> None:
    outcome, _, _ = unwound(example)
    assert isinstance(outcome, Reached), outcome
    assert len(outcome.refutation.steps) == length


def test_locations_and_bits() -> None:
    for example in (even_odd(0), byte_counter(64, 7), switch(False)):
        assert isinstance(unwound(example)[0], Proved)


@pytest.mark.parametrize("limit", [3, 5])
def test_whether_an_operation_wraps_is_asked_last(limit: int) -> None:
    """`for (x = 0; x < limit; x++) assert(x != 4)`, where adding wraps if x is 2."""
    wraps = Query("wraps", Obligation(OperationId("f", "%1", "x + 1")))
    loop = counter(limit, 4)
    before = Rule("wraps", (atom("loop", x),), terms.eq(x, number(2)), wraps)
    outcome, _, _ = unwound(HornSystem(loop.relations, (before, *loop.rules)))
    assert isinstance(outcome, Reached)
    last = outcome.refutation.steps[-1].rule
    assert last == ("wraps" if limit == 3 else "rule 2")


def test_rules_of_two_premises() -> None:
    outcome, _, _ = unwound(twice_in_a_body())
    assert isinstance(outcome, Reached), outcome
    example = system(
        [relation("p", terms.INT), relation("q", terms.INT)],
        ((), terms.le(number(0), x), atom("p", x)),
        ((), terms.le(one, y), atom("q", y)),
        ((atom("p", x), atom("q", y)), TRUE, atom("p", terms.plus(x, y))),
        ((atom("p", x), atom("q", y)), terms.lt(terms.plus(x, y), one), query()),
    )
    assert isinstance(unwound(example)[0], Proved)


def test_a_vertex_is_open_again_when_what_covers_it_is_covered() -> None:
    example = counter(10, 11)
    (symbol,) = example.relations["loop"].symbols
    entailment = Entailment(example.relations, Solvers(Solver.Z3))
    unwinding = Unwinding(example, entailment, Deadline.after(SECONDS).at)
    fact, step, _ = example.rules
    first = unwinding.add(Edge(fact, ()))
    second = unwinding.add(Edge(step, (first,)), frozenset({terms.le(symbol, number(10))}))
    third = unwinding.add(Edge(step, (second,)), frozenset({terms.le(symbol, number(3))}))
    unwinding.cover(third, second)
    assert not unwinding.active(third)
    unwinding.waiting.clear()
    unwinding.cover(second, first)
    assert third.covered is None
    assert not unwinding.active(third)  # it comes from a vertex that is covered
    assert unwinding.strengthen(first, [terms.le(symbol, number(5))])
    unwinding.settle()
    assert second.covered is None
    assert unwinding.waiting == [second, third]


def test_entailment_uses_what_it_knows() -> None:
    example = two_counters(3)
    first, second = example.relations["pair"].symbols
    entailment = Entailment(example.relations, Solvers(Solver.Z3))
    until = Deadline.after(SECONDS).at
    low, equal = terms.le(first, one), terms.eq(first, second)
    both = frozenset({low, equal})
    assert entailment.holds("pair", both, frozenset({terms.le(second, one)}), until)
    assert entailment.holds("pair", both, frozenset({low}), until)
    assert not entailment.holds("pair", frozenset({low}), frozenset({equal}), until)
    assert entailment.holds("pair", frozenset({terms.FALSE}), both, until)


def test_rounds_are_told_as_text_and_as_json_lines(tmp_path: Path) -> None:
    text, lines = tmp_path / "trace.txt", tmp_path / "trace.jsonl"
    unwound(counter(10, 11), trace=text)
    unwound(counter(10, 11), trace=lines)
    assert text.read_text().splitlines()[0] == (
        "round 1 (impact, integers): a counterexample of 2 steps"
    )
    (row,) = map(json.loads, lines.read_text().splitlines())
    assert row["predicates"] == {"loop": ["loop#0.Int <= 10"]}
    assert row["why"] == "after step 1 of 2, loop satisfies loop#0.Int <= 10"
    assert [step["relation"] for step in row["counterexample"]] == ["loop", ""]


def test_the_time_is_kept() -> None:
    example = counter(10**6, 10**6)
    problem = Problem(example, Deadline.after(0.3))
    learns = TreeInterpolants(HornInterpolation(problem.formulas))
    algorithm = Unwound(problem, learns, forced=True)
    outcome = algorithm.run()
    assert isinstance(outcome, Limit), outcome
