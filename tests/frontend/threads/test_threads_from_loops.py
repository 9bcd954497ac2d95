"""Threads that are made in loops, and threads with so many orders that their places are data."""

from __future__ import annotations

from pathlib import Path

import pytest

import seahorn_py
from seahorn_py.base.errors import UnsupportedError
from seahorn_py.result import Answer

HEAD = """#include <pthread.h>
#include <stdlib.h>
extern void reach_error(void);
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; int sum, ids[9];
"""
WAITS = "for (int k = 0; k < 2; k++) pthread_join(t[k], 0);"
LOOPS = {
    "numbers": (
        "sum++",
        "pthread_t t[2]; for (int k = 0; k < 2; k++) pthread_create(&t[k], 0, f, &ids[k]);",
        2,
    ),
    "arguments": (
        "sum += *(int *)p",
        "pthread_t t[2]; for (int k = 0; k < 2; k++)"
        "{ ids[k] = k + 1; if (pthread_create(&t[k], 0, f, &ids[k]) != 0) exit(1); }",
        3,
    ),
    "a heap block": (
        "sum++",
        "pthread_t *t = malloc(2 * sizeof *t); if (!t) return 1; int k = 0;"
        "while (k < 2) { pthread_create(t + k, 0, f, 0); k++; }",
        2,
    ),
}


def _answer(folder: Path, text: str, asked: str = "unreach-call") -> Answer:
    file = folder / "threads.c"
    file.write_text(HEAD + text)
    return seahorn_py.verify(file, property=asked, timeout=60).answer


def _counting(change: str, makes: str, condition: str) -> str:
    body = f"pthread_mutex_lock(&m); {change}; pthread_mutex_unlock(&m); return 0;"
    main = f"{makes} {WAITS} if (sum {condition}) reach_error(); return 0;"
    return f"void *f(void *p) {{ {body} }}\nint main(void) {{ {main} }}\n"


@pytest.mark.parametrize("kind", LOOPS)
def test_threads_that_a_loop_makes(kind: str, tmp_path: Path) -> None:
    change, makes, result = LOOPS[kind]
    assert _answer(tmp_path, _counting(change, makes, f"!= {result}")) is Answer.SAFE


def test_an_error_of_threads_that_a_loop_makes(tmp_path: Path) -> None:
    change, makes, result = LOOPS["numbers"]
    assert _answer(tmp_path, _counting(change, makes, f"== {result}")) is Answer.UNSAFE


@pytest.mark.full
def test_a_loop_makes_more_threads_than_are_followed(tmp_path: Path) -> None:
    makes = "pthread_t t[20]; for (int k = 0; k < 20; k++) pthread_create(&t[k], 0, f, 0);"
    text = f"void *f(void *p) {{ return 0; }} int main(void) {{ {makes} return sum; }}"
    assert _answer(tmp_path, text) is Answer.UNKNOWN


@pytest.mark.full
@pytest.mark.parametrize(("value", "expected"), [(1, Answer.UNSAFE), (3, Answer.SAFE)])
def test_threads_with_many_orders(value: int, expected: Answer, tmp_path: Path) -> None:
    body = "a = 1; b = 1; c = 1; a = 2; b = 2; c = 2; return 0;"
    makes = "pthread_t t[5]; for (int k = 0; k < 5; k++) pthread_create(&t[k], 0, f, 0);"
    text = (
        f"#include <stdatomic.h>\natomic_int a, b, c; void *f(void *p) {{ {body} }}"
        f"int main(void) {{ {makes} if (a == {value}) reach_error(); return 0; }}"
    )
    assert _answer(tmp_path, text) is expected


def test_the_parameter_of_a_thread_is_a_pointer(tmp_path: Path) -> None:
    file = tmp_path / "threads.c"
    text = "#include <pthread.h>\nvoid *f(int n) { return 0; }\n"
    make = "pthread_create(&t, 0, (void *(*)(void *))f, 0);"
    file.write_text(f"{text}int main(void) {{ pthread_t t; {make} return 0; }}\n")
    with pytest.raises(UnsupportedError, match="is a pointer"):
        seahorn_py.verify(file, property="no-data-race", timeout=60)
