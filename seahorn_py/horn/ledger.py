"""What an answer rests on: approximations and assumptions, recorded where they were made."""

from __future__ import annotations

from enum import Enum

from seahorn_py.base.errors import NOWHERE, Origin
from seahorn_py.base.notebook import Shown
from seahorn_py.base.records import dataclass


class Approximation(Enum):
    """OVER: safe stands, unsafe needs replay.  UNDER: unsafe stands, safe does not.

    ASSUMED: a named assumption both answers rest on.  PROVED: what would be one, but was shown.
    """

    OVER = "over"
    UNDER = "under"
    ASSUMED = "assumed"
    PROVED = "proved"


@dataclass(frozen=True, slots=True)
class LedgerEntry(Shown):
    """One approximation or assumption, recorded where it was made."""

    kind: Approximation
    text: str
    origin: Origin = NOWHERE

    def __repr__(self) -> str:
        place = f"{self.origin}: " if self.origin.chain else ""
        return f"<{self.kind.value}: {place}{self.text}>"


Ledger = tuple[LedgerEntry, ...]
