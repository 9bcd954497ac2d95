"""How far a program is unfolded."""

from __future__ import annotations

from typing import Protocol

from seahorn_py.base.records import dataclass
from seahorn_py.ir.program import Operand
from seahorn_py.passes.unfolding.code.code import Code


@dataclass(frozen=True)
class Bounds:
    """Limits of one unfolding.

    The statements `written` and `executed`, the `rounds` of a loop in which it may go on and may
    end, and the `depth` of calls.  States at one place are joined into `apart` groups (`apart`).
    """

    written: int = 20_000
    executed: int = 1_000_000
    rounds: int = 130
    depth: int = 1_000
    apart: int = 1


class Oracle(Protocol):
    """Tells which branches no run takes."""

    def possible(self, code: Code, condition: Operand) -> bool:
        """False if no run at the end of the present block has the condition."""
