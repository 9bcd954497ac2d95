"""Bounds of one term in conjunctions and disjunctions; many states merged at once."""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass

import pytest
from horn_examples import atom, query, relation, system

from seahorn_py.engines.bmc import bmc_child
from seahorn_py.engines.bmc.bmc import Bmc
from seahorn_py.engines.bmc.bounds import Axis, Bound, Comparison, reduced, united
from seahorn_py.engines.bmc.merging import Merger
from seahorn_py.engines.bmc.operations import folding
from seahorn_py.engines.bmc.symbolic import Memory, Value, Values
from seahorn_py.engines.engine import Budget
from seahorn_py.horn.system import HornSystem
from seahorn_py.logic.solvers.construction.bitterms import BitwuzlaTerms
from seahorn_py.logic.solvers.solvers import Status
from seahorn_py.logic.terms import terms
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Safe, Unsafe

NIBBLE, BYTE = terms.bv_sort(4), terms.bv_sort(8)
NUMBERS = range(16)


@dataclass(frozen=True)
class Literal:
    """`x <= limit`, `x >= limit`, or, without a bound, a bit of the number."""

    bound: Bound | None
    bit: int = 0

    def holds(self, number: int) -> bool:
        if self.bound is None:
            return bool(number >> self.bit & 1)
        return number <= self.bound.limit if self.bound.upper else number >= self.bound.limit


X = Axis("x", signed=False)


def literals(draw: random.Random) -> frozenset[Literal]:
    def one() -> Literal:
        if draw.random() < 0.2:
            return Literal(None, draw.randrange(4))
        return Literal(Bound(X, draw.random() < 0.5, draw.randrange(16)))

    return frozenset(one() for _ in range(draw.randrange(1, 5)))


def meaning(conjunction: frozenset[Literal]) -> set[int]:
    return {n for n in NUMBERS if all(literal.holds(n) for literal in conjunction)}


def test_conjunctions_and_disjunctions_of_bounds_mean_what_they_say() -> None:
    draw = random.Random(1)
    joined = 0
    for _ in range(3_000):
        one, other = reduced(literals(draw)), reduced(literals(draw))
        if one is None or other is None:
            continue
        both = reduced(one | other)
        expected = meaning(one) & meaning(other)
        assert (set() if both is None else meaning(both)) == expected
        union = united(one, other)
        if union is not None:
            joined += 1
            assert meaning(union) == meaning(one) | meaning(other)
    assert joined > 300


@pytest.mark.parametrize("operator", ["bvult", "bvule", "bvslt", "bvsle"])
@pytest.mark.parametrize("constant_first", [True, False])
def test_comparisons_as_bounds(operator: str, constant_first: bool) -> None:
    node = terms.bv(operator, terms.symbol("half.x", NIBBLE), terms.symbol("half.y", NIBBLE))
    comparison, holds = Comparison.of(node), folding(node)
    assert comparison is not None
    for constant, value in itertools.product(NUMBERS, NUMBERS):
        expected = holds(constant, value) if constant_first else holds(value, constant)
        bound = comparison.bound("x", constant, constant_first=constant_first)
        compared = value - 16 if comparison.signed and value > 7 else value
        if isinstance(bound, Bound):
            assert Literal(bound).holds(compared) is expected
            assert Literal(bound.negated).holds(compared) is not expected
        else:
            assert bound is expected


def test_exits_of_a_loop_are_merged_to_one_case_distinction_an_element() -> None:
    """After k iterations the elements below k are k + 100; n of them were made, at most 40."""
    values = Values(BitwuzlaTerms())
    x = terms.symbol("byte.x", BYTE)
    at_most = values.operation(terms.bv("bvule", x, terms.symbol("byte.y", BYTE)))
    n = values.variable("n", BYTE)
    contents = terms.array_sort(BYTE, BYTE)
    memories = [
        Memory(contents, 7, {p: p + 100 for p in range(k)}, everywhere=True) for k in range(41)
    ]
    guards: list[Value] = [
        values.and_(at_most(n, k), values.not_(at_most(n, k - 1)) if k else True) for k in range(41)
    ]
    assert values.or_(guards) is at_most(n, 40)
    merged = Merger(values, guards).merged(memories, contents)
    assert isinstance(merged, Memory)
    for position, element in merged.elements.items():
        assert element is values.ite(at_most(n, position), 7, position + 100, BYTE)


def test_a_guard_that_is_one_of_several_is_asked_about_case_by_case() -> None:
    values = Values(BitwuzlaTerms())
    a, b, c, d = (values.variable(name, terms.BOOL) for name in "abcd")
    either = values.or_([values.and_(a, b), c])
    assert set(values.cases(either)) == {values.and_(a, b), c}
    both = values.and_(d, either)
    assert set(values.cases(both)) == {values.and_(d, values.and_(a, b)), values.and_(d, c)}
    assert [*values.cases(a), *values.cases(True)] == [a, True]
    assert list(values.cases(values.and_(a, d))) == [values.and_(a, d)]


def test_a_copy_of_symbolic_size_is_refuted_at_depth() -> None:
    """b[i] = a[i] for i below n <= 70, but for one value; only n = 70 leads to the error."""
    verdict = Bmc().solve(copying(70), Budget(Deadline.after(60)))
    assert isinstance(verdict, Unsafe)
    assert len(verdict.refutation.steps) > 2 * 70 + 3


def copying(length: int) -> HornSystem:
    i, n, v = (terms.symbol(f"byte.{name}", BYTE) for name in ("i", "n", "v"))
    a, b = (terms.symbol(f"bytes.{name}", terms.array_sort(BYTE, BYTE)) for name in ("a", "b"))
    zero, one, most = (terms.bv_const(c, 8) for c in (0, 1, length))
    state = (BYTE, BYTE, a.symbol_type(), b.symbol_type())
    going_on = terms.bv("bvult", i, n)
    following = terms.bv("bvadd", i, one)
    odd = terms.eq(terms.select(a, i), terms.bv_const(77, 8))
    changed = terms.ite(odd, one, terms.select(a, i))
    different = terms.not_(terms.eq(terms.select(a, i), terms.select(b, i)))
    late = terms.bv("bvule", most, n)
    return system(
        [relation("read", *state), relation("copy", *state), relation("test", *state)],
        ((), terms.bv("bvule", n, most), atom("read", zero, n, a, b)),
        (
            (atom("read", i, n, a, b),),
            going_on,
            atom("read", following, n, terms.store(a, i, v), b),
        ),
        ((atom("read", i, n, a, b),), terms.not_(going_on), atom("copy", zero, n, a, b)),
        (
            (atom("copy", i, n, a, b),),
            going_on,
            atom("copy", following, n, a, terms.store(b, i, changed)),
        ),
        ((atom("copy", i, n, a, b),), terms.not_(going_on), atom("test", zero, n, a, b)),
        (
            (atom("test", i, n, a, b),),
            terms.and_([going_on, terms.not_(different)]),
            atom("test", following, n, a, b),
        ),
        ((atom("test", i, n, a, b),), terms.and_([going_on, different, late]), query()),
    )


@pytest.mark.parametrize(("most", "answer"), [(5, Safe), (7, Unsafe)])
def test_queries_that_take_too_long_are_left_to_the_next_round(
    most: int, answer: type[Safe | Unsafe], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The loop runs to n <= most, 6 is wrong; only questions with all of the time are answered."""
    check, whole = BitwuzlaTerms.check, time.monotonic() + 50
    asked = []

    def impatient(solver: BitwuzlaTerms, assumptions: Sequence[object], until: float) -> Status:
        asked.append(until)
        return check(solver, assumptions, until) if until > whole else Status.UNKNOWN

    monkeypatch.setattr(BitwuzlaTerms, "check", impatient)
    i, n = (terms.symbol(f"byte.{name}", BYTE) for name in ("i", "n"))
    zero, one, six, limit = (terms.bv_const(c, 8) for c in (0, 1, 6, most))
    example = system(
        [relation("loop", BYTE, BYTE)],
        ((), terms.bv("bvule", n, limit), atom("loop", zero, n)),
        (
            (atom("loop", i, n),),
            terms.bv("bvult", i, n),
            atom("loop", terms.bv("bvadd", i, one), n),
        ),
        ((atom("loop", i, n),), terms.eq(i, six), query()),
    )
    assert isinstance(bmc_child.solve(example, None, {}, Deadline.after(60)), answer)
    assert min(asked) < whole
