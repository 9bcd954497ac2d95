"""What functions without a body may do, end to end."""

from __future__ import annotations

from pathlib import Path

import pytest

from seahorn_py import verify
from seahorn_py.result import Answer

HEAD = "extern void reach_error(void); extern void give(int *); extern int g, *h, t[2];\n"


@pytest.mark.full
@pytest.mark.parametrize(
    ("body", "may_fail"),
    [
        ("int y; g = 1; give(&y); if (g != 1) reach_error();", True),
        ("g = 1; if (g != 1) reach_error();", False),
        ("int y, x = 1; h = &x; give(&y); if (x != 1) reach_error();", True),
        ("int y; t[1] = 1; give(&y); if (t[1] != 1) reach_error();", True),
    ],
)
def test_globals_that_no_file_defines_are_shared(body: str, may_fail: bool, tmp_path: Path) -> None:
    file = tmp_path / "a.c"
    file.write_text(f"{HEAD}int main(void) {{ {body} return 0; }}\n")
    answer = verify(file, timeout=30).answer
    assert answer is not Answer.SAFE if may_fail else answer is Answer.SAFE
