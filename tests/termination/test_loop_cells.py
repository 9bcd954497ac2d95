"""Cells that loops read at an address that stays: registers for them change no run."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

import seahorn_py
from seahorn_py.ir.interpreter import Interpreter
from seahorn_py.ir.parser.parser import parse_program
from seahorn_py.ir.program import Program, RegionLoad
from seahorn_py.ir.run import RunLimits
from seahorn_py.ir.verifier import verify
from seahorn_py.options import FrontendOptions, Overflow, VerifyOptions
from seahorn_py.passes.termination.loop_cells import with_loop_cells
from seahorn_py.result import Answer

AROUND = """program 64 bit, entry main
global @a 64 bytes align 4 {{}}

function main()
b:
  %k = input i64 site 0
  %j = input i64 site 1
  %v = input i32 site 2
  %e = region of i32 7
  %p = offset @a + %j * 4
  %s = %e[%p := i32 %v]
  jump outer
outer:
  %n = phi i32 [b: 0, done: %n1]
  %r = phi region of i32 [b: %s, done: %u]
  jump head
head:
  %m = phi region of i32 [outer: %r, join: %w]
  %q = offset @a + %k * 4
  %x = %m[%q]
  %go = icmp sgt i32 %x, 0
  branch %go ? body : done
body:
  %o = icmp slt i32 %x, 4
  branch %o ? one : two
one:
  %c = offset @a + %k * 4
  %y = %m[%c]
  %z = sub i32 %y, 1
  %t = %m[%c := i32 %z]
  jump join
two:
  {two}
  jump join
join:
  %w = phi region of i32 [one: %t, two: %f]
  jump head
done:
  %u = %m[%p := i32 %n]
  %n1 = add i32 %n, 1
  %more = icmp slt i32 %n1, 3
  branch %more ? outer : end
end:
  %l = %u[@a]
  %bad = icmp sgt i32 %l, 1
  branch %bad ? wrong : right
wrong:
  fail check 0
right:
  return

site 0: nondet i32 __VERIFIER_nondet_int : int
site 1: nondet i32 __VERIFIER_nondet_int : int
site 2: nondet i32 __VERIFIER_nondet_int : int
check 0: unreach-call : "wrong"
"""

TWO = {
    "a store that may alias": "%f = %m[%p := i32 2]",
    "the region anew": "%f = region of i32 1",
    "nothing": "%f = %m[@a := i32 3]",
}


def loads(program: Program) -> int:
    blocks = {b.label: b for b in program.functions["main"].blocks}
    return sum(isinstance(s, RegionLoad) for at in ("head", "one") for s in blocks[at].statements)


@pytest.mark.parametrize("name", TWO)
def test_registers_for_cells_change_no_run(name: str) -> None:
    before = parse_program(AROUND.format(two=TWO[name]))
    after = with_loop_cells(before)
    assert verify(before) == verify(after) == ()
    assert (loads(before), loads(after)) == (2, 0)
    first, second = Interpreter(before), Interpreter(after)
    endings = set()
    for k, j, v in itertools.product(range(2), range(2), range(7)):
        feed = {0: (k,), 1: (j,), 2: (v,)}
        outcome = first.run(feed, RunLimits(steps=900))
        again = second.run(feed, RunLimits(steps=9_000))
        assert again.ending is outcome.ending, (k, j, v)
        endings.add(outcome.ending)
    assert len(endings) > 1


def test_what_decides_nothing_stays_in_memory() -> None:
    text = AROUND.format(two=TWO["nothing"]).replace("icmp sgt i32 %x, 0", "icmp sgt i32 %n, 0")
    text = text.replace("icmp slt i32 %x, 4", "icmp slt i32 %n, 4")
    program = parse_program(text)
    assert with_loop_cells(program) is program


HEAD = "extern int __VERIFIER_nondet_int(void);\n#define I __VERIFIER_nondet_int()\n"


@pytest.mark.full
@pytest.mark.parametrize(
    ("body", "answer"),
    [
        pytest.param(
            "int a[3] = {I, I, I}, k = I; if (k < 0 || k > 2) return 0; while (a[k] > 0) a[k]--;",
            1,
            marks=pytest.mark.full,
        ),
        ("int x = I, y = I, *p = I ? &x : &y; while (*p > 0) { (*p)--; y--; }", 1),
        ("int x = I, y = I, *p = I ? &x : &y, *q = &x; while (*p > 0) { (*p)--; (*q)++; }", 0),
    ],
)
def test_ranks_over_cells(body: str, answer: int, tmp_path: Path) -> None:
    file = tmp_path / "a.c"
    file.write_text(f"{HEAD}int main(void) {{ {body} return 0; }}\n")
    options = VerifyOptions(FrontendOptions(overflow=Overflow.CHECK))
    seconds = 60 if answer else 6
    result = seahorn_py.verify(file, options, property="termination", timeout=seconds)
    assert (result.answer is Answer.SAFE) == bool(answer), result
