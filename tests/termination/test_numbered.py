"""Loops whose rounds are numbered, and lists that are walked along."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from diagonal import one_in
from programs import (
    BLOCKED,
    I32,
    I64,
    Address,
    Branch,
    Global,
    Jump,
    Offset,
    Register,
    Return,
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
from seahorn_py.ir.interpreter import Interpreter
from seahorn_py.ir.program import (
    Binary,
    BinaryOp,
    Predicate,
    Program,
    RegionFill,
    RegionLoad,
    RegionStore,
)
from seahorn_py.ir.run import RunLimits
from seahorn_py.ir.types import RegionType
from seahorn_py.ir.verifier import verify
from seahorn_py.options import VerifyOptions
from seahorn_py.passes.termination.known_regions import with_known_loads
from seahorn_py.passes.termination.numbered import numbered
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Answer
from seahorn_py.verification.termination.rounds_seen import rounds_seen

KEY = ("main", "head")


def counting(end: int | None) -> Program:
    """`for (x = 0; x < end; x += 2);`, where `end` may be an input."""
    main = function(
        "main",
        block("entry", *([read("n", 0)] if end is None else []), Jump("head")),
        block(
            "head",
            phi("x", ("entry", const(0)), ("body", reg("y"))),
            compare("c", Predicate.SLT, reg("x"), reg("n") if end is None else const(end)),
            Branch(bit("c"), "body", "done"),
        ),
        block("body", Binary(reg("y"), BinaryOp.ADD, reg("x"), const(2)), Jump("head")),
        block("done", Return(())),
    )
    return program(main)


@pytest.mark.parametrize(("end", "most"), [(6, 3), (7, 4), (0, 0), (5_000, None), (None, None)])
def test_the_most_rounds_that_are_seen(end: int | None, most: int | None) -> None:
    made, numbers = numbered(counting(end), [KEY])
    assert verify(made) == ()
    seen = rounds_seen(made, numbers, (), Deadline.after(5))
    assert seen == (None if most is None else {KEY: most})


NODE = "struct node { int v; struct node *next; };"
LISTS = {
    "locals": (
        "",
        """struct node a, b; a.next = &b; b.next = 0; struct node *p = &a;
        while (p && p->v != k) p = p->next;""",
        "(2 - rounds)",
    ),
    "heap": (
        "",
        """struct node *h = 0;
        for (int i = 0; i < 3; i++) {
            struct node *n = malloc(sizeof *n);
            if (!n) return 1;
            n->v = k; n->next = h; h = n;
        }
        for (struct node *p = h; p; p = p->next) if (p->v == i()) return 2;""",
        "(3 - rounds)",
    ),
    "globals, beside another loop": (
        "struct node c = {3, 0}, b = {2, &c}, a = {1, &b};",
        """for (int j = 0; j < k; j++)
            for (struct node *p = &a; p; p = p->next) p->v = j;""",
        "(3 - rounds)",
    ),
}


@pytest.mark.full
@pytest.mark.parametrize("name", one_in(3, LISTS))
def test_a_walk_along_a_list_ends(name: str, tmp_path: Path) -> None:
    before, body, rank = LISTS[name]
    file = tmp_path / "a.c"
    head = f"#include <stdlib.h>\nextern int i(void);\n{NODE} {before}"
    file.write_text(f"{head}\nint main(void) {{ int k = i(); {body} return 0; }}\n")
    result = seahorn_py.verify(file, property="termination", timeout=60)
    assert result.answer is Answer.SAFE, result
    assert rank in [loop.rank for loop in result.loops]


def test_a_list_in_a_circle_is_no_list_that_ends(tmp_path: Path) -> None:
    file = tmp_path / "a.c"
    body = "struct node a, b; a.next = &b; b.next = &a; a.v = i(); b.v = i();"
    walk = "struct node *p = &a; while (p && p->v != k) p = p->next;"
    head = f"extern int i(void);\n{NODE}\n"
    file.write_text(f"{head}int main(void) {{ int k = i(); {body} {walk} return 0; }}\n")
    result = seahorn_py.verify(file, property="termination", timeout=5)
    assert result.answer is not Answer.SAFE, result


@pytest.mark.full
def test_a_constant_bound_is_told(tmp_path: Path) -> None:
    file = tmp_path / "a.c"
    body = "struct node *p = &a; while (p && p->v != k) p = p->next;"
    head = f"extern int i(void);\n{NODE} struct node b = {{2, 0}}, a = {{1, &b}};"
    file.write_text(f"{head}\nint main(void) {{ int k = i(); {body} return 0; }}\n")
    options = VerifyOptions(bounds=True)
    result = seahorn_py.verify(file, options, property="termination", timeout=60)
    assert [(loop.rank, loop.bound) for loop in result.loops] == [("(2 - rounds)", "2")], result


def test_loads_of_memory_that_never_changes_are_choices() -> None:
    """`a[0] = 5; a[1] = n;`, and then a load at any address."""
    contents = RegionType(I32)
    main = function(
        "main",
        block(
            "entry",
            read("n", 0),
            read("k", 1, I64),
            RegionFill(Register("r", contents), const(7)),
            RegionStore(Register("s", contents), Register("r", contents), Address("a"), const(5)),
            RegionStore(
                Register("t", contents), Register("s", contents), Address("a", 4), reg("n")
            ),
            Offset(ptr("p"), Address("a"), 0, ((reg("k", I64), 4),)),
            RegionLoad(reg("x"), Register("t", contents), ptr("p")),
            compare("c", Predicate.EQ, reg("x"), const(5)),
            Branch(bit("c"), "five", "done"),
        ),
        block("five", BLOCKED),
        block("done", Return(())),
    )
    before = replace(program(main), globals={"a": Global("a", 8, 4, False, ())})
    after = with_known_loads(before)
    assert verify(after) == ()
    kinds = {type(s) for b in after.functions["main"].blocks for s in b.statements}
    assert RegionLoad not in kinds
    for n, k in ((5, 0), (5, 1), (6, 1), (7, 9)):
        feed = {0: (n,), 1: (k,)}
        limits = RunLimits(1.0, 1_000)
        runs = [Interpreter(one).run(feed, limits) for one in (before, after)]
        assert runs[0].ending is runs[1].ending, (n, k)
