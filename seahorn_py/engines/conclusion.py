"""What the work of an engine ends with, and how its verdict goes to another process.

Terms belong to one process: proofs, refutations and systems cross as text (`horn.text.wire`).
"""

from __future__ import annotations

from dataclasses import replace

from seahorn_py.base.errors import Stage
from seahorn_py.base.records import dataclass
from seahorn_py.horn.system import HornSystem, Model, Proof, Refutation
from seahorn_py.horn.text.wire import (
    proof_from_text,
    proof_to_text,
    refutation_from_text,
    refutation_to_text,
    system_from_text,
    system_to_text,
)
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.result import Safe, Statistics, Unknown, Unsafe, Verdict


@dataclass(frozen=True)
class Proved:
    """No query is reachable, as `finder` says."""

    proof: Proof
    finder: Solver


@dataclass(frozen=True)
class Reached:
    """A query is reached, as `refutation` shows: of `system` where that is given, a derived one."""

    refutation: Refutation
    system: HornSystem | None = None


@dataclass(frozen=True)
class Limit:
    """A bound, the time or what the engine understands did not suffice."""

    reason: str


Conclusion = Proved | Reached | Limit


def verdict(conclusion: Conclusion, statistics: Statistics | None = None) -> Verdict:
    """The conclusion as a verdict."""
    counted = statistics or {}
    match conclusion:
        case Proved(proof, finder):
            return Safe(proof, finder, counted)
        case Reached(refutation, system):
            return Unsafe(refutation, counted, system)
        case Limit(reason):
            return Unknown(Stage.SOLVE, reason, counted)


# ------------------------------------------------------------------------------ between processes


@dataclass(frozen=True)
class Packed:
    """A verdict without terms; its evidence and the system derived for it as text, or ""."""

    bare: Verdict
    evidence: str = ""
    system: str = ""


def packed(verdict: Verdict) -> Packed:
    """The verdict as plain data."""
    match verdict:
        case Safe(proof=proof):
            return Packed(replace(verdict, proof=Model({})), proof_to_text(proof))
        case Unsafe(refutation=refutation, system=derived):
            bare = replace(verdict, refutation=Refutation(()), system=None)
            text = "" if derived is None else system_to_text(derived)
            return Packed(bare, refutation_to_text(refutation), text)
        case Unknown():
            return Packed(verdict)


def unpacked(text: Packed) -> Verdict:
    """The verdict over terms of this process."""
    match text.bare:
        case Safe() as safe:
            return replace(safe, proof=proof_from_text(text.evidence))
        case Unsafe() as unsafe:
            derived = system_from_text(text.system) if text.system else None
            return replace(unsafe, refutation=refutation_from_text(text.evidence), system=derived)
        case Unknown() as unknown:
            return unknown
