"""Bytes that a call writes, as many as it says: a refutation tells which they are."""

from __future__ import annotations

from pathlib import Path

import pytest
from command import sea_py

HEAD = "#include <stdio.h>\n#include <unistd.h>\nextern void reach_error(void);\n"
PROGRAMS = {
    "array": "char b[4] = {0}; if (read(0, b, 4) == 3 && b[1] == 'x') reach_error();",
    "members": "struct { short a; int b; } s = {0};"
    " if (fread(&s, 1, sizeof s, stdin) == 8 && s.b == 70000) reach_error();",
    "pairs": "struct { char a; short b; } s[40] = {0};"
    " if (read(0, s, sizeof s) == 12 && s[2].b == 777) reach_error();",
}


@pytest.mark.parametrize(
    "name", [n if n == "array" else pytest.param(n, marks=pytest.mark.full) for n in PROGRAMS]
)
def test_the_bytes_are_those_of_the_refutation(name: str, tmp_path: Path) -> None:
    file = tmp_path / "a.c"
    file.write_text(f"{HEAD}int main(void) {{ {PROGRAMS[name]} return 0; }}\n")
    done = sea_py("pf", "--engine", "bmc", "--timeout", "30", file)
    assert done.stdout.endswith("\nsat\n"), done.stdout
