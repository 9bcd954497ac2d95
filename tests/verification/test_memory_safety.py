"""Memory safety end to end: what is proved, what is refuted, and what is neither."""

from __future__ import annotations

from pathlib import Path

import pytest

from seahorn_py import verify
from seahorn_py.options import Encodings, FrontendOptions, Property, VerifyOptions
from seahorn_py.result import Answer

HEAD = """
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
extern void sassert(int);
char *kept;
int main(void) {
"""
FILLED = """
  int n = __VERIFIER_nondet_int();
  if (n < 1 || n > 100) return 0;
  int *p = malloc(n * sizeof(int));
  for (int i = 0; i {relation} n; i++) p[i] = i;
  {release}
  return 0;
"""
CASES = {
    "block of symbolic size": (
        FILLED.format(relation="<", release="free(p);"),
        "valid-memsafety",
        "safe",
    ),
    "one beyond": (FILLED.format(relation="<=", release="free(p);"), "valid-deref", "unsafe"),
    "freed twice": (
        FILLED.format(relation="<", release="free(p); free(p);"),
        "valid-free",
        "unsafe",
    ),
    "not freed": (FILLED.format(relation="<", release=""), "valid-memcleanup", "unsafe"),
    "lost in a loop that ends": (
        "for (int i = 0; i < 3; i++) { char *p = malloc(1); if (!p) return 1; } return 0;",
        "valid-memtrack",
        "unsafe",
    ),
    "lost in a loop without end": (
        "for (;;) { char *p = malloc(1); if (!p) abort(); }",
        "valid-memtrack",
        "unknown",
    ),
    "lost in a loop that only looks as if it ended": (
        "int on = 1; while (on) { char *p = malloc(1); if (!p) on = 1; } return 0;",
        "valid-memtrack",
        "unknown",
    ),
    "kept in a global where exit ends the run": (
        "kept = malloc(4); if (__VERIFIER_nondet_int()) exit(1); free(kept); kept = 0; return 0;",
        "valid-memtrack",
        "safe",
    ),
    "kept in a local alone where exit ends the run": (
        "char *p = malloc(4); if (__VERIFIER_nondet_int()) exit(1); free(p); return 0;",
        "valid-memtrack",
        "unknown",
    ),
    "lost behind a call of exit": (
        "char *p = malloc(4); if (__VERIFIER_nondet_int() == 77) exit(1);"
        "if (__VERIFIER_nondet_int() != 12345) free(p); return 0;",
        "valid-memtrack",
        "unsafe",
    ),
    "lost before an assertion that fails": (
        "malloc(4); sassert(__VERIFIER_nondet_int()); return 0;",
        "valid-memtrack",
        "unsafe",
    ),
    "lost in runs alone that end in an assertion": (
        "char *p = malloc(4); if (__VERIFIER_nondet_int()) { p = 0; sassert(0); }"
        "free(p); return 0;",
        "valid-memtrack",
        "unknown",
    ),
    "freed behind an assertion": (
        "char *p = malloc(4); sassert(p != 0); free(p); return 0;",
        "valid-memtrack",
        "safe",
    ),
    "freed behind a return": (
        "char *p = malloc(4); if (!p) return 1; char *q = malloc(5); free(p); free(q);",
        "valid-memtrack",
        "safe",
    ),
    "lost by a return": (
        "char *p = malloc(4); if (__VERIFIER_nondet_int()) return 1; char *q = p; free(q);",
        "valid-memtrack",
        "unsafe",
    ),
    "pointer in a structure": (
        "struct s { int *p; } s; int x = 3; s.p = &x; struct s t = s; return *t.p - 3;",
        "valid-memsafety",
        "safe",
    ),
    "block that may be the freed one again": (
        "char *p = malloc(4); free(p); char *q = malloc(4); if (p == q) reach_error(); return 0;",
        "unreach-call",
        "unsafe",
    ),
    "blocks that end in a loop": (
        "int n = __VERIFIER_nondet_int(), s = 0, *p = &s;"
        "for (int i = 0; i < n; i++) { int x = i; p = &x; *p += 1; } p = &s; return *p;",
        "valid-memsafety",
        "safe",
    ),
    "block that has ended": (
        "int n = __VERIFIER_nondet_int(), s = 0, *p = &s;"
        "if (n == 123456789) { int x = n; p = &x; } return *p;",
        "valid-deref",
        "unsafe",
    ),
    "pointer overwritten": (
        "union { int *p; long n; } u; int x = 3; u.p = &x; u.n = 8; return *u.p;",
        "valid-deref",
        "unsafe",
    ),
}

UNROLLED = {"block of symbolic size", "kept in a global where exit ends the run"}
"""What only unrolling in bit-vectors shows: which blocks are lost, in runs without end as well."""


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=pytest.mark.full if n in UNROLLED else ()) for n in CASES],
)
def test_answer(name: str, tmp_path: Path) -> None:
    body, asked, expected = CASES[name]
    file = tmp_path / "case.c"
    file.write_text(HEAD + body + "}\n")
    frontend = FrontendOptions(properties=frozenset({Property(asked)}))
    timeout = 8 if expected == "unknown" else 60
    encoding = Encodings.AUTO if name in UNROLLED else Encodings.INT
    result = verify(file, VerifyOptions(frontend, encoding, timeout=timeout, executions=0.1))
    assert result.answer is Answer(expected), result.reason
    if result.violation is not None:
        assert result.violation.property == asked
