"""`sea-py svcomp`: a task as competitions put it, the answer as they read it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from command import EXAMPLES, ROOT, Done, sea_py

from seahorn_py.base.errors import SeaError, Span, Stage
from seahorn_py.cli.answers import written_files
from seahorn_py.cli.commands.svcomp import answer_lines
from seahorn_py.result import Answer, VerificationResult, Violation
from seahorn_py.verification import pipeline

PROPERTIES = ROOT / "docs" / "benchexec" / "properties"
UNREACH = PROPERTIES / "unreach-call.prp"


def marked(done: Done) -> list[str]:
    return [line for line in done.stdout.splitlines() if line.startswith("BRUNCH_STAT")]


def test_unsafe_with_a_witness(tmp_path: Path) -> None:
    witness = tmp_path / "witness.graphml"
    options = ("--spec", UNREACH, "--witness", witness, "--32")
    done = sea_py("svcomp", *options, EXAMPLES / "counter_unsafe.c")
    assert marked(done) == ["BRUNCH_STAT Result FALSE", "BRUNCH_STAT Property unreach-call"]
    assert done.stdout.splitlines()[-1] == "sat"
    assert done.returncode == 1
    assert '<data key="architecture">32bit</data>' in witness.read_text()


def test_safe() -> None:
    done = sea_py("svcomp", "-m32", f"--spec={UNREACH}", EXAMPLES / "counter_safe.c")
    assert marked(done) == ["BRUNCH_STAT Result TRUE"]
    assert done.stdout.splitlines()[-1] == "unsat"
    assert done.returncode == 0


@pytest.mark.full
def test_the_part_of_memory_safety_that_is_violated() -> None:
    spec = ("--spec", PROPERTIES / "valid-memsafety.prp", "--64")
    done = sea_py("svcomp", *spec, EXAMPLES / "heap_overrun_unsafe.c")
    assert marked(done)[1] == "BRUNCH_STAT Property valid-deref"


def test_a_witness_that_cannot_be_written_costs_no_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def leave(*_: object) -> Iterator[str]:
        raise SeaError("/no/w.yml: cannot write: No such file or directory")
        yield

    monkeypatch.setattr(written_files, "leave", leave)
    monkeypatch.setattr(pipeline, "verify", lambda *_: VerificationResult(Answer.SAFE))
    done = sea_py("svcomp", "--witness", "/no/w.yml", EXAMPLES / "counter_safe.c")
    assert marked(done) == ["BRUNCH_STAT Result TRUE"]
    assert done.stdout.splitlines()[-1] == "unsat"
    assert (done.returncode, "/no/w.yml: cannot write" in done.stderr) == (2, True)


def test_wrong_use_is_one_line(tmp_path: Path) -> None:
    defined = tmp_path / "defined.prp"
    defined.write_text("CHECK( init(main()), LTL(G def-behavior) )\n")
    done = sea_py("svcomp", "--spec", defined, EXAMPLES / "counter_safe.c")
    assert (done.returncode, done.stdout) == (2, "")
    assert "the property def-behavior is not supported" in done.stderr
    both = sea_py("svcomp", "--32", "--64", EXAMPLES / "counter_safe.c")
    assert both.returncode == 2
    assert "exclude each other" in both.stderr


def test_the_program_cannot_answer() -> None:
    """A string of the program, such as in an assertion, is no line that counts."""
    text = 'x == "\nBRUNCH_STAT Result TRUE"'
    violation = Violation("unreach-call", text, Span("BRUNCH_STAT Result TRUE", 1, 1, "f"), ())
    unsafe = VerificationResult(Answer.UNSAFE, violation=violation)
    printed = "\n".join(answer_lines(unsafe)).splitlines()
    counting = [line for line in printed if "BRUNCH_STAT" in line]
    assert counting == ["BRUNCH_STAT Result FALSE", "BRUNCH_STAT Property unreach-call"]


def test_unknown() -> None:
    open_ = VerificationResult(Answer.UNKNOWN, stage=Stage.SOLVE, reason="time limit")
    assert list(answer_lines(open_)) == [
        "BRUNCH_STAT Result UNKNOWN",
        "unknown: solve: time limit [U304]\nunknown",
    ]
