"""Runs that begin at joins: what is known there is enough, or the error stays."""

from __future__ import annotations

from pathlib import Path

import pytest
from programs import LIMITS

from seahorn_py import verify
from seahorn_py.ir.interpreter import run
from seahorn_py.ir.program import Fail, Input, Program
from seahorn_py.ir.run import Ending
from seahorn_py.ir.verifier import check
from seahorn_py.options import MEMORY_SAFETY, Encodings, FrontendOptions, Property, VerifyOptions
from seahorn_py.passes.environment import model_environment
from seahorn_py.passes.localised import localised
from seahorn_py.passes.simplify.simplify import simplify
from seahorn_py.passes.unfolding.code.code import Facts
from seahorn_py.passes.unfolding.unfolding import unfold
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Answer
from seahorn_py.verification.pipeline import load

HEAD = """
#include <stdio.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
#define DRAW y = (unsigned)__VERIFIER_nondet_int(); if (y <= most) { x = y; goto out; }
#define FIVE DRAW DRAW DRAW DRAW DRAW
static unsigned drawn(unsigned most) {
  unsigned x, y;
  FIVE FIVE FIVE FIVE
  abort();
out:
  return x;
}
"""


def made(folder: Path, body: str) -> tuple[Program, Program]:
    """The unfolded program, and the one with runs that begin at joins."""
    file = folder / "program.c"
    file.write_text(f"{HEAD}int main(void) {{ {body} return 0; }}\n")
    frontend = FrontendOptions(properties=frozenset({Property.UNREACH_CALL}))
    _, program = load([file], VerifyOptions(frontend), Deadline.after(60))
    joins: dict[str, Facts] = {}
    whole = unfold(model_environment(simplify(program)), joins=joins)
    part = localised(whole, joins)
    check(part, "localised", copies=True)
    return whole, part


def ends(program: Program, **values: int) -> Ending:
    """How a run ends whose inputs are these by the bounds in their conditions, others 1."""
    return run(program, {}, LIMITS, draw=lambda site: values.get(str(site.type), 1)).ending


def size(program: Program) -> int:
    return sum(len(f.blocks) for f in program.functions.values())


RELATED = "unsigned x = drawn(999); if (x / 4 < x / 100 OR) reach_error();"


def test_a_run_begins_at_a_join_with_what_is_known_there(tmp_path: Path) -> None:
    whole, part = made(tmp_path, RELATED.replace("OR", "|| x == 7"))
    assert size(part) < size(whole) / 4
    assert ends(part, i32=7) is Ending.FAILED
    assert ends(part, i32=8) is not Ending.FAILED


@pytest.mark.parametrize("value", (1000, 1 << 31, (1 << 32) - 1))
def test_a_value_that_no_run_has_there_is_none(value: int, tmp_path: Path) -> None:
    _, part = made(tmp_path, RELATED.replace("OR", "|| x > 990"))
    assert ends(part, i32=995) is Ending.FAILED
    assert ends(part, i32=value) is not Ending.FAILED


def test_each_error_begins_at_a_join_of_its_own(tmp_path: Path) -> None:
    body = "if (__VERIFIER_nondet_int()) {{ {} }} else {{ {} }}".format(
        RELATED.replace("OR", "|| x == 7"), RELATED.replace("OR", "|| x == 8")
    )
    whole, part = made(tmp_path, body)
    fails = [b for f in part.functions.values() for b in f.blocks if isinstance(b.terminator, Fail)]
    assert size(part) < size(whole) / 4 and len(fails) == 2
    assert {ends(part, i32=7), ends(part, i32=8)} >= {Ending.FAILED}


def test_an_error_before_all_joins_leaves_the_program_as_it_is(tmp_path: Path) -> None:
    whole, part = made(
        tmp_path, f"if (__VERIFIER_nondet_int() == 3) reach_error(); {RELATED.replace('OR', '')}"
    )
    assert part is whole


def test_new_inputs_are_none_of_native_runs(tmp_path: Path) -> None:
    whole, part = made(tmp_path, RELATED.replace("OR", ""))
    first = part.functions[part.entry].entry
    assert part.sites[: len(whole.sites)] == whole.sites
    read = {s.site for s in first.statements if isinstance(s, Input)}
    assert read and not any(site.native for site in read)


READER = """
int main(void) {
  char line[8], *end; int table[250] = {0};
  while (fgets(line, sizeof line, stdin)) {
    long x = strtol(line, &end, 10);
    if (*end != '\\n' || x < 1 || x > 999) continue;
    int n = (int)x;
    table[INDEX]++;
  }
  return table[0];
}
"""


def answer(folder: Path, text: str) -> Answer:
    file = folder / "reader.c"
    file.write_text(HEAD + text)
    frontend = FrontendOptions(properties=frozenset(MEMORY_SAFETY))
    return verify(file, VerifyOptions(frontend, Encodings.BV, timeout=120, executions=0.1)).answer


@pytest.mark.full
def test_a_reader_of_numbers_is_proved(tmp_path: Path) -> None:
    assert answer(tmp_path, READER.replace("INDEX", "n / 4 - n / 100")) is Answer.SAFE


def test_an_error_in_it_is_no_proof(tmp_path: Path) -> None:
    assert answer(tmp_path, READER.replace("INDEX", "n / 100 - n / 4")) is not Answer.SAFE
