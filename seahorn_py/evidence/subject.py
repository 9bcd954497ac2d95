"""The program under verification with everything that can run it.

`source` is the unsliced program of the front end, `program` the one in encoding form.  Native runs
are preferred: no line of our reader lies between the C text and such a run.
"""

from __future__ import annotations

from dataclasses import dataclass

from seahorn_py.evidence import native
from seahorn_py.frontend.native import Executable
from seahorn_py.horn.system import Approximation, Ledger, LedgerEntry
from seahorn_py.ir import interpreter
from seahorn_py.ir.program import Program, SiteKind
from seahorn_py.ir.run import Ending, Feed, Outcome, RunLimits

FOLLOW_LIMITS = RunLimits(seconds=3.0, steps=20_000_000)
REPLAY_LIMITS = RunLimits(seconds=10.0, steps=20_000_000)


@dataclass(frozen=True)
class Subject:
    """A program in both forms, its executable (None: refused, for `refusal`) and observed runs."""

    source: Program
    program: Program
    executable: Executable | None
    refusal: str = ""
    runs: tuple[Outcome, ...] = ()

    def run(self, feed: Feed) -> tuple[Outcome, str]:
        """Run the unsliced program on `feed`; also says how it was run."""
        if self.executable is not None:
            outcome = native.run(self.executable, feed, REPLAY_LIMITS)
            if outcome.ending is not Ending.REFUSED:
                return outcome, "native run"
        return interpreter.run(self.source, feed, REPLAY_LIMITS), "interpreter"

    @property
    def unwatched(self) -> Ledger:
        """The ledger's entry for a proof that no execution could contradict."""
        if self.runs:
            return ()
        why = f": {self.refusal}" if self.refusal else ""
        text = f"the proof was compared with no execution{why}"
        return (LedgerEntry(Approximation.ASSUMED, text),)

    def follows(self, outcome: Outcome) -> bool:
        """The interpreter does not deny that the inputs of a FAILED run lead to an error.

        Natively an access outside of every object goes on with whatever lies there, and addresses
        are those of one layout; for the interpreter the run ends there, and its layout is another.
        It has no argument vector, so what reads that is left to the native run.
        """
        if any(site.kind is SiteKind.EXTERN and site.name == "argv" for site in self.source.sites):
            return True
        followed = interpreter.run(self.source, outcome.feed, FOLLOW_LIMITS)
        return followed.ending not in (Ending.ENDED, Ending.BLOCKED)
