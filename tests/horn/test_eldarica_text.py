"""The Prolog-like clauses of Eldarica: what is read means the same, and what is written is read."""

from __future__ import annotations

import pytest
from small_systems import Kind, SmallSystems, facts_of

from seahorn_py.base.errors import InputError
from seahorn_py.horn.text.clp import print_eldarica
from seahorn_py.horn.text.prologtext import as_smtlib
from seahorn_py.horn.text.smtlib import print_horn, read_horn

CLAUSES = """% a counter
p(x, Y) :- x = 0, (Y = 1 , x =< 9 ; Y = 2).  // two facts
p(X1, Y) :- p(X, Y), X1 = X + 2 * (Y - 1), \\+ X >= 5.
done :- p(X, Y), X > 7, Y =\\= -3.
false :- done.
"""


def test_each_construct_has_its_meaning() -> None:
    text = as_smtlib(CLAUSES, "c")
    assert text.splitlines()[3] == (
        "(assert (forall ((|X| Int) (|Y| Int))"
        " (=> (and (|p| |X| |Y|) (> |X| 7) (distinct |Y| (- 3))) |done|)))"
    )
    assert "(and (= |x| 0) (and (= |Y| 1) (or (<= |x| 9) (= |Y| 2))))" in text
    assert "(not (>= |X| 5))" in text
    assert [len(rule.body) for rule in read_horn(CLAUSES, "c").rules] == [0, 1, 1, 1]


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.all_variants
def test_what_is_written_is_read_as_the_same(seed: int) -> None:
    kind = Kind()
    system = SmallSystems(kind, seed).system()
    again = read_horn(print_eldarica(system), "written")
    assert facts_of(again, kind) == facts_of(system, kind)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("p(X) :- X = 1", "1: expected ., found 'the end'"),
        ("\np(X) :- X = Y / 2.", "2: / and mod are not read"),
        ("p(X) :- X = 1.\np(X, Y) :- X = Y.", "2: p has another number of arguments"),
        ("p(1) :- 0 = 0.", "expected a name"),
        ("p(X) :- X = 1 & 2.", "no clause has '&' here"),
        (f"p(X) :- X = {'(' * 300}1.", "nested too deeply"),
        (f"p(X) :- {'9' * 5000} = X.", "expected"),
    ],
)
@pytest.mark.all_variants
def test_what_is_refused(text: str, reason: str) -> None:
    with pytest.raises(InputError, match=reason.replace(".", "[.]")):
        read_horn(text, "t")


def test_smtlib_stays_as_it_is() -> None:
    text = print_horn(SmallSystems(Kind(), 0).system())
    assert as_smtlib(text, "t") is text
