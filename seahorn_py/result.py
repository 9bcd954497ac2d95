"""What engines answer: `Safe(proof) | Unsafe(refutation) | Unknown(reason)`.

Never a bool, a string or None.  An engine's answer is a claim; `pipeline` turns it into a
`VerificationResult` only after the evidence was checked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from seahorn_py.errors import Stage
from seahorn_py.horn.system import Proof, Refutation

Statistics = Mapping[str, float | int | str]


@dataclass(frozen=True)
class Safe:
    """No query is reachable; `proof` says why."""

    proof: Proof
    statistics: Statistics = field(default_factory=dict)


@dataclass(frozen=True)
class Unsafe:
    """The query at the end of `refutation` is reachable."""

    refutation: Refutation
    statistics: Statistics = field(default_factory=dict)


@dataclass(frozen=True)
class Unknown:
    """No answer: the stage that failed and why."""

    stage: Stage
    reason: str
    statistics: Statistics = field(default_factory=dict)


Verdict = Safe | Unsafe | Unknown
