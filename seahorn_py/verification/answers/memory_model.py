"""What is known of memory after an answer about threads.

Programs are looked at as if their memory were sequentially consistent.  A program without data
races has no other runs (C17, 5.1.2.4; H.-J. Boehm, S. V. Adve: "Foundations of the C++ concurrency
memory model", PLDI 2008), and such a run is one of every program.  So what is assumed for a proof
is a theorem where the program is proved free of races, and an error does not rest on it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from seahorn_py.base.errors import SeaError
from seahorn_py.horn.ledger import Approximation, Ledger, LedgerEntry
from seahorn_py.ir.program import LARGE, SEQUENTIAL, Program
from seahorn_py.options import Property, VerifyOptions
from seahorn_py.policy.policy import policy
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Answer, VerificationResult
from seahorn_py.verification.answers.aside import aside

_THEOREM = f"{SEQUENTIAL}: the program has no data race, so it has no other runs (C17, 5.1.2.4)"
_OF_ERRORS = frozenset(
    f"{name}, which has no body, returns and changes nothing in the program"
    for name in ("reach_error", "__VERIFIER_error")
)
"""What is assumed where nobody asks whether an error is reached: the proof was that none is."""

_BY_THEOREM = LedgerEntry(Approximation.PROVED, _THEOREM)

Ask = Callable[[VerifyOptions], VerificationResult]

_RACES = frozenset({Property.NO_DATA_RACE})


def discharged(
    source: Program, ask: Ask, options: VerifyOptions, deadline: Deadline
) -> tuple[Program, Ledger]:
    """The program without the gap that large accesses are, if it has no data race, and why.

    `ask` gives the answer for other options.
    """
    gaps = tuple(gap for gap in source.gaps if not gap.startswith(LARGE))
    if len(gaps) == len(source.gaps):
        return source, ()
    found = _races(ask, options, deadline)
    if found is None or found.answer is not Answer.SAFE:
        return source, ()
    left = tuple(text for text in source.assumptions if text != SEQUENTIAL)
    rests = (entry for entry in found.ledger if entry.text not in (*left, SEQUENTIAL))
    return replace(source, gaps=gaps, assumptions=left), (_BY_THEOREM, *rests)


def settled(
    result: VerificationResult,
    ask: Ask,
    options: VerifyOptions,
    deadline: Deadline,
) -> VerificationResult:
    """The answer with what is known of memory; `ask` gives the answer for other options."""
    if SEQUENTIAL not in result.assumed or result.answer is Answer.UNKNOWN:
        return result
    if result.answer is Answer.UNSAFE:
        is_run = not (result.properties or result.checks)
        return replace(result, ledger=_without(result.ledger)) if is_run else result
    if options.frontend.wants(Property.NO_DATA_RACE):
        return _proved(result, ())
    found = _races(ask, options, deadline)
    if found is None or found.answer is Answer.UNKNOWN:
        return result
    if found.answer is Answer.SAFE:
        return _proved(result, found.ledger)
    where = found.violation.place if found.violation else None
    warning = f"{where}: a data race, so C gives no run a meaning; the proof is about memory alone"
    return replace(
        result, warnings=(*result.warnings, f"{warning} that is sequentially consistent")
    )


def _races(ask: Ask, options: VerifyOptions, deadline: Deadline) -> VerificationResult | None:
    """The answer about data races, in a little of the time that is left; None if it is refused."""
    seconds = min(policy().properties.race_seconds, deadline.remaining / 2)
    frontend = replace(options.frontend, properties=_RACES)
    brief = replace(aside(options, seconds), frontend=frontend)
    try:
        return ask(brief)
    except SeaError:
        return None


def _proved(result: VerificationResult, more: Ledger) -> VerificationResult:
    """The proof with the theorem in the place of the assumption, and what that one rests on."""
    known = {entry.text for entry in result.ledger}
    added = tuple(entry for entry in more if entry.text not in known | _OF_ERRORS)
    return replace(result, ledger=(_BY_THEOREM, *_without(result.ledger), *_without(added)))


def _without(ledger: Ledger) -> Ledger:
    return tuple(entry for entry in ledger if entry.text != SEQUENTIAL)
