"""Lowering: what every construct becomes, and that no pass loses an error."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from seahorn_py.base.errors import InputError, UnsupportedError
from seahorn_py.frontend.compiling.compiler import compile_files
from seahorn_py.frontend.lowering.inlining import Body, to_inline
from seahorn_py.frontend.lowering.optimizer import Lowered, RawSite, lower
from seahorn_py.ir.operands import PADDING
from seahorn_py.ir.program import SiteKind
from seahorn_py.options import FrontendOptions, Inlining, Property
from seahorn_py.processes.deadline import Deadline

PRELUDE = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n"


def lower_text(folder: Path, *texts: str, **options: object) -> Lowered:
    given = FrontendOptions(**options)  # type: ignore[arg-type]
    files = []
    for number, text in enumerate(texts):
        file = folder / f"p{number}.c"
        file.write_text(text)
        files.append(file)
    deadline = Deadline.after(100)
    return lower(compile_files(files, given, deadline), given, deadline)


def body(text: str, name: str = "sea.main") -> str:
    """The lines of a function, without debug information."""
    found = re.search(rf"^define [^\n]*@{re.escape(name)}\(.*?^}}", text, re.MULTILINE | re.DOTALL)
    assert found, f"no function {name}"
    lines = [line for line in found[0].splitlines() if "#dbg_" not in line]
    return re.sub(r", !dbg !\d+| #\d+| nomerge noduplicate", "", "\n".join(lines))


def site(lowered: Lowered, name: str) -> RawSite:
    (found,) = [s for s in lowered.sites if s.name == name]
    return found


def texts_of_checks(lowered: Lowered) -> list[str]:
    """Texts of the checks that are left in the optimised text, in its order."""
    numbers = re.findall(r"@sea\.check\(i1 [^,]*, i32 (\d+)\)", body(lowered.optimized))
    return [lowered.checks[int(n)].text for n in numbers]


# ------------------------------------------------------------------------------ initialisation


def test_a_local_of_a_loop_body_is_fresh_in_each_iteration(tmp_path: Path) -> None:
    program = PRELUDE + (
        "int main() { int n = __VERIFIER_nondet_int();\n"
        " for (int i = 0; i < n; i++) { int y; if (y > 7) reach_error(); if (i == 2) y = 3; } }"
    )
    lowered = lower_text(tmp_path, program)
    y = site(lowered, "y")
    assert (y.kind, y.type, y.c_type, y.signed) == (SiteKind.UNINIT, "i32", "int", True)
    found = re.search(rf"(%\S+) = call i32 @sea.input.i32\(i32 {y.number}\)", lowered.optimized)
    assert found
    main = body(lowered.optimized)
    assert f"icmp sgt i32 {found[1]}, 7" in main
    assert main.index(" = phi ") < main.index(found[1])
    assert "undef" not in main and "poison" not in main


def test_declarations_jumped_over_have_one_value(tmp_path: Path) -> None:
    program = PRELUDE + (
        "int main() { int x = __VERIFIER_nondet_int();\n"
        " switch (x) { int z; case 1: z = 3; case 2:"
        " if (z == 5) reach_error(); }\n"
        " goto in; { int g; in: if (g != 9) reach_error(); } }"
    )
    lowered = lower_text(tmp_path, program)
    main = body(lowered.optimized)
    assert re.search(r"phi i32 \[ %sea\.\S+, .* 3, |phi i32 \[ 3, .* %sea\.", main)
    assert "undef" not in main and "poison" not in main
    assert len(texts_of_checks(lowered)) == 2


def test_small_aggregates_become_registers_and_large_ones_one_havoc(tmp_path: Path) -> None:
    program = PRELUDE + (
        "struct in { char c; short s[2]; }; struct out { int a; struct in b; double d; };\n"
        "int main() { struct out o; int big[100]; int i = __VERIFIER_nondet_int();\n"
        " if (o.b.s[1] == 3 && o.a == 4 && o.d > 1) reach_error();\n"
        " if (big[i & 31]) reach_error(); }"
    )
    lowered = lower_text(tmp_path, program)
    kinds = [(s.type, s.c_type == PADDING) for s in lowered.sites if s.name == "o"]
    members = [kind for kind, is_padding in kinds if not is_padding]
    assert members == ["i32", "i8", "i16", "i16", "double"]
    assert len(kinds) > len(members)
    main = body(lowered.optimized)
    assert main.count("alloca") == 1
    assert re.search(r"call void @sea\.havoc\(ptr %\S+, i64 400, i32 \d+\)", main)
    assert site(lowered, "big").c_type == "int []"


def test_initialised_locals_need_no_input(tmp_path: Path) -> None:
    program = (
        "int main(void) { int a = 1; int v[3] = {1, 2, 3}; struct { int x; char y; } s = {5};\n"
        " int z[30] = {0}; int *p = &a; return a + v[2] + s.x + z[3] + *p; }"
    )
    assert lower_text(tmp_path, program).sites == ()


def test_variable_length_arrays_and_missing_returns_are_arbitrary(tmp_path: Path) -> None:
    program = PRELUDE + (
        "int f(int n) { if (n > 3) return 1; }\n"
        "int main() { int n = __VERIFIER_nondet_int(); int a[n]; if (f(n) == a[0]) reach_error(); }"
    )
    lowered = lower_text(tmp_path, program, bits=32)
    main = body(lowered.optimized)
    assert re.search(r"mul i32 %\S+, 4\n  call void @sea\.havoc\(ptr %\S+, i32 %\S+, i32", main)
    assert "undef" not in main and "poison" not in main


# ---------------------------------------------------------------------------------------- inputs


def test_names_and_types_of_inputs(tmp_path: Path) -> None:
    program = (
        "extern _Bool __VERIFIER_nondet_bool(void); extern unsigned char __VERIFIER_nondet_uchar();"
        "typedef unsigned long T; extern T __VERIFIER_nondet_ulong(void); extern int nd(void);\n"
        "extern char *__VERIFIER_nondet_pchar(void); extern double nondet_double(void);\n"
        "struct S { int a[9]; }; extern struct S __VERIFIER_nondet_S(void);\n"
        "int __VERIFIER_nondet_int(void) { return 7; }\n"
        "extern unsigned other(int); void use(struct S *);\n"
        "int main(void) { struct S s = __VERIFIER_nondet_S(); use(&s); return"
        " __VERIFIER_nondet_bool() + __VERIFIER_nondet_uchar() + __VERIFIER_nondet_ulong() + nd()\n"
        " + (__VERIFIER_nondet_pchar() == 0) + (nondet_double() > 0) + __VERIFIER_nondet_int()"
        " + __VERIFIER_nondet_U8() + other(3); }"
    )
    lowered = lower_text(tmp_path, program)
    named = {s.name: (s.kind, s.type, s.c_type, s.signed) for s in lowered.sites}
    nondet = SiteKind.NONDET
    assert named["__VERIFIER_nondet_bool"] == (nondet, "i1", "_Bool", False)
    assert named["__VERIFIER_nondet_uchar"] == (nondet, "i8", "unsigned char", False)
    assert named["__VERIFIER_nondet_ulong"] == (nondet, "i64", "T", False)
    assert named["__VERIFIER_nondet_pchar"] == (nondet, "ptr", "char *", None)
    assert named["__VERIFIER_nondet_int"] == (nondet, "i32", "int", True)
    assert named["__VERIFIER_nondet_U8"][:2] == (nondet, "i32")
    assert named["nd"][0] is nondet and named["nondet_double"][:2] == (nondet, "double")
    assert named["__VERIFIER_nondet_S"][0] is nondet
    assert named["other"][:2] == (SiteKind.EXTERN, "i32")
    assert any(text.startswith("other") for text in lowered.assumptions)
    assert "@sea.silent.use(ptr" in lowered.optimized


def test_inputs_keep_the_place_of_the_call_and_copies_their_own_numbers(tmp_path: Path) -> None:
    program = PRELUDE + (
        "int get(void) { return __VERIFIER_nondet_int(); }\n"
        "int main() { if (get() != get()) reach_error(); }"
    )
    lowered = lower_text(tmp_path, program)
    pattern = r"@sea\.input\.i32\(i32 (\d)\) (?:#\d+|nomerge noduplicate), !dbg !\d+"
    for text in (lowered.native, lowered.optimized):
        assert re.findall(pattern, text) == ["0", "1"]
    assert re.search(
        r"attributes #\d+ = \{ (nomerge noduplicate|noduplicate nomerge) \}", lowered.optimized
    )
    assert [s.number for s in lowered.sites] == [0, 1]


def test_a_shift_is_defined_for_every_amount(tmp_path: Path) -> None:
    program = PRELUDE + (
        "int main() { int x = __VERIFIER_nondet_int();\n"
        " if ((1 << x) == 0) reach_error(); if ((1 << (x & 31)) == 4) reach_error(); }"
    )
    main = body(lower_text(tmp_path, program).optimized)
    (small,) = re.findall(r"(%\S+) = icmp ult i32 %\S+, 32", main)
    assert re.search(rf"select i1 {small}, i32 %\S+, i32 %\S+", main)
    assert main.count(" shl ") == 2
    assert len(re.findall("sea.check", main)) == 2


# ---------------------------------------------------------------------------------------- events

ERRORS = (
    "extern void __assert_fail(const char *, const char *, unsigned, const char *);\n"
    'void reach_error() { __assert_fail("0", "", 1, ""); }\n'
    "extern int __VERIFIER_nondet_int(void);\n"
    "int main() { int x = __VERIFIER_nondet_int(); %s\n"
    ' x > 3 ? (void)0 : __assert_fail("x > 3", "p.c", 9, "main"); return 0; }'
)


def test_which_calls_are_errors(tmp_path: Path) -> None:
    unreach = frozenset({Property.UNREACH_CALL})
    both = ERRORS % "if (x == 1) reach_error();"
    assert texts_of_checks(lower_text(tmp_path, both)) == ["reach_error()", "assert(x > 3)"]
    assert texts_of_checks(lower_text(tmp_path, both, properties=unreach)) == ["reach_error()"]
    only = ERRORS.replace("reach_error", "other") % ""
    assert texts_of_checks(lower_text(tmp_path, only, properties=unreach)) == ["assert(x > 3)"]


def test_named_functions_and_labels_are_errors(tmp_path: Path) -> None:
    program = (
        "extern int nd(void); void bad(int x) {}\n"
        "int main() { int x = nd(); if (x == 1) bad(2); if (x == 2) goto BUG; return 0;\n"
        " BUG: return 1; }"
    )
    assert lower_text(tmp_path, program).checks == ()
    lowered = lower_text(tmp_path, program, error_functions=("bad",), error_labels=("BUG",))
    assert sorted(texts_of_checks(lowered)) == ["BUG:", "bad()"]


def test_assumes_asserts_and_ends(tmp_path: Path) -> None:
    program = (
        "#include <seahorn/seahorn.h>\n#include <stdlib.h>\n#include <stdio.h>\n"
        "extern void __VERIFIER_assert(int); void abort(void);\n"
        "int main() { int x = nd_int(); assume(x > 1); __builtin_assume(x < 99);\n"
        ' __VERIFIER_assert(x != 5); sassert(x != 7); printf("%d", x); free(0);\n'
        " if (x == 8) __builtin_unreachable(); if (x == 9) exit(1); abort(); }"
    )
    lowered = lower_text(tmp_path, program)
    main = body(lowered.optimized)
    assert len(re.findall(r"@sea\.assume\(i1 %", main)) == 2
    assert texts_of_checks(lowered) == ["__VERIFIER_assert()", "assert(x != 7)"]
    assert all(part.rstrip().endswith("@sea.stop()") for part in main.split("unreachable")[:-1])
    assert "printf" not in main and "free" not in main and "exit" not in main


def test_an_event_called_through_a_pointer_is_still_one(tmp_path: Path) -> None:
    program = PRELUDE + "int main() { void (*volatile f)(void) = reach_error; f(); }"
    lowered = lower_text(tmp_path, program)
    assert "call void @sea.check(i1 false, i32 0)" in body(lowered.optimized, "reach_error")


def test_old_style_calls_are_inlined(tmp_path: Path) -> None:
    program = PRELUDE + (
        "int main() { char *p = mk(1, 2); assert(narrow(300)); if (id(3) == 3) late(); }\n"
        "mk(a) { return a; } id(s) short s; { return s; }\n"
        "late() { reach_error(); } narrow(c) char c; { return c; }\n"
    )
    lowered = lower_text(tmp_path, program, bits=32)
    main = body(lowered.optimized)
    assert not re.search(r"@(mk|id|late|narrow)\b", main)
    assert texts_of_checks(lowered) == ["assert()", "reach_error()"]


OPTIMISER_EXPLOITS = """
int n = nd(); if (n + 1 < n) err1();
int *p = (int *)nd(); int v = 0; if (p == 0) { v = *p; err2(); }
if ((1 << n) == 0 && n > 40) err3();
int u; if (u != 3 && n == 2) err4();
if (abs(n) < 0) err5();
{ int w; for (int i = 0; i < 3; i++) { if (w > 7) err6(); } }
if (n == 4) { *(int *)0 = 1; err7(); }
if (p + n < p) err8();
int a[4] = {0}; if (n > 4) { a[n] = 1; err9(); }
if (n == INT_MIN && n / -1 < 0) err10();
if (missing(n) == 42) err11();
float f = 2.0f; *(int *)&f = n; if (f == 1.0f) err12();
__builtin_assume(n > 0); if (n > 5) err13();
nonnull(p); if (p == 0) err14();
unsigned char b; if (b == 200 && n == 6) err15();
_Bool t; if (t && n == 8) err16();
int big = (int)1e20; if (big == 5) err17();
if (constant(n)) err18();
if (n * 2 / 2 != n) err19();
struct { char c; int d; } s1; if (s1.d == 9 && s1.c == 1) err20();
restricted(&n, &n); if (n == 2) err21();
if (-n == n && n != 0) err22();
volatile int vi; if (vi != vi) err23();
""".strip()


def test_no_pass_loses_an_error_that_undefined_behaviour_leads_to(tmp_path: Path) -> None:
    lines = OPTIMISER_EXPLOITS.splitlines()
    names = [f"err{i + 1}" for i in range(len(lines))]
    program = (
        "#include <limits.h>\n#include <stdlib.h>\nextern int nd(void);\n"
        + "".join(f"void {name}(void);\n" for name in names)
        + "int missing(int n) { if (n < 0) return 1; }\n"
        "__attribute__((nonnull)) static void nonnull(int *q) {}\n"
        "__attribute__((const)) static int constant(int q) { if (q == 3) err18(); return 0; }\n"
        "static void restricted(int *restrict a, int *restrict b) { *a = 1; *b = 2; }\n"
        f"int main(void) {{\n{OPTIMISER_EXPLOITS}\nreturn 0; }}"
    )
    lowered = lower_text(tmp_path, program, error_functions=tuple(names))
    assert set(texts_of_checks(lowered)) == {f"{name}()" for name in names}


# ------------------------------------------------------------------------------- entry, linking


def test_main_gets_its_arguments(tmp_path: Path) -> None:
    lowered = lower_text(tmp_path, "int main(int argc, char **argv) { return argc; }")
    main = body(lowered.native)
    found = re.search(
        r"(%\S+) = call i32 @sea\.input\.i32\(i32 0\)\n\s+(%\S+) = icmp sgt i32 \1, 0\n"
        r"\s+call void @sea\.assume\(i1 \2\)",
        main,
    )
    assert found, main


def test_extern_globals_then_constructors_then_main(tmp_path: Path) -> None:
    program = PRELUDE + (
        "extern int given; extern int table[100]; int mine = 3; static int set;\n"
        "__attribute__((constructor(200))) void second(void) { set = set * 2; }\n"
        "__attribute__((constructor(150))) void first(void) { set = given + 1; }\n"
        "int main() { if (set == mine + table[2]) reach_error(); }"
    )
    lowered = lower_text(tmp_path, program)
    main = body(lowered.native)
    order = [main.index(part) for part in ("ptr @given", "@sea.havoc(ptr @table", "add i32", "mul")]
    assert order == sorted(order)
    assert site(lowered, "given").kind is SiteKind.EXTERN
    assert "@given = internal global i32 0" in lowered.native
    assert "@mine = internal global i32 3" in lowered.native


def test_files_are_linked_and_static_names_stay_apart(tmp_path: Path) -> None:
    one = PRELUDE + "static int f(void) { return 1; } int g(void); int main() { return f() + g(); }"
    two = PRELUDE + "static int f(void) { reach_error(); return 2; } int g(void) { return f(); }"
    assert texts_of_checks(lower_text(tmp_path, one, two)) == ["reach_error()"]
    with pytest.raises(InputError, match="linking: Linking globals named 'g'"):
        lower_text(tmp_path, one, two, "int g(void) { return 1; }")


def test_recursion_stays_a_call(tmp_path: Path) -> None:
    program = PRELUDE + (
        "int odd(int n); int even(int n) { return n == 0 ? 1 : odd(n - 1); }\n"
        "__attribute__((noinline)) int once(int n) { return even(n); }\n"
        "int odd(int n) { return n == 0 ? 0 : even(n - 1); } int dead(void) { return dead(); }\n"
        "int main() { if (once(__VERIFIER_nondet_int())) reach_error(); }"
    )
    lowered = lower_text(tmp_path, program)
    assert "call i32 @even(" in body(lowered.optimized)
    assert "@once" not in body(lowered.native) and "@dead" not in lowered.native
    kept = lower_text(tmp_path, program, inlining=Inlining.NONE)
    assert "call i32 @main()" in body(kept.native)


def test_a_budget_bounds_inlining() -> None:
    doubling = {f"f{i}": Body(50, (f"f{i + 1}",) * 2) for i in range(40)} | {"f40": Body(50, ())}
    assert len(to_inline(doubling, "f0", Inlining.ALL)) == 40
    chosen = to_inline(doubling, "f0", Inlining.AUTO)
    assert "f40" in chosen and len(chosen) < 40
    assert to_inline(doubling, "f0", Inlining.NONE) == frozenset()


def test_of_a_short_text_that_repeats_itself_only_the_smallest_functions_are_inlined() -> None:
    def chain(length: int) -> dict[str, Body]:
        calls = {f"f{i}": Body(20, (f"f{i + 1}",) * 2) for i in range(length)}
        return calls | {f"f{length}": Body(20, ())}

    assert to_inline(chain(4), "f0", Inlining.AUTO) == {"f1", "f2", "f3", "f4"}
    few = to_inline(chain(10), "f0", Inlining.AUTO)
    assert few == {"f2", "f4", "f6", "f8", "f10"}, "those that nothing was inlined into"


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ('int x; __asm__("nop" : "=r"(x));', "inline assembly"),
        ("on_exit(f, 0);", r"on_exit\(\)"),
        ("pthread_cancel(pthread_self());", "pthread_cancel"),
        ("signal(2, 0);", "signal"),
        ('int k; printf("%d%n", 1, &k);', "%n"),
        ('int k; printf("\\\\%n", &k);', "%n"),
        ('int k; printf("\\t\\"%hn\\"", (short *)&k);', "%n"),
        ('int k; printf("%1$n", &k);', "%n"),
        ('int k; const char *f = k ? "\\\\%n" : "%p"; printf(f, &k);', "%n"),
    ],
)
def test_what_is_refused_names_its_line(tmp_path: Path, statement: str, message: str) -> None:
    program = (
        "#include <setjmp.h>\n#include <stdlib.h>\n#include <pthread.h>\n#include <signal.h>\n"
        "extern int printf(const char *, ...);\n"
        f"void f(void) {{}}\nvoid used(void) {{\n{statement} }}\nint main() {{ used(); return 0; }}"
    )
    with pytest.raises(UnsupportedError, match=rf"p0\.c:8:\d+: .*{message}"):
        lower_text(tmp_path, program)


@pytest.mark.parametrize(
    ("program", "message"),
    [
        ("extern int a[]; int main() { return a[2]; }", "a: an extern object of unknown size"),
        (
            "struct S { int n; char d[]; }; extern struct S s; int main() { return s.d[2]; }",
            "s: an extern object of unknown size",
        ),
        ("int f(void) __attribute__((weak)); int main() { return f ? f() : 0; }", "weak"),
    ],
)
def test_objects_that_may_be_missing_are_refused(
    tmp_path: Path, program: str, message: str
) -> None:
    with pytest.raises(UnsupportedError, match=message):
        lower_text(tmp_path, program)


def test_a_pointer_given_to_an_undeclared_function_keeps_the_call(tmp_path: Path) -> None:
    program = PRELUDE + (
        "int main() { int x = 0; fill(&x); seed(4); nd(&x); if (x) reach_error(); return 0; }"
    )
    main = body(lower_text(tmp_path, program).optimized)
    assert "@fill(ptr" in main and "@nd(ptr" in main and "@seed" not in main
    assert "sea.check" in main


def test_refusals_out_of_reach_and_empty_assembly_do_no_harm(tmp_path: Path) -> None:
    program = (
        'void unused(void) { __asm__("nop"); }\n'
        'int main() { __asm__ volatile("" ::: "memory"); return 0; }'
    )
    assert lower_text(tmp_path, program).checks == ()


def test_a_program_needs_main(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no main"):
        lower_text(tmp_path, "int f(void) { return 1; }")
