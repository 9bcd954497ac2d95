"""Engines side by side: whose answer counts, what is noted, what is left when one fails."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from changed_policy import change
from horn_examples import array_initialisation, calls_in_a_row, counter, irrelevant_arguments

from seahorn_py.base.errors import InputError, SeaError, Stage
from seahorn_py.encode.encoding import Arithmetic
from seahorn_py.engines.bmc.bmc import Bmc
from seahorn_py.engines.catalogue import affordable, named, planned, schedule
from seahorn_py.engines.engine import Budget
from seahorn_py.engines.portfolio import Portfolio, Turn
from seahorn_py.engines.profile import profile_of
from seahorn_py.engines.schedules import read_schedule
from seahorn_py.engines.spacer.spacer import Spacer
from seahorn_py.horn.system import HornSystem, Model
from seahorn_py.options import EngineName, Planned, VerifyOptions
from seahorn_py.processes import limits
from seahorn_py.processes.child import Fork
from seahorn_py.processes.deadline import Deadline
from seahorn_py.processes.journal import Attempt, Journal
from seahorn_py.result import Answer, Safe, Unknown, Unsafe, Verdict, VerificationResult
from seahorn_py.verification.answers import explanation
from seahorn_py.verification.encodings.side_by_side import arithmetics

SYSTEM = counter(2, 3)


@dataclass(frozen=True)
class After:
    """Gives a verdict after some seconds."""

    seconds: float
    verdict: Verdict

    def solve(self, system: HornSystem, budget: Budget) -> Verdict:
        time.sleep(self.seconds)
        return self.verdict


@dataclass(frozen=True)
class Crash:
    def solve(self, system: HornSystem, budget: Budget) -> Verdict:
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError


SAFE = Safe(Model({}))
NOTHING = Unknown(Stage.SOLVE, "nothing")


def budget(jobs: int = 2, seconds: float = 10) -> Budget:
    return Budget(Deadline.after(seconds), jobs=jobs)


def portfolio(*engines: After | Crash, journal: Journal | None = None) -> Portfolio:
    turns = [Turn(f"engine {number}", engine) for number, engine in enumerate(engines)]
    return Portfolio(tuple(turns), journal, "here")


def test_the_first_answer_ends_the_others() -> None:
    began = time.monotonic()
    assert portfolio(After(30, NOTHING), After(0.0, SAFE)).solve(SYSTEM, budget()) == SAFE
    assert time.monotonic() - began < 5


def test_who_doubts_a_claim_gets_the_next() -> None:
    other = Safe(Model({}), statistics={"number": 2})
    answers = list(portfolio(After(0.0, SAFE), After(0.2, other)).verdicts(SYSTEM, budget()))
    assert answers[:2] == [SAFE, other]
    assert isinstance(answers[2], Unknown)


def test_no_other_turn_begins_beside_one_that_answers_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    change(monkeypatch, "solving", alone_seconds=1000.0)
    journal = Journal()
    several = portfolio(After(0.0, SAFE), After(30, NOTHING), journal=journal)
    assert several.solve(SYSTEM, budget()) == SAFE
    assert [attempt.engine for attempt in journal.attempts()] == ["engine 0"]


def test_a_first_turn_without_an_answer_makes_room_for_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    change(monkeypatch, "solving", alone_seconds=1000.0)
    journal = Journal()
    several = portfolio(After(0.0, NOTHING), After(30, NOTHING), After(0.0, SAFE), journal=journal)
    assert several.solve(SYSTEM, budget()) == SAFE
    assert len(journal.attempts()) == 3


def test_a_crash_is_one_reason_among_others() -> None:
    verdict = portfolio(Crash(), After(0.0, NOTHING)).solve(SYSTEM, budget())
    assert isinstance(verdict, Unknown)
    assert sorted(verdict.reason.split("; "))[1] == "nothing"
    assert "engine 0: " in verdict.reason


def test_one_job_is_one_engine_at_a_time() -> None:
    journal = Journal()
    engines = After(0.1, NOTHING), After(0.1, NOTHING), After(0.0, SAFE)
    assert portfolio(*engines, journal=journal).solve(SYSTEM, budget(jobs=1)) == SAFE
    first, second, third = journal.attempts()
    assert first.began + first.seconds <= second.began
    assert second.began + second.seconds <= third.began
    assert [a.outcome for a in (first, second, third)] == ["nothing", "nothing", "claims safe"]


def test_refutations_and_proofs_cross_processes_whole() -> None:
    wrong = Portfolio((Turn("bmc", Bmc(5)),)).solve(counter(2, 2), budget())
    assert isinstance(wrong, Unsafe)
    assert len(wrong.refutation.steps) > 1
    right = Portfolio((Turn("spacer", Spacer()),)).solve(SYSTEM, budget())
    assert isinstance(right, Safe)
    assert isinstance(right.proof, Model)
    assert right.proof.interpretations


def test_what_goes_on_is_noted_by_copies_of_the_process() -> None:
    journal = Journal()
    journal.begins("int", "first")
    with Fork(lambda: journal.ends("int", "first", "found nothing"), Deadline.after(10)) as fork:
        fork.result()
    journal.begins("bv", "second")
    first, second = journal.attempts()
    assert (first.place, first.engine, first.outcome) == ("int", "first", "found nothing")
    assert (second.engine, second.outcome) == ("second", "")


def test_profile() -> None:
    loop = profile_of(SYSTEM)
    assert (loop.loops, loop.nested, loop.linear, loop.arrays) == (1, False, True, False)
    assert not profile_of(calls_in_a_row(3)).linear
    assert profile_of(array_initialisation(1)).arrays
    assert profile_of(irrelevant_arguments()).linear
    assert loop.blocks == 0


def test_programs_about_control_are_abstracted_first() -> None:
    """Blocks are the truth values of a step; queries do not count."""
    look = profile_of(SYSTEM)
    usual = [turn.name for turn in schedule(look, bits=False, bound=None)]
    control = [turn.name for turn in schedule(replace(look, blocks=24), bits=False, bound=None)]
    assert usual.index("linear") < usual.index("cegar")
    assert control[:2] == ["spacer plain", "cegar"]
    assert "linear" not in control


def test_the_largest_process_is_ended_when_all_take_too_much() -> None:
    def hungry() -> int:
        held = bytearray(os.urandom(1 << 20) * 80)
        time.sleep(20)
        return len(held)

    with Fork(hungry, Deadline.after(20)) as fork:
        until = time.monotonic() + 10
        assert limits.largest_above([fork.pid], 1 << 20) is None
        while fork.running and time.monotonic() < until:
            if limits.largest_above([fork.pid], 60) == fork.pid:
                limits.kill(fork.pid)
            time.sleep(0.05)
        assert time.monotonic() < until


@pytest.mark.full
def test_processes_that_end_while_they_are_looked_at() -> None:
    forks = []

    def brood() -> None:
        for _ in range(60):
            with Fork(lambda: None, Deadline.after(5)) as fork:
                fork.result()

    with Fork(brood, Deadline.after(20)) as busy:
        while busy.running:
            assert limits.largest_above(limits.descendants(os.getpid()), 1 << 20) is None
            forks.append(busy)
        busy.result()
    assert forks


def test_shares_of_the_engines_named_are_equal() -> None:
    names = EngineName.BMC, EngineName.EXECUTE, EngineName.KINDUCTION, EngineName.LEMMAS
    assert [t.share for t in named(names, 2, None)] == [2 / 3, 1.0, 1.0]
    assert [t.share for t in named(names, 1, None)] == [1 / 3, 1 / 2, 1.0]


def test_little_time_is_for_few_turns() -> None:
    turns = tuple(Turn(str(number), After(0, NOTHING)) for number in range(9))
    assert affordable(turns, 100) == turns
    assert affordable(turns, 1.7) == turns[:4]
    assert affordable(turns, 0.01) == turns[:1]


def test_engines_for_integers_have_all_the_time() -> None:
    def chosen(*engines: EngineName) -> tuple[Arithmetic, ...]:
        return arithmetics(VerifyOptions(engines=engines))

    assert chosen(EngineName.LINEAR, EngineName.ACCELERATED) == (Arithmetic.INT,)
    assert chosen(EngineName.BMC) == (Arithmetic.BV,)
    assert chosen(EngineName.LINEAR, EngineName.BMC) == chosen() == (Arithmetic.INT, Arithmetic.BV)


def test_a_schedule_is_read(tmp_path: Path) -> None:
    file = tmp_path / "schedule.yml"
    file.write_text("int:\n  - spacer plain\n  - {engine: kinduction, share: 0.5, seconds: 3}\n")
    schedule = read_schedule(file)
    assert schedule.bv is None
    assert schedule.int == (
        Planned(EngineName.SPACER, "plain"),
        Planned(EngineName.KINDUCTION, "", 0.5, 3.0),
    )
    assert [t.name for t in planned(schedule.int, None)] == ["spacer plain", "kinduction"]


def test_a_turn_may_have_a_name_and_other_engines_configurations(tmp_path: Path) -> None:
    file = tmp_path / "schedule.yml"
    file.write_text("int:\n  - {engine: cegar values, name: by values}\n  - cells one\n")
    turns = planned(read_schedule(file).int or (), None)
    assert [turn.name for turn in turns] == ["by values", "cells one"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("int: [", "not YAML"),
        ("- spacer", "keys int or bv"),
        ("int: {}", "list of turns"),
        ("bv: [horn]", "turn 1: unknown engine 'horn'"),
        ("int: [{engine: bmc, share: 2}]", "turn 1: a share is 1 at most"),
        ("int: [{motor: bmc}]", "turn 1: expected an engine"),
        ("int: !!python/object:os.system [1]", "not YAML"),
    ],
)
def test_a_wrong_schedule_is_one_line(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "schedule.yml"
    file.write_text(text)
    with pytest.raises(InputError, match=message) as caught:
        read_schedule(file)
    assert str(caught.value).startswith(str(file))
    assert "\n" not in str(caught.value)


def test_a_configuration_that_is_not_there() -> None:
    with pytest.raises(SeaError, match="spacer sideways; configurations of spacer: plain, "):
        planned([Planned(EngineName.SPACER, "sideways")], None)
    with pytest.raises(SeaError, match="bmc sideways; it has one form only"):
        planned([Planned(EngineName.BMC, "sideways")], None)


def test_the_explanation_of_an_unknown_answer() -> None:
    result = VerificationResult(
        Answer.UNKNOWN,
        stage=Stage.SOLVE,
        reason="time limit",
        attempts=(
            Attempt("int", "kinduction", 0.5, 9.0, "k-induction: time limit"),
            Attempt("bv", "bmc", 0.5, 2.0, "time limit after bound 7, beyond which runs go on"),
        ),
        obstacles=("loop at a.c:3:5, with products of variables",),
    )
    assert list(explanation.lines(result, ["a.c"])) == [
        "int kinduction, 0.5 to 9.5 s: k-induction: time limit",
        "bv bmc, 0.5 to 2.5 s: time limit after bound 7, beyond which runs go on",
        "in the way: loop at a.c:3:5, with products of variables",
        "try: sea-py bpf --timeout 300 a.c",
        "try: sea-py pf --engine lemmas --timeout 300 a.c",
    ]
    assert "no bound for a loop yet" in explanation.in_one_line(result.attempts)
