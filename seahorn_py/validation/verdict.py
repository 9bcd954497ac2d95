"""What validation says of a witness."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Verdict(Enum):
    """CONFIRMED: what the witness says is so.  REJECTED: it is not.  UNKNOWN: neither was shown."""

    CONFIRMED = "confirmed"
    REJECTED = "rejected"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Validation:
    """A verdict, and in one line what it rests on."""

    verdict: Verdict
    reason: str

    def lines(self) -> tuple[str, str]:
        """What the command prints."""
        return " ".join(self.reason.split()), self.verdict.value


def unknown(reason: str) -> Validation:
    """Neither confirmed nor rejected."""
    return Validation(Verdict.UNKNOWN, reason)
