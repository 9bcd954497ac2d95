"""Bounded integers as bits: the same facts, the width, what is refused, and what goes back."""

from __future__ import annotations

import itertools
import random
from math import inf

import pytest
from horn_examples import EXAMPLES, TRUE, atom, number, query, relation, system, variables
from small_systems import Kind, SmallSystems, facts_of

from seahorn_py.engines.catalogue import planned
from seahorn_py.engines.engine import Budget
from seahorn_py.engines.portfolio import Portfolio
from seahorn_py.engines.spacer.spacer import Spacer
from seahorn_py.engines.wrappers.transformed import Transformed
from seahorn_py.horn.checking.evidence import check
from seahorn_py.horn.system import HornSystem, Model, Rule
from seahorn_py.horn.transform.arguments.intervals import Impossible, Ranges, intervals
from seahorn_py.horn.transform.arguments.numberbits import NumberBits
from seahorn_py.horn.transform.transformation import Inapplicable, NotCarried
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.evaluate import compile_term
from seahorn_py.logic.terms.terms import INT, Term
from seahorn_py.options import EngineName, Planned
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Safe, Unsafe

LOW, HIGH = -5, 5
x, y, z = variables("x y z")


def within(symbol: Term, low: int = LOW, high: int = HIGH) -> Term:
    return terms.and_([terms.le(number(low), symbol), terms.le(symbol, number(high))])


def drawn(chosen: random.Random, depth: int = 3) -> Term:
    """A random term over x and y."""
    if depth == 0:
        return chosen.choice([x, y, number(chosen.randint(-3, 3))])
    left, right = drawn(chosen, depth - 1), drawn(chosen, depth - 1)
    by = number(chosen.randint(1, 4))
    return chosen.choice(
        [
            terms.plus(left, right, y),
            terms.minus(left, right),
            terms.times(chosen.choice([x, y]), right),
            terms.div(left, by),
            terms.mod(left, by),
            terms.ite(terms.lt(left, right), left, right),
        ]
    )


def test_each_operation_has_the_same_values() -> None:
    """A rule holds of bits exactly where it holds of the numbers that they stand for."""
    chosen = random.Random(3)
    for _ in range(60):
        compare = chosen.choice([terms.eq, terms.le, terms.lt])
        condition = compare(drawn(chosen), drawn(chosen, 2))
        bounded = terms.and_([within(x), within(y), condition])
        of = system(
            [relation("r", INT, INT)],
            ((), terms.and_([within(x), within(y)]), atom("r", x, y)),
            ((atom("r", x, y),), bounded, query()),
        )
        changed, _ = NumberBits().apply(of)
        before = compile_term(condition, [x, y])
        if len(changed.rules) == 1:  # intervals exclude the query
            assert not any(before(v) for v in itertools.product(range(LOW, HIGH + 1), repeat=2))
            continue
        new = changed.rules[1]
        width = terms.bv_width(new.body[0].arguments[0])
        after = compile_term(new.constraint, list(new.body[0].arguments))
        for values in itertools.product(range(LOW, HIGH + 1), repeat=2):
            bits = [v % (1 << width) for v in values]
            assert before(list(values)) == after(bits), (condition, values)


@pytest.mark.parametrize("kind", [Kind(), Kind(products=True), Kind(large=66, pairs=False)])
def test_facts_lie_within_the_intervals(kind: Kind) -> None:
    for seed in range(20):
        of = SmallSystems(kind, seed).system()
        found = intervals(of)
        for name, values in facts_of(of, kind)[0]:
            for value, (low, high) in zip(values, found[name], strict=True):
                assert low <= value <= high, seed


def counting(limit: int, error: Term, step: int = 1) -> HornSystem:
    return system(
        [relation("r", INT)],
        ((), TRUE, atom("r", number(0))),
        ((atom("r", x),), terms.lt(x, number(limit)), atom("r", terms.plus(x, number(step)))),
        ((atom("r", x),), error, query()),
    )


def test_a_bound_that_grows_is_given_up_and_taken_back() -> None:
    assert intervals(counting(1000, terms.lt(x, number(0)))) == {"r": ((0, 1000),)}


def test_a_relation_without_facts_is_empty() -> None:
    of = system(
        [relation("r", INT), relation("never", INT)],
        ((), TRUE, atom("r", number(0))),
        ((atom("never", x),), TRUE, atom("r", terms.plus(x, number(9)))),
        ((atom("r", x),), terms.eq(x, number(9)), query()),
    )
    assert set(intervals(of)) == {"r"}
    verdict = Transformed(Spacer(), (NumberBits(),)).solve(of, Budget(Deadline.after(20)))
    assert isinstance(verdict, Safe)
    assert isinstance(verdict.proof, Model)
    assert verdict.proof.interpretations["never"] is terms.FALSE
    assert check(of, verdict.proof, 20).ok


@pytest.mark.parametrize("bound", [-4, 7])
def test_alternatives_and_equations_bound_symbols(bound: int) -> None:
    ranges = Ranges()
    one = terms.and_([terms.eq(x, number(bound)), terms.lt(y, x)])
    other = terms.and_([within(x, 1, 2), terms.not_(terms.le(x, y))])
    ranges.learn(terms.and_([terms.or_([one, other]), terms.eq(z, terms.plus(y, number(1)))]))
    assert ranges.of(x) == (min(1, bound), max(2, bound))
    assert ranges.of(z) == (-inf, max(2, bound))
    assert ranges.of(terms.mod(y, number(3))) == (0, 2)
    with pytest.raises(Impossible):
        ranges.learn(terms.eq(x, number(50)))


def test_a_number_without_bounds_is_refused() -> None:
    of = system([relation("r", INT)], ((), TRUE, atom("r", x)), ((atom("r", x),), TRUE, query()))
    with pytest.raises(Inapplicable, match="no bounds"):
        NumberBits().apply(of)


def test_numbers_that_need_many_bits_are_refused() -> None:
    with pytest.raises(Inapplicable, match="bits"):
        NumberBits().apply(counting(1 << 40, terms.lt(x, number(0))))


@pytest.mark.parametrize("sort", [terms.REAL, terms.bv_sort(8)])
def test_other_sorts_are_refused(sort: terms.Sort) -> None:
    (other,) = variables("other", sort)
    rule = Rule("q", (atom("r", x, other),), TRUE, query())
    with pytest.raises(Inapplicable, match="other sorts"):
        NumberBits().apply(HornSystem({"r": relation("r", INT, sort)}, (rule,)))


@pytest.mark.parametrize("by", [y, number(-2)])
def test_division_by_no_positive_number_is_refused(by: Term) -> None:
    error = terms.and_([within(y, 1, 2), terms.eq(terms.div(x, by), number(1))])
    with pytest.raises(Inapplicable):
        NumberBits().apply(counting(5, error))


def test_operations_on_bits_without_a_form_over_numbers_stay_bits() -> None:
    changed, way = NumberBits().apply(counting(5, terms.lt(x, number(0))))
    (symbol,) = changed.relations["r"].symbols
    masked = terms.eq(terms.bv("bvand", symbol, symbol), symbol)
    with pytest.raises(NotCarried):
        way.model(Model({"r": masked}))


@pytest.mark.parametrize("engine", [EngineName.SPACER, EngineName.KINDUCTION, EngineName.IMC])
@pytest.mark.parametrize("is_safe", [True, False])
def test_solvers_of_bits_answer(engine: EngineName, is_safe: bool) -> None:
    wrong = terms.eq(terms.mod(x, number(2)), number(1))
    of = counting(6, wrong if is_safe else terms.eq(x, number(6)), 2)
    turns = planned([Planned(engine, "bits")], None)
    verdict = Portfolio(turns).solve(of, Budget(Deadline.after(30)))
    assert isinstance(verdict, Safe if is_safe else Unsafe), verdict
    evidence = verdict.proof if isinstance(verdict, Safe) else verdict.refutation
    assert check(of, evidence, 20).ok


@pytest.mark.parametrize(
    "example",
    [
        pytest.param(e, marks=[] if k in (1, 4) else [pytest.mark.full])
        for k, e in enumerate(EXAMPLES)
    ],
    ids=lambda e: e.name,
)
def test_examples_have_their_answers_or_none(example: object) -> None:
    of = example.system  # type: ignore[attr-defined]
    verdict = Transformed(Spacer(), (NumberBits(),)).solve(of, Budget(Deadline.after(10)))
    if isinstance(verdict, Safe | Unsafe):
        assert isinstance(verdict, Safe) is example.safe  # type: ignore[attr-defined]
        evidence = verdict.proof if isinstance(verdict, Safe) else verdict.refutation
        assert check(of, evidence, 20).ok
