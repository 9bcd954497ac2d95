"""Programs in the form in which it is asked whether they end."""

from __future__ import annotations

from seahorn_py.ir.program import Input, Program, RegionHavoc
from seahorn_py.ir.verifier import check
from seahorn_py.passes.pipeline import PASSES
from seahorn_py.passes.slicing.slicing import drop_uncalled, slice_program
from seahorn_py.passes.termination.extents import ending_outside
from seahorn_py.passes.termination.ranked import without_checks


def whole(source: Program) -> Program:
    """The program in encoding form with all that its loops do, and without checks."""
    program = drop_uncalled(without_checks(source))
    for step in PASSES:
        if step is not slice_program:
            program = check(step(program), step.__name__)
    return program


def within_objects(source: Program) -> Program | None:
    """The same, where runs end at accesses outside of objects; None if no loop may make such."""
    tested = ending_outside(source)
    return None if tested is source else whole(check(tested, ending_outside.__name__))


def is_closed(program: Program) -> bool:
    """Nothing of the program, which is in encoding form, is arbitrary: it has one run."""
    return not any(
        isinstance(statement, Input | RegionHavoc)
        for function in program.functions.values()
        for block in function.blocks
        for statement in block.statements
    )
