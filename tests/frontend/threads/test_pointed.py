"""What threads call through pointers."""

from __future__ import annotations

from pathlib import Path

import pytest

import seahorn_py
from seahorn_py.result import Answer

HEAD = """#include <pthread.h>
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
typedef int (*handler)(int);
struct request { handler how; int given, got; };
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int total;
static int twice(int x) { return 2 * x; }
static int more(int x) { return x + 1; }
static int adds(int x) { total += x; return x; }
static int locks(int x) {
  pthread_mutex_lock(&m); total += x; pthread_mutex_unlock(&m); return x;
}
static void *serve(void *p) { struct request *r = p; r->got = r->how(r->given); return 0; }
"""


def program(one: str, two: str, error: str) -> str:
    make = "pthread_create(&s, 0, serve, &a); pthread_create(&t, 0, serve, &b);"
    join = "pthread_join(s, 0); pthread_join(t, 0);"
    data = f"struct request a = {{{one}, 3, 0}}, b = {{{two}, 4, 0}}; pthread_t s, t;"
    return f"{HEAD}int main(void) {{ {data} {make} {join} if ({error}) reach_error(); }}\n"


RIGHT = "unreach-call"
CASES = {
    "values": (RIGHT, "twice", "more", "a.got + b.got != 11", Answer.SAFE),
    "other values": (RIGHT, "twice", "more", "a.got + b.got == 11", Answer.UNSAFE),
    "a lock": (RIGHT, "locks", "locks", "total != 7", Answer.SAFE),
    "a lost update": (RIGHT, "adds", "adds", "total != 7", Answer.UNSAFE),
    "no race": ("no-data-race", "locks", "locks", "total == 9", Answer.SAFE),
    "a race": ("no-data-race", "adds", "adds", "total == 9", Answer.UNSAFE),
}


@pytest.mark.parametrize("name", CASES)
def test_the_answer(name: str, tmp_path: Path) -> None:
    asked, one, two, error, answer = CASES[name]
    file = tmp_path / "threads.c"
    file.write_text(program(one, two, error))
    assert seahorn_py.verify(file, property=asked, timeout=60).answer is answer


def test_a_function_that_begins_a_thread_is_no_choice(tmp_path: Path) -> None:
    """It calls through such a pointer itself, and would call itself."""
    text = HEAD.replace("handler how", "void *(*how)(void *)").replace(
        "r->got = r->how(r->given)", "r->how(p)"
    )
    text += "static void *sets(void *p) { ((struct request *)p)->got = 1; return 0; }\n"
    data = "static struct request a = {sets, 3, 0}; pthread_t t;"
    run = "pthread_create(&t, 0, serve, &a); pthread_join(t, 0);"
    file = tmp_path / "threads.c"
    file.write_text(f"{text}int main(void) {{ {data} {run} if (a.got != 1) reach_error(); }}\n")
    assert seahorn_py.verify(file, timeout=60).answer is Answer.SAFE


@pytest.mark.parametrize(
    "pointer",
    [
        pytest.param("(handler)(void *)&total", marks=pytest.mark.full),
        pytest.param("(handler)serve", marks=pytest.mark.full),
        "__VERIFIER_nondet_int() ? 0 : twice",
    ],
)
def test_no_proof_where_something_else_may_be_called(pointer: str, tmp_path: Path) -> None:
    text = program("twice", "twice", "total").replace("= {twice", f"= {{{pointer}", 1)
    file = tmp_path / "threads.c"
    file.write_text(text)
    assert seahorn_py.verify(file, property=RIGHT, timeout=6).answer is Answer.UNKNOWN


@pytest.mark.full
@pytest.mark.parametrize(
    ("error", "answer"), [("!done", Answer.SAFE), ("done", Answer.UNSAFE)], ids=["holds", "fails"]
)
def test_a_destructor_of_a_key(error: str, answer: Answer, tmp_path: Path) -> None:
    functions = (
        "pthread_key_t key; int done; void destroy(void *p) { *(int *)p = 1; }"
        "void *sets(void *p) { pthread_setspecific(key, p); return 0; }"
    )
    main = (
        "pthread_t t; pthread_key_create(&key, destroy); pthread_create(&t, 0, sets, &done);"
        f"pthread_join(t, 0); if ({error}) reach_error();"
    )
    file = tmp_path / "threads.c"
    file.write_text(f"{HEAD}{functions}\nint main(void) {{ {main} }}\n")
    assert seahorn_py.verify(file, timeout=60).answer is answer


def test_a_key_without_destructor(tmp_path: Path) -> None:
    """No function has the type of its destructor."""
    functions = "pthread_key_t key; void *sets(void *p) { pthread_setspecific(key, p); return 0; }"
    main = (
        "pthread_t t; pthread_key_create(&key, 0); pthread_create(&t, 0, sets, &key);"
        "pthread_join(t, 0); if (pthread_getspecific(key)) reach_error();"
    )
    file = tmp_path / "threads.c"
    file.write_text(f"{HEAD}{functions}\nint main(void) {{ {main} }}\n")
    assert seahorn_py.verify(file, timeout=60).answer is Answer.SAFE
