"""Programs of which only what matters is left: what goes, and that no error goes with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from seahorn_py.base.errors import Span
from seahorn_py.encode.encoder import encode
from seahorn_py.encode.encoding import Arithmetic, EncodeOptions, Wrapping
from seahorn_py.engines import catalogue
from seahorn_py.engines.engine import Budget
from seahorn_py.engines.portfolio import Portfolio
from seahorn_py.ir.graph import loop_heads
from seahorn_py.ir.program import Program, RegionLoad
from seahorn_py.ir.verifier import check
from seahorn_py.options import FrontendOptions, VerifyOptions
from seahorn_py.passes.ranges.ranges import value_ranges
from seahorn_py.passes.slicing.dependence import EXIT, dependence
from seahorn_py.passes.slicing.loosening import loosened
from seahorn_py.passes.slicing.loosening_marks import Following
from seahorn_py.processes.deadline import Deadline
from seahorn_py.processes.journal import Journal
from seahorn_py.result import Safe
from seahorn_py.verification.pipeline import load, prepared

HEAD = """
extern int any(void); extern void reach_error(void);
static int locked, bytes[64], sum;
static void lock(void) { if (locked) reach_error(); locked = 1; }
static void unlock(void) { if (!locked) reach_error(); locked = 0; }
static void work(int n) { for (int i = 0; i < n && i < 64; i++) sum += bytes[i]; }
"""
WATCHER = range(4, 6)
"""The lines of the code that watches."""

PROVED = {
    "a loop in between": ("lock(); work(any()); unlock();", Following.EVENTS),
    "a way out by what a loop counts": (
        "int n = 0; lock(); while (any()) n++; if (n == 7) { unlock(); return 1; } unlock();",
        Following.EVENTS,
    ),
    "contents of memory decide": (
        "lock(); bytes[any() & 63] = any(); if (bytes[3]) { unlock(); return 1; } unlock();",
        Following.EVENTS,
    ),
    "a number tells of the lock": (
        "int is_mine = 0; while (any()) if (is_mine) { unlock(); is_mine = 0; }"
        " else { lock(); is_mine = 1; }",
        Following.EVENTS,
    ),
    "a count tells of the lock": (
        "int n = 0; while (any()) if (n > 0) { unlock(); n--; } else { lock(); n++; }",
        Following.NUMBERS,
    ),
}
WRONG = {
    "locked twice": "lock(); work(3); lock();",
    "on one way alone": "lock(); if (any() == 3) unlock(); lock();",
    "in a later round": "while (any()) lock();",
    "behind a loop that may not end": "lock(); while (any()) { } lock();",
    "by what a loop counts": "int n = 0; while (n < 5) n++; if (n == 5) unlock();",
    "by memory": "bytes[2] = 1; for (int i = 0; i < 4; i++) if (bytes[i]) unlock();",
    "in a call": "work(2); if (sum >= 0) unlock();",
}


def read(folder: Path, body: str) -> Program:
    file = folder / "program.c"
    file.write_text(f"{HEAD}int main(void) {{ {body} return 0; }}\n")
    options = VerifyOptions(FrontendOptions())
    return prepared(load([file], options, Deadline.after(60))[1], options)


def is_watcher(place: Span | None) -> bool:
    return place is not None and place.line in WATCHER


def made(program: Program, following: Following) -> Program:
    found = loosened(program, is_watcher, following)
    assert found is not None
    return check(found, "loosening")


def is_proved(program: Program) -> bool:
    chosen = EncodeOptions(Arithmetic.INT, Wrapping.WRAP, frozenset(), split_all=True)
    system = encode(program, chosen, value_ranges(program)).system
    turns = catalogue.scheduled("bv_loosened", None)
    verdicts = Portfolio(turns, Journal(), "int").verdicts(
        system, Budget(Deadline.after(20), 2000, 1)
    )
    return isinstance(next(verdicts), Safe)


@pytest.mark.parametrize("name", PROVED)
def test_a_proof_by_less_of_the_program(name: str, tmp_path: Path) -> None:
    body, following = PROVED[name]
    program = made(read(tmp_path, body), following)
    statements = [s for f in program.functions.values() for b in f.blocks for s in b.statements]
    assert not any(isinstance(s, RegionLoad) for s in statements)
    assert is_proved(program)


@pytest.mark.parametrize("name", WRONG)
def test_no_error_is_lost(name: str, tmp_path: Path) -> None:
    program = read(tmp_path, WRONG[name])
    assert not any(is_proved(made(program, following)) for following in Following)


def test_loops_that_decide_nothing_are_gone(tmp_path: Path) -> None:
    program = made(read(tmp_path, "lock(); work(any()); unlock();"), Following.EVERYTHING)
    assert not any(map(loop_heads, program.functions.values()))


def test_branches_decide_until_their_ways_meet(tmp_path: Path) -> None:
    text = "if (any()) { while (1) work(1); } lock(); if (any()) work(2); lock();"
    function = read(tmp_path, text).functions["sea.main"]
    found = dependence(function)
    entry = function.entry.label
    assert all(meeting == EXIT or meeting in found.meets for meeting in found.meets.values())
    assert entry not in found.deciding[entry]
