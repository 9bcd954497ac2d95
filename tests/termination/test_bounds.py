"""How often loops go round at most: what is told is compared with native runs."""

from __future__ import annotations

from pathlib import Path

import pytest
from bounded_loops import LOOPS, run, text

import seahorn_py
from seahorn_py.base.errors import Span
from seahorn_py.evidence.trace.lasso import lasso
from seahorn_py.options import VerifyOptions
from seahorn_py.result import Answer, Change, LoopResult, TraceStep, VerificationResult

HEADER = text("ten").partition("int main")[0]


def asked(folder: Path, program: str) -> VerificationResult:
    file = folder / "loop.c"
    file.write_text(program)
    options = VerifyOptions(bounds=True, every_check=True)
    return seahorn_py.verify(file, options, property="termination", timeout=200)


def test_there_are_enough_loops() -> None:
    """`scripts/check-bounds` asks about all of them."""
    assert len(LOOPS) >= 30
    assert all("ENTER" in text(name) and "ROUND" in text(name) for name in LOOPS)


@pytest.mark.full
def test_the_bound_of_an_inner_loop_each_time_and_in_all(tmp_path: Path) -> None:
    result = asked(tmp_path, text("inner"))
    outer, inner = result.loops
    assert (outer.bound, inner.bound) == ("max(0, n)", "max(0, m)")
    assert (outer.in_all, inner.in_all) == ("", "max(0, n) * max(0, m)")
    found = run("inner", inner.bound, tmp_path)
    assert found.entered >= 1_000
    assert (found.wrong, found.reached) == (0, found.entered)
    assert [check.answer for check in result.checks] == [Answer.SAFE, Answer.SAFE]


def test_native_runs_notice_a_bound_that_is_wrong(tmp_path: Path) -> None:
    assert run("up", "max(0, n - 1)", tmp_path, 100).wrong > 0


def test_a_loop_of_c_of_which_llvm_made_two_has_no_bound(tmp_path: Path) -> None:
    body = "int n = I, m = I; while (n > 0) { if (m > 0) { m--; continue; } n--; m = I & 7; }"
    result = asked(tmp_path, f"{HEADER}int main(void) {{ {body} return 0; }}\n")
    assert result.loops
    assert [loop.bound for loop in result.loops] == [""] * len(result.loops)


@pytest.mark.full
def test_a_condition_under_which_a_loop_ends(tmp_path: Path) -> None:
    body = "int n = I, step = I; for (int i = 0; i < n; i += step);"
    result = asked(tmp_path, f"{HEADER}int main(void) {{ {body} return 0; }}\n")
    assert result.answer is Answer.UNSAFE
    (loop,) = result.loops
    assert (loop.ends_if, loop.needs_no_overflow) == ("step > 0", True)
    assert loop.answer is Answer.UNSAFE


@pytest.mark.full
def test_names_are_those_of_the_text_where_records_are_lost(tmp_path: Path) -> None:
    """The compiler forgets that `n` changes; the loop over the inner `k` has no sure name."""
    before = f"{HEADER}static void f(int k) {{ while (k > 0) k--; }}\n"
    inner = "{ int k = m; for (int i = 0; i < k; i++); }"
    body = f"int n = I, k = I; f(5); int m = n; n = k;\n{inner}\nf(n);"
    result = asked(tmp_path, f"{before}int main(void) {{ {body} return 0; }}\n")
    bounds = {loop.bound for loop in result.loops}
    assert bounds <= {"5", "max(0, k)", ""}
    copies = [loop for loop in result.loops if loop.calls]
    assert len(copies) == len({loop.calls for loop in copies}) == 2
    assert all(loop.bound != "max(0, k)" for loop in result.loops if not loop.calls)


def step(line: int, **changes: int) -> TraceStep:
    found = tuple(Change(name, str(value)) for name, value in changes.items())
    return TraceStep(Span("a.c", line, 1, "main"), (), found)


HEAD = Span("a.c", 2, 9, "main")
COMING_BACK = [step(1, x=0), step(2), step(3, x=1), step(2), step(3, x=2), step(2), step(3, x=1)]


@pytest.mark.parametrize(
    ("steps", "earlier", "expected"),
    [
        ([*COMING_BACK, step(2)], 0, (7, 3)),
        (COMING_BACK, 0, (3, 1)),
        (COMING_BACK, 1, (5, 3)),
        (COMING_BACK, 9, (5, 3)),
        ([step(1), step(2, x=1)], 0, (2, 1)),
        ([step(1), step(5)], 0, (2, None)),
    ],
)
def test_the_round_that_is_shown(
    steps: list[TraceStep], earlier: int, expected: tuple[int, int | None]
) -> None:
    shown, cycle = lasso(steps, HEAD, earlier)
    assert (len(shown), cycle) == expected


def test_loops_are_data_of_the_result() -> None:
    loop = LoopResult("loop at a.c:2:9", HEAD, Answer.SAFE, "(n)", "max(0, n)")
    assert VerificationResult(Answer.SAFE, loops=(loop,)).loops[0].bound == "max(0, n)"
