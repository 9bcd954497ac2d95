"""Array programs of symbolic size: proved as they are, refuted with `-DBUG`.

An ordinary run takes some of them; `--full` takes all.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from seahorn_py import FrontendOptions, VerifyOptions, verify
from seahorn_py.options import Encodings
from seahorn_py.result import Answer

PROGRAMS = sorted((Path(__file__).parent.parent / "c_examples" / "arrays").glob("*.c"))
ORDINARY = ("heap", "init", "maximum")


def cases() -> list[pytest.param]:
    return [
        pytest.param(path, id=path.stem, marks=() if path.stem in ORDINARY else (pytest.mark.full,))
        for path in PROGRAMS
    ]


def answer(path: Path, *defines: str, executions: float) -> Answer:
    options = VerifyOptions(
        FrontendOptions(bits=32, defines=defines),
        Encodings.INT,
        timeout=90,
        executions=executions,
    )
    return verify(path, options).answer


@pytest.mark.parametrize("path", cases())
def test_proved_for_every_size(path: Path) -> None:
    assert answer(path, executions=0.1) is Answer.SAFE


@pytest.mark.parametrize("path", cases())
def test_the_planted_bug_is_found_in_the_encoding(path: Path) -> None:
    assert answer(path, "BUG", executions=0) is Answer.UNSAFE
