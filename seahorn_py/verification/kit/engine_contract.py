"""What every engine keeps: no wrong answer, its time, no process that outlives it."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from contextlib import closing

from seahorn_py.engines.engine import Budget, Engine
from seahorn_py.engines.portfolio import Portfolio, Turn
from seahorn_py.engines.wrappers.guarded import Guarded
from seahorn_py.horn.checking.evidence import check
from seahorn_py.horn.system import HornSystem
from seahorn_py.horn.text.chcfiles import read_horn
from seahorn_py.processes.deadline import Deadline
from seahorn_py.processes.limits import descendants
from seahorn_py.result import Safe, Unknown, Unsafe, Verdict
from seahorn_py.verification.kit.horn_texts import ENDLESS, SYSTEMS


class EngineContract:
    """Subclasses have the attribute `engine`; each method is a test of pytest.

    An engine has `seconds` for one system, and `grace` seconds to say that it was not enough.
    `systems` are texts of SMT-LIB by name, each with whether it is solvable.
    """

    engine: Engine
    systems: Mapping[str, tuple[str, bool]] = SYSTEMS
    seconds: float = 5.0
    grace: float = 2.0

    def test_it_is_never_wrong(self) -> None:
        """Answers are right, and convince checkers that share nothing with the engine."""
        for name, system, is_solvable in self._systems():
            verdict = self._verdict(system, self.seconds)
            assert not isinstance(verdict, Unsafe if is_solvable else Safe), f"{name}: wrong"
            if isinstance(verdict, Safe):
                checked = check(system, verdict.proof, finder=verdict.finder)
                assert checked.ok, f"{name}: {checked.reason}"
            if isinstance(verdict, Unsafe):
                checked = check(verdict.system or system, verdict.refutation)
                assert checked.ok, f"{name}: {checked.reason}"

    def test_it_answers_something(self) -> None:
        """One of the systems at least is decided; otherwise the last reason is shown."""
        reason = ""
        for _, system, _ in self._systems():
            verdict = self._verdict(system, self.seconds)
            if not isinstance(verdict, Unknown):
                return
            reason = verdict.reason
        raise AssertionError(f"every system is left open: {reason}")

    def test_it_keeps_its_time(self) -> None:
        """Of a system that nobody decides it says so, about when it is to."""
        system = read_horn(ENDLESS, "endless")
        for seconds in (0.0, 1.0):
            began = time.monotonic()
            verdict = self._verdict(system, seconds)
            spent = time.monotonic() - began
            assert isinstance(verdict, Unknown), "endless: answered"
            assert spent < seconds + self.grace, f"{spent:.1f} s instead of {seconds} s"

    def test_it_leaves_no_process(self) -> None:
        """What it starts ends with it."""
        before = set(descendants(os.getpid()))
        self._verdict(read_horn(SYSTEMS["the bound of a counter"][0], "counter"), self.seconds)
        assert set(descendants(os.getpid())) <= before

    def _verdict(self, system: HornSystem, seconds: float) -> Verdict:
        """The verdict, found as in a portfolio; a failure is one of the test."""
        turns = (Turn("engine", Guarded("engine", self.engine)),)
        budget = Budget(Deadline.after(seconds))
        with closing(Portfolio(turns).verdicts(system, budget)) as verdicts:
            verdict = next(verdicts)
        if isinstance(verdict, Unknown) and "Error: " in verdict.reason:
            raise AssertionError(verdict.reason)
        return verdict

    def _systems(self) -> Iterator[tuple[str, HornSystem, bool]]:
        for name, (text, is_solvable) in self.systems.items():
            yield name, read_horn(text, name), is_solvable
