"""What the interpreter says of a native run that reaches an error.

Natively an access outside of every object goes on with whatever lies there, and addresses are those
of one layout; for the interpreter a run ends there, and its layout is another.  So its run on the
same inputs must fail the same check.  One that ends otherwise denies the error.  Where the
interpreter's run has no end within the limits, or cannot be followed, the error rests on the native
run alone, which is an assumption of the answer.
"""

from __future__ import annotations

from seahorn_py.base.records import dataclass
from seahorn_py.evidence.minimise.minimise import minimised
from seahorn_py.evidence.runs.addressing import by_name_only
from seahorn_py.evidence.runs.subject import Subject
from seahorn_py.horn.ledger import Approximation, Ledger, LedgerEntry
from seahorn_py.ir.run import Ending, Outcome, RunLimits
from seahorn_py.processes.deadline import Deadline

SHORT = RunLimits(seconds=1.0, steps=50_000)
"""For every run at first, before a shorter one is looked for."""

LONG = RunLimits(seconds=3.0, steps=20_000_000)
LONG_BY_NAME = RunLimits(seconds=0.5, steps=20_000_000)
"""For the run that is shown; the second where runs do not depend on what memory is like."""


THREADS = "how the steps of threads are put together"


@dataclass(frozen=True)
class Confirmed:
    """The interpreter's run fails the same check."""

    evidence = "the interpreter followed the run to the error"

    @property
    def ledger(self) -> Ledger:
        """It rests on nothing."""
        return ()


@dataclass(frozen=True)
class Denied:
    """Another run on the same inputs ends without that error; the error depends on `cause`."""

    reason: str
    cause: str = "an invalid access or on addresses"


@dataclass(frozen=True)
class Undecided:
    """The interpreter does not come to an end, or refuses; `is_final` if longer would not help."""

    reason: str
    is_final: bool

    @property
    def evidence(self) -> str:
        """What the error rests on."""
        return f"the error rests on the native run alone: {self.reason}"

    @property
    def ledger(self) -> Ledger:
        """That is an assumption."""
        return (LedgerEntry(Approximation.ASSUMED, self.evidence),)


Confirmation = Confirmed | Denied | Undecided


def settled(subject: Subject, given: Outcome, deadline: Deadline) -> tuple[Outcome, Confirmation]:
    """The run to show for a FAILED native one, made small, and what the interpreter says of it."""
    first = followed(subject, given, SHORT)
    if isinstance(first, Denied):
        return given, first
    shown = minimised(subject, given, deadline)
    if shown is not given:
        return shown, Confirmed()  # the interpreter found it
    if isinstance(first, Undecided) and not first.is_final:
        limits = LONG_BY_NAME if by_name_only(subject.source) else LONG
        return given, followed(subject, given, limits)
    return given, first


def with_sources(subject: Subject, given: Outcome) -> Denied | str:
    """What the run says that has sources of the library in the place of models of ours.

    That it reaches the error too, in words; "" where no such run is made or has an end.
    """
    sourced = subject.with_sources()
    if sourced is None:
        return ""
    names = ", ".join(sourced.names)
    run = sourced.run(given)
    if run.ending is Ending.FAILED and run.check == given.check:
        return f"a run with sources of {names} in the place of their models reached it too"
    if run.ending in (Ending.LIMIT, Ending.REFUSED):
        return ""
    reason = f"with sources of {names} in the place of their models the run is {run.ending.value}"
    return Denied(reason, "what a model of the library says")


def with_threads(subject: Subject, given: Outcome) -> Denied | str:
    """What the run says in which threads make the steps that the product made, in the same order.

    That it reaches the error too, in words; "" where there is one thread, or no such run is made.
    """
    threaded = subject.with_threads()
    if threaded is None or given.check is None:
        return ""
    product = subject.run(given.feed).outcome
    if product.check != given.check:
        return Denied(f"the run of the product is {product.ending.value}", "its repetition")
    run = threaded.run(product)
    if run.ending is Ending.FAILED and run.check == threaded.checks[given.check]:
        return f"threads that made the same {len(product.steps)} steps reached it too (native run)"
    return Denied(f"the run of threads is {run.ending.value}: {run.reason}".rstrip(": "), THREADS)


def followed(subject: Subject, given: Outcome, limits: RunLimits) -> Confirmation:
    """What the interpreter says of a run, within limits."""
    run = subject.interpreter.run(given.feed, limits)
    match run.ending:
        case Ending.FAILED if run.check == given.check:
            return Confirmed()
        case Ending.FAILED:
            return Denied("the interpreter's run violates another check")
        case Ending.LIMIT:
            return Undecided(f"it is too long for the interpreter ({run.reason})", False)
        case Ending.REFUSED:
            return Undecided(f"the interpreter cannot follow it ({run.reason})", True)
        case Ending.ENDED | Ending.BLOCKED:
            return Denied(f"the interpreter's run is {run.ending.value}: {run.reason}".rstrip(": "))
