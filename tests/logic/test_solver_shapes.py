"""Answers of solvers in shapes that were not asked for: a reason, never an exception or a guess."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import pytest
import z3
from horn_examples import atom, number, query, relation, system

from seahorn_py.engines.boolean.slam import Loop
from seahorn_py.engines.conclusion import Limit
from seahorn_py.engines.refinement.derivation import Derivation, DerivationStep, Formulas
from seahorn_py.engines.refinement.horn_interpolants import HornInterpolation
from seahorn_py.engines.refinement.reachability import Node
from seahorn_py.engines.refinement.skeleton import Problem
from seahorn_py.engines.refinement.strategies.tree_interpolants import TreeInterpolants
from seahorn_py.engines.refinement.text_interpolants import TextInterpolation
from seahorn_py.engines.spacer.border import print_system, problem
from seahorn_py.horn.system import HornSystem
from seahorn_py.logic.interpolation import interpolation_child
from seahorn_py.logic.interpolation.interpolation import Backend
from seahorn_py.logic.interpolation.interpolation_child import answer
from seahorn_py.logic.solvers.spacer.answer import Unreadable, definitions, formula_of
from seahorn_py.logic.solvers.spacer.spacer_child import solve
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import BOOL, INT
from seahorn_py.options import Semantics
from seahorn_py.processes.deadline import Deadline

SECONDS = 30.0
DECLARED = "(declare-fun r (Int Int) Bool)(declare-fun s () Bool)(declare-fun t (Bool) Bool)"
A, B, P = z3.Int("a"), z3.Int("b"), z3.Bool("p")
R = z3.Function("r", z3.IntSort(), z3.IntSort(), z3.BoolSort())(A, B)
S = z3.Function("s", z3.BoolSort())()
T = z3.Function("t", z3.BoolSort(), z3.BoolSort())(P)


def of(text: str, at: Any = R) -> Any:
    """What an answer says of an atom."""
    (read,) = z3.parse_smt2_string(f"{DECLARED}(assert {text})")
    return formula_of(definitions(read), at)


@pytest.mark.parametrize(
    ("text", "at", "wanted"),
    [
        ("(forall ((x Int)(y Int)) (= (r x y) (< x y)))", R, A < B),
        ("(forall ((x Int)(y Int)) (= (r y x) (< x y)))", R, B < A),
        ("(forall ((x Int)(y Int)) (= (< x y) (r x y)))", R, A < B),
        ("(forall ((x Int)(y Int)) (r x y))", R, z3.BoolVal(True)),
        ("(forall ((x Int)(y Int)) (not (r x y)))", R, z3.BoolVal(False)),
        ("(forall ((x Int)) (forall ((y Int)) (= (r x y) (< x y))))", R, A < B),
        ("(forall ((x Int)(n Int)(y Int)) (= (r x y) (< x y)))", R, A < B),
        ("(forall ((n Int)(x Int)(m Bool)(y Int)) (= (r x y) (< x y)))", R, A < B),
        ("(forall ((q Bool)) (= (t q) q))", T, P),
        ("(forall ((q Bool)) (= q (t q)))", T, P),
        ("(forall ((q Bool)) (not (t q)))", T, z3.BoolVal(False)),
        ("s", S, z3.BoolVal(True)),
        ("(not s)", S, z3.BoolVal(False)),
        ("(= s false)", S, z3.BoolVal(False)),
        ("(and s (and (not (t true)) (forall ((x Int)(y Int)) (r x y))))", R, z3.BoolVal(True)),
        ("(= s false)", R, z3.BoolVal(True)),
        ("true", S, z3.BoolVal(True)),
    ],
)
def test_what_spacer_says_is_read_in_every_shape(text: str, at: Any, wanted: Any) -> None:
    assert of(text, at).eq(wanted)


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("(forall ((x Int)) (= (r x x) (< x 0)))", R),
        ("(forall ((x Int)) (= (r x 0) (< x 0)))", R),
        ("(forall ((x Int)) (= (r 0 x) true))", R),
        ("(not (t true))", T),
        ("(forall ((x Int)(y Int)(n Int)) (= (r x y) (< x n)))", R),
        ("(forall ((n Int)(x Int)(y Int)) (= (r x y) (< n y)))", R),
        ("(forall ((n Bool)(q Bool)) (= (t q) n))", T),
        (
            "(forall ((x Int)(y Int)) (= (r x y) true))",
            z3.Function("r", z3.BoolSort(), z3.BoolSort())(P),
        ),
        ("(forall ((x Int)(y Int)) (= (r x y) true))", z3.Function("r", z3.BoolSort())()),
        ("(forall ((q Bool)) (= (t q) q))", z3.Function("t", z3.IntSort(), z3.BoolSort())(A)),
        ("(or s (not s))", S),
        ("(=> s (forall ((q Bool)) (t q)))", S),
        ("(exists ((q Bool)) (= (t q) q))", T),
        ("(and s (not s))", S),
        ("(and (forall ((q Bool)) (t q)) (forall ((q Bool)) (= (t q) q)))", T),
        ("false", S),
    ],
)
def test_what_does_not_say_all_of_a_relation_is_refused(text: str, at: Any) -> None:
    with pytest.raises(Unreadable):
        of(text, at)


# --------------------------------------------------------------------------------- whole questions

X = terms.symbol("shapes.x", INT)


def chain(*sorts: terms.Sort) -> tuple[HornSystem, Derivation]:
    """`x = 0` of a relation, which a query denies; with further parameters that are arbitrary."""
    more = tuple(terms.symbol(f"shapes.{k}.{s}", s) for k, s in enumerate(sorts))
    made = system(
        [relation("at", INT, *sorts)],
        ((), terms.TRUE, atom("at", number(0), *more)),
        ((atom("at", X, *more),), terms.eq(X, number(1)), query()),
    )
    first = Node(0, "at", frozenset(), made.rules[0], ())
    last = Node(1, "", frozenset(), made.rules[1], (first,))
    return made, Derivation((DerivationStep(first, ()), DerivationStep(last, (0,))))


def until() -> float:
    return time.monotonic() + SECONDS


ODD = (
    "(forall ((x Int)) (= (r!0 x x) true))",
    "(forall ((x Int)(n Int)) (= (r!0 x) (< n x)))",
    "(or (r!0 0) (r!0 1))",
    "(= (r!0 0) true)",
)


@pytest.fixture(params=ODD)
def odd(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Spacer answers that."""

    def said(engine: Any) -> Any:
        arity = 2 if "x x" in request.param else 1
        declared = f"(declare-fun r!0 ({'Int ' * arity}) Bool)"
        return z3.parse_smt2_string(f"{declared}(assert {request.param})", ctx=engine.ctx)[0]

    monkeypatch.setattr(z3.Fixedpoint, "get_answer", said)
    return str(request.param)


def test_interpolants_of_a_derivation_that_cannot_be_read(odd: str) -> None:
    made, steps = chain()
    found = HornInterpolation(Formulas(made)).ask(steps, until(), SECONDS)
    assert isinstance(found, str), odd
    assert found.startswith("Spacer: its answer cannot be read: ")


def test_interpolants_of_formulas_that_cannot_be_read(odd: str) -> None:
    request = {
        "backend": "spacer",
        "symbols": {"x": "Int"},
        "formulas": ["(= x 0)", "(= x 1)"],
        "parents": [1],
        "shared": [["x"]],
        "seconds": SECONDS,
    }
    reply = json.loads(answer(json.dumps(request)))
    assert reply["answer"] == "none", odd
    assert reply["reason"].startswith("its answer cannot be read: ")


def test_a_model_that_cannot_be_read(odd: str) -> None:
    made, _ = chain()
    reply = json.loads(solve(problem(made, print_system(made), {})))
    assert reply["answer"] == "unknown", odd
    assert reply["reason"].startswith("model could not be read: ")


@pytest.mark.parametrize("sorts", [(), (BOOL,), (BOOL, INT, terms.bv_sort(1))])
def test_real_answers_are_read(sorts: tuple[terms.Sort, ...]) -> None:
    made, steps = chain(*sorts)
    found = HornInterpolation(Formulas(made)).ask(steps, until(), SECONDS)
    assert not isinstance(found, str)
    (formula,) = found
    assert terms.free_symbols(formula) == {made.relations["at"].symbols[0]}


# ----------------------------------------------------------------------- the number of interpolants

TEXTS = (["true"], ["true", "true"], ["true", "true", "true"], [])


def giving(texts: list[str]) -> Callable[[object], list[str]]:
    return lambda _: list(texts)


@pytest.mark.parametrize("texts", TEXTS)
@pytest.mark.parametrize("backend", list(Backend))
def test_the_number_of_interpolants_is_that_of_the_formulas(
    texts: list[str], backend: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(interpolation_child._BACKENDS, backend.value, giving(texts))  # type: ignore[arg-type]
    request = {
        "backend": backend.value,
        "symbols": {},
        "formulas": ["true"] * (len(texts) + 2),
        "parents": list(range(1, len(texts) + 2)),
        "shared": [[]] * (len(texts) + 1),
        "seconds": SECONDS,
    }
    wrong = f"{len(texts)} interpolants instead of {len(texts) + 1}"
    assert json.loads(answer(json.dumps(request))) == {"answer": "none", "reason": wrong}


@pytest.mark.parametrize("texts", [[], ["true", "true"], ["true"] * 3])
def test_another_solver_is_asked_where_a_number_is_wrong(
    texts: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(interpolation_child._BACKENDS, "bitwuzla", giving(texts))  # type: ignore[arg-type]
    made, steps = chain()
    formulas = Formulas(made)
    text = TextInterpolation(formulas, Backend.BITWUZLA)
    wrong = f"bitwuzla: {len(texts)} interpolants instead of 1"
    assert text.ask(steps, until(), SECONDS) == wrong
    assert text.cut(steps, 0, until(), SECONDS) == wrong
    (formula,) = TreeInterpolants(HornInterpolation(formulas), (text,)).ask(steps, until())
    assert terms.free_symbols(formula) == set(made.relations["at"].symbols)


@pytest.mark.parametrize("text", ["1", "f!0!0", "(+ f!0!0 1)"])
def test_an_interpolant_that_is_no_formula(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(interpolation_child._BACKENDS, "bitwuzla", giving([text]))  # type: ignore[arg-type]
    made, steps = chain()
    found = TextInterpolation(Formulas(made), Backend.BITWUZLA).ask(steps, until(), SECONDS)
    assert found == "bitwuzla's interpolant is no formula"


@pytest.mark.parametrize("texts", [[], ["true", "true"], ["true"] * 3])
def test_pairs_of_a_tree_have_one_interpolant(
    texts: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(interpolation_child, "_bitwuzla_interpolants", lambda *_: list(texts))
    request = {
        "backend": "bitwuzla",
        "symbols": {"p": "Bool"},
        "formulas": ["p", "p", "(not p)"],
        "parents": [2, 2],
        "shared": [["p"], ["p"]],
        "seconds": SECONDS,
    }
    reply = json.loads(answer(json.dumps(request)))
    assert reply == {"answer": "none", "reason": f"{len(texts)} interpolants instead of 1"}


# ------------------------------------------------------------------------------ one step, no facts


@pytest.mark.parametrize("backend", list(Backend))
@pytest.mark.parametrize("formula", ["false", "(and p (not p))", "(distinct p p)"])
def test_one_formula_has_no_interpolants(backend: Backend, formula: str) -> None:
    request = {
        "backend": backend.value,
        "symbols": {"p": "Bool"},
        "formulas": [formula],
        "parents": [],
        "shared": [],
        "seconds": SECONDS,
    }
    assert json.loads(answer(json.dumps(request))) == {"answer": "found", "interpolants": []}


@pytest.mark.parametrize(
    "constraint", [terms.FALSE, terms.lt(X, X), terms.eq(number(0), number(1))]
)
def test_a_query_without_facts_that_is_impossible_teaches_nothing(constraint: terms.Term) -> None:
    made = system([relation("at", INT)], ((), constraint, query()))
    steps = Derivation((DerivationStep(Node(0, "", frozenset(), made.rules[0], ()), ()),))
    problem = Problem(made, Deadline.after(SECONDS))
    learns = TreeInterpolants(HornInterpolation(problem.formulas))
    assert problem.feasible(steps) is None
    loop = Loop(problem, Semantics.OVER, learns)
    assert loop.refine(steps) == Limit("refinement without progress")
