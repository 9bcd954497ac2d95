"""Programs without checks: when that is the answer *safe*, and when nothing was asked.

A check that was found unreachable, by the compiler or by us, holds.  A property of operations holds
if the program has none of these operations; the evidence says so.  But without any call of an error
function and any assertion, nothing was asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from seahorn_py.base.errors import Stage
from seahorn_py.frontend.compiling.mentions import mentions
from seahorn_py.frontend.llvmtext.lowered import Lowered
from seahorn_py.frontend.lowering.events import events
from seahorn_py.horn.ledger import Approximation, Ledger
from seahorn_py.options import FrontendOptions, Property
from seahorn_py.passes.regions.exposed import ONE_LAYOUT
from seahorn_py.properties import unchecked
from seahorn_py.result import Answer, VerificationResult

NO_ERROR = "no error function and no assertion in the program"


def without_checks(
    paths: Sequence[Path], lowered: Lowered, options: FrontendOptions, ledger: Ledger
) -> VerificationResult:
    """The answer for a program without checks; `paths` are its files."""
    if nothing_asked(paths, lowered, options):
        return VerificationResult(
            Answer.UNKNOWN, stage=Stage.FRONT_END, reason="nothing to check", ledger=ledger
        )
    missing = unchecked(options, lowered.checked)
    about = " or ".join(name for name in missing if name != Property.UNREACH_CALL.value)
    why = (f"the compiled program has no operation that {about} is about",) if about else ()
    left = () if about and not lowered.checked else ("no check is left in the program",)
    laid = tuple(entry for entry in ledger if ONE_LAYOUT not in entry.text)
    return trivially_safe((*why, *left), laid)  # without a check, none fails in any layout


def nothing_asked(paths: Sequence[Path], lowered: Lowered, options: FrontendOptions) -> bool:
    """Whether error calls are asked about, but the program has no such call."""
    return options.wants_error_calls and not _mentions_errors(paths, lowered, options)


def is_unasked(paths: Sequence[Path], lowered: Lowered, options: FrontendOptions) -> bool:
    """Whether neither the user nor the program asks about anything."""
    given = options.properties or options.error_functions or options.error_labels
    return not given and not _mentions_errors(paths, lowered, options)


def trivially_safe(why: tuple[str, ...], ledger: Ledger) -> VerificationResult:
    """Safe for these reasons; unknown if the ledger has an under-approximation."""
    under = next((e for e in ledger if e.kind is Approximation.UNDER), None)
    if under is None:
        return VerificationResult(Answer.SAFE, why, ledger=ledger)
    reason = f"not everything was checked: {under.text}"
    return VerificationResult(Answer.UNKNOWN, stage=Stage.FRONT_END, reason=reason, ledger=ledger)


def warnings(paths: Sequence[Path], lowered: Lowered, options: FrontendOptions) -> Iterator[str]:
    """Warnings: names of other verifiers that were recognised, and properties without checks."""
    if lowered.recognised:
        yield f"recognised: {', '.join(lowered.recognised)}"
    for name in unchecked(options, lowered.checked):
        if name != Property.UNREACH_CALL.value:
            yield f"nothing to check for {name}: no operation needs it"
            continue
        what = "nothing to check" if len(options.properties) < 2 else f"nothing to check for {name}"
        gone = "no call of an error function or assertion is left to reach"
        yield f"{what}: {gone if _mentions_errors(paths, lowered, options) else NO_ERROR}"


def _mentions_errors(paths: Sequence[Path], lowered: Lowered, options: FrontendOptions) -> bool:
    """Whether the program mentions an error call or assertion, also in code without runs."""
    names = events.error_names(options) | set(options.error_labels)
    return lowered.mentions_errors or mentions(paths, names, dict(options.edited))
