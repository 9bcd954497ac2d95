"""Loops with bounds on their rounds, and native runs that count them.

In the text of a loop `ENTER` stands before it, `ROUND` at the start of its body and `LEAVE` behind
it; they mean nothing to the analysis.  Natively `ENTER` evaluates the bound that was told, and
`LEAVE` compares the rounds with it.  `I` is an input.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

LOOPS: dict[str, str] = {
    "up": "int n = I; ENTER for (int i = 0; i < n; i++) { ROUND } LEAVE",
    "up to": "int n = I; ENTER for (int i = 0; i <= n; i++) { ROUND } LEAVE",
    "down": "int n = I; ENTER while (n > 0) { ROUND n--; } LEAVE",
    "down by four": "int n = I, i = n; ENTER for (; i >= 0; i -= 4) { ROUND } LEAVE",
    "by two": "int n = I; ENTER for (int i = 0; i < n; i += 2) { ROUND } LEAVE",
    "between": "int n = S, m = S; ENTER for (int i = m; i < n; i++) { ROUND } LEAVE",
    "by three": "int n = S, m = S, i = m; ENTER for (; i < n; i += 3) { ROUND } LEAVE",
    "from five below": "int n = I; ENTER for (int i = -5; i < n; i++) { ROUND } LEAVE",
    "a body first": "int n = I, i = 0; ENTER do { ROUND i++; } while (i < n); LEAVE",
    "a body first by two": "int n = I, i = 0; ENTER do { ROUND i += 2; } while (i < n); LEAVE",
    "ten": "ENTER for (int i = 0; i < 10; i++) { ROUND } LEAVE",
    "a hundred by seven": "ENTER for (int i = 0; i < 100; i += 7) { ROUND } LEAVE",
    "both ends": "int l = S, h = S; ENTER while (l < h) { ROUND l++; h--; } LEAVE",
    "left": "int n = I; ENTER for (int i = 0; i < n; i++) { ROUND if (I == 3) break; } LEAVE",
    "left out": "int n = I, k = 0; ENTER for (int i = 0; i < n; i++) { ROUND if (i > 9) continue;"
    " k++; } LEAVE",
    "unsigned": "unsigned u = B; ENTER while (u > 0) { ROUND u--; } LEAVE",
    "unsigned up": "unsigned u = B; ENTER for (unsigned i = 0; i < u; i++) { ROUND } LEAVE",
    "unsigned char": "ENTER for (unsigned char c = 0; c < 50; c++) { ROUND } LEAVE",
    "two that fall": "int x = S, y = S; ENTER while (x + y > 0) { ROUND if (I > 0) x--; else y--;"
    " } LEAVE",
    "tens": "int n = I; ENTER while (n >= 10) { ROUND n -= 10; } LEAVE",
    "tested and changed": "int n = S; ENTER while (n-- > 0) { ROUND } LEAVE",
    "long": "long n = I; ENTER for (long i = 0; i < n; i++) { ROUND } LEAVE",
    "twice": "int n = S; ENTER for (int i = 0; i < 2 * n; i++) { ROUND } LEAVE",
    "half": "int n = S; ENTER for (int i = 0; 2 * i < n; i++) { ROUND } LEAVE",
    "a global": "g = I; ENTER while (g > 0) { ROUND g--; } LEAVE",
    "a jump": "int n = I, i = 0; ENTER again: if (i < n) { ROUND i++; goto again; } LEAVE",
    "left at once": "int n = I, i = 0; ENTER while (1) { if (i >= n) break; ROUND i++; } LEAVE",
    "the less": "int n = I, m = I; ENTER for (int i = 0; i < n && i < m; i++) { ROUND } LEAVE",
    "until equal": "int a = S, b = S; if (a <= b) { ENTER while (a != b) { ROUND a++; } LEAVE }",
    "short": "short n = S; ENTER for (short i = 0; i < n; i++) { ROUND } LEAVE",
    "a call": "rounds_of(I);",
    "inner": "int n = S, m = S; for (int i = 0; i < n; i++) { ENTER for (int j = 0; j < m; j++)"
    " { ROUND } LEAVE }",
    "triangle": "int n = S; for (int i = 0; i < n; i++) { ENTER for (int j = 0; j < i; j++)"
    " { ROUND } LEAVE }",
    "or": "int x = B, y = B; ENTER while (x > 0 || y > 0) { ROUND if (x > 0) x--; else y--; }"
    " LEAVE",
}
"""By name."""

HEAD = """extern int __VERIFIER_nondet_int(void);
#define I __VERIFIER_nondet_int()
#define S ((signed char)__VERIFIER_nondet_int())
#define B ((unsigned char)__VERIFIER_nondet_int())
#ifndef ENTER
#define ENTER
#define ROUND
#define LEAVE
#endif
int g;
"""

BEFORE = {"a call": "static void rounds_of(int k) { ENTER while (k > 0) { ROUND k -= 1; } LEAVE }"}
"""Functions that a loop needs."""

NATIVE = """#include <stdio.h>
#include <stdlib.h>
static long long rounds_, bound_, wrong_, exact_, reached_, entered_;
static inline long long most_(long long a, long long b) { return a > b ? a : b; }
#define ENTER rounds_ = 0; bound_ = (BOUND);
#define ROUND rounds_++;
#define LEAVE entered_++; if (rounds_ > bound_) wrong_++; if (rounds_ == bound_) reached_++;
int __VERIFIER_nondet_int(void) { return rand() % 160 - 50; }
#define main program
"""

MAIN = """
#undef main
int main(void) {
  for (int k = 0; k < RUNS; k++) { srand(k); program(); }
  printf("%lld %lld %lld\\n", entered_, wrong_, reached_);
  return 0;
}
"""


def text(name: str) -> str:
    """The C text of a loop."""
    return f"{HEAD}{BEFORE.get(name, '')}\nint main(void) {{\n  {LOOPS[name]}\n  return 0;\n}}\n"


@dataclass(frozen=True)
class Counted:
    """How often a loop was entered natively, went round more often, and just as often as told."""

    entered: int
    wrong: int
    reached: int


def run(name: str, bound: str, folder: Path, runs: int = 1_000) -> Counted:
    """Count the rounds of a loop natively and compare them with a bound."""
    widened = re.sub(r"\b(?!max\b)([A-Za-z_]\w*)", r"(long long)\1", bound)
    file = folder / "counted.c"
    defined = f"#define BOUND {widened.replace('max', 'most_')}\n#define RUNS {runs}\n"
    file.write_text(f"{defined}{NATIVE}{text(name)}{MAIN}")
    program = folder / "counted"
    compiler = next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))))
    subprocess.run([compiler, "-w", "-O1", "-o", program, file], check=True)
    done = subprocess.run([program], check=True, capture_output=True, text=True, timeout=60)
    return Counted(*map(int, done.stdout.split()))
