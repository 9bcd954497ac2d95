"""Random programs run alike natively, in the interpreter before and after the passes, and encoded.

`scripts/differential` runs the same comparison on more programs.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from against_encodings import encoding_differences
from differential import compile_text, differences, observe, observed
from generator import program

from seahorn_py.encode.bits.bvmachine import BvMachine
from seahorn_py.evidence.runs import native
from seahorn_py.frontend.runtime.native import Executable, build
from seahorn_py.ir.run import RunLimits
from seahorn_py.logic.terms import terms
from seahorn_py.options import Inlining
from seahorn_py.processes.deadline import Deadline

FUNCTIONS, USUAL_FUNCTIONS = 100, 20
DRAWS = 3
ENCODED_DRAWS = 1
USUAL = [(32, 1), (32, 2), (64, 0), (64, 1)]
"""Widths and seeds.  Both decide whether obligations or cases are compared: these have all four."""

FILES = [(bits, seed, USUAL_FUNCTIONS) for bits, seed in USUAL]
FILES += [
    pytest.param(bits, seed, FUNCTIONS, marks=pytest.mark.full)
    for bits in (32, 64)
    for seed in range(5)
]


@pytest.fixture(autouse=True)
def needs_native_runs(request: pytest.FixtureRequest, cannot_run: dict[int, str]) -> None:
    bits = getattr(request.node, "callspec", None) and request.node.callspec.params["bits"]
    if bits and cannot_run[bits]:
        pytest.skip(cannot_run[bits])


@pytest.fixture(scope="module")
def cannot_run() -> dict[int, str]:
    """Why this kernel cannot run programs of a width; empty where it can."""
    with tempfile.TemporaryDirectory() as folder:
        reasons = {}
        for bits in (32, 64):
            text = "define void @sea.main() {\n  ret void\n}\n"
            built = build(text, bits, Path(folder), Deadline.after(60))
            assert isinstance(built, Executable)
            reasons[bits] = native.run(built, {}, RunLimits()).reason
    return reasons


@pytest.mark.long
@pytest.mark.parametrize(("bits", "seed", "functions"), FILES)
def test_runs_and_encodings_of_generated_functions_agree(
    bits: int, seed: int, functions: int
) -> None:
    seen = observed(program(seed, functions, bits), bits, DRAWS, seed, Inlining.NONE)
    assert seen.count == functions * DRAWS
    assert differences(seen) == []
    encodings = ["bv", "cases" if (seed + bits // 32) % 2 else "obligations"]
    mismatches, tally = encoding_differences(seen, ENCODED_DRAWS, encodings)
    assert mismatches == []
    assert tally.steps > len(encodings) * 4 * functions
    assert tally.loose < tally.questions // 20, "too many approximations"
    assert tally.wrapped < tally.questions // 8, "too many obligations violated"
    assert tally.undecided < tally.questions // 50


@pytest.mark.parametrize("bits", [32, 64])
def test_inlined_programs_run_alike(bits: int) -> None:
    seen = observed(program(50, FUNCTIONS // 4, bits), bits, DRAWS, 50, Inlining.AUTO)
    assert differences(seen) == []


@pytest.mark.parametrize("bits", [32, 64])
def test_the_native_run_confirms_the_result_it_showed(bits: int) -> None:
    file = program(100, 5, bits)
    with tempfile.TemporaryDirectory() as folder:
        compiled = compile_text(file.text(), bits, Path(folder))
        for number, _ in file.functions:
            for seen in observe(compiled, number, 3, seed=7):
                outcome = native.run(compiled.executable, seen.expected.feed, RunLimits())
                assert outcome.ending is seen.expected.ending
                assert outcome.reads == seen.expected.reads


def test_a_wrong_encoding_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Arithmetic with its operands exchanged."""
    seen = observed(program(1, 20, 64), 64, 1, 1, Inlining.NONE)
    right = BvMachine.arithmetic
    monkeypatch.setattr(
        BvMachine,
        "arithmetic",
        lambda self, place, statement, shape, a, b: right(self, place, statement, shape, b, a),
    )
    mismatches, _ = encoding_differences(seen, 1, ["bv"])
    assert mismatches


@pytest.mark.full
def test_a_store_that_is_lost_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = observed(program(2, 20, 64), 64, 1, 1, Inlining.NONE)
    monkeypatch.setattr(terms, "store", lambda array, index, value: array)
    mismatches, _ = encoding_differences(seen, 1, ["bv"])
    assert mismatches


def test_generated_programs_are_repeatable_and_different() -> None:
    assert program(3, 4, 32).text() == program(3, 4, 32).text()
    assert program(3, 4, 32).text() != program(4, 4, 32).text()
    assert program(3, 4, 32).only(2).text().count("static unsigned long long f") == 1
