"""Invariants of systems over bit-vectors: equations modulo powers of two, readings, proofs."""

from __future__ import annotations

import itertools
import random
import time

import pytest
from horn_examples import BYTE, EXAMPLES, TRUE, Example, atom, query, relation, system, variables

from seahorn_py.engines.engine import Budget, Engine
from seahorn_py.engines.kinduction.kinduction import KInduction
from seahorn_py.engines.spacer.spacer import GLOBAL, Spacer
from seahorn_py.engines.wrappers.strengthened import Strengthened
from seahorn_py.horn.checking.proofs import check_model, check_proof
from seahorn_py.horn.system import HornSystem, Model
from seahorn_py.invariants.domains import AtMost, Congruent, Constraint, Equation, dot
from seahorn_py.invariants.features import Feature, NumberKind, formula, number
from seahorn_py.invariants.fixpoint import Fixpoint
from seahorn_py.invariants.forms import differences
from seahorn_py.invariants.generation import improving
from seahorn_py.invariants.modular import ModularHull
from seahorn_py.invariants.spaces import Level, levels, spaces
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.evaluate import compile_term
from seahorn_py.logic.terms.terms import Term
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Safe

SECONDS = 20.0
WORD = terms.bv_sort(32)
a, b, c = variables("a b c", BYTE)
x, y, z = variables("x y z", WORD)
SIGNED, UNSIGNED = NumberKind.SIGNED, NumberKind.UNSIGNED


def word(value: int) -> Term:
    return terms.bv_const(value, 32)


def plus(term: Term, value: int) -> Term:
    return terms.bv("bvadd", term, terms.bv_const(value, terms.bv_width(term)))


# ------------------------------------------------------------------ equations modulo a power of two


def hull_of(points: list[tuple[int, ...]], width: int) -> ModularHull:
    hull = ModularHull(len(points[0]), width)
    for point in points:
        hull.join(point)
    return hull


def test_a_line_that_wraps() -> None:
    hull = hull_of([(0, 7), (1, 9), (255, 5)], 8)
    assert hull.constraints() == [Congruent((-2, 1), 256, 7)]


def test_a_parity_is_an_equation_of_one_bit() -> None:
    assert hull_of([(3,), (5,)], 32).constraints() == [Congruent((1,), 2, 1)]
    assert hull_of([(8,), (24,), (0,)], 32).constraints() == [Congruent((1,), 8, 0)]


def test_coefficients_are_small_where_they_can_be() -> None:
    """Modulo 256 the line is also `y = -81 x`."""
    (line,) = hull_of([(0, 0), (5, 3), (10, 6)], 8).constraints()
    assert line == Congruent((-3, 5), 256, 0)


@pytest.mark.parametrize("seed", range(4))
def test_the_hull_is_the_least_affine_set(seed: int) -> None:
    """Differences of its points are the sums of multiples of the differences of those given."""
    draw = random.Random(seed)
    width, size = 3, 2
    modulus = 1 << width
    for _ in range(30):
        points = [
            tuple(draw.randrange(modulus) for _ in range(size)) for _ in range(draw.randint(1, 4))
        ]
        origin = points[0]
        expected = {origin}
        for point in points[1:]:
            step = [p - o for p, o in zip(point, origin, strict=True)]
            expected = {
                tuple((e + k * s) % modulus for e, s in zip(old, step, strict=True))
                for old in expected
                for k in range(modulus)
            }
        constraints = hull_of(points, width).constraints()
        everything = itertools.product(range(modulus), repeat=size)
        assert {p for p in everything if all(holds(k, p) for k in constraints)} == expected


def test_a_point_grows_the_hull_exactly_if_it_is_outside() -> None:
    draw = random.Random(5)
    for _ in range(100):
        hull = ModularHull(3, 4)
        for _ in range(6):
            point = tuple(draw.randrange(16) for _ in range(3))
            try:
                inside = all(holds(k, point) for k in hull.constraints())
            except AssertionError:  # nothing is in the empty set
                inside = False
            assert hull.join(point) is not inside


# ------------------------------------------------------------------------- constraints as formulas


def holds(constraint: Constraint, numbers: tuple[int, ...]) -> bool:
    value = dot(constraint.coefficients, numbers)
    match constraint:
        case Equation(_, constant):
            return value == constant
        case AtMost(_, constant):
            return value <= constant
        case Congruent(_, modulus, remainder):
            return value % modulus == remainder


def drawn(draw: random.Random, size: int) -> Constraint:
    coefficients = tuple(draw.choice((-3, -1, 0, 1, 2)) for _ in range(size))
    constant = draw.randint(-400, 400)
    return draw.choice(
        (
            Equation(coefficients, constant),
            AtMost(coefficients, constant),
            Congruent(coefficients, 3, constant % 3),
            Congruent(coefficients, 40, constant % 40),
        )
    )


def test_formulas_say_over_bytes_what_constraints_say_over_integers() -> None:
    draw = random.Random(2)
    features = [Feature(a, SIGNED), Feature(b, UNSIGNED), Feature(c, SIGNED)]
    numbers = [number(f, [a, b, c]) for f in features]
    for _ in range(300):
        constraint = drawn(draw, 3)
        truth = compile_term(formula(constraint, features), [a, b, c])
        for _ in range(40):
            point = tuple(draw.choice((0, 1, 127, 128, 255, draw.randrange(256))) for _ in "abc")
            values = tuple(value(point) for value in numbers)
            assert bool(truth(point)) == holds(constraint, values), (constraint, point)


def test_equations_modulo_powers_of_two_of_few_bits() -> None:
    features = [Feature(a, UNSIGNED), Feature(b, UNSIGNED)]
    constraint = Congruent((1, -3), 4, 3)
    truth = compile_term(formula(constraint, features), [a, b])
    for point in itertools.product(range(0, 256, 5), range(0, 256, 7)):
        assert bool(truth(point)) == holds(constraint, point)


def test_comparisons_are_differences_as_if_nothing_wrapped() -> None:
    (form,) = differences(terms.bv("bvult", plus(x, -1), y))
    assert form.coefficients == {Feature(x, UNSIGNED): 1, Feature(y, UNSIGNED): -1}
    assert form.constant == -1
    (wide,) = differences(terms.bv("bvsle", terms.bv_zext(a, 24), x))
    assert wide.coefficients == {Feature(a, UNSIGNED): 1, Feature(x, SIGNED): -1}
    assert len(differences(terms.eq(x, y))) == 2


# ------------------------------------------------------------------------------------------ proofs


def confirmed(example: HornSystem, model: Model) -> bool:
    return check_model(example, model, finder=Solver.Z3, deadline=Deadline.after(SECONDS)).ok


def proof(example: HornSystem) -> Model:
    *_, last = improving(example, Deadline.after(SECONDS))
    assert last.proof is not None
    checked = check_model(example, last.proof, finder=last.finder, deadline=Deadline.after(SECONDS))
    assert checked.ok, checked.reason
    return last.proof


def climbing(limit: int, less: str) -> HornSystem:
    """`for (x = 0, y = n; x < n; x++, y--, z += 2); assert(y == 0 && z == 2 n)`; `n <= limit`"""
    wrong = terms.or_(
        [terms.not_(terms.eq(y, word(0))), terms.not_(terms.eq(z, terms.bv("bvadd", x, x)))]
    )
    n = terms.symbol("n.word", WORD)
    names = [n, x, y, z]
    return system(
        [relation("loop", WORD, WORD, WORD, WORD)],
        (
            (),
            terms.bv("bvule", n, word(limit)),
            atom("loop", n, word(0), n, word(0)),
        ),
        (
            (atom("loop", *names),),
            terms.bv(less, x, n),
            atom("loop", n, plus(x, 1), plus(y, -1), plus(z, 2)),
        ),
        ((atom("loop", *names),), terms.and_([terms.not_(terms.bv(less, x, n)), wrong]), query()),
    )


@pytest.mark.full
@pytest.mark.parametrize(("limit", "less"), [(2**31 - 1, "bvslt"), (2**32 - 1, "bvult")])
def test_a_sum_that_is_kept_though_the_last_counter_wraps(limit: int, less: str) -> None:
    proof(climbing(limit, less))


def test_an_odd_number_stays_odd_when_it_wraps() -> None:
    odd = terms.eq(terms.bv("bvand", x, word(1)), word(1))
    proof(
        system(
            [relation("loop", WORD)],
            ((), TRUE, atom("loop", word(1))),
            ((atom("loop", x),), TRUE, atom("loop", plus(x, 6))),
            ((atom("loop", x),), terms.not_(odd), query()),
        )
    )


def test_remainders_that_the_program_asks_for() -> None:
    """`for (x = 0; x < 900; x += 3); assert(x % 3 == 0)`, with sign"""
    three, zero = word(3), word(0)
    proof(
        system(
            [relation("loop", WORD)],
            ((), TRUE, atom("loop", zero)),
            ((atom("loop", x),), terms.bv("bvslt", x, word(900)), atom("loop", plus(x, 3))),
            ((atom("loop", x),), terms.not_(terms.eq(terms.bv("bvsrem", x, three), zero)), query()),
        )
    )


def test_the_first_level_takes_a_moment() -> None:
    example = climbing(1000, "bvslt")
    began = time.process_time()
    model = Fixpoint(example, spaces(example, Level(), {}), {}, time.monotonic() + SECONDS).run()
    assert time.process_time() - began < 1.0
    assert model.interpretations["loop"] is not TRUE


BITS = [e for e in EXAMPLES if e.safe and e.system.relations and "byte" in e.name]


@pytest.mark.parametrize("example", BITS, ids=lambda e: e.name)
def test_invariants_of_all_levels_are_inductive(example: Example) -> None:
    given: dict[str, Term] = {}
    rules = tuple(r for r in example.system.rules if r not in example.system.queries)
    claim = HornSystem(example.system.relations, rules)
    for level in levels(example.system):
        until = time.monotonic() + SECONDS
        model = Fixpoint(example.system, spaces(example.system, level, given), given, until).run()
        given = {
            name: terms.and_([given.get(name, TRUE), f])
            for name, f in model.interpretations.items()
        }
        assert confirmed(claim, Model(given))


@pytest.mark.full
@pytest.mark.parametrize("engine", [KInduction(), Strengthened(Spacer(GLOBAL))], ids=str)
def test_engines_use_them(engine: Engine) -> None:
    example = climbing(2**31 - 1, "bvslt")
    verdict = engine.solve(example, Budget(Deadline.after(SECONDS)))
    assert isinstance(verdict, Safe), verdict
    checked = check_proof(
        example, verdict.proof, finder=verdict.finder, deadline=Deadline.after(SECONDS)
    )
    assert checked.ok, checked.reason
