"""The policy: every number has its reason, and a key that is wrong is named."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from seahorn_py.base import run_time
from seahorn_py.engines.catalogue import schedule, schedule_of_file, scheduled
from seahorn_py.engines.profile import Profile
from seahorn_py.policy.policy import FILE, policy, policy_in
from seahorn_py.policy.sections import Schedules
from seahorn_py.processes import supervision
from seahorn_py.processes.deadline import Deadline
from seahorn_py.processes.journal import Journal

ROOT = Path(__file__).parent.parent.parent
TEXT = FILE.read_text()
Change = Callable[[Any], None]
SCHEDULES = tuple(Schedules.__annotations__)


def entries() -> Iterator[tuple[str, str, dict[str, Any]]]:
    for section, keys in json.loads(TEXT).items():
        for key, entry in keys.items():
            yield section, key, entry


def wrong(change: Change) -> str:
    """What is said of the policy after a change."""
    data = json.loads(TEXT)
    change(data)
    with pytest.raises(ValueError) as caught:
        policy_in(json.dumps(data))
    return str(caught.value)


def to(section: str, key: str, value: Any) -> Change:
    def change(data: Any) -> None:
        data[section][key]["value"] = value

    return change


def of_run(value: Any) -> Change:
    def change(data: Any) -> None:
        data["termination"]["run_seconds"]["of_run"] = value

    return change


def test_each_number_has_a_reason() -> None:
    for section, key, entry in entries():
        assert len(entry["why"]) > 10 and len(entry["overturned_by"]) > 10, (section, key)


def test_each_number_is_used() -> None:
    files = (ROOT / "seahorn_py").rglob("*.py")
    code = "\n".join(file.read_text() for file in files if file.name != "policy.py")
    for section, key, _ in entries():
        used = rf'"{key}"' if section == "schedules" else rf"\.{key}\b"
        assert re.search(used, code), (section, key)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda data: data.pop("race"), "the policy: race is missing"),
        (lambda data: data.update(horse={}), "the policy: horse is unknown"),
        (lambda data: data["race"].pop("first_share"), "race: first_share is missing"),
        (lambda data: data["race"].update(x={}), "race: x is unknown"),
        (lambda data: data["race"]["first_share"].pop("why"), "race.first_share: why is missing"),
        (lambda data: data.update(race=[]), "race: not an object"),
        (to("race", "first_share", 1.5), "race.first_share: 1.5 is not "),
        (to("race", "first_share", 0), "race.first_share: 0 is not "),
        (to("race", "first_share", "all"), "race.first_share: 'all' is not "),
        (to("race", "first_share", True), "race.first_share: True is not "),
        (to("race", "head_start_seconds", -1), "race.head_start_seconds: -1 is not "),
        (to("termination", "run_seconds", -1), "termination.run_seconds: -1 is not "),
        (lambda data: data["bmc"]["pruning_seconds"].pop("of_run"), "pruning_seconds: of_run is m"),
        (of_run(2), "termination.run_seconds.of_run: 2 is not "),
        (to("bmc", "free_calls", 0.5), "bmc.free_calls: 0.5 is not "),
        (to("bmc", "free_calls", 0), "bmc.free_calls: 0 is not "),
        (to("schedules", "bv", []), "schedules.bv: [] is not a list of turns"),
    ],
)
def test_a_wrong_key_is_named(change: Change, said: str) -> None:
    assert said in wrong(change)


def test_limits_grow_with_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in the file for runs up to 30 s, and the share `of_run` of a longer one."""
    entry = json.loads(TEXT)["confirming"]["step_seconds"]
    for whole in (5.0, 30.0, 900.0):
        monkeypatch.setattr(run_time, "_seconds", whole)
        expected = max(entry["value"], entry["of_run"] * whole)
        assert policy().confirming.step_seconds == expected
        [turn] = [one for one in scheduled("bv", None) if one.name == "bmc"]
        assert turn.most == max(2, 0.0666 * whole)
    assert policy().confirming.step_seconds > entry["value"]


def test_in_a_usual_run_the_seconds_of_the_file_hold() -> None:
    usual = run_time.USUAL_SECONDS
    for section, key, entry in entries():
        turns = entry["value"] if section == "schedules" else [entry | {"seconds": entry["value"]}]
        for turn in turns:
            if "of_run" in turn:
                assert turn["of_run"] * usual <= turn["seconds"], (section, key)


def test_a_worker_knows_its_run() -> None:
    bounds = supervision.Bounds(Deadline.after(77), 4000)
    with supervision.begin(run_time.whole, bounds, Journal(), alone=True) as worker:
        ending = worker.wait()
    assert isinstance(ending, supervision.Returned)
    assert isinstance(ending.value, float) and 70 < ending.value <= 77


def test_nobody_changes_a_number() -> None:
    with pytest.raises(AttributeError, match="many_blocks"):
        policy().choosing.many_blocks = 3  # type: ignore[assignment]
    assert policy().choosing.many_blocks != 3


@pytest.mark.parametrize("name", SCHEDULES)
def test_each_schedule_has_engines(name: str) -> None:
    turns = scheduled(name, None)
    assert len(turns) == len(getattr(policy().schedules, name))
    assert len({turn.name for turn in turns}) == len(turns)


def test_each_look_has_a_schedule() -> None:
    """All schedules but those of single engines and of ranks are taken."""
    known = {repr(scheduled(name, None)): name for name in SCHEDULES}
    found = set()
    for bits, loops, linear, arrays, many, products in product((False, True), repeat=6):
        look = Profile(int(loops), False, linear, arrays, products, 100 if many else 3)
        found.add(known[repr(schedule(look, bits, None))])
    found.add(known[repr(schedule(replace(look, datatypes=True), False, None))])
    clocks = replace(look, linear=True, arrays=False, reals=True)
    found.add(known[repr(schedule(clocks, False, None))])
    of_tasks = ("ranks", "counted", "loosened")
    by_name = {f"{bits}_{name}" for bits in ("int", "bv") for name in of_tasks}
    files = {name for name in SCHEDULES if name.startswith("files")}
    assert found == set(SCHEDULES) - {"spacer", "cells", "states"} - files - by_name


@pytest.mark.parametrize("arrays", [False, True])
@pytest.mark.parametrize("linear", [False, True])
def test_files_have_turns_of_their_own_after_the_first(linear: bool, arrays: bool) -> None:
    """Linear ones are read backwards; z3 may rewrite the rules where there are no arrays.

    Others over arrays may be programs with threads.
    """
    look = Profile(1, False, linear, arrays, False, 3)
    own = [turn.name for turn in schedule_of_file(look, False)]
    more = ["spacer backwards"] * linear + ["spacer rewriting"] * (not arrays)
    more = more or ["states some", "tuples places"]
    usual = [turn.name for turn in schedule(look, False, None)]
    assert own == [usual[0], *more, *usual[1:]]


def test_the_version_is_told_without_it() -> None:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "seahorn_py.cli", "--version"],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    assert "seahorn_py.cli" in done.stderr
    assert "seahorn_py.policy" not in done.stderr


SEARCHING = ("engines", "evidence", "horn", "invariants", "logic", "validation", "verification")
STEERING = re.compile(r"^_?(?:[A-Z_]+_)?(?:MILLI)?(?:SECONDS|SHARE)(?:_[A-Z_]+)?\b.*? = ", re.M)
ELSEWHERE = {
    "engines/schedules.py": "the most that a file for --schedule may say",
    "evidence/replay/replay.py": "of a replay, for inputs near 0",
    "evidence/checker/solving.py": "of the checker of certificates, which stands alone",
}


def test_what_searches_has_no_seconds_and_shares_of_its_own() -> None:
    root = ROOT / "seahorn_py"
    files = [file for room in SEARCHING for file in (root / room).rglob("*.py")]
    found = {str(f.relative_to(root)) for f in files if STEERING.search(f.read_text())}
    assert found == set(ELSEWHERE)
