"""Schedules for experts: which engines work on an encoding, in which order, for how long.

A YAML file with a list of turns for `int`, for `bv`, or for both:

    int:
      - spacer plain
      - {engine: kinduction, share: 0.5}
    bv:
      - {engine: bmc, seconds: 2}
      - {engine: spacer, name: all of Spacer}

As many turns as there are jobs go on at a time.  `share` is that of the time left when the turn
comes, `seconds` the most it may take, or the share `of_run` of the time limit if that is more;
`name` is what the turn is called.  The schedules that are taken without such a file are written in
the same way, in the policy.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from pathlib import Path

from seahorn_py.base.errors import InputError
from seahorn_py.options import EngineName, Planned, Schedule
from seahorn_py.processes.textfile import UNREADABLE_VALUES

MOST_BYTES = 1 << 16
MOST_SECONDS = 1e9
_KEYS = {"engine", "share", "seconds", "of_run", "name"}


def read_schedule(file: Path) -> Schedule:
    """The schedule in a file; InputError when there is none."""
    import yaml  # loads slowly

    try:
        with file.open("rb") as stream:
            text = stream.read(MOST_BYTES + 1)
        data = yaml.safe_load(text)
    except OSError as error:
        raise InputError(f"{file}: cannot read: {error.strerror}") from None
    except yaml.YAMLError as error:
        line = getattr(getattr(error, "problem_mark", None), "line", 0) + 1
        raise InputError(f"{file}:{line}: not YAML") from None
    except UNREADABLE_VALUES as error:
        raise InputError(f"{file}: not YAML: {type(error).__name__}") from None
    if len(text) > MOST_BYTES:
        raise InputError(f"{file}: larger than {MOST_BYTES >> 10} KiB")
    if not isinstance(data, dict) or not data or not set(data) <= {"int", "bv"}:
        raise InputError(f"{file}: a schedule has the keys int or bv, each with a list of turns")
    plans = {name: plan_of(turns, f"{file}: {name}") for name, turns in data.items()}
    return Schedule(plans.get("int"), plans.get("bv"))


def plan_of(turns: object, where: str) -> tuple[Planned, ...]:
    """The turns in a list of a file or of the policy; InputError begins with the place."""
    if not isinstance(turns, list | tuple) or not turns:
        raise InputError(f"{where}: expected a list of turns")
    return tuple(_turn(turn, f"{where}, turn {number}") for number, turn in enumerate(turns, 1))


def _turn(turn: object, where: str) -> Planned:
    if isinstance(turn, str):
        turn = {"engine": turn}
    if not isinstance(turn, dict) or not set(turn) <= _KEYS:
        raise InputError(f"{where}: expected an engine, or {', '.join(sorted(_KEYS))}")
    name, _, configuration = str(turn.get("engine", "")).partition(" ")
    known = {engine.value: engine for engine in EngineName}
    if name not in known:
        raise InputError(f"{where}: unknown engine {name!r}; known: {', '.join(known)}")
    return Planned(
        known[name],
        configuration,
        _number(turn, "share", 1.0, where),
        _number(turn, "seconds", inf, where),
        str(turn.get("name", "")),
        _number(turn, "of_run", 0.0, where) if "of_run" in turn else 0.0,
    )


def _number(turn: Mapping[str, object], key: str, default: float, where: str) -> float:
    value = turn.get(key, default)
    # of `.nan` no comparison is true
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= inf:
        raise InputError(f"{where}: {key} must be a positive number")
    if key in ("share", "of_run") and value > 1:
        raise InputError(f"{where}: a share is 1 at most")
    return float(value) if value < MOST_SECONDS else inf
