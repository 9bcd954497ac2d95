"""Small programs with linear loops: the default proves or refutes each, and the evidence holds.

An ordinary run takes a third of them; `--full` all.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from seahorn_py import FrontendOptions, VerifyOptions, verify

PROGRAMS = sorted((Path(__file__).parent.parent / "loops").glob("*.c"))

ORDINARY = {
    "complement",
    "count_up",
    "countdown",
    "forgotten_reset",
    "inner_too_far",
    "late_turn",
    "no_first_step",
    "odd_wraps",
    "released_twice",
}


def cases() -> list[pytest.param]:
    return [
        pytest.param(path, id=path.stem, marks=() if path.stem in ORDINARY else pytest.mark.full)
        for path in PROGRAMS
    ]


@pytest.mark.parametrize("path", cases())
def test_linear_loop(path: Path) -> None:
    expected = re.search(r"expected: (safe|unsafe)", path.read_text())
    assert expected is not None, f"{path} states no verdict"
    result = verify(path, VerifyOptions(FrontendOptions(bits=32), executions=0.05))
    assert result.answer.value == expected[1], result
