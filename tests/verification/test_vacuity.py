"""Proofs of what no run reaches are warned of."""

from __future__ import annotations

from pathlib import Path

import pytest

from seahorn_py import VerifyOptions, verify
from seahorn_py.result import Answer

HEAD = "#include <sea.h>\nint main(void) {\n  unsigned x = nd_uint();\n"
CONTRADICTION = "  assume(x > 5);\n  assume(x < 3);\n  sassert(x == 77);\n}\n"
RARE = "  assume(x == 3703706);\n  assume(x % 2 == 0);\n  sassert(x > 77);\n}\n"
ORDINARY = "  assume(x > 5);\n  sassert(x > 4);\n}\n"


@pytest.mark.parametrize(
    ("body", "warning"),
    [
        (CONTRADICTION, "vacuous: no run reaches a check; assumptions: {}:4:3, {}:5:3"),
        (ORDINARY, ""),
    ],
)
def test_contradicting_assumptions(body: str, warning: str, tmp_path: Path) -> None:
    file = tmp_path / "a.c"
    file.write_text(HEAD + body)
    result = verify(file, VerifyOptions(executions=1.0, timeout=100))
    assert result.answer is Answer.SAFE
    assert result.warnings == ((warning.format(file, file),) if warning else ())


def test_a_check_that_other_runs_reach_is_no_vacuous_one(tmp_path: Path) -> None:
    file = tmp_path / "a.c"
    file.write_text(HEAD + RARE)
    result = verify(file, VerifyOptions(executions=1.0, timeout=100))
    assert result.answer is Answer.SAFE
    assert not [w for w in result.warnings if w.startswith("vacuous")]
