"""What is shown of a run that reaches an error: its inputs, its trace, what it rests on."""

from __future__ import annotations

from collections.abc import Iterator

from seahorn_py.base.records import dataclass
from seahorn_py.evidence.minimise.minimise import minimised
from seahorn_py.evidence.replay.confirmation import Denied, settled, with_sources, with_threads
from seahorn_py.evidence.runs.subject import Replay, Subject
from seahorn_py.evidence.trace.trace import trace
from seahorn_py.horn.ledger import Approximation, Ledger, LedgerEntry
from seahorn_py.ir.graph import silent
from seahorn_py.ir.program import Havoc, Input, RegionHavoc, Site, SiteKind
from seahorn_py.ir.run import Ending, Outcome
from seahorn_py.ir.types import IntType
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import InputValue, Violation

WITHOUT_ERROR = {
    Ending.ENDED: "ends without an error",
    Ending.BLOCKED: "ends where an assumption does not hold",
    Ending.LIMIT: "is longer than a replay may be",
    Ending.REFUSED: "cannot be followed",
}
"""Why a run with such an end shows no error."""


@dataclass(frozen=True)
class Shown:
    """A violation, what was seen of its run in words, and what it rests on."""

    violation: Violation
    evidence: tuple[str, ...]
    ledger: Ledger


def show(subject: Subject, replay: Replay, deadline: Deadline | None = None) -> Shown | Denied:
    """What a run shows that should FAIL, once it is made as small as the time allows."""
    deadline = deadline or subject.deadline
    if replay.outcome.ending is not Ending.FAILED:
        return Denied(WITHOUT_ERROR[replay.outcome.ending])
    if not replay.is_native:
        outcome = minimised(subject, replay.outcome, deadline)
        ledger = (*replay.ledger, *_silent(subject))
        return Shown(_violation(subject, outcome), (), ledger)
    outcome, found = settled(subject, replay.outcome, deadline)
    if isinstance(found, Denied):
        return found
    compared = with_sources(subject, outcome)
    if isinstance(compared, Denied):
        return compared
    threaded = with_threads(subject, outcome)
    if isinstance(threaded, Denied):
        return threaded
    evidence = tuple(filter(None, (found.evidence, compared, threaded)))
    ledger = (*found.ledger, *_silent(subject))
    return Shown(_violation(subject, outcome), evidence, ledger)


def _silent(subject: Subject) -> Ledger:
    """What the functions do in the run of which the program says nothing: nothing."""
    text = "which has no body, changes nothing in the run that is shown"
    names = silent(subject.source)
    return tuple(LedgerEntry(Approximation.ASSUMED, f"{name}, {text}") for name in names)


def _violation(subject: Subject, outcome: Outcome) -> Violation:
    check = next(c for c in subject.source.checks if c.number == outcome.check)
    shown = {site.number: site for site in _sites_that_matter(subject)}
    inputs = tuple(input_value(shown[n], v) for n, v in outcome.reads if n in shown)
    steps = trace(subject.source, outcome)
    return Violation(check.property, check.text, check.origin.span, inputs, steps, outcome)


def _sites_that_matter(subject: Subject) -> Iterator[Site]:
    """Calls of input functions, and other sites where the sliced program still reads a value."""
    for site in subject.source.sites:
        if site.kind is SiteKind.NONDET:
            yield site
    for function in subject.program.functions.values():
        for block in function.blocks:
            for statement in block.statements:
                if isinstance(statement, Input | Havoc | RegionHavoc):
                    yield statement.site


def input_value(site: Site, value: int) -> InputValue:
    """A value read at a site, as C has it."""
    signed = "unsigned" not in site.c_type and "_Bool" not in site.c_type
    if isinstance(site.type, IntType) and signed and value >> (site.type.width - 1):
        value -= 1 << site.type.width
    return InputValue(site.name, value, site.c_type, site.origin.span, site.kind.value)


def outside(violation: Violation) -> tuple[str, ...]:
    """What gives the violating run values that no code of the program gave, by name.

    The arguments of `main` have no place.
    """
    given = (i for i in violation.inputs if i.kind == SiteKind.EXTERN.value and i.place is not None)
    return tuple(dict.fromkeys(i.name for i in given if i.name))
