"""The properties: names and files, and what each checks, on small C programs (issue: properties).

Memory safety is judged by the interpreter alone; what needs no memory is verified as a whole too.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from seahorn_py import FrontendOptions, VerifyOptions, verify
from seahorn_py.base.errors import InputError, SeaError
from seahorn_py.evidence.runs import native
from seahorn_py.frontend.compiling import compiler
from seahorn_py.frontend.llvmtext.lowered import Lowered
from seahorn_py.frontend.lowering import optimizer
from seahorn_py.frontend.reading import reader
from seahorn_py.frontend.runtime.native import Executable, build
from seahorn_py.ir import interpreter
from seahorn_py.ir.program import Program, Site, SiteKind
from seahorn_py.ir.run import Ending, Outcome, RunLimits
from seahorn_py.options import Property
from seahorn_py.processes.deadline import Deadline
from seahorn_py.properties import read_properties

HEAD = """\
#include <stdlib.h>
#include <string.h>
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __CPROVER_assert(int, const char *);
extern void klee_silent_exit(int) __attribute__((noreturn));
extern void die(void) __attribute__((noreturn));
#define I __VERIFIER_nondet_int()
#define U __VERIFIER_nondet_uint()
struct pair { int a; int *b; };
static int *global;
"""
MAIN = "int main(void) { %s return 0; }\n"


def lower(text: str, names: str, bits: int = 64) -> Lowered:
    options = FrontendOptions(bits, properties=read_properties(names.split()))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "a.c"
        file.write_text(HEAD + (text if "main(" in text else MAIN % text))
        deadline = Deadline.after(60)
        return optimizer.lower(compiler.compile_files([file], options, deadline), options, deadline)


def interpreted(program: Program, *inputs: int) -> Outcome:
    """A run in which calls of input functions give `inputs` in order, and all else is 0."""
    given = iter(inputs)

    def draw(site: Site) -> int:
        return next(given, 0) if site.kind is SiteKind.NONDET else 0

    return interpreter.run(program, {}, RunLimits(), draw=draw)


def violated(text: str, names: str, *inputs: int) -> str | None:
    """The property that a run violates."""
    return found_by(reader.read(lower(text, names)), *inputs)


def found_by(program: Program, *inputs: int) -> str | None:
    """The property that a run of the program violates."""
    outcome = interpreted(program, *inputs)
    assert outcome.ending in (Ending.FAILED, Ending.ENDED), outcome
    return next((c.property for c in program.checks if c.number == outcome.check), None)


@cache
def one_of(names: str, bodies: tuple[str, ...]) -> Program:
    """A program that runs the body which its first input names."""
    functions = "".join(f"void f{i}(void) {{ {body} }}\n" for i, body in enumerate(bodies))
    calls = "".join(f" case {i}: f{i}(); break;" for i in range(len(bodies)))
    return reader.read(lower(f"{functions}int main(void) {{ switch (I) {{{calls} }} }}\n", names))


def violated_in(rows: Iterable[tuple[str, str]], names: str, body: str, *inputs: int) -> str | None:
    """The same as `violated`, for one of the rows (property and body), compiled together."""
    bodies = tuple(dict.fromkeys(text for name, text in rows if name == names))
    return found_by(one_of(names, bodies), bodies.index(body), *inputs)


# ---------------------------------------------------------------------------- names and files


def test_names_and_files(tmp_path: Path) -> None:
    file = tmp_path / "p.prp"
    file.write_text(
        "CHECK( init(main()), LTL(G valid-free) )\nCHECK( init(main()), LTL(G valid-deref) )\n"
        "\nCHECK(init(main()),LTL( G ! overflow ))\n"
    )
    wanted = {Property.VALID_FREE, Property.VALID_DEREF, Property.NO_OVERFLOW, Property.BOUNDS}
    assert read_properties([str(file), "bounds"]) == wanted
    assert read_properties([]) == frozenset()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            "CHECK( init(main()), LTL(G def-behavior) )",
            "the property def-behavior is not supported; s",
        ),
        ("CHECK( init(f()), LTL(G ! overflow) )", "unknown property CHECK"),
        ("", "no property in this file"),
    ],
)
def test_files_that_are_refused(tmp_path: Path, content: str, message: str) -> None:
    file = tmp_path / "p.prp"
    file.write_text(content)
    with pytest.raises(SeaError, match=message):
        read_properties([str(file)])


def test_memory_safety_stands_for_three() -> None:
    options = FrontendOptions(properties=frozenset({Property.VALID_MEMSAFETY}))
    assert options.wants(Property.VALID_MEMTRACK)
    assert not options.wants(Property.VALID_MEMCLEANUP)
    assert not options.wants_error_calls
    assert FrontendOptions().wants_error_calls


def test_only_c_has_the_checks_of_the_compiler(tmp_path: Path) -> None:
    file = tmp_path / "a.ll"
    file.write_text("define i32 @main() {\n  ret i32 0\n}\n")
    options = FrontendOptions(properties=frozenset({Property.NO_OVERFLOW}))
    with pytest.raises(InputError, match=r"a\.ll: the property no-overflow needs a C file"):
        compiler.compile_files([file], options, Deadline.after(30))


# -------------------------------------------------------------------------- single operations

MINIMUM = -(1 << 31) & 0xFFFFFFFF
MINUS_ONE = (1 << 32) - 1

OPERATIONS = [
    ("no-overflow", "int x = I; x = x + 1;", (0x7FFFFFFE,), False),
    ("no-overflow", "int x = I; x = x + 1;", (0x7FFFFFFF,), True),
    ("no-overflow", "unsigned x = U; x = x + 1;", (MINUS_ONE,), False),
    ("no-overflow", "short x = (short)I; x++;", (0x7FFF,), False),
    ("no-overflow", "int x = I; x = -x;", (MINIMUM,), True),
    ("no-overflow", "int x = I, y = I; x = x / y;", (MINIMUM, MINUS_ONE), True),
    ("no-overflow", "int x = I, y = I; x = x % y;", (MINIMUM, MINUS_ONE), True),
    ("no-overflow", "int x = I, y = I; x = x / y;", (1, 0), False),
    ("no-overflow", "int x = I; x = x << 4;", (1 << 27,), True),
    ("no-overflow", "int x = I; x = x << 4;", (1 << 26,), False),
    ("no-overflow", "int x = I; x = 1 << x;", (40,), True),
    ("no-overflow", "int x = I; x = 1 >> x;", (40,), False),
    ("no-overflow", "unsigned x = U; x = 1u << x;", (40,), False),
    ("no-overflow", "int x = (int)U;", (MINUS_ONE,), False),
    ("no-overflow", "int x = 2147483647 + 1;", (), True),
    ("no-overflow", "int x = 1 << 40;", (), True),
    ("no-overflow", "unsigned x = 1u << 40;", (), False),
    ("shift", "unsigned x = U; x = 1u << x;", (31,), False),
    ("shift", "unsigned x = U; x = 1u << x;", (32,), True),
    ("shift", "int x = I; x = x << 1;", (MINUS_ONE,), True),
    ("shift", "int x = I; x = x + 1;", (0x7FFFFFFF,), False),
    ("unsigned-overflow", "unsigned x = U; x = x - 1;", (1,), False),
    ("unsigned-overflow", "unsigned x = U; x = x - 1;", (0,), True),
    ("unsigned-overflow", "int x = I; x = x - 1;", (MINIMUM,), False),
    ("conversion", "int x = I; signed char c = x;", (127,), False),
    ("conversion", "int x = I; signed char c = x;", (128,), True),
    ("conversion", "int x = I; signed char c = (signed char)x;", (128,), False),
    ("conversion", "int x = I; unsigned u = x;", (MINUS_ONE,), True),
    ("div-by-zero", "int x = I; x = 7 / x;", (1,), False),
    ("div-by-zero", "int x = I; 7 / x;", (0,), True),
    ("div-by-zero", "int x = I; x = x % x;", (0,), True),
    ("div-by-zero", "int x = I, y = I; x = x / y;", (MINIMUM, MINUS_ONE), False),
    ("div-by-zero", "int x = 3 / 0;", (), True),
    ("bounds", "int a[3]; int x = I; a[x] = 1;", (2,), False),
    ("bounds", "int a[3]; int x = I; a[x] = 1;", (3,), True),
    ("bounds", "int a[3][2]; int x = I; a[1][x] = 1;", (2,), True),
    ("uninit", "int x; if (I) x = 1; global = x ? &x : 0;", (1,), False),
    ("uninit", "int x; if (I) x = 1; int y = x;", (1,), False),
    ("uninit", "int x; if (I) x = 1; int y = x;", (0,), True),
    ("uninit", "int s = 0; for (int i = 0; i < 2; i++) { int y; if (i) s += y; y = i; }", (), True),
    ("uninit", "goto in; { int x = 3; in: if (x) {} }", (), True),
    ("null-deref", "int x = 1, *p = I ? &x : 0; *p = 2;", (1,), False),
    ("null-deref", "int x = 1, *p = I ? &x : 0; *p = 2;", (0,), True),
    ("null-deref", "struct pair *p = 0; p->b = 0;", (), True),
    ("null-deref", "int *p = 0; memset(p, 0, U);", (0,), False),
    ("null-deref", "int *p = 0; memset(p, 0, U);", (4,), True),
    ("null-deref", "void (*f)(void) = 0; f();", (), True),
]


@pytest.mark.parametrize(("name", "body", "inputs", "fails"), OPERATIONS)
def test_operations(name: str, body: str, inputs: tuple[int, ...], fails: bool) -> None:
    rows = [(row[0], row[1]) for row in OPERATIONS]
    assert violated_in(rows, name, body, *inputs) == (name if fails else None)


def test_properties_share_a_run() -> None:
    both = "no-overflow unsigned-overflow div-by-zero"
    body = "int x = I, y = I; unsigned u = U; x = x / y; u = u * 2; x = x + 1;"
    program = reader.read(lower(body, both))
    assert found_by(program, 1, 0) == "div-by-zero"
    assert found_by(program, MINIMUM, MINUS_ONE) == "no-overflow"
    assert found_by(program, 1, 1, 1 << 31) == "unsigned-overflow"
    assert found_by(program, 0x7FFFFFFF, 1) == "no-overflow"
    assert found_by(program, 1, 1) is None


def test_a_check_tells_the_expression_and_its_place() -> None:
    program = reader.read(lower("int x = I; x = x * 3;", "no-overflow"))
    (check,) = program.checks
    assert check.text == "signed integer multiplication overflow in 'x * 3'"
    assert check.origin.span is not None
    assert check.origin.span.line == HEAD.count("\n") + 1


def test_error_calls_are_ordinary_under_another_property() -> None:
    stops = "void reach_error(void) { abort(); } int main(void) { reach_error(); int x = 1 / I; }"
    assert violated(stops, "div-by-zero") is None
    goes_on = "void reach_error(void) {} int main(void) { reach_error(); int x = 1 / I; }"
    assert violated(goes_on, "div-by-zero") == "div-by-zero"
    assert violated(goes_on, "div-by-zero unreach-call") == "unreach-call"


# ------------------------------------------------------------------------------ memory safety

MEMORY = [
    ("int *p = malloc(4); *p = 1; int x = *p; free(p);", (), None),
    ("int *p = malloc(4); *p = 1; free(p); int x = *p;", (), "valid-deref"),
    ("char *p = malloc(4); p[I] = 1; free(p);", (3,), None),
    ("char *p = malloc(4); p[I] = 1; free(p);", (4,), "valid-deref"),
    ("int a[3]; a[I] = 1;", (2,), None),
    ("int a[3]; a[I] = 1;", (3,), "valid-deref"),
    ("struct pair s, t; s.a = 1; s.b = &s.a; t = s; *t.b = 2;", (), None),
    ("struct pair *p = malloc(sizeof *p); struct pair t = *p; free(p);", (), None),
    ("struct pair *p = malloc(4); struct pair t = *p; free(p);", (), "valid-deref"),
    ("char a[4], b[8]; memcpy(b, a, I);", (4,), None),
    ("char a[4], b[8]; memcpy(b, a, I);", (5,), "valid-deref"),
    ("char a[4]; memset(a + 4, 0, I);", (0,), None),
    ('char *s = "abc"; s[1] = 0;', (), "valid-deref"),
    ("int *p = 0; if (p && *p) {}", (), None),
    ("int x, *p = &x; free(p);", (), "valid-free"),
    ("int *p = malloc(8); free(p + 1);", (), "valid-free"),
    ("int *p = malloc(8); free(p); free(p);", (), "valid-free"),
    ("free(0);", (), None),
    ("int *p = malloc(8); p = realloc(p, 16); p[3] = 1; free(p);", (), None),
    ("int *p = malloc(8); int *q = realloc(p, 16); *p = 1; free(q);", (), "valid-deref"),
    ("int *p = malloc(8); p = 0;", (), "valid-memtrack"),
    ("int *p = malloc(8);", (), "valid-memtrack"),
    ("global = malloc(8);", (), None),
    ("global = malloc(8); exit(0);", (), None),
]


@pytest.mark.parametrize(("body", "inputs", "found"), MEMORY)
def test_memory_safety(body: str, inputs: tuple[int, ...], found: str | None) -> None:
    rows = [("valid-memsafety", row[0]) for row in MEMORY]
    assert violated_in(rows, "valid-memsafety", body, *inputs) == found


def test_a_local_is_gone_when_its_function_has_returned() -> None:
    text = "int *f(void) { int x = 1; int *p = &x; return p; } int main(void) { return *f(); }"
    assert violated(text, "valid-deref") == "valid-deref"


SCOPES = [
    ("int *p = 0; for (int i = 0; i < 2; i++) { if (p) *p = 1; int x; p = &x; }", 0, "valid-deref"),
    ("int *p, s = 0; for (int i = 0; i < 2; i++) { int x = i; p = &x; s += *p; }", 0, None),
    ("int y, *p = &y; { int x = 1; if (I) p = &x; } *p = 2;", 0, None),
    ("int y, *p = &y; { int x = 1; if (I) p = &x; } *p = 2;", 1, "valid-deref"),
    ("int *p; { int x[2]; p = x; p[1] = 1; } { int y[2]; *y = 2; *p = 1; }", 0, "valid-deref"),
]


@pytest.mark.parametrize(("body", "choice", "found"), SCOPES)
def test_a_local_is_gone_when_its_block_has_ended(body: str, choice: int, found: str) -> None:
    rows = [("valid-deref", row[0]) for row in SCOPES]
    assert violated_in(rows, "valid-deref", body, choice) == found


CLEANUP = [
    ("int *p = malloc(8); free(p);", (), None),
    ("global = malloc(8);", (), "valid-memcleanup"),
    ("global = malloc(8); if (I) exit(0); free(global);", (1,), "valid-memcleanup"),
    ("global = malloc(8); if (I) abort(); free(global);", (1,), "valid-memcleanup"),
    ("global = malloc(8); if (I) abort(); free(global);", (0,), None),
    ("global = malloc(8); if (I) klee_silent_exit(0); free(global);", (1,), "valid-memcleanup"),
    ("global = malloc(8); if (I) __builtin_debugtrap(); free(global);", (1,), "valid-memcleanup"),
]


@pytest.mark.parametrize(("body", "inputs", "found"), CLEANUP)
def test_cleanup(body: str, inputs: tuple[int, ...], found: str | None) -> None:
    rows = [("valid-memcleanup", row[0]) for row in CLEANUP]
    assert violated_in(rows, "valid-memcleanup", body, *inputs) == found


GAPS = [
    ("valid-deref", "int x = 1, *p = &x; *p = 2;", False),
    ("valid-deref", "int n = 2, *p; { int x[n]; p = x; } *p = 2;", True),
    ("valid-deref", "int *p; { int x = 1; p = &x; } *p = 2;", False),
    ("valid-deref", "int n = 2, *p; { p = __builtin_alloca(n * 4); } *p = 2;", False),
    (
        "valid-deref",
        "int n = 2, *p; { int x[n]; x[0] = 1; p = __builtin_alloca(n * 4); } *p = 2;",
        True,
    ),
    ("valid-deref", "void (*f)(void) = 0; f();", False),
    ("valid-memtrack", "int *p = malloc(8); free(p);", False),
    ("valid-memtrack", "for (;;) malloc(8);", True),
    ("valid-memtrack", "malloc(8); exit(0);", False),
    ("valid-memtrack", "malloc(8); die();", True),
    ("valid-memcleanup", "malloc(8); __CPROVER_assert(I, 0);", True),
    ("valid-memtrack", "for (int i = 0; i < I; i++) {}", False),
    ("uninit", "int x; x = 2; int y = x;", False),
    ("uninit", "int a[2]; int y = a[0];", True),
]


@pytest.mark.parametrize(("name", "body", "has_gap"), GAPS)
def test_what_is_not_checked_is_recorded(name: str, body: str, has_gap: bool) -> None:
    assert bool(reader.read(lower(body, name)).gaps) == has_gap


DANGLING = """
target triple = "x86_64-unknown-linux-gnu"
declare i32 @__VERIFIER_nondet_int()
declare ptr @llvm.stacksave.p0()
declare void @llvm.stackrestore.p0(ptr)
define i32 @main() {
  %read = call i32 @__VERIFIER_nondet_int()
  %more = urem i32 %read, 5
  %size = add i32 %more, 1
  %sp = call ptr @llvm.stacksave.p0()
  %array = alloca i32, i32 %size
  %kept = alloca ptr
  store ptr %array, ptr %kept
  store i32 1, ptr %array
  call void @llvm.stackrestore.p0(ptr %sp)
  %again = load ptr, ptr %kept
  %value = load i32, ptr %again
  ret i32 %value
}
"""


@pytest.mark.full
def test_an_array_of_a_block_is_known_without_its_name(tmp_path: Path) -> None:
    file = tmp_path / "a.ll"
    file.write_text(DANGLING)
    options = VerifyOptions(FrontendOptions(properties=read_properties(["valid-deref"])))
    assert verify(file, replace(options, executions=0.1, timeout=20)).answer.value != "safe"


def test_accesses_that_the_text_shows_to_be_valid_need_no_check() -> None:
    body = "struct { int a, b[2]; } s, *p = &s; s.a = 1; s.b[1] = s.a; int x = s.b[1]; x++;"
    assert reader.read(lower(body, "valid-deref null-deref")).checks == ()


def test_accesses_by_name_outside_of_the_object_are_checked() -> None:
    assert violated("int a[2]; a[2] = 1;", "valid-deref") == "valid-deref"


# ----------------------------------------------------------------- divisions that no pass drops


@pytest.mark.parametrize(("division", "bits"), [("7 / x;", 32), ("x / x;", 64), ("x % x;", 32)])
def test_a_division_without_use_ends_the_run(tmp_path: Path, division: str, bits: int) -> None:
    body = f"void reach_error(void); int main(void) {{ int x = I; {division} reach_error(); }}"
    lowered = lower(body, "unreach-call", bits)
    program = reader.read(lowered)
    executable = build(lowered.native, bits, tmp_path, Deadline.after(60))
    assert isinstance(executable, Executable)
    (site,) = [s.number for s in program.sites]
    for value, ending in ((0, Ending.ENDED), (3, Ending.FAILED)):
        assert interpreted(program, value).ending is ending
        assert native.run(executable, {site: (value,)}, RunLimits()).ending is ending


def test_the_smallest_quotient_without_use_ends_the_run() -> None:
    body = "void reach_error(void); int main(void) { int x = I, y = I; x / y; reach_error(); }"
    program = reader.read(lower(body, "unreach-call"))
    assert interpreted(program, MINIMUM, MINUS_ONE).ending is Ending.ENDED
    assert interpreted(program, MINIMUM, 1).ending is Ending.FAILED


# ------------------------------------------------------------------------- whole verifications

SORTED = (
    "int n = I; if (n < 1 || n > 1000000) n = 1; int *a = __builtin_alloca(n * sizeof *a);"
    " for (int i = 0; i < n; i++) a[i] = I;"
    " for (int i = 1; i %s n; i++) if (a[i - 1] > a[i]) a[i - 1] = a[i];"
)

VERDICTS = [
    ("valid-deref", SORTED % "<", "safe"),
    ("valid-deref", SORTED % "<=", "unsafe"),
    ("no-overflow", "int x = I; if (x > 0 && x < 9) x = x * x;", "safe"),
    ("no-overflow", "int x = I; if (x > 0) x = x * 2;", "unsafe"),
    ("no-overflow", "int s = 0; for (int i = 0; i < 1000; i++) s = s + 1;", "safe"),
    ("shift", "unsigned n = U % 32; n = 1u << n;", "safe"),
    ("unsigned-overflow", "unsigned n = U; if (n) n = n - 1;", "safe"),
    ("conversion", "int x = I; if (x >= 0) { char c = x; }", "unsafe"),
    ("div-by-zero", "int x = I; if (x > 0) x = 7 / x;", "safe"),
    ("null-deref", "int x = I, *p = 0; if (x) p = &x; if (x > 3) *p = 1;", "safe"),
    ("null-deref", "int x = I, *p = 0; if (x) p = &x; if (x > -3) *p = 1;", "unsafe"),
    ("uninit", "int x, y = I; if (y > 3) x = 1; if (y > 5) y = x;", "safe"),
    ("uninit", "int a[2]; int y = a[0];", "unknown"),
]


@pytest.mark.parametrize(("name", "body", "verdict"), VERDICTS)
def test_verdicts(tmp_path: Path, name: str, body: str, verdict: str) -> None:
    file = tmp_path / "a.c"
    file.write_text(HEAD + MAIN % body)
    options = VerifyOptions(FrontendOptions(properties=read_properties([name])), executions=0.1)
    result = verify(file, options)
    assert result.answer.value == verdict, result
    if result.violation is not None:
        assert result.violation.property == name


def test_nothing_to_check_is_said_for_each_property(tmp_path: Path) -> None:
    file = tmp_path / "a.c"
    file.write_text(HEAD + MAIN % "int x = I; x = x + 1;")
    properties = read_properties(["shift", "valid-memsafety", "no-overflow"])
    result = verify(file, VerifyOptions(FrontendOptions(properties=properties), executions=0))
    assert [w.split(":")[0] for w in result.warnings] == [
        "nothing to check for valid-memsafety",
        "nothing to check for shift",
    ]
