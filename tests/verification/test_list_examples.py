"""Programs with lists of any length: proved as they are, refuted with `-DBUG`.

A usual run looks for the bugs; `--full` proves the programs, too.  Of those that are open no error
is told.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from seahorn_py import FrontendOptions, VerifyOptions, verify
from seahorn_py.options import Property
from seahorn_py.result import VerificationResult

PROGRAMS = sorted((Path(__file__).parent.parent.parent / "c_examples" / "lists").glob("*.c"))
OPEN = ("append", "doubly", "insert", "remove")


def answered(path: Path, timeout: float, *defines: str) -> VerificationResult:
    asked = re.search(r"property: ([\w-]+)", path.read_text())
    assert asked is not None, f"{path} names no property"
    frontend = FrontendOptions(properties=frozenset({Property(asked[1])}), defines=defines)
    return verify(path, VerifyOptions(frontend, timeout=timeout))


def test_there_are_ten() -> None:
    assert len(PROGRAMS) == 10


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_the_planted_bug_is_found(path: Path) -> None:
    result = answered(path, 60, "BUG")
    assert result.answer.value == "unsafe", result


@pytest.mark.full
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_lists_of_any_length_are_proved(path: Path) -> None:
    is_open = path.stem in OPEN
    result = answered(path, 20 if is_open else 90)
    assert result.answer.value in (("safe", "unknown") if is_open else ("safe",)), result
