"""Blocks that are never freed: lost, or still in reach of a global when `main` returns."""

from __future__ import annotations

from pathlib import Path

import pytest

from seahorn_py import verify
from seahorn_py.options import FrontendOptions, Property, VerifyOptions
from seahorn_py.result import Answer

HEAD = """
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
static struct node { struct node *next, *peer; } *head;
static char *tab[4], *text;
int main(void) {
"""
PUSHED = """
  for (int i = 0; i < 3 && __VERIFIER_nondet_int(); i++) {
    struct node *x = malloc(sizeof *x);
    if (!x) break;
    x->next = BEFORE, head = x;
  }
"""
SLOT = "int i = __VERIFIER_nondet_int() & 3; tab[i] = malloc(1); "
RING = """
  head = calloc(1, sizeof *head);
  if (!head) return 1;
  head->next = calloc(1, sizeof *head);
  if (head->next) head->next->peer = head;
"""
CASES = {
    "one block": ("text = malloc(4); return 0;", "safe"),
    "a place inside of it": ("text = malloc(4); if (text) text += 3; return 0;", "safe"),
    "the place behind it": ("text = malloc(4); if (text) text += 4; return 0;", "safe"),
    "a place outside of it": ("text = malloc(4); if (text) text += 5; return 0;", "unsafe"),
    "only a local leads there": ("char *p = malloc(4); return p == 0;", "unsafe"),
    "overwritten": ("text = malloc(4); text = malloc(4); return 0;", "unsafe"),
    "list": (PUSHED.replace("BEFORE", "head"), "safe"),
    "list whose end is lost": (PUSHED.replace("BEFORE", "i == 2 ? 0 : head"), "unsafe"),
    "list whose head is lost": (
        PUSHED.replace("BEFORE", "head")
        + "if (head && __VERIFIER_nondet_int()) head = head->next;",
        "unsafe",
    ),
    "table": (SLOT + "if (!tab[0]) tab[0] = malloc(1);", "safe"),
    "table with an entry that is overwritten": (SLOT + "tab[0] = malloc(1);", "unsafe"),
    "blocks that lead to each other": (RING, "safe"),
    "blocks that lead to each other alone": (RING + "head = 0;", "unsafe"),
    "behind a block that was freed": (RING + "struct node *n = head; free(n);", "unsafe"),
}


@pytest.mark.parametrize("name", CASES)
def test_answer(name: str, tmp_path: Path) -> None:
    body, expected = CASES[name]
    file = tmp_path / "case.c"
    file.write_text(HEAD + body + "}\n")
    frontend = FrontendOptions(properties=frozenset({Property.VALID_MEMTRACK}))
    result = verify(file, VerifyOptions(frontend, timeout=60, executions=0.1))
    assert result.answer is Answer(expected), result.reason
