"""Comparisons of addresses that only one layout of memory decides: of ended locals, or outside."""

from __future__ import annotations

from pathlib import Path

import pytest

from seahorn_py.ir.program import Lifetime, Program
from seahorn_py.options import FrontendOptions, Property, VerifyOptions
from seahorn_py.passes.pipeline import prepare
from seahorn_py.processes.deadline import Deadline
from seahorn_py.verification.pipeline import load

HEAD = """
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
struct N { struct N *next; int v; };
int *p, *q, a[3], b[3];
static void f(void) { int x = 1; p = &x; }
static void g(void) { int y = 2; q = &y; }
static int *own(void) { int x = 3; return &x; }
static void swap(int *m, int *n) { CHECK(m != n); int t = *m; *m = *n; *n = t; }
static char *room(int n) { return __builtin_alloca(n); }
static void pair(void) { int x = 1, y = 2; swap(&x, &y); }
static int *same(int *m, int n) { return n ? same(m, n - 1) : m; }
static int often(int n) {
  int sum = n > 3 ? often(n - 1) : 0;
  for (int i = 0; i < n; i++) { int y = i; sum += *same(&y, i); }
  return sum;
}
"""
STALE = {
    "two calls": "f(); g(); CHECK(p != q);",
    "two calls and a string": "f(); g(); CHECK(p != q || (char *)p != argv[0]);",
    "the rounds of a loop": (
        "int *r = 0; for (int i = 0; i < 3; i++) { int x = i; CHECK(r != &x); r = &x; }"
    ),
    "what a call returns": "int x, *r = own(); CHECK(r != &x);",
    "two arrays of variable length": (
        "int n = __VERIFIER_nondet_int(); if (n < 1) return 0;"
        " { char v[n]; p = (int *)v; } { char w[n]; q = (int *)w; CHECK(p != q); }"
    ),
    "what alloca gave to calls": "char *m = room(8), *n = room(8); CHECK(m != n);",
    "two blocks": "{ int x = 1; p = &x; } { int y = 2; q = &y; } CHECK(p != q);",
    "two blocks behind one pointer": (
        "int *r; { int x = 1; r = &x; CHECK(x); } { int y = 2, *s; "
        "s = __VERIFIER_nondet_int() ? r : &y; q = s; CHECK(r != &y); q = 0; }"
    ),
    "a local beside one of another function": (
        "int x = 1, *m = same(&x, 2); CHECK(often(3) > 9 || m == &x);"
    ),
    "compound literals of two blocks": (
        "struct N *m, *n; { m = &(struct N){0, 1}; } { n = &(struct N){0, 2}; } CHECK(m != n);"
    ),
    "a compound literal in the rounds of a loop": (
        "struct N *m = 0; for (int i = 0; i < 2; i++) {"
        " struct N *n = &(struct N){0, i}; CHECK(!m || m == n); m = n; }"
    ),
}
MEETING = {
    "two literals in one": 'const char *m = "xhello", *n = "hello"; CHECK(m + 1 != n);',
    "one of several literals": (
        'const char *m = __VERIFIER_nondet_int() ? "aba" : "cb", *n = "ba"; CHECK(m + 1 != n);'
    ),
    "literals that end alike": (
        'const char *volatile k = "ab"; const char *m = "b", *n = "cb"; CHECK(k && m != n + 1);'
    ),
    "a choice between many": (
        "const char *m = "
        + "".join(f'__VERIFIER_nondet_int() ? "{k}" : ' for k in range(99))
        + '"xab", *n = "ab"; CHECK(m + 1 != n);'
    ),
    "wide literals": ('const __WCHAR_TYPE__ *m = L"ab", *n = L"b"; CHECK(m + 1 != n);'),
    "an empty object": (
        "static struct E {} e; void *m = __VERIFIER_nondet_int() ? (void *)&e : a; CHECK(m != b);"
    ),
}
APART = {
    "literals": (
        'const char *n[2] = {"ab", "b"}; int i = __VERIFIER_nondet_int() & 1;',
        "n[i]",
        "n[0]",
    ),
    "an empty object": (
        "static struct E {} e; void *n[2] = {&e, a}; int i = __VERIFIER_nondet_int() & 1;",
        "n[i]",
        "n[0]",
    ),
}
OUTSIDE = {
    "a sum of integers": (
        "int x[4], y[4], i = __VERIFIER_nondet_int();"
        " CHECK((unsigned long)x + i * 4 - 16 != (unsigned long)y);"
    ),
    "behind an array": "int x[4], y[4], *m = x, *n = y; m += 4; CHECK(m != n);",
    "an end that is passed on": "int *m = __VERIFIER_nondet_int() ? a : b; CHECK(m != a + 3);",
}
TOLD = {
    "locals that live": "for (int i = 0; i < 2; i++) { int u = 1, v = 2; swap(&u, &v); } pair();",
    "a list that ends at a local": """struct N head = {&head, 0};
        for (int i = __VERIFIER_nondet_int(); i > 0; i--) {
        struct N *n = malloc(sizeof *n); n->next = head.next; n->v = 1; head.next = n; }
        for (struct N *n = head.next; n != &head; n = n->next) CHECK(n->v == 1);""",
    "a global and a local that has ended": (
        "f(); int *r = __VERIFIER_nondet_int() ? p : a; CHECK(r != a + 1);"
    ),
    "literals with other ends": 'const char *m = "ab", *n = "ac"; CHECK(m != n);',
    "the parts of a literal": 'const char *m = "ab"; while (*m) m++; CHECK(m != "ab" + 3);',
    "a compound literal and itself": "struct N *m = &(struct N){0, 1}; CHECK(m == m->next || !p);",
    "the end of an array": "int s = 0; for (int *m = a; m != a + 3; m++) s += *m; CHECK(!s);",
    "the address of a field": "struct N x, y, *m = __VERIFIER_nondet_int() ? &x : &y;"
    " CHECK(&m->v != &x.v || m == &x);",
}

GIVEN = {
    "the end of a number": (
        "for (int k = 1; k < argc; k++) { char *text = argv[k], *end;"
        " long v = strtol(text, &end, 10); CHECK(end != text || v == 0); }"
    ),
    "strings that a list keeps": (
        "char *last = argv[0]; for (int k = 1; k < argc; k++) { char *n = argv[k];"
        " CHECK(n != last); last = n; }"
    ),
    "a string and a local that has ended": "f(); CHECK(argc < 1 || (char *)p != argv[0]);",
}
"""What `main` is given never ends."""


def read(folder: Path, body: str, asked: str = "unreach-call") -> Program:
    file = folder / "program.c"
    given = "int argc, char **argv" if "argv" in body else "void"
    file.write_text(f"{HEAD} int main({given}) {{ {body} return 0; }}")
    frontend = FrontendOptions(properties=frozenset({Property(asked)}))
    return load([file], VerifyOptions(frontend), Deadline.after(60))[1]


def gaps(folder: Path, body: str) -> str:
    return " ".join(prepare(read(folder, body)).gaps)


@pytest.mark.parametrize("name", STALE)
def test_a_local_that_has_ended_may_lie_where_another_one_is(name: str, tmp_path: Path) -> None:
    assert "one of which may have ended" in gaps(tmp_path, STALE[name])


@pytest.mark.parametrize("name", MEETING)
def test_literals_and_empty_objects_may_lie_where_others_lie(name: str, tmp_path: Path) -> None:
    assert "which may be one" in gaps(tmp_path, MEETING[name])


@pytest.mark.parametrize("name", APART)
def test_that_they_lie_apart_where_memory_leads_to_them_is_assumed(
    name: str, tmp_path: Path
) -> None:
    before, one, other = APART[name]
    found = prepare(read(tmp_path, f"{before} CHECK({one} != {other});"))
    assert any("lie apart" in entry for entry in found.assumptions)


@pytest.mark.parametrize("name", OUTSIDE)
def test_an_address_outside_of_its_object_may_be_that_of_another(name: str, tmp_path: Path) -> None:
    assert "outside of its object" in gaps(tmp_path, OUTSIDE[name])


@pytest.mark.parametrize("name", [*TOLD, *GIVEN])
def test_other_comparisons_are_the_same_in_all_layouts(name: str, tmp_path: Path) -> None:
    found = gaps(tmp_path, {**TOLD, **GIVEN}[name])
    assert "one layout only" not in found and "which may be one" not in found


def has_marks(program: Program) -> bool:
    blocks = [b for f in program.functions.values() for b in f.blocks]
    return any(isinstance(s, Lifetime) for b in blocks for s in b.statements)


def test_only_a_program_that_compares_addresses_has_marks(tmp_path: Path) -> None:
    assert has_marks(read(tmp_path, STALE["two calls"]))
    assert not has_marks(read(tmp_path, "f(); g(); CHECK(p != 0);"))
    assert not has_marks(prepare(read(tmp_path, STALE["two calls"])))
