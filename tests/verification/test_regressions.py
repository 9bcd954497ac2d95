"""Small programs that were answered wrongly once, or that would be by a careless model of C.

`ok(c)` is an error unless c holds, `bad(c)` if it does.  `ZERO` is a value that only the solver
knows to be 0.  Nothing is run before solving, so every answer comes from the encoding; "not safe"
is for errors that we cannot confirm, or programs that we refuse.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from diagonal import diagonal

from seahorn_py import FrontendOptions, VerifyOptions, verify
from seahorn_py.base.errors import UnsupportedError
from seahorn_py.options import Encodings

HEAD = """
#include <stdarg.h>
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
extern void exit(int);
static int zero(void) { int z = __VERIFIER_nondet_int(); if (z != 0) exit(0); return z; }
#define ZERO zero()
#define ok(c) do { if (!(c)) reach_error(); } while (0)
#define bad(c) do { if (c) reach_error(); } while (0)
"""

ANSWERS = [
    # arguments beyond the parameters of a function, or of other types, are still given to it
    (
        "variadic pointer",
        "unsafe",
        "void set(int n, ...) { va_list a; va_start(a, n); *va_arg(a, int *) = 5; va_end(a); }"
        "int main(void) { int x = ZERO; set(1, &x); bad(x == 5); }",
    ),
    (
        "variadic number that is an address",
        "unsafe",
        "void set(int n, ...) { va_list a; va_start(a, n); *(int *)va_arg(a, unsigned long) = 5; }"
        "int main(void) { int x = ZERO; set(1, (unsigned long)&x); bad(x == 5); }",
    ),
    (
        "variadic struct",
        "unsafe",
        "struct s { int *p; int k; };"
        "void set(int n, ...) { va_list a; va_start(a, n); struct s v = va_arg(a, struct s);"
        " *v.p = v.k; } int main(void) { int x = ZERO; struct s v = {&x, 4}; set(1, v);"
        " bad(x == 4); }",
    ),
    (
        "variadic list handed on",
        "unsafe",
        "static int x; void inner(va_list a) { *va_arg(a, int *) = 5; }"
        "void set(int n, ...) { va_list a; va_start(a, n); inner(a); va_end(a); }"
        "int main(void) { set(1, &x); bad(x == 5); }",
    ),
    (
        "variadic function pointer",
        "unsafe",
        "int g; void cb(void) { g = 1; }"
        "void call(int n, ...) { va_list a; va_start(a, n); va_arg(a, void (*)(void))(); }"
        "int main(void) { call(1, cb); bad(g == 1); }",
    ),
    (
        "variadic function through a pointer",
        "unsafe",
        "int one(int n, ...) { return n; } int two(int n, ...) { return -n; }"
        "int main(void) { int (*f)(int, ...) = ZERO ? one : two; bad(f(2, 7) == -2); }",
    ),
    (
        "callbacks whose result only one call reads",
        "safe",
        "int n; int add(int k) { return n += k; } int none(int k) { return k - k; }"
        "int main(void) { int c = ZERO; void (*f)(int) = (void (*)(int))(c ? add : none);"
        " f(1); f(2); int (*g)(int) = c ? add : none; int r = g(0); ok(r == 0 || r == 3); }",
    ),
    (
        "old-style argument behind one that does not fit",
        "not safe",
        "int f(a, p) long long a; int *p; { *p = 5; return a; }"
        "int main(void) { int x = ZERO; ((int (*)())f)(1, &x); ok(x == 0); }",
    ),
    (
        "old-style arguments beyond the parameters",
        "safe",
        "int f(a) int a; { return a + 1; }"
        "int main(void) { int x = ZERO; ok(f(3, &x) == 4); ok(x == 0); }",
    ),
    # functions without a body
    (
        "nondeterminism into a pointer",
        "not safe",
        "extern void nd_fill(int *p); int main(void) { int x = 0; nd_fill(&x); ok(x == 0); }",
    ),
    (
        "nondeterminism of a large struct",
        "unsafe",
        "struct big { int a[5]; }; extern struct big nd_big(void);"
        "int main(void) { struct big b = nd_big(); bad(b.a[0] == 7); }",
    ),
    (
        "undeclared parameters",
        "not safe",
        "extern void run(); int g; int main(void) { run(&g); ok(g == 0); }",
    ),
    (
        "a callback that is chosen",
        "not safe",
        "extern void apply(void (*)(void)); int n; void a(void) { n++; } void b(void) { n += 2; }"
        "int main(void) { apply(ZERO ? a : b); ok(n == 0); }",
    ),
    (
        "output that counts, by a format in a variable",
        "not safe",
        "extern int printf(const char *, ...);"
        'int main(void) { int x = 0; const char *f = "1%n"; printf(f, &x); ok(x == 0); }',
    ),
    (
        "output by a format in a variable",
        "safe",
        "extern int printf(const char *, ...);"
        'int main(void) { int x = ZERO; const char *f = "%d"; printf(f, x); ok(x == 0); }',
    ),
    (
        "memory given away earlier",
        "not safe",
        "extern void keep(int *); extern void tick(void);"
        "int main(void) { int x = 0; keep(&x); x = 0; tick(); ok(x == 0); }",
    ),
    (
        "another name of a function",
        "unsafe",
        "int g; void real(void) { g = ZERO + 1; }"
        'void other(void) __attribute__((alias("real"))); int main(void) { other(); bad(g == 1); }',
    ),
    (
        "another name of the error function",
        "unsafe",
        'void reach_error(void) {} void fail(void) __attribute__((alias("reach_error")));'
        "int main(void) { if (ZERO == 0) fail(); }",
    ),
    (
        "more elements than are modelled by a variable index",
        "not safe",
        "int a[17]; int main(void) { int i = ZERO + 16; a[i] = 5; bad(a[16] == 5); }",
    ),
    (
        "bytes of a constant table",
        "safe",
        "static const unsigned t[3] = {0x01020304, 0xfffefdfc, 7}; int main(void) {"
        " const unsigned char *p = (const unsigned char *)t;"
        " ok(p[4 + ZERO] == 0xfc && p[ZERO + 1] == 3); }",
    ),
    (
        "small struct packed around a loop",
        "safe",
        "struct p { unsigned char a, b; unsigned short c; int d; };"
        "__attribute__((noinline)) struct p next(struct p x) { x.a++; x.c += x.a; return x; }"
        "int main(void) { struct p x = {253, 7, 65530, -1 + ZERO}; x = next(next(next(x)));"
        " ok(x.a == 0 && x.b == 7 && x.d == -1 && x.c == 503); }",
    ),
    # memory
    (
        "pointer in an array",
        "not safe",
        "int main(void) { int x = 1, y = 2; int *a[2] = {&x, &y}; *a[ZERO + 1] = 5; bad(y == 5); }",
    ),
    (
        "union of arrays by variable indices",
        "safe",
        "union u { int i[2]; char c[8]; short s[4]; }; int main(void) { union u x; int k = ZERO;"
        " x.i[0] = 0x01020304; x.i[1] = 0x05060708; x.c[k + 5] = 9; x.s[k + 1] = 0x1122;"
        " ok(x.i[0] == 0x11220304 && x.i[1] == 0x05060908); }",
    ),
    (
        "overlapping moves",
        "safe",
        "void *memmove(void *, const void *, __SIZE_TYPE__);"
        "int main(void) { int a[4] = {1 + ZERO, 2, 3, 4}; memmove(a + 1, a, 12);"
        " memmove((char *)a + 1, a, 4);"
        " ok(a[1] == 0 && a[2] == 2 && a[3] == 3 && a[0] == 0x101); }",
    ),
    (
        "fill across members by a variable byte",
        "safe",
        "void *memset(void *, int, __SIZE_TYPE__); struct s { int a, b, c; };"
        "int main(void) { struct s x = {1, 2, 3}; memset((char *)&x + 2, 0xAB + ZERO, 4);"
        " ok(x.a == (int)0xABAB0001 && x.b == 0xABAB && x.c == 3); }",
    ),
    (
        "bit-fields under a union",
        "safe",
        "union u { unsigned w; struct { unsigned lo : 4, mid : 8, hi : 20; } b; };"
        "int main(void) { union u x; x.w = 0xdeadbeef + ZERO; x.b.mid = 0x55;"
        " ok(x.w == 0xdeadb55f && x.b.hi == 0xdeadb); }",
    ),
    (
        "pointer to a local through recursion",
        "unsafe",
        "void f(int *p, int n) { if (n) { *p += n; f(p, n - 1); } }"
        "int main(void) { int x = ZERO; f(&x, 2); bad(x == 3); }",
    ),
    (
        "pointer returned by recursion",
        "unsafe",
        "int g = 5; int *f(int n, int *p) { return n ? f(n - 1, &g) : p; }"
        "int main(void) { int x = 1; *f(ZERO + 1, &x) = 8; bad(g == 8 && x == 1); }",
    ),
    (
        "index that wraps in its own width",
        "safe",
        "int a[5] = {1, 2, 3, 4, 5}; int main(void) { unsigned char k = ZERO + 255; k += 3;"
        " signed char j = ZERO - 2; ok(a[k] == 3 && (a + 4)[j] == 3); }",
    ),
    (
        "extern pointer",
        "not safe",
        "extern int *ep; int main(void) { int *p = ep; *p = 5; ok(*p == 5); }",
    ),
    # integers
    (
        "promotions",
        "safe",
        "int main(void) { unsigned char a = 200, b = 100 + ZERO; short t = -1;"
        " unsigned short s = 65535; ok(a + b == 300 && (unsigned char)(a + b) == 44 && t != s"
        " && s * 2 == 131070 && ~a == -201 && (a << 24) == (int)0xC8000000 && -b == -100); }",
    ),
    (
        "signed and unsigned division",
        "safe",
        "int main(void) { int z = ZERO, a = -17 + z; unsigned u = 5 + z; ok(a / 5 == -3"
        " && a % 5 == -2 && a % (int)-u == -2 && a / u == 858993455u && -a % -5 == 2); }",
    ),
    (
        "overflow builtins",
        "safe",
        "int main(void) { int z = ZERO, r; unsigned u; char c;"
        " int o = __builtin_add_overflow(2147483647, 1 + z, &r);"
        " int p = __builtin_sub_overflow(3u, 4u + z, &u);"
        " int q = __builtin_add_overflow(100 + z, 28, &c);"
        " ok(o && r == -2147483647 - 1 && p && u == 0xffffffffu && q && c == -128); }",
    ),
    (
        "truth values count to one",
        "safe",
        "int main(void) { _Bool b = 1 + ZERO; b++; int x = b--; b--; _Bool c = 256 + ZERO;"
        " ok(x == 1 && b == 1 && c == 1); }",
    ),
    (
        "division by 0 ends the run",
        "safe",
        "int main(void) { int t = 5 / ZERO; bad(t == t); }",
    ),
    # control
    (
        "noreturn function that returns",
        "safe",
        "__attribute__((noreturn)) void stop(int x) { if (x) for (;;); }"
        "int main(void) { stop(ZERO); reach_error(); }",
    ),
    (
        "jump into a loop",
        "safe",
        "int main(void) { int i = ZERO, s = 0; if (s == 0) goto middle; top: s += i;"
        " middle: i++; if (i < 3) goto top; ok(s == 3 && i == 3); }",
    ),
    (
        "constructors by priority",
        "safe",
        "int g = 1; __attribute__((constructor(200))) void b(void) { g = g * 10 + 2; }"
        "__attribute__((constructor(101))) void a(void) { g = g * 10 + 1; }"
        "int main(void) { ok(g == 112 + ZERO); }",
    ),
    # what a run takes and gives back, over and over, may be more than there are addresses
    (
        "blocks that are freed",
        "not safe",
        "#include <stdlib.h>\n"
        "int main(void) { for (int i = ZERO; i < 17; i++) free(malloc(1UL << 28));"
        " reach_error(); }",
    ),
    (
        "blocks that a function frees",
        "not safe",
        "#include <stdlib.h>\n"
        "static int depth; void take(int n) { if (n > 0) take(n - 1); free(malloc(1UL << 28));"
        " depth++; } int main(void) { for (int i = ZERO; i < 9; i++) take(1); bad(depth == 18); }",
    ),
    (
        "a block that grows and shrinks",
        "not safe",
        "#include <stdlib.h>\n"
        "int main(void) { char *p = 0; for (int i = ZERO; i < 34; i++)"
        " p = realloc(p, i % 2 ? 1 : 1UL << 28); p[0] = 1; bad(p[0] == 1); }",
    ),
    (
        "arrays of a function that returns",
        "not safe",
        "static int f(unsigned long n) { char a[n]; a[n - 1] = 1; a[0] = 2; return a[n - 1]; }"
        "int main(void) { for (int i = ZERO; i < 17; i++) f((1UL << 28) + ZERO);"
        " reach_error(); }",
    ),
    (
        "blocks that are freed after few bytes",
        "safe",
        "#include <stdlib.h>\n"
        "int main(void) { int s = ZERO; for (int i = 0; i < 3; i++) { int *p = malloc(4);"
        " *p = i; s += *p; free(p); } ok(s == 3); }",
    ),
    (
        "an error after more blocks than there are addresses for",
        "not safe",
        "#include <stdlib.h>\n"
        "int main(void) { int s = ZERO; for (int i = 0; i < 20; i++) { char *p ="
        " malloc(1UL << 28); *p = 1; s += *p; free(p); } bad(s == 20); }",
    ),
    # a pointer from outside may lead to a function that the program does not have
    (
        "a function from outside",
        "not safe",
        "extern int (*give(void))(int); int mine(int x) { return x; }"
        "int main(void) { int (*f)(int) = ZERO ? mine : give(); ok(f(1) == 1); }",
    ),
    (
        "a function from outside in a struct",
        "not safe",
        "struct s { int (*f)(int); }; extern struct s *give(void); int mine(int x) { return x; }"
        "int (*kept)(int) = mine; int main(void) { struct s *p = give(); ok(p->f(1) == 1); }",
    ),
    (
        "a function of our own through a struct",
        "safe",
        "struct s { int (*f)(int); }; int mine(int x) { return x; }"
        "int main(void) { struct s a; a.f = mine; struct s *p = &a; ok(p->f(1 + ZERO) == 1); }",
    ),
    # what the compiler calls for complex numbers is no function of the program's environment
    (
        "complex quotient",
        "not unsafe",
        "int main(void) { double _Complex a = 4 + ZERO, b = 2; ok(__real__(a / b) == 2); }",
    ),
    (
        "complex product",
        "not unsafe",
        "int main(void) { double _Complex a = 4 + ZERO, b = 2; ok(__real__(a * b) == 8); }",
    ),
    (
        "infinite complex product",
        "not unsafe",
        "int main(void) { double _Complex a = __builtin_inf(), b = 2 + ZERO;"
        ' __imag__ a = __builtin_nan(""); ok(__builtin_isinf(__real__(a * b))); }',
    ),
    (
        "rounding mode",
        "safe",
        "#include <fenv.h>\nint main(void) { ok(fegetround() == FE_TONEAREST + ZERO); }",
    ),
    # a function of a library without a model does not return just anything
    (
        "wide characters",
        "not unsafe",
        "#include <wctype.h>\nint main(void) { ok(iswdigit('3' + ZERO)); }",
    ),
    (
        "order of bytes",
        "not unsafe",
        "unsigned ntohl(unsigned), htonl(unsigned);"
        "int main(void) { unsigned x = 5 + ZERO; ok(ntohl(htonl(x)) == 5); }",
    ),
    (
        "builtin of another compiler",
        "not unsafe",
        "int main(void) { ok(!__builtin_add_overflow_p(1 + ZERO, 2, 0)); }",
    ),
    ("first bit", "safe", "int ffsl(long); int main(void) { ok(ffsl(8 + ZERO) == 4); }"),
    ("no clock", "unsafe", "#include <time.h>\nint main(void) { bad(time(0) == -1); }"),
]

RUNS = [
    # errors that random runs reach, but that no C program has
    (
        "local whose function has returned",
        "not unsafe",
        "int rec(int n, int **o) { int l = n; *o = &l; return n ? rec(n - 1, o) + l : l; }"
        "int main(void) { int *o; rec(2, &o); int v = *o; if (v != 99) reach_error(); }",
    ),
    (
        "block that was freed",
        "not unsafe",
        "void *malloc(__SIZE_TYPE__); void free(void *); int main(void) { int *p = malloc(4);"
        " *p = 1; free(p); int *q = malloc(4); *q = 2; if (*p == 2) reach_error(); }",
    ),
    (
        "arguments of main",
        "unsafe",
        "int main(int argc, char **argv) { if (argv[argc] == 0) reach_error(); }",
    ),
]


@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize(("name", "expected", "text"), RUNS, ids=[r[0] for r in RUNS])
def test_answer_by_runs(tmp_path: Path, name: str, expected: str, text: str, bits: int) -> None:
    file = tmp_path / "program.c"
    file.write_text(HEAD + text)
    answer = verify(file, VerifyOptions(FrontendOptions(bits=bits), timeout=15)).answer.value
    if expected.startswith("not "):
        assert answer != expected.removeprefix("not "), name
    else:
        assert answer == expected, name


MACHINES = [(32, Encodings.BV), (64, Encodings.INT)]


@pytest.mark.parametrize(
    ("name", "expected", "text", "bits", "encoding"), diagonal(ANSWERS, MACHINES)
)
def test_answer(
    tmp_path: Path, name: str, expected: str, text: str, bits: int, encoding: Encodings
) -> None:
    file = tmp_path / "program.c"
    file.write_text(HEAD + text)
    options = VerifyOptions(FrontendOptions(bits=bits), encoding, timeout=20, executions=0)
    try:
        answer = verify(file, options).answer.value
    except UnsupportedError:
        answer = "refused"
    if expected.startswith("not "):
        assert answer != expected.removeprefix("not "), name
    else:
        assert answer == expected, name
