"""The passes in order, and what turns a program as read into encoding form.

Every pass is a function `Program -> Program` and leaves a program that verifies.
"""

from __future__ import annotations

from collections.abc import Callable

from seahorn_py.ir.program import Program
from seahorn_py.ir.verifier import check
from seahorn_py.options import Track
from seahorn_py.passes.calls import isolate_calls
from seahorn_py.passes.environment import model_environment
from seahorn_py.passes.pointsto.devirtualise import devirtualise
from seahorn_py.passes.promotion.cells import promote_memory
from seahorn_py.passes.promotion.lanes import split_lanes
from seahorn_py.passes.promotion.unwritten import read_unwritten
from seahorn_py.passes.regions.regions import memory_to_regions
from seahorn_py.passes.regions.stale import tell_stale
from seahorn_py.passes.safety.safety import check_validity
from seahorn_py.passes.simplify.simplify import simplify
from seahorn_py.passes.slicing.slicing import slice_program
from seahorn_py.passes.tracking import forget_pointers, forget_results

Pass = Callable[[Program], Program]

PASSES: tuple[Pass, ...] = (
    forget_results,
    read_unwritten,
    simplify,
    devirtualise,
    model_environment,
    tell_stale,
    check_validity,
    promote_memory,
    simplify,
    memory_to_regions,
    simplify,
    split_lanes,
    slice_program,
    isolate_calls,
)
MEMORY: tuple[Pass, ...] = (promote_memory, memory_to_regions)


def passes_for(track: Track) -> tuple[Pass, ...]:
    """The passes for what is tracked; those for memory only where that is tracked."""
    match track:
        case Track.MEM:
            return PASSES
        case Track.PTR:
            return tuple(p for p in PASSES if p not in MEMORY)
        case Track.REG:
            return (forget_pointers, *(p for p in PASSES if p not in MEMORY))


def nothing() -> None:
    """What is done between passes."""


def prepare(
    program: Program,
    verify: bool = True,
    track: Track = Track.MEM,
    between: Callable[[], None] = nothing,
) -> Program:
    """The program in encoding form; InternalError if a pass broke it (only seen if `verify`).

    `between` is called before each pass.
    """
    for step in passes_for(track):
        between()
        program = step(program)
        if verify:
            check(program, step.__name__)
    return program
