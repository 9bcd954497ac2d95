"""The clauses of small programs, as `sea-py inspect --horn` prints them, as texts in `golden/`."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from golden import Golden, file_id, golden_files

from seahorn_py.encode.encoder import encode
from seahorn_py.encode.encoding import Arithmetic, EncodeOptions
from seahorn_py.horn.text.smtlib import print_horn, read_horn
from seahorn_py.ir.program import Program
from seahorn_py.ir.verifier import verify
from seahorn_py.passes.ranges.ranges import value_ranges

FILES = golden_files(Path(__file__).parent)


def clauses(arithmetic: Arithmetic, small_steps: bool, program: Program) -> str:
    """The Horn system of a program in encoding form."""
    options = EncodeOptions(arithmetic, small_steps=small_steps)
    return print_horn(encode(program, options, value_ranges(program)).system)


MAKERS = {
    "int": partial(clauses, Arithmetic.INT, False),
    "int, small steps": partial(clauses, Arithmetic.INT, True),
    "bv": partial(clauses, Arithmetic.BV, False),
    "bv, small steps": partial(clauses, Arithmetic.BV, True),
}


@pytest.mark.parametrize("file", FILES, ids=file_id)
@pytest.mark.all_variants
def test_golden(file: Path, rewrite_golden: bool) -> None:
    golden = Golden.read(file)
    assert verify(golden.program) == ()
    golden.check(MAKERS, rewrite_golden)


@pytest.mark.parametrize("file", FILES, ids=file_id)
def test_the_clauses_are_read_as_what_they_are(file: Path) -> None:
    """Printed, read and printed again they are the same but for the names of rules."""
    for text in Golden.read(file).expected.values():
        assert forms(print_horn(read_horn(text, str(file)))) == forms(text)


def forms(text: str) -> list[str]:
    """The lines that are no comments."""
    return [line for line in text.splitlines() if not line.startswith("; ")]


def test_there_are_some() -> None:
    assert len(FILES) >= 3
    assert all(Golden.read(file).shows for file in FILES)
    assert all(Golden.read(file).expected.keys() == MAKERS.keys() for file in FILES)
