"""An engine of others: whatever it does, what comes of it is a verdict.

What it raises and what is no verdict are reasons of an unknown, with its name.  A verdict is
evidence to be checked, as that of any engine; here only its form is looked at.  What engines share
is kept from it: others go on from there.
"""

from __future__ import annotations

import pickle
from dataclasses import replace

from seahorn_py.base.errors import SeaError, Stage, StageFailure, visible
from seahorn_py.base.records import dataclass
from seahorn_py.engines.conclusion import packed, unpacked
from seahorn_py.engines.engine import Budget, Engine
from seahorn_py.horn.checking.refutations import misshapen
from seahorn_py.horn.system import HornSystem
from seahorn_py.processes.child import ChildError
from seahorn_py.result import Safe, Unknown, Unsafe, Verdict

MOST_LETTERS = 2000
"""Of what is said."""


@dataclass(frozen=True, slots=True)
class Guarded:
    """The engine `inner` under the name that reasons give it."""

    name: str
    inner: Engine

    def solve(self, system: HornSystem, budget: Budget) -> Verdict:
        """The verdict of the engine, or unknown."""
        try:
            verdict = self.inner.solve(system, replace(budget, pool=None))
            wrong = _wrong(system, verdict)
        except (MemoryError, ChildError):
            raise
        except (SeaError, StageFailure) as failure:
            wrong = str(failure)
        except Exception as error:
            wrong = f"{type(error).__name__}: {error}".removesuffix(": ")
        if wrong:
            return Unknown(Stage.SOLVE, _line(f"{self.name}: {wrong}"))
        if isinstance(verdict, Unknown):
            return replace(verdict, reason=_line(verdict.reason))
        return verdict


def _wrong(system: HornSystem, verdict: object) -> str:
    """What is wrong with the form of a verdict; "" if nothing is."""
    if not isinstance(verdict, Safe | Unsafe | Unknown):
        return f"its verdict is no verdict, but of the type {type(verdict).__name__}"
    if isinstance(verdict, Unknown) and not isinstance(verdict.reason, str):
        return "its reason is no text"
    unpacked(pickle.loads(pickle.dumps(packed(verdict))))  # as it leaves the process
    if isinstance(verdict, Unsafe):
        return misshapen(verdict.system or system, verdict.refutation)
    return ""


def _line(text: str) -> str:
    """What is said, as a line that can be printed."""
    return visible(" ".join(text.split()))[:MOST_LETTERS]
