"""Memory as regions: golden text, and C programs about memory run before and after the passes."""

import re
from pathlib import Path

import pytest
from programs import endings

from seahorn_py.child import Deadline
from seahorn_py.frontend import compiler, optimizer, reader
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
from seahorn_py.ir.verifier import verify
from seahorn_py.options import FrontendOptions
from seahorn_py.passes.environment import ALLOCATION
from seahorn_py.passes.pipeline import PASSES
from seahorn_py.passes.regions import model_regions

PROGRAMS = Path(__file__).parent / "memory"
FILES = sorted(path.stem for path in PROGRAMS.glob("*.c"))
RUNS = 25
"""Runs for each function of a file."""


def parts_of(name: str) -> list[str]:
    return re.findall(r"^void (t_\w+)\(void\)", (PROGRAMS / f"{name}.c").read_text(), re.M)


def driver(names: list[str]) -> str:
    """A `main` whose first input chooses one of the functions."""
    cases = "\n".join(f"  case {k}: {name}(); break;" for k, name in enumerate(names))
    declared = "\n".join(f"void {name}(void);" for name in names)
    return (
        "extern unsigned __VERIFIER_nondet_uint(void);\n"
        f"{declared}\nint main(void) {{\n"
        f"  switch (__VERIFIER_nondet_uint() % {len(names)}) {{\n{cases}\n  }}\n  return 0;\n}}\n"
    )


def load(paths: list[Path], bits: int) -> Program:
    options, deadline = FrontendOptions(bits=bits), Deadline.after(60)
    modules = compiler.compile_files(paths, options, deadline)
    return reader.read(optimizer.lower(modules, options, deadline))


def left_in_memory(program: Program) -> list[str]:
    kinds = (Alloca, Load, Store, MemoryCopy, MemorySet, Havoc)
    return [
        str(s)
        for function in program.functions.values()
        for block in function.blocks
        for s in block.statements
        if isinstance(s, kinds) or (isinstance(s, Call) and s.callee in ALLOCATION)
    ]


@pytest.mark.parametrize(
    ("name", "bits"),
    [
        pytest.param(name, bits, marks=[] if (k + bits // 32) % 2 else [pytest.mark.full])
        for k, name in enumerate(FILES)
        for bits in (32, 64)
    ],
)
def test_memory_becomes_regions_and_runs_stay(name: str, bits: int, tmp_path: Path) -> None:
    names = parts_of(name)
    main = tmp_path / "main.c"
    main.write_text(driver(names))
    source = load([main, PROGRAMS / f"{name}.c"], bits)
    program = source
    for step in PASSES:
        program = step(program)
        assert verify(program) == (), step.__name__
        if step is model_regions:
            assert left_in_memory(program) == []
    runs = endings(source, program, seed=5, runs=RUNS * len(names))
    assert len(runs) > RUNS
    assert any(before != "not failed" for before, _ in runs)
    assert [pair for pair in runs if pair[0] != pair[1]] == []
