"""The fixed parts of a generated C program: types, helper functions, `main`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class CType:
    """A C integer type; `nondet` is the suffix of its input function."""

    name: str
    width: int
    signed: bool
    nondet: str


@dataclass(frozen=True)
class Expression:
    """C text that is safe inside any other expression, and its type."""

    text: str
    type: CType


PRELUDE = r"""extern void reach_error(void);
extern void __VERIFIER_assume(int);
#define INLINED static __attribute__((always_inline))
struct plain { short a; int b; signed char c; unsigned long long d; };
struct fields { int a : 5; unsigned b : 3; unsigned long long c : 33; _Bool d : 1; short e : 11; };
struct small { short a; unsigned char b; int c; };
static int g0 = 5; static unsigned char g1 = 200; static long long g2 = -7; static unsigned g3;
static struct plain gs = {1, -2, 3, 4}; static unsigned ga[4] = {1, 2, 3, 0x80000000u};
INLINED void swap_int(int *a, int *b) { int t = *a; *a = *b; *b = t; }
INLINED void bump(unsigned short *p, unsigned v) { *p += v; }
INLINED struct small make(short a, int c) { struct small s = {a, (unsigned char)c, c}; return s; }
INLINED int sum(struct small s, struct small *p) { p->a += 1; return s.a * 3 + s.b - s.c; }
static unsigned down(unsigned n, unsigned x) { return n == 0 ? x : down(n - 1, x * 3u + n); }
static long long gcd(long long a, long long b) { return b ? gcd(b, a % b) : a; }
"""

MAIN = """\
extern unsigned __VERIFIER_nondet_which(void);
extern unsigned long long __VERIFIER_nondet_oracle(void);
extern char __VERIFIER_nondet_one(void), __VERIFIER_nondet_zero(void);
int main(void) {
  unsigned long long r = 0;
  switch (__VERIFIER_nondet_which()) {
CASES
  default: return 0;
  }
  if (r == __VERIFIER_nondet_oracle()) reach_error();
  for (int i = 0; i < 64; i++, r >>= 1) {
    if (r & 1) __VERIFIER_nondet_one(); else __VERIFIER_nondet_zero();
  }
  return 0;
}
"""


def c_types(bits: int) -> tuple[CType, ...]:
    """The integer types of a data model; 128-bit ones exist with 64-bit pointers only."""
    types = [
        CType("_Bool", 1, False, "bool"),
        CType("signed char", 8, True, "char"),
        CType("unsigned char", 8, False, "uchar"),
        CType("short", 16, True, "short"),
        CType("unsigned short", 16, False, "ushort"),
        CType("int", 32, True, "int"),
        CType("unsigned int", 32, False, "uint"),
        CType("long", bits, True, "long"),
        CType("unsigned long", bits, False, "ulong"),
        CType("long long", 64, True, "longlong"),
        CType("unsigned long long", 64, False, "ulonglong"),
    ]
    if bits == 64:
        types.append(CType("__int128", 128, True, "int128"))
        types.append(CType("unsigned __int128", 128, False, "uint128"))
    return tuple(types)


@dataclass(frozen=True)
class File:
    """A program of numbered functions; any of them can be left out."""

    head: str
    functions: tuple[tuple[int, str], ...]

    def only(self, number: int) -> File:
        """The program with one of its functions."""
        return File(self.head, tuple(f for f in self.functions if f[0] == number))

    def text(self) -> str:
        """The C text, with a `main` that runs the function that its first input names."""
        bodies = "\n".join(body for _, body in self.functions)
        cases = "\n".join(f"  case {k}: r = f{k}(); break;" for k, _ in self.functions)
        return f"{self.head}\n{bodies}\n{MAIN.replace('CASES', cases)}"
