"""Debug records whose value is not made on all paths: such a variable is unknown there."""

from __future__ import annotations

from pathlib import Path

import pytest
from programs import (
    Branch,
    Jump,
    Predicate,
    Return,
    add,
    bit,
    block,
    compare,
    const,
    function,
    phi,
    reg,
    variable,
)

from seahorn_py import verify
from seahorn_py.frontend.reading.records import with_known_values
from seahorn_py.ir.program import Bind, Function
from seahorn_py.options import FrontendOptions, VerifyOptions
from seahorn_py.result import Answer

X = variable("x")


def diamond(*records: str, left: str = "") -> Function:
    """`b` is made on the left side, `c` before both sides, `d` where they join, from both."""
    bound = tuple(Bind(X, reg(name)) for name in records)
    early = tuple(Bind(X, reg(name)) for name in left)
    start = (compare("k", Predicate.SLT, const(1), const(3)), add("c", const(1), const(2)))
    return function(
        "main",
        block("0", *start, Branch(bit("k"), "left", "join")),
        block("left", *early, add("b", reg("c"), reg("c")), Bind(X, reg("b")), Jump("join")),
        block("join", phi("d", ("0", reg("c")), ("left", reg("b"))), *bound, Return(())),
    )


def values(function: Function) -> list[str]:
    records = (s for b in function.blocks for s in b.statements if isinstance(s, Bind))
    return [str(record.value) for record in records]


def test_a_value_of_one_side_is_unknown_behind_both() -> None:
    assert values(with_known_values(diamond("b"))) == ["%b", "None"]


def test_a_value_that_is_made_before_or_joined_is_known() -> None:
    given = diamond("c", "d")
    assert with_known_values(given) is given or values(with_known_values(given)) == values(given)


def test_a_value_that_the_block_makes_later_is_unknown() -> None:
    assert values(with_known_values(diamond("b", left="b"))) == ["None", "%b", "None"]


def test_parameters_are_known() -> None:
    given = function("f", block("0", Bind(X, reg("p")), Return(())), parameters=(reg("p"),))
    assert with_known_values(given) is given


LOOPS = {
    "comma and list": "for (p = &a; p && (q = p->next, 1); p = q) n += p->v; if (n != 3)",
    "comma and characters": "while (*s && (c = *s, 1)) { if (c >= '0') n++; s++; } if (n != 4)",
    "comma twice": "while (*s && (c = *s, 1) && (d = c)) { if (d > 47) n++; s++; } if (n != 4)",
    "or": "do c = *s, n += c > 47; while (*s++ && (d = *s, 1)); if (n != 4)",
    "choice": "for (; *s ? (c = *s, 1) : (d = 5, 0); s++) n += c > 47; if (n != 4)",
}


@pytest.mark.full
@pytest.mark.parametrize("name", LOOPS)
def test_variables_that_are_set_in_a_condition(name: str, tmp_path: Path) -> None:
    file = tmp_path / "case.c"
    for wrong, answer in (("", Answer.SAFE), ("n +=  7; ", Answer.UNSAFE)):
        body = LOOPS[name].replace("if (n !=", f"{wrong}if (n !=")
        file.write_text(
            "extern void reach_error(void); struct n { struct n *next; int v; };\n"
            "int main(void) { struct n b = {0, 2}, a = {&b, 1}, *p, *q;\n"
            f' const char *s = "a1b2"; int c, d, n = 0; {body} reach_error(); return 0; }}\n'
        )
        result = verify([file], VerifyOptions(FrontendOptions(), timeout=20, executions=0.1))
        assert result.answer is answer, result.reason
        assert result.internal_errors == ()
