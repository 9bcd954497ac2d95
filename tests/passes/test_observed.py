"""What tells how objects lie in memory is a gap, and what does not is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from seahorn_py import VerifyOptions
from seahorn_py.passes.pipeline import prepare
from seahorn_py.processes.deadline import Deadline
from seahorn_py.verification.pipeline import load

HEAD = """\
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
extern void reach_error(void);
int g, saved; char h; int f(void) { return 1; }
static int negative(int n) { return n < 0; }
extern int __VERIFIER_nondet_int(void);
#define any __VERIFIER_nondet_int
"""

TELLS = {
    "a comparison of the lower half with all": "(unsigned)(unsigned long)&g != (unsigned long)&g",
    "a round trip through int": "(int *)(long)(int)(long)&g != &g",
    "of a block": "(void *)(uintptr_t)(uint32_t)(uintptr_t)p != p",
    "the sign of the lower half": "(int)(uintptr_t)p < 0",
    "the sign": "(intptr_t)p < 0",
    "the upper half": "(uintptr_t)p >> 32",
    "one byte": "(unsigned char)(uintptr_t)p == 0",
    "the lower half is 0": "(unsigned)(uintptr_t)&g == 0",
    "of a function": "(unsigned)(unsigned long)f != (unsigned long)f",
    "a function's round trip": "(int (*)(void))(unsigned long)(unsigned)(unsigned long)f != f",
    "a function's address": "(unsigned long)f >= 1UL << 32",
    "through memory": "(saved = (int)(long)p, saved < 0)",
    "through a call": "negative((int)(long)p)",
    "an access through the lower half": "*(int *)(uintptr_t)(uint32_t)(uintptr_t)&g",
    "a remainder": "(uintptr_t)p % 7 == 3",
    "an exclusive or of two addresses": "((uintptr_t)p ^ (uintptr_t)&g) == 0",
    "a sum with a negated address": "(uintptr_t)p + -(uintptr_t)&g == 0",
    "an order of objects": "(char *)&g < &h",
    "an order of blocks of two rounds": (
        "({ char *n, *o = 0; int r = 0; for (int i = 0; i < f() + 2; i++)"
        " { n = malloc(1); if (o) r |= o < n; o = n + 1; } r; })"
    ),
    "equality of a block with a freed one": (
        "({ char *n, *o = 0; int r = 0; for (int i = 0; i < f() + 2; i++)"
        " { n = malloc(1); r |= o == n; o = n; free(n); } r; })"
    ),
    "an order of one of two": "(char *)(h ? q : p) < (char *)(saved ? p : q) + 1",
    "behind many steps": "((unsigned)(uintptr_t)&g" + " ^ h" * 70 + ") == 0",
}

DOES_NOT_TELL = {
    "equality": "p == (void *)&g",
    "not null": "p != 0 && (uintptr_t)p != 0",
    "a round trip through a long": "(void *)(long)p != p",
    "a difference within an object": "(&q[3] - q) < 2",
    "an order within an object": "&q[1] < q",
    "a function that is null": "f == 0",
    "an order within a block that is freed": (
        "({ char *s = malloc(9), *e = s + 8; if (!s) return 0;"
        " while (e > s && e[-1]) e--; h = e == s; free(s); h; })"
    ),
    "an order within what may be null": (
        "({ char *s = saved ? 0 : (char *)(g ? p : q), *e; h = 0; if (s)"
        " { e = s + 8; while (e > s && g--) e--; h = e == s; } h; })"
    ),
}

TWO = "char t[4] = {0}, u[4] = {0}, *w = any() ? t : u; w[any() & 3] = (char)any();"
READ = """
  struct { char *text; } *x = malloc(sizeof *x), *y = malloc(sizeof *x);
  if (!x || !y) return 0;
  x->text = t, y->text = any() ? t : u;
  if (any()) x = y;
"""
ONE_ORIGIN = {
    "not null": "char *c = strchr(t, 'a'); if (!c || c[1] != '/') return 0;"
    " if (c - t > 9) reach_error();",
    "not null, in order": "char *c = strchr(t, 'a'); if (c && c < t) reach_error();",
    "moved in a loop": "char *c = w; while (*c == 'x') c++; if (c == w) reach_error();",
    "moved in each round": "while (any()) { w = any() ? t : u; char *c = w; while (*c) c++;"
    " if (c == w) reach_error(); }",
    "not null, read behind a branch": READ + "if (any()) { char *s = x->text,"
    " *c = strchr(s, 'a'); if (!c || c[1] != '/') return 0; if (c - s > 9) reach_error(); }",
}
TWO_ORIGINS = {
    "null": "char *c = strchr(t, 'a'); if (t[1] != '/') return 0; if (c - t > 9) reach_error();",
    "another is not null": "char *c = strchr(t, 'a'), *d = strchr(t, 'b'); if (!d) return 0;"
    " if (c - t > 9) reach_error();",
    "null that was moved": "char *c = any() ? 0 : t; c += any() & 3; if (!c || *c) return 0;"
    " if (c - t > 9) reach_error();",
    "of the last round": "char *c = 0; while (any()) { w = any() ? t : u;"
    " if (c && w - c > 9) reach_error(); c = w; }",
    "read in the last round": READ + "char *c = 0; while (any()) { char *s = (any() ? x : y)->text;"
    " if (c && *c && c - s > 9) reach_error(); c = s; }",
    "moved in the last round": "char *c = 0; while (any()) { w = any() ? t : u;"
    " if (c == w) reach_error(); c = w + 4; }",
    "a number": "char *c = any() ? (char *)4 : t; if (!c || *c) return 0;"
    " if (c - t > 9) reach_error();",
}


def gaps(condition: str, tmp_path: Path) -> str:
    """What a proof of a program that fails where a condition holds does not see."""
    body = "int *p = malloc(4), q[4] = {0}; p = p ? p : q;"
    return gaps_of(f"{body} if ({condition}) reach_error();", tmp_path)


def gaps_of(body: str, tmp_path: Path) -> str:
    file = tmp_path / "a.c"
    file.write_text(f"{HEAD}int main(void) {{ {body} }}\n")
    source = load([file], VerifyOptions(), Deadline.after(60))[1]
    return " ".join(prepare(source).gaps)


@pytest.mark.parametrize("name", TELLS)
def test_a_gap(name: str, tmp_path: Path) -> None:
    assert "in one layout only" in gaps(TELLS[name], tmp_path)


@pytest.mark.parametrize("name", DOES_NOT_TELL)
def test_no_gap(name: str, tmp_path: Path) -> None:
    assert gaps(DOES_NOT_TELL[name], tmp_path) == ""


@pytest.mark.parametrize("name", ONE_ORIGIN)
def test_pointers_of_one_origin_are_in_one_object(name: str, tmp_path: Path) -> None:
    assert "in one layout only" not in gaps_of(TWO + ONE_ORIGIN[name], tmp_path)


@pytest.mark.parametrize("name", TWO_ORIGINS)
def test_pointers_of_two_origins_are_not(name: str, tmp_path: Path) -> None:
    assert "in one layout only" in gaps_of(TWO + TWO_ORIGINS[name], tmp_path)
