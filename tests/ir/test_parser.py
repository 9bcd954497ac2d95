"""The printed text of a program is read as the program."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from generator import program as random_program

from seahorn_py.base.errors import NOWHERE, Origin, Span
from seahorn_py.ir import program as ir
from seahorn_py.ir.parser.parser import parse_program
from seahorn_py.ir.parser.tokens import ParseError
from seahorn_py.ir.printer import print_program
from seahorn_py.ir.types import BOOL, POINTER, FloatKind, FloatType, IntType, RegionType, Type
from seahorn_py.options import FrontendOptions, VerifyOptions
from seahorn_py.passes.pipeline import PASSES
from seahorn_py.processes.deadline import Deadline
from seahorn_py.verification.pipeline import load

ROOT = Path(__file__).parent.parent.parent
EXAMPLES = sorted((ROOT / "c_examples").glob("*.c"))
MEMORY = sorted((ROOT / "tests" / "memory").glob("*.c"))
I8, I32, I64, I128 = IntType(8), IntType(32), IntType(64), IntType(128)
FLOATS = [FloatType(kind) for kind in FloatKind]
PLACE = Origin((Span("a b.c", 3, 5, "f"), Span("<libc>/x.c", 9, 0, "")))


def same(program: ir.Program) -> None:
    """With places it is the program; without them its text is the same again."""
    assert parse_program(print_program(program, places=True)) == program
    text = print_program(program)
    if "..." not in text:
        assert print_program(parse_program(text)) == text


def same_after_all_passes(file: Path, bits: int) -> None:
    options = VerifyOptions(FrontendOptions(bits=bits))
    _, program = load([file], options, Deadline.after(120))
    same(program)
    for step in PASSES:
        program = step(program)
        same(program)


@pytest.mark.parametrize(
    "file",
    [
        pytest.param(file, id=file.name, marks=() if k % 4 == 0 else pytest.mark.full)
        for k, file in enumerate(EXAMPLES)
    ],
)
def test_examples(file: Path) -> None:
    same_after_all_passes(file, 64)


@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize("seed", range(3))
def test_random_programs(seed: int, bits: int, tmp_path: Path) -> None:
    file = tmp_path / "a b.c"
    file.write_text(random_program(seed, 4, bits).text())
    same_after_all_passes(file, bits)


# -------------------------------------------------------------------------------- by hand


def reg(name: str, kind: Type = I32) -> ir.Register:
    return ir.Register(name, kind)


def const(value: int, kind: IntType = I32) -> ir.IntConst:
    return ir.IntConst(value % (1 << kind.width), kind)


SITE = ir.Site(4, ir.SiteKind.NONDET, I32, "in", "int", PLACE)
OTHER = ir.Site(0, ir.SiteKind.HAVOC, RegionType(I8), "", "char [3]", NOWHERE, native=False)
CHECK = ir.CheckSite(7, "unreach-call", "reach_error()  ; no: place", PLACE)
LOCAL = ir.Variable("v", "struct s", None, ir.Scope.LOCAL, Span("a.c", 1, 2, "f"), ".m[3]")
NUMBER = ir.Variable("n", "int (*)(int, int)", False, ir.Scope.PARAMETER, None)
X, P, C, R = reg("x"), reg("p", POINTER), reg("c", BOOL), reg("r", RegionType(I8))


def around(*statements: ir.Statement, results: tuple[ir.Operand, ...] = ()) -> ir.Program:
    """A program with these statements, whose parameters are X, P, C and R."""
    used = ir.Function(
        "f",
        (X, P, C, R),
        tuple(o.type for o in results),
        (ir.Block("0", (), statements, ir.Return(results, PLACE)),),
        PLACE,
    )
    main = ir.Function("main", (), (), (ir.Block("0", (), (), ir.Return(())),))
    functions = {"main": main, "f": used}
    return ir.Program(functions, {}, "main", 64, (SITE, OTHER), (CHECK,), ("a: b",), ("g",), ("h",))


STATEMENTS: tuple[ir.Statement, ...] = (
    *(ir.Binary(reg("a"), op, X, const(-1), PLACE) for op in ir.BinaryOp),
    *(ir.Compare(reg("a", BOOL), predicate, P, ir.NULL) for predicate in ir.Predicate),
    *(ir.Cast(reg("a", I64), op, X, PLACE) for op in ir.CastOp),
    ir.Select(reg("a", POINTER), ir.TRUE, ir.Address("g", -4), P),
    *(ir.Bits(reg("a"), op, (X, const(3), C, ir.FALSE, P)) for op in ir.BitsOp),
    *(ir.Overflow(reg("a", BOOL), op, const(1, I128), const(-1, I128)) for op in ir.OverflowOp),
    *(
        ir.FloatOp(reg("a", kind), op, (ir.FloatConst(1, FLOATS[0]), ir.FloatConst(0, kind), X))
        for op in ("fadd", "llvm.fma.f64")
        for kind in FLOATS
    ),
    ir.FloatOp(reg("a", BOOL), "fcmp olt", (ir.FloatConst(1 << 79, FLOATS[2]), X)),
    ir.Offset(reg("a", POINTER), P, 0),
    ir.Offset(reg("a", POINTER), ir.Address("g", 8), -8, ((X, 4), (const(-2, I64), -1))),
    ir.Offset(reg("a", POINTER), ir.Address(None, 3), 0, ((X, 4),)),
    *(ir.Alloca(reg("a", POINTER), size, 16) for size in (X, const(3), const(-1, I64))),
    *(ir.Load(reg("a", kind), P, volatile) for kind in (I8, POINTER) for volatile in (True, False)),
    ir.Store(const(-1, I8), ir.NULL, True),
    ir.Store(ir.FloatConst(5, FLOATS[1]), P, origin=PLACE),
    ir.MemoryCopy(P, ir.Address("g"), const(9, I64)),
    ir.MemorySet(P, const(255, I8), X),
    ir.Havoc(P, const(9), SITE),
    ir.RegionLoad(reg("a", I8), R, ir.Address("g")),
    ir.RegionStore(reg("a", RegionType(I8)), R, P, const(1, I8)),
    ir.RegionFill(reg("a", RegionType(I32)), X),
    ir.RegionFill(reg("a", RegionType(POINTER)), ir.NULL),
    *(ir.RegionHavoc(reg("a", R.type), R, P, const(2, I64), OTHER, w) for w in (True, False)),
    *(ir.Valid(reg("a", BOOL), kind, P, const(0, I64)) for kind in ir.Validity),
    ir.Lifetime(P, True),
    ir.Lifetime(ir.Address("g"), False, PLACE),
    ir.Input(reg("a"), SITE),
    ir.Call((), "f", ()),
    ir.Call((reg("a"), reg("b", R.type)), "odd name", (X, const(1, I8), R, ir.NULL), PLACE),
    ir.Call((reg("a", POINTER),), P, (P,)),
    ir.Bind(LOCAL, X, PLACE),
    ir.Bind(LOCAL, None),
    ir.Bind(NUMBER, const(-5, I64)),
    ir.Bind(NUMBER, ir.FloatConst(3, FLOATS[0])),
)
"""Each statement with each of its operators, operands of all kinds and places."""


@pytest.mark.parametrize("statement", STATEMENTS, ids=str)
def test_a_statement(statement: ir.Statement) -> None:
    same(around(statement))


def test_every_statement_is_there() -> None:
    kinds = {type(statement) for statement in STATEMENTS}
    assert kinds == set(ir.Statement.__args__)


def test_types_follow_from_regions_in_any_order() -> None:
    """A block may stand before those that its registers are defined in."""
    byte, again = reg("byte", I8), reg("again", R.type)
    blocks = (
        ir.Block("0", (), (), ir.Jump("b")),
        ir.Block("a", (), (ir.RegionLoad(byte, again, P),), ir.Return(())),
        ir.Block("b", (), (ir.RegionStore(again, R, P, const(1, I8)),), ir.Jump("a")),
    )
    program = around()
    function = replace(program.functions["f"], blocks=blocks)
    same(replace(program, functions={**program.functions, "f": function}))


@pytest.mark.parametrize(
    "end",
    [
        ir.Branch(C, "phi", "jump", PLACE),
        ir.Branch(ir.TRUE, "null", "a: b"),
        ir.Fail(CHECK, PLACE),
        *(ir.Stop(kind) for kind in ir.StopKind),
    ],
    ids=str,
)
def test_blocks_that_are_called_like_words(end: ir.Terminator) -> None:
    labels = ("phi", "jump", "null", "a: b", "'", "-1", "i32", "program")
    incoming = tuple((label, const(k)) for k, label in enumerate(("0", *labels)))
    blocks = [
        ir.Block("0", (), (), end),
        *(ir.Block(label, (ir.Phi(reg(f"%{label}"), incoming),), (), end) for label in labels),
    ]
    program = around()
    function = replace(program.functions["f"], blocks=tuple(blocks))
    same(replace(program, functions={**program.functions, "f": function}))


ODD = (
    "null",
    "",
    "a b",
    "a,b",
    '"q"',
    "it's",
    "\n",
    "a+4",
    "é",
    "\ud800",
    "#",
    "0",
    "x'; %y",
    "\\",
)


@pytest.mark.parametrize("name", ODD)
def test_names(name: str) -> None:
    register = reg(name)
    body = (
        ir.Input(register, SITE),
        ir.Binary(X, ir.BinaryOp.ADD, register, register),
        ir.Store(X, ir.Address(name, 4)),
    )
    block = ir.Block(name, (), body, ir.Jump(name))
    function = ir.Function(name, (), (), (block,), Origin((Span(name, 1, 2, name),)))
    held = ir.Global(name, 4, 4, True, ((0, ir.Address(name, -1)),))
    same(ir.Program({name: function}, {name: held}, name, 32, (SITE,), ()))


def test_globals() -> None:
    long = ir.Bytes(bytes(range(256)) * 3)
    variables = {0: replace(LOCAL, scope=ir.Scope.GLOBAL), 8: replace(NUMBER, signed=True)}
    leaves = ((0, ir.Bytes(b"ab")), (8, const(-1, I64)), (16, ir.FloatConst(7, FLOATS[1])))
    held = ir.Global("g", 24, 8, False, leaves, variables, PLACE)
    other = ir.Global("h", 800, 1, True, ((0, long), (796, ir.Address("g", 4))))
    program = replace(around(), globals={"g": held, "h": other})
    same(program)
    same(replace(program, globals={"g": held}))
    with pytest.raises(ParseError, match="program:5: bytes are left out: print the program with"):
        parse_program(print_program(program))


PROGRAM = """\
program 64 bit, entry main

function main()
0:
  %x = input i32 site 1
  %c = icmp eq i32 %x, 3
  branch %c ? 1 : 2
1:
  fail check 0
2:
  return

site 1: nondet i32 in : int
check 0: unreach-call reach_error()
"""


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("program 64", "program", "program:1: cannot read `program bit, entry main`"),
        ("%x = input", "%x input", "program:5: expected = behind `%x`"),
        ("icmp eq", "icmp like", "program:6: 'like' is not a valid Predicate"),
        ("i32 %x, 3", "i32 %x, y", "program:6: no number: y"),
        ("i32 %x, 3", "i64 %x, 3", "function main: %x is i32, not i64"),
        ("i32 %x, 3", "i32 %x, 3 4", "program:6: expected the end of the line behind"),
        ("i32 %x, 3", "i32 %y, 3", "function main: no definition of %y"),
        ("site 1\n", "site 2\n", "program:5: there is no site 2"),
        ("check 0\n", "check 1\n", "program:9: there is no check 1"),
        ("  return\n", "", "program:12: a block without an end"),
        ("site 1: n", "sight 1: n", "program:5: there is no site 1"),
        ("check 0: u", "what\ncheck 0: u", "program:14: cannot read `what` here"),
        ("nondet", "odd", "program:13: 'odd' is not a valid SiteKind"),
        ("%c = icmp eq i32 %x, 3", "%c = %x[null]", "function main: the type of %c is not known"),
        (
            "%c = icmp eq i32 %x, 3",
            "%c, %d = select 1",
            "program:6: only a call has several results",
        ),
        (
            "%c = icmp eq i32 %x, 3",
            "copy null, null, 3",
            "program:6: a constant without its type: 3",
        ),
        ("%c = icmp eq i32 %x, 3", "%c = icmp eq (", "program:6: expected a word behind"),
        ("%c = icmp eq i32 %x, 3", "\u2192", "program:6: cannot read"),
    ],
)
def test_what_is_no_program(old: str, new: str, why: str) -> None:
    assert PROGRAM.count(old) == 1
    parse_program(PROGRAM)
    with pytest.raises(ParseError) as caught:
        parse_program(PROGRAM.replace(old, new))
    assert why in str(caught.value)


def test_any_line_may_be_missing_or_cut() -> None:
    """It is read or refused: no other error."""
    lines = PROGRAM.splitlines(keepends=True)
    cut = [PROGRAM[:k] for k in range(len(PROGRAM))]
    for text in [*cut, *("".join(lines[:k] + lines[k + 1 :]) for k in range(len(lines)))]:
        try:
            parse_program(text)
        except ParseError as error:
            assert str(error)
