"""Small programs in which one thread reaches what another has, by a way that is easy to miss."""

from __future__ import annotations

from pathlib import Path

import pytest

import seahorn_py
from seahorn_py.base.errors import UnsupportedError
from seahorn_py.result import Answer

HEAD = """#include <pthread.h>
extern void reach_error(void), __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void);
extern int __VERIFIER_nondet_int(void);
pthread_t t; int x, *p;
"""
CHANGES = "x = 2; if (x != 2) reach_error();"
THROUGH = "void *f(void *q) { *p = 1; return 0; }"
ESCAPING = {
    "stored behind a pointer": (
        f"void put(void) {{ p = &x; }} void (*volatile at)(void) = put; {THROUGH}",
        "at();",
    ),
    "returned behind a pointer": (
        f"int *get(void) {{ return &x; }} int *(*volatile at)(void) = get; {THROUGH}",
        "p = at();",
    ),
    "aligned": ("void *f(void *q) { *__builtin_align_down(&x, 4) = 1; return 0; }", ""),
}
ALIASES = {
    "variable": 'extern int y __attribute__((alias("x"))); void *f(void *q) { y = 1; return 0; }',
    "array": (
        'int a[2]; extern int b[2] __attribute__((alias("a")));'
        "void *f(void *q) { b[1] = x; return 0; }"
    ),
    "function": (
        'void *g(void *q) { x = 1; return 0; }void *f(void *) __attribute__((alias("g")));'
    ),
}
RECURSIVE = {
    "one": "int deep(int n) { return n ? deep(n) + 1 : 0; }",
    "two": (
        "int deep(int); int odd(int n) { return n ? deep(n - 1) + 2 : 0; }"
        "int deep(int n) { return n ? odd(n) * 3 : 1; }"
    ),
    "with a check": "int deep(int n) { return n ? deep(n - 1) * 3 + 1 : (reach_error(), 1); }",
}


def _file(folder: Path, functions: str, main: str) -> Path:
    file = folder / "threads.c"
    file.write_text(f"{HEAD}{functions}\nint main(void) {{ {main} return 0; }}\n")
    return file


@pytest.mark.parametrize("way", ESCAPING)
def test_an_address_escapes(way: str, tmp_path: Path) -> None:
    functions, before = ESCAPING[way]
    file = _file(tmp_path, functions, f"{before} pthread_create(&t, 0, f, 0); {CHANGES}")
    assert seahorn_py.verify(file, timeout=60).answer is Answer.UNSAFE


@pytest.mark.parametrize("kind", ALIASES)
def test_other_names_are_refused(kind: str, tmp_path: Path) -> None:
    file = _file(tmp_path, ALIASES[kind], f"pthread_create(&t, 0, f, 0); {CHANGES}")
    with pytest.raises(UnsupportedError, match="other names"):
        seahorn_py.verify(file, timeout=60)


def test_a_call_through_a_pointer_in_a_section(tmp_path: Path) -> None:
    functions = (
        "void set(void) { x = 1; } void (*at)(void) = set; void *f(void *q) "
        "{ __VERIFIER_atomic_begin(); at(); __VERIFIER_atomic_end(); return 0; }"
    )
    file = _file(tmp_path, functions, f"pthread_create(&t, 0, f, 0); {CHANGES}")
    assert seahorn_py.verify(file, timeout=60).answer is Answer.UNSAFE


@pytest.mark.parametrize("kind", RECURSIVE)
def test_a_write_is_seen_before_an_endless_call(kind: str, tmp_path: Path) -> None:
    functions = f"{RECURSIVE[kind]} void *f(void *q) {{ x = 1; x = deep(1); return 0; }}"
    main = "pthread_create(&t, 0, f, 0); if (x == 1) reach_error();"
    file = _file(tmp_path, functions, main)
    options = seahorn_py.VerifyOptions(every_check=True, timeout=60)
    checks = seahorn_py.verify(file, options).checks
    line = HEAD.count("\n") + 2
    assert [c.answer for c in checks if c.place and c.place.line == line and "reach" in c.text] == [
        Answer.UNSAFE
    ]


@pytest.mark.parametrize("value", ["r + 1", "-r", "r * 2"])
def test_a_check_comes_before_a_wait_for_ever(value: str, tmp_path: Path) -> None:
    main = f"int r = __VERIFIER_nondet_int(); r = {value}; pthread_join(o, 0); x = r;"
    functions = "void *f(void *q) { for (;;) {} }"
    file = _file(tmp_path, functions, f"pthread_t o; pthread_create(&o, 0, f, 0); {main}")
    assert seahorn_py.verify(file, property="no-overflow", timeout=60).answer is Answer.UNSAFE


def test_a_wait_in_a_section_is_refused_for_deadlocks(tmp_path: Path) -> None:
    functions = (
        "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; void *f(void *q) { pthread_mutex_lock(&m);"
        "__VERIFIER_atomic_begin(); x = 1; pthread_mutex_lock(&m); __VERIFIER_atomic_end();"
        "return 0; }"
    )
    file = _file(tmp_path, functions, "pthread_create(&t, 0, f, 0);")
    with pytest.raises(UnsupportedError, match="a wait in an atomic section"):
        seahorn_py.verify(file, property="no-deadlock", timeout=60)
