"""One round of a loop for all: what is cut open and what is left; errors of later rounds stay."""

from __future__ import annotations

from pathlib import Path

import pytest

from seahorn_py import FrontendOptions, VerifyOptions, verify
from seahorn_py.ir.graph import loop_heads
from seahorn_py.ir.program import Fail, Havoc, Program, SiteKind
from seahorn_py.ir.verifier import check
from seahorn_py.options import MEMORY_SAFETY, Encodings, Inlining, Property
from seahorn_py.passes.environment import model_environment
from seahorn_py.passes.one_round import one_round
from seahorn_py.passes.simplify.simplify import simplify
from seahorn_py.passes.slicing.slicing import slice_program
from seahorn_py.passes.unfolding.unfolding import unfold
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Answer
from seahorn_py.verification.pipeline import load

HEAD = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
extern unsigned char __VERIFIER_nondet_uchar(void); extern void reach_error(void);
static int line(char *to) {
  for (int i = 0; i < 3; i++) to[i] = (char)__VERIFIER_nondet_uchar();
  to[3] = 0;
  return to[0];
}
"""


def read(folder: Path, text: str, *asked: Property) -> Program:
    file = folder / "program.c"
    file.write_text(HEAD + text)
    properties = frozenset(asked or (Property.UNREACH_CALL,))
    frontend = FrontendOptions(properties=properties, inlining=Inlining.NONE)
    _, program = load([file], VerifyOptions(frontend), Deadline.after(60))
    return model_environment(simplify(program))


def main_loops(program: Program) -> int:
    return len(loop_heads(program.functions["main"]))


def opened(folder: Path, text: str, *asked: Property) -> bool:
    program = read(folder, text, *asked)
    new = one_round(program)
    check(new, "one_round")
    return new is not program


LEFT = {
    "counts its rounds": "int main(void) { char t[4]; for (int i = 0; i < 9; i++) line(t);"
    " if (t[0] == 7) reach_error(); }",
    "no loop inside": "int main(void) { unsigned n = 0; while (__VERIFIER_nondet_uchar()) n++;"
    " if (n == 7) reach_error(); }",
    "reads nothing": "int main(void) { char t[4]; line(t);"
    " while (t[0] != 1) for (int i = 0; i < 3; i++) t[0] ^= t[i]; reach_error(); }",
    "writes to the heap": "int main(void) { char *t = malloc(4); if (!t) return 1;"
    " while (line(t)) {} if (t[1] == 7) reach_error(); }",
    "writes to locals of a caller": "static void f(char *t, int *n) { while (line(t)) ++*n; }"
    " int main(void) { char t[4]; int n = 0; f(t, &n); if (n == 7) reach_error(); }",
    "a pointer goes round": "int main(void) { char t[4]; const char *p = t;"
    " while (line(t)) p = *p ? t + 1 : t + 2; if (*p == 7) reach_error(); }",
}
FREES = "int main(void) { char t[4], *p = malloc(1); while (line(t)) free(p); return 0; }"


@pytest.mark.parametrize("name", LEFT)
def test_what_is_left_as_it_is(name: str, tmp_path: Path) -> None:
    assert not opened(tmp_path, LEFT[name])


def test_a_loop_that_frees_is_left_as_it_is(tmp_path: Path) -> None:
    assert not opened(tmp_path, FREES, Property.VALID_FREE)


def test_all_that_the_rounds_change_is_arbitrary(tmp_path: Path) -> None:
    program = read(
        tmp_path,
        "static int seen, kept; int main(void) { char t[4]; int n = 0, m = 5; kept = 7;"
        " while (line(t)) { seen++; n += t[1]; } if (n + m + kept + seen == 9) reach_error(); }",
    )
    new = one_round(program)
    assert main_loops(new) < main_loops(program)
    havocs = [s for f in new.functions.values() for b in f.blocks for s in b.statements]
    changed = {
        str(s.address) for s in havocs if isinstance(s, Havoc) and s.site.name == "any round"
    }
    assert any("seen" in name for name in changed) and len(changed) == 2
    added = [site for site in new.sites if site.name == "any round"]
    assert all(site.kind is SiteKind.HAVOC and not site.native for site in added)


LATER = {
    "global": "static int n; int main(void) { char t[4];"
    " while (line(t)) { if (n == 2) reach_error(); n++; } return 0; }",
    "number": "int main(void) { char t[4]; int n = 0;"
    " while (line(t)) { if (n > 3) reach_error(); n += t[1] == 'x'; } return 0; }",
    "array": "int main(void) { char t[4], old[4] = {0};"
    " while (line(t)) { if (old[2] == 'x') reach_error(); memcpy(old, t, 4); } return 0; }",
    "after the loop": "static int n; int main(void) { char t[4];"
    " while (line(t)) n++; if (n == 3) reach_error(); return 0; }",
    "in a callee": "static int n; __attribute__((noinline)) static void f(void)"
    " { if (n == 3) reach_error(); n++; } int main(void) { char t[4]; while (line(t)) f(); }",
    "of a local of the round": "int main(void) { char t[4]; int n = 0;"
    " while (line(t)) { char own[4]; if (n == 2 && own[1] == 1) reach_error(); line(own); n++; } }",
}


@pytest.mark.parametrize("name", LATER)
def test_an_error_of_a_later_round_is_in_the_one_round(name: str, tmp_path: Path) -> None:
    program = read(tmp_path, LATER[name])
    new = one_round(program)
    assert new is not program
    left = slice_program(simplify(unfold(simplify(new))))
    blocks = [b for f in left.functions.values() for b in f.blocks]
    assert any(isinstance(block.terminator, Fail) for block in blocks)
    assert not any(loop_heads(f) for f in left.functions.values())


READER = """
int main(void) {
  char line[6]; int table[5] = {0};
  while (fgets(line, sizeof line, stdin)) {
    size_t size = strlen(line);
    if (size LIMIT 5) table[size]++;
  }
  return table[0];
}
"""


def answer(folder: Path, text: str) -> Answer:
    file = folder / "reader.c"
    file.write_text(HEAD + text)
    frontend = FrontendOptions(properties=frozenset(MEMORY_SAFETY))
    return verify(file, VerifyOptions(frontend, Encodings.BV, timeout=60, executions=0.1)).answer


@pytest.mark.full
def test_a_reader_of_lines_is_proved(tmp_path: Path) -> None:
    assert answer(tmp_path, READER.replace("LIMIT", "<")) is Answer.SAFE


def test_an_error_in_it_is_no_proof(tmp_path: Path) -> None:
    assert answer(tmp_path, READER.replace("LIMIT", "<=")) is Answer.UNSAFE
