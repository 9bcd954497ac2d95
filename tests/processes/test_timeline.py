"""The time line is what Chrome reads, and costs nothing where nobody asks for it."""

from __future__ import annotations

import json
import os
import time
from collections import Counter
from pathlib import Path

import pytest

from seahorn_py.base.errors import SeaError
from seahorn_py.processes import timeline
from seahorn_py.processes.child import Fork, command
from seahorn_py.processes.deadline import Deadline
from seahorn_py.processes.internal_errors import working
from seahorn_py.processes.patience import Patience
from seahorn_py.processes.timeline import Kind


def noted(file: Path) -> list[dict[str, object]]:
    """The events of a file, whose list nobody has closed."""
    found: list[dict[str, object]] = json.loads(file.read_text().rstrip(",\n") + "]")
    return found


def test_processes_stages_and_questions_are_noted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timeline, "_file", None)
    file = tmp_path / "trace.json"
    timeline.begin(file)
    with working("solve", "int spacer"), Fork(os.getpid, Deadline.after(60)) as copy:
        pid = copy.result()
    command(["/bin/true"], Deadline.after(60))
    with timeline.span(Kind.SOLVER, "z3"):
        pass
    events = noted(file)
    begun = [(one["cat"], one["name"]) for one in events if one["ph"] == "B"]
    assert begun == [
        ("process", "sea-py"),
        ("stage", "int spacer"),
        ("process", "int spacer"),
        ("process", "true"),
        ("solver", "z3"),
    ]
    assert Counter(one["ph"] for one in events) == {"M": 3, "B": 5, "E": 4}
    (end,) = (one for one in events if one["ph"] == "E" and one["pid"] == pid)
    assert end["args"]["by"] == os.getpid()  # type: ignore[index]
    times = [float(str(one["ts"])) for one in events if "ts" in one]
    assert times == sorted(times)


def test_nothing_is_noted_unasked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timeline, "_file", None)
    assert timeline.span(Kind.STAGE, "a") is timeline.span(Kind.SOLVER, "b")


def test_a_place_where_nothing_can_be_written_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SeaError, match="cannot write"):
        timeline.begin(tmp_path / "none" / "trace.json")


def busy(seconds: float) -> None:
    until = time.process_time() + seconds
    while time.process_time() < until:
        pass


def test_patience_lasts_until_others_have_worked() -> None:
    deadline = Deadline.after(100)
    patience = Patience.of(0.1, deadline, 100, 1.0)
    assert not patience.soonest.remaining > 0.1
    with Fork(lambda: time.sleep(60), deadline):
        while patience.soonest.remaining:
            time.sleep(0.01)
        assert patience.remaining  # the clock alone does not end it
    with Fork(lambda: busy(0.2), deadline) as copy:
        copy.result()
    assert not patience.remaining


def test_patience_has_an_end_where_nobody_works() -> None:
    patience = Patience.of(0.01, Deadline.after(100), 2, 1.0)
    time.sleep(0.03)
    assert not patience.remaining
    assert Patience.of(1.0, Deadline.after(0.5), 8, 0.1).latest.remaining <= 0.5
