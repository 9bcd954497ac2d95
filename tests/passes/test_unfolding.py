"""Unfolding: what is left of programs, what is not unfolded, and that runs end as before."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from generator import program as generated
from programs import I8, I64, bit, block, check, compare, const, endings, function, ptr, reg
from programs import program as program_of
from programs import read as read_input

import seahorn_py
from seahorn_py.ir.interpreter import Interpreter
from seahorn_py.ir.program import (
    Alloca,
    Branch,
    CheckSite,
    Fail,
    Jump,
    Load,
    Predicate,
    Program,
    Return,
    Store,
)
from seahorn_py.ir.run import Ending, RunLimits
from seahorn_py.ir.types import BOOL
from seahorn_py.ir.verifier import verify
from seahorn_py.options import FrontendOptions, Property, VerifyOptions
from seahorn_py.passes.environment import model_environment
from seahorn_py.passes.simplify.simplify import simplify
from seahorn_py.passes.slicing.slicing import slice_program
from seahorn_py.passes.unfolding.bounds import Bounds
from seahorn_py.passes.unfolding.code.values import Unfit
from seahorn_py.passes.unfolding.state.order import order_of
from seahorn_py.passes.unfolding.unfolding import unfold
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Answer
from seahorn_py.verification.pipeline import load

HEAD = """
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
extern int __VERIFIER_nondet_int(void); extern unsigned char __VERIFIER_nondet_uchar(void);
extern void __VERIFIER_assume(int); extern void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
"""
LIMITS = RunLimits(seconds=2.0, steps=100_000)


def read(folder: Path, text: str, asked: str = "unreach-call", bits: int = 64) -> Program:
    file = folder / "program.c"
    file.write_text(text)
    frontend = FrontendOptions(bits=bits, properties=frozenset({Property(asked)}))
    _, program = load([file], VerifyOptions(frontend), Deadline.after(60))
    return model_environment(simplify(program))


def unfolded(program: Program, bounds: Bounds | None = None) -> Program:
    """The program unfolded, whose runs end as those of the program do."""
    result = unfold(program, bounds)
    assert verify(result, copies=True) == ()
    small = slice_program(simplify(result))
    statements = [s for f in small.functions.values() for b in f.blocks for s in b.statements]
    assert len(small.functions) == 1
    assert not any(isinstance(s, Load | Store) for s in statements)
    for after in (result, small):
        assert all(a == b for a, b in endings(program, after, seed=7, runs=40))
    return small


def can_fail(program: Program) -> bool:
    blocks = [b for f in program.functions.values() for b in f.blocks]
    return any(isinstance(b.terminator, Fail) for b in blocks)


COMPUTED = {
    "a loop over an array": "int a[9]; for (int i = 0; i < 9; i++) a[i] = i * i;"
    " CHECK(a[8] == 64);",
    "calls": "CHECK(twice(twice(3)) == 12);",
    "recursion": "CHECK(sum(100) == 5050);",
    "strings": 'char b[16]; strcpy(b, "sea"); strcat(b, "horn"); CHECK(strcmp(b, "seahorn") == 0);',
    "a list": """struct N *head = 0; for (int i = 0; i < 5; i++) {
        struct N *n = malloc(sizeof *n); n->next = head; n->v = i; head = n; }
        int s = 0; for (struct N *n = head; n; n = n->next) s = s * 10 + n->v;
        CHECK(s == 43210);""",
    "bytes of a number": "union { unsigned u; unsigned char b[4]; float f; } x; x.f = 1.0f;"
    " CHECK(x.b[3] == 0x3f && x.u << 1 == 0x7f000000u);",
    "a pointer copied byte by byte": """int x = 5, *p = &x, *q;
        char *f = (char *)&p, *t = (char *)&q;
        for (unsigned k = 0; k < sizeof p; k++) t[k] = f[k]; CHECK(*q == 5);""",
    "a structure copied": "struct S s = {{1, 2}, 3}, t; t = s; t.c += t.a[1]; CHECK(t.c == 5);",
    "moved memory": """char b[8] = "abcdef"; memmove(b + 2, b, 5);
        CHECK(!memcmp(b, "ababcde", 7));""",
    "blocks that grow": """int *p = 0;
        for (int n = 1; n < 9; n *= 2) { p = realloc(p, n * sizeof *p);
        for (int i = n / 2; i < n; i++) p[i] = i; } CHECK(p[7] == 7 && p[1] == 1); free(p);""",
    "one of two blocks that grows": """char *p = malloc(2), *q = calloc(4, 1); p[0] = 0; p[1] = 5;
        char *r = __VERIFIER_nondet_int() ? p : q; r = realloc(r, 8); r[7] = 1;
        CHECK(r[0] == 0 && r[7] == 1);""",
    "a block that may not be there grows": """char *p = __VERIFIER_nondet_int() ? calloc(1, 1) : 0;
        p = realloc(p, 4); p[3] = 7; CHECK(p[3] == 7);""",
    "a block that gets a size from an input": """unsigned char n = __VERIFIER_nondet_uchar();
        if (n < 1 || n > 3) return 0; char *p = calloc(2, 1); p = realloc(p, n);
        CHECK(p[0] == 0);""",
    "a large part of an object filled": (
        "static char b[1 << 20]; memset(b + 1, 7, sizeof b - 1);"
        " CHECK(b[5] == 7 && b[0] == 0 && b[1] == 7 && b[(1 << 20) - 1] == 7);"
    ),
    "a large part of an object copied": (
        "static int b[1 << 16], c[1 << 16]; b[40000] = 5; memcpy(c + 1, b, sizeof b - 4);"
        " b[40000] = 6; CHECK(c[40001] == 5 && c[40000] == 0);"
    ),
    "a large object filled": (
        "static char b[1 << 20]; memset(b, 7, sizeof b); CHECK(b[99999] == 7);"
    ),
    "zeroed memory": "int *p = calloc(50, 4); CHECK(p[49] == 0);",
    "functions in a table": "int s = 1; for (int i = 0; i < 4; i++) s = table[i % 2](s);"
    " CHECK(s == 7);",
    "two objects": "int a; CHECK(&a != &other && &a != 0 && &other != table_of);",
    "two locals": "int a, b, *volatile p = &a, *volatile q = &b; CHECK(p != q);",
    "locals of a loop": """int s = 0; for (int i = 0; i < 3; i++) {
        int a = i, b = i, *volatile p = &a, *volatile q = &b; CHECK(p != q); s += *p + *q; }
        CHECK(s == 6);""",
    "a local where another one has ended": """int s = 0, other; for (int i = 0; i < 3; i++) {
        int a = i, *volatile p = &a; CHECK(p != &other); s = 2 * s + *p; } CHECK(s == 4);""",
    "two blocks": "char *p = malloc(1), *q = malloc(1); CHECK(p != q && p != 0);",
    "a volatile local": "volatile int v = 0; v = 2; v++; CHECK(v == 3);",
    "alignment": "long long a; CHECK((uintptr_t)&a % 8 == 0);",
    "order in an array": "int a[4]; CHECK(&a[1] < &a[3] && &a[3] - &a[1] == 2 && a + 4 > a);",
    "a bound that is an input": """int n = __VERIFIER_nondet_int(); if (n < 0 || n > 6) return 0;
        int s = 0; for (int i = 0; i < n; i++) s++; CHECK(s <= 6);""",
    "a pointer that may be null": """int x = 1; int *p = __VERIFIER_nondet_int() ? &x : 0;
        if (p) { *p = 2; CHECK(x == 2); } else CHECK(x == 1);""",
    "two ways to one object": """int a[4] = {1, 1, 1, 1}; int *p = a;
        if (__VERIFIER_nondet_int()) p++;
        CHECK(*p == 1);""",
    "the end of a run": "if (__VERIFIER_nondet_int()) exit(3); int z = 0; CHECK(z == 0);",
    "a goto into a loop": """int i = 0; if (__VERIFIER_nondet_int()) goto in;
        for (i = 0; i < 3; i++) { in: ; } CHECK(i == 3);""",
    "bits of long doubles": "union { long double f; struct { uint64_t m; uint16_t e; } i; } x;"
    " long double y = 3; for (int i = 0; i < 4; i++) y *= 2; x.f = y;"
    " CHECK(x.i.e == 16388); x.i.e--; CHECK(x.f == 24 && (int)x.f == 24);",
    "bits of doubles": "double d = 3; uint64_t n; memcpy(&n, &d, 8); int k = 0;"
    " for (n >>= 52; n > 1000; n--) k++; CHECK(k == 24);",
    "floats": "double d = 0; for (int i = 0; i < 10; i++) d += 0.5; CHECK(d == 5.0);",
}
OPEN = {
    "an option that is ruled out": """const char *w[3] = {"one", "", "twenty"};
        int n = __VERIFIER_nondet_int(); if (n < 0 || n > 2) return 0;
        CHECK(strlen(w[n]) <= 5);""",
    "an index that leads back into the object": """char a[4] = {0}, *p = a - 1000;
        int n = __VERIFIER_nondet_int(); if (n < 1000 || n > 1003) return 0;
        p += n; *p = 7; CHECK(a[1] != 7);""",
    "indices that make up for one another": """char a[4] = {0}, *p = a;
        int n = __VERIFIER_nondet_int(), m = __VERIFIER_nondet_int();
        if (n < 0 || m < 0 || n > 9000 || m > 9000 || n + m < 9000 || n + m > 9003) return 0;
        p += n; p += m; p -= 9000; *p = 7; CHECK(a[1] != 7);""",
    "an input": "int x = __VERIFIER_nondet_int(); CHECK(x != 12345);",
    "an array at an index": """int a[5] = {3, 1, 4, 1, 5};
        unsigned char i = __VERIFIER_nondet_uchar();
        if (i < 5) CHECK(a[i] != 4);""",
    "a write at an index": """char a[5] = {0}; unsigned char i = __VERIFIER_nondet_uchar();
        if (i < 5) { a[i] = 7; CHECK(a[3] == 0); }""",
    "a wide write at an index": """unsigned short a[4] = {0};
        unsigned char i = __VERIFIER_nondet_uchar();
        if (i < 4) { a[i] = 0x102; CHECK(((unsigned char *)a)[5] == 0); }""",
    "bytes of an input": """unsigned x = __VERIFIER_nondet_int(); unsigned char *b = (void *)&x;
        CHECK(b[0] != 1 || b[1] != 2);""",
    "memory that was never written": "unsigned char *b = malloc(100000); CHECK(b[5] == b[6]);",
    "so many bytes of one of two": """char a[2] = "", b[9] = "abcdefg", c[9] = "";
        unsigned char n = __VERIFIER_nondet_uchar(), i = __VERIFIER_nondet_uchar();
        int w = __VERIFIER_nondet_int(); char *p = w ? a + i : b;
        if (n > 8 || i > 1 || (w && n > 2u - i)) return 0; memcpy(c, p, n); CHECK(c[6] == 0);""",
    "a copy of so many bytes": """char a[8] = "abcdefg", b[8] = "";
        unsigned char n = __VERIFIER_nondet_uchar();
        if (n < 8) { memcpy(b, a, n); CHECK(b[4] != 'e'); }""",
    "one of two functions": "CHECK(table[__VERIFIER_nondet_int() & 1](5) != 10);",
    "a block whose size is an input": """unsigned char n = __VERIFIER_nondet_uchar(), i = n / 2;
        if (n > 9) return 0; char *p = malloc(n + 1), *q = malloc(n + 1); p[i] = 3;
        memcpy(q, p, n + 1); CHECK(q[i] == 3 && p[0] != 3);""",
    "a value anywhere": (
        "int *a = calloc(5000, 4); unsigned i = __VERIFIER_nondet_int() % 5000u;"
        " a[i] = 3; a[i ^ 1] = 4; CHECK(a[i] == 3 && a[77] != 4);"
    ),
    "bytes of values anywhere": (
        "unsigned *a = calloc(5000, 4); unsigned i = __VERIFIER_nondet_int() % 5000u;"
        " a[i] = 0x01020304; unsigned char *b = (void *)a;"
        " CHECK(b[4 * i + 1] == 3 && b[404] != 4);"
    ),
    "values of two sizes anywhere": (
        "char *a = calloc(9000, 1); unsigned i = __VERIFIER_nondet_int() % 8000u;"
        " *(int *)(a + i) = 0x05060708; *(short *)(a + i + 1) = 0x0102;"
        " CHECK(*(int *)(a + i) == 0x05010208 && a[88] != 2);"
    ),
    "so many bytes anywhere": (
        "char *a = calloc(5000, 1), *c = calloc(5000, 1); unsigned n = __VERIFIER_nondet_int();"
        " if (n > 4000) return 0; memset(a, 1, n); memcpy(c + 900, a, n);"
        " CHECK(n < 500 || (c[900] == 1 && c[899] == 0 && c[901 + n] == 0 && c[2000] == 0));"
    ),
    "bytes that are moved over one another": (
        "char *a = calloc(5000, 1); unsigned n = __VERIFIER_nondet_int(); if (n > 4000) return 0;"
        " a[7] = 1; memmove(a + 1, a, n); CHECK(n < 9 ? a[7] == 1 : a[8] == 2);"
    ),
    "bytes of one of two that are moved": """char *a = calloc(9000, 1), *b = calloc(9000, 1);
        unsigned n = __VERIFIER_nondet_int(); if (n > 4000) return 0;
        char *p = __VERIFIER_nondet_int() ? a : b; *p = 1;
        for (int k = 0; k < 2; k++) memmove(p + 1, p, n); CHECK(n < 2 || p[2] != 1);""",
    "values that meet": """char *a = calloc(5000, 1); unsigned n = __VERIFIER_nondet_int(),
        i = __VERIFIER_nondet_int() % 3u, j = __VERIFIER_nondet_int() % 3u;
        if (n < 5000) a[n] = 9; a[i] = 1; a[j] = 2;
        CHECK(a[i] == (i == j ? 2 : 1) && a[1] != 2);""",
    "values anywhere on one way": """char *a = calloc(5000, 1);
        unsigned n = __VERIFIER_nondet_int(); if (n >= 4000) return 0;
        if (__VERIFIER_nondet_int()) { a[n] = 1; a[n + 1] = 2; }
        else a[n] = 3; a[n + 2] = 4;
        CHECK((a[n] == 3) == (a[n + 1] == 0) && a[n + 2] == 4 && a[10] != 2);""",
    "bytes that were never written": """unsigned char *a = malloc(5000);
        unsigned n = __VERIFIER_nondet_int(), m = __VERIFIER_nondet_int();
        if (n >= 5000 || m >= 5000) return 0; unsigned char x = a[n], y = a[m];
        CHECK((n != m || x == y) && a[n] == x && x == 0);""",
    "a block that is freed or not": """char *p = malloc(1); int c = __VERIFIER_nondet_int();
        if (c) free(p); if (!c) *p = 1; CHECK(c);""",
}
INVALID = {
    "outside of its object": "table_of[5] = 1; CHECK(0);",
    "by an index that may be outside": (
        "char a[2], i = __VERIFIER_nondet_int(); if (i < 0 || i > 2) return 0; a[i] = 1;"
    ),
    "by a pointer without a value": "int *p; *p = 1; CHECK(0);",
    "a write to a constant": "*(char *)text = 1; CHECK(0);",
    "a read of one of two": """int a[2] = {0}, *p = __VERIFIER_nondet_int() ? a : a + 2;
        other = *p;""",
    "a copy that is too long": """char a[4], b[5] = ""; unsigned char n = __VERIFIER_nondet_uchar();
        if (n < 6) memcpy(a, b, n);""",
    "a copy of what is too short": """char a[9], b[5] = "", n = __VERIFIER_nondet_int();
        if (n >= 0 && n < 7) memcpy(a, b, n);""",
    "too much is filled": """char a[4]; unsigned char n = __VERIFIER_nondet_uchar();
        if (n < 6) memset(a, 1, n);""",
    "a block of any size": """unsigned char n = __VERIFIER_nondet_uchar(); char *p = malloc(n);
        p[3] = 1;""",
}
INVALID_FREE = {
    "one that was freed is compared": """char *p = malloc(1), *q = malloc(1);
        if (__VERIFIER_nondet_int()) free(p); char *r = malloc(1); CHECK(p != r && q != r);""",
    "a freed block": "char *p = malloc(4); if (__VERIFIER_nondet_int()) free(p); p[1] = 1;",
    "a second free": "char *p = malloc(4); if (__VERIFIER_nondet_int()) free(p); free(p);",
    "a free of a local": "int a; free(__VERIFIER_nondet_int() ? &a : 0);",
    "a free inside a block": "char *p = malloc(4); free(p + 1);",
    "a free at an offset that is an input": """char *p = malloc(4), *q = malloc(4);
        unsigned char n = __VERIFIER_nondet_uchar() & 1; free(p + n); q[3] = 1;""",
    "a realloc of one of two, one of them freed": """char *p = malloc(4), *q = malloc(4); free(p);
        q = realloc(__VERIFIER_nondet_int() ? p : q, 8);""",
    "a realloc at an offset that is an input": """char *p = malloc(4);
        unsigned char n = __VERIFIER_nondet_uchar() & 1; p = realloc(p + n, 8);""",
    "a realloc of what is freed": """char *p = malloc(4); if (__VERIFIER_nondet_int()) free(p);
        p = realloc(p, 8);""",
}
DIFFERENCES = {
    "null between other values": """char a[3] = "xy", *p; switch (__VERIFIER_nondet_int()) {
        case 0: p = a; break; case 1: p = 0; break; case 2: p = a + 1; break; default: p = a + 2; }
        if (p) CHECK(p - a < 3);""",
    "a character that is found": """char a[3]; for (int i = 0; i < 2; i++)
        a[i] = __VERIFIER_nondet_char(); a[2] = 0; char *p = strchr(a, ':');
        if (p) CHECK(p - a < 2 && a[p - a] == ':');""",
    "a difference with null": """char a[4] = "xyz", *p = __VERIFIER_nondet_int() ? a + 1 : 0;
        long n = p - a; if (p) CHECK(n == 1);""",
}
UNFIT = {
    "an array of any length, and a local": (
        "unsigned char n = __VERIFIER_nondet_uchar(); char a[n + 1], b, *volatile p = a;"
        " CHECK(p != &b);",
        "where objects lie",
    ),
    "locals of two calls": ("CHECK(own() != own());", "where objects lie"),
    "locals of two rounds": (
        "int *p = 0; for (int i = 0; i < 2; i++) { int a = i; CHECK(p != &a); p = &a; }",
        "where objects lie",
    ),
    "right behind another": ("int a, b; CHECK(&a + 1 != &b);", "where objects lie"),
    "one object behind another": (
        "int a, b; CHECK(!(&a < &b && &b - 1 < &a));",
        "where objects lie",
    ),
    "the number of an address": (
        "int a; CHECK((uintptr_t)&a < 1000000);",
        "where objects lie",
    ),
    "freed and made again": (
        "char *p = malloc(1); free(p); char *q = malloc(1); CHECK(p != q);",
        "where objects lie",
    ),
    "a volatile object that others may change": ("CHECK(shared == 0);", "volatile"),
    "a volatile object of the heap": (
        "volatile int *p = calloc(1, 4); CHECK(*p == 0);",
        "volatile",
    ),
    "a loop without a bound": (
        "int i = 0; while (__VERIFIER_nondet_int()) i++; CHECK(i >= 0);",
        "program.c:10:.* goes on for more than 130 rounds",
    ),
    "recursion without end": ("CHECK(forever(1));", "activations"),
    "so many bytes from outside": (
        "extern char *outside(void); char a[9] = {0}; unsigned n = __VERIFIER_nondet_uchar();"
        " if (n > 8) return 0; memcpy(a, outside(), n); CHECK(a[0] == 0);",
        "from outside",
    ),
    "so many bytes to a number": (
        "char a[9] = {0}; unsigned n = __VERIFIER_nondet_uchar(); if (n > 8) return 0;"
        " memcpy((char *)(uintptr_t)__VERIFIER_nondet_int(), a, n); CHECK(a[0] == 0);",
        "from outside",
    ),
    "so many bytes of a number filled": (
        "char a[9] = {0}; unsigned n = __VERIFIER_nondet_uchar(); if (n > 8) return 0;"
        " memset((char *)(uintptr_t)__VERIFIER_nondet_int(), 1, n); CHECK(a[0] == 0);",
        "from outside",
    ),
    "a pointer made from a number": (
        "int *p = (int *)(uintptr_t)__VERIFIER_nondet_int(); CHECK(*p);",
        "made from a number",
    ),
}
FUNCTIONS = """
struct N { struct N *next; int v; }; struct S { int a[2]; short c; };
__attribute__((noinline)) int twice(int x) { return 2 * x; }
__attribute__((noinline)) int more(int x) { return x + 1; }
int (*table[2])(int) = {twice, more};
int sum(int n) { return n ? n + sum(n - 1) : 0; }
volatile int shared; const char text[] = "a"; int other, table_of[2];
static int *own(void) { int x; int *volatile p = &x; return p; }
int forever(int x) { return forever(x + 1) + 1; }
"""


def in_main(body: str, more: str = "") -> str:
    head = f"{HEAD}{more}{FUNCTIONS.replace(chr(10), ' ')}"
    return f"{head}\nint main(void) {{\n {body}\n return 0; }}\n"


@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize("name", COMPUTED)
def test_what_does_not_depend_on_inputs_is_computed(name: str, bits: int, tmp_path: Path) -> None:
    assert not can_fail(unfolded(read(tmp_path, in_main(COMPUTED[name]), bits=bits)))


@pytest.mark.parametrize("name", COMPUTED)
def test_a_wrong_result_is_seen(name: str, tmp_path: Path) -> None:
    """Each check fails once it asks for the opposite."""
    wrong = in_main(COMPUTED[name]).replace("if (!(c))", "if (c)")
    assert can_fail(unfolded(read(tmp_path, wrong)))


@pytest.mark.parametrize("name", OPEN)
def test_what_depends_on_inputs_stays(name: str, tmp_path: Path) -> None:
    program = unfolded(read(tmp_path, in_main(OPEN[name])))
    assert can_fail(program)


@pytest.mark.parametrize("name", DIFFERENCES)
def test_differences_with_what_may_be_null_are_followed(name: str, tmp_path: Path) -> None:
    unfolded(read(tmp_path, in_main(DIFFERENCES[name])))


@pytest.mark.parametrize("name", UNFIT)
def test_what_cannot_be_unfolded_is_said(name: str, tmp_path: Path) -> None:
    body, reason = UNFIT[name]
    with pytest.raises(Unfit, match=reason):
        unfold(read(tmp_path, in_main(body)))


@pytest.mark.parametrize("written", [3, 40])
def test_it_is_given_up_at_its_bounds(written: int, tmp_path: Path) -> None:
    body = "int s = 0; for (int i = 0; i < 50; i++) s ^= __VERIFIER_nondet_int(); CHECK(s);"
    program = read(tmp_path, in_main(body))
    with pytest.raises(Unfit, match="statements"):
        unfold(program, Bounds(written=written))
    with pytest.raises(Unfit, match="executed"):
        unfold(program, Bounds(executed=written))
    with pytest.raises(Unfit, match="time limit"):
        unfold(program, is_late=lambda: True)


SAFETY = {
    "valid-memsafety": (
        "char b[4]; unsigned char i = __VERIFIER_nondet_uchar(); if (i < 4) b[i] = 1;",
        "char b[4]; unsigned char i = __VERIFIER_nondet_uchar(); if (i < 5) b[i] = 1;",
    ),
    "valid-free": (
        "int x; int *p = __VERIFIER_nondet_int() ? malloc(4) : 0; free(p);",
        "int x; int *p = __VERIFIER_nondet_int() ? malloc(4) : &x; free(p);",
    ),
    "valid-deref": (
        "char *p = malloc(9); if (__VERIFIER_nondet_int()) { free(p); return 0; }"
        " p[8] = 1; free(p);",
        "char *p = malloc(9); if (__VERIFIER_nondet_int()) { free(p); } p[8] = 1;",
    ),
    "valid-memcleanup": (
        "char *p = malloc(9); if (__VERIFIER_nondet_int()) { free(p); return 0; } free(p);",
        "char *p = malloc(9); if (__VERIFIER_nondet_int()) { free(p); return 0; } *p = 1;",
    ),
    "no-overflow": (
        "int x = __VERIFIER_nondet_int(); for (int i = 0; i < 3; i++) if (x < 1000) x++;",
        "int x = __VERIFIER_nondet_int(); for (int i = 0; i < 3; i++) x++;",
    ),
}


@pytest.mark.parametrize("asked", SAFETY)
def test_properties_of_memory_and_arithmetic(asked: str, tmp_path: Path) -> None:
    right, wrong = SAFETY[asked]
    unfolded(read(tmp_path, in_main(right), asked))
    assert can_fail(unfolded(read(tmp_path, in_main(wrong), asked)))


def expected(program: Program) -> tuple[CheckSite, ...]:
    """The checks that unfolding adds, each of which can fail."""
    after = simplify(unfold(program))
    added = set(after.checks) - set(program.checks)
    blocks = [b for f in after.functions.values() for b in f.blocks]
    failing = {b.terminator.check for b in blocks if isinstance(b.terminator, Fail)}
    assert added <= failing
    return tuple(added)


@pytest.mark.parametrize("asked", ["valid-free", "no-overflow", "unreach-call"])
@pytest.mark.parametrize("name", INVALID)
def test_an_invalid_access_that_nobody_asks_about_is_an_error(
    name: str, asked: str, tmp_path: Path
) -> None:
    """What comes behind it is seen by real runs."""
    assert len(expected(read(tmp_path, in_main(INVALID[name]), asked))) == 1


@pytest.mark.parametrize("name", INVALID_FREE)
def test_so_is_an_invalid_free_where_frees_are_followed(name: str, tmp_path: Path) -> None:
    asked = "unreach-call" if "compared" in name else "valid-memcleanup"
    assert len(expected(read(tmp_path, in_main(INVALID_FREE[name]), asked))) == 1


def test_what_the_program_asks_is_not_asked_again(tmp_path: Path) -> None:
    for name in INVALID.keys() - {"by a pointer without a value"}:
        assert expected(read(tmp_path, in_main(INVALID[name]), "valid-deref")) == ()


RIGHT = {
    "an index inside": (
        "char a[3], i = __VERIFIER_nondet_int(); if (i < 0 || i > 2) return 0; a[i] = 1;"
    ),
    "one of two": "int a[2] = {0}, *p = __VERIFIER_nondet_int() ? a : a + 1; other = *p;",
    "a null pointer that is not followed": """int a, *p = __VERIFIER_nondet_int() ? &a : 0;
        if (p) *p = 1; free(0);""",
    "a block that still lives": """char *p = malloc(4), *q = malloc(4);
        if (__VERIFIER_nondet_int()) { free(p); p = q; } p[1] = 1; free(p);""",
}


@pytest.mark.parametrize("name", RIGHT)
def test_nothing_is_added_where_accesses_are_valid_as_far_as_is_known(
    name: str, tmp_path: Path
) -> None:
    program = read(tmp_path, in_main(RIGHT[name]))
    assert unfolded(program).checks == program.checks


@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize("seed", [0, 3, 5])
def test_random_programs_run_as_before(seed: int, bits: int, tmp_path: Path) -> None:
    program = read(tmp_path, generated(seed, 4, bits).text(), bits=bits)
    after = unfold(program)
    before, second = Interpreter(program), Interpreter(after)
    own = {site.number for site in program.sites}
    compared = 0
    for number in range(4):
        which = next(s.number for s in program.sites if s.name.endswith("which"))
        for draw in range(15):
            values = {s.number: (draw * 77 + s.number,) * 3 for s in program.sites}
            outcome = before.run({**values, which: (number,)}, LIMITS)
            again = second.run(outcome.feed, LIMITS)
            if outcome.ending is Ending.REFUSED:
                continue
            compared += 1
            assert (outcome.ending, outcome.check) == (again.ending, again.check)
            assert outcome.reads == tuple(read for read in again.reads if read[0] in own)
    assert compared >= 10


def test_bytes_of_several_types_meet_whole() -> None:
    """A truth value is stored on one way and a byte on the other; the byte is read."""
    place, seen, wrong = ptr("p"), reg("x", I8), bit("w")
    main = function(
        "main",
        block(
            "a",
            read_input("c", 1, BOOL),
            Alloca(place, const(1, I64), 1),
            Branch(bit("c"), "b", "d"),
        ),
        block("b", Store(const(1, BOOL), place), Jump("e")),
        block("d", Store(const(6, I8), place), Jump("e")),
        block(
            "e",
            Load(seen, place),
            compare("w", Predicate.EQ, seen, const(6, I8)),
            Branch(wrong, "f", "g"),
        ),
        block("f", Fail(check())),
        block("g", Return(())),
    )
    before = program_of(main)
    runs = endings(before, unfold(before), seed=1, runs=20)
    assert {a for a, _ in runs} == {"failed 0", "not failed"}
    assert all(a == b for a, b in runs)


def test_copies_are_ordered_as_runs_visit_them() -> None:
    """Two nested loops: every path has keys that grow."""
    one = const(1, BOOL)
    body = function(
        "main",
        block("a", Jump("outer")),
        block("outer", Branch(one, "inner", "end")),
        block("inner", Branch(one, "body", "after")),
        block("body", Jump("inner")),
        block("after", Jump("outer")),
        block("end", Return(())),
    )
    order = order_of(body)
    walk = [
        "a",
        "outer",
        "inner",
        "body",
        "inner",
        "after",
        "outer",
        "inner",
        "after",
        "outer",
        "end",
    ]
    iterations = order.first("a")
    keys = [order.key("a", iterations)]
    for source, target in pairwise(walk):
        iterations = order.after(source, iterations, target)
        keys.append(order.key(target, iterations))
    assert keys == sorted(set(keys))
    assert order.leaves_loop("outer", "end") and not order.leaves_loop("body", "inner")


GIVEN = {
    "a block": "int *p = malloc(4); *p = 1; give(p); CHECK(*p == 1);",
    "later": "int *p = malloc(4); give(p); *p = 1; give(0); CHECK(*p == 1);",
    "what it leads to": "int a = 1, *p[2] = {0, &a}; give(p); CHECK(a == 1);",
    "what it leads to later": "int a = 1, *p[2] = {0}; give(p); p[1] = &a; a = 2; CHECK(a == 2);",
    "one of two": (
        "int a = 1, b = 1, *p = __VERIFIER_nondet_int() ? &a : &b; give(p); CHECK(a == 1);"
    ),
    "on one way": "int a = 1; if (__VERIFIER_nondet_int()) give(&a); CHECK(a == 1);",
    "the number of it": "int a = 1; give((void *)((uintptr_t)&a * 3)); CHECK(a == 1);",
    "through a pointer": ("int a = 1; void (*volatile f)(void *) = give; f(&a); CHECK(a == 1);"),
    "into memory from outside": "int a = 1; **place() = &a; give(0); CHECK(a == 1);",
    "one of several places": (
        "int a = 1, *b, **p = __VERIFIER_nondet_int() ? *place() : &b; *p = &a; CHECK(a == 1);"
    ),
    "in a copy to the outside": """int a = 1, **p = malloc(80000);
        p[__VERIFIER_nondet_uchar()] = &a; memcpy(place(), p, 80000); CHECK(a == 1);""",
    "a number less its address": "int a = 1; give((void *)(9 - (uintptr_t)&a)); CHECK(a == 1);",
    "bytes of its address": """int a = 1, *p = &a; char c[8];
        for (int k = 0; k < 8; k++) c[k] = ((char *)&p)[k] ^ 1; give(c); CHECK(a == 1);""",
    "what no file defines": "extern int g; g = 1; give(0); CHECK(g == 1);",
    "what is put where no file defines it": (
        "extern int *g; int a = 1; g = &a; give(0); CHECK(a == 1);"
    ),
    "what no file defines, through a pointer": (
        "extern int g; void (*volatile f)(void *) = give; g = 1; f(0); CHECK(g == 1);"
    ),
    "bytes of one of two addresses": """int a = 1, b, *p = __VERIFIER_nondet_int() ? &a : &b;
        char c = ((char *)&p)[1] + 1; give(&c); CHECK(a == 1);""",
}


@pytest.mark.parametrize("name", GIVEN)
def test_what_a_function_without_a_body_is_given_may_change(name: str, tmp_path: Path) -> None:
    text = in_main(GIVEN[name], "extern void give(void *); extern int ***place(void);")
    assert can_fail(slice_program(simplify(unfold(read(tmp_path, text)))))


OUTSIDE = (
    "extern void *__VERIFIER_nondet_pointer(void);"
    " extern void __VERIFIER_nondet_memory(void *, size_t);"
)
MAY_BE = {
    "a number made of an address": "int a, *p = &a; CHECK(*(char *)&p != 5);",
    "the order of two objects": "int a, b; CHECK(&a < &b);",
    "an object that another one touches": "int a, b; CHECK(!(&a < &b && &a + 1 >= &b));",
    "bits of an address": "char a; CHECK((uintptr_t)&a % 8 == 0);",
    "bits of an address at an index": (
        "int a[9], k = __VERIFIER_nondet_uchar() & 7; CHECK((uintptr_t)(a + k) % 8 == 0);"
    ),
    "an alignment that is no power of two": (
        "char *p = aligned_alloc(24, 48); CHECK((uintptr_t)p % 32 == 0);"
    ),
    "a hash of an address": "int a; CHECK(((uintptr_t)&a >> 4) * 31 % 7 != 5);",
    "the lower half of an address": "char a; CHECK((uint32_t)(uintptr_t)&a != 5);",
    "bytes of two addresses": (
        "int a, b, *p[2] = {&a, &b}; uint64_t n; memcpy(&n, (char *)p + 4, 8); CHECK(n != 5);"
    ),
    "an address that was asked for": """int a, **p = malloc(80000);
        __VERIFIER_nondet_memory(p, 80000); CHECK(p[__VERIFIER_nondet_uchar()] != &a);""",
    "a number in the place of a function": (
        "int (*f)(int) = __VERIFIER_nondet_pointer(); CHECK((void *)f != (void *)twice);"
        " if ((void *)f == (void *)more) CHECK(f(1) == 3);"
    ),
    "an object": "int a; CHECK(__VERIFIER_nondet_pointer() != &a);",
    "a place in an object": "int a[4]; CHECK((int *)__VERIFIER_nondet_pointer() != a + 2);",
    "a function": "CHECK(__VERIFIER_nondet_pointer() != (void *)twice);",
    "a part of a pointer": "int a, *p = &a, k = __VERIFIER_nondet_uchar();"
    " CHECK(((char *)&p)[k & 7] != 5);",
    "a part of one of two": "int a, b, k = __VERIFIER_nondet_uchar(), *p = k > 9 ? &a : &b;"
    " CHECK(((char *)&p)[k & 7] != 5);",
}
IS_TOLD = {
    "two orders of two objects": """int a, b; if (&a < &b) CHECK(&a <= &b && !(&b < &a));
        else CHECK(&b < &a && &a >= &b && !(&b > &a));""",
    "the order of two arrays": "int a[4], b[4]; CHECK((a + 1 < b + 3) == (a + 2 < b + 1));",
    "the number of an address is one": (
        "char a[8]; uintptr_t n = (uintptr_t)a * 3; CHECK(n == (uintptr_t)a * 3);"
    ),
    "all bits of an address or none": """int a = 3; unsigned n = __VERIFIER_nondet_int();
        uintptr_t m = (uintptr_t)(n >> 31) - 1; int *p = (int *)((uintptr_t)&a & m);
        CHECK(p ? *p == 3 && !(n >> 31) : n >> 31);""",
    "null at an index or null": """unsigned n = __VERIFIER_nondet_int(); char a[2] = {0}, *p = 0;
        if (n < 2) p = a; else if (n < 9) p += n; if (n < 2) CHECK(p[n] == 0);""",
    "an address that was asked for": """int a = 1, **p = malloc(80000);
        unsigned k = __VERIFIER_nondet_int() % 10000u; __VERIFIER_nondet_memory(p, 80000);
        if (p[k]) *p[k] = 5; CHECK(a == 1);""",
    "an object that another function has": (
        "extern void give(int *); int a = 1, b = 2; give(&a); a = 5; CHECK(b == 2);"
    ),
    "the same each time": "int a; void *p = __VERIFIER_nondet_pointer(); int k = p == &a;"
    " CHECK(k == (p == &a));",
    "null lies below objects": """int a[3], *p = __VERIFIER_nondet_int() ? a + 1 : 0;
        CHECK(p < a + 2 && p <= a + 1 && a > (int *)0 && a + 3 > p);
        CHECK(!(p >= a + 2 || (int *)8 >= a));""",
    "a part of a pointer is the same each time": """int a, *p = &a, k = __VERIFIER_nondet_uchar();
        char *c = (char *)&p; CHECK(c[k & 3] == c[k & 3] && c[2] - c[2] == 0);""",
    "null or from outside": "int *p = __VERIFIER_nondet_int() ? __VERIFIER_nondet_pointer() : 0;"
    " int a = 1; if (p) a = *p; p = &a; CHECK(*p == a);",
    "nothing moved to null": "unsigned n = __VERIFIER_nondet_int(); char *p = 0, *a = malloc(n);"
    " memmove(p + n, a, n); CHECK(n == 0);",
}


FROM_OUTSIDE = {
    "less it": "int a = 1; char *p = out(); p += (uintptr_t)&a - (uintptr_t)p; *p = 2;"
    " CHECK(a == 1);",
    "in an index": "int a = 1; char *p = out(); *(p + (0 - (uintptr_t)p) + (uintptr_t)&a) = 2;"
    " CHECK(a == 1);",
    "of one of two": """int a = 1, b, *q = __VERIFIER_nondet_int() ? &a : &b; char *p = out();
        *(p + ((uintptr_t)q - (uintptr_t)p)) = 2; CHECK(a == 1);""",
}


@pytest.mark.parametrize("name", FROM_OUTSIDE)
def test_an_index_may_lead_from_the_outside_to_an_object(name: str, tmp_path: Path) -> None:
    text = in_main(FROM_OUTSIDE[name], "extern char *out(void);")
    with pytest.raises(Unfit, match="a pointer from outside"):
        unfold(read(tmp_path, text))


@pytest.mark.parametrize("name", MAY_BE)
def test_an_address_from_outside_may_be_any(name: str, tmp_path: Path) -> None:
    assert can_fail(slice_program(simplify(unfold(read(tmp_path, in_main(MAY_BE[name], OUTSIDE))))))


@pytest.mark.parametrize("name", IS_TOLD)
def test_an_address_from_outside_is_one(name: str, tmp_path: Path) -> None:
    after = slice_program(simplify(unfold(read(tmp_path, in_main(IS_TOLD[name], OUTSIDE)))))
    assert only_accesses_can_fail(after)


LEFT_TO_A_SOLVER = {
    "alignment of a number": (
        "int a[9], k = __VERIFIER_nondet_uchar() & 7; CHECK(((uintptr_t)(a + k) * 2 & 7) == 0);"
    ),
    "one of the functions that were compared": """
        int (*f)(int) = __VERIFIER_nondet_pointer(); __VERIFIER_assume(f == more || f == 0);
        if (f) CHECK(f(2) == 3);""",
}


@pytest.mark.parametrize("name", LEFT_TO_A_SOLVER)
def test_a_solver_tells_what_unfolding_leaves(name: str, tmp_path: Path) -> None:
    file = tmp_path / "program.c"
    file.write_text(in_main(LEFT_TO_A_SOLVER[name], OUTSIDE))
    assert seahorn_py.verify(file, timeout=30).answer is Answer.SAFE


def only_accesses_can_fail(program: Program) -> bool:
    failing = [b.terminator for b in program.functions[program.entry].blocks]
    checks = {end.check.text for end in failing if isinstance(end, Fail)}
    return checks <= {"an access of memory is invalid"}


NEXT_TO_LOGGED_BYTES = {
    "an address": "t->p = &x; memset(t->b, 7, n); CHECK(t->p == &x && *t->p == 5);",
    "a number": "t->n = n; memcpy(t->b, s, n); CHECK(t->n == n);",
}


@pytest.mark.parametrize("name", NEXT_TO_LOGGED_BYTES)
def test_what_was_written_as_a_whole_is_read_as_a_whole(name: str, tmp_path: Path) -> None:
    text = f"""{HEAD} struct T {{ int *p; unsigned long n; char b[]; }};
    extern unsigned long __VERIFIER_nondet_ulong(void); static char s[1000];
    int main(void) {{ int x = 5; unsigned long n = __VERIFIER_nondet_ulong();
    if (n > 1000) return 0;
    struct T *t = malloc(sizeof *t + n); {NEXT_TO_LOGGED_BYTES[name]} return 0; }}"""
    assert only_accesses_can_fail(unfolded(read(tmp_path, text)))


def test_a_later_write_of_one_byte_is_seen(tmp_path: Path) -> None:
    text = f"""{HEAD} struct T {{ int n; unsigned char b[]; }};
    extern unsigned long __VERIFIER_nondet_ulong(void);
    int main(void) {{ unsigned long n = __VERIFIER_nondet_ulong() % 1000, i = n % 7;
    struct T *t = malloc(sizeof *t + n); t->n = 1; memset(t->b, 7, n); ((char *)t)[i] = 9;
    CHECK(t->n == 1); return 0; }}"""
    small = unfolded(read(tmp_path, text))
    ends = {first for first, _ in endings(small, small, seed=3, runs=40)}
    assert can_fail(small) and len(ends) > 1


@pytest.mark.parametrize("make", ["malloc(n)", "__builtin_alloca(n)"])
def test_no_object_has_more_than_half_of_all_addresses(make: str, tmp_path: Path) -> None:
    text = f"""{HEAD} extern unsigned long __VERIFIER_nondet_ulong(void);
    int main(void) {{ unsigned long n = __VERIFIER_nondet_ulong(); char *p = {make};
    CHECK(!p || n <= INTPTR_MAX); return 0; }}"""
    assert not can_fail(unfolded(read(tmp_path, text)))
