"""Objects that are accessed at unknown offsets in words: reads of their parts, and of several."""

from __future__ import annotations

from pathlib import Path

import pytest
from programs import endings

from seahorn_py import verify
from seahorn_py.ir.program import Program
from seahorn_py.ir.verifier import verify as complaints
from seahorn_py.options import Encodings, VerifyOptions
from seahorn_py.passes.environment import model_environment
from seahorn_py.passes.simplify.simplify import simplify
from seahorn_py.passes.unfolding.unfolding import unfold
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Answer
from seahorn_py.verification.pipeline import load

HEAD = """
#include <stdlib.h>
#include <string.h>
extern unsigned long __VERIFIER_nondet_ulong(void); extern void reach_error(void);
extern void __VERIFIER_nondet_memory(void *, unsigned long);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
typedef unsigned char byte; struct P { unsigned long p, q; };
int main(void) {
  unsigned long n = (__VERIFIER_nondet_ulong() & 1023) + 2, x = __VERIFIER_nondet_ulong();
  unsigned long i = __VERIFIER_nondet_ulong() & 1023, k = __VERIFIER_nondet_ulong() & 8191;
  if (i >= n - 1 || k >= 8 * n) return 0;
  unsigned long *a = malloc(8 * n); byte *b = (byte *)a;
  __VERIFIER_nondet_memory(a, 8 * n);
"""
CASES = {
    "a byte of a word": (
        "a[i] = x;",
        "k / 8 != i || b[k] == (byte)(x >> 8 * (k % 8))",
        "k / 8 != i || b[k] == (byte)x",
    ),
    "a byte of another word": (
        "a[i] = x; byte c = b[k]; a[i + 1] = 0;",
        "k / 8 == i + 1 || b[k] == c",
        "b[k] == c",
    ),
    "a byte that was never written": (
        "a[i] = x; byte c = b[k];",
        "c == (byte)(a[k / 8] >> 8 * (k % 8))",
        "c == 0 || k / 8 == i",
    ),
    "an upper half": (
        "a[i] = x; unsigned h; memcpy(&h, b + 8 * i + 4, 4);",
        "h == (unsigned)(x >> 32)",
        "h == (unsigned)x",
    ),
    "two words at once": (
        "a[i] = x; a[i + 1] = 7; struct P s = *(struct P *)(a + i);",
        "s.p == x && s.q == 7",
        "s.p == x && s.q == 8",
    ),
    "a word across two": (
        "a[i] = x; a[i + 1] = 7; unsigned long w; memcpy(&w, b + 8 * i + 1, 8);",
        "w == (x >> 8 | 7ul << 56)",
        "w == x >> 8",
    ),
    "a byte of an address": (
        "int v = 5; ((int **)a)[i] = &v; byte c = b[k];",
        "c == b[k] && *((int **)a)[i] == 5",
        "c == 0",
    ),
    "a byte is written": (
        "a[i] = x; b[k] = 9;",
        "b[k] == 9 && (k / 8 == i || a[i] == x)",
        "a[i] == x",
    ),
    "words behind half a word": (
        "unsigned long *w = (unsigned long *)(b + 4); w[i] = x;",
        "b[8 * i + 4] == (byte)x && b[8 * i + 11] == (byte)(x >> 56)",
        "b[8 * i + 3] == (byte)x",
    ),
    "words where ways meet": (
        "if (x & 1) a[i] = x; else a[0] = x;",
        "b[x & 1 ? 8 * i : 0] == (byte)x",
        "b[8 * i] == (byte)x",
    ),
}
FROM_MEMORY = {"a byte of another word", "a byte that was never written"}
"""What they read was written by `__VERIFIER_nondet_memory`; no replay steers large blocks."""


def text(name: str, is_wrong: bool) -> str:
    body, right, wrong = CASES[name]
    return f"{HEAD} {body} CHECK({wrong if is_wrong else right}); return 0; }}\n"


def read(file: Path) -> Program:
    _, source = load([file], VerifyOptions(), Deadline.after(60))
    return model_environment(simplify(source))


@pytest.mark.parametrize("is_wrong", [False, True], ids=["right", "wrong"])
@pytest.mark.parametrize("name", CASES)
def test_parts_of_words_are_what_was_written(name: str, is_wrong: bool, tmp_path: Path) -> None:
    file = tmp_path / "program.c"
    file.write_text(text(name, is_wrong))
    found = verify(file, VerifyOptions(encoding=Encodings.BV, timeout=60, executions=0))
    if name in FROM_MEMORY and is_wrong:
        assert found.answer is not Answer.SAFE
    else:
        assert found.answer is (Answer.UNSAFE if is_wrong else Answer.SAFE), found.reason


@pytest.mark.parametrize("name", CASES)
def test_runs_end_as_before(name: str, tmp_path: Path) -> None:
    file = tmp_path / "program.c"
    file.write_text(text(name, True))
    program = read(file)
    result = unfold(program)
    assert complaints(result, copies=True) == ()
    if name not in (FROM_MEMORY | {"a byte of an address"}):  # these are any bytes there
        assert all(a == b for a, b in endings(program, result, seed=7, runs=40))


def test_a_read_of_a_byte_takes_a_comparison_for_each_word(tmp_path: Path) -> None:
    file = tmp_path / "program.c"
    writes = " ".join(f"a[i + {k}] = x + {k};" for k in range(8))
    file.write_text(f"{HEAD} if (i + 8 > n) return 0; {writes} CHECK(b[k] != 3); return 0; }}\n")
    result = unfold(read(file))
    blocks = [block for function in result.functions.values() for block in function.blocks]
    assert sum(len(block.statements) for block in blocks) < 150
