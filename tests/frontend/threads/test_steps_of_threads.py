"""What instructions of threads touch, and small programs in which a step was missed."""

from __future__ import annotations

from pathlib import Path

import pytest
from command import EXAMPLES

import seahorn_py
from seahorn_py.frontend.lowering.threads.accesses import ANY, Called, Touched
from seahorn_py.frontend.lowering.threads.cutting import begins_step
from seahorn_py.result import Answer

HEAD = """#include <pthread.h>
#include <stdatomic.h>
extern void reach_error(void);
pthread_t t; pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER; int x;
"""
LINES = {
    "  %r = load i32, ptr @x, align 4, !dbg !3": ("@x", False, ""),
    "  store i32 0, ptr getelementptr (i8, ptr @m, i32 4), align 4": ("@m", True, ""),
    "  store ptr getelementptr (i8, ptr @m, i32 4), ptr %b, align 8": (ANY, True, ""),
    "  store atomic i32 %v, ptr @x monotonic, align 4": ("@x", True, "monotonic"),
    "  %r = atomicrmw add ptr @x, i32 1 seq_cst, align 4": ("@x", True, "seq_cst"),
    "  %r = cmpxchg ptr @x, i32 1, i32 %n acq_rel monotonic, align 4": ("@x", True, "acq_rel"),
}
CHEAP = {"checked_safe.c", "counter_unsafe.c", "references_safe.c"}
"""The examples of usual runs."""

READS = "void *f(void *p) { int y = x; return 0; }"
LOCKS = "void *f(void *p) { LOCK(a) LOCK(b) FREE(b) FREE(a) return 0; }"
PROGRAMS = {
    "a value that nothing uses": ("no-data-race", READS, "x = 1;", False),
    "a join comes before": ("no-data-race", READS, "pthread_join(t, 0); x = 1;", True),
    "locks in one order": ("no-deadlock", LOCKS, "LOCK(a) LOCK(b) FREE(b) FREE(a)", True),
    "locks in two orders": ("no-deadlock", LOCKS, "LOCK(b) LOCK(a) FREE(a) FREE(b)", False),
    "a write before an endless loop": (
        "unreach-call",
        "void *f(void *p) { if (x == 1) reach_error(); return 0; }",
        "x = 1; for (;;) {}",
        False,
    ),
    "a branch in a section": (
        "unreach-call",
        "void *f(void *p) { LOCK(a) x++; FREE(a) return 0; }",
        "LOCK(a) x++; FREE(a) pthread_join(t, 0); if (x != 2) reach_error();",
        True,
    ),
}


@pytest.mark.parametrize("line", LINES)
def test_an_instruction_touches(line: str) -> None:
    found = [(a.base, a.writes, a.order) for a in Touched([line], Called()).accesses(line)]
    assert found == [LINES[line]]


def test_a_split_edge_begins_no_step() -> None:
    assert begins_step("sea.cut.1")
    assert begins_step("sea.cut.held.1")
    assert not begins_step("sea.cut.1.is_ready.exit_crit_edge")


def _text(function: str, main: str) -> str:
    body = f"{function} int main(void) {{ pthread_create(&t, 0, f, 0); {main} return 0; }}\n"
    for word, name in (("LOCK", "lock"), ("FREE", "unlock")):
        body = body.replace(f"{word}(", f"{name}(")
    locks = "#define lock(m) pthread_mutex_lock(&m);\n#define unlock(m) pthread_mutex_unlock(&m);\n"
    return HEAD + locks + body


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_answer_about_two_threads(name: str, tmp_path: Path) -> None:
    asked, function, main, holds = PROGRAMS[name]
    file = tmp_path / "threads.c"
    file.write_text(_text(function, main))
    expected = Answer.SAFE if holds else Answer.UNSAFE
    assert seahorn_py.verify(file, property=asked, timeout=60).answer is expected


@pytest.mark.parametrize(
    "name", ["a join comes before", "locks in one order", "locks in two orders"]
)
def test_races_and_deadlocks_at_once(name: str, tmp_path: Path) -> None:
    """A thread that stops before an access, to meet one that races with it, does not wait."""
    _, function, main, holds = PROGRAMS[name]
    file = tmp_path / "threads.c"
    file.write_text(_text(function, main))
    expected = Answer.SAFE if holds else Answer.UNSAFE
    asked = ("no-data-race", "no-deadlock")
    assert seahorn_py.verify(file, property=asked, timeout=60).answer is expected


@pytest.mark.parametrize("asked", ["unreach-call", "valid-memcleanup"])
def test_what_runs_when_the_last_thread_ends(asked: str, tmp_path: Path) -> None:
    function = "void *f(void *p) { x = 1; p = malloc(4); return 0; }"
    after = "__attribute__((destructor)) void after(void) { if (x == 1) reach_error(); }"
    file = tmp_path / "threads.c"
    file.write_text("#include <stdlib.h>\n" + _text(f"{function} {after}", "pthread_exit(0);"))
    assert seahorn_py.verify(file, property=asked, timeout=30).answer is Answer.UNKNOWN


def test_locks_of_a_program_with_one_thread(tmp_path: Path) -> None:
    file = tmp_path / "lock.c"
    body = "pthread_mutex_lock(&m); int r = pthread_mutex_trylock(&m); if (!r) reach_error();"
    file.write_text(
        f"{HEAD}int main(void) {{ pthread_mutex_t m; pthread_mutex_init(&m, 0); {body} }}\n"
    )
    assert seahorn_py.verify(file, timeout=30).answer is Answer.SAFE


def test_a_deadlock_is_where_a_thread_waits(tmp_path: Path) -> None:
    file = tmp_path / "threads.c"
    body = "LOCK(b)\n LOCK(a)\n FREE(a) FREE(b)\n pthread_join(t, 0);"
    file.write_text(_text(LOCKS, body))
    result = seahorn_py.verify(file, property="no-deadlock", timeout=60)
    assert result.violation is not None and result.violation.place is not None
    first = file.read_text().split("\n").index(" lock(a)") + 1
    assert result.violation.place.line in (first, first + 2)


@pytest.mark.all_variants
@pytest.mark.parametrize(
    "name",
    [
        file.name if file.name in CHEAP else pytest.param(file.name, marks=pytest.mark.full)
        for file in sorted((EXAMPLES / "threads").glob("*.c"))
    ],
)
def test_an_example(name: str) -> None:
    file = EXAMPLES / "threads" / name
    text = file.read_text()
    asked = "no-deadlock" if "// property: no-deadlock" in text else "unreach-call"
    answer = seahorn_py.verify(file, property=asked, timeout=180).answer
    assert f"expected: {answer.value}" in text


def test_a_check_that_fails_hides_no_other_one(tmp_path: Path) -> None:
    """A thread may be stopped between a write and the check behind it, in which the run ends."""
    file = tmp_path / "threads.c"
    function = "void *f(void *p) { x = 1; reach_error(); return 0; }"
    file.write_text(_text(function, "if (x) reach_error();"))
    result = seahorn_py.verify(file, seahorn_py.VerifyOptions(every_check=True, timeout=60))
    errors = [check for check in result.checks if check.text.startswith("reach_error")]
    assert [check.answer for check in errors] == [Answer.UNSAFE, Answer.UNSAFE]
