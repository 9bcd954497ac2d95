"""What tells how objects lie in memory is a gap, and what does not is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from seahorn_py import VerifyOptions
from seahorn_py.passes.pipeline import prepare
from seahorn_py.processes.deadline import Deadline
from seahorn_py.verification.pipeline import load

HEAD = """\
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
extern void reach_error(void);
int g, saved; char h; int f(void) { return 1; }
static int negative(int n) { return n < 0; }
"""

TELLS = {
    "a comparison of the lower half with all": "(unsigned)(unsigned long)&g != (unsigned long)&g",
    "a round trip through int": "(int *)(long)(int)(long)&g != &g",
    "of a block": "(void *)(uintptr_t)(uint32_t)(uintptr_t)p != p",
    "the sign of the lower half": "(int)(uintptr_t)p < 0",
    "the sign": "(intptr_t)p < 0",
    "the upper half": "(uintptr_t)p >> 32",
    "one byte": "(unsigned char)(uintptr_t)p == 0",
    "the lower half is 0": "(unsigned)(uintptr_t)&g == 0",
    "of a function": "(unsigned)(unsigned long)f != (unsigned long)f",
    "a function's round trip": "(int (*)(void))(unsigned long)(unsigned)(unsigned long)f != f",
    "a function's address": "(unsigned long)f >= 1UL << 32",
    "through memory": "(saved = (int)(long)p, saved < 0)",
    "through a call": "negative((int)(long)p)",
    "an access through the lower half": "*(int *)(uintptr_t)(uint32_t)(uintptr_t)&g",
    "a remainder": "(uintptr_t)p % 7 == 3",
    "an exclusive or of two addresses": "((uintptr_t)p ^ (uintptr_t)&g) == 0",
    "a sum with a negated address": "(uintptr_t)p + -(uintptr_t)&g == 0",
    "an order of objects": "(char *)&g < &h",
    "an order of blocks of two rounds": (
        "({ char *n, *o = 0; int r = 0; for (int i = 0; i < f() + 2; i++)"
        " { n = malloc(1); if (o) r |= o < n; o = n + 1; } r; })"
    ),
    "equality of a block with a freed one": (
        "({ char *n, *o = 0; int r = 0; for (int i = 0; i < f() + 2; i++)"
        " { n = malloc(1); r |= o == n; o = n; free(n); } r; })"
    ),
    "an order of one of two": "(char *)(h ? q : p) < (char *)(saved ? p : q) + 1",
    "behind many steps": "((unsigned)(uintptr_t)&g" + " ^ h" * 70 + ") == 0",
}

DOES_NOT_TELL = {
    "equality": "p == (void *)&g",
    "not null": "p != 0 && (uintptr_t)p != 0",
    "a round trip through a long": "(void *)(long)p != p",
    "a difference within an object": "(&q[3] - q) < 2",
    "an order within an object": "&q[1] < q",
    "a function that is null": "f == 0",
    "an order within a block that is freed": (
        "({ char *s = malloc(9), *e = s + 8; if (!s) return 0;"
        " while (e > s && e[-1]) e--; h = e == s; free(s); h; })"
    ),
    "an order within what may be null": (
        "({ char *s = saved ? 0 : (char *)(g ? p : q), *e; h = 0; if (s)"
        " { e = s + 8; while (e > s && g--) e--; h = e == s; } h; })"
    ),
}


def gaps(condition: str, tmp_path: Path) -> str:
    """What a proof of a program that fails where a condition holds does not see."""
    file = tmp_path / "a.c"
    body = "int *p = malloc(4), q[4] = {0}; p = p ? p : q;"
    file.write_text(f"{HEAD}int main(void) {{ {body} if ({condition}) reach_error(); }}\n")
    source = load([file], VerifyOptions(), Deadline.after(60))[1]
    return " ".join(prepare(source).gaps)


@pytest.mark.parametrize("name", TELLS)
def test_a_gap(name: str, tmp_path: Path) -> None:
    assert "in one layout only" in gaps(TELLS[name], tmp_path)


@pytest.mark.parametrize("name", DOES_NOT_TELL)
def test_no_gap(name: str, tmp_path: Path) -> None:
    assert gaps(DOES_NOT_TELL[name], tmp_path) == ""
