"""The program under verification with everything that can run it.

`source` is the unsliced program of the front end, `program` the one in encoding form.  Native runs
are preferred: no line of our reader lies between the C text and such a run.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import inf

from seahorn_py.child import Deadline
from seahorn_py.evidence import native
from seahorn_py.evidence.addressing import by_name_only
from seahorn_py.evidence.execution import Execution, watches_memory
from seahorn_py.horn.system import Approximation, Ledger, LedgerEntry
from seahorn_py.ir.interpreter import Interpreter
from seahorn_py.ir.program import Program
from seahorn_py.ir.run import Ending, Feed, Outcome, RunLimits
from seahorn_py.options import VerifyOptions

FOLLOW_LIMITS = RunLimits(seconds=3.0, steps=20_000_000)
SHORT_FOLLOW_LIMITS = RunLimits(seconds=3.0, steps=50_000)
"""For programs whose runs do not depend on what memory is like."""

REPLAY_LIMITS = RunLimits(seconds=10.0, steps=20_000_000)
_NEVER = Deadline(inf)


@dataclass(frozen=True)
class Subject:
    """A program in both forms, and what its execution gave; whoever asks for that waits for it.

    A run that is shown is made smaller for at most `minimise` seconds, before the deadline.
    """

    source: Program
    program: Program
    execution: Callable[[], Execution]
    minimise: float = VerifyOptions.minimise
    deadline: Deadline = _NEVER

    @cached_property
    def interpreter(self) -> Interpreter:
        """For runs of the unsliced program."""
        return Interpreter(self.source)

    @property
    def runs(self) -> tuple[Outcome, ...]:
        """The observed native runs."""
        return self.execution().runs

    def run(self, feed: Feed) -> tuple[Outcome, str]:
        """Run the unsliced program on `feed`; also says how it was run."""
        executable = self.execution().executable
        if executable is not None and not watches_memory(self.source):
            outcome = native.run(executable, feed, REPLAY_LIMITS)
            if outcome.ending is not Ending.REFUSED:
                return outcome, "native run"
        return self.interpreter.run(feed, REPLAY_LIMITS), "interpreter"

    @property
    def unwatched(self) -> Ledger:
        """The ledger's entry for a proof that no execution could contradict."""
        execution = self.execution()
        if execution.runs:
            return ()
        why = f": {execution.refusal}" if execution.refusal else ""
        text = f"the proof was compared with no execution{why}"
        return (LedgerEntry(Approximation.ASSUMED, text),)

    def follows(self, outcome: Outcome) -> bool:
        """The interpreter does not deny that the inputs of a FAILED run lead to an error.

        Natively an access outside of every object goes on with whatever lies there, and addresses
        are those of one layout; for the interpreter the run ends there, and its layout is another.
        """
        limits = SHORT_FOLLOW_LIMITS if by_name_only(self.source) else FOLLOW_LIMITS
        followed = self.interpreter.run(outcome.feed, limits)
        return followed.ending not in (Ending.ENDED, Ending.BLOCKED)
