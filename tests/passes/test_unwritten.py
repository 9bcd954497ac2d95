"""Globals that nothing writes hold what they held at the start."""

from pathlib import Path

import pytest

from seahorn_py.frontend.llvmtext.lowered import Lowered
from seahorn_py.ir.program import Load, Program
from seahorn_py.options import FrontendOptions, VerifyOptions
from seahorn_py.passes.promotion.unwritten import read_unwritten
from seahorn_py.processes.deadline import Deadline
from seahorn_py.verification.pipeline import load

HEAD = (
    "extern int __VERIFIER_nondet_int(void); extern void reach_error(void); int a = 3, *p = &a;\n"
)
USE = "int main(void) { {use} if (*p != 3) reach_error(); return 0; }\n"


def loads(program: Program) -> list[str]:
    functions = program.functions.values()
    statements = (s for f in functions for b in f.blocks for s in b.statements)
    return [str(s.address) for s in statements if isinstance(s, Load)]


def read(text: str, folder: Path) -> Program:
    file = folder / "case.c"
    file.write_text(HEAD + text)
    options = VerifyOptions(FrontendOptions())
    found: tuple[Lowered, Program] = load([file], options, Deadline.after(60))
    return found[1]


def test_a_pointer_that_nothing_writes(tmp_path: Path) -> None:
    program = read(USE.replace("{use}", ""), tmp_path)
    assert loads(program)[0] == "@p"
    assert loads(read_unwritten(program)) == ["@a"]


@pytest.mark.parametrize(
    "use",
    [
        "if (__VERIFIER_nondet_int()) p = 0;",
        "int **q = __VERIFIER_nondet_int() ? &p : 0; if (q) *q = 0;",
    ],
)
def test_a_pointer_that_may_be_written(use: str, tmp_path: Path) -> None:
    program = read(USE.replace("{use}", use), tmp_path)
    assert "@p" in loads(read_unwritten(program))


def test_what_external_code_may_write(tmp_path: Path) -> None:
    text = "extern int b; int main(void) { if (b != 3) reach_error(); return 0; }\n"
    assert loads(read_unwritten(read(text, tmp_path))) == ["@b"]
