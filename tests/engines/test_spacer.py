"""Spacer: what goes to the child, what comes back, and that nothing is left behind."""

from __future__ import annotations

import json
import os
import signal
import time
from functools import partial
from pathlib import Path

import horn_examples
import pytest
import z3
from horn_examples import atom, number, query, relation, system, x, y

from seahorn_py.base.errors import InputError
from seahorn_py.engines.catalogue import scheduled
from seahorn_py.engines.engine import Budget
from seahorn_py.engines.portfolio import Portfolio, Turn
from seahorn_py.engines.spacer import spacer
from seahorn_py.engines.spacer.border import print_system, problem, read_model, read_refutation
from seahorn_py.engines.spacer.spacer import Configuration, Spacer
from seahorn_py.horn.system import Model
from seahorn_py.logic.solvers.spacer.model import interpretations, violated
from seahorn_py.logic.solvers.spacer.native_rules import clause_of
from seahorn_py.logic.solvers.spacer.spacer_child import solve
from seahorn_py.logic.terms import terms
from seahorn_py.processes.child import ChildFailed, call
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Safe, Unknown, Unsafe

ENDLESS = horn_examples.array_initialisation(8)
PLAIN = Spacer(spacer.PLAIN)


def budget(seconds: float = 20.0, jobs: int = 2) -> Budget:
    return Budget(Deadline.after(seconds), jobs=jobs)


def children() -> set[str]:
    """The processes whose parent is this one."""
    own = str(os.getpid())
    found = set()
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if fields[1] == own:
            found.add(stat.parent.name)
    return found


def test_a_system_as_text() -> None:
    assert print_system(horn_examples.counter(5, 6)).splitlines() == [
        "(declare-fun query! () Bool)",
        "(declare-fun r!0 (Int) Bool)",
        "(assert (=> (and true) (r!0 0)))",
        "(assert (forall ((v!0 Int)) (=> (and (r!0 v!0) (< v!0 5)) (r!0 (+ v!0 1)))))",
        "(assert (forall ((v!0 Int)) (=> (and (r!0 v!0) (= v!0 6)) query!)))",
    ]


def test_names_that_z3_knows_are_just_names() -> None:
    true = terms.symbol("true", terms.INT)
    odd = system(
        [relation("and", terms.INT), relation("query!", terms.INT)],
        ((), terms.TRUE, atom("and", number(0))),
        ((atom("and", true),), terms.TRUE, atom("query!", true)),
        ((atom("query!", true),), terms.eq(true, number(1)), query()),
    )
    verdict = PLAIN.solve(odd, budget())
    assert isinstance(verdict, Safe)
    assert isinstance(verdict.proof, Model)
    assert set(verdict.proof.interpretations) == {"and", "query!"}


def test_a_model_comes_back_over_the_parameters() -> None:
    pair = horn_examples.two_counters(3)
    (p, q) = pair.relations["pair"].symbols
    model = read_model(pair, ["(and (>= p!0 0) (exists ((p Int)) (= p (- p!0 p!1))))"])
    assert terms.free_symbols(model.interpretations["pair"]) == {p, q}


def test_a_model_that_is_no_formula_is_refused() -> None:
    with pytest.raises(InputError):
        read_model(horn_examples.counter(1, 2), ["(+ p!0 1)"])


def test_a_refutation_comes_back_with_the_names_of_rules() -> None:
    steps = [
        {"rule": 0, "arguments": ["(- 3)"], "premises": [], "values": {}},
        {"rule": 2, "arguments": [], "premises": [0], "values": {"v!0": "2"}},
    ]
    first, last = read_refutation(horn_examples.counter(1, 2), steps).steps
    assert (first.rule, first.arguments, first.premises) == ("rule 0", (number(-3),), ())
    assert (last.rule, last.arguments, last.premises) == ("rule 2", (), (0,))
    assert last.values == {x: number(2)}


def test_twelve_calls_in_a_row_are_a_dag() -> None:
    verdict = PLAIN.solve(horn_examples.calls_in_a_row(12), budget())
    assert isinstance(verdict, Unsafe)
    steps = verdict.refutation.steps
    assert len(steps) == 38, "main 13 times, f.entry and f.exit 12 times, the query"
    assert steps[-2].arguments == (number(12), number(4095))
    assert all(p < i for i, step in enumerate(steps) for p in step.premises)


def test_every_step_gives_its_rule_a_value_for_each_symbol() -> None:
    verdict = PLAIN.solve(horn_examples.counter(10, 2), budget())
    assert isinstance(verdict, Unsafe)
    values = [dict(step.values) for step in verdict.refutation.steps]
    assert values == [{}, {x: number(0)}, {x: number(1)}, {x: number(2)}]


def test_equal_facts_are_one_step() -> None:
    verdict = PLAIN.solve(horn_examples.fibonacci(8, 21), budget())
    assert isinstance(verdict, Unsafe)
    facts = [(s.rule, s.arguments) for s in verdict.refutation.steps]
    assert len(facts) == len(set(facts)) == 10


def test_each_step_has_one_premise_for_each_atom_of_its_rule() -> None:
    example = horn_examples.twice_in_a_body()
    verdict = PLAIN.solve(example, budget())
    assert isinstance(verdict, Unsafe)
    rules = {rule.name: rule for rule in example.rules}
    for step in verdict.refutation.steps:
        assert len(step.premises) == len(rules[step.rule].body)


def test_arguments_that_do_not_matter_have_values() -> None:
    verdict = PLAIN.solve(horn_examples.irrelevant_arguments(), budget())
    assert isinstance(verdict, Unsafe)
    first = verdict.refutation.steps[0]
    assert len(first.arguments) == 3
    assert not any(terms.free_symbols(a) for a in first.arguments)


def test_what_nothing_derives_is_false_in_the_model() -> None:
    verdict = PLAIN.solve(horn_examples.nothing_derives(), budget())
    assert isinstance(verdict, Safe)
    assert isinstance(verdict.proof, Model)
    assert verdict.proof.interpretations["ghost"] is terms.FALSE


def test_a_relation_that_is_always_true_still_has_its_step() -> None:
    total = system(
        [relation("any", terms.INT), relation("then", terms.INT)],
        ((), terms.TRUE, atom("any", x)),
        ((atom("any", x),), terms.lt(x, y), atom("then", y)),
        ((atom("then", x),), terms.eq(x, number(3)), query()),
    )
    verdict = PLAIN.solve(total, budget())
    assert isinstance(verdict, Unsafe)
    assert [s.rule for s in verdict.refutation.steps] == ["rule 0", "rule 1", "rule 2"]


def side_by_side(*configurations: Configuration) -> Portfolio:
    return Portfolio(tuple(Turn(made.name, Spacer(made), 0.6) for made in configurations))


def test_the_second_lane_answers_where_the_first_does_not_end() -> None:
    options = {"spacer.q3.use_qgen": True, "spacer.ground_pobs": False}
    lanes = (spacer.PLAIN, Configuration("quantified", options))
    verdict = side_by_side(*lanes).solve(ENDLESS, budget())
    assert isinstance(verdict, Safe)
    assert verdict.statistics["configuration"] == "quantified"


def test_a_deep_counterexample_is_found_by_starting_deep() -> None:
    verdict = Spacer(spacer.DEEP).solve(horn_examples.counter(60, 60), budget())
    assert isinstance(verdict, Unsafe)
    assert len(verdict.refutation.steps) == 62


def test_a_configuration_that_z3_refuses_is_one_reason_among_others() -> None:
    wrong = Configuration("wrong", {"spacer.no_such_option": True})
    verdict = Spacer(wrong).solve(horn_examples.counter(1, 2), budget())
    assert isinstance(verdict, Unknown)
    assert "wrong: " in verdict.reason
    assert "no_such_option" in verdict.reason
    assert isinstance(
        side_by_side(wrong, spacer.PLAIN).solve(horn_examples.counter(1, 2), budget()), Safe
    )


def test_a_deadline_is_kept_and_every_child_is_gone() -> None:
    begin = time.monotonic()
    before = children()
    verdict = side_by_side(spacer.PLAIN, spacer.GLOBAL).solve(ENDLESS, budget(1.0))
    assert isinstance(verdict, Unknown)
    assert "plain: time limit" in verdict.reason
    assert "global: time limit" in verdict.reason
    assert time.monotonic() - begin < 5
    assert children() <= before


def test_the_losers_are_gone_after_an_answer() -> None:
    before = children()
    assert isinstance(
        Portfolio(scheduled("spacer", None)).solve(horn_examples.counter(10, 11), budget()), Safe
    )
    assert children() <= before


def test_an_interrupt_leaves_nothing_behind() -> None:
    before = children()

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    previous = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.7)
        with pytest.raises(KeyboardInterrupt):
            side_by_side(spacer.PLAIN, spacer.GLOBAL).solve(ENDLESS, budget())
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)
    assert children() <= before


def test_work_that_needs_more_memory_than_the_budget_fails() -> None:
    small = Budget(Deadline.after(10), memory_mib=1024)
    with pytest.raises(ChildFailed, match="MemoryError"):
        small.call(partial(bytearray, 2 << 30), small.deadline)


def test_rlimit_ends_a_run_without_a_clock() -> None:
    verdict = Spacer(spacer.PLAIN, rlimit=200_000).solve(ENDLESS, budget(60))
    assert isinstance(verdict, Unknown)
    assert "time limit" not in verdict.reason


def test_the_child_answers_in_json() -> None:
    example = horn_examples.counter(2, 1)
    answer = json.loads(solve(problem(example, print_system(example), {})))
    assert answer["answer"] == "unsafe"
    assert [s["rule"] for s in answer["steps"]] == [0, 1, 2]


def test_a_wrong_model_is_noticed_in_the_child() -> None:
    text = "(declare-fun r (Int) Bool) (assert (forall ((x Int)) (=> (and (= x 0)) (r x))))"
    clauses = [clause_of(rule, frozenset(["r"])) for rule in z3.parse_smt2_string(text)]
    answers = {
        wanted: interpretations(
            z3.parse_smt2_string(
                f"(declare-fun r (Int) Bool) (assert (forall ((y Int)) (= (r y) (= y {wanted}))))"
            )[0]
        )
        for wanted in (0, 1)
    }
    assert violated(clauses, answers[0]) is None
    assert violated(clauses, answers[1]) == 0


@pytest.mark.plants_internal_errors
def test_a_child_that_dies_says_so() -> None:
    with pytest.raises(ChildFailed):
        call("os:abort_please", "", Deadline.after(10))
