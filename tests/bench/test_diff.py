"""Two runs compared: what is lost or wrong fails, what is faster or new does not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from command import sea_py
from test_store import ROW

from seahorn_py.bench.diff import Change, Kind, Threshold, compare
from seahorn_py.bench.rows import Ended, Row, Status, Verdict

CORRECT = ROW
UNKNOWN = replace(ROW, verdict=Verdict.UNKNOWN, status=Status.UNKNOWN, score=0)
TIMEOUT = replace(UNKNOWN, verdict=Verdict.NONE, ended=Ended.TIMEOUT, cpu_s=50.0)
WRONG = replace(ROW, verdict=Verdict.FALSE, status=Status.WRONG, score=-16)


def kinds(old: Row | None, new: Row | None) -> list[Kind]:
    before, after = ({("x", "y"): row} if row else {} for row in (old, new))
    return [change.kind for change in compare(before, after, Threshold())]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (CORRECT, CORRECT, []),
        (CORRECT, UNKNOWN, [Kind.REGRESSION]),
        (CORRECT, None, [Kind.REGRESSION]),
        (UNKNOWN, None, [Kind.MISSING]),
        (UNKNOWN, CORRECT, [Kind.GAIN]),
        (WRONG, CORRECT, [Kind.GAIN]),
        (UNKNOWN, TIMEOUT, [Kind.OTHER]),
        (UNKNOWN, WRONG, [Kind.WRONG]),
        (WRONG, WRONG, [Kind.WRONG]),
        (None, WRONG, [Kind.WRONG]),
        (None, CORRECT, [Kind.NEW]),
        (CORRECT, replace(CORRECT, cpu_s=3.0), [Kind.SLOWER]),
        (replace(CORRECT, cpu_s=3.0), CORRECT, [Kind.FASTER]),
        (CORRECT, replace(CORRECT, cpu_s=2.0), []),
        (replace(CORRECT, cpu_s=10.0), replace(CORRECT, cpu_s=12.0), []),
        (TIMEOUT, replace(TIMEOUT, cpu_s=5.0), []),
        (UNKNOWN, replace(UNKNOWN, cpu_s=50.0), []),
    ],
)
def test_kinds(old: Row | None, new: Row | None, expected: list[Kind]) -> None:
    assert kinds(old, new) == expected


def test_a_change_says_when_the_program_is_another() -> None:
    other = replace(UNKNOWN, inputs=())
    shown = str(Change(Kind.REGRESSION, CORRECT, other))
    assert shown.endswith("true correct 1.25 s -> unknown unknown 1.25 s (the program has changed)")


def write(file: Path, *rows: Row) -> Path:
    file.write_text("".join(row.as_json() + "\n" for row in rows))
    return file


def test_command(tmp_path: Path) -> None:
    two = replace(CORRECT, task="two")
    old = write(tmp_path / "old.jsonl", CORRECT, two)
    new = write(tmp_path / "new.jsonl", replace(CORRECT, cpu_s=9.0))
    same = sea_py("bench", "diff", old, old)
    assert same.returncode == 0
    assert same.stdout.splitlines() == [
        "tasks in both: 2; only old: 0; only new: 0",
        "score: 4 -> 4; correct: 2 -> 2",
        "CPU: 2.5 s -> 2.5 s (1.00)",
        "median ratio of CPU times: 1.00",
    ]
    lost = sea_py("bench", "diff", old, new)
    assert lost.returncode == 1
    assert lost.stdout.splitlines()[:2] == [
        "regression default  two: true correct 1.25 s -> -",
        f"slower     default  {CORRECT.task}: true correct 1.25 s -> true correct 9.00 s",
    ]
    assert sea_py("bench", "diff", "--common", old, new).returncode == 0
    assert sea_py("bench", "diff", new, old).returncode == 0


def test_two_configurations_are_compared_whatever_their_names(tmp_path: Path) -> None:
    old = write(tmp_path / "old.jsonl", CORRECT)
    new = write(tmp_path / "new.jsonl", replace(UNKNOWN, configuration="bits"))
    done = sea_py("bench", "diff", old, new)
    assert done.returncode == 1
    assert "regression bits  c/a.c" in done.stdout


def test_other_circumstances_are_told(tmp_path: Path) -> None:
    old = write(tmp_path / "old.jsonl", CORRECT)
    elsewhere = replace(CORRECT.machine, cpu="quick", host="there")
    longer = replace(CORRECT.limits, wall_s=900.0, cpu_s=800.0)
    new = write(tmp_path / "new.jsonl", replace(CORRECT, machine=elsewhere, limits=longer))
    done = sea_py("bench", "diff", old, new)
    assert done.returncode == 0
    assert done.stdout.splitlines()[-2:] == [
        "other limits: 60 s wall, 5000 MiB -> 900 s wall, 800 s CPU, 5000 MiB",
        "other machine: CPU, 2 cores -> quick, 2 cores",
    ]


@pytest.mark.parametrize("options", [[], ["--common"]])
def test_nothing_to_compare_is_an_error(tmp_path: Path, options: list[str]) -> None:
    old = write(tmp_path / "old.jsonl", UNKNOWN)
    new = write(tmp_path / "new.jsonl", replace(UNKNOWN, task="another"))
    done = sea_py("bench", "diff", *options, old, new)
    assert done.returncode == 2
    assert "no task is in both" in done.stderr


def test_a_task_twice_is_told(tmp_path: Path) -> None:
    """A wrong answer could hide behind the second row."""
    old = write(tmp_path / "old.jsonl", CORRECT)
    twice = write(tmp_path / "twice.jsonl", WRONG, CORRECT)
    for command in (("diff", old, twice), ("report", twice)):
        done = sea_py("bench", *command)
        assert done.returncode == 2
        assert f"twice.jsonl:2: {CORRECT.task} is there twice" in done.stderr


def test_wrong_usage(tmp_path: Path) -> None:
    old = write(tmp_path / "old.jsonl", CORRECT)
    none = sea_py("bench", "diff", old, tmp_path / "none.jsonl")
    assert (none.returncode, "cannot read: No such file" in none.stderr) == (2, True)
    empty = sea_py("bench", "diff", write(tmp_path / "empty.jsonl"), old)
    assert (empty.returncode, "no results" in empty.stderr) == (2, True)
    nan = sea_py("bench", "diff", old, old, "--factor", "nan")
    assert (nan.returncode, "nan is not a number" in nan.stderr) == (2, True)
