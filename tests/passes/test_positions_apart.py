"""Unfolding with positions in texts kept apart: little is left to prove, and runs end as before."""

from __future__ import annotations

from pathlib import Path

import pytest
from generator import program as generated
from programs import endings

from seahorn_py.ir.program import Fail, Program
from seahorn_py.ir.verifier import verify
from seahorn_py.options import FrontendOptions, Property, VerifyOptions
from seahorn_py.passes.environment import model_environment
from seahorn_py.passes.simplify.simplify import simplify
from seahorn_py.passes.slicing.slicing import slice_program
from seahorn_py.passes.unfolding.bounds import Bounds
from seahorn_py.passes.unfolding.unfolding import unfold
from seahorn_py.processes.deadline import Deadline
from seahorn_py.verification.pipeline import load

BOUNDS = Bounds(apart=150)
HEAD = "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
LINE = "char line[6]; if (fgets(line, sizeof line, stdin) == NULL) return 0;\n"
TEXTS = {
    "a loop to the end of a line": (
        "int n = 0; for (char *p = line; *p; p++) n++; return n;",
        "int n = 0; for (char *p = line; *p != '\\n'; p++) n++; return n;",
    ),
    "the end of a line is cut off": (
        "char *p = strchr(line, '\\n'); if (p) *p = 0; return (int)strlen(line);",
        "char *p = strchr(line, '\\n'); *p = 0; return (int)strlen(line);",
    ),
    "the last character of a line": (
        "size_t n = strlen(line); if (n && line[n - 1] == '\\n') line[n - 1] = 0; return 0;",
        "size_t n = strlen(line); line[n + 1] = 0; return 0;",
    ),
    "a line is copied": (
        "char copy[6]; strcpy(copy, line); return copy[strlen(copy)];",
        "char copy[5]; strcpy(copy, line); return copy[strlen(copy)];",
    ),
    "a number": (
        "char *end; long v = strtol(line, &end, 10); return end != line && *end && v > 5;",
        "char *end; long v = strtol(line, &end, 10); return v > 5 && end[1] == 1 && end[2];",
    ),
    "words": (
        'int n = 0; for (char *w = strtok(line, " "); w; w = strtok(NULL, " ")) n++; return n;',
        'char *w = strtok(line, " "); w = strtok(NULL, " "); return *w;',
    ),
}

LEFT = {"words": 2}
"""That characters before a word that was read are no ends is forgotten where positions meet."""


def read(folder: Path, text: str) -> Program:
    file = folder / "program.c"
    file.write_text(text)
    frontend = FrontendOptions(properties=frozenset({Property.VALID_DEREF}))
    _, program = load([file], VerifyOptions(frontend), Deadline.after(60))
    return model_environment(simplify(program))


def failing(program: Program) -> int:
    blocks = [b for f in program.functions.values() for b in f.blocks]
    return sum(isinstance(b.terminator, Fail) for b in blocks)


@pytest.mark.parametrize("name", TEXTS)
def test_nothing_is_left_to_prove_of_walks_through_a_line(name: str, tmp_path: Path) -> None:
    right, wrong = (read(tmp_path, f"{HEAD}int main(void) {{ {LINE}{t} }}") for t in TEXTS[name])
    result = unfold(right, BOUNDS)
    assert verify(result, copies=True) == ()
    assert all(a == b for a, b in endings(right, result, seed=3, runs=20))
    assert failing(slice_program(simplify(result))) <= LEFT.get(name, 0)
    assert failing(slice_program(simplify(unfold(wrong, BOUNDS))))


@pytest.mark.parametrize("seed", range(6))
def test_runs_end_as_before(seed: int, tmp_path: Path) -> None:
    program = read(tmp_path, generated(seed, 3, 64).text())
    result = unfold(program, BOUNDS)
    assert verify(result, copies=True) == ()
    assert all(a == b for a, b in endings(program, result, seed=seed, runs=20))
