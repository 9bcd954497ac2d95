"""What a proof gives, and what of the ledger it leaves open."""

from __future__ import annotations

from typing import assert_never

from seahorn_py.base.errors import Stage, StageFailure
from seahorn_py.horn.ledger import Approximation, Ledger
from seahorn_py.horn.system import KInductive, Model, Proof, Unrolling
from seahorn_py.ir.program import ENDLESS


def left_open(ledger: Ledger, proof: Proof) -> Ledger:
    """The ledger without entries that the proof settles: if all loops are bounded, all runs end.

    Raises StageFailure if an under-approximation is left.
    """
    if isinstance(proof, Unrolling):
        ledger = tuple(entry for entry in ledger if entry.text != ENDLESS)
    for entry in ledger:
        if entry.kind is Approximation.UNDER:
            reason = f"the proof rests on an under-approximation: {entry.text}"
            raise StageFailure(Stage.ENCODE, reason)
    return ledger


def model_of(proof: Proof) -> Model | None:
    """The model that a proof has or gives; None if it gives none."""
    match proof:
        case Model():
            return proof
        case KInductive(model=model):
            return model
        case Unrolling():
            return None
        case _:
            assert_never(proof)
