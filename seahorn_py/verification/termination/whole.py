"""Programs in the form in which they are asked whether their runs end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from seahorn_py.evidence.runs.subject import Subject
from seahorn_py.frontend.lowering.library.libcalls import FRESH_LIMIT
from seahorn_py.ir.program import (
    Call,
    Input,
    IntConst,
    Load,
    Program,
    RegionHavoc,
    Statement,
)
from seahorn_py.ir.verifier import check
from seahorn_py.passes.calls import isolate_calls
from seahorn_py.passes.pipeline import PASSES, Pass
from seahorn_py.passes.promotion.cells import INSIDE, promote_memory
from seahorn_py.passes.simplify.simplify import simplify
from seahorn_py.passes.slicing.slicing import drop_uncalled, slice_program
from seahorn_py.passes.termination.accesses import doubtful_access
from seahorn_py.passes.termination.extents import ending_outside
from seahorn_py.passes.termination.hubs import with_hubs
from seahorn_py.passes.termination.last_loops import ending_early
from seahorn_py.passes.termination.loop_cells import with_loop_cells
from seahorn_py.passes.termination.pointer_sources import surely_tested
from seahorn_py.passes.termination.ranked import without_checks


def whole(source: Program) -> Program:
    """The program in encoding form without its checks; its loops are not sliced away."""
    return _prepared(source, frozenset({slice_program}))


def _prepared(source: Program, left_out: frozenset[Pass]) -> Program:
    program = drop_uncalled(without_checks(source))
    for step in PASSES:
        if step not in left_out:
            program = check(step(program), step.__name__)
    early = ending_early(program)
    if early is not program:
        for step in (simplify, isolate_calls):
            early = check(step(early), step.__name__)
    return check(with_hubs(early), with_hubs.__name__)


def within_objects(source: Program) -> Program | None:
    """The program as by `whole`, in which runs end where they leave an object.

    None if no access in a cycle has a test.
    """
    tested = ending_outside(source)
    return None if tested is source else whole(check(tested, ending_outside.__name__))


def without_invalid(subject: Subject) -> tuple[Subject, str]:
    """The subject, whose program is as by `whole`; or with runs that end before invalid accesses.

    With it comes why runs may still make one; "" if none does.
    """
    reason = doubtful_access(subject.source)
    if not reason and subject.confined:
        return subject, ""
    if not reason:
        return subject, "a local may be accessed when it is dead"
    tested_ones = surely_tested(subject.source, subject.confined)
    for still in (doubtful_access(subject.source, tested_ones), *subject.source.gaps):
        if still:
            return subject, still
    tested = ending_outside(subject.source, everywhere=True)
    return replace(subject, program=whole(check(tested, ending_outside.__name__))), ""


def with_cells(source: Program, prepared: Program) -> Program | None:
    """The prepared program with cells of memory in registers; None without any.

    Elements of small arrays are registers there, one each.  If the cells are among these, the
    program is prepared from its source again, with all arrays as memory.
    """
    celled = with_loop_cells(prepared)
    if celled is prepared and INSIDE in prepared.assumptions:
        prepared = _prepared(source, frozenset({slice_program, promote_memory}))
        celled = with_loop_cells(prepared)
    return None if celled is prepared else check(simplify(celled), with_loop_cells.__name__)


def is_closed(program: Program) -> bool:
    """Whether nothing in the program is arbitrary, so that it has one run.

    The program is in encoding form.
    """
    return not any(isinstance(s, Input | RegionHavoc | Load) for s in _statements(program))


def is_as_run(source: Program) -> bool:
    """Whether a run that reads no inputs stands for all runs, as far as memory is concerned.

    Volatile objects and fresh blocks of the heap may hold anything.  Runs fill a small block with
    inputs, but a large one with zeros.
    """
    return not any(_is_open(s) for s in _statements(source))


def _is_open(statement: Statement) -> bool:
    match statement:
        case Load(volatile=True):
            return True
        case Call(callee="malloc", arguments=(IntConst(value=size),)):
            return size > FRESH_LIMIT
        case Call(callee=callee):
            return callee in ("malloc", "realloc", "aligned_alloc")
        case _:
            return False


def _statements(program: Program) -> Iterator[Statement]:
    for function in program.functions.values():
        for block in function.blocks:
            yield from block.statements
