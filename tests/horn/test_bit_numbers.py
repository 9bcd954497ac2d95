"""Bit-vectors as numbers: every operation has the same values, and what is found goes back."""

from __future__ import annotations

import itertools
import random

import pytest
from horn_examples import atom, query, relation, variables

from seahorn_py.engines.engine import Budget
from seahorn_py.engines.spacer.spacer import Spacer
from seahorn_py.engines.wrappers.transformed import Transformed
from seahorn_py.horn.checking.evidence import check
from seahorn_py.horn.system import HornSystem, Rule
from seahorn_py.horn.transform.arguments.bitnumbers import BitNumbers
from seahorn_py.horn.transform.transformation import Inapplicable
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.evaluate import compile_term
from seahorn_py.logic.terms.terms import Term
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Safe, Unknown, Unsafe

WIDTH = 3
SORT = terms.bv_sort(WIDTH)
(X,), (Y,) = variables("bits_x", SORT), variables("bits_y", SORT)


def drawn(chosen: random.Random, depth: int = 3) -> Term:
    """A random term of the width."""
    if depth == 0:
        return chosen.choice([X, Y, terms.bv_const(chosen.randrange(1 << WIDTH), WIDTH)])
    left, right = drawn(chosen, depth - 1), drawn(chosen, depth - 1)
    by = terms.bv_const(chosen.randrange(WIDTH + 1), WIDTH)
    positive = terms.bv_const(chosen.randrange(1, 1 << WIDTH), WIDTH)
    wide = chosen.choice([terms.bv_zext, terms.bv_sext])(left, 2)
    low = chosen.randrange(3)
    return chosen.choice(
        [
            terms.bv("bvadd", left, right),
            terms.bv("bvsub", left, right),
            terms.bv("bvmul", by, right),
            terms.bv("bvshl", left, by),
            terms.bv("bvashr", left, by),
            terms.bv(chosen.choice(["bvudiv", "bvurem"]), left, positive),
            terms.bv_neg(left),
            terms.bv_not(left),
            terms.bv_extract(wide, low, low + WIDTH - 1),
            terms.bv("concat", terms.bv_extract(left, 2, 2), terms.bv_extract(right, 0, 1)),
            terms.ite(compared(chosen, left, right), left, right),
        ]
    )


def compared(chosen: random.Random, left: Term, right: Term) -> Term:
    name = chosen.choice(["bvult", "bvule", "bvslt", "bvsle", "="])
    return terms.eq(left, right) if name == "=" else terms.bv(name, left, right)


def test_each_operation_has_the_same_values() -> None:
    """A rule holds of numbers exactly where it holds of the bits that they stand for."""
    chosen = random.Random(7)
    for _ in range(60):
        parts = [compared(chosen, drawn(chosen), drawn(chosen, 1)) for _ in range(2)]
        bounds = compared(chosen, X, terms.bv_const(chosen.randrange(8), WIDTH))
        rule = Rule("q", (atom("r", X, Y),), terms.and_([bounds, *parts]), query("q"))
        system = HornSystem({"r": relation("r", SORT, SORT)}, (rule,))
        changed, _ = BitNumbers().apply(system)
        (new,) = changed.rules
        before = compile_term(rule.constraint, [X, Y])
        after = compile_term(new.constraint, list(new.body[0].arguments))
        for x, y in itertools.product(range(8), repeat=2):
            signed = [v - 8 if v > 3 else v for v in (x, y)]
            assert before([x, y]) == after(signed), (rule.constraint, x, y)


def counting(limit: int, error: Term) -> HornSystem:
    """From 0 up to a limit by steps of 2, y staying behind by as much."""
    zero, two = terms.bv_const(0, WIDTH), terms.bv_const(2, WIDTH)
    more = terms.bv("bvadd", X, two), terms.bv("bvsub", Y, two)
    below = terms.bv("bvslt", X, terms.bv_const(limit, WIDTH))
    rules = (
        Rule("start", (), terms.TRUE, atom("r", zero, zero)),
        Rule("step", (atom("r", X, Y),), below, atom("r", *more)),
        Rule("error", (atom("r", X, Y),), error, query("error")),
    )
    return HornSystem({"r": relation("r", SORT, SORT)}, rules)


@pytest.mark.parametrize(
    ("error", "safe"),
    [
        (terms.not_(terms.eq(X, terms.bv_neg(Y))), True),
        (terms.bv("bvslt", X, Y), True),
        (terms.eq(Y, terms.bv_const(-2, WIDTH)), False),
    ],
)
def test_what_is_found_goes_back(error: Term, safe: bool) -> None:
    system = counting(2, error)
    engine = Transformed(Spacer(), (BitNumbers(),))
    verdict = engine.solve(system, Budget(Deadline.after(10)))
    if isinstance(verdict, Safe):
        assert safe
        assert check(system, verdict.proof, 10).ok
    else:
        assert isinstance(verdict, Unsafe)
        assert not safe
        assert check(system, verdict.refutation, 10).ok


def small(chosen: random.Random) -> HornSystem:
    """From (0, 0) by two random steps, and an error somewhere."""
    zero = terms.bv_const(0, WIDTH)
    rules = [Rule("start", (), terms.TRUE, atom("r", zero, zero))]
    for k in range(2):
        guard = compared(chosen, drawn(chosen, 1), drawn(chosen, 1))
        values = drawn(chosen, 1), drawn(chosen, 1)
        rules.append(Rule(f"step {k}", (atom("r", X, Y),), guard, atom("r", *values)))
    wrong = terms.eq(X, terms.bv_const(chosen.randrange(8), WIDTH))
    rules.append(Rule("error", (atom("r", X, Y),), wrong, query("error")))
    return HornSystem({"r": relation("r", SORT, SORT)}, tuple(rules))


def is_reached(system: HornSystem) -> bool:
    """Whether the error is, by enumeration."""
    *steps, error = system.rules[1:]
    moves = [(step.constraint, *step.head.arguments) for step in steps]  # type: ignore[union-attr]
    run = [tuple(compile_term(part, [X, Y]) for part in move) for move in moves]
    todo, seen = [(0, 0)], {(0, 0)}
    while todo:
        state = list(todo.pop())
        after = [(x(state), y(state)) for guard, x, y in run if guard(state)]
        todo += {state for state in after if state not in seen}
        seen |= set(after)
    wrong = compile_term(error.constraint, [X, Y])
    return any(wrong(list(state)) for state in seen)


@pytest.mark.full
def test_random_systems_have_the_answers_that_enumeration_has() -> None:
    answers = []
    for seed in range(8):
        system = small(random.Random(seed))
        verdict = Transformed(Spacer(), (BitNumbers(),)).solve(system, Budget(Deadline.after(5)))
        if isinstance(verdict, Unknown):
            continue
        answers.append(is_reached(system))
        assert isinstance(verdict, Unsafe) is answers[-1], seed
        evidence = verdict.proof if isinstance(verdict, Safe) else verdict.refutation
        checked = check(system, evidence, 5)
        assert checked.ok, (seed, checked.reason)
    assert len(answers) >= 5
    assert set(answers) == {False, True}


@pytest.mark.parametrize("name", ["bvand", "bvmul", "bvudiv"])
def test_what_has_no_such_form_is_refused(name: str) -> None:
    condition = terms.eq(terms.bv(name, X, Y), X)
    rule = Rule("q", (atom("r", X, Y),), condition, query("q"))
    with pytest.raises(Inapplicable, match="not constant"):
        BitNumbers().apply(HornSystem({"r": relation("r", SORT, SORT)}, (rule,)))


@pytest.mark.parametrize("by", range(-4, 4))
@pytest.mark.parametrize("name", ["bvshl", "bvashr"])
def test_shifts_by_what_amounts_to_a_constant(name: str, by: int) -> None:
    amount = terms.bv_not(terms.bv_const(-1 - by, WIDTH))
    condition = terms.eq(terms.bv(name, X, amount), Y)
    rule = Rule("q", (atom("r", X, Y),), condition, query("q"))
    changed, _ = BitNumbers().apply(HornSystem({"r": relation("r", SORT, SORT)}, (rule,)))
    (new,) = changed.rules
    before = compile_term(condition, [X, Y])
    after = compile_term(new.constraint, list(new.body[0].arguments))
    for x, y in itertools.product(range(8), repeat=2):
        signed = [v - 8 if v > 3 else v for v in (x, y)]
        assert before([x, y]) == after(signed)
