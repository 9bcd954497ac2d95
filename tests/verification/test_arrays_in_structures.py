"""Counters beside an array in a structure: proofs, and subscripts that run over the array."""

from __future__ import annotations

from pathlib import Path

import pytest

from seahorn_py import VerifyOptions, verify

HEAD = "#include <assert.h>\nextern int input(void);\n"
LOOP = "for (;;) { int c = input(); if (c == 0) break; %s }"
PROGRAMS = {
    "a ring buffer": (
        "safe",
        "static struct { int buf[32]; unsigned head, tail, count; } r;",
        LOOP % "if (c > 0) { if (r.count < 32)"
        " { r.buf[r.tail] = c; r.tail = (r.tail + 1) % 32; r.count++; } }"
        " else if (r.count > 0) { r.head = (r.head + 1) % 32; r.count--; }"
        " assert(r.count <= 32 && r.head < 32 && r.tail < 32);",
    ),
    "a name with its length": (
        "safe",
        "static struct { unsigned short kind; char text[64]; unsigned len; } s;",
        "s.kind = 3; "
        + LOOP % "if (s.len < 64) s.text[s.len++] = c; assert(s.len <= 64); assert(s.kind == 3);",
    ),
    "a byte over the name": (
        "unsafe",
        "",
        "struct { unsigned n; char text[64]; unsigned char len; } s = {0}; s.len = 5;"
        " unsigned i = input(); if (i <= 64) s.text[i] = 9; assert(s.len == 5);",
    ),
    "an element over the array": (
        "unsafe",
        "static struct { int items[20]; unsigned n, m; } s;",
        "unsigned i = input(); s.n = 3; s.m = 4; if (i <= 20) s.items[i] = 77;"
        " assert(s.m == 4); assert(s.n == 3);",
    ),
    "an element before the array": (
        "unsafe",
        "static struct { unsigned n; int items[20]; } s;",
        "int i = input(); s.n = 3; if (i >= -1 && i < 20) s.items[i] = 77; assert(s.n == 3);",
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_counters_beside_arrays(name: str, tmp_path: Path) -> None:
    answer, globals_, body = PROGRAMS[name]
    file = tmp_path / "program.c"
    file.write_text(f"{HEAD}{globals_}\nint main(void) {{ {body} return 0; }}\n", "utf-8")
    assert verify(file, options=VerifyOptions(timeout=20)).answer.value == answer
