"""What each round of the loop did, as text for people or as JSON lines, while it goes on.

The file is opened for appending and each round is one write, so that loops that run side by side do
not mix their rounds.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

from seahorn_py.engines.refinement.precision import section
from seahorn_py.engines.refinement.rounds import Observer, Round, nobody
from seahorn_py.horn.system import HornSystem
from seahorn_py.logic.text.infix import print_infix

JSON_ENDINGS = (".json", ".jsonl")
MOST_STEPS = 60
"""The most steps of a counterexample that are shown."""


class Trace:
    """Writes rounds to a file: JSON lines where its name ends so, text otherwise."""

    def __init__(self, file: Path, system: HornSystem, engine: str) -> None:
        self._file = file
        self._json = file.suffix in JSON_ENDINGS
        self._about = {"engine": engine, "encoding": section(system)}

    def __call__(self, round_: Round) -> None:
        """Write a round; what cannot be written is not worth the proof."""
        row = {**self._about, **_row(round_)}
        text = json.dumps(row) + "\n" if self._json else "\n".join([*_lines(row), ""])
        try:
            handle = os.open(self._file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        except OSError:
            return
        try:
            os.write(handle, text.encode())
        finally:
            os.close(handle)


def observer(file: Path | None, system: HornSystem, engine: str) -> Observer:
    """A trace in a file, or nobody."""
    return nobody if file is None else Trace(file, system, engine)


def _row(round_: Round) -> dict[str, object]:
    steps = [
        {
            "rule": step.rule.name,
            "relation": step.node.relation,
            "place": str(step.rule.origin),
            "premises": list(step.premises),
            "state": sorted(print_infix(one, {}) for one in step.node.state),
        }
        for step in round_.counterexample.steps[-MOST_STEPS:]
    ]
    return {
        "round": round_.number,
        "length": len(round_.counterexample.steps),
        "counterexample": steps,
        "why": round_.why,
        "predicates": {
            name: [print_infix(one, {}) for one in found] for name, found in round_.found.items()
        },
        "states": round_.states,
        "kept": round_.kept,
    }


def _lines(row: dict[str, object]) -> Iterator[str]:
    yield (
        f"round {row['round']} ({row['engine']}, {row['encoding']}): "
        f"a counterexample of {row['length']} steps"
    )
    steps, found = row["counterexample"], row["predicates"]
    assert isinstance(steps, list)
    assert isinstance(found, dict)
    for step in steps:
        state = " && ".join(step["state"]) or "true"
        yield f"  {step['relation'] or 'error'} by {step['rule']} at {step['place']}: {state}"
    yield f"  spurious: {row['why']}"
    for name, predicates in found.items():
        yield f"  new at {name}: {', '.join(predicates)}"
    yield f"  states: {row['states']}, kept: {row['kept']}"
