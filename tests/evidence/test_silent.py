"""Runs behind calls of functions without a body that are given pointers."""

from __future__ import annotations

from pathlib import Path

import pytest

from seahorn_py import verify
from seahorn_py.ir.handed import OF_NULL
from seahorn_py.ir.interpreter import run
from seahorn_py.ir.run import Ending, Outcome, RunLimits
from seahorn_py.options import FrontendOptions, Property, VerifyOptions
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Answer
from seahorn_py.verification.pipeline import load

HEAD = """
typedef __SIZE_TYPE__ size_t; void *malloc(size_t); void free(void *);
int stat(const char *, void *);
extern void reach_error(void); extern int get(void);
struct s { int n; int *p; };
extern void look(const int *), set(int *), set_p(int **), set_s(struct s *), give(void *);
extern int *lookup(const char *), status(int *), many(const char *, ...);
extern void die(const int *) __attribute__((noreturn));
extern int pure_of(const int *) __attribute__((pure));
"""


def text(body: str) -> str:
    return f"{HEAD}int main(void) {{ {body} return 0; }}\n"


def outcome(folder: Path, asked: Property, body: str) -> Outcome:
    """The run in which all inputs are 3, as far as they are no pointers."""
    file = folder / "silent.c"
    file.write_text(text(body))
    options = VerifyOptions(FrontendOptions(properties=frozenset({asked})))
    source = load([file], options, Deadline.after(60))[1]
    return run(source, {}, RunLimits(), draw=lambda _: 3)


ERROR, DEREF, NULL = Property.UNREACH_CALL, Property.VALID_DEREF, Property.NULL_DEREF
TOLD = {
    "another error": (ERROR, "int x = 4, y = get(); look(&x); if (y == 3) reach_error();"),
    "what was set": (ERROR, "int x = 4; set(&x); if (x == 4) reach_error();"),
    "never set": (ERROR, "int x; set(&x); if (x == 3) reach_error();"),
    "a result": (ERROR, "int x = 1; if (status(&x) == 3) reach_error();"),
    "any arguments": (ERROR, 'int y = get(); many("%d %s", y, "a"); if (y == 3) reach_error();'),
    "null": (ERROR, 'if (!lookup("a")) reach_error();'),
    "overrun": (DEREF, "int a[3] = {0}; look(a); a[get()] = 1;"),
    "freed": (DEREF, "int *p = malloc(4); *p = 0; look(p); free(p); return *p;"),
    "leak": (Property.VALID_MEMCLEANUP, "int x = 1; int *p = malloc(4); look(&x);"),
    "own null": (NULL, "int x = 1, *p = get() == 3 ? 0 : &x; look(&x); return *p;"),
}


@pytest.mark.parametrize("case", TOLD)
def test_the_call_changes_nothing_in_a_run(case: str, tmp_path: Path) -> None:
    assert outcome(tmp_path, *TOLD[case]).ending is Ending.FAILED


NOT_TOLD = {
    "out": (DEREF, "int *p; set_p(&p); return *p;"),
    "out, null": (NULL, "int *p = 0; set_p(&p); return *p;"),
    "static": (NULL, "static int *p; set_p(&p); return *p;"),
    "copied": (NULL, "struct s v = {0}; set_s(&v); struct s w = v; return *w.p;"),
    "grown": (DEREF, "int t = 0; struct s v = {1, &t}; set_s(&v); v.p[3] = 1;"),
    "made": (DEREF, "size_t n = 0; set((int *)&n); return *(int *)n;"),
    "given away": (Property.VALID_MEMCLEANUP, "int *p = malloc(4); give(p);"),
    "kept": (DEREF, "int t = 0, *q = &t; set_p(&q); set(&t); return q[3];"),
}


@pytest.mark.parametrize("case", NOT_TOLD)
def test_it_may_have_set_or_freed_that(case: str, tmp_path: Path) -> None:
    found = outcome(tmp_path, *NOT_TOLD[case])
    assert (found.ending, found.reason[-36:]) == (
        Ending.ENDED,
        "may have set or freed what is invalid"[-36:],
    )


NOT_FOLLOWED = {
    "returned": (NULL, 'int *p = lookup("a"); return *p;'),
    "library": (ERROR, 'int b[99] = {0}; stat("a", b); if (b[20] == 0) reach_error();'),
    "pure": (ERROR, "int x = 1; if (pure_of(&x) != pure_of(&x)) reach_error();"),
    "for ever": (Property.TERMINATION, "int x = 0; while (!x) status(&x);"),
}


@pytest.mark.parametrize("case", NOT_FOLLOWED)
def test_no_run_goes_through_a_call_that_does_something(case: str, tmp_path: Path) -> None:
    assert outcome(tmp_path, *NOT_FOLLOWED[case]).ending is Ending.REFUSED


def test_it_may_not_return(tmp_path: Path) -> None:
    body = "int x = get(); die(&x); reach_error();"
    assert outcome(tmp_path, ERROR, body).ending is Ending.ENDED


def test_an_answer_says_on_what_it_rests(tmp_path: Path) -> None:
    file = tmp_path / "silent.c"
    file.write_text(text("int x = 4, y = get(); look(&x); if (y == 77) reach_error();"))
    result = verify(file, timeout=30)
    assert result.answer is Answer.UNSAFE
    entries = [entry.text for entry in result.ledger]
    assert "look, which has no body, changes nothing in the run that is shown" in entries


def test_a_native_run_does_not_tell_that_a_pointer_is_null(tmp_path: Path) -> None:
    file = tmp_path / "silent.c"
    file.write_text(text("int *p = 0; set_p(&p); return *p;"))
    assert verify(file, property="null-deref", timeout=4).answer is Answer.UNKNOWN


def test_the_property_of_null_has_one_name() -> None:
    assert Property.NULL_DEREF.value == OF_NULL


def test_what_a_header_of_the_system_declares_does_something(tmp_path: Path) -> None:
    """Though nothing is known of it here: `argz_add` of glibc has no contract."""
    body = 'char *z = 0; size_t n = 0; argz_add(&z, &n, "x"); if (n == 0) reach_error();'
    file = tmp_path / "system.c"
    file.write_text(f"#include <argz.h>\n{text(body)}")
    source = load([file], VerifyOptions(), Deadline.after(60))[1]
    assert run(source, {}, RunLimits()).ending is Ending.REFUSED
