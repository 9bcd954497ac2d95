"""Orders of evaluation that C leaves open: found where they matter, and only there."""

from __future__ import annotations

from pathlib import Path

import pytest

from seahorn_py import verify
from seahorn_py.frontend.compiling.compiler import compile_files
from seahorn_py.frontend.llvmtext.debugtext import DebugText
from seahorn_py.frontend.llvmtext.module import split_module
from seahorn_py.frontend.lowering.checks.sequence import Sequencing
from seahorn_py.options import FrontendOptions, VerifyOptions
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Answer

HEAD = """
#include <stdlib.h>
struct cell { struct cell *next; int value; } *top;
int g, h, t[4], *p = &g;
int __VERIFIER_nondet_int(void);
int next(void) { return ++g; }
int other(void) { return ++h; }
int first(void) { return g; }
int deep(void) { return next(); }
int through(int *q) { return ++*q; }
int of(const int *q) { return *q; }
int pure(int x) { return x + 1; }
int pop(void) { int v = top->value; top = top->next; return v; }
int own(void) { int a[2] = {1, 2}; a[1]++; return a[1]; }
int minus(int a, int b) { return a - b; }
"""
MAIN = HEAD.count("\n") + 1
OPEN = {
    "arguments": "r = minus(next(), next());",
    "operands": "r = next() - next();",
    "a variable and a call": "r = g - next();",
    "through calls": "r = minus(deep(), first());",
    "sides of an assignment": "t[next() & 3] = next();",
    "an index and a call": "t[g & 3] = next();",
    "compound assignment": "g += next();",
    "a local whose address is given": "int x = 1; r = x - through(&x);",
    "two through one pointer": "int x = 1; r = through(&x) - through(&x);",
    "a reader and a writer through pointers": "r = minus(of(p), through(p));",
    "nested": "r = minus(pure(next()), first());",
    "with casts": "r = (char)next() * 2 - (short)next();",
    "through a pointer to a function": "int (*f)(void) = next; r = f() - first();",
    "members": "r = minus(pop(), pop());",
    "a condition": "if (next() < next()) r = 1;",
}
CLOSED = {
    "nothing is written": "r = minus(first(), first());",
    "different objects": "r = minus(next(), other());",
    "one inside of the other": "r = pure(next()); r = minus(pure(next()), 1);",
    "and": "r = next() && next();",
    "or": "r = next() || first();",
    "comma": "r = (next(), next());",
    "choice": "r = next() ? next() : first();",
    "statements": "r = next(); r -= 1; int a = next(), b = next(); r = a - b;",
    "own objects": "r = minus(own(), own());",
    "arbitrary values": "r = minus(__VERIFIER_nondet_int(), __VERIFIER_nondet_int());",
    "a local that nobody knows": "int x = 1; r = x - next();",
    "allocation": "int *a = malloc(4); r = malloc(4) == malloc(8); free(a);",
    "the value of an assignment": "int a, b; a = b = next();",
    "constants": "t[3] = next();",
}


def found(folder: Path, body: str) -> str:
    file = folder / "case.c"
    file.write_text(f"{HEAD}int main(void) {{ int r = 0; {body} return r; }}\n")
    (text,) = compile_files([file], FrontendOptions(), Deadline.after(60))
    module = split_module(text)
    sequencing = Sequencing(module, DebugText(module.metadata))
    for function in module.functions.values():
        sequencing.read(function)
    return sequencing.assumption


@pytest.mark.parametrize("name", OPEN)
def test_an_order_that_matters(name: str, tmp_path: Path) -> None:
    assert f"case.c:{MAIN}:" in found(tmp_path, OPEN[name])


@pytest.mark.parametrize("name", CLOSED)
def test_an_order_that_does_not_matter(name: str, tmp_path: Path) -> None:
    assert found(tmp_path, CLOSED[name]) == ""


def test_the_ledger_has_the_assumption(tmp_path: Path) -> None:
    file = tmp_path / "case.c"
    text = "void reach_error(void); int g; int f(void) { return ++g; } int main(void) { %s }\n"
    for body, answer in (("if (f() - f() != -1) reach_error();", Answer.UNKNOWN), ("", None)):
        file.write_text(text % (body or "if (f() < 1) reach_error();"))
        result = verify([file], VerifyOptions(strict=True, timeout=20, executions=0.1))
        assumed = [e.text for e in result.ledger if "order of clang" in e.text]
        assert bool(assumed) == bool(body)
        assert answer is None or result.answer is answer
