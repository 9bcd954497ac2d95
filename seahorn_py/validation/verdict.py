"""What validation says of a witness."""

from __future__ import annotations

from enum import Enum

from seahorn_py.base.records import dataclass


class Verdict(Enum):
    """CONFIRMED: the witness is right.  REJECTED: it is wrong.  UNKNOWN: neither was shown."""

    CONFIRMED = "confirmed"
    REJECTED = "rejected"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Validation:
    """A verdict, and in one line the reason for it."""

    verdict: Verdict
    reason: str

    def lines(self) -> tuple[str, str]:
        """What the command prints."""
        return " ".join(self.reason.split()), self.verdict.value


def unknown(reason: str) -> Validation:
    """The verdict UNKNOWN with a reason."""
    return Validation(Verdict.UNKNOWN, reason)
