"""Random programs run alike natively and in the interpreter, before and after the passes.

`scripts/differential` runs the same comparison on more programs.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from differential import compile_text, differences, observe
from generator import program

from seahorn_py.evidence import native
from seahorn_py.ir.run import RunLimits

FUNCTIONS = 100
DRAWS = 4
FILES = [(bits, seed) for bits in (32, 64) for seed in range(5)]


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


def test_generated_programs_are_repeatable_and_different() -> None:
    assert program(3, 4, 32).text() == program(3, 4, 32).text()
    assert program(3, 4, 32).text() != program(4, 4, 32).text()
    assert program(3, 4, 32).only(2).text().count("static unsigned long long f") == 1
