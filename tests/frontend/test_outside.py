"""Names and addresses at the border: functions without a body, aliases, sections."""

from __future__ import annotations

from pathlib import Path

import pytest

from seahorn_py import verify
from seahorn_py.base.errors import UnsupportedError
from seahorn_py.ir.program import Program, SiteKind
from seahorn_py.options import FrontendOptions, Property, VerifyOptions
from seahorn_py.passes.environment import ESCAPED
from seahorn_py.passes.pipeline import prepare
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Answer
from seahorn_py.verification.pipeline import load

HEAD = """
typedef __SIZE_TYPE__ size_t; void *malloc(size_t); void abort(void); int abs(int);
extern void reach_error(void); extern int __VERIFIER_nondet_int(void);
extern int give(int *), number(int), listed(int *, ...), g, *h, many[4];
static int own(int *p) { return 0; }
static int own_number(int n) { return 0; }
static int own_listed(int *p, ...) { return 0; }
"""


def program(folder: Path, outside: str, body: str, bits: int = 64) -> Program:
    file = folder / "border.c"
    file.write_text(f"{HEAD}{outside}\nint main(void) {{ {body} return 0; }}\n")
    frontend = FrontendOptions(bits=bits, properties=frozenset({Property.UNREACH_CALL}))
    return load([file], VerifyOptions(frontend), Deadline.after(60))[1]


def answer(folder: Path, outside: str, body: str) -> Answer:
    file = folder / "border.c"
    file.write_text(f"{HEAD}{outside}\nint main(void) {{ {body} return 0; }}\n")
    return verify(file, timeout=30).answer


CALLED = {
    "give": (
        "int (*t[2])(int *) = {give, own};",
        "int x = 0; if (t[__VERIFIER_nondet_int() & 1](&x)) reach_error();",
    ),
    "number": (
        "static int (*const t[2])(int) = {number, own_number};",
        "if (t[__VERIFIER_nondet_int() & 1](4)) reach_error();",
    ),
    "malloc": (
        "static void *pool(size_t n) { return 0; } void *(*get)(size_t) = pool;",
        "if (__VERIFIER_nondet_int()) get = malloc; if (get(4)) reach_error();",
    ),
}


@pytest.mark.parametrize("name", CALLED)
def test_a_pointer_leads_to_a_function_without_a_body(name: str, tmp_path: Path) -> None:
    """Such a target ended the run, so that what it returns was never seen."""
    read = program(tmp_path, *CALLED[name])
    assert f"{name}.outside" in read.functions
    if name == "give":  # of numbers, lowering makes the input, and of `malloc` nobody
        names = {site.name for site in prepare(read).sites if site.kind is SiteKind.EXTERN}
        assert name in names


def test_what_takes_any_arguments_is_a_target_too(tmp_path: Path) -> None:
    outside = "int (*t[2])(int *, ...) = {listed, own_listed};"
    body = "int x = 0; t[__VERIFIER_nondet_int() & 1](&x); if (x) reach_error();"
    assert ESCAPED in prepare(program(tmp_path, outside, body)).globals


SHARED = {
    "a number": "g = 0; number(3); if (g) reach_error();",
    "an array": "many[1] = 0; number(3); if (many[1]) reach_error();",
    "a function by its address": (
        "int (*volatile f)(int) = number; g = 0; f(3); if (g) reach_error();"
    ),
}


@pytest.mark.parametrize("name", SHARED)
def test_a_function_of_numbers_may_change_what_no_file_defines(name: str, tmp_path: Path) -> None:
    assert answer(tmp_path, "", SHARED[name]) is not Answer.SAFE


PURE = {
    "without effects": "extern int pure(int) __attribute__((pure));",
    "of its arguments": "extern int pure(int) __attribute__((const));",
    "uninterpreted": "int __CPROVER_uninterpreted_f(int);\n#define pure __CPROVER_uninterpreted_f",
}


@pytest.mark.parametrize("name", PURE)
def test_a_function_that_only_reads_changes_nothing(name: str, tmp_path: Path) -> None:
    body = "g = 3; int k = pure(1); if (g != 3) reach_error();"
    assert answer(tmp_path, PURE[name], body) is Answer.SAFE


LOOKED_AT = """
struct box {{ int (*f)(const void *); int n; }};
{declared}
static int through(const void *p) {{ return pure(p); }}
"""
USED = """
    struct box x; x.f = through; x.n = 3;
    int k = x.f(&x);
    if (x.n != 3 || (k != pure(&x) && 0)) reach_error();
"""


@pytest.mark.parametrize(
    ("declared", "expected"),
    [
        (
            "int __CPROVER_uninterpreted_f(const void *);\n#define pure __CPROVER_uninterpreted_f",
            {Answer.SAFE},
        ),
        ("extern int pure(const void *);", {Answer.UNKNOWN, Answer.UNSAFE}),
    ],
    ids=["uninterpreted", "any"],
)
def test_what_is_uninterpreted_changes_nothing_that_it_is_given(
    declared: str, expected: set[Answer], tmp_path: Path
) -> None:
    found = answer(tmp_path, LOOKED_AT.format(declared=declared), USED)
    assert found in expected


PARTS = {
    "an address in a number": (
        "extern unsigned n;",
        "int x = 0; n = (unsigned)&x; number(3); if (x) reach_error();",
        32,
    ),
    "halves of an address": (
        "extern struct { unsigned a, b; } n;",
        "int x = 0; size_t p = (size_t)&x; n.a = p; n.b = p >> 32; number(3);"
        " if (x) reach_error();",
        64,
    ),
    "bytes of an address": (
        "extern struct { unsigned char b[4]; } n;",
        "int x = 0; size_t p = (size_t)&x; n.b[0] = p; n.b[1] = p >> 8; n.b[2] = p >> 16;"
        " n.b[3] = p >> 24; number(3); if (x) reach_error();",
        32,
    ),
}


@pytest.mark.parametrize("name", PARTS)
def test_it_may_put_an_address_together(name: str, tmp_path: Path) -> None:
    """Whether a global holds one was asked of 64-bit stores alone."""
    outside, body, bits = PARTS[name]
    assert ESCAPED in prepare(program(tmp_path, outside, body, bits)).globals


def test_it_may_follow_the_pointers_there(tmp_path: Path) -> None:
    escaping = prepare(program(tmp_path, "", "int x = 0; h = &x; number(3); if (x) reach_error();"))
    assert ESCAPED in escaping.globals


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("g = 3; __VERIFIER_nondet_int(); abs(2); if (g != 3) reach_error();", Answer.SAFE),
        ("static int x; x = 3; number(3); if (x != 3) reach_error();", Answer.SAFE),
    ],
)
def test_other_functions_and_other_globals_are_as_before(
    body: str, expected: Answer, tmp_path: Path
) -> None:
    assert answer(tmp_path, "", body) is expected


LEAVE = 'void leave(int c) { } void exit(int c) __attribute__((alias("leave")));'
OTHER = 'int v; extern int w __attribute__((alias("v")));'


@pytest.mark.parametrize(
    ("outside", "body", "expected"),
    [
        (LEAVE, "exit(1); reach_error();", Answer.UNSAFE),
        (OTHER, "if (&v == &w) reach_error();", Answer.UNSAFE),
        (OTHER, "if (&v != &w) reach_error();", Answer.SAFE),
    ],
)
def test_another_name_is_the_same_thing(
    outside: str, body: str, expected: Answer, tmp_path: Path
) -> None:
    """Clang takes it for the library's function, and for an object of its own."""
    assert answer(tmp_path, outside, body) is expected


def test_that_nothing_comes_to_what_is_unreachable_is_assumed(tmp_path: Path) -> None:
    text = "no run comes to __builtin_unreachable()"
    body = "if (g > 3) { reach_error(); }"
    assert text not in program(tmp_path, "", body + " if (g == 2) abort();").assumptions
    loop = "for (int i = 0; ; i++) { int x = g; if (x) break; } return 0;"
    assert text not in program(tmp_path, "", loop).assumptions
    assert text in program(tmp_path, "", "if (g > 3) __builtin_unreachable();" + body).assumptions


@pytest.mark.parametrize("name", ["__start_mine", "__stop_mine", "_end", "__bss_start"])
def test_symbols_of_the_linker_are_refused(name: str, tmp_path: Path) -> None:
    outside = f'int x __attribute__((section("mine"))) = 1; extern int {name};'
    with pytest.raises(UnsupportedError, match="symbol of the linker"):
        program(tmp_path, outside, f"{name} = 2; if (x == 2) reach_error();")
