"""Horn systems from formulas of pySMT and z3, and back; errors name the clause."""

from __future__ import annotations

from collections.abc import Callable
from io import StringIO
from typing import Any

import pytest
import z3
from horn_examples import EXAMPLES, Example
from pysmt.environment import Environment
from pysmt.shortcuts import GE, GT, LT, And, ForAll, Function, Implies, Int, Not, Plus, Symbol
from pysmt.smtlib.parser import SmtLibParser
from pysmt.typing import BOOL, INT, FunctionType

from seahorn_py.base.errors import InputError
from seahorn_py.horn import (
    Clauses,
    HornSystem,
    Model,
    check,
    in_pysmt,
    in_z3,
    instances,
    model_of,
    print_horn,
    read_horn,
    system_of,
)
from seahorn_py.horn.system import Query, Refutation, Step
from seahorn_py.logic.terms import terms

X, Y = z3.Ints("xc yc")
INV = z3.Function("inv_c", z3.IntSort(), z3.BoolSort())
REALS = z3.Function("inv_c", z3.RealSort(), z3.BoolSort())
OTHER = z3.Function("other", z3.IntSort(), z3.IntSort())
P = Symbol("inv_c", FunctionType(BOOL, [INT]))
V = Symbol("xc", INT)


def in_z3_terms(limit: int = 10) -> HornSystem:
    clauses = Clauses()
    clauses.rule(INV(0), name="start")
    clauses.rule(INV(X + 1), INV(X), X < 10, name="step")
    clauses.query(INV(X), limit < X, name="too far")
    return clauses.system()


def in_pysmt_terms() -> HornSystem:
    clauses = Clauses()
    clauses.rule(Function(P, [Int(0)]), name="start")
    clauses.rule(Function(P, [Plus(V, Int(1))]), Function(P, [V]), LT(V, Int(10)), name="step")
    clauses.query(Function(P, [V]), GT(V, Int(10)), name="too far")
    return clauses.system()


def test_both_libraries_write_the_same_system() -> None:
    assert in_z3_terms() == in_pysmt_terms()
    names = [rule.name for rule in in_z3_terms().rules]
    assert names == ["start", "step", "too far"]
    assert isinstance(in_z3_terms().rules[2].head, Query)


def test_closed_formulas() -> None:
    step = Implies(And(Function(P, [V]), LT(V, Int(10))), Function(P, [Plus(V, Int(1))]))
    system = system_of(
        {
            "start": INV(0),
            "step": ForAll([V], step),
            "too far": z3.ForAll([X], z3.Not(z3.And(INV(X), X > 10))),
        }
    )
    assert system == in_z3_terms()


def test_formulas_of_another_environment() -> None:
    manager = Environment().formula_manager
    function = manager.Symbol("inv_c", FunctionType(BOOL, [INT]))
    own = Clauses()
    own.rule(manager.Function(function, [manager.Int(0)]), name="start")
    assert own.system().rules == in_z3_terms().rules[:1]


READ = [e for e in EXAMPLES if " (mod " not in print_horn(e.system)][4:12:2]
"""pySMT reads no `mod`."""


@pytest.mark.parametrize("example", READ, ids=lambda e: e.name)
def test_a_text_that_other_libraries_read(example: Example) -> None:
    """What they make of it has as many rules over the same relations."""
    text = print_horn(example.system)
    text = text.replace("(set-logic HORN)\n", "")
    script = SmtLibParser().get_script(StringIO(text))
    asserted = [c.args[0] for c in script.filter_by_command_name("assert")]
    for formulas in (list(z3.parse_smt2_string(text)), asserted):
        found = system_of(
            formulas, [n for n, r in example.system.relations.items() if not r.parameters]
        )
        assert len(found.rules) == len(example.system.rules)
        sorts = {r.name: [p.sort for p in r.parameters] for r in found.relations.values()}
        known = read_horn(text, "t").relations.values()
        assert sorts.items() <= {r.name: [p.sort for p in r.parameters] for r in known}.items()


WRONG: dict[str, tuple[Any, str]] = {
    "sorts": (lambda c: c.rule(REALS(z3.Real("r"))), "inv_c is a relation of (Int), not of (Real)"),
    "no head": (lambda c: c.rule(X > 5, INV(X)), "the head is no relation"),
    "negated": (lambda c: c.query(z3.Not(INV(X))), "inv_c is negated in the body of a query"),
    "two heads": (lambda c: c.add(z3.Or(INV(0), INV(1))), "more than one head: inv_c, inv_c"),
    "free": (lambda c: c.add(z3.Implies(INV(X), INV(X + 1))), "xc is free: quantify it"),
    "free, pySMT": (lambda c: c.add(Not(And(Function(P, [V]), GT(V, Int(3))))), "xc is free"),
    "a term": (lambda c: c.rule(INV(X), X + 1), "(+ xc 1) is no formula; its sort is Int"),
    "a function": (lambda c: c.rule(INV(OTHER(X))), "other is a function to Int"),
    "a text": (lambda c: c.rule(INV(X), "x > 5"), "expected a formula of z3 or pySMT"),
    "a sort": (lambda c: c.query(INV(z3.Length(z3.String("s")))), "unknown sort String"),
    "one name": (
        lambda c: c.rule(INV(X), z3.Real("xc") > 1),
        "xc has the sorts Int and Real",
    ),
    "captured": (
        lambda c: c.rule(
            INV(0), z3.substitute_vars(z3.ForAll([X], z3.Var(1, z3.IntSort()) < X), X)
        ),
        "xc is a constant and a variable",
    ),
    "universal": (lambda c: c.rule(INV(0), z3.ForAll([X], INV(X))), "no Horn clause"),
    "a name": (lambda c: c.rule(INV(z3.Int("a|b"))), "a|b: no name that SMT-LIB can write"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_said_with_the_name_of_the_clause(name: str) -> None:
    clauses = Clauses()
    clauses.relation("inv_c", INT)
    wrong, said = WRONG[name]
    with pytest.raises(InputError) as raised:
        wrong(clauses)
    assert str(raised.value).startswith("rule clause 1: ") and said in str(raised.value)
    assert clauses.system().rules == ()


def test_relations_by_sorts_of_any_library() -> None:
    clauses = Clauses()
    clauses.relation("a", INT, z3.IntSort(), "(Array Int Int)", z3.BitVecSort(8))
    clauses.relation("b")
    clauses.add(z3.Implies(z3.Bool("b"), z3.Bool("b")))
    (array,) = {
        p.sort for p in clauses.system().relations["a"].parameters if p.sort.is_array_type()
    }
    assert array == terms.array_sort(INT, INT)
    with pytest.raises(InputError, match="relation c: unknown sort Number"):
        clauses.relation("c", "Number")
    with pytest.raises(InputError, match=r"relation a: a is a relation of .*, not of \(\)"):
        clauses.relation("a")


def test_models_there_and_back() -> None:
    system = in_z3_terms()
    given = model_of(system, {"inv_c": ([V], And(GE(V, Int(0)), Not(GT(V, Int(10)))))})
    constants, formula = in_z3(system, given)["inv_c"]  # type: ignore[misc]
    assert model_of(system, {"inv_c": (constants, formula)}) == given
    symbols, term = in_pysmt(system, given)["inv_c"]
    assert model_of(system, {"inv_c": (symbols, term)}) == given
    assert in_z3(system, Model({}))["inv_c"][1].eq(z3.BoolVal(True))  # type: ignore[index]


def test_models_that_are_none() -> None:
    system = in_z3_terms()
    for formulas, said in (
        ({"on": ([X], X > 0)}, "model of on: there is no such relation"),
        ({"inv_c": ([X], Y > 0)}, "model of inv_c: yc is none of its parameters"),
        ({"inv_c": ([X, Y], Y > 0)}, "model of inv_c: 2 constants for 1 parameters"),
        ({"inv_c": ([z3.Real("xc")], X > 0)}, "no constant of the sort Int"),
        ({"inv_c": ([X], X + 1)}, r"\(\+ xc 1\) is no formula"),
    ):
        with pytest.raises(InputError, match=said):
            model_of(system, formulas)  # type: ignore[arg-type]


def test_evidence_is_checked_by_another_solver() -> None:
    system = in_z3_terms()
    right = check(system, model_of(system, {"inv_c": ([X], X <= 10)}))
    assert right.ok and "cvc5" in right.solver
    wrong = check(system, model_of(system, {"inv_c": ([X], X <= 5)}))
    assert not wrong.ok and "step" in wrong.reason
    assert not check(system, Refutation((Step("too far", (), ()),))).ok


def test_a_refutation_can_be_walked() -> None:
    """Twice the same premise is one instance."""
    pair = z3.Function("pair", z3.IntSort(), z3.IntSort(), z3.BoolSort())
    clauses = Clauses()
    clauses.rule(INV(3), name="start")
    clauses.rule(pair(X, Y), INV(X), INV(Y), name="both")
    clauses.query(pair(X, X), name="same")
    three = terms.int_const(3)
    steps = Step("start", (three,), ()), Step("both", (three, three), (0, 0))
    refutation = Refutation((*steps, Step("same", (), (1,))))
    assert check(clauses.system(), refutation).ok
    last = instances(clauses.system(), refutation)
    assert [one.fact for one in last.walk()] == ["inv_c(3)", "pair(3, 3)", "false"]
    assert last.premises[0].premises[0] is last.premises[0].premises[1]
    assert repr(last).splitlines()[1] == "1: pair(3, 3) by both of 0, 0"


def test_numerals_are_no_variables() -> None:
    """What stands in bars is a name, also where it looks like a number."""
    one = z3.Int("1")
    clauses = Clauses()
    clauses.rule(INV(one + 1), one > 1)
    assert "(< 1 |1|)" in print_horn(clauses.system())
    assert "(+ |1| 1)" in print_horn(clauses.system())


def deep(x: z3.ArithRef) -> z3.ArithRef:
    for _ in range(9):
        x = x * x + 1
    return x


@pytest.mark.parametrize(
    "constant, formula",
    [
        (z3.Bool("true"), lambda c: c),
        (z3.Int("a!1"), lambda c: deep(Y) > c),
        (z3.Int("xc!1"), lambda c: z3.Exists([X], z3.And(X > 3, z3.Exists([X], c == X)))),
    ],
    ids=["a truth value", "a part", "a variable"],
)
def test_names_that_a_text_would_take_for_others(
    constant: z3.ExprRef, formula: Callable[[Any], object]
) -> None:
    with pytest.raises(InputError, match=f"rule bad: {constant}: "):
        Clauses().query(formula(constant), name="bad")


def test_names_of_truth_values_of_pysmt() -> None:
    with pytest.raises(InputError, match="taken for the truth value"):
        Clauses().query(terms.symbol("false", terms.BOOL))
