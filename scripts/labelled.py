"""What the scripts share that ask about programs with known verdicts, one after the other."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

Result = dict[str, str | float | bool]

SAID = {"unsat": True, "sat": False}
SEA_PY = str(Path(__file__).resolve().parent / "sea-py")


def asked(arguments: Sequence[str], expected: bool, otherwise: str = "wrong") -> Result:
    """What `sea-py` says; `judged` is right, unknown, or the word for an answer that is neither.

    `told` is the line of an unknown answer; `seconds` of the clock, `cpu` of all processes.
    """
    before, started = sum(os.times()[2:4]), time.monotonic()
    done = subprocess.run([SEA_PY, *arguments], capture_output=True, text=True)
    words = done.stdout.split()
    said = SAID.get(words[-1] if words else "")
    judged = "unknown" if said is None else "right" if said == expected else otherwise
    told = next((line for line in done.stdout.splitlines() if "unknown" in line), "")
    result: Result = {"expected": expected, "judged": judged, "told": (told or done.stderr)[:200]}
    result |= {"seconds": round(time.monotonic() - started, 1)}
    return result | {"cpu": round(sum(os.times()[2:4]) - before, 1)}


def tallied(results: Iterable[Result], kinds: Sequence[str], out: Path | None) -> Counter[str]:
    """Count values of `kinds` that come together; each is printed and added to a file."""
    tally: Counter[str] = Counter()
    for result in results:
        tally[" ".join(str(result[kind]) for kind in kinds)] += 1
        print(*(f"{value}" for value in result.values()), sep="  ", flush=True)
        if out:
            with out.open("a") as file:
                print(json.dumps(result), file=file)
    print(dict(sorted(tally.items())))
    return tally
