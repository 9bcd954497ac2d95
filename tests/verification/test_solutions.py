"""`solve`: whatever engines say is checked, whatever goes wrong is unknown, and nothing is left."""

from __future__ import annotations

import importlib
import os
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import pytest
import z3

from seahorn_py import Answer, Cancellation, SeaError, Solution, solve
from seahorn_py.base.errors import Stage
from seahorn_py.engines.bmc.bmc import Bmc
from seahorn_py.engines.engine import Budget, Engine
from seahorn_py.horn import Clauses, HornSystem, Model, Refutation, Step, check, in_z3
from seahorn_py.logic.terms import terms
from seahorn_py.processes.limits import descendants
from seahorn_py.result import Safe, Unknown, Unsafe, Verdict

X = z3.Int("x")
INV = z3.Function("inv", z3.IntSort(), z3.BoolSort())


def counter(limit: int, top: int = 10) -> HornSystem:
    clauses = Clauses()
    clauses.rule(INV(0), name="start")
    clauses.rule(INV(X + 1), INV(X), top > X, name="step")
    clauses.query(INV(X), limit < X, name="too far")
    return clauses.system()


@dataclass(frozen=True)
class Says:
    """An engine that says the same of every system."""

    verdict: object

    def solve(self, system: HornSystem, budget: Budget) -> Verdict:
        if isinstance(self.verdict, Exception):
            raise self.verdict
        return self.verdict  # type: ignore[return-value]


WRONG: dict[str, tuple[object, str]] = {
    "no verdict": (5, "Says: its verdict is no verdict, but of the type int"),
    "an exception": (ValueError("over\nthere"), "Says: ValueError: over there"),
    "no model": (Safe(Model({})), "re-proof: "),
    "no term": (Safe(Model({"inv": 5})), "Says: "),  # type: ignore[dict-item]
    "no proof": (Safe("trust me"), "Says: <proof>: "),  # type: ignore[arg-type]
    "no reason": (Unknown(Stage.SOLVE, None), "Says: its reason is no text"),  # type: ignore[arg-type]
    "an escape": (Unknown(Stage.SOLVE, "sat\n\x1b[2J"), "solve: sat \\x1b[2J"),
    "no data": (Unknown(Stage.SOLVE, "x", {"f": lambda: 1}), "Says: "),  # type: ignore[dict-item]
    "no step": (Unsafe(Refutation(())), "Says: an empty refutation"),
    "no rule": (Unsafe(Refutation((Step("on", (), ()),))), "Says: step 0: no rule on"),
}


def test_a_model() -> None:
    found = solve(counter(10))
    assert found.status == "sat" and "re-proved by cvc5" in found.reason
    assert found.model is not None and found.system is not None
    assert check(counter(10), found.model).ok
    (x,), formula = in_z3(found.system, found.model)["inv"]  # type: ignore[misc]
    assert z3.is_true(z3.simplify(z3.substitute(formula, (x, z3.IntVal(10)))))
    assert found.derivation() is None and "inv" in found._repr_html_()


def test_a_refutation() -> None:
    found = solve(counter(8), engine=Bmc(20))
    assert found.answer is Answer.UNSAFE and found.refutation is not None
    last = found.derivation()
    assert last is not None and [one.fact for one in last.walk()][-2:] == ["inv(9)", "false"]
    assert "false by too far of 9" in found._repr_html_()
    assert [attempt.engine for attempt in found.attempts] == ["Bmc"]


@pytest.mark.parametrize("name", WRONG)
def test_wrong_verdicts_are_unknown_with_the_reason(name: str) -> None:
    verdict, said = WRONG[name]
    found = solve(counter(10), engine=Says(verdict), timeout=20)
    assert found.answer is Answer.UNKNOWN and said in found.reason
    assert not found.internal_errors


class Sharing(Says):
    """Says something only if nothing of other engines can be changed."""

    def solve(self, system: HornSystem, budget: Budget) -> Verdict:
        assert budget.pool is None
        return super().solve(system, budget)


def test_engines_of_others_share_nothing() -> None:
    right = Model({"inv": terms.le(terms.symbol("inv.0", terms.INT), terms.int_const(10))})
    assert solve(counter(10), engine=Sharing(Safe(right))).status == "sat"


def test_others_go_on_where_one_is_wrong() -> None:
    engines: tuple[Engine | str, ...] = (Says(Safe(Model({}))), Says(5), "spacer")
    assert solve(counter(10), engine=engines, timeout=30).answer is Answer.SAFE


def test_it_ends_in_time_and_when_it_is_cancelled() -> None:
    began = time.monotonic()
    endless = counter(10**9, 10**9 + 1)
    assert "time" in solve(endless, engine="bmc", timeout=0.5).reason
    token = Cancellation()
    found = solve(
        endless, "bmc", on_progress=lambda now: now.running and token.cancel(), cancel=token
    )
    assert found.reason == "solve: cancelled" and time.monotonic() - began < 10
    assert descendants(os.getpid()) == []


def test_what_is_wrong_with_a_call() -> None:
    for arguments, error, said in (
        ({"engine": "spicer"}, ValueError, "spacer"),
        ({"engine": "execute"}, SeaError, "no engine that works on Horn clauses"),
        ({"engine": 5}, SeaError, "an object with a method solve"),
        ({"engine": Bmc}, SeaError, "an object with a method solve"),
        ({"timeout": -1}, ValueError, "timeout"),
    ):
        with pytest.raises(error, match=said):
            solve(counter(1), **arguments)  # type: ignore[arg-type]


BESIDE = """
from seahorn_py.base.errors import Stage
from seahorn_py.result import Unknown


class Mine:
    def solve(self, system, budget):
        return Unknown(Stage.SOLVE, "of mine")
"""


def test_with_threads_engines_must_be_importable(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    end = threading.Event()
    thread = threading.Thread(target=end.wait)
    thread.start()
    try:
        assert solve(counter(8), engine=Bmc(20)).answer is Answer.UNSAFE
        monkeypatch.setattr(Says, "__module__", "__main__")
        with pytest.raises(SeaError, match="put its class into a module"):
            solve(counter(8), engine=Says(5))
        with pytest.raises(SeaError, match="cannot be handed on"):
            solve(counter(8), engine=Sharing(lambda: 1))
        (tmp_path / "beside.py").write_text(BESIDE)
        monkeypatch.syspath_prepend(str(tmp_path))
        mine = importlib.import_module("beside").Mine()
        assert "of mine" in solve(counter(8), engine=mine).reason
    finally:
        end.set()
        thread.join()


def test_the_line_of_a_solution() -> None:
    assert repr(Solution(Answer.UNKNOWN, "time limit")) == "<Solution unknown; time limit>"
