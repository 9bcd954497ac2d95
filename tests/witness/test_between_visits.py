r"""What ranks and runs without end say: relations with `\at(x, AnyPrev)`, and cycles."""

from __future__ import annotations

from pathlib import Path

import pytest

import seahorn_py
from seahorn_py.base.errors import Origin, Span
from seahorn_py.options import FrontendOptions, VerifyOptions
from seahorn_py.result import LoopHead, LoopRank, RankMeasure, RankTerm, Violation
from seahorn_py.witness.between_visits import transitions
from seahorn_py.witness.endless import lasso
from seahorn_py.witness.texts import Sources
from seahorn_py.witness.told import by_statements

TEXT = """\
extern int f(void);
int main(void) {
  int x = f(), y = f();
  unsigned n = f();
  while (x > 0) {
    x = x - y;
  }
  for (int i = 0; i < 9; i++) {
    y = f();
  }
  for (int x = 0; x < 9; x++) {
    y++;
  }
  while (y > 0 && n) {
    if (f()) break;
    y = y - 1;
  }
  do {
    x = x - 1;
  } while (x > 1);
  return 0;
}
"""
HEAD = "extern int __VERIFIER_nondet_int(void);\n"
LINES = {"x": 3, "y": 3, "n": 4, "i": 8}


def term(name: str, factor: int = 1, *, signed: bool = True, line: int = 0) -> RankTerm:
    place = Span("a.c", line or LINES[name], 1, "main")
    return RankTerm(factor, name, place, 32, signed, name != "n")


def said(
    folder: Path, at: tuple[int, int], *measures: RankMeasure, lags: bool = False, bits: int = 64
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    file = folder / "a.c"
    file.write_text(TEXT)
    head = LoopHead(Origin((Span(str(file), *at, "main"),)), ())
    rank = LoopRank(head, measures, lags)
    found = transitions([rank], Sources.read([file], FrontendOptions(bits=bits)))
    return tuple(one.expression for one in found.transitions), found.left_out


def test_a_measure_that_is_a_variable(tmp_path: Path) -> None:
    (found,), _ = said(tmp_path, (5, 12), RankMeasure((term("x"),), 0, 36))
    assert found == r"\at(x, AnyPrev) > 0 && x < \at(x, AnyPrev)"


def test_a_sum_is_computed_where_it_fits(tmp_path: Path) -> None:
    measure = RankMeasure((term("x", -2), term("n", 1, signed=True)), 3, 40)
    (found,), _ = said(tmp_path, (5, 12), measure)
    now = "(-2 * (long long)x + (long long)(int)n + 3)"
    assert found.endswith(
        now + r" < (-2 * (long long)\at(x, AnyPrev) + (long long)(int)\at(n, AnyPrev) + 3)"
    )
    (wide,), _ = said(tmp_path, (5, 12), RankMeasure((term("x"), term("y")), 0, 70))
    assert "(__int128)x" in wide
    none, left_out = said(tmp_path, (5, 12), RankMeasure((term("x"),), 0, 70), bits=32)
    assert not none
    assert "its rank is not in C" in left_out[0]


def test_a_tuple_decreases_in_the_lexicographic_order(tmp_path: Path) -> None:
    one, two = (RankMeasure((term(name),), 0, 36) for name in "xy")
    (found,), _ = said(tmp_path, (5, 12), one, two)
    first, second = found.split(" || ", 1)
    assert first == r"(\at(x, AnyPrev) > 0 && x < \at(x, AnyPrev))"
    assert second == (
        r"((x <= 0 || x <= \at(x, AnyPrev)) && \at(y, AnyPrev) > 0 && y < \at(y, AnyPrev))"
    )


def test_a_variable_of_the_header(tmp_path: Path) -> None:
    measure = RankMeasure((term("i", -1),), 9, 40)
    (found,), _ = said(tmp_path, (8, 21), measure)
    assert r"\at(i, AnyPrev)" in found
    # another variable of this name is in scope at the keyword
    assert not said(tmp_path, (11, 21), RankMeasure((term("x", -1, line=11),), 9, 40))[0]


def test_a_rank_that_lags(tmp_path: Path) -> None:
    measure = RankMeasure((term("x"),), 0, 36)
    (found,), _ = said(tmp_path, (5, 12), measure, lags=True)
    guard = r"((\at(x, AnyPrev) > 0)) && (!((x > 0)) || "
    assert found == guard + r"\at(x, AnyPrev) > 0 && x < \at(x, AnyPrev))"
    # the loop is left in another way, too
    assert not said(tmp_path, (14, 12), RankMeasure((term("y"),), 0, 36), lags=True)[0]


def test_a_rank_of_a_loop_whose_condition_comes_last(tmp_path: Path) -> None:
    """It decreases from one condition that holds to the next one that does."""
    (found,), _ = said(tmp_path, (19, 9), RankMeasure((term("x"),), 0, 36))
    assert found.startswith(r"((\at(x, AnyPrev) > 1)) && (!((x > 1)) || ")


def test_what_has_no_place_is_named(tmp_path: Path) -> None:
    file = tmp_path / "a.c"
    file.write_text(TEXT)
    head = LoopHead(Origin(), (), ("the rank of the recursion of f",))
    found = transitions([LoopRank(head, ())], Sources.read([file], FrontendOptions()))
    assert found.left_out == ("the rank of the recursion of f",)


@pytest.mark.full
@pytest.mark.parametrize(
    ("body", "stem", "cycle"),
    [
        (
            "int x = in(); if (x != 7) return 0; while (x) { if (x > 1) x = 7; }",
            "x == 7",
            2,
        ),
        pytest.param("int x = 1; while (1) { x = -x; }", "", 1, marks=pytest.mark.full),
    ],
)
def test_a_run_without_end(body: str, stem: str, cycle: int, tmp_path: Path) -> None:
    file = tmp_path / "a.c"
    text = body.replace("in()", "__VERIFIER_nondet_int()").replace("{ ", "{\n").replace("; ", ";\n")
    file.write_text(f"{HEAD}int main(void) {{\n{text}\nreturn 0; }}\n")
    result = seahorn_py.verify(file, VerifyOptions(), property="termination", timeout=100)
    assert result.violation is not None
    of = Sources.read([file], FrontendOptions())
    found = lasso(result.violation, of)
    assert not isinstance(found, str)
    witness = by_statements(of.about(frozenset()), found.stem, found.cycle)
    assert stem in str(witness.segments)
    assert len(witness.cycle) == cycle


def test_a_run_that_is_not_known_is_told_by_its_loop(tmp_path: Path) -> None:
    file = tmp_path / "a.c"
    file.write_text(TEXT)
    of = Sources.read([file], FrontendOptions())
    found = lasso(Violation("termination", "", Span(str(file), 5, 12, "main"), ()), of)
    assert not isinstance(found, str)
    assert (found.stem, [str(told.place) for told in found.cycle]) == ((), [f"{file}:6:5"])


@pytest.mark.parametrize("head", ["int f(int x) {", "int\nf(int x)\n{"])
def test_a_function_that_calls_itself_without_end(head: str, tmp_path: Path) -> None:
    """Debug information has the line of its name alone."""
    file = tmp_path / "a.c"
    file.write_text(f"{head}\n  /* no decision */ return f(x);\n}}\n")
    of = Sources.read([file], FrontendOptions())
    line, first = head.count("\n") or 1, head.count("\n") + 2
    found = lasso(Violation("termination", "", Span(str(file), line, 0, "f"), ()), of)
    assert [str(told.place) for told in found.cycle] == [f"{file}:{first}:21"]
