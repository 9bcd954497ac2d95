"""Whether runs end, from C text: answers in both directions, and what is left open."""

from __future__ import annotations

from pathlib import Path

import pytest
from diagonal import one_in
from random_loops import random_loops

import seahorn_py
from seahorn_py.base.errors import SeaError
from seahorn_py.options import FrontendOptions, Overflow, VerifyOptions
from seahorn_py.result import Answer, VerificationResult

HEAD = """extern int __VERIFIER_nondet_int(void);
extern void abort(void);
#define I __VERIFIER_nondet_int()
"""


def asked(
    folder: Path,
    body: str,
    overflow: Overflow = Overflow.WRAP,
    before: str = "",
    timeout: float = 60,
) -> VerificationResult:
    file = folder / "a.c"
    file.write_text(f"{HEAD}{before}\nint main(void) {{ {body} return 0; }}\n")
    options = VerifyOptions(FrontendOptions(overflow=overflow))
    return seahorn_py.verify(file, options, property="termination", timeout=timeout)


ENDING = {
    "nested": ("int n = I, m = I; for (int i = 0; i < n; i++) for (int j = 0; j < m; j++);", ""),
    "phases": ("int x = I, y = I; while (x >= 0) { x = x + y; y = y - 1; }", ""),
    "recursion": ("f(I);", "int f(int x) { return x > 0 ? f(x - 1) : 0; }"),
    "unsigned": ("unsigned char x = I; while (x) x++;", ""),
    "what is not read": ("int a[2], n = 0; a[0] = 0; a[1] = 9; while (a[n] < a[1]) a[n]++;", ""),
    "known": ("int x = I, y = 9, z = 1; while (x >= 0) { x -= y; y -= z; z = -z; }", ""),
    "wraps": ("int x = I; do x--; while (x >= 0);", ""),
    "an error": ("reach_error(); for (;;);", "extern void reach_error(void);"),
    "abort": ("for (;;) { if (I) abort(); abort(); }", ""),
}


@pytest.mark.parametrize("name", one_in(2, ENDING))
def test_runs_that_end(name: str, tmp_path: Path) -> None:
    body, before = ENDING[name]
    result = asked(tmp_path, body, before=before)
    assert (result.answer, result.meaning) == (Answer.SAFE, "all runs end"), result


def test_the_rank_of_a_loop_is_told(tmp_path: Path) -> None:
    result = asked(tmp_path, "int n = I;\n for (int i = 0; i < n; i++);")
    assert any("a.c:6:20: ends, rank (n - i" in line for line in result.evidence), result
    assert any("re-proved by cvc5" in line for line in result.evidence)


@pytest.mark.full
def test_calls_without_end(tmp_path: Path) -> None:
    before = "int f(int x) { return x < 5 ? 1 : f(x == 5 ? 6 : 5) + 1; }"
    result = asked(tmp_path, "f(I);", before=before)
    assert result.answer is Answer.UNSAFE, result


@pytest.mark.parametrize(
    "overflow", [Overflow.WRAP, pytest.param(Overflow.ASSUME, marks=pytest.mark.full)]
)
def test_a_loop_that_need_not_end(overflow: Overflow, tmp_path: Path) -> None:
    result = asked(tmp_path, "int x = I, y = I; while (x >= 0) x = x - y;", overflow)
    assert result.answer is Answer.UNSAFE, result
    assert result.violation is not None
    assert result.violation.text.endswith("need not end")


def test_a_run_that_stays_inside_an_array(tmp_path: Path) -> None:
    body = "int a[5]; unsigned i = 0; while (I) { if (i == 4) i = 0; a[i] = 0; i++; }"
    assert asked(tmp_path, body).answer is Answer.UNSAFE


DEAD = (
    ("int *p; { int x[2]; x[0] = I; p = x; } while (*p >= 0) *p = 1;", ""),
    ("int *p = 0; for (int i = 0; i < 1; i++) { int y = I; p = &y; } while (*p >= 0) *p = 1;", ""),
    ("int *p = f(); while (*p >= 0) *p = 1;", "int *f(void) { int x = I, *p = &x; return p; }"),
)


@pytest.mark.parametrize(("body", "before"), DEAD)
def test_a_run_that_stays_in_a_dead_local_is_none(body: str, before: str, tmp_path: Path) -> None:
    assert asked(tmp_path, body, before=before, timeout=4).answer is not Answer.UNSAFE


def test_a_run_that_stays_in_a_live_local(tmp_path: Path) -> None:
    result = asked(tmp_path, "int x[2], *p = x; x[0] = I; while (*p >= 0) *p = 1;")
    assert result.answer is Answer.UNSAFE


@pytest.mark.full
def test_a_loop_behind_one_that_an_input_ends(tmp_path: Path) -> None:
    """It is reached by inputs that stay the same for long, and then change."""
    result = asked(tmp_path, "int i = 0; while (I && i < 999999) i++; if (i > 15) while (i > 15);")
    assert result.answer is Answer.UNSAFE, result


@pytest.mark.full
@pytest.mark.parametrize(
    "body",
    [
        "int x = I; while (x > 0) x++;",
        pytest.param("int x = 1; while (x > 0) x *= 2;", marks=pytest.mark.full),
    ],
)
def test_the_integers_of_mathematics_go_on(body: str, tmp_path: Path) -> None:
    """With those of the machine overflow decides, of which C does not say what it does."""
    assert asked(tmp_path, body, Overflow.ASSUME).answer is Answer.UNSAFE
    assert asked(tmp_path, body, timeout=4).answer is Answer.UNKNOWN


@pytest.mark.full
@pytest.mark.parametrize(
    "body",
    [
        pytest.param(
            "int a[4]; int i = 0; while (1) { a[i] = 0; i = i + 1; }", marks=pytest.mark.full
        ),
        "int a[2], k = 0; while (1) { a[k] = 0; k = 5 - k; }",
        "int *p; { int x[2]; x[0] = x[1] = 1; p = x + (I & 1); } while (*p >= 0) *p = 1;",
        "int x = 1; while (x) { x = I; if (x == 0) continue; if (x) abort(); }",
        "for (int i = 0; i < 9; i++);",
    ],
)
def test_what_ends_a_run_ends_a_loop(body: str, tmp_path: Path) -> None:
    assert asked(tmp_path, body, timeout=5).answer is not Answer.UNSAFE


@pytest.mark.parametrize(
    "body",
    [
        "unsigned x = I; while (x) x++;",
        "char c = I; while (c) c = I;",
        # sums that are read as signed, but wrap
        "unsigned x = I; while ((int)x < 2147483647) x += 2;",
        "unsigned x = I, y = I; while ((int)(x + y) < 2147483646) x++;",
        "int n = I; for (signed char c = 0; c < n; c++);",
    ],
)
def test_unsigned_numbers_have_bounds(body: str, tmp_path: Path) -> None:
    result = asked(tmp_path, body, Overflow.ASSUME)
    assert result.answer is Answer.UNKNOWN
    assert "integers without bounds: an unsigned operation at" in result.reason


@pytest.mark.parametrize(("body", "answer"), [("y > 2147483647", "safe"), ("y > 0", "unsafe")])
def test_inputs_have_the_range_of_their_type(body: str, answer: str, tmp_path: Path) -> None:
    found = asked(tmp_path, f"int x = I; long y = x; while ({body});", Overflow.ASSUME)
    assert found.answer is Answer(answer), found


def test_tests_of_overflow_ask_for_bounds(tmp_path: Path) -> None:
    """After the first overflow `y` is 0, and the loop is left."""
    body = "int x = I, y = I; while (__builtin_sub_overflow(x, y, &x)) y = 0;"
    result = asked(tmp_path, body, Overflow.ASSUME)
    assert result.answer is Answer.UNKNOWN
    assert "integers without bounds: a test of overflow at" in result.reason


def test_a_run_that_is_blocked_is_no_run_without_end(tmp_path: Path) -> None:
    before = "extern void __VERIFIER_assume(int);"
    body = "int x = 0; while (1) { x = I; __VERIFIER_assume(x == 1); __VERIFIER_assume(x == 2); }"
    assert asked(tmp_path, body, before=before, timeout=5).answer is not Answer.UNSAFE


@pytest.mark.full
@pytest.mark.parametrize(
    ("before", "body"),
    [
        ("int a;", "if ((unsigned long)&a & 64) for (;;);"),
        ("volatile int stop = 1;", "while (!stop);"),
        ("void *malloc(unsigned long);", "char *p = malloc(200); while (p[150] == 7);"),
        (
            "int *h(void) { int x, *p = &x; return p; } int *k(void) { int y, *p = &y; return p; }",
            "if (h() != k()) for (;;);",
        ),
    ],
)
def test_one_run_is_not_all_where_memory_may_be_another(
    before: str, body: str, tmp_path: Path
) -> None:
    assert asked(tmp_path, body, before=before, timeout=4).answer is not Answer.SAFE


def test_termination_is_asked_for_alone(tmp_path: Path) -> None:
    file = tmp_path / "a.c"
    file.write_text("int main(void) { return 0; }\n")
    with pytest.raises(SeaError, match="termination is asked for alone"):
        seahorn_py.verify(file, property=["termination", "no-overflow"])


@pytest.mark.full
@pytest.mark.parametrize(("seed", "bits"), [(1001, 8), (10, 32)])
def test_random_loops(seed: int, bits: int, tmp_path: Path) -> None:
    """`scripts/random-loops` asks about many more."""
    program = random_loops(seed, bits)
    file = tmp_path / "loops.c"
    file.write_text(program.text)
    result = seahorn_py.verify(file, property="termination", timeout=5)
    assert result.answer is not (Answer.UNSAFE if program.ends() else Answer.SAFE), program.text


@pytest.mark.parametrize(("seed", "ends"), [(0, None), (1, True), (10, False)])
def test_states_of_loops_over_wide_integers(
    seed: int, ends: bool | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("random_loops.MOST_STATES", 3_000)
    assert random_loops(seed, 32).ends() is ends
