"""Memory to regions: what `promote_memory` left becomes registers that hold memory regions.

The points-to analysis (`passes.pointsto`) says which accesses may touch the same memory,
`passes.region_plan` which cells that makes, `passes.region_traffic` which functions exchange them,
`passes.region_lowering` rewrites a function, and `passes.ssa` places the phis.  Functions take and
return the regions that they or their callees read and write (DESIGN 5.4).
"""

from __future__ import annotations

from dataclasses import replace

from seahorn_py.ir.program import Program
from seahorn_py.passes.addresses import placed
from seahorn_py.passes.blocks import drop_unreachable
from seahorn_py.passes.pointsto import points_to
from seahorn_py.passes.region_lowering import Lowering
from seahorn_py.passes.region_plan import Plan
from seahorn_py.passes.region_traffic import traffic
from seahorn_py.passes.region_writer import Sites


def model_regions(program: Program) -> Program:
    """Turn the memory that is accessed by known kinds of pointers into region registers."""
    reachable = {name: drop_unreachable(f) for name, f in program.functions.items()}
    program = replace(program, functions=reachable)
    plan = Plan(program, points_to(program))
    if not plan.areas:
        return program
    sites, exchanged = Sites(program.sites), traffic(plan)
    functions = {
        name: Lowering(plan, exchanged, function, sites).run()
        for name, function in program.functions.items()
    }
    modelled = replace(program, functions=functions, sites=(*program.sites, *sites.made))
    return placed(modelled, plan.placement)
