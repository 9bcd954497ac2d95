"""Formulas as sets of isl and back, against the evaluation of terms at many points."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import product as tuples

import pytest

from seahorn_py.logic.presburger.closure import Repeated, star
from seahorn_py.logic.presburger.presburger import Beyond, Map, Presburger, Set, sample
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.definitions import without_definitions
from seahorn_py.logic.terms.evaluate import compile_term
from seahorn_py.logic.terms.terms import BOOL, INT, Term

x, y, z = (terms.symbol(f"{name}.presburger", INT) for name in "xyz")
p, q = (terms.symbol(f"{name}.presburger", BOOL) for name in "pq")
RANGE = range(-4, 5)


def number(value: int) -> Term:
    return terms.int_const(value)


@pytest.fixture
def arithmetic() -> Presburger:
    return Presburger()


def contains(arithmetic: Presburger, found: Set, point: Sequence[int]) -> bool:
    return arithmetic.point(point).is_subset(found)


def integer(rng: random.Random, depth: int) -> Term:
    if depth == 0:
        return rng.choice([x, y, number(rng.randint(-5, 5))])
    left, right = integer(rng, depth - 1), integer(rng, depth - 1)
    divisor = number(rng.choice([-3, -2, 2, 3, 5]))
    return rng.choice(
        [
            terms.plus(left, right),
            terms.minus(left, right),
            terms.times(number(rng.randint(-3, 3)), left),
            terms.div(left, divisor),
            terms.mod(left, divisor),
            terms.ite(formula(rng, depth - 1), left, right),
        ]
    )


def formula(rng: random.Random, depth: int) -> Term:
    if depth == 0:
        left, right = integer(rng, 0), integer(rng, 0)
        return rng.choice([p, terms.le(left, right), terms.lt(left, right), terms.eq(left, right)])
    left, right = formula(rng, depth - 1), formula(rng, depth - 1)
    return rng.choice(
        [
            terms.and_([left, right]),
            terms.or_([left, right]),
            terms.not_(left),
            terms.implies(left, right),
            terms.iff(left, right),
            terms.ite(left, right, formula(rng, 0)),
            terms.le(integer(rng, depth - 1), integer(rng, depth - 1)),
            terms.eq(integer(rng, depth - 1), integer(rng, depth - 1)),
        ]
    )


@pytest.mark.parametrize("seed", range(60))
def test_a_set_has_the_points_at_which_the_formula_holds(seed: int, arithmetic: Presburger) -> None:
    term = formula(random.Random(seed), 3)
    symbols = [x, y, p]
    found = arithmetic.set(term, symbols)
    back = arithmetic.formula(found, symbols)
    holds, holds_back = compile_term(term, symbols), compile_term(back, symbols)
    rng = random.Random(seed)
    points = [(rng.randint(-9, 9), rng.randint(-9, 9), rng.random() < 0.5) for _ in range(25)]
    for point in points:
        expected = bool(holds(point))
        assert contains(arithmetic, found, [int(v) for v in point]) is expected, (term, point)
        assert bool(holds_back(point)) is expected, (term, back, point)


def test_other_symbols_are_projected_out_over_the_integers(arithmetic: Presburger) -> None:
    even = arithmetic.set(terms.eq(x, terms.times(number(2), y)), [x])
    assert [v for v in RANGE if contains(arithmetic, even, [v])] == [-4, -2, 0, 2, 4]


def test_a_relation_has_pairs(arithmetic: Presburger) -> None:
    step = terms.and_([terms.lt(x, y), terms.eq(z, terms.plus(x, number(1)))])
    found = arithmetic.relation(step, [x, y], [z])
    assert str(found) == "{ [i0, i1] -> [1 + i0] : i1 > i0 }"


def test_large_numbers_are_exact(arithmetic: Presburger) -> None:
    large = 10**30
    found = arithmetic.set(terms.eq(x, number(large)), [x])
    assert sample(found) == (large,)
    assert arithmetic.formula(found, [x]) is terms.eq(x, number(large))


def test_a_boolean_is_written_as_itself(arithmetic: Presburger) -> None:
    assert arithmetic.formula(arithmetic.set(terms.not_(p), [p]), [p]) is terms.not_(p)
    assert arithmetic.formula(arithmetic.all(1), [p]) is terms.TRUE


@pytest.mark.parametrize(
    ("term", "reason"),
    [
        (terms.eq(terms.times(x, y), number(1)), "times"),
        (terms.eq(terms.mod(x, y), number(1)), "mod"),
        (terms.bv("bvult", *[terms.symbol("b.presburger", terms.bv_sort(8))] * 2), "of sort BV"),
        (terms.forall([x], terms.lt(x, y)), "forall"),
    ],
)
def test_what_is_no_linear_arithmetic_is_declined(
    term: Term, reason: str, arithmetic: Presburger
) -> None:
    with pytest.raises(Beyond, match=reason):
        arithmetic.set(term, [y])


def test_operations_are_bounded_and_the_context_goes_on(arithmetic: Presburger) -> None:
    parts = [terms.or_([terms.lt(x, number(k)), terms.lt(number(-k), y)]) for k in range(40)]
    with pytest.raises(Beyond, match="isl"), arithmetic.within(50):
        arithmetic.set(terms.and_(parts), [x, y])
    assert sample(arithmetic.set(terms.eq(x, number(3)), [x])) == (3,)


def test_deep_terms_are_no_recursion(arithmetic: Presburger) -> None:
    term = x
    for _ in range(3000):
        term = terms.minus(number(1), term)
    assert sample(arithmetic.set(terms.eq(term, number(7)), [x])) == (7,)


def test_definitions_are_replaced_and_their_symbols_gone() -> None:
    both = terms.and_(
        [
            terms.iff(p, terms.lt(x, number(3))),
            p,
            terms.eq(y, terms.plus(x, number(1))),
            terms.eq(z, terms.plus(y, y)),
        ]
    )
    found = without_definitions(both, frozenset([x, z]))
    assert terms.free_symbols(found) == {x, z}
    holds = compile_term(found, [x, z])
    for a, b in tuples(RANGE, range(-10, 11)):
        assert bool(holds((a, b))) is (a < 3 and b == 2 * (a + 1))


def test_a_symbol_defined_by_itself_stays() -> None:
    loop = terms.eq(y, terms.minus(x, y))
    assert without_definitions(loop, frozenset([x])) is loop


def relation(arithmetic: Presburger, text: str) -> Map:
    return Map.read_from_str(arithmetic.context, text)


@pytest.mark.parametrize(
    ("step", "closure"),
    [
        ("{[i, n] -> [i + 1, n] : i < n}", "{[i, n] -> [j, n] : i <= j and (j = i or j <= n)}"),
        (
            "{[a, b] -> [b, a]}",
            "{[a, b] -> [b, a]; [a, b] -> [a, b]}",
        ),
        (
            "{[i, even] -> [i - 1, 1 - even] : i > 0}",
            "{[i, even] -> [j, e] : 0 <= j < i and 2*floor((i - j)/2) = i - j and e = even;"
            " [i, even] -> [j, e] : 0 <= j < i and 2*floor((i-j)/2) < i - j and e = 1 - even;"
            " [i, even] -> [i, even]}",
        ),
        (
            "{[i, x] -> [i + 1, x + 1] : i < 5; [i, x] -> [i + 1, x] : i >= 5}",
            "{[i, x] -> [j, x + j - i] : i <= j <= 5; [i, x] -> [j, x] : 5 <= i <= j;"
            " [i, x] -> [j, x + 5 - i] : i <= 5 <= j; [i, x] -> [i, x]}",
        ),
        (
            "{[k, x] -> [k, x + k] : 0 <= k <= 3 and x < 100}",
            "{[k, x] -> [k, y] : k = 1 and x < y <= 100; [k, x] -> [k, x];"
            " [k, x] -> [k, y] : k = 2 and x < y <= 101 and (y - x) mod 2 = 0;"
            " [k, x] -> [k, y] : k = 3 and x < y <= 102 and (y - x) mod 3 = 0}",
        ),
    ],
)
def test_closures_literally(step: str, closure: str, arithmetic: Presburger) -> None:
    found = star(arithmetic, relation(arithmetic, step))
    assert found is not None
    assert found.is_equal(relation(arithmetic, closure))


def test_what_presburger_arithmetic_cannot_say_has_no_closure(arithmetic: Presburger) -> None:
    assert star(arithmetic, relation(arithmetic, "{[x] -> [2*x]}")) is None
    many = relation(arithmetic, "{[k, x] -> [k, x + k] : 0 <= k <= 99 and x < 100}")
    assert star(arithmetic, many) is None


def test_states_are_reached_where_the_closure_is_not_known(arithmetic: Presburger) -> None:
    start = arithmetic.point([1])
    step = relation(arithmetic, "{[x] -> [2*x] : x < 20}")
    repeated = Repeated(arithmetic, step)
    found, closure = repeated.advance(start), repeated.closure
    assert [v for v in range(64) if contains(arithmetic, found, [v])][:3] == [1, 2, 4]
    for value in range(64):
        if contains(arithmetic, found, [value]):
            assert value in (1, 2, 4, 8, 16, 32)
    assert closure is None or found.is_equal(start.apply(closure))
