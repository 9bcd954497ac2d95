"""Reads whose values nothing uses race all the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from seahorn_py import verify
from seahorn_py.result import Answer

PROGRAM = """#include <pthread.h>
static int x; static struct {{ int a, b; }} s;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *f(void *given) {{
  pthread_mutex_lock(&m); {read} pthread_mutex_unlock(&m); return 0;
}}
int main(void) {{
  pthread_t t; pthread_create(&t, 0, f, 0); {write} pthread_join(t, 0); return 0;
}}
"""


@pytest.mark.parametrize(
    ("read", "write"),
    [
        ("int r = x;", "x = 1;"),
        ("int r = s.b;", "s.b = 1;"),
        ("x;", "x++;"),
        ("int r = x;", "x = 0;"),
    ],
)
def test_a_read_without_a_use_races(read: str, write: str, tmp_path: Path) -> None:
    file = tmp_path / "case.c"
    file.write_text(PROGRAM.format(read=read, write=write))
    assert verify(file, property="no-data-race", timeout=60).answer is Answer.UNSAFE
