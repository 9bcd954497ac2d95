"""Invariant generation: domains, what is looked at, and models that other solvers confirm."""

from __future__ import annotations

import itertools
import random
import time
from dataclasses import replace

import pytest
from horn_examples import (
    EXAMPLES,
    TRUE,
    Example,
    atom,
    calls_in_a_row,
    counter,
    mccarthy,
    number,
    query,
    relation,
    system,
    two_counters,
    x,
    y,
    z,
)

from seahorn_py.horn.checking.proofs import check_model
from seahorn_py.horn.system import HornSystem, Model
from seahorn_py.horn.transform.rules.strengthening import Strengthening, conjoined
from seahorn_py.invariants.core import excluding
from seahorn_py.invariants.domains import (
    AffineHull,
    AtMost,
    Bounds,
    Congruences,
    Congruent,
    Equation,
    dot,
)
from seahorn_py.invariants.fixpoint import Fixpoint, OutOfTime
from seahorn_py.invariants.generation import NOTHING, Found, Generator, generate, improving
from seahorn_py.invariants.spaces import Level, levels, spaces
from seahorn_py.logic.solvers.decided import undecided
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.logic.terms import terms
from seahorn_py.logic.text.smtlib import print_term
from seahorn_py.processes.deadline import Deadline

SECONDS = 20.0
one = number(1)


def without_queries(example: HornSystem) -> HornSystem:
    return replace(example, rules=tuple(r for r in example.rules if r not in example.queries))


def confirmed(example: HornSystem, model: Model) -> bool:
    return check_model(example, model, finder=Solver.Z3, deadline=Deadline.after(SECONDS)).ok


def proof(example: HornSystem) -> Model:
    """Invariants that exclude the queries, which a second solver confirms."""
    *_, last = improving(example, Deadline.after(SECONDS))
    assert last.proof is not None
    assert confirmed(example, last.proof)
    return last.proof


def at_level(example: HornSystem, level: Level, given: Model = NOTHING) -> Model:
    until = time.monotonic() + SECONDS
    known = given.interpretations
    return Fixpoint(example, spaces(example, level, known), known, until).run()


# ----------------------------------------------------------------------------------------- domains


def test_the_affine_hull_of_points_on_a_line() -> None:
    hull = AffineHull(3)
    assert [hull.join(p) for p in [(0, 1, 5), (1, 3, 5), (2, 5, 5)]] == [True, True, False]
    assert hull.constraints() == [Equation((-2, 1, 0), 1), Equation((0, 0, 1), 5)]


def test_an_affine_hull_contains_its_points_and_has_as_many_equations_as_it_lacks_dimensions() -> (
    None
):
    draw = random.Random(1)
    for _ in range(200):
        size = draw.randint(1, 5)
        points = [[draw.randint(-4, 4) for _ in range(size)] for _ in range(draw.randint(1, 6))]
        hull = AffineHull(size)
        grown = sum(hull.join(p) for p in points)
        equations = hull.constraints()
        assert len(equations) == size + 1 - grown
        for equation, point in itertools.product(equations, points):
            assert dot(equation.coefficients, point) == equation.constant


def test_congruences_of_sums_and_differences() -> None:
    domain = Congruences([(1, 0), (1, -1)])
    assert [domain.join(p) for p in [(3, 1), (9, 1), (15, 7)]] == [True, True, False]
    assert domain.constraints() == [Congruent((1, 0), 6, 3), Congruent((1, -1), 6, 2)]


def test_bounds_move_to_thresholds_and_then_away() -> None:
    domain = Bounds([(1,)], [0, 10])
    assert domain.join((4,))
    assert domain.constraints() == [AtMost((1,), 10), AtMost((-1,), 0)]
    assert not domain.join((10,))
    assert domain.join((11,))
    assert domain.constraints() == [AtMost((-1,), 0)]


# ------------------------------------------------------------------------------- what is looked at


def phases(limit: int, turn: int, error_at: int) -> HornSystem:
    """`while (x < limit) x += x < turn ? 1 : 2; assert(x != error_at)`"""
    step = terms.ite(terms.lt(x, number(turn)), one, number(2))
    return system(
        [relation("loop", terms.INT)],
        ((), TRUE, atom("loop", number(0))),
        ((atom("loop", x),), terms.lt(x, number(limit)), atom("loop", terms.plus(x, step))),
        (
            (atom("loop", x),),
            terms.and_([terms.le(number(limit), x), terms.eq(x, number(error_at))]),
            query(),
        ),
    )


def test_predicates_are_comparisons_that_tell_states_apart() -> None:
    example = phases(100, 10, 101)
    (space,) = spaces(example, levels(example)[1], {}).values()
    texts = [print_term(p, {space.relation.symbols[0]: "x"}) for p in space.predicates]
    assert sorted(texts) == ["(< x 10)", "(< x 100)", "(= x 101)"]
    assert spaces(example, levels(example)[0], {})["loop"].predicates == ()


def test_what_is_decided_or_equivalent_is_no_predicate() -> None:
    known = terms.and_([terms.le(number(0), x), terms.le(x, number(9))])
    asked = [
        terms.le(x, number(20)),
        terms.lt(x, number(5)),
        terms.le(x, number(4)),
        terms.le(number(5), x),
        terms.eq(x, number(3)),
    ]
    assert undecided(asked, known) == [asked[1], asked[4]]


def test_products_are_looked_at_where_the_program_multiplies() -> None:
    example = phases(100, 10, 101)
    assert not any(level.products for level in levels(example))
    square = replace(example.rules[2], constraint=terms.le(terms.times(x, x), number(9)))
    assert any(level.products for level in levels(replace(example, rules=(square,))))


# ------------------------------------------------------------------------------------------ models


SMALL = [e for e in EXAMPLES if e.safe and e.system.linear and len(e.system.rules) > 2]


@pytest.mark.parametrize("example", SMALL, ids=lambda e: e.name)
def test_invariants_of_all_levels_are_inductive(example: Example) -> None:
    models = [NOTHING]
    for level in levels(example.system):
        models.append(at_level(example.system, level, models[-1]))
    assert confirmed(without_queries(example.system), conjoined(example.system, models))


def test_two_counters_are_equal() -> None:
    model = at_level(two_counters(3), Level())
    (first, second) = two_counters(3).relations["pair"].symbols
    assert terms.eq(second, first) in model.interpretations["pair"].args()


def test_summaries_of_calls() -> None:
    """`f(n) = 2 n + 1`, called in a loop, is an affine summary."""
    model = at_level(calls_in_a_row(3), Level())
    entry, result = calls_in_a_row(3).relations["f.exit"].symbols
    expected = terms.eq(result, terms.plus(terms.times(number(2), entry), one))
    assert expected in model.interpretations["f.exit"].args()


def test_a_relation_that_nothing_derives_is_empty() -> None:
    example = system(
        [relation("ghost", terms.INT)],
        ((atom("ghost", x),), TRUE, atom("ghost", terms.plus(x, one))),
    )
    assert at_level(example, Level()).interpretations["ghost"] is terms.FALSE


def test_a_parity_that_begins_in_the_second_phase() -> None:
    proof(phases(100_000_000, 10_000_000, 100_000_001))


def two_loops(half: int) -> HornSystem:
    """`x` counts up and `y` from the middle on; then `x` down, `z` up and `y` down by two."""
    limit = number(2 * half)
    later = terms.ite(terms.lt(x, number(half)), y, terms.plus(y, one))
    return system(
        [relation("up", terms.INT, terms.INT), relation("down", terms.INT, terms.INT, terms.INT)],
        ((), TRUE, atom("up", number(0), number(half))),
        ((atom("up", x, y),), terms.lt(x, limit), atom("up", terms.plus(x, one), later)),
        ((atom("up", x, y),), terms.le(limit, x), atom("down", x, y, number(0))),
        (
            (atom("down", x, y, z),),
            terms.lt(number(0), y),
            atom("down", terms.minus(x, one), terms.minus(y, number(2)), terms.plus(z, one)),
        ),
        (
            (atom("down", x, y, z),),
            terms.and_([terms.le(y, number(0)), terms.not_(terms.eq(x, z))]),
            query(),
        ),
    )


def test_two_loops_that_hand_over_an_equation() -> None:
    proof(two_loops(500_000))


def test_a_case_of_the_second_loop_is_told_apart_in_the_first() -> None:
    """`for (i = n; i > 0; i--) k++; for (j = 0; j < n; j++) { assert(k > 0); k--; }`"""
    first = [relation("up", terms.INT, terms.INT, terms.INT)]
    proof(
        system(
            [*first, relation("down", terms.INT, terms.INT, terms.INT)],
            ((), TRUE, atom("up", x, x, number(0))),
            (
                (atom("up", x, y, z),),
                terms.lt(number(0), y),
                atom("up", x, terms.minus(y, one), terms.plus(z, one)),
            ),
            ((atom("up", x, y, z),), terms.le(y, number(0)), atom("down", x, number(0), z)),
            (
                (atom("down", x, y, z),),
                terms.and_([terms.lt(y, x), terms.lt(number(0), z)]),
                atom("down", x, terms.plus(y, one), terms.minus(z, one)),
            ),
            (
                (atom("down", x, y, z),),
                terms.and_([terms.lt(y, x), terms.le(z, number(0))]),
                query(),
            ),
        )
    )


def strides(greatest: int) -> HornSystem:
    """`for (i = 0; i < 1000 k; i += k); assert(i == 1000 k)` for any `0 <= k <= greatest`."""
    goal = terms.times(number(1000), y)
    return system(
        [relation("loop", terms.INT, terms.INT)],
        (
            (),
            terms.and_([terms.le(number(0), y), terms.le(y, number(greatest))]),
            atom("loop", number(0), y),
        ),
        ((atom("loop", x, y),), terms.lt(x, goal), atom("loop", terms.plus(x, y), y)),
        (
            (atom("loop", x, y),),
            terms.and_([terms.le(goal, x), terms.not_(terms.eq(x, goal))]),
            query(),
        ),
    )


def test_a_stride_with_few_values_is_a_case_each() -> None:
    proof(strides(3))


def test_a_sum_is_a_polynomial() -> None:
    """`for (i = 1; i <= n; i++) s += i; assert(2 s == n (n + 1))`"""
    product = terms.times(y, terms.plus(y, one))
    proof(
        system(
            [relation("sum", terms.INT, terms.INT, terms.INT)],
            (
                (),
                terms.and_([terms.le(one, y), terms.le(y, number(1000))]),
                atom("sum", one, y, number(0)),
            ),
            (
                (atom("sum", x, y, z),),
                terms.le(x, y),
                atom("sum", terms.plus(x, one), y, terms.plus(z, x)),
            ),
            (
                (atom("sum", x, y, z),),
                terms.and_([terms.lt(y, x), terms.not_(terms.eq(terms.plus(z, z), product))]),
                query(),
            ),
        )
    )


def test_a_sum_of_what_changes_is_a_polynomial_though_nothing_is_multiplied() -> None:
    """`for (x = 1, y = 0; y < 1000; y++) x += y; assert(x <= 500000)`"""
    example = system(
        [relation("sum", terms.INT, terms.INT)],
        ((), TRUE, atom("sum", one, number(0))),
        (
            (atom("sum", x, y),),
            terms.lt(y, number(1000)),
            atom("sum", terms.plus(x, y), terms.plus(y, one)),
        ),
        (
            (atom("sum", x, y),),
            terms.and_([terms.le(number(1000), y), terms.lt(number(500_000), x)]),
            query(),
        ),
    )
    assert levels(example)[-1].products
    proof(example)


def test_recursion_through_summaries() -> None:
    model = at_level(mccarthy(91), Level())
    assert confirmed(without_queries(mccarthy(91)), model)
    assert model.interpretations["m.exit"] is not terms.TRUE


# -------------------------------------------------------------------------- their uses and limits


def test_only_what_is_needed_is_left_of_a_proof() -> None:
    example = counter(10, 11)
    symbol = example.relations["loop"].symbols[0]
    most = terms.le(symbol, number(10))
    model = Model({"loop": terms.and_([most, terms.le(number(0), symbol)])})
    found = excluding(example, model, time.monotonic() + SECONDS)
    assert found == Model({"loop": most})
    assert excluding(counter(10, 10), model, time.monotonic() + SECONDS) is None


def test_rules_under_invariants_use_them_in_their_bodies_only() -> None:
    example = counter(10, 11)
    symbol = example.relations["loop"].symbols[0]
    under = Strengthening(Model({"loop": terms.le(symbol, number(10))})).apply(example)[0]
    assert [terms.le(x, number(10)) in r.constraint.args() for r in under.rules] == [
        False,
        True,
        True,
    ]


def test_models_get_stronger_and_the_last_one_is_what_generate_gives() -> None:
    example = counter(10, 10)
    found = list(improving(example, Deadline.after(SECONDS)))
    assert all(isinstance(f, Found) and f.proof is None for f in found)
    assert confirmed(without_queries(example), found[-1].model)
    assert generate(example, Deadline.after(SECONDS)) == found[-1].model


def test_without_time_nothing_is_known() -> None:
    assert generate(two_loops(50), Deadline.after(0.0)) == NOTHING
    with pytest.raises(OutOfTime):
        at_level_until(two_loops(50), time.monotonic())


def at_level_until(example: HornSystem, until: float) -> Model:
    return Fixpoint(example, spaces(example, Level(), {}), {}, until).run()


def test_leaving_a_generator_ends_its_child() -> None:
    with Generator(two_loops(50), Deadline.after(SECONDS)) as generator:
        child = generator._child
        assert child is not None
    assert not child.running
