"""Functions with variable arguments: their layout, native runs, the interpreter, and verdicts."""

from __future__ import annotations

from pathlib import Path

import pytest
from diagonal import diagonal

from seahorn_py.base.errors import UnsupportedError
from seahorn_py.evidence.runs import native
from seahorn_py.evidence.runs.inputs import Drawn
from seahorn_py.frontend.compiling import compiler
from seahorn_py.frontend.llvmtext.lowered import Lowered
from seahorn_py.frontend.lowering import optimizer
from seahorn_py.frontend.reading import reader
from seahorn_py.frontend.runtime.native import Refusal, build
from seahorn_py.ir.interpreter import Interpreter
from seahorn_py.ir.run import Ending, RunLimits
from seahorn_py.options import Encodings, FrontendOptions, Property, VerifyOptions
from seahorn_py.processes.deadline import Deadline
from seahorn_py.verification.pipeline import verify

HEAD = """
#include <stdarg.h>
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
#define ok(c) do { if (!(c)) reach_error(); } while (0)
"""
TOTAL = """
int total(int n, ...) {
  va_list a; int s = 0;
  va_start(a, n); while (n-- > 0) s += va_arg(a, int); va_end(a);
  return s;
}
"""

LAYOUT = """
struct pair { int *p; int k; };       struct words { int w[5]; };
struct mixed { double d; int i; };    struct byte { char c; };
struct wide { long double x; int i; }; struct three { char c[3]; }; struct none {};
int target = 6;
void all(int n, ...) {
  va_list a, b;
  va_start(a, n); va_copy(b, a);
  ok(va_arg(a, int) == -1);        ok(va_arg(a, long long) == 1LL << 40);
  ok(va_arg(a, double) == 1.5);    ok(va_arg(a, unsigned long) == 7);
  struct pair p = va_arg(a, struct pair);    ok(*p.p == 6 && p.k == 8);
  struct words w = va_arg(a, struct words);  ok(w.w[0] == 10 && w.w[4] == 14);
  struct mixed m = va_arg(a, struct mixed);  ok(m.d == 0.25 && m.i == 9);
  struct byte c = va_arg(a, struct byte);    ok(c.c == 'c');
  ok(va_arg(a, long double) == 2.5L);
  struct wide x = va_arg(a, struct wide);    ok(x.x == 3.5L && x.i == 11);
  struct none e = va_arg(a, struct none);    (void)e;
  struct three t = va_arg(a, struct three);  ok(t.c[0] == 1 && t.c[2] == 3);
  ok(*va_arg(a, int *) == 6);      ok(va_arg(a, int) == 12);
  va_end(a);
  ok(va_arg(b, int) == -1);        ok(va_arg(b, long long) == 1LL << 40);
  va_end(b);
}
struct words returned(int n, ...) {
  struct words w = {{0}}; va_list a;
  va_start(a, n); for (int i = 0; i < n; i++) w.w[i] = va_arg(a, int); va_end(a);
  return w;
}
int vsum(int n, va_list a) { int s = 0; while (n--) s += va_arg(a, int); return s; }
int sum(int n, ...) { va_list a; va_start(a, n); int s = vsum(n, a); va_end(a); return s; }
int twice(int n, ...) {
  va_list a, b; va_start(a, n); va_copy(b, a); int s = vsum(n, a) * 100 + vsum(n, b);
  va_end(a); va_end(b); return s;
}
int depth(int n, ...) {
  va_list a; va_start(a, n); int x = va_arg(a, int); int y = n ? depth(n - 1, x + 1) : 0;
  va_end(a); return 10 * y + x;
}
int plain(int n, int *p) { return n + *p; }
int (*table[2])(int, ...) = {sum, twice};
int main(void) {
  struct pair p = {&target, 8}; struct words w = {{10, 11, 12, 13, 14}};
  struct mixed m = {0.25, 9}; struct byte c = {'c'}; struct wide x = {3.5L, 11};
  struct three t = {{1, 2, 3}}; struct none e;
  all(0, -1, 1LL << 40, 1.5f, 7UL, p, w, m, c, 2.5L, x, e, t, &target, 12);
  ok(returned(3, 4, 5, 6).w[2] == 6);
  ok(sum(0) == 0); ok(sum(3, 1, 2, 3) == 6); ok(twice(2, 3, 4) == 707); ok(depth(2, 1) == 321);
  for (int i = 0; i < 2; i++) ok(table[i](2, 1, i) == (i ? 202 : 1));
  int (*old)() = (int (*)())sum, (*other)() = (int (*)())plain;
  ok(old(2, 5, 6) == 11); ok(other(1, &target) == 7); ok(((int (*)())sum)(1, 9) == 9);
}
"""


def lowered(folder: Path, text: str, bits: int, *properties: Property) -> Lowered:
    file = folder / "program.c"
    file.write_text(HEAD + text)
    options = FrontendOptions(bits=bits, properties=frozenset(properties))
    deadline = Deadline.after(60)
    return optimizer.lower(compiler.compile_files([file], options, deadline), options, deadline)


@pytest.mark.parametrize("bits", [32, 64])
def test_what_was_given_is_read(tmp_path: Path, bits: int) -> None:
    """Natively, in the interpreter, and there also when invalid accesses are errors."""
    limits = RunLimits(seconds=10.0, steps=100_000, reads=1 << 10)
    text = lowered(tmp_path, LAYOUT, bits)
    executable = build(text.native, bits, tmp_path, Deadline.after(60))
    assert not isinstance(executable, Refusal)
    sampled = native.sample(executable, Drawn(1, (), {}), 1, Deadline.after(20), limits)
    assert [run.ending for run in sampled.outcomes] == [Ending.ENDED]
    checked = lowered(tmp_path, LAYOUT, bits, Property.UNREACH_CALL, Property.VALID_DEREF)
    for program in (text, checked):
        outcome = Interpreter(reader.read(program)).run({}, limits)
        assert outcome.ending is Ending.ENDED, outcome


ANSWERS = {
    "sum": ("safe", TOTAL + "int main(void) { int x = N; ok(total(2, x, 3) == x + 3); }"),
    "wrong sum": ("unsafe", TOTAL + "int main(void) { int x = N; ok(total(2, x, 3) != 9); }"),
    "list handed on": (
        "unsafe",
        "int inner(va_list a) { return va_arg(a, int) + va_arg(a, int); }"
        "int f(int n, ...) { va_list a; va_start(a, n); n = inner(a); va_end(a); return n; }"
        "int main(void) { ok(f(0, N, 4) != 7); }",
    ),
    "through a pointer": (
        "safe",
        TOTAL + "int none(int n, ...) { return n; } int (*f)(int, ...);"
        "int main(void) { int x = N; f = x ? total : none; ok(f(1, x) == (x ? x : 1)); }",
    ),
    "no argument left": ("unsafe", TOTAL + "int main(void) { total(2, N); }"),
    "all arguments read": ("safe", TOTAL + "int main(void) { total(2, N, 3); }"),
}


MACHINES = [(32, Encodings.BV), (64, Encodings.INT)]


@pytest.mark.full
@pytest.mark.parametrize(
    ("name", "bits", "encoding"), diagonal([(name,) for name in ANSWERS], MACHINES)
)
def test_answer(tmp_path: Path, name: str, bits: int, encoding: Encodings) -> None:
    expected, text = ANSWERS[name]
    file = tmp_path / "program.c"
    file.write_text(HEAD + "#define N __VERIFIER_nondet_int()\n" + text)
    wanted = Property.VALID_DEREF if "argument" in name else Property.UNREACH_CALL
    options = FrontendOptions(bits=bits, properties=frozenset({wanted}))
    result = verify(file, VerifyOptions(options, encoding, timeout=20, executions=0.1))
    assert result.answer.value == expected


def test_output_functions_keep_their_arguments(tmp_path: Path) -> None:
    text = lowered(
        tmp_path,
        "extern int printf(const char *, ...); int (*out)(const char *, ...) = printf;"
        'int main(void) { out("%d", N); return printf("%d", 4); }'.replace("N", "3"),
        64,
    )
    assert "@printf(ptr %0)" in text.native


def test_refused(tmp_path: Path) -> None:
    aligned = "struct a { long x, y; } __attribute__((aligned(16)));"
    taking = "long f(int n, ...) { va_list a; va_start(a, n); return va_arg(a, struct a).y; }"
    with pytest.raises(UnsupportedError, match="aligned to 16 bytes"):
        lowered(tmp_path, f"{aligned} {taking} int main(void) {{ struct a x; f(1, x); }}", 64)
    with pytest.raises(UnsupportedError, match=r"program.c:\d+:\d+: total\(\) is called without"):
        lowered(tmp_path, TOTAL + "int main(void) { return ((int (*)())total)(); }", 32)
