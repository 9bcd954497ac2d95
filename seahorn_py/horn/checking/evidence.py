"""Whether a system is as a proof or a refutation says, whoever made that."""

from __future__ import annotations

from seahorn_py.horn.checking.proofs import Checked, check_proof
from seahorn_py.horn.checking.refutations import check_refutation
from seahorn_py.horn.system import HornSystem, Proof, Refutation
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.processes.deadline import Deadline


def check(
    system: HornSystem,
    evidence: Proof | Refutation,
    timeout: float = 60.0,
    finder: Solver = Solver.Z3,
) -> Checked:
    """Check a proof of any kind, or a refutation; what is not confirmed in `timeout` seconds fails.

    `finder` is the solver that the proof rests on, which is not asked whether it holds.
    """
    deadline = Deadline.after(timeout)
    if isinstance(evidence, Refutation):
        return check_refutation(system, evidence, deadline)
    return check_proof(system, evidence, finder=finder, deadline=deadline)
