"""Accesses of more than a scalar by several threads: whether they race, byte by byte."""

from __future__ import annotations

from pathlib import Path

import pytest

from seahorn_py import verify
from seahorn_py.base.errors import SeaError
from seahorn_py.result import Answer

PROGRAM = """#include <pthread.h>
#include <string.h>
struct P {{ char a[8], b[8]; int n; }} s, t;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
extern void reach_error(void);
static void *f(void *given) {{ {other} return 0; }}
int main(void) {{
  pthread_t x;
  pthread_create(&x, 0, f, 0);
  {main}
  pthread_join(x, 0);
  return 0;
}}
"""
LOCK, UNLOCK = "pthread_mutex_lock(&m);", "pthread_mutex_unlock(&m);"


def text(other: str, main: str) -> str:
    return PROGRAM.format(other=other, main=main)


@pytest.mark.parametrize(
    ("other", "main", "answer"),
    [
        (f"{LOCK} t = s; {UNLOCK}", f"{LOCK} memset(&t, 1, sizeof t); {UNLOCK}", Answer.SAFE),
        ("memset(s.a, 1, 8);", "memset(s.b, 2, 8);", Answer.SAFE),
        ("memset(s.a, 1, 8);", "memset(s.a + 7, 2, 2);", Answer.UNSAFE),
        ("struct P mine = s;", "s.n = 1;", Answer.UNSAFE),
    ],
)
def test_races(other: str, main: str, answer: Answer, tmp_path: Path) -> None:
    file = tmp_path / "case.c"
    file.write_text(text(other, main))
    assert verify(file, property="no-data-race", timeout=60).answer is answer


def test_its_value_is_no_single_step(tmp_path: Path) -> None:
    file = tmp_path / "case.c"
    file.write_text(text("t = s;", "if (t.n == 1 && t.a[0] == 0) reach_error();"))
    with pytest.raises(SeaError, match="more than a scalar at once"):
        verify(file, property="unreach-call", timeout=60)
