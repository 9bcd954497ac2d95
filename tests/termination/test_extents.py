"""Runs that end where they leave an object, and loops whose ranks rest on that."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from programs import (
    I64,
    Address,
    Alloca,
    Branch,
    Call,
    Cast,
    CastOp,
    Global,
    IntConst,
    Jump,
    Load,
    Offset,
    Return,
    Statement,
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
from seahorn_py.frontend.lowering.checks.scopes import confined
from seahorn_py.ir.interpreter import Interpreter
from seahorn_py.ir.program import Lifetime, Predicate, Program
from seahorn_py.ir.run import Ending, RunLimits
from seahorn_py.ir.verifier import verify
from seahorn_py.passes.termination.accesses import doubtful_access
from seahorn_py.passes.termination.extents import ending_outside
from seahorn_py.passes.termination.pointer_sources import surely_tested
from seahorn_py.result import Answer


def walking(*begin: Statement, step: int = 4) -> Program:
    """`for (p = q; *p == 0; p += step);`, where `begin` makes `q`."""
    main = function(
        "main",
        block("entry", *begin, Jump("head")),
        block(
            "head",
            phi("p", ("entry", ptr("q")), ("head", ptr("r"))),
            Load(reg("y"), ptr("p")),
            Offset(ptr("r"), ptr("p"), step),
            compare("c", Predicate.EQ, reg("y"), const(0)),
            Branch(bit("c"), "head", "done"),
        ),
        block("done", Return(())),
    )
    return replace(program(main), globals={"g": Global("g", 40, 4, False, ())})


IN_GLOBAL = Offset(ptr("q"), Address("g"), 0)


@pytest.mark.parametrize("step", [4, 3, -4])
def test_a_run_ends_where_it_leaves_the_object(step: int) -> None:
    tested = ending_outside(walking(IN_GLOBAL, step=step))
    assert verify(tested) == ()
    assert Interpreter(tested).run({}, RunLimits(steps=200)).ending is Ending.ENDED


@pytest.mark.parametrize(
    ("begin", "is_clear"),
    [
        ((IN_GLOBAL,), True),
        ((Alloca(ptr("q"), IntConst(8, I64), 4),), True),
        ((Call((ptr("q"),), "malloc", (IntConst(8, I64),)),), True),
        ((Call((ptr("q"),), "elsewhere", ()),), False),
        ((Load(ptr("q"), Address("g")),), False),
        ((Cast(ptr("q"), CastOp.INTTOPTR, IntConst(4096, I64)),), False),
        ((Offset(ptr("q"), Address(None, 64), 0),), False),
        ((Offset(ptr("q"), Address(None), 64),), False),
        ((read("n", 0), Offset(ptr("q"), Address(None), 0, ((reg("n"), 1),))), False),
    ],
)
def test_nothing_is_asked_of_unclear_pointers(begin: tuple[Statement, ...], is_clear: bool) -> None:
    text = walking(*begin)
    assert (ending_outside(text) is not text) is is_clear


@pytest.mark.parametrize(
    ("size", "is_clear"), [(0, False), (1 << 31, False), ((1 << 31) - 1, True)]
)
def test_a_size_is_a_signed_word(size: int, is_clear: bool) -> None:
    """Clang makes objects of three gigabytes for machines of 32 bits."""
    text = replace(walking(IN_GLOBAL), globals={"g": Global("g", size, 4, False, ())})
    narrow = replace(text, pointer_width=32)
    assert (ending_outside(narrow) is not narrow) is is_clear


def test_tests_see_no_dead_objects_and_no_constants() -> None:
    text = walking(IN_GLOBAL)
    assert surely_tested(text, False) == {("main", "p")}
    constant = replace(text, globals={"g": Global("g", 40, 4, True, ())})
    assert surely_tested(constant, True) == frozenset()
    local = Alloca(ptr("q"), IntConst(8, I64), 4)
    assert surely_tested(walking(local), True)
    assert surely_tested(walking(local), False) == frozenset()
    assert surely_tested(walking(local, Lifetime(ptr("q"), False)), True) == frozenset()
    assert doubtful_access(text)
    assert doubtful_access(text, surely_tested(text, False)) == ""


NODES = """!1 = distinct !DISubprogram(name: "f")
!2 = !DILexicalBlock(scope: !1)
!3 = !DILocalVariable(name: "a", scope: !1)
!4 = !DILocalVariable(name: "a", scope: !2)
!5 = !DILocation(line: 3, scope: !1)
!6 = !DILocation(line: 3, scope: !1, inlinedAt: !5)
"""


@pytest.mark.parametrize(
    ("line", "is_confined"),
    [
        ("store i32 0, ptr %b, align 4", True),
        ("%c = load i32, ptr %b, align 4", True),
        ("store ptr %b, ptr %p, align 8", False),
        ("%c = call i32 @f(ptr %b)", False),
        ("ret ptr %b", False),
        ("%c = select i1 %x, ptr %b, ptr null", False),
    ],
)
@pytest.mark.parametrize(("variable", "at"), [(3, 5), (4, 5), (3, 6), (0, 0)])
def test_addresses_of_locals_that_die_with_a_block(
    line: str, is_confined: bool, variable: int, at: int
) -> None:
    """A block may come before the one that makes its registers."""
    lines = ["  %a = alloca [2 x i32], align 4", "  br label %two", "one:", f"  {line}", "two:"]
    lines += ["  %b = getelementptr [2 x i32], ptr %a, i64 0, i64 %n", "  br label %one"]
    if variable:
        lines += [f"    #dbg_declare(ptr %a, !{variable}, !DIExpression(), !{at})"]
    found = confined("\n".join(["define void @f() {", *lines, "}", NODES]))
    assert found is (is_confined or (variable, at) == (3, 5))


HEAD = "extern int __VERIFIER_nondet_int(void);\nextern void *malloc(unsigned long);\n"


@pytest.mark.full
@pytest.mark.parametrize(
    ("before", "body", "answer"),
    [
        (
            "int length(const char *s) { int n = 0; while (*s++) n++; return n; }",
            "length(a)",
            "safe",
        ),
        ("char *keep;", "keep = a; for (char *p = a; *p; p = keep);", "unknown"),
        ("char *out(void);", "char *p = out(); while (*p) p++;", "unknown"),
    ],
)
def test_loops_over_memory(before: str, body: str, answer: str, tmp_path: Path) -> None:
    file = tmp_path / "a.c"
    file.write_text(
        f"{HEAD}{before}\nint main(void) {{ int n = __VERIFIER_nondet_int(); if (n < 1) n = 1;"
        f" char *a = malloc(n); a[n - 1] = 0; {body}; return 0; }}\n"
    )
    result = seahorn_py.verify(file, property="termination", timeout=40 if answer == "safe" else 6)
    assert result.answer is Answer(answer), result
