"""Programs in which an optimiser would delete the error or exploit undefined behaviour.

Each keeps the verdict that the machine's semantics gives (docs/explanation/semantics.md): two's
complement, one fixed value per uninitialised object, no path removed because it is undefined.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from diagonal import diagonal

from seahorn_py import FrontendOptions, VerifyOptions, verify
from seahorn_py.options import Encodings

HEAD = """
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);
extern void abort(void);
"""

PROGRAMS = {
    "sum smaller than operand": ("unsafe", "int x = N(); if (x + 1 < x) reach_error();"),
    "difference of signs": ("unsafe", "int x = N(); if (x < 0 && -x < 0) reach_error();"),
    "product overflows": (
        "unsafe",
        "int x = N(); if (x > 0 && x * 2 < 0) reach_error();",
    ),
    "loop ends by wrapping": (
        "unsafe",
        "int i = 2147483640; while (i > 0) i++; if (i < 0) reach_error();",
    ),
    "shift by the width": (
        "unsafe",
        "int n = N(); if (n == 32 && (1 << n) != 1) reach_error();",
    ),
    "shift too far gives what no machine gives": (
        "unknown",
        "int n = N(); if (n == 40 && (1 << n) == 12345) reach_error();",
    ),
    "shift within the width": (
        "safe",
        "int n = N(); __VERIFIER_assume(n >= 0 && n < 31); if ((1 << n) <= 0) reach_error();",
    ),
    "uninitialised equals itself": ("safe", "int x; if (x != x) reach_error();"),
    "uninitialised twice": ("unsafe", "int x, y; if (x != y) reach_error();"),
    "uninitialised on one path": (
        "unsafe",
        "int x; if (N()) x = 3; if (x == 4) reach_error();",
    ),
    "uninitialised in a loop": (
        "unsafe",
        "for (int i = 0; i < 3; i++) { int y; if (y > 7) reach_error(); if (i == 2) y = 3; }",
    ),
    "uninitialised in a loop, assigned": (
        "safe",
        "for (int i = 0; i < 3; i++) { int y; y = i; if (y > 7) reach_error(); }",
    ),
    "uninitialised bool": ("safe", "_Bool b; int v = b ? 1 : 0; if (v > 1) reach_error();"),
    "uninitialised member": (
        "unsafe",
        "struct { int a, b; } s; s.a = 1; if (s.b == 9) reach_error();",
    ),
    "padding behind a member": (
        "unsafe",
        "struct { char c; int i; } s, t; s.c = t.c = 1; s.i = t.i = 2;"
        " if (__builtin_memcmp(&s, &t, sizeof s)) reach_error();",
    ),
    "padding at the end": (
        "unsafe",
        "struct { long l; char c; } s; s.l = s.c = 1; unsigned char *p = (void *)&s;"
        " if (p[sizeof s - 1] == 9) reach_error();",
    ),
    "padding of a copy": (
        "safe",
        "struct { char c; int i; } s, t; s.c = 1; s.i = 2; __builtin_memcpy(&t, &s, sizeof s);"
        " if (__builtin_memcmp(&s, &t, sizeof s)) reach_error();",
    ),
    "no padding": (
        "safe",
        "struct { int i; short a, b; } s, t; s.a = t.a = 1; s.i = t.i = 2; s.b = t.b = 3;"
        " if (__builtin_memcmp(&s, &t, sizeof s)) reach_error();",
    ),
    "jump over an initialiser": (
        "unsafe",
        "goto in; { int x = 3; in: if (x == 5) reach_error(); }",
    ),
    "unreachable after the error": (
        "unsafe",
        "int x = N(); if (x == 7) { reach_error(); __builtin_unreachable(); }",
    ),
    "unreachable does not restrict the past": (
        "unsafe",
        "int x = N(); if (x == 7) reach_error(); if (x == 7) __builtin_unreachable();",
    ),
    "unreachable ends the run": (
        "safe",
        "int x = N(); if (x == 7) __builtin_unreachable(); if (x == 7) reach_error();",
    ),
    "division by zero does not restrict the past": (
        "unsafe",
        "int x = N(); if (x == 0) reach_error(); int y = 5 / x; (void)y;",
    ),
    "division by zero ends the run": (
        "safe",
        "int x = N(); int y = 5 / x; if (x == 0) reach_error(); (void)y;",
    ),
    "smallest number by minus one ends the run": (
        "safe",
        "int x = N(); int d = -1; if (N()) d = 1; int y = x / d;"
        " if (d == -1 && x == -2147483647 - 1) reach_error(); (void)y;",
    ),
    "absolute value may be negative": (
        "unsafe",
        "int x = N(); if (__builtin_abs(x) < 0) reach_error();",
    ),
    "endless loop is kept": ("safe", "int x = N(); while (1) x++; reach_error();"),
    "endless loop without effect is kept": (
        "safe",
        "unsigned x = N(); while (x || !x) { x = x; } reach_error();",
    ),
    "comparison of converted signs": (
        "unsafe",
        "int x = N(); unsigned u = 1; if (x == -1 && x > u) reach_error();",
    ),
    "error behind a null store": (
        "unsafe",
        "int x = N(); if (x == 3) { reach_error(); *(volatile int *)0 = 1; }",
    ),
    "nothing behind a null store": (
        "safe",
        "int x = N(); if (x == 3) { *(volatile int *)0 = 1; reach_error(); }",
    ),
    "float to int out of range": (
        "unsafe",
        "int x = N(); if (x == 4) { (void)(int)1e20; reach_error(); }",
    ),
}


MACHINES = [(32, Encodings.INT), (64, Encodings.BV)]


@pytest.mark.parametrize(
    ("name", "bits", "encoding"), diagonal([(name,) for name in PROGRAMS], MACHINES)
)
def test_verdict(tmp_path: Path, name: str, bits: int, encoding: Encodings) -> None:
    expected, body = PROGRAMS[name]
    file = tmp_path / "a.c"
    body = body.replace("N()", "__VERIFIER_nondet_int()")
    file.write_text(f"{HEAD}int main(void) {{ {body} return 0; }}\n")
    result = verify(file, VerifyOptions(FrontendOptions(bits=bits), encoding, executions=0.1))
    assert result.answer.value == expected, result


def test_a_missing_return_value_is_arbitrary(tmp_path: Path) -> None:
    file = tmp_path / "a.c"
    file.write_text(
        HEAD + "int f(int x) { if (x) return 1; }\n"
        "int main(void) { if (f(0) == 17) reach_error(); return 0; }\n"
    )
    assert verify(file).answer.value == "unsafe"
