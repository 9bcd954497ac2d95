"""How long to wait before work begins that may turn out to be needless.

Seconds of the clock say little where the machine is busy with other things: there what is at work
has done little in them.  So what is at work is given seconds of the processor, and a limit on the
clock.
"""

from __future__ import annotations

import os

from seahorn_py.base.records import dataclass
from seahorn_py.processes import limits
from seahorn_py.processes.deadline import Deadline

_LOOK_S = 0.05
"""Between two looks at how far others are, once the clock says that they may be so far."""


@dataclass(frozen=True)
class Patience:
    """Until the processes below this one have `worked` so many seconds all together.

    Not before the clock says `soonest`, and not after it says `latest`.
    """

    soonest: Deadline
    latest: Deadline
    worked: float

    @staticmethod
    def of(seconds: float, deadline: Deadline, times: float, share: float) -> Patience:
        """So many seconds of work from now, by a deadline at the latest.

        The clock says at most so many times as much, and no more than a share of what is left; it
        says `seconds` in any case.
        """
        most = max(seconds, min(seconds * times, deadline.remaining * share))
        return Patience(
            deadline.at_most(seconds),
            deadline.at_most(most),
            limits.worked_below(os.getpid()) + seconds,
        )

    @property
    def remaining(self) -> float:
        """Seconds to the next look; 0 when it is over."""
        if self.soonest.remaining:
            return self.soonest.remaining
        if not self.latest.remaining or limits.worked_below(os.getpid()) >= self.worked:
            return 0.0
        return min(self.latest.remaining, _LOOK_S)
