"""Ranks that rest on what runs show, and programs that end behind their last loop."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from diagonal import one_in
from programs import (
    Binary,
    Branch,
    Jump,
    Return,
    Store,
    bit,
    block,
    compare,
    const,
    function,
    phi,
    program,
    ptr,
    read,
    reg,
)

import seahorn_py
from seahorn_py.ir.program import Address, BinaryOp, Global, Offset, Predicate, Stop
from seahorn_py.ir.verifier import verify
from seahorn_py.options import FrontendOptions, Overflow, VerifyOptions
from seahorn_py.passes.termination.last_loops import ending_early
from seahorn_py.result import Answer

ENDING = {
    "an order": ("", "int n = i(); if (n < 0) return 0; for (int k = 0; k != n; k++);"),
    "a sign": (
        "int odd(int n); int even(int n) { return n == 0 ? 1 : odd(n - 1); }"
        "int odd(int n) { return n == 0 ? 0 : even(n - 1); }",
        "int n = i(); if (n < 0) n = 0; even(n);",
    ),
    "a sign of results": (
        "int f(int m, int n) { return m == 0 ? n + 1 : f(m - 1, n == 0 ? 1 : f(m, n - 1)); }",
        "int m = i(), n = i(); if (m < 0 || n < 0) return 0; f(m, n);",
    ),
}


@pytest.mark.full
@pytest.mark.parametrize("name", one_in(3, ENDING))
def test_what_runs_show_leads_to_ranks(name: str, tmp_path: Path) -> None:
    before, body = ENDING[name]
    file = tmp_path / "a.c"
    file.write_text(f"extern int i(void);\n{before}\nint main(void) {{ {body} return 0; }}\n")
    options = VerifyOptions(FrontendOptions(overflow=Overflow.ASSUME))
    result = seahorn_py.verify(file, options, property="termination", timeout=60)
    assert result.answer is Answer.SAFE, result


def test_what_chance_shows_is_not_believed(tmp_path: Path) -> None:
    """Only one value of the input takes `k` beyond `n`, which no run shows."""
    file = tmp_path / "a.c"
    loop = "for (unsigned char k = n == 1234567 ? 9 : 0; k != 8; k++) if (k > 8) k--;"
    file.write_text(f"extern int i(void);\nint main(void) {{ int n = i(); {loop} return 0; }}\n")
    result = seahorn_py.verify(file, property="termination", timeout=20)
    assert result.answer is not Answer.SAFE, result


def test_runs_end_where_no_loop_can_follow() -> None:
    main = function(
        "main",
        block("entry", Offset(ptr("q"), Address("g"), 0), read("n", 0), Jump("head")),
        block(
            "head",
            phi("x", ("entry", const(0)), ("head", reg("y"))),
            Binary(reg("y"), BinaryOp.ADD, reg("x"), const(1)),
            compare("c", Predicate.SLT, reg("x"), reg("n")),
            Branch(bit("c"), "head", "done"),
        ),
        block("done", Store(reg("x"), ptr("q")), Jump("last")),
        block("last", Return(())),
    )
    before = replace(program(main), globals={"g": Global("g", 4, 4, False, ())})
    after = ending_early(before)
    assert verify(after) == ()
    entry, head, done = after.functions["main"].blocks
    assert (entry, head) == main.blocks[:2]
    assert not done.statements and isinstance(done.terminator, Stop)
    assert ending_early(after) is after
