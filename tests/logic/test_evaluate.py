"""Compiled terms have the value that SMT-LIB gives them."""

import random
import time
from fractions import Fraction

import pytest

from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.logic.solvers.solvers import Status, check_scripts, script_of
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.evaluate import NotEvaluable, compile_term
from seahorn_py.logic.terms.maps import Everywhere, Stored
from seahorn_py.logic.text.smtlib import parse_term
from seahorn_py.processes.deadline import Deadline

X = terms.symbol("x", terms.INT)
Y = terms.symbol("y", terms.INT)
P = terms.symbol("p", terms.BOOL)
R = terms.symbol("r", terms.REAL)
V = terms.symbol("v8", terms.bv_sort(8))
W = terms.symbol("w8", terms.bv_sort(8))
M = terms.symbol("m", terms.array_sort(terms.INT, terms.INT))
SYMBOLS = [X, Y, P, R, V, W, M]
NAMES = {s.symbol_name(): s for s in SYMBOLS}


def value(text, *values):
    term = parse_term(text, NAMES)
    return compile_term(term, SYMBOLS)(
        values or (7, -3, True, Fraction(5, 2), 200, 3, Stored(Everywhere(9), 2, 8))
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(+ x y 1)", 5),
        ("(- x y)", 10),
        ("(* 2 x y)", -42),
        ("(div y 2)", -2),
        ("(mod y 2)", 1),
        ("(div y (- 2))", 2),
        ("(mod y (- 2))", 1),
        ("(div x (- 2))", -3),
        ("(ite (< x y) x y)", -3),
        ("(=> p (<= x y))", False),
        ("(= p (= x 7))", True),
        ("(and p (or (not p) (> x 0)))", True),
        ("(to_int r)", 2),
        ("(+ r (to_real x))", Fraction(19, 2)),
        ("(bvadd v8 #x64)", 44),
        ("(bvneg v8)", 56),
        ("(bvsdiv v8 w8)", 238),
        ("(bvsrem v8 w8)", 254),
        ("(bvudiv v8 #x00)", 255),
        ("(bvurem v8 #x00)", 200),
        ("(bvsdiv v8 #x00)", 1),
        ("(bvashr v8 w8)", 249),
        ("(bvshl v8 #x09)", 0),
        ("(bvslt v8 w8)", True),
        ("(bvult v8 w8)", False),
        ("(concat v8 w8)", 200 * 256 + 3),
        ("((_ extract 7 4) v8)", 12),
        ("((_ sign_extend 8) v8)", 0xFFC8),
        ("((_ zero_extend 8) v8)", 200),
        ("((_ rotate_left 1) v8)", 145),
        ("(bvcomp v8 v8)", 1),
        ("(bv2nat v8)", 200),
        ("7", 7),
        ("x", 7),
        ("(select ((as const (Array Int Int)) 4) x)", 4),
        ("(select (store ((as const (Array Int Int)) 4) x 5) 7)", 5),
        ("(select (store ((as const (Array Int Int)) 4) x 5) 8)", 4),
        ("(= (store (store m 1 2) 3 4) (store (store m 3 4) 1 2))", True),
        ("(= (store (store m 1 2) 1 4) (store (store m 1 4) 1 2))", False),
        ("(= (store m 1 (select m 1)) m)", True),
        ("(= m ((as const (Array Int Int)) 9))", False),
        (
            "(= (store ((as const (Array (_ BitVec 1) Int)) 1) #b0 2)"
            " (store ((as const (Array (_ BitVec 1) Int)) 2) #b1 1))",
            True,
        ),
    ],
)
def test_values(text, expected):
    assert value(text) == expected


ARITHMETIC = ["bvadd", "bvsub", "bvmul", "bvudiv", "bvurem", "bvsdiv", "bvsrem", "bvsmod"]
BITWISE = ["bvshl", "bvlshr", "bvashr", "bvand", "bvor", "bvxor", "bvnand", "concat", "bvcomp"]
COMPARISONS = ["bvult", "bvule", "bvslt", "bvsle"]


def test_bit_vector_operations_agree_with_a_solver():
    draw = random.Random(7)
    edge = [0, 1, 2, 7, 8, 127, 128, 129, 254, 255]
    claims = []
    for operator in [*ARITHMETIC, *BITWISE, *COMPARISONS]:
        term = parse_term(f"({operator} v8 w8)", NAMES)
        compiled = compile_term(term, [V, W])
        for _ in range(40):
            a, b = (draw.choice([*edge, draw.randrange(256)]) for _ in range(2))
            result = compiled([a, b])
            if terms.sort_of(term) is terms.BOOL:
                expected = terms.bool_const(result)
            else:
                expected = terms.bv_const(result, terms.bv_width(term))
            here = {V: terms.bv_const(a, 8), W: terms.bv_const(b, 8)}
            claims.append(terms.eq(terms.substitute(term, here), expected))
    script = script_of([terms.not_(terms.and_(claims))])
    (answer,) = check_scripts([script], Solver.BITWUZLA, Deadline.after(60))
    assert answer.status is Status.UNSAT


@pytest.mark.parametrize(
    "text",
    [
        "(exists ((z Int)) (< z x))",
        "(div x y)",
        "(mod x 0)",
        "(/ r r)",
    ],
)
def test_what_has_no_value_is_refused_when_compiled(text):
    with pytest.raises(NotEvaluable):
        value(text)


def test_a_symbol_without_a_value_is_refused():
    with pytest.raises(NotEvaluable, match="no value for y"):
        compile_term(terms.lt(X, Y), [X])


def test_deep_and_shared_terms_compile_and_run_in_linear_time():
    deep, shared = X, X
    for _ in range(3_000):
        deep = terms.ite(terms.lt(deep, terms.int_const(0)), Y, terms.minus(deep, Y))
    for _ in range(300):
        shared = terms.mod(terms.plus(shared, shared), terms.int_const(1_000_003))
    wide = terms.and_(terms.lt(X, terms.plus(Y, terms.int_const(i))) for i in range(1_000))
    assert compile_term(deep, [X, Y])([0, -1]) == 3_000
    assert compile_term(shared, [X])([1]) == pow(2, 300, 1_000_003)
    assert compile_term(wide, [X, Y])([0, 1]) is True


def test_evaluation_is_fast():
    text = "(and (<= 0 x) (or p (< (+ x y) 10)) (= (mod x 4) (mod (+ x (* 4 y)) 4)))"
    holds = compile_term(parse_term(text, NAMES), SYMBOLS)
    begun = time.monotonic()
    assert all(holds((i, -i, False, 0, 0, 0)) for i in range(50_000))
    assert time.monotonic() - begun < 5
