"""One round stands for all rounds of a loop only if all is known that rounds write."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from seahorn_py.csource.syntax import LOOPS, CText, within
from seahorn_py.options import Property, VerifyOptions
from seahorn_py.validation.contracts.each_function import prove_contracts
from seahorn_py.validation.contracts.loop_cuts import written
from seahorn_py.validation.contracts.model import Status

TYPES = "typedef unsigned char u8; typedef struct { u8 a[4]; int *p; int n; } mixed;\n"
TYPES += "typedef struct { short a[4]; } flat; typedef enum { A, B } kind;\n"


def places(text: str) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """What the first loop of a text writes, and what its calls must keep."""
    made = CText("a.c", (TYPES + text).encode())
    loop = next(node for node in within(made.root) if node.type in LOOPS)
    found = written(made, loop, lambda name: name.startswith("h"))
    return None if found is None else (found.places, tuple(found.kept))


WRITES = {
    "void f(int n) { int i; for (i = 0; i < n; i++) { } }": (("i",), ()),
    "void f(int n) { for (int i = 0; i < n; i++) { int k = i; k++; } }": (("i",), ()),
    "void f(int n) { int r = 0, i = 0; while (i < n) { i++; if (i == 3) { r = 1; break; } } }": (
        ("i",),
        (),
    ),
    "int f(int n) { int r = 0; while (n) { if (n == 3) { r = 1; return r; } n--; } }": (("n",), ()),
    "void f(int n) { int r = 0; while (n--) r = 1; }": None,
    "void f(int n) { int r = 0; while (n) { switch (n) { case 1: { r = 1; break; } } n--; } }": (
        ("r", "n"),
        (),
    ),
    "void f(int n, int r) { while (n) { if (n > 2) { r = 1; if (r) continue; break; } n--; } }": (
        ("r", "n"),
        (),
    ),
    "void f(int n, int *p) { while (n) { *p = n; n--; } }": (("n", "(*p)"), ()),
    "void f(int n, flat *p) { while (n) { p->a[n] = 1; n--; } }": (("n", "(*p)"), ()),
    "void f(int n) { u8 a[4]; kind k; while (n) { a[n] = 1; k = A; n--; } }": (("a", "k", "n"), ()),
    "void f(int n, const char *b) { int i = 0; while (n) { h(b, &i); h(&b[i], n); n--; } }": (
        ("i", "n"),
        ("b",),
    ),
    "void f(int n, int *p) { while (n) { p[n] = 1; n--; } }": None,
    "void f(int n, int *p) { while (n) { *p++ = 1; n--; } }": None,
    "void f(int n, int *p) { while (n) { *p = 1; p = 0; n--; } }": None,
    "void f(int n, int **p) { while (n) { *p = 0; n--; } }": None,
    "void f(int n, int *p) { int *q = p; while (n) { *q = 1; n--; } }": None,
    "void f(int n, int *p) { while (n) { int *q = p; *q = 1; n--; } }": None,
    "void f(int n, int *p) { while (n) { int *q[1]; q[0] = p; q[0][0] = 1; n--; } }": None,
    "void f(int n, int *p) { while (n) { *p = 1; h(p); n--; } }": None,
    "void f(int n, mixed m) { while (n) { m.p[0] = 1; n--; } }": None,
    "void f(int n, mixed m) { while (n) { m.n = 1; n--; } }": None,
    "void f(int n, mixed m) { while (n) { h(m); n--; } }": None,
    "void f(int n) { while (n) { g(n); n--; } }": None,
    "void f(int n, int (*h)(int)) { while (n) { h(n); n--; } }": None,
    "void f(int n, long p) { while (n) { h((int *)p); n--; } }": None,
    "void f(int n) { while (n) { h(hp()); n--; } }": None,
    "int g; void f(int n) { while (n) { g = n; n--; } }": None,
    "void f(int n) { int i; while (n) { { int i; i = 2; } i = 1; n--; } }": None,
    "void f(int n) { again: while (n) { n--; if (n == 3) goto again; } }": None,
    'void f(int n) { while (n) { __asm__ volatile("" : "+r"(n)); n--; } }': None,
}


@pytest.mark.parametrize("text", WRITES)
def test_what_rounds_write(text: str) -> None:
    assert places(text) == WRITES[text]


HEAD = """#define R __CPROVER_return_value
typedef unsigned long size;
static void next(size *i) { *i += 1; }
"""
SKIP = """size f(const char *b, size s, size n)
__CPROVER_requires(n > 0 && n < 1000000 && __CPROVER_is_fresh(b, n))
__CPROVER_ensures(s < n ? R >= s && R <= n && (R == n || b[R] != ' ') : R == s)
{
  size i = s;
  while (i < n) __CPROVER_loop_invariant(s <= i && i <= n) __CPROVER_decreases(n - i) {
    if (b[i] != ' ') break;
    next(&i);
  }
  return i;
}
"""
TWINS = {
    "b[R] != ' '": "b[R] == ' '",
    "s <= i && i <= n": "s <= i && i < n",
    "n - i": "i",
    "while (i < n)": "while (i <= n)",
}


def status(folder: Path, text: str) -> Status:
    file = folder / "a.c"
    file.write_text(HEAD + text)
    options = VerifyOptions(timeout=100)
    asked = replace(options.frontend, entries=("f",), properties=frozenset({Property.UNREACH_CALL}))
    return prove_contracts([file], replace(options, frontend=asked)).rows[0].status


def test_a_loop_of_any_length(tmp_path: Path) -> None:
    """The invariant does not hold where the loop is not entered, and `break` leaves it."""
    assert status(tmp_path, SKIP) is Status.PROVED


@pytest.mark.full
@pytest.mark.parametrize("right", TWINS)
def test_wrong_twins_of_a_loop_of_any_length(right: str, tmp_path: Path) -> None:
    assert right in SKIP
    assert status(tmp_path, SKIP.replace(right, TWINS[right])) is not Status.PROVED


def test_a_loop_that_assigns_several_things(tmp_path: Path) -> None:
    """With a write through a local pointer it is not cut, and its invariant is checked."""
    text = """int f(int n) __CPROVER_requires(n > 0 && n < 4) __CPROVER_ensures(R == 4)
    { int i = n, a, *p = &a; while (i < 4) __CPROVER_assigns(i, *p)
      __CPROVER_loop_invariant(i <= LAST) { i++; *p = i; } return i; }
    """
    assert status(tmp_path, text.replace("LAST", "4")) is Status.PROVED
    assert status(tmp_path, text.replace("LAST", "3")) is Status.REFUTED


ONES = """int f(const char *b, size s, size n)
__CPROVER_requires(n > 0 && n < 1000000 && __CPROVER_is_fresh(b, n))
__CPROVER_ensures(R == 0 || (s < n && b[s] == '1'))
{
  size i;
  for (i = s; i < n; i++) __CPROVER_loop_invariant(s <= i && i <= n) __CPROVER_decreases(n - i) {
    if (b[i] != '1') break;
  }
  return i > s;
}
"""


@pytest.mark.full
def test_what_the_first_round_finds_out_is_known_behind_the_loop(tmp_path: Path) -> None:
    """No invariant says that the first character is a digit."""
    assert status(tmp_path, ONES) is Status.PROVED


def test_rounds_after_the_second_keep_the_invariant(tmp_path: Path) -> None:
    """The first two rounds keep `i <= 2`, the third does not."""
    text = """int f(int n, int a) __CPROVER_requires(n < 9) __CPROVER_ensures(R <= LAST)
    { int i = 0; while (i < n) __CPROVER_loop_invariant(0 <= i && i <= LAST)
      { if (a != 5) break; i++; } return i; }
    """
    assert status(tmp_path, text.replace("LAST", "8")) is Status.PROVED
    assert status(tmp_path, text.replace("LAST", "2")) is Status.REFUTED


@pytest.mark.parametrize(("last", "told"), [("4", Status.PROVED), ("2", Status.REFUTED)])
def test_an_invariant_need_not_hold_where_the_loop_is_not_entered(
    last: str, told: Status, tmp_path: Path
) -> None:
    text = """int f(int n) __CPROVER_requires(n > 2 && n < 9) __CPROVER_ensures(R >= 4)
    { int i = n, a, *p = &a; while (i < 4) __CPROVER_loop_invariant(i <= LAST)
      { i++; *p = i; } return i; }
    """
    assert status(tmp_path, text.replace("LAST", last)) is told


ENTRY = """int f(int n, int i)
__CPROVER_requires(i >= 0 && n > 0 && n < 9)
__CPROVER_ensures(R >= LEAST)
{
  const int s = i;
  LOCAL
  for (i = i / 2; i < n;) __CPROVER_loop_invariant(__CPROVER_loop_entry(i) <= i && i <= n)
  { i++; ROUND }
  return i - s / 2;
}
"""


@pytest.mark.parametrize("is_cut", [True, False])
@pytest.mark.parametrize(("least", "told"), [("0", Status.PROVED), ("1", Status.REFUTED)])
def test_values_at_the_entry_of_a_loop(
    is_cut: bool, least: str, told: Status, tmp_path: Path
) -> None:
    """They are those behind the initializer; a write through a local pointer leaves it uncut."""
    text = ENTRY.replace("LEAST", least)
    text = text.replace("LOCAL", "" if is_cut else "int a, *p = &a;")
    assert status(tmp_path, text.replace("ROUND", "" if is_cut else "*p = i;")) is told


def test_entry_of_a_loop_has_no_meaning_in_ensures(tmp_path: Path) -> None:
    text = "int f(int i) __CPROVER_ensures(R == __CPROVER_loop_entry(i)) { return i; }"
    assert status(tmp_path, text) is Status.UNKNOWN


def test_what_rounds_write_is_not_known_behind_the_loop(tmp_path: Path) -> None:
    text = """int f(int n) __CPROVER_requires(n >= 0 && n < 9) __CPROVER_ensures(R == 0)
    { int r = 0; while (n > 0) __CPROVER_loop_invariant(n >= 0) { r = 1; n--; } return r; }
    """
    assert status(tmp_path, text) is Status.REFUTED
