"""Constant tables that are read at unknown offsets while a program is unfolded."""

from __future__ import annotations

from pathlib import Path

import pytest
from programs import endings

from seahorn_py import verify
from seahorn_py.ir.program import Fail, Program
from seahorn_py.ir.verifier import verify as complaints
from seahorn_py.options import Encodings, VerifyOptions
from seahorn_py.passes.environment import model_environment
from seahorn_py.passes.simplify.simplify import simplify
from seahorn_py.passes.slicing.slicing import slice_program
from seahorn_py.passes.unfolding.memory.tables import Stretch, pieces
from seahorn_py.passes.unfolding.unfolding import unfold
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Answer
from seahorn_py.verification.pipeline import load


def listed(values: list[int]) -> str:
    return "{" + ", ".join(map(str, values)) + "}"


SMALL = [n + 32 if 65 <= n <= 90 else n for n in range(256)]
WRONG = [n + 1 if n == 200 else small for n, small in enumerate(SMALL)]
CLASS = [1 if 48 <= n - 128 <= 57 else 0 for n in range(384)]
HEAD = f"""
extern unsigned char __VERIFIER_nondet_uchar(void); extern void reach_error(void);
#define CHECK(c) do {{ if (!(c)) reach_error(); }} while (0)
static const unsigned char small[256] = {listed(SMALL)};
static const unsigned char wrong[256] = {listed(WRONG)};
static const unsigned short class[384] = {listed(CLASS)};
static const int evens[16] = {listed([2 * n for n in range(16)])};
static unsigned char ones[256] = {listed([1] * 256)};
static int zeros[64];
"""
RIGHT = {
    "small letters": "CHECK(small[c] == (c >= 'A' && c <= 'Z' ? c + 32 : c));",
    "from inside": "const unsigned char *p = small + 128; CHECK(p[c / 2] == 128 + c / 2);",
    "entries of two bytes, from the middle": (
        "const unsigned short *p = class + 128; CHECK(!p[c] == (c < '0' || c > '9'));"
    ),
    "a negative index": (
        "const unsigned short *p = class + 128; CHECK(p[(signed char)c] == (c >= '0' && c <= '9'));"
    ),
    "entries without a pattern": "CHECK(evens[c & 15] == 2 * (c & 15));",
    "a table that the program has changed": "ones[9] = 7; CHECK(ones[c] == (c == 9 ? 7 : 1));",
    "what was never written": "zeros[5] = 1; CHECK(zeros[c & 63] == ((c & 63) == 5));",
    "an entry that is an input": (
        "unsigned char d = __VERIFIER_nondet_uchar(); ones[9] = d; CHECK(ones[c] == 1 || c == 9);"
    ),
}
FAILING = {
    "one entry is another": "CHECK(wrong[c] == (c >= 'A' && c <= 'Z' ? c + 32 : c));",
    "the first letter": "CHECK(small[c] != 'a' || c == 'a');",
    "the last letter": "CHECK(small[c] != 'z' || c == 'z');",
    "the middle of two": "CHECK(class[128 + c] == 0 || c != '9');",
    "the changed one": "ones[255] = 7; CHECK(ones[c] == 1);",
    "an entry that is an input": (
        "unsigned char d = __VERIFIER_nondet_uchar(); ones[9] = d; CHECK(ones[c] == 1);"
    ),
}


def text(body: str) -> str:
    return f"{HEAD}int main(void) {{ unsigned char c = __VERIFIER_nondet_uchar(); {body} }}\n"


def unfolded(folder: Path, body: str) -> Program:
    """The program of a body unfolded, whose runs end as those of the program do."""
    file = folder / "program.c"
    file.write_text(text(body))
    _, source = load([file], VerifyOptions(), Deadline.after(60))
    program = model_environment(simplify(source))
    result = unfold(program)
    assert complaints(result, copies=True) == ()
    assert all(a == b for a, b in endings(program, result, seed=7, runs=60))
    return slice_program(simplify(result))


@pytest.mark.parametrize("name", RIGHT)
def test_entries_are_what_the_table_has(name: str, tmp_path: Path) -> None:
    unfolded(tmp_path, RIGHT[name])
    found = verify(
        tmp_path / "program.c", VerifyOptions(encoding=Encodings.BV, timeout=60, executions=0)
    )
    assert found.answer is Answer.SAFE, found.reason


@pytest.mark.parametrize("name", FAILING)
def test_a_wrong_entry_is_found(name: str, tmp_path: Path) -> None:
    program = unfolded(tmp_path, FAILING[name])
    assert any(isinstance(b.terminator, Fail) for f in program.functions.values() for b in f.blocks)
    found = verify(
        tmp_path / "program.c", VerifyOptions(encoding=Encodings.BV, timeout=60, executions=0)
    )
    assert found.answer is Answer.UNSAFE, found.reason


def test_a_table_of_few_pieces_takes_few_statements(tmp_path: Path) -> None:
    program = unfolded(tmp_path, RIGHT["small letters"])
    blocks = [block for function in program.functions.values() for block in function.blocks]
    assert sum(len(block.statements) for block in blocks) < 20


@pytest.mark.parametrize(
    ("values", "wanted"),
    [
        ([3, 3, 3], [Stretch(0, 3, 0)]),
        ([3, 4, 5], [Stretch(0, 3, 1)]),
        ([254, 255, 0, 1], [Stretch(0, 254, 1)]),
        ([0, 1, 2, 9, 9, 9], [Stretch(0, 0, 1), Stretch(3, 9, 0)]),
        ([5, 1, 7], [Stretch(0, 5, 0), Stretch(1, 1, 0), Stretch(2, 7, 0)]),
        ([], []),
    ],
)
def test_pieces_of_a_table(values: list[int], wanted: list[Stretch]) -> None:
    assert pieces(values, 256) == wanted
