"""Points as in SV-COMP (rules, section "Evaluation by Scores and Run Time").

A correct proof counts 2, a correct alarm 1, a wrong proof -32, a wrong alarm -16, all else nothing.
A correct answer counts as if its witness were confirmed.  Horn systems count 1 for a correct answer
and -32 for a wrong one.  The score of categories together is normalised, so that each weighs the
same: with scores s_i of n_i tasks in k categories, (sum of s_i / n_i) * (sum of n_i) / k.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import fields

from seahorn_py.base.records import dataclass
from seahorn_py.bench.rows import Expected, Row, Status, Verdict

CORRECT_TRUE, CORRECT_FALSE = 2, 1
WRONG_TRUE, WRONG_FALSE = -32, -16
CORRECT_HORN, WRONG_HORN = 1, -32

DEFINITE = frozenset({Verdict.TRUE, Verdict.FALSE, Verdict.SAT, Verdict.UNSAT})
"""Verdicts that are answers."""

_HORN = frozenset({Expected.SAT, Expected.UNSAT})


def judge(
    verdict: Verdict,
    expected: Expected | None,
    subproperty: str = "",
    expected_subproperty: str = "",
) -> tuple[Status, int]:
    """What a verdict is worth.

    As in BenchExec, an alarm that names another part of the property than the task is no answer; so
    is one that names none where the task does.  A task without an expected verdict has no score.
    """
    if expected is Expected.UNSUPPORTED:
        wrong = verdict is Verdict.TRUE
        return (Status.WRONG, WRONG_TRUE) if wrong else (Status.CORRECT, 0)
    if verdict not in DEFINITE:
        return Status.UNKNOWN, 0
    if expected is None:
        return Status.UNSCORED, 0
    if verdict.value == expected.value:
        if verdict is Verdict.FALSE and expected_subproperty not in ("", subproperty):
            return Status.UNKNOWN, 0
        return Status.CORRECT, _points_if_correct(expected)
    return Status.WRONG, _points_if_wrong(verdict, expected)


def _points_if_correct(expected: Expected) -> int:
    if expected in _HORN:
        return CORRECT_HORN
    return CORRECT_TRUE if expected is Expected.TRUE else CORRECT_FALSE


def _points_if_wrong(verdict: Verdict, expected: Expected) -> int:
    if expected in _HORN:
        return WRONG_HORN
    return WRONG_FALSE if verdict is Verdict.FALSE else WRONG_TRUE


def most_points(expected: Expected | None) -> int:
    """What a correct answer to a task counts."""
    if expected is None or expected is Expected.UNSUPPORTED:
        return 0
    return _points_if_correct(expected)


@dataclass(frozen=True, slots=True)
class Tally:
    """Sums over rows; times are of correct answers, as they break ties in SV-COMP, and of all."""

    tasks: int
    correct_true: int
    """Correct proofs, and solvable Horn systems."""
    correct_false: int
    """All other correct answers."""
    wrong_true: int
    """Wrong answers that the property holds, and that a Horn system is solvable."""
    wrong_false: int
    unknown: int
    unscored: int
    score: int
    most: int
    """The score if all were correct."""
    cpu_s: float
    cpu_s_correct: float

    def __add__(self, other: Tally) -> Tally:
        return Tally(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(Tally)))

    @property
    def correct(self) -> int:
        """All correct answers."""
        return self.correct_true + self.correct_false

    @property
    def wrong(self) -> int:
        """All wrong answers."""
        return self.wrong_true + self.wrong_false


def tally(rows: Iterable[Row]) -> Tally:
    """The sums over these rows."""
    counts: dict[tuple[Status, bool], int] = defaultdict(int)
    tasks = score = most = 0
    cpu = cpu_correct = 0.0
    for row in rows:
        counts[row.status, row.verdict in (Verdict.TRUE, Verdict.SAT)] += 1
        tasks += 1
        score += row.score
        most += most_points(row.expected)
        cpu += row.cpu_s
        cpu_correct += row.cpu_s if row.status is Status.CORRECT else 0.0
    return Tally(
        tasks,
        counts[Status.CORRECT, True],
        counts[Status.CORRECT, False],
        counts[Status.WRONG, True],
        counts[Status.WRONG, False],
        counts[Status.UNKNOWN, True] + counts[Status.UNKNOWN, False],
        counts[Status.UNSCORED, True] + counts[Status.UNSCORED, False],
        score,
        most,
        cpu,
        cpu_correct,
    )


def by_category(rows: Iterable[Row]) -> dict[str, Tally]:
    """The sums for each category, in the order of the names."""
    found: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        found[row.category].append(row)
    return {name: tally(found[name]) for name in sorted(found)}


def normalised(categories: Iterable[Tally]) -> float:
    """The score of categories together, each with the same weight whatever its size."""
    filled = [c for c in categories if c.tasks]
    if not filled:
        return 0.0
    mean = sum(c.score / c.tasks for c in filled) / len(filled)
    return mean * sum(c.tasks for c in filled)
