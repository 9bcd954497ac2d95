"""Faulty programs: the interpreter finds the error that sanitizers report, at the same line.

`scripts/sanitizers` runs the same comparison on more programs.
"""

from __future__ import annotations

import pytest
from faulty import FaultFile, faults
from sanitized import Finding, Findings, disagreements, interpreted, planted, sanitized, sanitizer

COUNT = 40


@pytest.fixture(scope="module", params=[True, False], ids=["faulty", "right"])
def file(request: pytest.FixtureRequest) -> FaultFile:
    return faults(1, COUNT, request.param)


@pytest.mark.parametrize("bits", [32, 64])
def test_the_interpreter_finds_what_was_planted(file: FaultFile, bits: int) -> None:
    there = planted(file)
    assert disagreements(file, interpreted(file, bits), lambda f: there[f.number]) == []


@pytest.mark.full
def test_the_sanitizers_report_the_same(file: FaultFile) -> None:
    compiler = sanitizer(64)
    if compiler is None:
        pytest.skip("no compiler with AddressSanitizer here (SEA_SANITIZERS names another)")
    reported = sanitized(file, compiler, 64)
    assert disagreements(file, interpreted(file, 64), lambda f: reported[f.number]) == []


def test_every_kind_is_among_the_faults() -> None:
    kinds = {f.kind for f in faults(1, 300, True).faults}
    assert len(kinds) == 14


def test_a_disagreement_is_noticed() -> None:
    file = faults(1, 3, True)
    nothing: Findings = dict.fromkeys(range(3))
    assert len(disagreements(file, nothing, lambda f: planted(file)[f.number])) == 3
    wrong: Findings = {n: Finding("no-overflow", 1) for n in range(3)}
    assert len(disagreements(file, wrong, lambda f: planted(file)[f.number])) == 3
