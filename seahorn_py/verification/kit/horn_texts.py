"""Small Horn systems with known answers, one for each thing that an engine may get wrong."""

from __future__ import annotations

from collections.abc import Mapping


def _text(declarations: str, *clauses: str) -> str:
    lines = [f"(declare-fun {one} Bool)" for one in declarations.split("; ") if one]
    return "\n".join([*lines, *(f"(assert {one})" for one in clauses)])


def _counter(limit: int, step: str = "(+ x 1)") -> str:
    return _text(
        "p (Int)",
        "(p 0)",
        f"(forall ((x Int)) (=> (and (p x) (< x 5)) (p {step})))",
        f"(forall ((x Int)) (=> (and (p x) (> x {limit})) false))",
    )


def _fibonacci(value: int) -> str:
    return _text(
        "f (Int Int)",
        "(f 0 1)",
        "(f 1 1)",
        "(forall ((n Int) (a Int) (b Int)) (=> (and (> n 0) (f n a) (f (- n 1) b))"
        " (f (+ n 1) (+ a b))))",
        f"(forall ((a Int)) (=> (and (f 4 a) (= a {value})) false))",
    )


def _byte(goal: str) -> str:
    return _text(
        "b ((_ BitVec 8))",
        "(b #x00)",
        "(forall ((x (_ BitVec 8))) (=> (b x) (b (bvadd x #x02))))",
        f"(forall ((x (_ BitVec 8))) (=> (and (b x) (= x {goal})) false))",
    )


def _array(value: int) -> str:
    bound = "((m (Array Int Int)) (i Int))"
    return _text(
        "a ((Array Int Int) Int)",
        "(forall ((m (Array Int Int))) (=> (= (select m 0) 7) (a m 1)))",
        f"(forall {bound} (=> (and (a m i) (< i 3)) (a (store m i i) (+ i 1))))",
        f"(forall {bound} (=> (and (a m i) (= (select m 0) {value})) false))",
    )


SYSTEMS: Mapping[str, tuple[str, bool]] = {
    "no rules": ("", True),
    "a fact is a query": (_text("", "(=> true false)"), False),
    "a guard that nothing satisfies": (_text("p ()", "p", "(=> (and p false) false)"), True),
    "a relation without facts": (
        _text("p (Int); q ()", "(forall ((x Int)) (=> (p x) q))", "(=> q false)"),
        True,
    ),
    "the bound of a counter": (_counter(5), True),
    "one below the bound of a counter": (_counter(4), False),
    "a step over the bound": (_counter(5, "(+ x 2)"), False),
    "two premises": (_fibonacci(4), True),
    "two premises, reached": (_fibonacci(5), False),
    "bits wrap evenly": (_byte("#x01"), True),
    "bits wrap": (_byte("#xfe"), False),
    "an element that is kept": (_array(8), True),
    "an element that is kept, reached": (_array(7), False),
    "halves of reals": (
        _text(
            "r (Real)",
            "(r 1.0)",
            "(forall ((x Real)) (=> (r x) (r (/ x 2.0))))",
            "(forall ((x Real)) (=> (and (r x) (<= x 0.0)) false))",
        ),
        True,
    ),
    "a division that leaves a rest": (
        _text(
            "d (Int)",
            "(d (- 7))",
            "(forall ((x Int)) (=> (and (d x) (= (mod x 2) 1) (= (div x 2) (- 4))) false))",
        ),
        False,
    ),
}
"""The text of each, and whether it is solvable."""

ENDLESS = _text(
    "p (Int Int)",
    "(p 1 1)",
    "(forall ((x Int) (y Int)) (=> (p x y) (p (+ (* x x) y) (+ (* x y) 1))))",
    "(forall ((x Int) (y Int)) (=> (and (p x y) (= (* x x) (+ (* 7 y y y) 3))) false))",
)
"""One that no engine decides soon."""
