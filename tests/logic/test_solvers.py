"""The three solvers give the same answers through the same door, and one failure stays one."""

import resource
from pathlib import Path

import pytest
import z3

from seahorn_py.logic.solvers import solver_child
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.logic.solvers.solvers import (
    Status,
    check_scripts,
    check_unsat,
    script_of,
    solve,
    solve_script,
)
from seahorn_py.logic.terms import terms
from seahorn_py.processes.deadline import Deadline

X = terms.symbol("x 1", terms.bv_sort(8))
B = terms.symbol("b", terms.BOOL)
N = terms.symbol("n", terms.INT)
UNUSED = terms.symbol("unused", terms.bv_sort(8))


def deadline():
    return Deadline.after(60)


@pytest.mark.parametrize("solver", Solver)
def test_a_batch_keeps_its_order_and_survives_a_broken_script(solver):
    declared = "(declare-const x (_ BitVec 8))"
    scripts = [
        f"{declared}(assert (bvult x #x00))",
        "(assert (nonsense))",
        f"{declared}(assert (bvult x #x01))",
        "(declare-const p Bool)(define-fun f ((q Bool)) Bool (and p q))(assert (f (not p)))",
    ]
    answers = check_scripts(scripts, solver, deadline())
    assert [a.status.value for a in answers] == ["unsat", "unknown", "sat", "unsat"]
    assert answers[1].reason


@pytest.mark.parametrize("solver", Solver)
def test_values_of_a_model(solver):
    formula = terms.and_([terms.eq(terms.bv("bvmul", X, X), terms.bv_const(9, 8)), terms.not_(B)])
    small = terms.bv("bvult", X, terms.bv_const(8, 8))
    values = solve([formula, small], [X, B, UNUSED], solver, deadline())
    assert values[X] in (terms.bv_const(3, 8), terms.bv_const(5, 8))
    assert values[B] is terms.FALSE
    assert values[UNUSED].is_bv_constant()


@pytest.mark.parametrize("solver", [Solver.Z3, Solver.CVC5])
def test_integers_reals_and_arrays_have_values(solver):
    script = "(declare-const n Int)(declare-const r Real)(declare-const a (Array Int Int))"
    script += "(assert (= n (- 7)))(assert (= (* 3.0 r) (- 1.0)))(assert (= (select a 2) 5))"
    values = solve_script(script, ["n", "r", "(select a 2)", "(+ n 1)"], solver, deadline())
    assert values["n"] is terms.int_const(-7)
    assert values["r"] is terms.real_const(-1, 3)
    assert values["(select a 2)"] is terms.int_const(5)
    assert values["(+ n 1)"] is terms.int_const(-6)


def test_no_model_no_values():
    assert solve([terms.lt(N, N)], [N], Solver.Z3, deadline()) is None


@pytest.mark.parametrize("solver", Solver)
def test_a_script_out_of_time_does_not_lose_the_others(solver):
    factors = "(declare-const x (_ BitVec 80))(declare-const y (_ BitVec 80))"
    bounds = "".join(
        f"(assert (bvult {low} {high}))"
        for v in ("x", "y")
        for low, high in ((v, "(_ bv1099511627776 80)"), ("(_ bv1 80)", v))
    )
    hard = f"{factors}{bounds}(assert (= (bvmul x y) (_ bv1099511627689000000000007 80)))"
    easy = "(declare-const n Bool)(assert (and n (not n)))"
    answers = check_scripts([hard, easy], solver, deadline(), seconds_each=0.5)
    assert [a.status for a in answers] == [Status.UNKNOWN, Status.UNSAT]


def test_a_deadline_that_has_passed_is_unknown():
    answer = check_unsat("(assert false)", Solver.CVC5, Deadline.after(0))
    assert answer.status is Status.UNKNOWN
    assert answer.reason == "time limit"


@pytest.mark.full
def test_a_child_that_dies_loses_only_the_script_that_killed_it():
    fatal = "(declare-const x (_ BitVec 5000))(assert (= (bvmul x x x) (bvudiv x (bvadd x x))))"
    easy = "(declare-const n Bool)(assert (and n (not n)))"
    pages = int(Path("/proc/self/statm").read_text().split()[0])  # the child begins with as many
    most = (pages * resource.getpagesize() >> 20) + 100
    answers = check_scripts([easy, fatal], Solver.BITWUZLA, deadline(), memory_mib=most)
    assert answers[0].status is Status.UNSAT
    assert answers[1].status is Status.UNKNOWN


@pytest.mark.parametrize("solver", [Solver.Z3, Solver.CVC5])
def test_a_constant_array_of_a_negative_number(solver):
    array = terms.const_array(terms.INT, terms.int_const(-3))
    differs = terms.not_(terms.eq(terms.select(array, N), terms.int_const(-3)))
    (answer,) = check_scripts([script_of([differs])], solver, deadline())
    assert answer.status is Status.UNSAT


SIZES = "".join(f"(declare-const {name} (_ BitVec 64))" for name in "abcn")
FITS = "(assert (bvult a n))(assert (bvult b (bvsub n a)))(assert (bvule c (bvsub n (bvadd a b))))"
AS_INTEGERS = {
    "sums in two orders": (FITS + "(assert (bvugt (bvadd a (bvadd b c)) n))", "unsat"),
    "a sum that wraps": ("(assert (bvult a n))(assert (bvult (bvadd a n) a))", "sat"),
    "the lower half of a sum": (
        "(assert (distinct ((_ extract 31 0) (bvadd a b))"
        " (bvadd ((_ extract 31 0) a) ((_ extract 31 0) b))))",
        "unsat",
    ),
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(assert (< (+ x y) 1.0))(assert (< 1 x))(assert (< 0 y))", "unsat"),
        ("(assert (< (+ x y) 1.0))(assert (< 1 x))", "sat"),
        ("(assert (< (* x x) 0))", "unsat"),
        ("(declare-fun f (Real) Real)(assert (= x y))(assert (< (f x) (f y)))", "unsat"),
        ("(assert (forall ((z Real)) (< z x)))", "unsat"),
    ],
)
def test_real_numbers_and_what_else_a_script_may_have(text, expected):
    script = "(declare-const x Real)(declare-const y Real)" + text
    (answer,) = check_scripts([script], Solver.CVC5, deadline())
    assert answer.status.value == expected


@pytest.mark.parametrize("name", AS_INTEGERS)
def test_bits_as_integers(name):
    script, expected = SIZES + AS_INTEGERS[name][0], AS_INTEGERS[name][1]
    assert solver_child.cvc5_with(script, [], 20_000, "solve-bv-as-int", "sum")[0] == expected
    context = z3.Context()

    def said(text):
        return z3.Z3_eval_smtlib2_string(context.ref(), text).strip()

    said(script)
    assert solver_child.is_unsat_in_integers(said, 20_000) == (expected == "unsat")
