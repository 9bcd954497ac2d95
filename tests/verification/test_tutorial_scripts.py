"""The scripts of the tutorial run, and print what their texts say."""

from __future__ import annotations

import subprocess
import sys

import pytest
from command import ROOT

SAID = {
    "first_proof_in_python": ("<VerificationResult safe", "<VerificationResult unsafe", "unknown"),
    "own_engine": ("<Solution sat; the solution was re-proved by cvc5>", "is not valid under"),
    "comparing_abstractions": ("cegar, values too  sat", "lemmas             sat"),
    "reading_a_certificate": ("model.smt2", "(0, ", "define-fun"),
}


def test_each_script_is_here() -> None:
    assert {file.stem for file in (ROOT / "docs" / "tutorial").glob("*.py")} == SAID.keys()


@pytest.mark.parametrize("name", SAID)
def test_a_script(name: str) -> None:
    script = ROOT / "docs" / "tutorial" / f"{name}.py"
    done = subprocess.run(
        [sys.executable, script], cwd=ROOT, capture_output=True, text=True, timeout=100, check=False
    )
    assert done.returncode == 0, done.stderr
    assert [said for said in SAID[name] if said not in done.stdout] == [], done.stdout
