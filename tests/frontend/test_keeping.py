"""Pointers that may be left when an object has ended unnoticed: a proof says so, and no others."""

from __future__ import annotations

from pathlib import Path

import pytest

from seahorn_py import VerifyOptions, verify
from seahorn_py.frontend.lowering.checks.scopes import AGAIN, BLOCKS, CALLS
from seahorn_py.options import FrontendOptions, Property
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Answer
from seahorn_py.verification.pipeline import load

STRUCT = "struct s { int a[5]; }; int *g; "
VA = "#include <stdarg.h>\n"
TWICE = "for (int i = 0; i < 2; i++)"

LEFT = {
    "a parameter, returned": (
        CALLS,
        STRUCT + "int *f(struct s s) { int *p = s.a; return p; }"
        " int main(void) { struct s s = {{1}}; return *f(s); }",
    ),
    "a parameter, in a global": (
        CALLS,
        STRUCT + "void f(struct s s) { g = s.a; }"
        " int main(void) { struct s s = {{1}}; f(s); *g = 1; return 0; }",
    ),
    "a result": (
        CALLS,
        STRUCT + "struct s f(void) { struct s s = {{1}}; g = s.a; return s; }"
        " int main(void) { struct s r = f(); return *g; }",
    ),
    "arguments behind ...": (
        CALLS,
        VA
        + "va_list l; void f(int n, ...) { va_list a; va_start(a, n); va_copy(l, a); va_end(a); }"
        " int main(void) { f(1, 5); return va_arg(l, int); }",
    ),
    "the instance before, in a variable": (
        AGAIN,
        f"int main(void) {{ int *p = 0; {TWICE} {{ int x = 1; if (p) return *p; p = &x; }} }}",
    ),
    "by a jump": (
        AGAIN,
        "int main(void) { int *p = 0; l: { int x = 1; if (p) return *p; p = &x; } goto l; }",
    ),
    "by a function that stores it": (
        AGAIN,
        "int *g; void keep(int *p) { g = p; } int main(void) {"
        f" {TWICE} {{ int x = 1; if (g) return *g; keep(&x); }} }}",
    ),
    "by a function that returns it": (
        AGAIN,
        "int *id(int *p) { return p; } int main(void) { int *p = 0;"
        f" {TWICE} {{ int x = 1; if (p) return *p; p = id(&x); }} }}",
    ),
    "in a member": (
        AGAIN,
        "struct t { int *p; }; int main(void) { struct t t = {0};"
        f" {TWICE} {{ int x = 1; if (t.p) return *t.p; t.p = &x; }} }}",
    ),
    "in a copy of a structure": (
        AGAIN,
        "struct t { int *p; long n[4]; }; int main(void) { struct t u = {0};"
        f" {TWICE} {{ int x = 1; struct t t = {{&x}}; if (u.p) return *u.p; u = t; }} }}",
    ),
    "through a pointer to a pointer": (
        AGAIN,
        "void put(int **q, int *p) { *q = p; } int main(void) { int *p = 0;"
        f" {TWICE} {{ int x = 1; if (p) return *p; put(&p, &x); }} }}",
    ),
    "by recursion": (
        AGAIN,
        "int *g; void keep(int n, int *p) { if (n) keep(n - 1, p); else g = p; }"
        f" int main(void) {{ {TWICE} {{ int x = 1; if (g) return *g; keep(3, &x); }} }}",
    ),
    "an array of variable length": (
        BLOCKS,
        "int main(void) { int n = 100, *p = 0; l:; int a[n]; a[n - 1] = 0;"
        " if (p) return p[99]; p = a; n = 1; goto l; }",
    ),
}
"""Programs that use an object after its end, with what a proof does not see."""

NOT_LEFT = {
    "a parameter": STRUCT + "int h(int *p, int k) { return p[k]; }"
    " int f(struct s s) { int *p = s.a; return h(p, 2) + *p; }"
    " int main(void) { struct s s = {{1}}; return f(s); }",
    "a result": STRUCT + "void h(int *p) { p[1] = 3; }"
    " struct s f(void) { struct s s = {{1}}; h(s.a); return s; }"
    " int main(void) { struct s r = f(); return r.a[1]; }",
    "arguments behind ...": VA + "int sum(int n, va_list a) { return va_arg(a, int) + n; }"
    " int f(int n, ...) { va_list a; va_start(a, n); int r = sum(n, a); va_end(a); return r; }"
    " int main(void) { return f(1, 5); }",
    "used by a function": "void set(int *p) { *p = 3; } int main(void) { int s = 0;"
    f" {TWICE} {{ int x; set(&x); s += x; }} return s; }}",
    "in a variable of the block": "int main(void) { int s = 0;"
    f" {TWICE} {{ int x = 1; int *p = &x; *p = 2; s += *p; }} return s; }}",
    "in a structure of the block": "struct t { int *p; }; void f(struct t *t) { *t->p = 1; }"
    f" int main(void) {{ int s = 0; {TWICE} {{ int x = 1; struct t t = {{&x}}; f(&t); s += x; }}"
    " return s; }",
    "passed on by recursion": "int r(int n, int *p) { int x = n;"
    " return n < 1 ? *p : r(n - 1, &x); }"
    f" int main(void) {{ int s = 0; {TWICE} {{ int x = 1; s += r(2, &x); }} return s; }}",
    "overwritten": "int main(void) { int s = 0, *p = &s;"
    f" {TWICE} {{ int x = i; p = &x; *p += 1; }} p = &s; return *p; }}",
    "a block that is entered once": "int main(void) { int *p = 0, s = 0;"
    " { int x = 1; p = &x; s = *p; } { int y = 2; p = &y; s += *p; } return s; }",
}


def gaps(tmp_path: Path, text: str, bits: int) -> tuple[str, ...]:
    """What proofs of the accesses of a program do not see."""
    file = tmp_path / "a.c"
    file.write_text(text)
    frontend = FrontendOptions(bits=bits, properties=frozenset({Property.VALID_DEREF}))
    return load([file], VerifyOptions(frontend), Deadline.after(60))[1].gaps


@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize("name", LEFT)
def test_what_may_be_left_is_a_gap(name: str, bits: int, tmp_path: Path) -> None:
    expected, text = LEFT[name]
    assert expected in gaps(tmp_path, text, bits)


@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize("name", NOT_LEFT)
def test_what_is_not_left_is_none(name: str, bits: int, tmp_path: Path) -> None:
    assert gaps(tmp_path, NOT_LEFT[name], bits) == ()


def test_no_proof_over_a_gap(tmp_path: Path) -> None:
    file = tmp_path / "a.c"
    file.write_text(LEFT["the instance before, in a variable"][1])
    frontend = FrontendOptions(properties=frozenset({Property.VALID_DEREF}))
    result = verify(file, VerifyOptions(frontend, timeout=3))
    assert (result.answer, AGAIN in result.reason) == (Answer.UNKNOWN, True)
