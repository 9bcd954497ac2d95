"""Elements of arrays that take inputs at the ends of loops: told behind, and found again there."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from command import sea_py
from witness_files import violation as written
from witness_files import waypoint as told

from seahorn_py import VerifyOptions, verify
from seahorn_py.csource.syntax import CText
from seahorn_py.options import FrontendOptions
from seahorn_py.validation.guide import guide
from seahorn_py.witness.fields import this_producer
from seahorn_py.witness.graphml import witnesses as witness_graphml
from seahorn_py.witness.texts import Sources
from seahorn_py.witness.told import Told, by_lines, by_statements
from seahorn_py.witness.violation import waypoints
from seahorn_py.witness.witness import Assumption, Branching, Returned, ViolationWitness
from seahorn_py.witness.yaml import witnesses as witness_yaml

HEAD = "int __VERIFIER_nondet_int(void); void reach_error(void) {}\n"
BITS = FrontendOptions(bits=32)


def subject_and_path(tmp_path: Path, program: str) -> tuple[Sources, tuple[Told, ...]]:
    """The program with `nd()` for an input, and the waypoints of its violation."""
    file = tmp_path / "a.c"
    file.write_text(HEAD + program.replace("nd()", "__VERIFIER_nondet_int()"))
    result = verify(file, VerifyOptions(BITS))
    subject = Sources.read([file], BITS)
    found = waypoints(result.violation, subject) if result.violation else None
    assert found is not None
    assert found.left_out == ()
    return subject, found.path


def values(subject: Sources, path: tuple[Told, ...]) -> list[str]:
    """What is told of values at statements, in order."""
    found = []
    for segment in by_statements(subject.about(frozenset()), path).segments:
        waypoint = segment.follow
        if isinstance(waypoint, Assumption):
            found.append(f"{waypoint.place.line} {waypoint.expression}")
        elif isinstance(waypoint, Returned):
            found.append(f"{waypoint.place.line} returns: {waypoint.condition}")
    return found


LOOPS = {
    "without braces": (
        """\
int a[3];
int main(void) {
  for (int i = 0; i < 3; i++)
    a[i] = nd();
  if (a[0] == 4 && a[1] == -5 && a[2] == 6) reach_error();
}
""",
        ["6 a[0] == 4 && a[1] == -5 && a[2] == 6"],
    ),
    "two dimensions, backwards": (
        """\
int a[2][2];
int main(void) {
  for (int i = 1; i >= 0; i--) {
    for (int j = 0; j < 2; j++) {
      a[i][(j + 1) % 2] = (int)nd();
    }
  }
  if (a[1][0] == 4 && a[1][1] == 5 && a[0][0] == 6) reach_error();
}
""",
        ["9 a[1][1] == 5 && a[1][0] == 4 && a[0][1] == 0 && a[0][0] == 6"],
    ),
    "the last value counts": (
        """\
int a[1];
int main(void) {
  for (int i = 0; i < 2; i++) {
    a[0] = nd();
  }
  if (a[0] == 4) reach_error();
}
""",
        ["7 a[0] == 4"],
    ),
    "a statement that is passed before": (
        """\
int a[2], n;
int main(void) {
again:
  n++;
  if (n == 3) {
    for (int i = 0; i < 2; i++)
      a[i] = nd();
  }
  n++;
  if (n < 4) goto again;
  if (a[0] == 7) reach_error();
}
""",
        ["10 a[0] == 7 && a[1] == 0"],
    ),
    "in another function": (
        """\
void fill(int x[], int n) {
  for (int i = 0; i < n; i++)
    x[i] = nd();
}
int main(void) {
  int y[2] = {0, 0};
  fill(y, 2);
  if (y[1] == 3) reach_error();
}
""",
        ["9 y[0] == 0 && y[1] == 3"],
    ),
    "a value that the type changes": (
        """\
unsigned char a[2];
int main(void) {
  for (int i = 0; i < 2; i++)
    a[i] = nd();
  if (a[1] == 255) reach_error();
}
""",
        ["6 a[0] == 0 && a[1] == 255"],
    ),
}
"""Programs with the elements that are told behind their loops."""

RETURNS = {
    "changed in the loop": """\
int a[3];
int main(void) {
  for (int i = 1; i < 3; i++) {
    a[i - 1]++;
    a[i] = nd();
  }
  if (a[1] == 5) reach_error();
}
""",
    "changed through a pointer": """\
int a[2];
int main(void) {
  int *p = a;
  for (int i = 0; i < 2; i++) {
    *p = 3;
    a[i] = nd();
  }
  if (a[0] == 3 && a[1] == 4) reach_error();
}
""",
    "changed by a function": """\
int a[2];
void clear(void) { a[0] = 0; }
int main(void) {
  for (int i = 0; i < 2; i++) {
    clear();
    a[i] = nd();
  }
  if (a[0] == 0 && a[1] == 4) reach_error();
}
""",
    "left by a jump": """\
int a[2];
int main(void) {
  for (int i = 0; i < 2; i++) {
    if (a[0] == 5) goto out;
    a[i] = nd();
  }
  return 0;
out:
  reach_error();
}
""",
    "violated in the loop": """\
int a[2];
int main(void) {
  for (int i = 0; i < 2; i++) {
    if (a[0] == 9) reach_error();
    a[i] = nd();
  }
  return 0;
}
""",
    "called twice": """\
void fill(int x[]) {
  for (int i = 0; i < 2; i++)
    x[i] = nd();
}
int main(void) {
  int y[2], z[2];
  fill(y);
  fill(z);
  if (y[1] == 3 && z[1] == 4) reach_error();
}
""",
    "another variable by the name": """\
int a[2];
int main(void) {
  {
    int a[2] = {0, 0};
    for (int i = 0; i < 2; i++)
      a[i] = nd();
  }
  reach_error();
}
""",
}
"""Programs in which the next statement behind the loop may not tell all elements."""


@pytest.mark.parametrize("name", LOOPS)
def test_told_behind_the_loop(name: str, tmp_path: Path) -> None:
    program, expected = LOOPS[name]
    subject, path = subject_and_path(tmp_path, program)
    assert [line for line in values(subject, path) if not line.endswith(" 1")] == expected


@pytest.mark.parametrize("name", RETURNS)
def test_told_at_the_call(name: str, tmp_path: Path) -> None:
    subject, path = subject_and_path(tmp_path, RETURNS[name])
    assert any("returns" in line for line in values(subject, path))


@pytest.mark.parametrize("name", [*LOOPS, *RETURNS])
def test_confirmed_in_both_formats(name: str, tmp_path: Path) -> None:
    """The values of the calls are in GraphML in the order of the run, wherever they are told."""
    program = LOOPS[name][0] if name in LOOPS else RETURNS[name]
    subject, path = subject_and_path(tmp_path, program)
    about = subject.about(frozenset())
    files = {
        "w.yml": witness_yaml.text(by_statements(about, path), this_producer()),
        "w.graphml": witness_graphml.text(by_lines(about, path), this_producer()),
    }
    for file, text in files.items():
        (tmp_path / file).write_text(text)
        done = sea_py("validate", "-m32", tmp_path / file, tmp_path / "a.c")
        assert done.stdout.splitlines()[-1] == "confirmed", (file, done.stdout, path)


def test_in_graphml_at_the_call(tmp_path: Path) -> None:
    subject, path = subject_and_path(tmp_path, LOOPS["without braces"][0])
    told_by_lines = by_lines(subject.about(frozenset()), path)
    text = witness_graphml.text(told_by_lines, this_producer())
    assert [text.count(f"\\result == {value};") for value in (4, -5, 6)] == [1, 1, 1]
    assert "a[0]" not in text
    assert sum(isinstance(waypoint, Branching) for waypoint in path) == 5


def test_the_guide_finds_the_calls_again() -> None:
    program = HEAD + LOOPS["in another function"][0].replace("nd()", "__VERIFIER_nondet_int()")
    elements = told("assumption", "9:3", "y[0] == 8 && y[1] == 3")
    data = yaml.safe_dump(written(program, elements, told("target", "9:18")))
    read = witness_yaml.witness(data.encode())
    assert isinstance(read, ViolationWitness)
    calls = guide(read, [CText("a.c", program.encode())]).calls
    assert [list(queue) for queue in calls.values()] == [[8, 3]]
