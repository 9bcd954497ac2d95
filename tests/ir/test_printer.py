from seahorn_py.base.errors import Origin, Span
from seahorn_py.ir import program as ir
from seahorn_py.ir.printer import print_function, print_program, print_statement
from seahorn_py.ir.types import BOOL, POINTER, FloatKind, FloatType, IntType

I32 = IntType(32)
I8 = IntType(8)
DOUBLE = FloatType(FloatKind.DOUBLE)
PLACE = Origin((Span("a.c", 3, 5, "f"), Span("a.c", 9, 2, "main")))
SITE = ir.Site(4, ir.SiteKind.NONDET, I32, "__VERIFIER_nondet_int", "int", PLACE)
CHECK = ir.CheckSite(2, "unreach-call", "reach_error()", PLACE)


def reg(name, kind=I32):
    return ir.Register(name, kind)


def const(value, kind=I32):
    return ir.IntConst(value, kind)


X, Y, P, C = reg("x"), reg("y"), reg("p", POINTER), reg("c", BOOL)


def test_every_statement_has_one_line():
    variable = ir.Variable("v", "struct s", None, ir.Scope.LOCAL, None, ".m")
    cases = {
        ir.Binary(X, ir.BinaryOp.ADD, Y, const(2**32 - 1)): "%x = add i32 %y, -1",
        ir.Compare(C, ir.Predicate.ULT, X, Y): "%c = icmp ult i32 %x, %y",
        ir.Cast(X, ir.CastOp.ZEXT, C): "%x = zext i1 %c to i32",
        ir.Select(X, C, Y, const(0)): "%x = select %c ? i32 %y, 0",
        ir.Bits(X, ir.BitsOp.FSHL, (X, Y, const(3))): "%x = fshl i32 %x, %y, 3",
        ir.Overflow(C, ir.OverflowOp.SMUL, X, Y): "%c = overflow smul i32 %x, %y",
        ir.FloatOp(reg("d", DOUBLE), "fadd", (reg("d", DOUBLE), ir.FloatConst(1, DOUBLE))): (
            "%d = fadd double %d, 0x1"
        ),
        ir.Offset(P, ir.Address("g", 4), 8, ((X, 4),)): "%p = offset @g+4 + 8 + %x * 4",
        ir.Offset(P, P, 0): "%p = offset %p + 0",
        ir.Alloca(P, const(40), 16): "%p = alloca i32 40 align 16",
        ir.Load(X, P): "%x = load i32 from %p",
        ir.Load(X, ir.NULL, True): "%x = load volatile i32 from null",
        ir.Store(const(1, BOOL), P): "store i1 1 to %p",
        ir.MemoryCopy(P, ir.Address("s"), const(8)): "copy %p, @s, i32 8",
        ir.MemorySet(P, const(255, I8), const(8)): "set %p, i8 -1, i32 8",
        ir.Havoc(P, const(8), SITE): "havoc %p, i32 8 site 4",
        ir.Input(X, SITE): "%x = input i32 site 4",
        ir.Call((), "f", (X, P)): "call void f(i32 %x, ptr %p)",
        ir.Call((X, C), P, ()): "%x, %c = call i32, i1 %p()",
        ir.Bind(variable, X): "bind v.m = %x : struct s, local",
        ir.Bind(variable, None): "bind v.m = ? : struct s, local",
    }
    for statement, text in cases.items():
        assert print_statement(statement) == text


def test_a_function_with_and_without_places():
    body = (
        ir.Block("0", (), (ir.Input(X, SITE),), ir.Jump("loop")),
        ir.Block(
            "loop",
            (ir.Phi(Y, (("0", const(0)), ("loop", X))),),
            (ir.Compare(C, ir.Predicate.EQ, Y, X, PLACE),),
            ir.Branch(C, "bad", "out"),
        ),
        ir.Block("bad", (), (), ir.Fail(CHECK)),
        ir.Block("out", (), (), ir.Return((Y, const(1)))),
        ir.Block("end", (), (), ir.Stop(ir.StopKind.BLOCKED)),
    )
    function = ir.Function("f", (X, P), (I32, I32), body)
    assert print_function(function) == (
        "function f(i32 %x, ptr %p) -> i32, i32\n"
        "0:\n"
        "  %x = input i32 site 4\n"
        "  jump loop\n"
        "loop:\n"
        "  %y = phi i32 [0: 0, loop: %x]\n"
        "  %c = icmp eq i32 %y, %x\n"
        "  branch %c ? bad : out\n"
        "bad:\n"
        "  fail check 2\n"
        "out:\n"
        "  return %y, 1\n"
        "end:\n"
        "  stop blocked\n"
    )
    placed = print_function(function, places=True)
    assert "  %c = icmp eq i32 %y, %x  ; a.c:3:5 in f <- a.c:9:2 in main\n" in placed


def test_a_program_lists_globals_sites_checks_and_assumptions():
    variable = ir.Variable("g", "int", True, ir.Scope.GLOBAL, None)
    item = ir.Global("g", 8, 4, False, ((0, const(7)), (4, ir.Address("g", 4))), {0: variable})
    function = ir.Function("sea.main", (), (), (ir.Block("0", (), (), ir.Return(())),))
    program = ir.Program(
        {"sea.main": function}, {"g": item}, "sea.main", 32, (SITE,), (CHECK,), ("no overflow",)
    )
    assert print_program(program) == (
        "program 32 bit, entry sea.main\n"
        "global @g 8 bytes align 4 {0: i32 7, 4: ptr @g+4}\n"
        "  0: g : int, signed global\n"
        "\n"
        "function sea.main()\n"
        "0:\n"
        "  return\n"
        "\n"
        "site 4: nondet i32 __VERIFIER_nondet_int : int\n"
        "check 2: unreach-call reach_error()\n"
        "assumed: no overflow\n"
    )
