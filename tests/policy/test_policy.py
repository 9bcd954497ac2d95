"""The policy: every number has its reason, and a key that is wrong is named."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from seahorn_py.engines.catalogue import schedule, scheduled
from seahorn_py.engines.profile import Profile
from seahorn_py.policy.policy import FILE, Schedules, policy, policy_in

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
        (to("bmc", "free_calls", 0.5), "bmc.free_calls: 0.5 is not "),
        (to("bmc", "free_calls", 0), "bmc.free_calls: 0 is not "),
        (to("schedules", "bv", []), "schedules.bv: [] is not a list of turns"),
    ],
)
def test_a_wrong_key_is_named(change: Change, said: str) -> None:
    assert said in wrong(change)


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
    assert found == set(SCHEDULES) - {"spacer", "cells", "int_ranks", "bv_ranks"}


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
    "evidence/checker/solving.py": "of the checker of certificates, which stands alone",
}


def test_what_searches_has_no_seconds_and_shares_of_its_own() -> None:
    root = ROOT / "seahorn_py"
    files = [file for room in SEARCHING for file in (root / room).rglob("*.py")]
    found = {str(f.relative_to(root)) for f in files if STEERING.search(f.read_text())}
    assert found == set(ELSEWHERE)
