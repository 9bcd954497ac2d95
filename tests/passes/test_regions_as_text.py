"""Memory as regions: golden text, and C programs about memory run before and after the passes."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from programs import endings

from seahorn_py.evidence.runs import native
from seahorn_py.evidence.runs.inputs import Drawn, dictionary
from seahorn_py.frontend.compiling import compiler
from seahorn_py.frontend.llvmtext.lowered import Lowered
from seahorn_py.frontend.lowering import optimizer
from seahorn_py.frontend.reading import reader
from seahorn_py.frontend.runtime.native import Executable, build
from seahorn_py.ir.interpreter import Interpreter
from seahorn_py.ir.program import (
    Alloca,
    Call,
    Havoc,
    Load,
    MemoryCopy,
    MemorySet,
    Program,
    Store,
)
from seahorn_py.ir.run import Ending, Outcome, RunLimits
from seahorn_py.ir.verifier import verify
from seahorn_py.options import FrontendOptions
from seahorn_py.passes.environment import ALLOCATION
from seahorn_py.passes.pipeline import PASSES
from seahorn_py.passes.regions.bulk import PARTIAL
from seahorn_py.passes.regions.regions import memory_to_regions
from seahorn_py.processes.deadline import Deadline

PROGRAMS = Path(__file__).parent.parent / "memory"
FILES = sorted(path.stem for path in PROGRAMS.glob("*.c"))
LIMITS = RunLimits(seconds=5.0, steps=100_000)
MISREAD = ("arguments",)
"""Where inlined code reads a pointer from a number on paths that no run takes."""
RUNS = 25
"""Runs for each function of a file."""


def parts_of(name: str) -> list[str]:
    return re.findall(r"^void (t_\w+)\(void\)", (PROGRAMS / f"{name}.c").read_text(), re.M)


def driver(names: list[str]) -> str:
    """A `main` whose first input, the only one of its kind, chooses one of the functions."""
    cases = "\n".join(f"  case {k}: {name}(); break;" for k, name in enumerate(names))
    declared = "\n".join(f"void {name}(void);" for name in names)
    return (
        "extern unsigned char __VERIFIER_nondet_uchar(void);\n"
        f"{declared}\nint main(void) {{\n"
        f"  switch (__VERIFIER_nondet_uchar() % {len(names)}) {{\n{cases}\n  }}\n  return 0;\n}}\n"
    )


def lowered(name: str, bits: int, place: Path) -> Lowered:
    main = place / "main.c"
    main.write_text(driver(parts_of(name)))
    options, deadline = FrontendOptions(bits=bits), Deadline.after(60)
    modules = compiler.compile_files([main, PROGRAMS / f"{name}.c"], options, deadline)
    return optimizer.lower(modules, options, deadline)


def native_runs(found: Lowered, bits: int, count: int, place: Path) -> Iterator[Outcome]:
    """Some runs of each function on drawn inputs, as far as the kernel can run them."""
    built = build(found.native, bits, place, Deadline.after(60))
    assert isinstance(built, Executable)
    (chooser,) = (s.number for s in found.sites if s.name == "__VERIFIER_nondet_uchar")
    for k in range(count):
        inputs = Drawn(k, dictionary(found.native), {chooser: (k,)})
        yield from native.sample(built, inputs, RUNS, Deadline.after(20), LIMITS).outcomes


def left_in_memory(program: Program) -> list[str]:
    kinds = (Alloca, Load, Store, MemoryCopy, MemorySet, Havoc)
    return [
        str(s)
        for function in program.functions.values()
        for block in function.blocks
        for s in block.statements
        if isinstance(s, kinds) or (isinstance(s, Call) and s.callee in ALLOCATION)
    ]


@pytest.mark.full
@pytest.mark.parametrize(
    ("name", "bits"),
    [
        pytest.param(name, bits, marks=[] if (k + bits // 32) % 2 else [pytest.mark.full])
        for k, name in enumerate(FILES)
        for bits in (32, 64)
    ],
)
def test_memory_becomes_regions_and_runs_stay(name: str, bits: int, tmp_path: Path) -> None:
    names, found = parts_of(name), lowered(name, bits, tmp_path)
    source = program = reader.read(found)
    for step in PASSES:
        program = step(program)
        assert verify(program) == (), step.__name__
        if step is memory_to_regions and name not in MISREAD:
            assert left_in_memory(program) == []
    runs = endings(source, program, seed=5, runs=RUNS * len(names))
    assert [pair for pair in runs if pair[0] != pair[1]] == []
    interpreter, failed = Interpreter(program), 0
    loose = {site.number for site in program.sites if site.name == PARTIAL}
    for run in native_runs(found, bits, len(names), tmp_path):
        again = interpreter.run(run.feed, LIMITS)
        if any(read in loose for read, _ in again.reads):
            continue
        assert (again.ending, again.check) == (run.ending, run.check), run.feed
        failed += run.ending is Ending.FAILED
    assert failed
