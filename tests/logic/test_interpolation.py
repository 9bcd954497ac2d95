"""Interpolants: pairs, sequences and trees; each backend, what is refused, and the limits."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from seahorn_py.base.errors import InternalError
from seahorn_py.logic.interpolation.check import Problem, refusal
from seahorn_py.logic.interpolation.interpolation import (
    Backend,
    Interpolants,
    NotFound,
    Satisfiable,
    Theory,
    interpolant,
    sequence,
    theory_of,
    tree,
)
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.logic.solvers.solvers import Status, check_unsat, script_of
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.folding import folded
from seahorn_py.logic.terms.terms import BOOL, INT, Sort, Term, array_sort, bv_sort
from seahorn_py.logic.text.smtlib import parse_term
from seahorn_py.processes.deadline import Deadline

SECONDS = 30.0
BYTE = bv_sort(8)


def symbols(names: str, sort: Sort) -> dict[str, Term]:
    return {name: terms.symbol(f"itp.{name}.{sort}", sort) for name in names.split()}


INTEGERS = symbols("x0 x1 x2 y0 y1 y2", INT)
BYTES = symbols("a0 a1 a2 b0", BYTE)
BOOLS = symbols("p q r", BOOL)
ARRAYS = symbols("m n", array_sort(INT, INT)) | symbols("i j", INT)
NAMES = INTEGERS | BYTES | BOOLS | ARRAYS


def read(*texts: str) -> list[Term]:
    return [parse_term(text, NAMES) for text in texts]


def valid(premises: Sequence[Term], goal: Term) -> bool:
    script = script_of([*premises, terms.not_(goal)])
    return check_unsat(script, Solver.CVC5, Deadline.after(SECONDS)).status is Status.UNSAT


def soon() -> Deadline:
    return Deadline.after(SECONDS)


COUNTERS = read(
    "(and (= x0 0) (= y0 0))",
    "(and (= x1 (+ x0 1)) (= y1 (+ y0 1)))",
    "(and (= x2 (+ x1 1)) (= y2 (+ y1 1)))",
    "(not (= x2 y2))",
)
EVEN = read("(= a0 #x00)", "(= a1 (bvadd a0 #x02))", "(= ((_ extract 0 0) a1) #b1)")
TREE = read("(> x0 0)", "(> y0 0)", "(= x1 (+ x0 y0))", "(< x1 1)")
"""Both leaves hang on the third formula."""


@pytest.mark.parametrize("backend", [Backend.SPACER, Backend.CVC5])
def test_a_sequence_of_integers(backend: Backend) -> None:
    found = sequence(COUNTERS, soon(), [backend])
    assert isinstance(found, Interpolants), found
    first, second, third = found.formulas
    assert valid(COUNTERS[:1], first)
    assert valid([first, COUNTERS[1]], second)
    assert valid([second, COUNTERS[2]], third)
    assert valid([third, COUNTERS[3]], terms.FALSE)
    assert terms.free_symbols(second) <= {INTEGERS["x1"], INTEGERS["y1"]}
    assert found.finder is backend.solver
    assert found.checkers == (Solver.CVC5 if backend is Backend.SPACER else Solver.Z3,)


@pytest.mark.parametrize("backend", list(Backend))
def test_a_sequence_of_bit_vectors(backend: Backend) -> None:
    found = sequence(EVEN, soon(), [backend])
    assert isinstance(found, Interpolants), found
    assert backend.solver not in found.checkers
    first, second = found.formulas
    assert valid(EVEN[:1], first)
    assert valid([second, EVEN[2]], terms.FALSE)


@pytest.mark.parametrize("backend", [Backend.SPACER, Backend.CVC5])
def test_a_tree(backend: Backend) -> None:
    found = tree(TREE, [2, 2, 3], soon(), [backend])
    assert isinstance(found, Interpolants), found
    left, right, both = found.formulas
    assert valid([left, right, TREE[2]], both)
    assert valid([both, TREE[3]], terms.FALSE)
    assert terms.free_symbols(left) <= {INTEGERS["x0"]}
    assert terms.free_symbols(right) <= {INTEGERS["y0"]}
    assert terms.free_symbols(both) <= {INTEGERS["x1"]}


def test_a_tree_of_bit_vectors_is_split_into_pairs() -> None:
    formulas = read("(bvult a0 #x10)", "(bvult b0 #x10)", "(= a1 (bvadd a0 b0))", "(bvugt a1 #x40)")
    found = tree(formulas, [2, 2, 3], soon(), [Backend.BITWUZLA])
    assert isinstance(found, Interpolants), found
    assert terms.free_symbols(found.formulas[2]) <= {BYTES["a1"]}


def test_booleans_share_one_symbol() -> None:
    a, b = read("(and p (=> p q))", "(and (=> q r) (not r))")
    found = interpolant(a, b, soon())
    assert isinstance(found, Interpolants), found
    assert terms.free_symbols(found.formulas[0]) == {BOOLS["q"]}


def test_arrays() -> None:
    a, b = read("(and (= n (store m i 7)) (= j i))", "(= (select n j) 3)")
    found = interpolant(a, b, soon())
    assert isinstance(found, Interpolants), found
    assert terms.free_symbols(found.formulas[0]) <= {ARRAYS["n"], ARRAYS["j"]}


def test_nothing_shared() -> None:
    assert not valid([], _one("(< x0 x0)", "(> y0 0)"))
    assert valid([], _one("(< x0 0)", "(< y0 y0)"))


def _one(a: str, b: str) -> Term:
    found = interpolant(*read(a, b), soon())
    assert isinstance(found, Interpolants), found
    assert not terms.free_symbols(found.formulas[0])
    return found.formulas[0]


@pytest.mark.parametrize("backend", list(Backend))
def test_formulas_that_have_a_model(backend: Backend) -> None:
    a, b = read("(bvult a0 #x10)", "(bvugt a0 #x08)")
    assert interpolant(a, b, soon(), [backend]) == Satisfiable(backend.solver)


# -------------------------------------------------------------------------------------- refusals


def refused(*texts: str) -> str:
    """Why formulas are no interpolants of the counters."""
    problem = Problem(tuple(COUNTERS), (1, 2, 3))
    return refusal(problem, read(*texts), [Solver.CVC5], soon())[1]


def test_what_is_no_interpolant_is_refused() -> None:
    assert not refused("(= x0 y0)", "(= x1 y1)", "(= x2 y2)")
    assert "refutes" in refused("(= x0 y0)", "(= x1 y1)", "(<= x2 y2)")  # not strong enough
    assert "refutes" in refused("(= x0 y0)", "(= x1 7)", "(= x2 y2)")  # does not follow
    assert "not shared" in refused("(= x0 y0)", "(= x2 y1)", "(= x2 y2)")
    assert "instead of 3" in refused("(= x0 y0)")
    assert "no formula" in refused("(= x0 y0)", "x1", "(= x2 y2)")


def test_without_another_solver_nothing_is_confirmed() -> None:
    problem = Problem(tuple(EVEN), (1, 2))
    found = read("(= a0 #x00)", "(= a1 #x02)")
    assert "no other solver" in refusal(problem, found, [], soon())[1]


def test_a_solver_that_does_not_know_the_sorts_finds_nothing() -> None:
    found = sequence(COUNTERS, soon(), [Backend.BITWUZLA])
    assert isinstance(found, NotFound)
    assert "bitwuzla" in found.reason


def test_without_time_nothing_is_found() -> None:
    assert isinstance(sequence(COUNTERS, Deadline.after(0.0)), NotFound)


@pytest.mark.parametrize("parents", [[1, 2], [0, 2, 3], [1, 2, 4]])
def test_what_is_no_tree_is_an_error(parents: list[int]) -> None:
    with pytest.raises(InternalError):
        tree(COUNTERS, parents, soon())


# ------------------------------------------------------------------------------- theories, folding


def test_theories() -> None:
    assert theory_of(read("(and p q)")) is Theory.PROPOSITIONAL
    assert theory_of(COUNTERS) is Theory.NUMBERS
    assert theory_of(EVEN) is Theory.BITS
    assert theory_of(read("(= n m)")) is Theory.MIXED
    assert theory_of([*COUNTERS, *EVEN]) is Theory.MIXED
    bits = terms.symbol("itp.bits", array_sort(BYTE, BYTE))
    assert theory_of([terms.eq(terms.select(bits, BYTES["a0"]), BYTES["a1"])]) is Theory.BIT_ARRAYS


def test_constants_vanish() -> None:
    formula, result = read("(or (and p (< x0 y0)) (and (not p) q))", "(< 3 y0)")
    values = {BOOLS["p"]: terms.TRUE, INTEGERS["x0"]: terms.int_const(3)}
    assert folded(formula, values) is result
    assert folded(formula, values | {INTEGERS["y0"]: terms.int_const(3)}) is terms.FALSE
