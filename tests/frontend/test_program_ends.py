"""How programs begin and end: constructors, handlers, destructors, in their order."""

from __future__ import annotations

from pathlib import Path

import pytest

from seahorn_py import verify
from seahorn_py.options import FrontendOptions, Property, VerifyOptions
from seahorn_py.result import Answer, VerificationResult

HEAD = """
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
void reach_error(void);
static int n, *block;
#define STEP(name, k) name(void) { if (n != (k)) reach_error(); n++; }
#define END(name) name(void) { if (n != LAST) reach_error(); n++; if (WRONG) reach_error(); }
#define CONSTRUCTOR(...) __attribute__((constructor __VA_ARGS__)) static void
#define DESTRUCTOR(...) __attribute__((destructor __VA_ARGS__)) static void
static void never(void) { reach_error(); }
static void stop(void) { exit(3); }
"""
ORDERS = {
    "constructors by priority, then in order": (
        "CONSTRUCTOR() STEP(c, 2) CONSTRUCTOR() STEP(d, 3) CONSTRUCTOR((102)) STEP(b, 1)"
        " CONSTRUCTOR((101)) STEP(a, 0) int main(void) { END_OF_MAIN }",
        4,
    ),
    "destructors in the reverse order": (
        "CONSTRUCTOR((101)) STEP(a, 0) DESTRUCTOR() END(e) DESTRUCTOR() STEP(d, 3)"
        " DESTRUCTOR((102)) STEP(f, 5) int main(void) { if (n++ != 1) reach_error(); n++; }",
        4,
    ),
    "destructors after handlers": (
        "DESTRUCTOR() END(c) void STEP(b, 1) void STEP(a, 0)"
        " int main(void) { atexit(b); atexit(a); }",
        2,
    ),
    "exit is as the end of main": (
        "DESTRUCTOR() END(c) void STEP(b, 1) void STEP(a, 0)"
        " int main(void) { atexit(b); atexit(a); if (__VERIFIER_nondet_int()) stop(); }",
        2,
    ),
    "a constructor may end the program": (
        "DESTRUCTOR() END(b) CONSTRUCTOR() a(void) { n = 1; exit(0); }"
        " int main(void) { reach_error(); }",
        1,
    ),
    "a handler of a handler": (
        "void END(c) void STEP(b, 1) void a(void) { n++; atexit(c); atexit(b); }"
        " int main(void) { atexit(a); }",
        2,
    ),
    "a handler twice": (
        "void END(b) void a(void) { n++; } int main(void) { atexit(b); atexit(a); atexit(a); }",
        2,
    ),
    "quick_exit has handlers of its own": (
        "DESTRUCTOR() d(void) { reach_error(); } void END(b) void STEP(a, 0)"
        " int main(void) { at_quick_exit(b); atexit(never); at_quick_exit(a); quick_exit(1); }",
        1,
    ),
}
NOTHING_RUNS = ("_Exit(0)", "_exit(0)", "abort()", "quick_exit(0)")


def answered(
    folder: Path, text: str, last: int, wrong: int = 0, bits: int = 64, seconds: float = 20
) -> VerificationResult:
    file = folder / "case.c"
    end = "if (n != LAST || WRONG) reach_error();"
    body = text.replace("END_OF_MAIN", end)
    file.write_text(f"#define LAST {last}\n#define WRONG {wrong}\n{HEAD}{body}\n")
    options = VerifyOptions(frontend=FrontendOptions(bits=bits), timeout=seconds, executions=0.1)
    return verify([file], options)


@pytest.mark.parametrize("name", ORDERS)
def test_the_order_of_beginnings_and_ends(name: str, tmp_path: Path) -> None:
    bits = 32 if len(name) % 2 else 64
    assert answered(tmp_path, *ORDERS[name], bits=bits).answer is Answer.SAFE
    assert answered(tmp_path, *ORDERS[name], wrong=1, bits=bits).answer is Answer.UNSAFE


def test_ends_at_which_nothing_runs(tmp_path: Path) -> None:
    ends = " ".join(f"case {k}: {end};" for k, end in enumerate(NOTHING_RUNS))
    text = (
        "DESTRUCTOR() d(void) { reach_error(); } int main(void) { atexit(never);"
        f" switch (__VERIFIER_nondet_int()) {{ {ends} }} for (;;); }}"
    )
    assert answered(tmp_path, text, 0).answer is Answer.SAFE
    returns = text.replace("for (;;);", "return 0;")
    assert answered(tmp_path, returns, 0).answer is Answer.UNSAFE


@pytest.mark.full
def test_no_error_rests_on_an_end_within_an_end(tmp_path: Path) -> None:
    text = "void a(void) { if (WRONG) reach_error(); } int main(void) { atexit(a); atexit(stop); }"
    assert answered(tmp_path, text, 0).answer is Answer.SAFE
    assert answered(tmp_path, text, 0, wrong=1, seconds=4).answer is Answer.UNKNOWN


def test_what_a_destructor_frees_is_freed(tmp_path: Path) -> None:
    frees = "DESTRUCTOR() d(void) { free(block); } int main(void) { block = malloc(4); }"
    file = tmp_path / "case.c"
    for text, expected in (
        (frees, Answer.SAFE),
        (frees.replace("free(block)", "n++"), Answer.UNSAFE),
    ):
        file.write_text(HEAD + text)
        frontend = FrontendOptions(properties=(Property.VALID_MEMCLEANUP,))
        options = VerifyOptions(frontend=frontend, timeout=20, executions=0.1)
        assert verify([file], options).answer is expected
