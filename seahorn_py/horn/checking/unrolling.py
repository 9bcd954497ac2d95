"""The checker of proofs by unrolling: no query within the bounds, and nothing beyond them.

The checker shares no code with the engine that found the proof.  It unrolls the system again
(`unrolling_child`), along a nesting of its loops that the bounds themselves give (`nesting`).  The
result is one formula, which is satisfiable if a derivation reaches a query or goes beyond a bound.
cvc5 and z3 are asked, but not the solver that found the proof.  Where all ends together take more
than a share of the time, each end is asked for by itself, with the lines that it is made of.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import cast

from seahorn_py.base.errors import InputError
from seahorn_py.base.patterns import pattern
from seahorn_py.base.records import dataclass
from seahorn_py.horn.checking.nesting import NoUnrolling, calls_of, order_of
from seahorn_py.horn.system import HornSystem, Unrolling
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.logic.solvers.solvers import Answer, Status, check_scripts, check_side_by_side
from seahorn_py.policy.policy import policy
from seahorn_py.processes import child
from seahorn_py.processes.deadline import Deadline

_MEMORY_MIB = 4096
_CONSTANT = pattern(r"\bu\d+\b")

Script = tuple[list[str], list[str]]
"""Lines that declare constants and say what they are, and the conditions to reach an end."""


@dataclass(frozen=True)
class Confirmation:
    """Which solvers confirmed that the bounds suffice, or why none did (`solver` is empty)."""

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
            lines, ends = cast(Script, copy.result())
    except NoUnrolling as failure:
        return Confirmation("", str(failure))
    except (child.ChildError, InputError) as failure:
        return Confirmation("", f"unrolling: {failure}")
    if not ends and finder is not Solver.CVC5:
        return Confirmation("cvc5's rewriter")
    return _unsat(lines, ends, [s for s in (Solver.CVC5, Solver.Z3) if s is not finder], deadline)


def _script(
    system: HornSystem, calls: Mapping[str, str], bounds: Mapping[str, int], deadline: Deadline
) -> Script:
    from seahorn_py.horn.checking.unrolling_child import script  # cvc5 loads slowly

    return script(system, calls, bounds, deadline)


def _unsat(
    lines: Sequence[str], ends: Sequence[str], solvers: Sequence[Solver], deadline: Deadline
) -> Confirmation:
    """Whether the solvers find that no end can be reached: all together, or one by one."""
    confirming = policy().confirming
    together = "\n".join([*lines, f"(assert (or false {' '.join(ends)}))"])
    first = deadline.share(confirming.unrolling_together_share if len(ends) > 1 else 1.0)
    apart = confirming.unrolling_apart_seconds
    solver, answer = check_side_by_side(together, solvers, first, apart)
    if solver is not None:
        return _confirmation(solver, answer)
    left = [_cone(lines, end) for end in ends] if len(ends) > 1 else []
    who: dict[str, None] = {}
    for solver in reversed(solvers) if left else ():
        share = deadline.share(1.0 if solver is solvers[0] else confirming.unrolling_first_share)
        each = share.remaining * confirming.unrolling_end_share
        answers = check_scripts(left, solver, share, seconds_each=each)
        found = next((a for a in answers if a.status is Status.SAT), None)
        if found is not None:
            return _confirmation(solver, found)
        open_ = [a.status is not Status.UNSAT for a in answers]
        left = [script for script, is_open in zip(left, open_, strict=True) if is_open]
        if not all(open_):
            who[solver.value] = None
        if not left:
            return Confirmation(" and ".join(who))
    return Confirmation("", f"the unrolled system is not decided: {answer.reason}")


def _confirmation(solver: Solver, answer: Answer) -> Confirmation:
    if answer.status is Status.SAT:
        return Confirmation("", f"{solver.value}: a run reaches a query or goes on")
    return Confirmation(solver.value)


def _cone(lines: Sequence[str], end: str) -> str:
    """The script that asks for one end: without the lines about what it is not made of.

    A line declares or constrains the constant that it names first, and names earlier ones only.
    """
    needed, kept = set(_CONSTANT.findall(end)), [f"(assert {end})"]
    for line in reversed(lines):
        names = _CONSTANT.findall(line)
        if names[0] in needed:
            needed.update(names)
            kept.append(line)
    return "\n".join(reversed(kept))
