"""The passes on real C: before and after, the same inputs fail the same checks."""

from pathlib import Path

import pytest
from programs import endings

from seahorn_py.frontend.compiling import compiler
from seahorn_py.frontend.lowering import optimizer
from seahorn_py.frontend.reading import reader
from seahorn_py.ir.program import Call, Program
from seahorn_py.ir.verifier import verify
from seahorn_py.options import FrontendOptions
from seahorn_py.passes.cuts import call_of, cut_points, live_registers, regions
from seahorn_py.passes.pipeline import PASSES
from seahorn_py.passes.ranges.ranges import value_ranges
from seahorn_py.processes.deadline import Deadline

EXAMPLES = Path(__file__).parent.parent.parent / "c_examples"
NAMES = (
    "bit_field_unsafe.c",
    "function_pointer_unsafe.c",
    "global_in_recursion_safe.c",
    "global_swap_safe.c",
    "goto_into_loop_safe.c",
    "small_array_safe.c",
    "struct_by_value_loop_unsafe.c",
    "switch_bypassed_unsafe.c",
    "twelve_calls_unsafe.c",
    "union_safe.c",
)


def load(path: Path, bits: int) -> Program:
    if not path.exists():
        pytest.skip(f"{path} is not there")
    options, deadline = FrontendOptions(bits=bits), Deadline.after(60)
    modules = compiler.compile_files([path], options, deadline)
    return reader.read(optimizer.lower(modules, options, deadline))


@pytest.mark.parametrize("name", NAMES)
def test_every_pass_keeps_what_runs_do(name: str) -> None:
    source = load(EXAMPLES / name, 64)
    program = source
    for step in PASSES:
        program = step(program)
        assert verify(program) == (), step.__name__
    runs = endings(source, program, seed=4, runs=20)
    assert runs
    assert all(before == after for before, after in runs)


@pytest.mark.parametrize("name", NAMES[:4])
def test_the_result_is_in_encoding_form(name: str) -> None:
    program = load(EXAMPLES / name, 32)
    for step in PASSES:
        program = step(program)
    value_ranges(program)
    for function in program.functions.values():
        cuts = cut_points(function)
        assert set(live_registers(function)) == set(cuts)
        assert [r.start for r in regions(function)] == [function.entry.label, *cuts]
        for block in function.blocks:
            calls = [s for s in block.statements if isinstance(s, Call)]
            assert calls in ([], [call_of(block)])
            assert not (calls and (block.phis or block is function.entry))
