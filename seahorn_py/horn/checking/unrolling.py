"""The checker of proofs by unrolling: no query within the bounds, and nothing beyond them.

The checker shares no code with the engine that found the proof.  It unrolls the system again
(`unrolling_child`), along a nesting of its loops that the bounds themselves give (`nesting`).  The
result is one formula, which is satisfiable if a derivation reaches a query or goes beyond a bound.
cvc5 and z3 are asked, but not the solver that found the proof.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from seahorn_py.base.errors import InputError
from seahorn_py.base.records import dataclass
from seahorn_py.horn.checking.nesting import NoUnrolling, calls_of, order_of
from seahorn_py.horn.system import HornSystem, Unrolling
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.logic.solvers.solvers import Status, check_side_by_side
from seahorn_py.policy.policy import policy
from seahorn_py.processes import child
from seahorn_py.processes.deadline import Deadline

_MEMORY_MIB = 4096


@dataclass(frozen=True)
class Confirmation:
    """Which solver confirmed that the bounds suffice, or why none did (`solver` is empty)."""

    solver: str
    reason: str = ""


def confirm(
    system: HornSystem, proof: Unrolling, finder: Solver, deadline: Deadline
) -> Confirmation:
    """Whether the bounds suffice and no query is reachable within them."""
    try:
        calls = calls_of(system)
        order_of(system, calls, proof.bounds)
        work = partial(_script, system, calls, proof.bounds, deadline)
        with child.Fork(work, deadline, _MEMORY_MIB) as copy:
            script = str(copy.result())
    except NoUnrolling as failure:
        return Confirmation("", str(failure))
    except (child.ChildError, InputError) as failure:
        return Confirmation("", f"unrolling: {failure}")
    if not script and finder is not Solver.CVC5:
        return Confirmation("cvc5's rewriter")
    return _unsat(script, [s for s in (Solver.CVC5, Solver.Z3) if s is not finder], deadline)


def _script(
    system: HornSystem, calls: Mapping[str, str], bounds: Mapping[str, int], deadline: Deadline
) -> str:
    from seahorn_py.horn.checking.unrolling_child import script  # cvc5 loads slowly

    return script(system, calls, bounds, deadline)


def _unsat(script: str, solvers: list[Solver], deadline: Deadline) -> Confirmation:
    """Whether one of the solvers finds the script unsatisfiable."""
    apart = policy().confirming.unrolling_apart_seconds
    solver, answer = check_side_by_side(script, solvers, deadline, apart)
    if solver is None:
        return Confirmation("", f"the unrolled system is not decided: {answer.reason}")
    if answer.status is Status.SAT:
        return Confirmation("", f"{solver.value}: a run reaches a query or goes on")
    return Confirmation(solver.value)
