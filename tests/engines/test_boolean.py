"""The engine `boolean`: abstraction, the three semantics, the loop, programs as text."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from pathlib import Path

import pytest
from horn_examples import atom as made
from horn_examples import counter, fibonacci, mccarthy, number, query, relation, system, variables

from seahorn_py.engines.boolean.abstraction import Abstraction
from seahorn_py.engines.boolean.bebop import read_program
from seahorn_py.engines.boolean.boolean import BooleanPrograms
from seahorn_py.engines.boolean.expressions import TRUE
from seahorn_py.engines.boolean.flow import rules_of
from seahorn_py.engines.boolean.printing import print_expression, print_program
from seahorn_py.engines.boolean.reachability import Reached, explore
from seahorn_py.engines.boolean.rendering import rendered
from seahorn_py.engines.boolean.shape import Shape
from seahorn_py.engines.boolean.slam import Loop
from seahorn_py.engines.boolean.strengthening import Cube, strengthening
from seahorn_py.engines.conclusion import Limit, Proved
from seahorn_py.engines.engine import Budget
from seahorn_py.engines.refinement.configuration import Configuration
from seahorn_py.engines.refinement.derivation import Derivation
from seahorn_py.engines.refinement.precision import Precision
from seahorn_py.engines.refinement.skeleton import Problem
from seahorn_py.engines.refinement.strategies.choice import strategy
from seahorn_py.horn.checking.proofs import check_proof
from seahorn_py.horn.checking.refutations import check_refutation
from seahorn_py.horn.system import HornSystem
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import INT, Term
from seahorn_py.options import Semantics
from seahorn_py.processes import child
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Safe, Unknown, Unsafe
from seahorn_py.rip.encoding import encode
from seahorn_py.rip.parsing import read, read_file

pytestmark = pytest.mark.grows

SECONDS = 250.0
SWAP = Path(__file__).parent.parent.parent / "rip_examples" / "swap_safe.rip"
LECTURE = (SWAP.parent / "lecture_safe.rip").read_text()


def swap() -> HornSystem:
    return encode(read_file(SWAP))


def loop_of(horn: HornSystem, semantics: Semantics = Semantics.OVER) -> Loop:
    problem = Problem(horn, Deadline.after(SECONDS))
    return Loop(problem, semantics, strategy(Configuration(), problem))


def everywhere(horn: HornSystem, **bounds: tuple[str, int]) -> Precision:
    """Predicates of program variables at all relations, as those of the paper are global."""
    found = []
    for name, one in horn.relations.items():
        suffix = "@entry" if name.endswith(".entry") else ""
        for variable, (kind, bound) in bounds.items():
            for parameter in one.parameters:
                if parameter.c_name == variable + suffix:
                    sides = parameter.symbol, number(bound)
                    compared = terms.le(*sides) if kind == "<=" else terms.le(*reversed(sides))
                    found.append((name, compared))
    return Precision().plus(found)


def program_lines(horn: HornSystem, precision: Precision) -> list[str]:
    whole = Shape(horn).with_entries(precision)
    rules = Abstraction(horn, Solver.Z3, Semantics.OVER, Deadline.after(SECONDS).at).rules(whole)
    text = print_program(rendered(horn, whole, rules))
    return [line.partition("//")[0].strip() for line in text.splitlines()]


# ---------------------------------------------------------------------------------- strengthening


def weakest(count: int, phi: Iterable[int]) -> list[Cube]:
    """F of a set of valuations."""
    wanted = set(phi)
    counterexamples: list[int] = []

    def ask(cube: Cube) -> bool:
        wrong = [v for v in range(1 << count) if cube.has(v) and v not in wanted]
        counterexamples.extend(wrong[:1])
        return not wrong

    return strengthening(range(count), ask, counterexamples)


@pytest.mark.parametrize("truth", range(0, 256, 7))
def test_f_of_a_formula_over_the_variables_is_the_formula(truth: int) -> None:
    phi = [v for v in range(8) if truth >> v & 1]
    cubes = weakest(3, phi)
    assert [v for v in range(8) if any(c.has(v) for c in cubes)] == phi
    for one, other in product(cubes, repeat=2):
        assert one is other or not one.covers(other)


def test_f_asks_no_cube_that_a_known_model_is_in() -> None:
    asked = []

    def ask(cube: Cube) -> bool:
        asked.append(cube)
        return True

    assert strengthening([0, 1], ask, [0b00]) == [Cube(0b01, 0), Cube(0b10, 0)]
    assert asked == [Cube(0b01, 0), Cube(0b10, 0)]


# ------------------------------------------------------------------------------- the paper's swap


def test_the_abstraction_of_the_paper() -> None:
    """Listing 2: the predicates x <= 5 and y >= 13, the latter as the negation of y <= 12."""
    horn = swap()
    lines = program_lines(horn, everywhere(horn, x=("<=", 5), y=(">=", 13)))
    for expected in (
        "{x <= 5}, {y <= 12} := 1, 0;",
        "{x <= 5} := choose(0, !{x <= 5} & !{y <= 12});",
        "{y <= 12} := choose({x <= 5} & !{y <= 12}, 0);",
        "{x <= 5} := choose({x <= 5} & !{y <= 12}, 0);",
        "assume(!({x <= 5} & !{y <= 12}));",
    ):
        assert expected in lines


def test_the_program_of_the_paper_is_proved_from_its_predicates() -> None:
    horn = swap()
    loop = loop_of(horn)
    conclusion = loop.run(everywhere(horn, x=("<=", 5), y=(">=", 13)))
    assert isinstance(conclusion, Proved)
    assert 1 <= loop.progress.rounds <= 3
    checked = check_proof(
        horn, conclusion.proof, finder=Solver.Z3, deadline=Deadline.after(SECONDS)
    )
    assert checked.ok, checked.reason
    differences = {
        symbol
        for name in horn.relations
        if name.startswith("swap.")
        for predicate in loop.precision.of(name)
        for symbol in [frozenset(str(s) for s in terms.free_symbols(predicate))]
    }
    assert frozenset({"swap.x", "swap.y"}) in differences  # what relates both is learnt


# ------------------------------------------------------------------------ the lecture's semantics


def test_the_running_example_of_the_lecture_needs_one_predicate() -> None:
    horn = encode(read(LECTURE, "lecture.rip"))
    precision = everywhere(horn, y=("<=", 2))
    for semantics in (Semantics.OVER, Semantics.BELNAP):
        loop = loop_of(horn, semantics)
        assert isinstance(loop.run(precision), Proved)
        assert loop.progress.rounds == 0
    under = loop_of(horn, Semantics.UNDER).run(precision)
    assert isinstance(under, Limit)
    assert "proves nothing" in under.reason


def test_the_lecture_abstracts_its_loop_as_it_says() -> None:
    horn = encode(read(LECTURE, "lecture.rip"))
    assert "{y <= 2} := choose({y <= 2}, 0);" in program_lines(horn, everywhere(horn, y=("<=", 2)))


def guard_of(constraint: Term, argument: Term) -> str:
    """The guard of a query from `R(argument)` with the predicate `p <= 5`, for all semantics."""
    horn = system([relation("R", INT)], ((made("R", argument),), constraint, query()))
    (symbol,) = horn.relations["R"].symbols
    precision = Precision().plus([("R", terms.le(symbol, number(5)))])
    until = Deadline.after(SECONDS).at
    rules = Abstraction(horn, Solver.Z3, Semantics.BELNAP, until).rules(precision)
    return print_expression(rules.rules[0].guard)


def test_a_rule_is_taken_for_sure_where_some_inputs_allow_it() -> None:
    x, y = variables("x y")
    assert guard_of(terms.lt(x, y), x) == "1"
    assert guard_of(terms.le(x, number(5)), x) == "b0.0"
    assert guard_of(terms.le(x, number(3)), x) == "choose(0, !b0.0)"
    assert guard_of(terms.le(number(6), x), terms.plus(x, number(1))) == "choose(0, b0.0)"
    assert guard_of(terms.TRUE, number(9)) == "choose(0, b0.0)"


def test_states_that_contradict_themselves_are_excluded_and_make_nothing_sure() -> None:
    x, _ = variables("x y")
    horn = system([relation("R", INT)], ((made("R", x),), terms.eq(x, number(9)), query()))
    (symbol,) = horn.relations["R"].symbols
    bounds = [("R", terms.le(symbol, number(bound))) for bound in (1, 2)]
    until = Deadline.after(SECONDS).at
    rules = Abstraction(horn, Solver.Z3, Semantics.BELNAP, until).rules(Precision().plus(bounds))
    assert print_expression(rules.locations[0].enforce) == "!(b0.0 & !b0.1)"
    assert print_expression(rules.rules[0].guard) == "choose(0, b0.0 | b0.1)"


# ----------------------------------------------------------------------------- programs as texts


def nonlinear(horn: HornSystem, *bounds: int) -> Precision:
    return Precision().plus(
        (name, terms.le(symbol, number(bound)))
        for name, one in horn.relations.items()
        for symbol in one.symbols
        for bound in bounds
    )


@pytest.mark.parametrize(
    ("horn", "bounds"),
    [
        (counter(3, 4), (2,)),
        (counter(3, 4), (2, 3)),
        pytest.param(mccarthy(92), (100,), marks=pytest.mark.full),
        pytest.param(fibonacci(3, 2), (1,), marks=pytest.mark.full),
        (fibonacci(1, 2), (0, 1)),
    ],
)
def test_the_text_of_an_abstraction_means_the_same(horn: HornSystem, bounds: tuple[int]) -> None:
    precision = Shape(horn).with_entries(nonlinear(horn, *bounds))
    until = Deadline.after(SECONDS).at
    rules = Abstraction(horn, Solver.Z3, Semantics.OVER, until).rules(precision)
    text = print_program(rendered(horn, precision, rules))
    again = rules_of(read_program(text, "a.bp"), "a.bp")
    assert isinstance(explore(again).conclusion, Reached) is isinstance(
        explore(rules).conclusion, Reached
    )


# ---------------------------------------------------------------------------------------- the loop


class Ignorant:
    """A strategy that always learns the same."""

    def learn(self, of: Derivation, until: float) -> dict[int, tuple[Term, ...]]:
        relation = of.steps[0].node.relation
        assert relation == "loop"
        (symbol,) = counter(3, 4).relations["loop"].symbols
        return {0: (terms.le(symbol, number(7)),)}


def test_refinement_without_progress_is_reported_with_the_predicates() -> None:
    horn = counter(3, 4)
    loop = Loop(Problem(horn, Deadline.after(SECONDS)), Semantics.OVER, Ignorant())
    conclusion = loop.run(Precision())
    assert isinstance(conclusion, Limit)
    assert "refinement without progress" in conclusion.reason
    assert "<= 7" in conclusion.reason


@pytest.mark.parametrize("semantics", list(Semantics))
@pytest.mark.parametrize(
    ("error_at", "is_safe"), [(4, True), pytest.param(3, False, marks=pytest.mark.full)]
)
def test_what_each_semantics_concludes(semantics: Semantics, error_at: int, is_safe: bool) -> None:
    horn = counter(3, error_at)
    verdict = BooleanPrograms(semantics).solve(horn, Budget(Deadline.after(SECONDS)))
    deadline = Deadline.after(SECONDS)
    match verdict:
        case Safe(proof, finder):
            assert is_safe
            assert semantics is not Semantics.UNDER
            assert check_proof(horn, proof, finder=finder, deadline=deadline).ok
        case Unsafe(refutation):
            assert not is_safe
            assert check_refutation(horn, refutation, deadline).ok
        case Unknown(reason=reason):
            assert semantics is Semantics.UNDER, reason
            assert is_safe, reason


def test_files_of_predicates_and_of_the_program(tmp_path: Path) -> None:
    horn, program = counter(3, 4), tmp_path / "last.bp"
    engine = BooleanPrograms(precision=tmp_path / "predicates.json", program=program)
    for _ in range(2):
        assert isinstance(engine.solve(horn, Budget(Deadline.after(SECONDS))), Safe)
    first, second = program.read_text().split("// integers, after ")[1:]
    assert not first.startswith("0 refinements")
    assert second.startswith("0 refinements")
    rules = rules_of(read_program(second.partition("\n")[2], "last.bp"))
    assert not isinstance(explore(rules).conclusion, Reached)


def test_diagrams_leave_no_threads_behind() -> None:
    before = child.threads()
    rules = rules_of(read_program("void main() begin assert(1); end", "a.bp"))
    assert rules.rules[0].guard == TRUE
    explore(rules)
    deadline = Deadline.after(5)
    while child.threads() > before and deadline.remaining:
        pass
    assert child.threads() <= before
