"""`--order all`: each order of evaluation that C allows, and no other."""

from __future__ import annotations

from pathlib import Path

import pytest
from command import sea_py

from seahorn_py import verify
from seahorn_py.base.errors import InputError
from seahorn_py.options import Encodings, FrontendOptions, Order, VerifyOptions
from seahorn_py.result import Answer, VerificationResult

HEAD = """
void reach_error(void);
int __VERIFIER_nondet_int(void);
int g, t[4];
static int f(void) { return ++g; }
static int add(int x) { g = g * 2 + x; return g; }
static int minus(int a, int b) { return a - b; }
static int digits(int a, int b, int c) { return a * 100 + b * 10 + c; }
int main(void) {
int r = 0, (*p)(void) = f;
"""
RESULTS = {
    "r = f() - f();": (-1, 1),
    "r = minus(f(), add(3));": (-4, 1),
    "r = digits(f(), f(), f());": (123, 132, 213, 231, 312, 321),
    "r = (f() + f()) - f();": (0, 2, 4),
    "t[f()] = f();\nr = t[1] * 10 + t[2];": (20, 1),
    "r = g + f();": (1, 2),
    "g += f();\nr = g;": (1, 2),
    "r = p() - add(1);": (-2, 1),
    "r = 2 * (char)f() - (short)f();": (0, 3),
    "if (f() < f()) r = 1;": (0, 1),
    "f();\nr = f() - f();": (-1, 1),
    "for (int i = 0; i < 2; i++)\nr += f() - f();": (-2, 0, 2),
    "r = f() && f() - f() == 1;": (0, 1),
    "r = f() ? minus(f(), f()) : 9;": (-1, 1),
}
"""Statements with all values of `r` that C allows behind them."""

LEFT = {
    "a comma before": "r = (f(), f()) - f();",
    "a comma in an argument": "r = minus((f(), f()), f());",
    "a comma in a condition": "if (((f(), f()) - f()) == 2) r = 1;",
    "a comma behind": "r = (f() - f()) + (f(), 1);",
    "a store on the way": "r = g++ - f();",
    "a branch on the way": "r = f() - (g ? f() : 1);",
    "too many orders": "r = digits(f(), f(), f()) - f();",
    "another statement on the line": "f(); r = f() - f();",
}
ASSUMED = "in the order of clang"


def answered(
    folder: Path, text: str, order: Order = Order.ALL, bits: int = 64
) -> VerificationResult:
    file = folder / "case.c"
    file.write_text(f"{HEAD}{text}\nreturn 0;\n}}\n")
    frontend = FrontendOptions(order=order, bits=bits)
    options = VerifyOptions(frontend, Encodings.BV, timeout=20, executions=0.1)
    return verify([file], options)


@pytest.mark.parametrize("statement", RESULTS)
def test_all_orders(statement: str, tmp_path: Path) -> None:
    expected = RESULTS[statement]
    bits = 32 if len(statement) % 2 else 64
    none = " && ".join(f"r != {value}" for value in expected)
    right = answered(tmp_path, f"{statement}\nif ({none}) reach_error();", bits=bits)
    assert right.answer is Answer.SAFE, right
    assert not any(ASSUMED in entry.text for entry in right.ledger)
    value = expected[0] if bits == 32 else expected[-1]
    wrong = answered(tmp_path, f"{statement}\nif (r == {value}) reach_error();", bits=bits)
    assert wrong.answer is Answer.UNSAFE, value


@pytest.mark.parametrize("name", LEFT)
def test_what_stays_in_the_order_of_clang_is_in_the_ledger(name: str, tmp_path: Path) -> None:
    found = answered(tmp_path, f"{LEFT[name]}\nif (r == 99) reach_error();")
    assert found.answer is Answer.SAFE
    assert any(ASSUMED in entry.text for entry in found.ledger)


def test_the_order_of_clang_is_the_default(tmp_path: Path) -> None:
    text = "r = f() - f();\nif (r != -1) reach_error();"
    assert answered(tmp_path, text, Order.CLANG).answer is Answer.SAFE
    file = tmp_path / "case.c"
    assert sea_py("pf", "--order", "all", str(file)).stdout.splitlines()[-1] == "sat"


def test_orders_are_known_of_c_only(tmp_path: Path) -> None:
    file = tmp_path / "a.ll"
    file.write_text("define i32 @main() {\n  ret i32 0\n}\n")
    with pytest.raises(InputError, match="all orders of evaluation are known of C files only"):
        verify([file], VerifyOptions(FrontendOptions(order=Order.ALL)))
