"""C objects in unusual use, in both data models: each verdict follows from the C standard."""

from __future__ import annotations

from pathlib import Path

import pytest

from seahorn_py import verify
from seahorn_py.options import FrontendOptions, Property, VerifyOptions
from seahorn_py.result import Answer

HEAD = """
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
#define nd __VERIFIER_nondet_int
#define check(c) do { if (!(c)) reach_error(); } while (0)
"""

SAFE = {
    "members of bits share their units": """
struct wide { unsigned a : 20; unsigned b : 20; unsigned c : 8; };
struct small { _Bool a : 1; signed char b : 2; unsigned char c : 5; };
int main(void) {
  struct wide w = {0xabcde, 0xfffff, 0x5a};
  struct small s = {nd() != 0, 1, 31};
  w.b += 1;
  s.b++;
  check(w.a == 0xabcde && w.b == 0 && w.c == 0x5a && sizeof w == 8);
  check(s.b == -2 && s.c == 31 && w.c - 91 < 0);
}""",
    "elements and members of one object under several types": """
struct pair { int a[2]; };
int main(void) {
  int m[4] = {1, 2, 3, 4};
  struct pair *p = (struct pair *)(m + 2 * (nd() & 1)), *q = (struct pair *)(m + 2 * (nd() & 1));
  struct pair old = *q;
  *p = *q;
  check(p->a[0] == old.a[0] && p->a[1] == p->a[0] + 1);
  unsigned i = nd() & 7;
  memset(m, 0, sizeof m);
  ((short *)m)[i] = 1;
  check(m[i / 2] == (i & 1 ? 65536 : 1));
}""",
    "arguments are promoted and structs passed among them": """
struct s { int a; char c; };
double sum(int n, ...) {
  va_list v, w;
  va_start(v, n);
  char c = (char)va_arg(v, int);
  va_copy(w, v);
  struct s s = va_arg(v, struct s), t = va_arg(w, struct s);
  double d = va_arg(v, double);
  unsigned char u = (unsigned char)va_arg(v, int);
  va_end(w);
  va_end(v);
  return c + s.a + t.c + d + u;
}
int main(void) {
  struct s s = {10, 20};
  check(sum(0, (char)-3, s, 1.5f, (unsigned char)200) == 228.5);
}""",
    "two floats in one register": """
struct pair { float x, y; };
struct three { float x, y, z; };
struct pair scaled(struct pair p, float k) { p.x *= k; return p; }
struct three moved(struct three t) { t.z += t.y; return t; }
int main(void) {
  struct pair (*f)(struct pair, float) = scaled, p = {1.5f, 2.5f};
  struct three t = {1, 2, nd() ? 3 : 4};
  p = f(p, 2);
  t = moved(t);
  check(p.x == 3 && p.y == 2.5f && t.x == 1 && t.z > 4 && t.z < 7);
}""",
    "pointers into one array are ordered as their indices": """
int main(void) {
  long long a[6];
  unsigned i = nd() & 3, j = nd() & 3;
  long long *p = a + i, *q = &a[j + 2];
  check((p < q) == (i < j + 2) && (q - p < 0) == (j + 2 < i));
  check((char *)q - (char *)p == ((ptrdiff_t)j + 2 - (ptrdiff_t)i) * 8);
}""",
}

UNSAFE = {
    "a local of an outer activation changes": (
        """
int *keep;
int f(int n) {
  int x = n;
  if (n == 2) keep = &x;
  if (n == 0) *keep = 77; else f(n - 1);
  return x;
}
int main(void) { check(f(2) == 2); }""",
        Property.UNREACH_CALL,
    ),
    "a pointer inside a block that realloc moved": (
        """
struct s { struct s *self; int v; };
int main(void) {
  struct s *p = malloc(sizeof *p);
  p->self = p;
  p = realloc(p, 100 * sizeof *p);
  p->self->v = 4;
  free(p);
}""",
        Property.VALID_MEMSAFETY,
    ),
    "freed on some paths, used on others": (
        """
int main(void) {
  int *p = malloc(8), n = nd();
  if (n > 100) free(p);
  if (n > 90) p[1] = 2;
  if (n <= 100) free(p);
}""",
        Property.VALID_MEMSAFETY,
    ),
    "a flexible member longer than its block": (
        """
struct v { int n; short d[]; };
int main(void) {
  unsigned n = nd() & 7;
  struct v *v = malloc(sizeof *v + n * sizeof(short));
  v->d[n] = 0;
  free(v);
}""",
        Property.VALID_MEMSAFETY,
    ),
}


def answer(file: Path, text: str, bits: int, checked: Property) -> Answer:
    file.write_text(HEAD + text)
    frontend = FrontendOptions(bits=bits, properties=frozenset({checked}))
    return verify(file, VerifyOptions(frontend, timeout=60, executions=0.2)).answer


@pytest.mark.full
@pytest.mark.parametrize(("name", "bits"), [*zip(SAFE, (32, 64, 32, 64, 64), strict=True)])
def test_safe(name: str, bits: int, tmp_path: Path) -> None:
    assert answer(tmp_path / "safe.c", SAFE[name], bits, Property.UNREACH_CALL) is Answer.SAFE


@pytest.mark.parametrize(("name", "bits"), [*zip(UNSAFE, (64, 32, 64, 32), strict=True)])
def test_unsafe(name: str, bits: int, tmp_path: Path) -> None:
    text, checked = UNSAFE[name]
    assert answer(tmp_path / "unsafe.c", text, bits, checked) is Answer.UNSAFE
