"""The passes in order, and what turns a program as read into encoding form.

Every pass is a function `Program -> Program` and leaves a program that verifies.
"""

from __future__ import annotations

from collections.abc import Callable

from seahorn_py.ir.program import Program
from seahorn_py.ir.verifier import check
from seahorn_py.passes.calls import isolate_calls
from seahorn_py.passes.cells import promote_memory
from seahorn_py.passes.devirtualise import devirtualise
from seahorn_py.passes.environment import model_environment
from seahorn_py.passes.lanes import split_lanes
from seahorn_py.passes.simplify import simplify
from seahorn_py.passes.slicing import slice_program

Pass = Callable[[Program], Program]

PASSES: tuple[Pass, ...] = (
    simplify,
    devirtualise,
    model_environment,
    promote_memory,
    simplify,
    split_lanes,
    slice_program,
    isolate_calls,
)


def prepare(program: Program, verify: bool = True) -> Program:
    """The program in encoding form; InternalError if a pass broke it (only seen if `verify`)."""
    for step in PASSES:
        program = step(program)
        if verify:
            check(program, step.__name__)
    return program
