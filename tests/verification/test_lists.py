"""Memory of programs with lists of any length."""

from __future__ import annotations

from pathlib import Path

import pytest

from seahorn_py import verify
from seahorn_py.result import Answer

HEAD = """#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node { int value; struct node *next; };
int main(void) {
  struct node *head = 0;
  while (__VERIFIER_nondet_int()) {
    struct node *made = malloc(sizeof *made);
    made->value = 0; made->next = head; head = made;
  }
"""
WALK = "for (struct node *p = head; p; p = p->next) p->value++;"
FREE = "while (head) { struct node *rest = head->next; free(head); head = rest; }"
USE_AFTER = "while (head) { free(head); head = head->next; }"
TWICE = "if (head) { free(head); free(head); }"


@pytest.mark.parametrize(
    ("body", "asked", "answer"),
    [
        (WALK, "valid-deref", Answer.SAFE),
        pytest.param(FREE, "valid-free", Answer.SAFE, marks=pytest.mark.full),
        (USE_AFTER, "valid-deref", Answer.UNSAFE),
        (TWICE, "valid-free", Answer.UNSAFE),
        pytest.param(WALK + FREE, "valid-deref", Answer.SAFE, marks=pytest.mark.full),
        pytest.param(FREE + WALK, "valid-deref", Answer.SAFE, marks=pytest.mark.full),
    ],
)
@pytest.mark.all_variants
def test_memory_of_a_list(body: str, asked: str, answer: Answer, tmp_path: Path) -> None:
    file = tmp_path / "list.c"
    file.write_text(f"{HEAD} {body} return 0; }}")
    result = verify(file, property=asked, timeout=60)
    assert result.answer is answer, result
