"""Marks in the C text, the run along them, and the waypoints that come of it."""

from __future__ import annotations

from pathlib import Path

from seahorn_py import VerifyOptions, verify
from seahorn_py.csource.leaves import Leaves
from seahorn_py.csource.marks import Before, Decided, Labelled, Marked, Switching, Wanted
from seahorn_py.csource.names import Types
from seahorn_py.csource.syntax import CText
from seahorn_py.options import FrontendOptions
from seahorn_py.witness.texts import Sources
from seahorn_py.witness.told import Holding, Returning, Told
from seahorn_py.witness.violation import waypoints
from seahorn_py.witness.witness import Branching, Target

SMALL = b"""\
int f(int a) {
  while (1) if (a) { a--; } else break;
  switch (a) { case 3: a = 1; default: a = 2; }
  return a;
}
"""


def test_marks_keep_lines_and_decide_nothing() -> None:
    text = CText("a.c", SMALL)
    marked = Marked(text, Wanted({SMALL.index(b"return")}), 1)
    m = "__sea_mark"
    assert marked.source().decode().split("\n")[:4] == [
        "int f(int a) {",
        f"  while (1) if (((a)) ? ({m} = 1, 1) : ({m} = 2, 0)) {{ a--; }} else break;",
        f"  switch ({m} = 3, a) {{ case 3: {m} = 4; a = 1; default: {m} = 5; a = 2; }}",
        f"  {m} = 6; return a;",
    ]
    kinds = [type(marked.meanings[k]) for k in range(1, marked.end)]
    assert kinds == [Decided, Decided, Switching, Labelled, Labelled, Before]


JUMPS = b"""\
int f(int a) {
again: a--;
  if (a > 9) goto again;
  if (a > 8) { goto again; } else a--;
  if (a > 7) goto end;
  if (a > 6) { a--; goto again; }
end: return a;
}
int g(int a) {
  if (a) goto again;
again: return a;
}
int h(int a) {
  while (a--) a--;
  while (a) a--;
  while (f(a)) a--;
  for (; a--;) a--;
}
int k(int a) {
  for (; f(a) && a;) a--;
  if (f(a) ? a : f(1)) a--;
  if (a > 1 && f(a) > 2) a--;
  if (f(a)) a--;
  if (a > 1 || a < -1) a--;
}
"""


def test_loops_that_validators_see_otherwise_are_no_decisions() -> None:
    meanings = Marked(CText("a.c", JUMPS), Wanted(), 1).meanings.values()
    decided = [m.statement.start_point.row + 1 for m in meanings if isinstance(m, Decided)]
    assert sorted(set(decided)) == [5, 6, 10, 15, 17, 23, 24]


def test_columns_are_found_again() -> None:
    text = CText("a.c", SMALL)
    marked = Marked(text, Wanted(), 1)
    lines = marked.source().decode().split("\n")
    column = lines[1].index("break") + 1
    assert marked.original(2, column) == SMALL.decode().split("\n")[1].index("break") + 1
    assert marked.original(1, 5) == 5


def shown(told: Told) -> str:
    at = f"{told.place.line}:{told.place.column}"
    match told:
        case Holding(_, facts):
            return f"{at} {' && '.join(text for text, _ in facts) or '1'}"
        case Returning(value=value):
            return f"{at} returns {value}"
        case Branching(value=value):
            return f"{at} {value}"
        case Target():
            return f"{at} target"


def path(tmp_path: Path, program: str) -> list[str]:
    """The waypoints of the violation of a program in 32 bit."""
    file = tmp_path / "a.c"
    file.write_text(program)
    options = VerifyOptions(FrontendOptions(bits=32))
    violation = verify(file, options).violation
    assert violation is not None
    found = waypoints(violation, Sources.read([file], options.frontend))
    assert found is not None
    assert found.left_out == ()
    return [shown(waypoint) for waypoint in found.path]


LOOP = """\
int __VERIFIER_nondet_int(void); void reach_error(void) {}
void note(int k) {
  k = k + 1;
}
int main(int argc, char **argv) {
  int s = 0;
  for (int i = 0; i < 2; i++) {
    int x = __VERIFIER_nondet_int();
    if (x != 7 + i) return 0;
    s += x;
  }
  switch (s) {
    case 14: return 1;
    case 15: break;
    default: return 2;
  }
  note(s); note(s);
  if (argc == 2)
    reach_error();
  return 0;
}
"""


def test_every_decision_and_every_input_in_order(tmp_path: Path) -> None:
    """The path through a loop, a `switch` and an `if`, with the values that lead there."""
    assert path(tmp_path, LOOP) == [
        "6:3 argc == 2",
        *("7:3 true", "9:5 x == 7", "9:5 false"),
        *("7:3 true", "9:5 x == 8", "9:5 false"),
        "7:3 false",
        "12:3 15",
        "18:3 true",
        "19:5 target",
    ]


VISITS = """\
int __VERIFIER_nondet_int(void); void reach_error(void) {}
int g;
void read(int is_last) {
  g = 5 * !is_last;
  is_last && (g = __VERIFIER_nondet_int());
  g = g;
}
struct p { char c; int a[2]; struct { short s; } in; };
int main(void) {
  struct p p;
  int once = 0;
again:
  once++;
  if (once == 1) goto again;
  if (p.a[1] == 3 && p.in.s == -1) reach_error();
  return 0;
}
"""


def test_members_have_their_names(tmp_path: Path) -> None:
    found = path(tmp_path, VISITS)
    assert found[0].startswith("11:3 p.c == ")
    assert "p.a[1] == 3 && p.in.s == -1" in found[0]
    assert found[1:] == ["15:3 true", "15:36 target"]


def test_what_objects_consist_of() -> None:
    source = b"""\
struct q { int x, *p; };
typedef struct { struct q q[2]; float f; } T;
union u { int i; };
void f(void) { T t; union u v; int a[2][2], n; char b[N]; }
"""
    text = CText("a.c", source)
    leaves = Leaves(text, Types(text, 32))
    body = text.root.children[-1].child_by_field_name("body")
    assert body is not None
    first, second, third, fourth = (c for c in body.named_children)
    found = leaves.of(first, "t", 5)
    assert found is not None
    assert [leaf.expression for leaf in found] == [
        "t.q[0].x",
        "t.q[0].p",
        "t.q[1].x",
        "t.q[1].p",
        "t.f",
    ]
    assert found[1].type is None
    assert leaves.of(second, "v", 1) is None
    assert [leaf.expression for leaf in leaves.of(third, "a", 4) or ()][1:3] == [
        "a[0][1]",
        "a[1][0]",
    ]
    assert leaves.of(third, "a", 3) is None
    assert len(leaves.of(fourth, "b", 3) or ()) == 3
