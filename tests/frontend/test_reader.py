"""LLVM text in, the printed program out."""

from textwrap import dedent

import pytest

from seahorn_py.base.errors import InputError, UnsupportedError
from seahorn_py.frontend.llvmtext.lowered import RawCheck, RawSite
from seahorn_py.frontend.reading.reader import read_text
from seahorn_py.ir.printer import print_function, print_program
from seahorn_py.ir.program import Address, FloatConst, IntConst, SiteKind
from seahorn_py.ir.types import IntType
from seahorn_py.ir.verifier import verify

LAYOUT_64 = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
LAYOUT_32 = "e-m:e-p:32:32-p270:32:32-p271:32:32-p272:64:64-i128:128-f64:32:64-f80:32-n8:16:32-S128"
SITES = tuple(RawSite(n, SiteKind.NONDET, "i32", "nd", "int", True) for n in range(4))
CHECKS = (RawCheck(0, "unreach-call", "reach_error()"), RawCheck(1, "unreach-call", "assert(x)"))


def read(text, layout=LAYOUT_64, entry="f"):
    module = f'target datalayout = "{layout}"\n\n{dedent(text)}'
    program = read_text(module, SITES, CHECKS, entry=entry)
    complaints = [e for e in verify(program) if "entry function has" not in e]
    assert complaints == []
    return program


def body_of(lines, result="void", parameters="i32 %a, i32 %b, ptr %p", **options):
    """The statements of a one-block function, without its end."""
    text = "\n".join(["entry:", *(f"  {line}" for line in lines)])
    objects = "@g = global [4 x i32] zeroinitializer\n"
    program = read(f"{objects}define {result} @f({parameters}) {{\n{text}\n}}\n", **options)
    return print_function(program.functions["f"]).splitlines()[2:]


def one(line, end="ret void", **options):
    """The statements that one instruction becomes."""
    statements = body_of([line, end], **options)
    return [s.strip() for s in statements if s.strip() != "return"]


# ------------------------------------------------------------------------------------- scalars


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("%x = add nuw nsw i32 %a, -1", "%x = add i32 %a, -1"),
        ("%x = udiv exact i32 %a, %b", "%x = udiv i32 %a, %b"),
        ("%x = or disjoint i32 %a, 8", "%x = or i32 %a, 8"),
        ("%x = icmp samesign ult i32 %a, %b", "%x = icmp ult i32 %a, %b"),
        ("%x = icmp eq ptr %p, null", "%x = icmp eq ptr %p, null"),
        ("%x = sext i32 %a to i128", "%x = sext i32 %a to i128"),
        ("%x = trunc nuw i32 %a to i24", "%x = trunc i32 %a to i24"),
        ("%x = sitofp i32 %a to x86_fp80", "%x = sitofp i32 %a to x86_fp80"),
        ("%x = fadd fast float 1.500000e+00, 0x7FF0000000000000",
         "%x = fadd float 0x3fc00000, 0x7f800000"),
        ("%x = fneg double 0xFFF0000000000000", "%x = fneg double 0xfff0000000000000"),
        ("%x = fcmp nnan olt x86_fp80 0xK3FFFC000000000000000, 0xK00000000000000000000",
         "%x = fcmp olt i1 x86_fp80 0x3fffc000000000000000, x86_fp80 0x0"),
        ("%x = load volatile i8, ptr %p, align 1", "%x = load volatile i8 from %p"),
        ("store atomic i32 %a, ptr %p seq_cst, align 4", "store i32 %a to %p"),
        ('%"odd name" = add i32 %a, %b', '%"odd name" = add i32 %a, %b'),
        ("%x = call i32 @llvm.bswap.i32(i32 %a)", "%x = bswap i32 %a"),
        ("%x = call i32 @llvm.fshl.i32(i32 %a, i32 %b, i32 3)", "%x = fshl i32 %a, %b, 3"),
        ("%x = call i32 @llvm.abs.i32(i32 %a, i1 false)", "%x = abs i32 %a"),
        ("%x = call i32 @llvm.usub.sat.i32(i32 %a, i32 %b)", "%x = usub.sat i32 %a, %b"),
        ("%x = call i32 @llvm.cttz.i32(i32 %a, i1 false)", "%x = cttz i32 %a"),
        ("%x = call double @llvm.sqrt.f64(double 4.0)", "%x = llvm.sqrt double 0x4010000000000000"),
        ("%x = call i1 @llvm.is.fpclass.f32(float 0.0, i32 516)",
         "%x = llvm.is.fpclass i1 float 0x0, i32 516"),
        ("%x = call i32 @llvm.fptosi.sat.i32.f64(double 4.0)",
         "%x = fptosi.sat double 0x4010000000000000 to i32"),
        ("call void @llvm.memset.p0.i64(ptr align 4 %p, i8 0, i64 40, i1 false)",
         "set %p, i8 0, i64 40"),
        ("call void @llvm.memmove.p0.p0.i64(ptr %p, ptr @g, i64 8, i1 false)",
         "copy %p, @g, i64 8"),
        ("%x = tail call i32 (ptr, ...) @printf(ptr nonnull @g, i32 %a)",
         "%x = call i32 printf(ptr @g, i32 %a)"),
        ("%x = call fastcc noundef signext range(i32 0, 5) i32 @ext(ptr align 4 %p) #3",
         "%x = call i32 ext(ptr %p)"),
        ("%x = call i32 %p(i32 %a)", "%x = call i32 %p(i32 %a)"),
    ],
)  # fmt: skip
def test_one_instruction_is_one_statement(line, text):
    assert one(line) == [text]


@pytest.mark.parametrize(
    "line",
    [
        "call void @llvm.lifetime.start.p0(ptr %p)",
        "call void @llvm.assume(i1 true)",
        "%s = call ptr @llvm.stacksave.p0()",
        "call void @llvm.stackrestore.p0(ptr %p)",
        "fence seq_cst",
        "%x = freeze i32 %a",
        "%x = getelementptr i8, ptr %p, i64 0",
        "%x = call i32 @llvm.expect.i32(i32 %a, i32 0)",
    ],
)
def test_nothing_happens(line):
    assert one(line) == []


def test_pointer_conversions_go_through_the_pointer_width():
    assert one("%x = ptrtoint ptr %p to i32") == [
        "%!1 = ptrtoint ptr %p to i64",
        "%x = trunc i64 %!1 to i32",
    ]
    assert one("%x = inttoptr i32 %a to ptr") == [
        "%!1 = zext i32 %a to i64",
        "%x = inttoptr i64 %!1 to ptr",
    ]
    assert one("%x = inttoptr i32 %a to ptr", layout=LAYOUT_32) == ["%x = inttoptr i32 %a to ptr"]


def test_overflow_intrinsics_are_a_value_and_a_bit():
    assert body_of(
        [
            "%s = call { i32, i1 } @llvm.smul.with.overflow.i32(i32 %a, i32 %b)",
            "%v = extractvalue { i32, i1 } %s, 0",
            "%o = extractvalue { i32, i1 } %s, 1",
            "%x = select i1 %o, i32 0, i32 %v",
            "ret i32 %x",
        ],
        "i32",
    ) == [
        "  %s!0 = mul i32 %a, %b",
        "  %s!1 = overflow smul i32 %a, %b",
        "  %x = select %s!1 ? i32 0, %s!0",
        "  return %x",
    ]


def test_count_of_zeros_of_zero_is_arbitrary_when_the_flag_says_so():
    assert one("%x = call i32 @llvm.ctlz.i32(i32 %a, i1 true)") == [
        "%!1 = ctlz i32 %a",
        "%!2 = icmp eq i32 %a, 0",
        "%!3 = input i32 site 4",
        "%x = select %!2 ? i32 %!3, %!1",
    ]


def test_a_shift_by_the_width_is_arbitrary():
    assert one("%x = shl i32 %a, 32") == ["%!1 = input i32 site 4"]


# ------------------------------------------------------------------------------------- folding


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        (["%z = zext i1 %c to i32", "%x = icmp ne i32 %z, 0"], "return %c"),
        (["%z = zext i1 %c to i32", "%x = icmp eq i32 %z, 1"], "return %c"),
        (["%z = zext i1 %c to i8", "%x = trunc i8 %z to i1"], "return %c"),
        (["%z = zext i1 %c to i8", "%y = sext i8 %z to i32", "%x = icmp sgt i32 %y, 0"],
         "return %c"),
        (["%z = zext i1 %c to i32", "%x = icmp sgt i32 %z, 4"], "return 0"),
        (["%z = select i1 %c, i32 1, i32 0", "%x = icmp ne i32 %z, 0"], "return %c"),
        (["%x = select i1 %c, i1 true, i1 false"], "return %c"),
        (["%z = zext i1 %c to i32", "%y = and i32 %z, 1", "%x = icmp ne i32 %y, 0"], "return %c"),
    ],
)  # fmt: skip
def test_a_widened_truth_value_compared_again_is_itself(lines, text):
    printed = body_of([*lines, "ret i1 %x"], "i1", "i1 %c")
    assert printed[-1].strip() == text


def test_the_negation_of_a_comparison_is_a_comparison():
    printed = body_of(
        [
            "%c = icmp slt i32 %a, %b",
            "%z = zext i1 %c to i32",
            "%e = icmp eq i32 %z, 0",
            "%x = xor i1 %e, true",
            "ret i1 %x",
        ],
        "i1",
    )
    assert printed[-3:] == [
        "  %e = icmp sge i32 %a, %b",
        "  %x = icmp slt i32 %a, %b",
        "  return %x",
    ]


def test_folding_goes_through_and_or():
    printed = body_of(
        [
            "%c = icmp slt i32 %a, 0",
            "%d = icmp eq i32 %b, 7",
            "%y = zext i1 %c to i32",
            "%z = zext i1 %d to i32",
            "%w = and i32 %y, %z",
            "%x = icmp eq i32 %w, 0",
            "ret i1 %x",
        ],
        "i1",
    )
    assert "  %!1 = and i1 %c, %d" in printed
    assert printed[-2:] == ["  %x = xor i1 %!1, 1", "  return %x"]


# ------------------------------------------------------------------------------------- memory


def test_constant_indices_are_summed_by_the_layout():
    struct = "%s = type { i8, i64, [3 x { i16, double }] }\n%q = type <{ i8, i32 }>\n"
    for layout, offset in ((LAYOUT_64, 16 + 2 * 16 + 8), (LAYOUT_32, 12 + 2 * 12 + 4)):
        program = read(
            struct
            + "define ptr @f(ptr %p) {\n"
            + "  %x = getelementptr inbounds %s, ptr %p, i32 0, i32 2, i64 2, i32 1\n"
            + "  ret ptr %x\n}\n",
            layout=layout,
        )
        assert f"  %x = offset %p + {offset}\n" in print_function(program.functions["f"])
    program = read(
        struct
        + "define ptr @f(ptr %p, i32 %i) {\n"
        + "  %x = getelementptr %q, ptr %p, i64 -1, i32 1\n"
        + "  %y = getelementptr [10 x %q], ptr %x, i64 0, i32 %i, i32 1\n"
        + "  ret ptr %y\n}\n"
    )
    assert print_function(program.functions["f"]).splitlines()[2:4] == [
        "  %x = offset %p + -4",
        "  %y = offset %x + 1 + %i * 5",
    ]


def test_sizes_of_stack_objects():
    assert one("%x = alloca [3 x { i16, double }], align 16") == ["%x = alloca i64 48 align 16"]
    assert one("%x = alloca x86_fp80", layout=LAYOUT_32) == ["%x = alloca i32 12 align 4"]
    assert one("%x = alloca i32, i32 %a, align 4") == [
        "%!1 = zext i32 %a to i64",
        "%!2 = mul i64 %!1, 4",
        "%x = alloca %!2 align 4",
    ]


def test_aggregates_in_memory_are_their_leaves():
    assert one("%x = load { i8, i32 }, ptr %p") == [
        "%x!0 = load i8 from %p",
        "%!1 = offset %p + 4",
        "%x!1 = load i32 from %!1",
    ]
    assert one("store [2 x i16] [i16 1, i16 2], ptr @g") == [
        "store i16 1 to @g",
        "store i16 2 to @g+2",
    ]


def test_atomic_operations_are_a_load_and_a_store():
    assert one("%x = atomicrmw nand ptr %p, i32 %a seq_cst, align 4") == [
        "%x = load i32 from %p",
        "%!2 = and i32 %x, %a",
        "%!1 = xor i32 %!2, -1",
        "store i32 %!1 to %p",
    ]
    assert one("%x = cmpxchg weak ptr %p, i32 %a, i32 %b acq_rel monotonic, align 4") == [
        "%x!0 = load i32 from %p",
        "%x!1 = icmp eq i32 %x!0, %a",
        "%!1 = select %x!1 ? i32 %b, %x!0",
        "store i32 %!1 to %p",
    ]


def test_a_volatile_copy_leaves_arbitrary_bytes():
    line = "call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr @g, i64 8, i1 true)"
    assert one(line) == ["havoc %p, i64 8 site 4"]


# ------------------------------------------------------------------- constants and expressions


def test_constant_expressions_fold_to_addresses_and_numbers():
    lines = [
        "store ptr getelementptr inbounds ([4 x i32], ptr @g, i64 0, i64 3), ptr %p",
        "store ptr inttoptr (i64 -5 to ptr), ptr %p",
        "store i64 sub (i64 ptrtoint (ptr getelementptr (i8, ptr @g, i64 9) to i64), "
        "i64 ptrtoint (ptr @g to i64)), ptr %p",
        "store i32 trunc (i64 ptrtoint (ptr @g to i64) to i32), ptr %p",
        "ret void",
    ]
    assert body_of(lines)[:-1] == [
        "  store ptr @g+12 to %p",
        "  store ptr null+-5 to %p",
        "  store i64 9 to %p",
        "  %!1 = ptrtoint ptr @g to i64",
        "  %!2 = trunc i64 %!1 to i32",
        "  store i32 %!2 to %p",
    ]


def test_initial_values_of_globals_by_offset():
    program = read(
        r"""
        %s = type { i8, ptr, { i16, double } }
        @a = global %s { i8 -1, ptr @b, { i16, double } { i16 0, double 1.0 } }, align 8
        @b = internal constant [5 x i8] c"a\00\22\\\FF", align 1
        @c = global <{ i8, i32 }> <{ i8 1, i32 2 }>
        @d = global [1000000 x i32] zeroinitializer, align 16
        @e = global i64 ptrtoint (ptr getelementptr (i8, ptr @b, i64 2) to i64)
        @l = private unnamed_addr alias ptr, ptr @e
        @unused = global <2 x i32> zeroinitializer
        define ptr @f() {
          %x = load ptr, ptr @a
          %y = load ptr, ptr @c
          %z = load ptr, ptr @d
          %w = load ptr, ptr @l
          ret ptr @f
        }
        """
    )
    leaves = {g.name: (g.size, g.align, g.constant, g.leaves) for g in program.globals.values()}
    byte, word = IntType(8), IntType(32)
    assert list(leaves) == ["a", "b", "c", "d", "e"]
    assert leaves["a"][:3] == (32, 8, False)
    assert leaves["a"][3][:2] == ((0, IntConst(255, byte)), (8, Address("b")))
    assert [at for at, _ in leaves["a"][3]] == [0, 8, 24]
    assert isinstance(leaves["a"][3][2][1], FloatConst)
    assert leaves["b"] == (
        5, 1, True,
        tuple((at, IntConst(v, byte)) for at, v in ((0, 97), (2, 34), (3, 92), (4, 255))),
    )  # fmt: skip
    assert leaves["c"] == (5, 1, False, ((0, IntConst(1, byte)), (1, IntConst(2, word))))
    assert leaves["d"] == (4000000, 16, False, ())
    assert leaves["e"][3] == ((0, Address("b", 2)),)


# ------------------------------------------------------------------------- undefined and arbitrary


def test_undefined_operands_are_inputs_one_per_use():
    lines = [
        "%x = add i32 undef, poison",
        "%f = freeze i32 undef",
        "%y = add i32 %f, %f",
        "ret void",
    ]
    assert body_of(lines)[:-1] == [
        "  %!1 = input i32 site 4",
        "  %!2 = input i32 site 5",
        "  %x = add i32 %!1, %!2",
        "  %!3 = input i32 site 6",
        "  %y = add i32 %!3, %!3",
    ]


def test_an_undefined_value_of_a_phi_is_read_in_the_predecessor():
    program = read(
        """
        define i32 @f(i1 %c) {
          br i1 %c, label %2, label %3

        2:
          br label %3

        3:
          %4 = phi i32 [ undef, %2 ], [ 7, %0 ]
          ret i32 %4
        }
        """
    )
    assert print_function(program.functions["f"]) == dedent(
        """\
        function f(i1 %c) -> i32
        0:
          branch %c ? 2 : 3
        2:
          %!1 = input i32 site 4
          jump 3
        3:
          %4 = phi i32 [2: %!1, 0: 7]
          return %4
        """
    )
    assert [(s.number, s.kind, s.native) for s in program.sites] == [(4, SiteKind.HAVOC, False)]


def test_what_a_phi_needs_has_the_place_of_the_jump():
    program = read(
        """
        define i64 @f() !dbg !3 {
        entry:
          br label %a, !dbg !1

        a:
          %x = phi i64 [ ptrtoint (ptr @f to i64), %entry ], !dbg !4
          ret i64 %x, !dbg !4
        }
        !1 = !DILocation(line: 12, column: 3, scope: !3)
        !2 = !DIFile(filename: "some.c", directory: "/nowhere")
        !3 = distinct !DISubprogram(name: "f", scope: !2, file: !2, line: 11)
        !4 = !DILocation(line: 13, column: 3, scope: !3)
        """
    )
    assert "  %!1 = ptrtoint ptr @f to i64  ; some.c:12:3 in f\n" in print_function(
        program.functions["f"], places=True
    )


# ----------------------------------------------------------------------------------- aggregates


def test_aggregate_registers_are_leaves_everywhere():
    program = read(
        """
        define { i32, { ptr, i8 } } @g(i1 %c, { i32, { ptr, i8 } } %s, { ptr, i8 } %t) {
        entry:
          br i1 %c, label %a, label %b

        a:
          %u = insertvalue { i32, { ptr, i8 } } %s, { ptr, i8 } %t, 1
          br label %b

        b:
          %v = phi { i32, { ptr, i8 } } [ %u, %a ], [ zeroinitializer, %entry ]
          %w = extractvalue { i32, { ptr, i8 } } %v, 1, 1
          %x = select i1 %c, { i32, { ptr, i8 } } %v, { i32, { ptr, i8 } } %s
          %y = insertvalue { i32, { ptr, i8 } } %x, i8 %w, 1, 1
          ret { i32, { ptr, i8 } } %y
        }
        define i8 @f({ ptr, i8 } %t) {
          %r = call { i32, { ptr, i8 } } @g(i1 true, { i32, { ptr, i8 } } poison, { ptr, i8 } %t)
          %x = extractvalue { i32, { ptr, i8 } } %r, 1, 1
          ret i8 %x
        }
        """
    )
    assert print_function(program.functions["g"]) == dedent(
        """\
        function g(i1 %c, i32 %s!0, ptr %s!1, i8 %s!2, ptr %t!0, i8 %t!1) -> i32, ptr, i8
        entry:
          branch %c ? a : b
        a:
          jump b
        b:
          %v!0 = phi i32 [a: %s!0, entry: 0]
          %v!1 = phi ptr [a: %t!0, entry: null]
          %v!2 = phi i8 [a: %t!1, entry: 0]
          %x!0 = select %c ? i32 %v!0, %s!0
          %x!1 = select %c ? ptr %v!1, %s!1
          %x!2 = select %c ? i8 %v!2, %s!2
          return %x!0, %x!1, %v!2
        """
    )
    assert (
        "%r!0, %r!1, %r!2 = call i32, ptr, i8 g(i1 1, i32 %!1, ptr %!2, i8 %!3, ptr %t!0, i8 %t!1)"
        in print_function(program.functions["f"])
    )


# ------------------------------------------------------------------------------------- control


def test_a_switch_is_a_chain_and_its_phis_follow():
    program = read(
        """
        define i32 @f(i32 %v) {
        e:
          switch i32 %v, label %d [
            i32 1, label %j
            i32 -2, label %k
            i32 3, label %j
          ]

        k:
          br label %j

        d:
          ret i32 9

        j:
          %x = phi i32 [ 5, %e ], [ 5, %e ], [ 6, %k ]
          ret i32 %x
        }
        """
    )
    assert print_function(program.functions["f"]) == dedent(
        """\
        function f(i32 %v) -> i32
        e:
          %!1 = icmp eq i32 %v, 1
          branch %!1 ? j : e!1
        e!1:
          %!2 = icmp eq i32 %v, -2
          branch %!2 ? k : e!2
        e!2:
          %!3 = icmp eq i32 %v, 3
          branch %!3 ? j : d
        d:
          return 9
        k:
          jump j
        j:
          %x = phi i32 [e: 5, e!2: 5, k: 6]
          return %x
        """
    )


def test_sea_functions_become_inputs_and_exits():
    program = read(
        """
        define void @sea.main() {
        entry:
          %x = call i32 @sea.input.i32(i32 2)
          %p = alloca i64
          call void @sea.havoc(ptr %p, i64 8, i32 1)
          %c = icmp sgt i32 %x, 0
          call void @sea.assume(i1 %c)
          call void @sea.check(i1 true, i32 1)
          %d = icmp eq i32 %x, 5
          call void @sea.check(i1 %d, i32 0)
          br i1 %d, label %stop, label %out

        stop:
          call void @sea.stop()
          %dead = add i32 %x, 1
          unreachable

        out:
          %y = phi i32 [ %x, %entry ]
          call void @sea.check(i1 false, i32 1)
          br label %never

        never:
          ret void
        }
        """,
        entry="sea.main",
    )
    assert print_program(program) == dedent(
        """\
        program 64 bit, entry sea.main

        function sea.main()
        entry:
          %x = input i32 site 2
          %p = alloca i64 8 align 8
          havoc %p, i64 8 site 1
          %c = icmp sgt i32 %x, 0
          branch %c ? entry!1 : entry!1!exit
        entry!1!exit:
          stop blocked
        entry!1:
          %d = icmp eq i32 %x, 5
          branch %d ? entry!2 : entry!2!exit
        entry!2!exit:
          fail check 0
        entry!2:
          branch %d ? stop : out
        stop:
          stop end
        out:
          %y = phi i32 [entry!2: %x]
          fail check 1

        site 1: nondet i8 nd : int
        site 2: nondet i32 nd : int
        check 0: unreach-call reach_error()
        check 1: unreach-call assert(x)
        """
    )


def test_blocks_that_the_entry_does_not_reach_are_dropped():
    program = read(
        """
        define i32 @f() {
        e:
          br i1 false, label %a, label %b

        a:
          br label %b

        b:
          %x = phi i32 [ 1, %a ], [ 2, %e ], [ 3, %nowhere ]
          ret i32 %x

        nowhere:
          br label %b
        }
        """
    )
    blocks = program.functions["f"].blocks
    assert [b.label for b in blocks] == ["e", "b"]
    assert blocks[1].phis[0].incoming == (("e", IntConst(2, IntType(32))),)


# ---------------------------------------------------------------------------------------- calls


def test_an_object_passed_by_value_is_copied_by_the_caller():
    assert one("call void @ext(ptr byval({ i32, i64 }) align 8 %p)") == [
        "%!1 = alloca i64 16 align 8",
        "copy %!1, %p, i64 16",
        "call void ext(ptr %!1)",
    ]


def test_a_call_that_does_not_fit_the_definition():
    """Old C: what fits is converted, what follows the first misfit is arbitrary."""
    program = read(
        """
        define i8 @g(i8 %x, ptr %p, double %d, i32 %y) {
          ret i8 %x
        }
        define i32 @f(i32 %a) {
          %r = call i32 (...) @g(i32 %a, i64 5, i64 6, i32 7)
          call void @g(i8 1)
          ret i32 %r
        }
        """
    )
    assert print_function(program.functions["f"]).splitlines()[2:] == [
        "  %!1 = trunc i32 %a to i8",
        "  %!2 = inttoptr i64 5 to ptr",
        "  %!3 = input double site 4",
        "  %!4 = input i32 site 5",
        "  call void sea.passed(i64 6, i32 7)",
        "  %!5 = call i8 g(i8 %!1, ptr %!2, double %!3, i32 %!4)",
        "  %!6 = input i32 site 6",
        "  %!7 = input ptr site 7",
        "  %!8 = input double site 8",
        "  %!9 = input i32 site 9",
        "  %!10 = call i8 g(i8 1, ptr %!7, double %!8, i32 %!9)",
        "  return %!6",
    ]


def test_only_what_the_entry_reaches_is_read():
    program = read(
        """
        @table = global [2 x ptr] [ptr @h, ptr null]
        define void @f() {
          %x = load ptr, ptr @table
          ret void
        }
        define void @h() {
          ret void
        }
        define void @unreached(<2 x i32> %v) {
          %x = add <2 x i32> %v, %v
          ret void
        }
        """
    )
    assert list(program.functions) == ["f", "h"]


# -------------------------------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("%x = add <2 x i32> zeroinitializer, zeroinitializer", "vectors of this type"),
        ('call void asm sideeffect "nop", ""()', "inline assembly"),
        ("%x = va_arg ptr %p, i32", "the instruction va_arg"),
        ("invoke void @ext() to label %a unwind label %b", "the instruction invoke"),
        ("%x = fadd half 0xH3C00, 0xH3C00", "the type half"),
        ("%x = load i256, ptr %p", "integers of 256 bits"),
        ("%x = call i32 @llvm.unknown.thing(i32 1)", "the intrinsic llvm.unknown.thing"),
        ("%x = load ptr, ptr blockaddress(@f, %entry)", "the constant blockaddress"),
    ],
)
def test_refused_constructs_name_the_c_line(line, reason):
    text = f"""
        define void @f(ptr %p) !dbg !3 {{
        entry:
          {line}, !dbg !1
          ret void
        }}
        !1 = !DILocation(line: 12, column: 3, scope: !3)
        !2 = !DIFile(filename: "some.c", directory: "/nowhere")
        !3 = distinct !DISubprogram(name: "f", scope: !2, file: !2, line: 11)
        """
    with pytest.raises(UnsupportedError, match=f"^some.c:12:3: .*{reason}"):
        read(text)


def test_quoted_names_are_kept_apart_from_made_ones():
    program = read(
        """
        define i32 @"odd name"({ i32 } %a, i32 %"a!0") {
        "first block":
          br label %"1"

        "1":
          %x = phi i32 [ %"a!0", %"first block" ]
          %y = extractvalue { i32 } %a, 0
          %"2" = add i32 %x, %y
          ret i32 %"2"
        }
        define i32 @f() {
          %1 = call i32 @"odd name"({ i32 } zeroinitializer, i32 1)
          ret i32 %1
        }
        """
    )
    assert print_function(program.functions["odd name"]) == dedent(
        """\
        function 'odd name'(i32 %a!0, i32 %"a!0") -> i32
        "first block":
          jump "1"
        "1":
          %x = phi i32 ["first block": %"a!0"]
          %"2" = add i32 %x, %a!0
          return %"2"
        """
    )


def test_text_that_breaks_the_contract_is_an_input_error():
    with pytest.raises(InputError, match=r"no definition of sea\.main"):
        read("define void @f() {\n  ret void\n}\n", entry="sea.main")
    with pytest.raises(InputError, match="input site 77"):
        one("%x = call i32 @sea.input.i32(i32 77)")
    with pytest.raises(InputError, match="check 9"):
        one("call void @sea.check(i1 true, i32 9)")
    with pytest.raises(InputError, match="the global e has no initial value"):
        read("@e = external global i32\ndefine ptr @f() {\n  ret ptr @e\n}\n")
    with pytest.raises(InputError, match="expected"):
        one("%x = add i32 %a %b")


def test_reading_time_grows_linearly():
    """No stack is used up and nothing is searched: 40,000 instructions in one block."""
    lines = "\n".join(f"  %x{i + 1} = add i32 %x{i}, {i}" for i in range(40_000))
    program = read(f"define i32 @f(i32 %x0) {{\n{lines}\n  ret i32 %x40000\n}}\n")
    assert len(program.functions["f"].blocks[0].statements) == 40_000
