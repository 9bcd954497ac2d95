"""What a program can tell of the addresses of its objects, and what it cannot."""

from __future__ import annotations

from pathlib import Path

import pytest
from diagonal import diagonal

from seahorn_py import FrontendOptions, VerifyOptions, verify

HEAD = """
#include <stdint.h>
#include <stdlib.h>
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
"""
LIST = """
struct cell { struct cell *next, *prev; int value; } *head, *tail;
static struct cell *append(int value) {
  struct cell *c = malloc(sizeof *c);
  c->value = value; c->next = 0; c->prev = tail;
  if (tail) tail->next = c; else head = c;
  return tail = c;
}
static void drop(struct cell *c) {
  if (c == head) head = c->next; else c->prev->next = c->next;
  if (c == tail) tail = c->prev; else c->next->prev = c->prev;
  free(c);
}
"""
REMOVED = """struct cell *a = append(1), *b = append(2); int which = __VERIFIER_nondet_int();
  drop(which ? a : b); int sum = 0; for (struct cell *p = head; p; p = p->next) sum += p->value;
  while (head) drop(head);"""

PROGRAMS = {
    "a freed block may come back": (
        "unsafe",
        "int *p = malloc(4); free(p); int *q = malloc(4); if (p == q) reach_error();",
    ),
    "it need not": (
        "unsafe",
        "int *p = malloc(4); free(p); int *q = malloc(4); if (p != q) reach_error();",
    ),
    "its number": (
        "unsafe",
        "uintptr_t p = (uintptr_t)malloc(8); free((void *)p); if ((uintptr_t)calloc(2, 4) == p)"
        " reach_error();",
    ),
    "the last one of three": (
        "unsafe",
        "char *p[3]; for (int i = 0; i < 3; i++) p[i] = malloc(5);"
        " for (int i = 0; i < 3; i++) free(p[i]);"
        " if (malloc(5) == p[2] && malloc(5) == p[1] && malloc(5) == p[0]) reach_error();",
    ),
    "what came back holds nothing of before": (
        "unsafe",
        "int *p = malloc(4); *p = 7; free(p); int *q = calloc(1, 4);"
        " if (p == q && *q == 0) reach_error();",
    ),
    "a block that realloc left": (
        "unsafe",
        "char *p = malloc(4), *q = realloc(p, 9), *r = malloc(4); if (p == r && q) reach_error();",
    ),
    "live blocks are different": (
        "safe",
        "int *p = malloc(4), *q = malloc(4), *r = malloc(4); free(q); q = malloc(4);"
        " if (p == q || p == r || q == r) reach_error();",
    ),
    "a list with removal": (
        "safe",
        REMOVED.replace("while", "if (sum != (which ? 2 : 1)) reach_error(); while"),
    ),
    "a wrong sum of it": (
        "unsafe",
        REMOVED.replace("while", "if (sum != (which ? 2 : 2)) reach_error(); while"),
    ),
}


@pytest.mark.parametrize(("name", "bits"), diagonal([(name,) for name in PROGRAMS], [(32,), (64,)]))
def test_freed_and_live_blocks(name: str, bits: int, tmp_path: Path) -> None:
    answer, body = PROGRAMS[name]
    assert answered(tmp_path, body, bits) == answer


@pytest.mark.parametrize(
    ("condition", "bits", "answer"),
    [
        ("p > 0xffffffffu", 64, "unsafe"),
        ("p > 0xffffffffu", 32, "safe"),
        ("p < 0x1000", 64, "unknown"),
        ("(p & 0xffff) == 0x1230", 64, "unknown"),
        ("(p & 0xffff) == 0x1238", 64, "safe"),  # blocks begin at multiples of 16
    ],
)
def test_the_number_of_an_address(condition: str, bits: int, answer: str, tmp_path: Path) -> None:
    """A run shows one layout; no proof is about one alone."""
    body = f"uintptr_t p = (uintptr_t)malloc(1); if ({condition}) reach_error();"
    assert answered(tmp_path, body, bits) == answer


def answered(folder: Path, body: str, bits: int) -> str:
    file = folder / "a.c"
    file.write_text(f"{HEAD}{LIST}\nint main(void) {{\n {body}\n return 0; }}\n")
    options = VerifyOptions(FrontendOptions(bits=bits), timeout=15)
    return verify(file, options).answer.value
