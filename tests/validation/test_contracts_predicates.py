"""Calls of functions in clauses are written out, with the conversions that C makes."""

from __future__ import annotations

from pathlib import Path

import pytest

from seahorn_py.options import FrontendOptions
from seahorn_py.processes.deadline import Deadline
from seahorn_py.validation.contracts.contract_files import read_project
from seahorn_py.validation.contracts.formulas import formula
from seahorn_py.validation.contracts.model import Refused


def written(folder: Path, functions: str, clause: str, more: str = "") -> str:
    """The clause of a function `f` of three parameters."""
    contract = f"int f(int x, const char *p, unsigned n)\n__CPROVER_requires({clause})\n"
    files = [folder / "a.c", folder / "b.c"]
    files[0].write_text(f"{more}{functions}\n{contract}{{ return x; }}\n")
    files[1].write_text(more)
    project = read_project(files, FrontendOptions(), [], Deadline.after(30))
    return project.units[0].contracts["f"].clauses[0].text


WRITTEN = {
    "an expression": (
        "_Bool big(int a) { return a > 3; }",
        "big(x) && x < 9",
        "((x) > 3) && x < 9",
    ),
    "a conversion of an argument": (
        "_Bool big(unsigned char a) { return a > 3; }",
        "big(x + 1)",
        "(((unsigned char)(x + 1)) > 3)",
    ),
    "a conversion of each result": (
        "long pick(int a) { if (a) return -1; return 1u; }",
        "pick(x) < 0",
        "(((x)) ? (((long)(-1))) : (((long)(1u)))) < 0",
    ),
    "validity": (
        "_Bool valid(const char *b, unsigned k) { return (0 < k) & __CPROVER_is_fresh(b, k); }",
        "valid(p, n)",
        "((((0 < (n)) && __CPROVER_is_fresh((p), (n)))))",
    ),
    "a local that changes": (
        "_Bool fine(int a) { _Bool v = a > 1; if (v) { v = a < 5; } return v; }",
        "fine(x)",
        "",
    ),
    "a constant": ("_Bool red(int a) { return a == RED; }", "red(x)", "((x) == RED)"),
}


@pytest.mark.parametrize("case", WRITTEN)
def test_a_call_becomes_what_the_function_computes(case: str, tmp_path: Path) -> None:
    functions, clause, expected = WRITTEN[case]
    found = written(tmp_path, functions, clause, "enum color { RED, GREEN };\n")
    assert "fine(" not in found
    if expected:
        assert found.replace("(", "").replace(")", "") == expected.replace("(", "").replace(")", "")


STAYS = {
    "an effect": "int k; _Bool g(int a) { k = a; return 1; }",
    "a loop": "_Bool g(int a) { while (a > 3) a--; return a; }",
    "a value that is kept": "_Bool g(int a) { static int k = 0; return a > k; }",
    "a global with the name of a parameter": "unsigned n; _Bool g(int a) { return a > n; }",
    "recursion": "_Bool g(int a) { return a ? g(a - 1) : 1; }",
    "no result": "_Bool g(int a) { if (a) return 1; }",
    "another name for a local": "_Bool g(int a) { int v = a; if (a) { int v = 3; } return v; }",
    "a function of another file's": "_Bool h(int a); _Bool g(int a) { return h(a); }",
}


@pytest.mark.parametrize("case", STAYS)
def test_other_calls_stay_and_are_refused(case: str, tmp_path: Path) -> None:
    assert written(tmp_path, STAYS[case], "g(x)") == "g(x)"
    project = read_project([tmp_path / "a.c"], FrontendOptions(), [], Deadline.after(30))
    with pytest.raises(Refused, match="a call of g is not supported in it"):
        formula(project.units[0].contracts["f"].clauses[0])


def test_a_member_is_no_function(tmp_path: Path) -> None:
    functions = "struct s { int (*big)(int); }; extern struct s s; int big(int a) { return a; }"
    assert written(tmp_path, functions, "s.big(x)") == "s.big(x)"
