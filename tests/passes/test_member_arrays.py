"""An array that is a member: its elements are told from its neighbours by the range of the index.

Copies of locals: no pointer leads to a local whose address nobody holds.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from seahorn_py.ir.program import Load, Program
from seahorn_py.options import FrontendOptions, VerifyOptions
from seahorn_py.passes.pipeline import prepare
from seahorn_py.passes.regions.hidden import hidden
from seahorn_py.processes.deadline import Deadline
from seahorn_py.verification.pipeline import load

HEAD = """
extern unsigned any(void); extern void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
struct log { int *file; int most, lines[4]; int is_open; };
struct stream { int v[10]; };
static int a[3];
static struct stream pool[4], *at[2];
"""
MEMBERS = {
    "by a remainder": "struct log l = {a, 0}; while (any()) l.lines[any() % 4]++;"
    " CHECK(l.most < 3 && l.file == a);",
    "by a mask": "struct log l = {a, 0}; while (any()) l.lines[any() & 3] += 2;"
    " CHECK(l.is_open < 3 && l.file == a);",
    "in a loop with a bound": "struct log l = {a, 0}; l.lines[any() & 3]++; int s = 0;"
    " for (unsigned k = 0; k < 4; k++) s += l.lines[k]; CHECK(l.file == a || s);",
}
COPIES = {
    "a copy from a local": "at[any() & 1] = pool + any() % 4;"
    " { struct stream t = {{1}}; t.v[any() % 10] = 2; *at[any() & 1] = t; }"
    " CHECK(at[any() & 1] != at[any() & 1]);",
    "a copy to a local": "at[any() & 1] = pool + any() % 4; int s = 0;"
    " while (any()) { struct stream t = *at[any() & 1]; t.v[any() % 10]++; s += t.v[any() % 10]; }"
    " CHECK(at[any() & 1] != at[any() & 1] || !s);",
    "in each round": "at[any() & 1] = pool; while (any()) { CHECK(at[any() & 1] != at[0]);"
    " struct stream t = {{1}}; t.v[any() % 10] = 2; *at[0] = t; }",
}


def read(folder: Path, body: str) -> Program:
    file = folder / "program.c"
    file.write_text(f"{HEAD} int main(void) {{ {body} return 0; }}")
    return load([file], VerifyOptions(FrontendOptions()), Deadline.after(60))[1]


@pytest.mark.parametrize("name", MEMBERS)
def test_elements_are_told_from_their_neighbours(name: str, tmp_path: Path) -> None:
    assert not prepare(read(tmp_path, MEMBERS[name])).gaps


@pytest.mark.parametrize("name", COPIES)
def test_pointers_do_not_lead_to_what_was_copied(name: str, tmp_path: Path) -> None:
    assert not any("may have ended" in gap for gap in prepare(read(tmp_path, COPIES[name])).gaps)


def test_a_local_whose_address_is_kept_is_not_hidden(tmp_path: Path) -> None:
    body = "int *p, *volatile q; { int x = any(); q = &x; } p = q; CHECK(p != a); (void)*p;"
    program = read(tmp_path, body)
    assert not any("x" in name for _, name in hidden(program))
    loads = [
        s
        for f in program.functions.values()
        for b in f.blocks
        for s in b.statements
        if isinstance(s, Load)
    ]
    assert loads
