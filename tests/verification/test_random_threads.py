"""Programs with threads against all interleavings; `scripts/random-threads` asks of more."""

from __future__ import annotations

from pathlib import Path

import pytest
from thread_exploring import Answers, explored
from thread_programs import (
    Add,
    Create,
    Down,
    Fail,
    If,
    Join,
    Lock,
    Read,
    Section,
    Signal,
    Store,
    Threads,
    Unlock,
    Up,
    Value,
    Wait,
    Write,
    program,
)

from seahorn_py import verify
from seahorn_py.result import Answer

ONE = Value(None, 1)
RAISE = (Read(0, "x"), Write("x", Value(0, 1)))
BOTH = (Create(1), Create(2), Join(1), Join(2), Read(0, "x"), Fail(0, 1))


def guarded(*inside: object) -> tuple[object, ...]:
    return (Lock(0), *inside, Unlock(0))


KNOWN = {
    "a lost update": (Threads((BOTH, RAISE, RAISE)), Answers(True, True, False)),
    "no lost update": (
        Threads((BOTH, guarded(*RAISE), guarded(*RAISE))),
        Answers(False, False, False),
    ),
    "sections": (
        Threads((BOTH, (Section(RAISE),), (Section(RAISE),))),
        Answers(False, False, False),
    ),
    "locks in both orders": (
        Threads(
            (
                (Create(1), Lock(1), Lock(0), Unlock(0), Unlock(1), Join(1)),
                (Lock(0), Lock(1), Unlock(1), Unlock(0)),
            )
        ),
        Answers(False, False, True),
    ),
    "a signal that comes before the wait": (
        Threads(((Create(1), Lock(0), Wait(0), Unlock(0), Join(1)), (Signal(False),))),
        Answers(False, False, True),
    ),
    "a message": (
        Threads(
            (
                (Create(1), Add(1, "a", 0), If(1, 1, (Read(0, "x"), Fail(0, 0)))),
                (Write("x", ONE), Store("a", ONE)),
            )
        ),
        Answers(False, False, False),
    ),
    "a semaphore": (
        Threads(((Create(1), Down(), Read(0, "x"), Fail(0, 0)), (Write("x", ONE), Up()))),
        Answers(False, False, False),
    ),
    "a step before main returns": (
        Threads(((Create(1), Store("a", ONE)), (Add(0, "a", 0), Fail(0, 1)))),
        Answers(True, False, False),
    ),
    "a race that only one order shows": (
        Threads(((Create(1), *guarded(), Write("x", ONE)), (Write("x", ONE), *guarded()))),
        Answers(False, True, False),
    ),
}


@pytest.mark.parametrize("name", KNOWN)
def test_the_exploration_knows_the_classics(name: str) -> None:
    drawn, expected = KNOWN[name]
    assert explored(drawn) == expected


def test_each_number_is_a_program_of_its_own() -> None:
    assert program(7) == program(7) != program(8)
    assert len({program(seed).text() for seed in range(20)}) == 20


@pytest.mark.parametrize("seed", (2, 10))
def test_answers_are_those_of_all_interleavings(seed: int, tmp_path: Path) -> None:
    drawn = program(seed)
    file = tmp_path / "threads.c"
    file.write_text(drawn.text())
    answer = verify(file, timeout=60).answer
    assert answer is (Answer.UNSAFE if explored(drawn).error else Answer.SAFE)
