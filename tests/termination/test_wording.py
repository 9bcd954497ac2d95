"""What values at the head of a loop are called."""

from __future__ import annotations

from pathlib import Path

import pytest
from diagonal import one_in

import seahorn_py

RANKS = {
    "*p": (
        "void f(int *p) { while (*p > 0) *p = *p - 1; }",
        "int x = i(), y = i(); f(i() ? &x : &y);",
        "(*p)",
    ),
    "a[k]": (
        "int a[10];",
        "int k = i(); if (k < 0 || k > 9) return 0; a[k] = i(); while (a[k] > 0) a[k]--;",
        "(a[k])",
    ),
    "a member": (
        "struct s { int x; long y; }; void f(struct s *r) { while (r->y > 0) r->y--; }",
        "struct s a, b; a.y = i(); b.y = i(); f(i() ? &a : &b);",
        "(a member of *r)",
    ),
    "an offset": (
        "",
        "char b[9]; char *t = b; while (*t) t++;",
        "(9 - offset of t)",
    ),
    "what is subtracted": ("", "unsigned char c = i(); while (c < 200) c += 3;", "(200 - c)"),
}


@pytest.mark.full
@pytest.mark.parametrize("name", one_in(3, RANKS))
def test_ranks_are_told_in_words_of_c(name: str, tmp_path: Path) -> None:
    before, body, rank = RANKS[name]
    file = tmp_path / "a.c"
    file.write_text(f"extern int i(void);\n{before}\nint main(void) {{ {body} return 0; }}\n")
    result = seahorn_py.verify(file, property="termination", timeout=60)
    assert [loop.rank for loop in result.loops] == [rank], result
