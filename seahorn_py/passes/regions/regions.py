"""Memory to regions: what `promote_memory` left becomes registers that hold memory regions.

The points-to analysis (`passes.pointsto`) says which accesses may touch the same memory,
`passes.regions.plan` which cells that makes, `passes.regions.exchanged_cells` which functions
exchange them, `passes.regions.lowering` rewrites a function, and `passes.promotion.ssa` places the
phis.  Functions take and return the regions that they or their callees read and write.
"""

from __future__ import annotations

from dataclasses import replace

from seahorn_py.ir.program import (
    Alloca,
    Call,
    Cast,
    CastOp,
    Compare,
    Function,
    Havoc,
    Load,
    MemoryCopy,
    MemorySet,
    Offset,
    Program,
    Statement,
    Store,
)
from seahorn_py.ir.types import POINTER
from seahorn_py.passes.environment import ALLOCATION
from seahorn_py.passes.pointsto.bindings import Kind
from seahorn_py.passes.pointsto.pointsto import points_to
from seahorn_py.passes.regions.addresses import placed
from seahorn_py.passes.regions.exchanged_cells import traffic
from seahorn_py.passes.regions.exposed import exposures, frees
from seahorn_py.passes.regions.lowering import Lowering
from seahorn_py.passes.regions.plan import Plan
from seahorn_py.passes.regions.writer import Sites
from seahorn_py.passes.simplify.blocks import drop_unreachable

EXHAUSTED = "memory for stack and heap is not exhausted"
NO_END = "memory that is given back is not used again: bit-vectors may have too few addresses"
"""The counter only grows.  Runs that take more memory, bit by bit, than there are addresses are
exhausted where it would wrap, though they never hold much; addresses that are integers have no end.
"""


def memory_to_regions(program: Program) -> Program:
    """Turn the memory that is accessed by known kinds of pointers into region registers."""
    if not any(map(_uses_memory, program.functions.values())):
        return program
    reachable = {name: drop_unreachable(f) for name, f in program.functions.items()}
    program = replace(program, functions=reachable)
    plan = Plan(program, points_to(program))
    if not plan.areas:
        return _exposed(program, plan)
    sites, exchanged = Sites(program.sites), traffic(plan)
    functions = {
        name: Lowering(plan, exchanged, function, sites).run()
        for name, function in program.functions.items()
    }
    counted = _counted(plan)
    after = replace(
        program,
        functions=functions,
        sites=(*program.sites, *sites.made),
        assumptions=(*program.assumptions, EXHAUSTED) if counted else program.assumptions,
        bit_gaps=(NO_END,) if _gives_back(program, counted) else (),
    )
    return placed(_exposed(after, plan), plan.placement)


def _exposed(program: Program, plan: Plan) -> Program:
    gaps, assumed = exposures(plan)
    return replace(
        program,
        gaps=(*program.gaps, *gaps),
        assumptions=(*program.assumptions, *assumed),
    )


def _uses_memory(function: Function) -> bool:
    return any(_is_about_memory(s) for block in function.blocks for s in block.statements)


def _is_about_memory(statement: Statement) -> bool:
    match statement:
        case Load() | Store() | MemoryCopy() | MemorySet() | Havoc() | Alloca() | Offset():
            return True
        case Compare(left=left):
            return left.type == POINTER
        case Cast(op=op):
            return op in (CastOp.PTRTOINT, CastOp.INTTOPTR)
        case Call(callee=callee):
            return callee in ALLOCATION
        case _:
            return False


def _counted(plan: Plan) -> frozenset[Kind]:
    """The kinds of the objects that take their addresses from the counter."""
    objects = (made for area in plan.areas.values() for made, _ in area.node.data)
    return frozenset(made.kind for made in objects if plan.placement.symbol(made) is None)


def _gives_back(program: Program, counted: frozenset[Kind]) -> bool:
    """Whether objects of the counter end before the run does."""
    return Kind.STACK in counted or (Kind.HEAP in counted and frees(program))
