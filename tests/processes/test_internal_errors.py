"""A bug of ours is said, whoever wins; a limit is a reason and nothing else."""

from __future__ import annotations

import errno
import json
import os
import signal
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from command import EXAMPLES, sea_py
from horn_examples import counter

from seahorn_py import verify
from seahorn_py.base.errors import InputError, Stage, StageFailure
from seahorn_py.engines.bmc import bmc_child
from seahorn_py.engines.engine import Budget
from seahorn_py.engines.portfolio import Portfolio, Turn
from seahorn_py.frontend.lowering import lowering
from seahorn_py.horn.system import HornSystem, Model
from seahorn_py.invariants import worker
from seahorn_py.logic.solvers import solver_child
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.logic.solvers.solvers import check_unsat
from seahorn_py.logic.solvers.spacer import spacer_child
from seahorn_py.options import Encodings, EngineName, Planned, Schedule, VerifyOptions
from seahorn_py.processes import child
from seahorn_py.processes.child import ChildFailed, Fork
from seahorn_py.processes.deadline import Deadline
from seahorn_py.processes.internal_errors import Reports, is_limit, lines, noted, working
from seahorn_py.processes.journal import Journal
from seahorn_py.result import Answer, Safe, Unknown, Verdict
from seahorn_py.verification.answers import explanation

SAFE_PROGRAM = EXAMPLES / "counter_safe.c"


def bug(*_: object, **__: object) -> str:
    list(zip([1], [], strict=True))
    raise AssertionError


# ------------------------------------------------------------------------------- what is a limit


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        child.ChildTimeout("time limit"),
        ChildFailed("ended by SIGSEGV"),
        InputError("a.c: no"),
        StageFailure(Stage.SOLVE, "no"),
        OSError(errno.ENOSPC, "no space"),
    ],
)
def test_limits_are_reasons(error: Exception) -> None:
    assert is_limit(error)
    assert not noted(error).startswith("internal error")


@pytest.mark.plants_internal_errors
@pytest.mark.parametrize(
    "error", [ValueError("zip()"), KeyError("x"), RecursionError(), OSError(errno.ENOENT, "no")]
)
def test_everything_else_is_noted_with_its_traceback(error: Exception) -> None:
    reports = Reports()
    with reports.collecting(), working("solve", "bv boolean"):
        try:
            raise error
        except Exception as caught:
            assert noted(caught).startswith(f"internal error: {type(error).__name__}")
    (found,) = reports.found()
    assert (found.stage, found.who, found.type) == ("solve", "bv boolean", type(error).__name__)
    assert "test_internal_errors.py" in found.traceback
    assert next(lines([found, found])).startswith("internal error in bv boolean: ")
    assert len(list(lines([found, found]))) == 1


def test_what_z3_says_of_its_limits_is_a_reason() -> None:
    import z3

    assert is_limit(z3.Z3Exception(b"canceled"))
    assert is_limit(z3.Z3Exception(b"max. memory exceeded"))
    assert is_limit(z3.Z3Exception("libz3.so not found."))
    assert not is_limit(z3.Z3Exception(b"sort mismatch"))


# ------------------------------------------------------------------------- wherever it is caught


@pytest.mark.plants_internal_errors
def test_copies_of_copies_note_it() -> None:
    reports = Reports()

    def outer() -> None:
        with Fork(bug, Deadline.after(20)) as inner, pytest.raises(ChildFailed):
            inner.result()

    with reports.collecting(), Fork(outer, Deadline.after(20)) as fork:
        fork.result()
    (found,) = reports.found()
    assert found.type == "ValueError"


@dataclass(frozen=True)
class Wrong:
    """An engine with a bug, or that is ended."""

    do: Callable[[], object]

    def solve(self, system: HornSystem, budget: Budget) -> Verdict:
        self.do()
        raise AssertionError


@dataclass(frozen=True)
class Right:
    def solve(self, system: HornSystem, budget: Budget) -> Verdict:
        return Safe(Model({}))


def solved(do: Callable[[], object], *others: Right) -> tuple[Verdict, Reports]:
    reports = Reports()
    turns = Turn("wrong", Wrong(do)), *(Turn("right", other) for other in others)
    with reports.collecting():
        budget = Budget(Deadline.after(20), jobs=1)
        return Portfolio(turns, None, "int").solve(counter(2, 3), budget), reports


@pytest.mark.plants_internal_errors
def test_an_engine_that_lost_is_named() -> None:
    verdict, reports = solved(bug, Right())
    assert isinstance(verdict, Safe)
    assert [r.who for r in reports.found()] == ["int wrong"]


@pytest.mark.plants_internal_errors
def test_the_reason_says_that_it_is_internal() -> None:
    verdict, _ = solved(bug)
    assert isinstance(verdict, Unknown)
    assert "internal error: ValueError: zip()" in verdict.reason


def test_a_signal_is_no_bug_of_ours() -> None:
    verdict, reports = solved(lambda: os.kill(os.getpid(), signal.SIGSEGV))
    assert isinstance(verdict, Unknown)
    assert "SIGSEGV" in verdict.reason
    assert not reports.found()


@pytest.mark.plants_internal_errors
@pytest.mark.parametrize(("module", "name"), [(solver_child, "answer"), (solver_child, "_status")])
def test_a_bug_beside_a_solver(module: object, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, name, bug)
    reports = Reports()
    with reports.collecting():
        check_unsat("(assert false)", Solver.Z3, Deadline.after(20))
    assert reports.found()


# ----------------------------------------------------------------------------- through a verdict

PLACES = {
    "the front end": (lowering, "llvm", Answer.UNKNOWN),
    "an engine that loses": (bmc_child, "solve", Answer.SAFE),
    "all engines": (spacer_child, "solve", Answer.UNKNOWN),
    "what checks a proof": (solver_child, "answer", Answer.UNKNOWN),
}


@pytest.mark.plants_internal_errors
@pytest.mark.parametrize("place", PLACES)
def test_it_is_in_the_result(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module, name, answer = PLACES[place]
    monkeypatch.setattr(module, name, bug if name != "llvm" else None)
    first = (Planned(EngineName.BMC),) if module is bmc_child else ()
    plan = Schedule(int=(*first, Planned(EngineName.SPACER, "plain")))
    options = VerifyOptions(schedule=plan, encoding=Encodings.INT, executions=0, jobs=1)
    result = verify(SAFE_PROGRAM, options, timeout=30)
    assert result.answer is answer, result
    assert result.internal_errors
    told = "\n".join(explanation.lines(result, ["a.c"]))
    assert str(result.internal_errors[0]) in told
    assert "Traceback (most recent call last)" in told


@pytest.mark.plants_internal_errors
def test_a_bug_in_what_helps_an_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "work", bug)
    result = verify(SAFE_PROGRAM, engines=["kinduction"], encoding="int", timeout=30)
    assert [(e.who, e.type) for e in result.internal_errors][:1] == [
        ("int kinduction", "ValueError")
    ]


@pytest.mark.plants_internal_errors
def test_commands_print_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bmc_child, "solve", bug)
    monkeypatch.chdir(tmp_path)
    line = "internal error in bv bmc: ValueError: zip() argument 2 is shorter than argument 1"
    done = sea_py("bpf", "--explain", SAFE_PROGRAM)
    assert f"\n{line} (please report)\n" in done.stdout
    assert f"explain: solve: {line}" in done.stdout
    data = json.loads(sea_py("bpf", "--json", SAFE_PROGRAM).stdout)
    assert data["internal_errors"][0]["who"] == "bv bmc"
    assert "bug" in data["internal_errors"][0]["traceback"]
    horn = tmp_path / "a.smt2"
    horn.write_text(
        "(set-logic HORN)(declare-fun p (Int) Bool)(assert (forall ((x Int)) (=> (= x 0) (p x))))"
        "(assert (forall ((x Int)) (=> (and (p x) (> x 0)) false)))(check-sat)"
    )
    assert "internal error in bmc: ValueError" in sea_py("chc", "--engine", "bmc", horn).stdout


@pytest.mark.plants_internal_errors
def test_a_passing_bug_outlives_the_journal_of_another() -> None:
    """Who collects around a verification has its errors too."""
    outer, inner = Reports(), Journal()
    with outer.collecting(), inner.reports.collecting():
        noted(ValueError("x"))
    assert outer.found() == inner.reports.found() != ()
