"""The linear part of a system derives at least what the system does."""

from __future__ import annotations

import random

import pytest
from horn_examples import array_initialisation, atom, number, query, relation, system

from seahorn_py.horn.system import Atom, HornSystem, InputRead, Rule
from seahorn_py.horn.transform.acceleration.linearpart import ARBITRARY, linear_part
from seahorn_py.horn.transform.transitions import transition
from seahorn_py.logic.presburger.presburger import Beyond, Presburger
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.evaluate import compile_term
from seahorn_py.logic.terms.terms import INT, Term

x, y, z = (terms.symbol(f"{name}.part", INT) for name in "xyz")
ARRAY = terms.array_sort(INT, INT)
a, b = (terms.symbol(f"{name}.part", ARRAY) for name in "ab")
SYMBOLS = (x, y, z)


def one_rule(constraint: Term, *after: Term) -> HornSystem:
    """From `R(x, y, z, a)` to `R(after, b)`."""
    return system(
        [relation("R", INT, INT, INT, ARRAY)],
        ((atom("R", x, y, z, a),), constraint, atom("R", *after, b)),
    )


def derived(constraint: Term, *after: Term) -> str:
    """The transition relation of the rule's linear part."""
    arithmetic = Presburger()
    part = linear_part(one_rule(constraint, *after), arithmetic)
    return str(transition(arithmetic, part.rules[0]))


def test_what_is_linear_stays() -> None:
    assert derived(terms.lt(x, y), terms.plus(x, number(1)), y, z) == (
        "{ [i0, i1, i2] -> [1 + i0, i1, i2] : i1 > i0 }"
    )


def test_products_and_elements_are_arbitrary_but_the_same() -> None:
    product, element = terms.times(x, y), terms.select(a, x)
    assert derived(terms.TRUE, product, element, z) == "{ [i0, i1, i2] -> [o0, o1, i2] }"
    assert derived(terms.lt(product, number(3)), product, z, product) == (
        "{ [i0, i1, i2] -> [o0, i2, o0] : o0 <= 2 }"
    )


def test_an_element_that_was_stored_is_known() -> None:
    stored = terms.store(terms.store(a, x, y), z, number(7))
    changed = terms.eq(b, stored)
    found = derived(changed, terms.select(b, z), terms.select(stored, x), z)
    assert found == (
        "{ [i0, i1, i2] -> [7, i1, i2] : i2 > i0 or i2 < i0; [i0, i1, i0] -> [7, 7, i0] }"
    )


def test_equations_of_arrays_and_their_inputs_are_dropped() -> None:
    part = linear_part(array_initialisation(7), Presburger())
    assert [p.sort for p in part.relations["fill"].parameters] == [INT, INT]
    assert part.ledger[-1].text == ARBITRARY
    read = InputRead(a, 1, terms.TRUE), InputRead(x, 2, terms.eq(a, b))
    rule = Rule("read", (), terms.TRUE, Atom("R", (x, y, z, a)), inputs=read)
    inputs = (
        linear_part(HornSystem({"R": relation("R", INT, INT, INT, ARRAY)}, (rule,)), Presburger())
        .rules[0]
        .inputs
    )
    assert [r.symbol for r in inputs] == [x]
    assert inputs[0].guard.is_symbol()


def test_bit_vectors_have_no_linear_part() -> None:
    bits = system([relation("R", terms.bv_sort(8))], ((), terms.TRUE, query()))
    with pytest.raises(Beyond, match="no integer"):
        linear_part(bits, Presburger())


def random_term(rng: random.Random, depth: int) -> Term:
    if not depth:
        return rng.choice([*SYMBOLS, number(rng.randint(-3, 3))])
    left, right = (random_term(rng, depth - 1) for _ in range(2))
    return rng.choice(
        [
            terms.plus(left, right),
            terms.minus(left, right),
            terms.times(left, right),
            terms.times(left, number(rng.randint(-2, 2))),
            terms.mod(left, number(rng.randint(1, 3))),
            terms.ite(random_formula(rng, left, right), left, right),
        ]
    )


def random_formula(rng: random.Random, left: Term, right: Term) -> Term:
    compared = rng.choice([terms.le, terms.lt, terms.eq])(left, right)
    return rng.choice([compared, terms.not_(compared), terms.implies(compared, terms.le(x, y))])


def test_no_step_of_a_random_rule_is_lost() -> None:
    rng = random.Random(8)
    arithmetic = Presburger()
    kept = 0
    for _ in range(30):
        guard = random_formula(rng, random_term(rng, 2), random_term(rng, 2))
        after = [random_term(rng, 2) for _ in SYMBOLS]
        part = linear_part(one_rule(guard, *after), arithmetic)
        tau = transition(arithmetic, part.rules[0])
        holds, updates = compile_term(guard, SYMBOLS), [compile_term(t, SYMBOLS) for t in after]
        for _ in range(10):
            point = [rng.randint(-4, 4) for _ in SYMBOLS]
            if holds(point):
                end = arithmetic.point([int(update(point)) for update in updates])
                assert end.is_subset(arithmetic.point(point).apply(tau)), (guard, after, point)
                kept += 1
    assert kept > 100
