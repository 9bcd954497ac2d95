"""The program under verification with everything that can run it.

`source` is the unsliced program of the front end, `program` the one in encoding form.  Native runs
are preferred: no line of our reader lies between the C text and such a run.  Only the interpreter
can tell whether memory is valid, so it decides where checks ask that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from math import inf

from seahorn_py.base.records import dataclass
from seahorn_py.evidence.runs import native
from seahorn_py.evidence.runs.execution import Execution, watches_memory
from seahorn_py.frontend.runtime.native import Executable
from seahorn_py.horn.ledger import Approximation, Ledger, LedgerEntry
from seahorn_py.ir.interpreter import Interpreter
from seahorn_py.ir.program import Program
from seahorn_py.ir.run import STEP_BITS, Ending, Feed, Outcome, RunLimits
from seahorn_py.options import MEMORY_SAFETY, Property, VerifyOptions
from seahorn_py.processes.deadline import Deadline

REPLAY_LIMITS = RunLimits(seconds=10.0, steps=20_000_000)
OBSERVED_LIMITS = RunLimits(seconds=3.0, steps=20_000_000)
_NEVER = Deadline(inf)
_OF_MEMORY = {property_.value for property_ in (*MEMORY_SAFETY, Property.VALID_MEMCLEANUP)}


def assumptions(program: Program) -> Ledger:
    """The ledger of a program before it is encoded."""
    gaps = tuple(LedgerEntry(Approximation.UNDER, text) for text in program.gaps)
    return (*gaps, *(LedgerEntry(Approximation.ASSUMED, text) for text in program.assumptions))


@dataclass(frozen=True)
class Replay:
    """A run on given inputs; `unable` says why it is no native one although that was wanted."""

    outcome: Outcome
    is_native: bool
    unable: str = ""

    @property
    def how(self) -> str:
        """How it was run."""
        return "native run" if self.is_native else "interpreter"

    @property
    def ledger(self) -> Ledger:
        """What an error rests on that this run reaches, if it is not a native run."""
        if not self.unable:
            return ()
        text = f"the error was reached in the interpreter alone, not natively: {self.unable}"
        return (LedgerEntry(Approximation.ASSUMED, text),)


@dataclass(frozen=True)
class Sourced:
    """The program with sources of the functions `names` in the place of our models of them.

    `sites` has the number that each site of the program has there.
    """

    executable: Executable
    names: tuple[str, ...]
    sites: Mapping[int, int]

    def run(self, outcome: Outcome) -> Outcome:
        """The run on the same inputs."""
        feed = {self.sites[s]: values for s, values in outcome.feed.items() if s in self.sites}
        return native.run(self.executable, feed, REPLAY_LIMITS)


@dataclass(frozen=True)
class Threaded:
    """The program with threads of its own in the place of their product, made to be repeated.

    `schedule` has the sites that choose which thread goes on, `checks` the number that each check
    of the product has there.
    """

    executable: Executable
    schedule: frozenset[int]
    checks: tuple[int, ...]

    def run(self, product: Outcome) -> Outcome:
        """The run whose threads make the steps of a native run of the product, on its inputs."""
        values = tuple(value for site, value in product.reads if site not in self.schedule)
        turns = tuple(step & ((1 << STEP_BITS) - 1) for step in product.steps)
        return native.run(self.executable, {0: values, 1: turns}, REPLAY_LIMITS)


def _nothing() -> None:
    """No function has both."""


@dataclass(frozen=True)
class Subject:
    """A program in both forms, and what its execution gave; whoever asks for that waits for it.

    A run that is shown is made smaller for at most `minimise` seconds, before the deadline.
    `with_sources` is the same program with another library, made when it is first asked for, and
    `with_threads` the same with threads of its own.
    """

    source: Program
    program: Program
    execution: Callable[[], Execution]
    minimise: float = VerifyOptions.minimise
    deadline: Deadline = _NEVER
    with_sources: Callable[[], Sourced | None] = _nothing
    with_threads: Callable[[], Threaded | None] = _nothing
    confined: bool = False
    """No access can be to a local that has died, as far as the text shows."""
    is_unfolded_elsewhere: bool = False
    """Another process unfolds the program."""

    @cached_property
    def interpreter(self) -> Interpreter:
        """For runs of the unsliced program."""
        return Interpreter(self.source)

    @cached_property
    def watches_memory(self) -> bool:
        """Checks ask whether memory is valid: the interpreter is the judge."""
        return watches_memory(self.source)

    @cached_property
    def is_told_by_runs(self) -> bool:
        """Some check can fail in a native run: not all of them ask about memory alone."""
        return any(check.property not in _OF_MEMORY for check in self.source.checks)

    @property
    def may_be_told_by_runs(self) -> bool:
        """Some check can fail in a native run, or a text comes in and runs can be watched."""
        return self.is_told_by_runs or bool(self.execution().texts)

    @property
    def runs(self) -> tuple[Outcome, ...]:
        """The observed runs."""
        return self.execution().runs

    def run(self, feed: Feed) -> Replay:
        """Run the unsliced program on `feed`, natively where that can tell."""
        if self.watches_memory:
            return Replay(self.interpreter.run(feed, REPLAY_LIMITS), False)
        execution = self.execution()
        unable = execution.refusal
        if execution.executable is not None:
            outcome = native.run(execution.executable, feed, REPLAY_LIMITS)
            if outcome.ending is not Ending.REFUSED:
                return Replay(outcome, True)
            unable = outcome.reason
        return Replay(self.interpreter.run(feed, REPLAY_LIMITS), False, unable or "it was refused")

    def is_undefined(self, run: Outcome) -> bool:
        """Whether what the run does is undefined at some point, by the unsliced program.

        So it counts too where a function without a body may have set what is invalid.
        """
        followed = self.interpreter.run(run.feed, REPLAY_LIMITS)
        return followed.ending is Ending.ENDED and bool(followed.reason)

    def observed(self, run: Outcome) -> Replay:
        """One of the observed runs as a replay; where the interpreter is the judge, once more."""
        execution = self.execution()
        if self.watches_memory:
            return Replay(self.interpreter.run(run.feed, OBSERVED_LIMITS), False)
        is_native = execution.executable is not None
        return Replay(run, is_native, "" if is_native else execution.refusal)

    def unwatched(self, interpreted: int = 0) -> Ledger:
        """The entry for a proof that no native run could contradict, only so many interpreted.

        There is one too where a native run ended in an unknown way.
        """
        execution = self.execution()
        why = execution.no_native_run
        if not why:
            return ()
        alone = "interpreted runs alone" if interpreted else "no execution"
        is_native = execution.executable is not None and execution.runs
        runs = "native runs that tell nothing" if is_native else alone
        text = f"the proof was compared with {runs}: {why}"
        return (LedgerEntry(Approximation.ASSUMED, text),)
