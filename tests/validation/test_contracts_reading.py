"""Contracts are read from C, comments and YAML, and are nothing but expressions."""

from __future__ import annotations

from pathlib import Path

import pytest

from seahorn_py.base.errors import InputError, SeaError, Span
from seahorn_py.options import FrontendOptions
from seahorn_py.processes.deadline import Deadline
from seahorn_py.validation.contracts.acsl import expression
from seahorn_py.validation.contracts.contract_files import read_project
from seahorn_py.validation.contracts.esbmc import quantified
from seahorn_py.validation.contracts.formulas import formula, skolem
from seahorn_py.validation.contracts.model import Clause, Contract, Kind, Refused
from seahorn_py.validation.contracts.targets import targets

PLACE = Span("a.c", 1, 1, "")


def clause(kind: Kind, text: str) -> Clause:
    return Clause(kind, text, PLACE)


def contract_of(folder: Path, text: str, side: str = "", name: str = "f") -> Contract:
    file = folder / "a.c"
    file.write_text(text)
    sides = []
    if side:
        sides.append(folder / "a.yml")
        sides[0].write_text(side)
    project = read_project([file], FrontendOptions(), sides, Deadline.after(30))
    return project.units[0].contracts[name]


SAME = [
    "int f(int x)\n__CPROVER_requires(x > 0 && x < 9)\n"
    "__CPROVER_ensures(__CPROVER_return_value == x)\n{ return x; }\n",
    "/*@ requires x > 0 && x < 9;\n    ensures \\result == x; */\nint f(int x) { return x; }\n",
    "int f(int x) {\n__ESBMC_requires(x > 0 && x < 9);\n"
    "__ESBMC_ensures(__ESBMC_return_value == x);\nreturn x; }\n",
]
SIDE = (
    "functions:\n  f:\n    requires: x > 0 && x < 9\n    ensures: [__CPROVER_return_value == x]\n"
)


@pytest.mark.parametrize("text", SAME)
def test_readers_agree(text: str, tmp_path: Path) -> None:
    found = contract_of(tmp_path, text)
    made = [formula(one).text for one in found.clauses]
    assert made == ["x > 0 && x < 9", "__sea_result == x"]


def test_a_side_file_says_the_same_and_keeps_its_places(tmp_path: Path) -> None:
    found = contract_of(tmp_path, "int f(int x) { return x; }\n", SIDE)
    assert [formula(one).text for one in found.clauses] == ["x > 0 && x < 9", "__sea_result == x"]
    assert [(Path(c.place.file).name, c.place.line) for c in found.clauses] == [
        ("a.yml", 3),
        ("a.yml", 4),
    ]


def test_macros_in_clauses_are_those_of_the_program(tmp_path: Path) -> None:
    text = "#define MOST 7\n//@ requires x < MOST;\nint f(int x) { return x; }\n"
    found = contract_of(tmp_path, text)
    assert found.clauses[0].text == "x < 7"
    assert found.clauses[0].place.line == 2


@pytest.mark.parametrize(
    "text",
    [
        "x = 1",
        "x++",
        "g(x)",
        "({ x; })",
        "x, x",
        "x; ) int y; (",
        "__sea_result == 1",
        "sea_is_dereferenceable(x, 1)",
        '"a"',
        "__CPROVER_old(x) == 1",
        "!__CPROVER_is_fresh(p, 4)",
        "__CPROVER_forall { int i; i > 0 }",
        "(" * 100 + "x" + ")" * 99,
    ],
)
def test_what_is_no_plain_expression_is_refused(text: str) -> None:
    with pytest.raises(Refused):
        formula(clause(Kind.REQUIRES, text))


@pytest.mark.parametrize(
    ("side", "said"),
    [
        ("n > 0) __CPROVER_ensures(0", "no C expression"),
        ("n > 0 /*", "no C expression"),
        ("n > 0 // x", "no C expression"),
        ("n > ')'", ""),
    ],
)
def test_a_clause_stays_in_its_parentheses(side: str, said: str, tmp_path: Path) -> None:
    text = f'functions:\n  f:\n    requires: "{side}"\n'
    if said:
        with pytest.raises(InputError, match=said):
            contract_of(tmp_path, "int f(int n) { return n; }\n", text)
    else:
        assert contract_of(tmp_path, "int f(int n) { return n; }\n", text).clauses


@pytest.mark.parametrize(
    ("acsl", "meant"),
    [
        ("0 <= i < n", "(0 <= i && i < n)"),
        ("a << 2 < b", "a << 2 < b"),
        ("p->n < 3", "p->n < 3"),
        ("a ==> b ==> c", "a  ==>  b  ==>  c"),
        ("a <==> b", "(!(a ) == !( b))"),
        ("\\old(*p) == \\result", "__CPROVER_old(*p) == __CPROVER_return_value"),
        ("\\valid(p)", "__CPROVER_rw_ok(p)"),
        (
            "(0 <= r <= 5 && (\\forall int i; 0 <= i < n ==> i == 0))",
            "((0 <= r && r <= 5) &&  ((__CPROVER_forall"
            " { int  i; (0 <= i && i < n) ==>  i == 0 })))",
        ),
    ],
)
def test_expressions_of_acsl(acsl: str, meant: str) -> None:
    assert expression(acsl) == meant


@pytest.mark.parametrize(
    "acsl",
    [
        *("a < b > c", "\\at(x, Pre) == 1", "\\let y = 1; y", "a < b == c"),
        *("a == 1 | b == 1", "a == b & b == c", "a < b ^ c < d"),
    ],
)
def test_what_of_acsl_is_refused(acsl: str) -> None:
    with pytest.raises(Refused):
        expression(acsl)


@pytest.mark.parametrize(
    "word",
    [
        *("behavior b: requires x > 0;", "ghost int y;", "assert x > 0;"),
        *("ensure x > 0; requires x > 0;", "requires x > 0; Ensures x > 0;"),
    ],
)
def test_other_annotations_are_refused_with_their_line(word: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"a\.c:2:1: ACSL"):
        contract_of(tmp_path, f"\n/*@ {word} */\nint f(int x) {{ return x; }}\n")


def test_a_comment_before_an_annotation_hides_nothing(tmp_path: Path) -> None:
    text = "// Adds.\n//@ requires x > 0;\nint f(int x) { return x; }\n"
    assert contract_of(tmp_path, text).clauses == (
        Clause(Kind.REQUIRES, "x > 0", Span(str(tmp_path / "a.c"), 2, 1, "")),
    )


def test_comments_of_other_tools_are_none(tmp_path: Path) -> None:
    with pytest.raises(KeyError):
        contract_of(tmp_path, "/*@null@*/ int f(int x) { return x; }\n")


@pytest.mark.parametrize("clauses", ["__CPROVER_frees(p)", "__CPROVER_requires_contract(p, q)"])
def test_clauses_that_nobody_checks_are_refused(clauses: str, tmp_path: Path) -> None:
    with pytest.raises(SeaError, match=r"a\.c:1:\d+"):
        contract_of(tmp_path, f"int f(int *p) {clauses} {{ return 0; }}\n")


def test_implications_bind_least_and_to_the_right() -> None:
    made = formula(clause(Kind.REQUIRES, "a && b ==> c ==> d"))
    assert "".join(made.text.split()) == "(!(a&&b)||((!(c)||(d))))"


def test_an_arbitrary_element_stands_for_all() -> None:
    text = "__CPROVER_forall { int i; (0 <= i && i < n) ==> a[i] == 0 }"
    assert skolem(clause(Kind.ENSURES, text)) == ("int", "i", "(0 <= i && i < n)", "a[i] == 0")
    assert skolem(clause(Kind.ENSURES, f"{text} || x")) is None


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("*p", [("", "0", "1")]),
        ("p[i]", [("", "i", "1")]),
        ("p->m", [("", "0", "1"), ("m", "", "1")]),
        ("v.m[2]", [("m", "", "1"), ("", "2", "1")]),
        ("__CPROVER_object_whole(p)", [("", "0", "")]),
        ("__SEA_range(p, 1, n)", [("", "(1)", "(n)")]),
    ],
)
def test_targets_are_paths(text: str, shape: list[tuple[str, str, str]]) -> None:
    (found,) = targets(clause(Kind.ASSIGNS, text))
    assert [(s.member, s.first, s.count) for s in found.steps] == shape


@pytest.mark.parametrize("text", ["f(p)", "*(p - 1)", "p + 1", "p[f(1)]", "c ? *p : *q", "*f()"])
def test_targets_that_cannot_be_decided_are_refused(text: str) -> None:
    with pytest.raises(Refused):
        targets(clause(Kind.ASSIGNS, text))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (
            "__ESBMC_forall(&j, !(j < 4) || a[j] == 0)",
            "__CPROVER_forall { unsigned j; (0 <= j && j < 4) ==> (a[j] == 0) }",
        ),
        (
            "__ESBMC_exists(&k, k >= 0 && k < 4 && a[k])",
            "__CPROVER_exists { int k; k >= 0 && k < 4 && a[k] }",
        ),
        (
            "r || __ESBMC_exists(&j, (j < n) && __ESBMC_forall(&k, !(0 <= k && k < j) || a[k]))",
            "r || __CPROVER_exists { unsigned j; 0 <= j && (j < n) && "
            "__CPROVER_forall { int k; (0 <= k && k < j) ==> (a[k]) } }",
        ),
        # a variable that nothing declares, a range that is not excluded
        ("__ESBMC_forall(&z, !(z < 3) || 1)", "__ESBMC_forall(&z, !(z < 3) || 1)"),
        ("__ESBMC_forall(&j, a[j])", "__ESBMC_forall(&j, a[j])"),
    ],
)
def test_quantifiers_of_esbmc(text: str, wanted: str) -> None:
    assert quantified(text, "void f(int *a) { unsigned j; int k;") == wanted


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("0 <= (__CPROVER_return_value) && (g) < 3", "0 <= (__sea_result) && (g) < 3"),
        ("g == '\"' && g != '\\''", "g == '\"' && g != '\\''"),
    ],
)
def test_what_the_parser_takes_for_something_else(text: str, meant: str) -> None:
    """`(a) && (b)` is a conversion of a label's address for it, and a quote opens no string."""
    made = formula(clause(Kind.ENSURES, text))
    assert made.text == meant
    assert made.names - {"__CPROVER_return_value"} == {"g"}


def test_a_conversion_of_a_truth_value_keeps_its_sign() -> None:
    fresh = "(int)(p == 0 || __CPROVER_is_fresh(p, 4))"
    assert "sea_is_dereferenceable" in formula(clause(Kind.REQUIRES, fresh)).text
    with pytest.raises(Refused):
        formula(clause(Kind.REQUIRES, f"!{fresh}"))
