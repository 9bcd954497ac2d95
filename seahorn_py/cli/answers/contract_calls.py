"""`pf` with contracts at calls: the program that is asked about, and what its answer rests on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from seahorn_py.options import VerifyOptions

if TYPE_CHECKING:
    from seahorn_py.result import VerificationResult


def with_contracts(
    chosen: dict[str, Any], options: VerifyOptions
) -> tuple[VerifyOptions, tuple[str, ...]]:
    """The options, changed if contracts at calls are asked for, and what answers rest on then."""
    if not chosen.get("enforced") and not chosen.get("replaced"):
        return options, ()
    from seahorn_py.validation.contracts.at_calls import with_contracts as put

    names = chosen["enforced"], chosen["replaced"]
    made = put(chosen["files"], options, *names, chosen["contracts"])
    return made.options, made.assumed


def resting(
    result: VerificationResult, assumed: tuple[str, ...], chosen: dict[str, Any]
) -> VerificationResult:
    """The result, with what it rests on in its ledger."""
    if not assumed:
        return result
    from seahorn_py.horn.ledger import Approximation, LedgerEntry
    from seahorn_py.verification.answers.resting import resting_on

    ledger = tuple(LedgerEntry(Approximation.ASSUMED, text) for text in assumed)
    return resting_on(result, ledger, chosen["strict"])
