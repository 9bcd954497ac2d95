"""The algebra of unbounded integers against the concrete one: all values of three bits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import TypeVar

import pytest

from seahorn_py.encode.integers.integers import Integers
from seahorn_py.encode.integers.intvalue import IntValue, bring, known, literal, representation
from seahorn_py.ir import semantics
from seahorn_py.ir.algebra import Concrete, signed
from seahorn_py.ir.intrinsics import arity
from seahorn_py.ir.program import BinaryOp, BitsOp, CastOp, OverflowOp, Predicate
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.evaluate import compile_term
from seahorn_py.logic.terms.terms import Sort, Term

V = TypeVar("V")
WIDTH = 3
VALUES = range(1 << WIDTH)
SIGNS = list(product((True, False), repeat=2))


class Recorder:
    """Fresh symbols, facts and approximations, as they come."""

    def __init__(self) -> None:
        self.symbols: list[Term] = []
        self.facts: list[Term] = []
        self.approximations: list[str] = []

    def fresh(self, sort: Sort) -> Term:
        symbol = terms.symbol(f"fresh#{len(self.symbols)}", sort)
        self.symbols.append(symbol)
        return symbol

    def assume(self, fact: Term) -> None:
        self.facts.append(fact)

    def approximate(self, what: str) -> None:
        self.approximations.append(what)


def variable(name: str, is_signed: bool) -> IntValue:
    return known(terms.symbol(name, terms.INT), *representation(WIDTH, is_signed))


DOMAIN = range(-4, 8)
Step = Callable[[Integers, IntValue, IntValue], IntValue | Term]


def possible(step: Step, signs: tuple[bool, bool]) -> Iterator[tuple[int, int, set[int]]]:
    """For all operands the machine integers (or truth values) that the result may be."""
    recorder = Recorder()
    x, y = variable("x", signs[0]), variable("y", signs[1])
    result = step(Integers(recorder), x, y)
    value = result if isinstance(result, IntValue) else IntValue(result, 0, 1)
    symbols = [x.term, y.term, *recorder.symbols]
    fact = compile_term(terms.and_(recorder.facts), symbols)
    term = compile_term(value.term, symbols)
    for a, b in product(VALUES, VALUES):
        known_ = [signed(WIDTH, v) if s else v for v, s in zip((a, b), signs, strict=True)]
        found = set()
        for choice in product(DOMAIN, repeat=len(recorder.symbols)):
            point = [*known_, *choice]
            if fact(point):
                number = term(point)
                assert recorder.approximations or value.low <= number <= value.high
                found.add(int(number))
        yield a, b, found


def residues(found: set[int], width: int = WIDTH) -> set[int]:
    return {number % (1 << width) for number in found}


@pytest.mark.parametrize("signs", SIGNS)
@pytest.mark.parametrize("op", BinaryOp)
def test_binary_operations(op: BinaryOp, signs: tuple[bool, bool]) -> None:
    concrete = Concrete()
    exact = op not in (BinaryOp.AND, BinaryOp.OR, BinaryOp.XOR)
    for a, b, found in possible(lambda i, x, y: semantics.binary(i, op, WIDTH, x, y), signs):
        if semantics.defined(concrete, op, WIDTH, a, b):
            right = semantics.binary(concrete, op, WIDTH, a, b)
            assert right in residues(found)
            assert not exact or residues(found) == {right}


@pytest.mark.parametrize("signs", SIGNS)
@pytest.mark.parametrize("op", BinaryOp)
@pytest.mark.parametrize("by", VALUES)
def test_binary_operations_with_a_constant_are_exact(
    op: BinaryOp, signs: tuple[bool, bool], by: int
) -> None:
    concrete, right = Concrete(), literal(by)
    for a, b, found in possible(lambda i, x, y: semantics.binary(i, op, WIDTH, x, right), signs):
        if b == 0 and semantics.defined(concrete, op, WIDTH, a, by):
            assert residues(found) == {semantics.binary(concrete, op, WIDTH, a, by)}
    for a, b, found in possible(lambda i, x, y: semantics.binary(i, op, WIDTH, right, x), signs):
        if b == 0 and semantics.defined(concrete, op, WIDTH, by, a):
            assert residues(found) == {semantics.binary(concrete, op, WIDTH, by, a)}


@pytest.mark.parametrize("signs", SIGNS)
@pytest.mark.parametrize("predicate", Predicate)
def test_comparisons(predicate: Predicate, signs: tuple[bool, bool]) -> None:
    def step(i: Integers, x: IntValue, y: IntValue) -> Term:
        return semantics.compare(i, predicate, WIDTH, x, y)

    for a, b, found in possible(step, signs):
        assert found == {int(semantics.compare(Concrete(), predicate, WIDTH, a, b))}


@pytest.mark.parametrize("is_signed", (True, False))
@pytest.mark.parametrize("predicate", Predicate)
@pytest.mark.parametrize("by", VALUES)
def test_comparisons_with_a_constant(predicate: Predicate, is_signed: bool, by: int) -> None:
    signs = (is_signed, False)
    right = literal(by)
    for a, b, found in possible(
        lambda i, x, y: semantics.compare(i, predicate, WIDTH, x, right), signs
    ):
        if b == 0:
            assert found == {int(semantics.compare(Concrete(), predicate, WIDTH, a, by))}
    for a, b, found in possible(
        lambda i, x, y: semantics.compare(i, predicate, WIDTH, right, x), signs
    ):
        if b == 0:
            assert found == {int(semantics.compare(Concrete(), predicate, WIDTH, by, a))}


@pytest.mark.parametrize("is_signed", (True, False))
@pytest.mark.parametrize(
    ("op", "to"),
    [
        (CastOp.ZEXT, 7),
        (CastOp.SEXT, 7),
        (CastOp.TRUNC, 2),
    ],
)
def test_casts(op: CastOp, to: int, is_signed: bool) -> None:
    for a, b, found in possible(
        lambda i, x, y: semantics.cast(i, op, WIDTH, to, x), (is_signed, False)
    ):
        if b == 0:
            assert residues(found, to) == {semantics.cast(Concrete(), op, WIDTH, to, a)}


@pytest.mark.parametrize("signs", SIGNS)
@pytest.mark.parametrize("op", OverflowOp)
def test_overflow_bits(op: OverflowOp, signs: tuple[bool, bool]) -> None:
    for a, b, found in possible(lambda i, x, y: semantics.overflow(i, op, WIDTH, x, y), signs):
        assert found == {int(semantics.overflow(Concrete(), op, WIDTH, a, b))}


@pytest.mark.parametrize("signs", SIGNS)
@pytest.mark.parametrize("op", [op for op in BitsOp if op is not BitsOp.BSWAP])
def test_intrinsics(op: BitsOp, signs: tuple[bool, bool]) -> None:
    def arguments(x: V, y: V) -> tuple[V, ...]:
        return (x, y, y)[: arity(op)]

    exact = op not in (BitsOp.FSHL, BitsOp.FSHR)
    for a, b, found in possible(
        lambda i, x, y: semantics.bits(i, op, WIDTH, arguments(x, y)), signs
    ):
        right = semantics.bits(Concrete(), op, WIDTH, arguments(a, b))
        assert right in residues(found)
        assert not exact or residues(found) == {right}


@pytest.mark.parametrize("is_signed", (True, False))
def test_bringing_back_adds_one_multiple_of_the_modulus(is_signed: bool) -> None:
    bounds = representation(WIDTH, is_signed)
    symbol = terms.symbol("x", terms.INT)
    for low, high in ((-60, 60), (-8, 7), (-15, 10), (8, 15), (9, 14), (-4, 7), (2, 6)):
        value = bring(known(symbol, low, high), bounds)
        number = compile_term(value.term, [symbol])
        for n in range(low, high + 1):
            assert value.low <= number([n]) <= value.high
            assert bounds[0] <= number([n]) <= bounds[1]
            assert (number([n]) - n) % (1 << WIDTH) == 0


def test_a_mask_of_low_bits_is_a_remainder() -> None:
    recorder = Recorder()
    x = known(terms.symbol("x", terms.INT), -(2**31), 2**31 - 1)
    assert str(Integers(recorder).and_(32, x, literal(7)).term) == "mod(x, 8)"
    assert str(Integers(recorder).xor(32, x, literal(2**32 - 1)).term) == "(-1 - x)"
    assert recorder.approximations == []


def test_values_without_a_common_bit_are_added() -> None:
    recorder = Recorder()
    integers = Integers(recorder)
    byte = known(terms.symbol("x", terms.INT), 0, 255)
    other = known(terms.symbol("y", terms.INT), 0, 255)
    word = integers.or_(32, integers.shl(32, byte, literal(8)), other)
    assert (word.low, word.high, recorder.approximations) == (0, 65535, [])


def test_unknown_bits_are_an_approximation() -> None:
    recorder = Recorder()
    x = known(terms.symbol("x", terms.INT), 0, 255)
    y = known(terms.symbol("y", terms.INT), 0, 255)
    Integers(recorder).and_(32, x, y)
    assert recorder.approximations == ["bitwise operation on unknown bits"]
