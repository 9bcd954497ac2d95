"""Programs with one of their checks: it fails on the same inputs, or on more where others go on."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import pytest

from seahorn_py.frontend.compiling import compiler
from seahorn_py.frontend.lowering import optimizer
from seahorn_py.frontend.reading import reader
from seahorn_py.ir.interpreter import Interpreter
from seahorn_py.ir.printer import print_program
from seahorn_py.ir.program import Program
from seahorn_py.ir.run import Ending, RunLimits
from seahorn_py.ir.verifier import verify
from seahorn_py.options import FrontendOptions
from seahorn_py.passes.pipeline import prepare
from seahorn_py.passes.slicing.focus import focus
from seahorn_py.processes.deadline import Deadline

TEXT = """
#include <assert.h>
extern int in(void);
static int half(int x) { assert(x >= 0); return x / 2; }
int main(void) {
  int n = in(), hash = in(), i = 0;
  if (n > 6) return 0;
  assert(hash * 77 % 5 != 3);
  while (i < n) { i++; assert(i != 4 || hash > 1); }
  int h = half(n);
  assert(h != 2);
  if (hash == 1) assert(0);
  return 0;
}
"""
INPUTS = list(product((-1, 0, 3, 4, 5, 7), range(5)))
SITES = range(5)
LIMITS = RunLimits()


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    file = tmp_path_factory.mktemp("focus") / "a.c"
    file.write_text(TEXT)
    options, deadline = FrontendOptions(), Deadline.after(60)
    modules = compiler.compile_files([file], options, deadline)
    return prepare(reader.read(optimizer.lower(modules, options, deadline)))


def failed(program: Program) -> Iterator[int | None]:
    """The check that fails in the run on each of the inputs."""
    reads = [site.number for site in program.sites if site.name == "in"]
    run = Interpreter(program).run
    for values in INPUTS:
        outcome = run(dict(zip(reads, ((value,) for value in values), strict=True)), LIMITS)
        yield outcome.check if outcome.ending is Ending.FAILED else None


@pytest.mark.parametrize("site", SITES)
def test_one_check_fails_on_the_same_inputs(program: Program, site: int) -> None:
    before = [check if check == site else None for check in failed(program)]
    ends, goes_on = (focus(program, {site}, go_on=flag) for flag in (False, True))
    assert verify(ends) == verify(goes_on) == ()
    assert list(failed(ends)) == before
    for was, now in zip(before, failed(goes_on), strict=True):
        assert now in ({site} if was == site else {site, None})


def test_each_check_fails_on_some_input_and_some_only_where_others_go_on(program: Program) -> None:
    assert set(SITES) <= set(failed(program))
    more = [list(failed(focus(program, {site}, go_on=True))).count(site) for site in SITES]
    exactly = list(failed(program))
    assert any(most > exactly.count(site) for site, most in zip(SITES, more, strict=True))


def test_what_only_other_checks_need_is_gone(program: Program) -> None:
    texts = {check.text: check.number for check in program.checks}
    site = next(number for text, number in texts.items() if "h != 2" in text)
    assert " mul " not in print_program(focus(program, {site}, go_on=True))
    assert " mul " in print_program(focus(program, {site}, go_on=False))
