"""Random programs run alike natively, in the interpreter before and after the passes, and encoded.

`scripts/differential` runs the same comparison on more programs.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from against_encodings import encoding_differences
from differential import compile_text, differences, observe
from generator import program

from seahorn_py.child import Deadline
from seahorn_py.evidence import native
from seahorn_py.frontend.native import Executable, build
from seahorn_py.ir.run import RunLimits

FUNCTIONS = 100
STRAIGHT = 10
DRAWS = 4
FILES = [(bits, seed) for bits in (32, 64) for seed in range(5)]


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


@pytest.mark.parametrize(("bits", "seed"), FILES)
def test_native_and_interpreted_runs_agree(bits: int, seed: int) -> None:
    mismatches, runs = differences(program(seed, FUNCTIONS, bits), bits, DRAWS, seed)
    assert mismatches == []
    assert runs == FUNCTIONS * DRAWS


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


@pytest.mark.parametrize(("bits", "seed"), [(32, 0), (32, 1), (64, 0), (64, 1)])
def test_encodings_have_the_results_of_native_runs_and_no_other(bits: int, seed: int) -> None:
    file = program(seed, STRAIGHT, bits, straight=True)
    mismatches, asked, loose = encoding_differences(file, bits, 2, seed)
    assert mismatches == []
    assert asked == 2 * 2 * STRAIGHT
    assert loose <= asked // 4, "too many answers are approximations"


def test_generated_programs_are_repeatable_and_different() -> None:
    assert program(3, 4, 32).text() == program(3, 4, 32).text()
    assert program(3, 4, 32).text() != program(4, 4, 32).text()
    assert program(3, 4, 32).only(2).text().count("static unsigned long long f") == 1
