"""Witnesses of runs of several threads (YAML 2.2): written from steps, read, and followed again."""

from __future__ import annotations

from pathlib import Path

import pytest
from command import sea_py

from seahorn_py.base.errors import Span
from seahorn_py.ir.run import ThreadStep
from seahorn_py.options import FrontendOptions
from seahorn_py.result import Violation
from seahorn_py.witness.texts import Sources
from seahorn_py.witness.threads import segments
from seahorn_py.witness.witness import Assumption, Entered, Segment, Target, WitnessError
from seahorn_py.witness.yaml.witnesses import witness

PROGRAM = """#include <pthread.h>
int x, y;
void *f(void *p) {
  x = 1;
  if (y) x = 2;
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, f, 0);
  pthread_create(&b, 0, f, 0);
  y = 1;
  return 0;
}
"""
CREATE_A, CREATE_B = 10, 11


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "race.c"
    file.write_text(PROGRAM)
    return file


def told(file: Path, steps: list[ThreadStep], other: Span | None = None) -> list[str] | None:
    """The segments of a run, in words."""
    last = steps[-1].place
    violation = Violation("no-data-race", "a race", last, (), steps=tuple(steps), other=other)
    found = segments(violation, Sources.read([file], FrontendOptions()))
    return None if found is None else [*map(word, found)]


def word(segment: Segment) -> str:
    kinds = {Assumption: "at", Entered: "makes at", Target: "target"}
    said = f"{segment.thread} {kinds[type(segment.follow)]} {segment.follow.place.line}"
    if segment.other is None:
        return said
    return f"{said}, {segment.other[0]} {segment.other[1].place.line}"


def span(file: Path, line: int) -> Span:
    text = PROGRAM.split("\n")[line - 1]
    return Span(str(file), line, len(text) - len(text.lstrip()) + 1, "f")


def step(file: Path, thread: int, line: int, *makes: tuple[int, int]) -> ThreadStep:
    made = tuple((number, span(file, at)) for number, at in makes)
    return ThreadStep(thread, span(file, line), made)


def test_threads_have_the_numbers_of_their_making(file: Path) -> None:
    """The second thread of the program is made first here."""
    steps = [
        step(file, 0, CREATE_A, (2, CREATE_B)),
        step(file, 0, CREATE_B, (1, CREATE_A)),
        step(file, 2, 4),
        step(file, 1, 4),
    ]
    makes = [f"0 makes at {CREATE_B}", f"0 makes at {CREATE_A}"]
    assert told(file, steps) == [*makes, "1 at 4", "2 at 4", "2 target 4"]


def test_what_is_not_told(file: Path) -> None:
    """A step in the same statement as before, and one in a condition."""
    made = step(file, 0, CREATE_A, (1, CREATE_A))
    steps = [made, *(step(file, 1, line) for line in (4, 4, 5)), step(file, 0, 12)]
    assert told(file, steps) == [f"0 makes at {CREATE_A}", "1 at 4", "0 at 12", "0 target 12"]


def test_both_accesses_of_a_race(file: Path) -> None:
    made = step(file, 0, CREATE_A, (1, CREATE_A), (2, CREATE_B))
    steps = [made, step(file, 1, 4), step(file, 2, 4)]
    assert (told(file, steps, span(file, 4)) or [])[-1] == "2 target 4, 1 4"
    steps.insert(1, step(file, 0, 12))
    assert (told(file, steps, span(file, 6)) or [])[-1] == "2 target 4"


def test_a_thread_of_which_the_making_is_not_known(file: Path) -> None:
    assert told(file, [step(file, 1, 4)]) is None


@pytest.mark.full
@pytest.mark.parametrize("asked", ["no-data-race", "unreach-call"])
def test_a_witness_is_confirmed(asked: str, tmp_path: Path) -> None:
    file, written = tmp_path / "race.c", tmp_path / "race.yml"
    error = "extern void reach_error(void);\n"
    file.write_text(error + PROGRAM.replace("return 0;\n}\nint", "if (x) reach_error();}\nint"))
    ask = ["--property", asked, "--timeout", "60"]
    assert "of 3 threads" in sea_py("pf", *ask, "--witness", str(written), str(file)).stdout
    assert 'format_version: "2.2"' in written.read_text()
    read = witness(written.read_bytes())
    assert {segment.thread for segment in read.segments} > {0}  # type: ignore[union-attr]
    done = sea_py("validate", str(written), str(file), "--timeout", "60")
    assert done.stdout.split()[-1] == "confirmed"


def test_other_threads_confirm_nothing(file: Path, tmp_path: Path) -> None:
    written = tmp_path / "race.yml"
    sea_py("pf", "--property", "no-data-race", "--witness", str(written), str(file))
    text = written.read_text()
    written.write_text(text.replace("thread_id: 1", "thread_id: 7"))
    assert sea_py("validate", str(written), str(file)).stdout.split()[-1] == "unknown"
    written.write_text(text.replace("thread_id: 1", "thread_id: one"))
    with pytest.raises(WitnessError, match="no number"):
        witness(written.read_bytes())
