"""Several questions in one file, and refutations as text that any solver confirms."""

from __future__ import annotations

from pathlib import Path

import pytest

import seahorn_py
from seahorn_py import SeaError, horn, solve
from seahorn_py.base.errors import InputError
from seahorn_py.horn.text.chcfiles import read_questions
from seahorn_py.horn.text.refutations import print_refutation
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.logic.solvers.solvers import Status, check_unsat
from seahorn_py.processes.deadline import Deadline

RULES = """(declare-rel a (Int)) (declare-rel b ()) (declare-rel c ())
(declare-var x Int)
(rule (=> (= x 1) (a x)))
(rule (=> (and (a x) (= x 1)) b))
(rule (=> (and (a x) (= x 2)) c))
"""
CLAUSES = """(declare-fun p (Int) Bool)
(assert (forall ((x Int)) (=> (= x 0) (p x))))
(assert (forall ((x Int)) (=> (p x) (p (+ x 1)))))
(assert (forall ((x Int)) (=> (and (p x) (< x 0)) false)))
(check-sat) (get-model)
(assert (forall ((x Int)) (=> (and (p x) (= x 2)) false)))
(check-sat) (get-proof)
"""


def test_each_query_is_a_question_of_its_own() -> None:
    first, second = read_questions(RULES + "(query b)\n(query c)", "t")
    assert (first.place, second.place) == ("t:6", "t:7")
    assert [rule.name for rule in first.system.queries] == ["query b"]
    assert [rule.name for rule in second.system.queries] == ["query c"]
    assert solve(first.system, timeout=10).status == "unsat"
    assert solve(second.system, timeout=10).status == "sat"


def test_a_check_is_about_what_stands_before_it() -> None:
    first, second = read_questions(CLAUSES, "t")
    assert [len(q.system.rules) for q in (first, second)] == [3, 4]
    assert (first.shows, second.shows) == (frozenset({"model"}), frozenset({"proof"}))


@pytest.mark.parametrize("text", ["", "(check-sat)", "(query b)"])
def test_one_question_is_about_the_whole_file(text: str) -> None:
    (only,) = read_questions(RULES + text, "t")
    assert only.system.relations.keys() == {"a", "b", "c"}


LEVELS = """(declare-fun p (Int) Bool)
(assert (p 0)) (push)
(assert (=> (p 0) (p 1))) (push 1)
(assert (=> (p 1) false)) (check-sat) (pop)
(check-sat) (push)
(assert (=> (p 0) false)) (check-sat) (pop 2)
(assert (=> (p 1) false)) (check-sat)
"""


def test_nothing_is_asked_about_what_was_taken_back() -> None:
    found = read_questions(LEVELS, "t")
    assert [solve(one.system, timeout=10).status for one in found] == ["unsat", "sat"] * 2


def test_a_file_without_questions_is_about_what_is_left() -> None:
    (only,) = read_questions("(push)(assert false)(pop)(push)(assert true)", "t")
    assert not only.system.queries


def test_what_nobody_asked_for_is_refused() -> None:
    with pytest.raises(InputError, match="t:6: get-model stands before any check-sat or query"):
        read_questions(RULES + "(get-model)", "t")


def test_any_solver_confirms_the_text_of_a_refutation() -> None:
    found = solve(CLAUSES, timeout=10)
    assert found.refutation is not None
    assert found.system is not None
    text = print_refutation(found.system, found.refutation)
    assert text.count("(assert ") == len(found.refutation.steps) == 4
    script = text.replace("(set-logic ALL)", "").replace("(check-sat)", "")
    for solver in (Solver.Z3, Solver.CVC5):
        assert check_unsat(script, solver, Deadline.after(10)).status is Status.UNSAT
    weaker = "\n".join(line for line in script.splitlines() if "(p 0))" not in line)
    assert check_unsat(weaker, Solver.Z3, Deadline.after(10)).status is Status.SAT


def test_solve_takes_text_and_paths(tmp_path: Path) -> None:
    file = tmp_path / "file.smt2"
    file.write_text(RULES + "(query c)")
    assert solve(file, timeout=10).status == solve(str(file), timeout=10).status == "sat"
    with pytest.raises(SeaError, match="expected a HornSystem, SMT-LIB text or a path"):
        solve(5)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="<text>:1"):
        solve("(nothing)")


def test_the_public_names_are_listed() -> None:
    assert set(horn.__all__) <= set(dir(horn))
    assert set(seahorn_py.__all__) <= set(dir(seahorn_py))


def test_who_does_not_read_datatypes_is_not_asked() -> None:
    text = "(declare-datatype unread ((only)))(declare-fun unread_p (unread) Bool)"
    text += "(assert (unread_p only))(assert (forall ((u unread)) (=> (unread_p u) false)))"
    assert solve(text, engine="cegar", timeout=5).reason.endswith("only Spacer reads datatypes")
    assert solve(text, engine="spacer", timeout=5).status == "unsat"


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("(assert p)(check-sat)(assert (=> p false))", "sat"),
        ("(assert p)(assert (=> p false))(check-sat)", "unsat"),
        ("(rule p)(query q)(rule (=> p q))", "sat"),
        ("(rule p)(rule (=> p q))(query q)", "unsat"),
    ],
)
def test_what_stands_behind_the_only_question_is_none_of_it(text: str, status: str) -> None:
    (only,) = read_questions("(declare-fun p () Bool)(declare-fun q () Bool)" + text, "t")
    assert solve(only.system, timeout=10).status == status
