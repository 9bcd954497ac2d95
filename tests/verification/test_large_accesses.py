"""Accesses of more than a scalar by several threads: whether they race, byte by byte."""

from __future__ import annotations

from pathlib import Path

import pytest

from seahorn_py import verify
from seahorn_py.base.errors import SeaError
from seahorn_py.ir.program import LARGE
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
    result = verify(file, property="unreach-call", timeout=20)
    assert result.answer is Answer.UNKNOWN
    assert any(entry.text.startswith(LARGE) for entry in result.ledger)


@pytest.mark.full
@pytest.mark.parametrize(
    ("other", "error", "answer"),
    [
        (f"{LOCK} s.n = 1; t = s; {UNLOCK}", "t.n == 2", Answer.SAFE),
        (f"{LOCK} s.n = 1; t = s; {UNLOCK}", "t.n == 1", Answer.UNSAFE),
        ("s.n = 1; t = s;", "t.n == 1", Answer.UNSAFE),
    ],
)
@pytest.mark.parametrize(
    "asked", ["unreach-call", pytest.param("unreach-call,no-data-race", marks=pytest.mark.full)]
)
def test_without_races_it_is_one(
    other: str, error: str, answer: Answer, asked: str, tmp_path: Path
) -> None:
    file = tmp_path / "case.c"
    file.write_text(text(other, f"{LOCK} if ({error}) reach_error(); {UNLOCK}"))
    assert verify(file, property=tuple(asked.split(",")), timeout=60).answer is answer


def test_a_number_of_bytes_that_a_run_decides(tmp_path: Path) -> None:
    file = tmp_path / "case.c"
    copies = f"{LOCK} memcpy(&t, &s, s.n & 7); {UNLOCK}"
    file.write_text(text(copies, f"{LOCK} s.n = 3; {UNLOCK}"))
    with pytest.raises(SeaError, match="no constant"):
        verify(file, property="no-data-race", timeout=60)


def test_what_a_new_block_holds_races_with_nothing(tmp_path: Path) -> None:
    file = tmp_path / "case.c"
    makes = "struct P *p = malloc(sizeof *p); p->n = 1; int got = p->n; (void)got;"
    file.write_text(text(makes, makes).replace("#include <string.h>", "#include <stdlib.h>"))
    assert verify(file, property="no-data-race", timeout=60).answer is Answer.SAFE
