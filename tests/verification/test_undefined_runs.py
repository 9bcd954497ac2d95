"""Questions that are not about memory have answers in programs whose runs overwrite memory."""

from __future__ import annotations

from pathlib import Path

import pytest

from seahorn_py import FrontendOptions, VerifyOptions, verify
from seahorn_py.options import Property
from seahorn_py.result import Answer

HEAD = "#include <stdlib.h>\nextern unsigned get(void); static unsigned h[64];\n"
BODIES = {
    "an array": "while (r < 1000) { if (get() & 1) r++; h[get()]++; }",
    "a freed block": (
        "char *p = malloc(8); if (!p) return 1; while (r < 100)"
        " { p[get()] = 1; if (get() & 1) r++; if (get() & 2) free(p); }"
    ),
    "null": "int *p = 0; while (r < 5) { if (get() & 1) r++; if (r == 3) *p = 1; }",
}


@pytest.mark.parametrize("name", BODIES)
def test_runs_that_are_undefined_contradict_no_proof(tmp_path: Path, name: str) -> None:
    file = tmp_path / "program.c"
    file.write_text(f"{HEAD}int main(void) {{ int r = 0; {BODIES[name]} return 0; }}\n", "utf-8")
    asked = FrontendOptions(properties=frozenset({Property.NO_OVERFLOW}))
    result = verify(file, options=VerifyOptions(frontend=asked, timeout=20))
    assert result.answer is Answer.SAFE, result.reason
