"""Positions in the C text: statements, what follows them, calls, declarations in scope."""

from __future__ import annotations

import pytest

from seahorn_py.base.errors import Span
from seahorn_py.csource.names import Types, visible
from seahorn_py.csource.syntax import (
    CText,
    Position,
    following,
    full_expression,
    statement_of,
    within,
)
from seahorn_py.csource.types import IntegerType, integer_type

TEXT = """\
typedef unsigned int u32;
typedef u32 word, *pointer;
int g;
int f(int a) {
  int x = in(), y; word w; pointer p;
  if (a)
    x = (int)in();
  else { y = in(); }
  L: x++;
  while (x > in()) { x = in(); }
  for (int x = in(); x < 3; x = in()) ;
  a = in(); int h(void); /* \u00fc */ a = g + in(
     1);
  switch (a) { case 1: a = in(); break; default: a = in(); }
  do { int x = in(); return in(); } while (a);
}
"""
C = CText("a.c", TEXT.encode())


def calls() -> list[str]:
    """Each call of `in` with the statement that comes after in any case."""
    found = []
    for node in within(C.root):
        if node.type != "call_expression":
            continue
        statement = statement_of(node)
        assert statement is not None
        after = following(statement)
        where = "-" if after is None else C.source(after).split("\n")[0]
        found.append(f"{C.start(node).line}:{C.start(node).column} {where}")
    return found


def test_what_follows_a_statement() -> None:
    assert calls() == [
        "5:11 word w;",
        "7:14 x++;",
        "8:14 x++;",
        "10:14 for (int x = in(); x < 3; x = in()) ;",
        "10:26 -",
        "11:16 a = in();",
        "11:33 a = in();",
        "12:7 a = g + in(",
        "12:42 switch (a) { case 1: a = in(); break; default: a = in(); }",
        "14:28 break;",
        "14:54 -",
        "15:16 return in();",
        "15:29 -",
    ]


def test_a_column_is_a_character_and_the_parenthesis_may_be_lines_below() -> None:
    node = C.node_at(Span("a.c", 12, 43, "f"))  # bytes: the comment holds one of two
    assert node is not None
    call = C.call_at(Span("a.c", 12, 43, "f"), "in")
    assert call is not None
    assert C.start(call) == Position(12, 42)
    assert C.closing(call) == Position(13, 7)


def test_the_full_expression_around_a_place() -> None:
    for line, column, text in ((10, 10, "x > in()"), (11, 31, "x = in()"), (15, 44, "a")):
        found = full_expression(C.node_at(Span("a.c", line, column, "f")))
        assert found is not None
        assert C.source(found) == text


def test_a_place_without_column_is_the_first_of_its_line() -> None:
    statement = statement_of(C.node_at(Span("a.c", 9, 0, "f")))
    assert statement is not None
    assert C.source(statement) == "L: x++;"


def test_a_place_outside_of_the_file() -> None:
    assert C.node_at(Span("a.c", 99, 1, "f")) is None


def test_what_cannot_be_parsed_leaves_the_rest() -> None:
    text = CText("b.c", b"int f() { @@ $ ((; x = in(); y = 1; }\nint g() { z = in(); q(); }")
    call = text.call_at(Span("b.c", 2, 15, "g"), "in")
    assert call is not None
    after = following(statement_of(call) or call)
    assert after is not None
    assert text.source(after) == "q();"


@pytest.mark.parametrize(
    ("name", "line", "column", "declared"),
    [
        ("x", 12, 3, ("int", "", 5)),
        ("x", 11, 40, ("int", "", 11)),
        ("x", 15, 22, ("int", "", 15)),
        ("a", 9, 6, ("int", "", 4)),
        ("g", 9, 6, ("int", "", 3)),
        ("p", 9, 6, ("pointer", "", 5)),
        ("w", 9, 6, ("word", "", 5)),
        ("nowhere", 9, 6, None),
    ],
)
def test_the_declaration_that_a_name_means(
    name: str, line: int, column: int, declared: tuple[str, str, int] | None
) -> None:
    at = C.node_at(Span("a.c", line, column, "f"))
    assert at is not None
    found = visible(C, name, at)
    shown = None if found is None else (found.specifier, found.derived, found.line)
    assert shown == declared


def test_types_through_typedefs() -> None:
    types = Types(C, 64)
    assert types.named("word") == IntegerType(32, False)
    assert types.named("pointer") is None
    assert types.named("loop") is None


@pytest.mark.parametrize(
    ("specifier", "bits", "width", "signed"),
    [
        ("unsigned", 32, 32, False),
        ("long unsigned int", 64, 64, False),
        ("long", 32, 32, True),
        ("long long int", 32, 64, True),
        ("signed char", 64, 8, True),
        ("short unsigned", 64, 16, False),
    ],
)
def test_integer_types(specifier: str, bits: int, width: int, signed: bool) -> None:
    assert integer_type(specifier, bits) == IntegerType(width, signed)


def test_conversion_is_that_of_an_assignment() -> None:
    assert IntegerType(8, True).convert(200) == -56
    assert IntegerType(8, False).convert(-1) == 255
    assert integer_type("_Bool", 64) is not None
    assert IntegerType(8, False, truth=True).convert(256) == 1
    assert integer_type("double", 64) is None
