"""The witnesses of `shared/witness-samples`, which other validators were asked about as well."""

from __future__ import annotations

from pathlib import Path

import pytest
from command import ROOT, sea_py

SAMPLES = ROOT.parent / "shared" / "witness-samples"
REJECTED = frozenset({"unsafe_wrongvalue.graphml", "unsafe_wrongvalue.yml"})
WITNESSES = sorted(SAMPLES.glob("*.yml")) + sorted(SAMPLES.glob("*.graphml"))

pytestmark = pytest.mark.skipif(not SAMPLES.is_dir(), reason=f"{SAMPLES} is not there")


def program(witness: Path) -> Path:
    """`unsafe_result.graphml` is about `unsafe.c`, unless there is a program by its own name."""
    own = witness.with_suffix(".c")
    return own if own.exists() else SAMPLES / f"{witness.stem.partition('_')[0]}.c"


@pytest.mark.parametrize("witness", WITNESSES, ids=lambda path: path.name)
def test_a_sample(witness: Path) -> None:
    done = sea_py("validate", witness, program(witness))
    expected = "rejected" if witness.name in REJECTED else "confirmed"
    assert done.stdout.splitlines()[-1] == expected, done.stdout + done.stderr


def test_there_are_samples() -> None:
    assert len(WITNESSES) >= 13
