"""Objects in memory that a generated function works on: all it does with them is defined.

An object declares itself, and gives places to read and write, conditions, whole statements, the
text that adds what it holds to the result `r`, and what frees it.  Indices are cut to the length of
what they index, lengths of copies to what lies behind the pointers, floats to the integers they are
converted to.  Nothing depends on where an object lies.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

from generated import CType, Expression

MEMORY_PRELUDE = r"""
typedef __SIZE_TYPE__ size_t;
extern void *malloc(size_t), *calloc(size_t, size_t), *realloc(void *, size_t);
extern void free(void *);
extern void *memcpy(void *, const void *, size_t), *memmove(void *, const void *, size_t);
extern void *memset(void *, int, size_t);
extern size_t strlen(const char *);
extern int strcmp(const char *, const char *), memcmp(const void *, const void *, size_t);
extern char *strcpy(char *, const char *);
extern float __VERIFIER_nondet_float(void);
extern double __VERIFIER_nondet_double(void);
struct bits {
  unsigned a : 3; int b : 7; unsigned c : 12; signed char d; unsigned long long e : 37;
};
struct inner { short a; signed char b; int c[3]; };
struct outer {
  unsigned char tag; struct inner in[2]; long long w; struct bits f; struct inner *to;
};
struct node { int v; struct node *next; };
struct pair { int x, y; };
struct shape { int (*area)(int, int); int side; };
union mixed {
  unsigned w[2]; unsigned char b[8]; unsigned short h[4]; unsigned long long q; float f; double d;
  struct { signed char low; short high; } s;
};
static int gm[2][3] = {{1, -2, 3}, {4}}; static struct outer go = {7, {{1, 2, {3}}}, -1};
static unsigned *gp = &ga[1]; static const char *const words[4] = {"one", "three", "", "twenty"};
static struct inner gi = {3, -4, {5, 6, 7}};
static int plus(int a, int b) { return a + b; }
static int minus(int a, int b) { return a - b; }
static int mixed(int a, int b) { return (a & b) * 3 ^ g0; }
static int store(int a, int b) { ga[a & 3] ^= (unsigned)b; return (int)ga[b & 3]; }
static int (*const operations[4])(int, int) = {plus, minus, mixed, store};
static int total(int n, ...) {
  __builtin_va_list all; int sum = 0;
  __builtin_va_start(all, n);
  for (int i = 0; i < n; i++) sum = sum * 3 + __builtin_va_arg(all, int);
  __builtin_va_end(all);
  return sum;
}
static int length(struct node *n) { return n ? 1 + length(n->next) : 0; }
static unsigned deep(unsigned *up, unsigned n) {
  unsigned own[2] = {n, *up};
  own[n & 1] += *up * 3;
  return n ? deep(own, n - 1) + own[0] : own[1];
}
static struct outer changed(struct outer o, int x) {
  o.in[x & 1].c[(unsigned)x % 3] += x; o.f.b ^= x; o.w -= o.f.c; o.tag++; return o;
}
static long long weight(struct inner i) { i.c[1] += i.b; return (long long)i.a * i.c[0] - i.c[1]; }
static struct pair turned(struct pair p) { struct pair q = {-p.y, p.x}; return q; }
static void exchange(struct inner *a, struct inner *b) { struct inner t = *a; *a = *b; *b = t; }
static double tame(double d) { return d > -1e6 && d < 1e6 ? d : 0.25; }
static unsigned long long shown(double d) {
  union mixed u; u.d = d; return d == d ? u.q : 7;
}
static unsigned narrow(float f) { union mixed u; u.q = 0; u.f = f; return f == f ? u.w[0] : 7; }
"""


class Given(Protocol):
    """What an object may use where it is mentioned."""

    random: random.Random

    def value(self) -> str:
        """An integer expression, which has side effects at most on scalars."""

    def index(self, count: int) -> str:
        """An unsigned expression below `count`, without side effects."""


Place = Callable[[Given], Expression]
Text = Callable[[Given], str]


@dataclass(frozen=True)
class Object:
    """An object of a function; see the module."""

    declared: tuple[str, ...]
    places: tuple[Place, ...] = ()
    numbers: tuple[Place, ...] = ()
    statements: tuple[Text, ...] = ()
    shown: tuple[str, ...] = ()
    freed: tuple[str, ...] = ()


def adding(values: Iterable[str]) -> tuple[str, ...]:
    """Statements that add values to the result."""
    return tuple(f"r = r * 31 + (unsigned long long){value};" for value in values)


def all_of(name: str, count: int) -> tuple[str, ...]:
    """A loop that adds the elements of an array to the result."""
    (line,) = adding([f"{name}[k]"])
    return (f"for (unsigned k = 0; k < {count}; k++) {line}",)


@dataclass(frozen=True)
class Nothing:
    """Given where nothing has been declared yet."""

    random: random.Random

    def value(self) -> str:
        """A small number."""
        return str(self.random.randint(-9, 20))

    def index(self, count: int) -> str:
        """A number below `count`."""
        return str(self.random.randrange(count))


class Maker:
    """What makers of the objects of one function share; names end in a number."""

    def __init__(self, draw: random.Random, types: dict[str, CType]) -> None:
        self.random = draw
        self.types = types
        self.int = types["int"]
        self._count = 0

    def name(self, letter: str) -> str:
        """A new name."""
        self._count += 1
        return f"{letter}{self._count}"

    def element(self) -> CType:
        """The type of the elements of an array."""
        return self.random.choice(list(self.types.values()))
