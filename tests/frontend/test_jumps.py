"""`setjmp` and `longjmp`: where control goes, what locals hold then, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from seahorn_py import verify
from seahorn_py.base.errors import UnsupportedError
from seahorn_py.options import Encodings, FrontendOptions, Property, VerifyOptions
from seahorn_py.result import Answer, VerificationResult

HEAD = """
#include <setjmp.h>
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
void reach_error(void);
#define FAIL_IF(c) if (c) reach_error()
static jmp_buf env, other;
static sigjmp_buf masked;
static void jump(int k) { longjmp(env, k); }
static int parse(int x) { if (x < 0) longjmp(env, 1); if (x > 9) jump(2); return x; }
static int within(int x) { return parse(x) + 1; }
static int save(void) { return setjmp(env); }
static int try(int x) { if (setjmp(env)) return -1; if (x < 0) jump(1); return x; }
static void down(int n) { if (n == 0) jump(5); down(n - 1); reach_error(); }
static void relay(int x) {
  volatile int caught = 0;
  if (setjmp(env) == 0) { if (x > 0) jump(3); } else { caught = 1; longjmp(other, 7); }
  FAIL_IF(caught);
}
static void calm(int k) { FAIL_IF(k != 4); }
static int order(const void *a, const void *b) {
  int x = *(const int *)a, y = *(const int *)b;
  if (x == 13 || y == 13) jump(1);
  return x < y ? -1 : x > y;
}
struct handler { jmp_buf buffer; struct handler *up; } *top;
static void throw(int k) { struct handler *h = top; top = h->up; longjmp(h->buffer, k); }
"""
BODIES = {
    "cases": (
        "switch (setjmp(env)) { case 0: x = within(x); FAIL_IF(x < 1 || x > 10 || WRONG); break;"
        " case 1: FAIL_IF(w >= 0); break; case 2: FAIL_IF(w <= 9); break; default: reach_error(); }"
    ),
    "0 becomes 1": (
        "volatile int n = 0; int r = setjmp(env); if (n == 0) { FAIL_IF(r); n = 1; jump(0); }"
        " FAIL_IF(r != 1 + WRONG);"
    ),
    "the frame is gone": "FAIL_IF(save()); FAIL_IF(WRONG); jump(1); reach_error();",
    "a frame of another activation": (
        "int r = try(x) < 0, s = try(x / 2) < 0; FAIL_IF(r != (w < 0) || s != (w < -1) || WRONG);"
    ),
    "from handler to handler": (
        "int k = setjmp(other); if (k == 0) { relay(x); FAIL_IF(w > 0 || WRONG); }"
        " else FAIL_IF(k != 7 || w <= 0);"
    ),
    "a loop": (
        "volatile int i, bad = 0; for (i = 0; i < 4; i++) { if (setjmp(env)) { bad++; continue; }"
        " if (i & 1) jump(i); } FAIL_IF(bad != 2 + WRONG);"
    ),
    "out of a recursion": (
        "if (x < 0 || x > 2) return 0; int r = setjmp(env); if (r == 0) { down(x); reach_error(); }"
        " FAIL_IF(r != 5 + WRONG);"
    ),
    "through a pointer": (
        "void (*f)(int) = x ? jump : calm; volatile int called = 0;"
        " if (setjmp(env) == 0) { called = 1; f(4); FAIL_IF(w); } else FAIL_IF(!called || WRONG);"
    ),
    "out of a comparison": (
        "int t[2] = {x, 5}; if (setjmp(env) == 0) { qsort(t, 2, sizeof *t, order);"
        " FAIL_IF(t[0] > t[1] || w == 13 || WRONG); } else FAIL_IF(w != 13);"
    ),
    "buffers in a chain": (
        "struct handler h; h.up = top; top = &h; int r = setjmp(h.buffer);"
        " if (r == 0) { if (x == 7) throw(4); top = h.up; FAIL_IF(w == 7 || WRONG); }"
        " else FAIL_IF(r != 4 || w != 7);"
    ),
    "two places": (
        "if (setjmp(env)) { FAIL_IF(!w); return 0; } if (setjmp(other)) { FAIL_IF(w || WRONG);"
        " return 0; } if (x) jump(1); else longjmp(other, 1); reach_error();"
    ),
    "other names": (
        "int r = sigsetjmp(masked, 1); if (r == 0) siglongjmp(masked, 9); FAIL_IF(r != 9);"
        " r = _setjmp(env); if (r == 0) _longjmp(env, 2); FAIL_IF(r != 2 + WRONG);"
    ),
    "within conditions": (
        "if (!setjmp(env)) { int y = x > 0 && parse(x) > 1 ? parse(x + 1) : 0;"
        " FAIL_IF(y > 9 + !WRONG || (WRONG && y == 4)); } else FAIL_IF(w < 0 || w == 3);"
    ),
    "locals": (
        "int a = 1, b = 1; volatile int c = 1; if (setjmp(env) == 0) { a = 2; c = 2; jump(1); }"
        " FAIL_IF(b != 1 || c != 2 || (WRONG && a != 2));"
    ),
}
REFUSED = "for (int i = 0; i < 3; i++) { if (x) jump(i); x = i * 3 + (setjmp(env) ? 1 : 2); }"


def answered(
    folder: Path, body: str, wrong: int = 0, frontend: FrontendOptions | None = None
) -> VerificationResult:
    file = folder / "case.c"
    start = "int x = __VERIFIER_nondet_int(); const int w = x;"
    text = body.replace("WRONG", str(wrong))
    file.write_text(f"{HEAD}int main(void) {{ {start}\n{text} return 0; }}\n")
    options = VerifyOptions(
        frontend=frontend or FrontendOptions(),
        encoding=Encodings.BV,
        timeout=20,
        executions=0.1,
    )
    return verify([file], options)


@pytest.mark.parametrize("name", BODIES)
def test_where_jumps_arrive(name: str, tmp_path: Path) -> None:
    frontend = FrontendOptions(bits=32 if len(name) % 2 else 64)
    right = answered(tmp_path, BODIES[name], frontend=frontend)
    assert right.answer is Answer.SAFE, right
    assert answered(tmp_path, BODIES[name], 1, frontend).answer is Answer.UNSAFE


def test_what_is_kept_in_memory_is_a_choice_of_ours(tmp_path: Path) -> None:
    for name, chosen in (("out of a comparison", True), ("locals", False)):
        ledger = answered(tmp_path, BODIES[name]).ledger
        assert any("longjmp() returns" in entry.text for entry in ledger) == chosen


@pytest.mark.full
def test_memory(tmp_path: Path) -> None:
    leaves = "int *p = malloc(4); if (setjmp(env) == 0) jump(1); if (!WRONG) free(p);"
    owned = FrontendOptions(properties=frozenset({Property.VALID_MEMCLEANUP}))
    assert answered(tmp_path, leaves, 0, owned).answer is Answer.SAFE
    assert answered(tmp_path, leaves, 1, owned).answer is Answer.UNSAFE
    inner = "int *volatile p = &x; if (!setjmp(env)) { int y = 1; p = &y; jump(1); } else *p = 2;"
    accesses = FrontendOptions(properties=frozenset({Property.VALID_DEREF}))
    assert answered(tmp_path, inner, 0, accesses).answer is Answer.UNKNOWN


@pytest.mark.parametrize("name", ("atexit", "at_quick_exit"))
def test_no_jump_leaves_a_handler(name: str, tmp_path: Path) -> None:
    end = name.replace("at_", "").replace("at", "")
    handled = f"{name}(out); if (!setjmp(env)) {end}(0); reach_error(); }} static int last(void) {{"
    for declared, answer in (("", Answer.SAFE), ("FAIL_IF(1);", Answer.UNSAFE)):
        handler = f"static void out(void) {{ {declared} jump(1); }}"
        text = HEAD.replace("struct handler {", f"{handler}\nstruct handler {{")
        file = tmp_path / "case.c"
        file.write_text(f"{text}int main(void) {{ {handled} return 0; }}\n")
        options = VerifyOptions(encoding=Encodings.BV, timeout=20, executions=0.1)
        assert verify([file], options).answer is answer


def test_a_value_that_lives_across_a_place_is_refused_where_it_is_reached(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedError, match=r"case\.c:\d+:\d+: _setjmp\(\) with a value"):
        answered(tmp_path, REFUSED)
    unused = f"if (x > 3) {{ FAIL_IF(x < 3); return 0; }} return 0; }} void f(int x) {{ {REFUSED}"
    assert answered(tmp_path, unused.replace("return 0; } void", "} void", 1)).answer is Answer.SAFE
