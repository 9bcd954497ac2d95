"""Transition power abstraction on one linear Horn system."""

from __future__ import annotations

from seahorn_py.base.errors import InputError
from seahorn_py.engines.conclusion import Conclusion, Limit, Proved, Reached, verdict
from seahorn_py.engines.frames import Base
from seahorn_py.engines.imc.steps import Transitions, is_of_numbers
from seahorn_py.engines.tpa.learning import Invariant
from seahorn_py.engines.tpa.powers import Search
from seahorn_py.engines.tpa.runs import refutation
from seahorn_py.engines.tpa.spaces import space_of
from seahorn_py.engines.tpa.splitting import SplitSearch
from seahorn_py.horn.system import HornSystem, Model
from seahorn_py.invariants.core import excluding
from seahorn_py.logic.solvers.construction.construction import terms_of
from seahorn_py.logic.solvers.construction.protocol import UnsupportedTerm
from seahorn_py.logic.solvers.cubes import split
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.logic.solvers.solvers import Status
from seahorn_py.logic.solvers.statespace import StateSpace, Undecided
from seahorn_py.policy.policy import policy
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Verdict


def solve(system: HornSystem, halved: bool, deadline: Deadline) -> Verdict:
    """Search until the deadline, with two sequences of powers where they are `halved`."""
    if not is_of_numbers(system):
        return verdict(Limit("there is more than numbers and truth values"))
    try:
        base = Base(system, terms_of(Solver.Z3))
    except UnsupportedTerm as refused:
        return verdict(Limit(f"cannot be unrolled: {refused}"))
    if base.ask(deadline.at) is Status.SAT:
        return verdict(base.refuted())
    if not system.relations:
        return verdict(Proved(Model({}), Solver.Z3))
    transitions = Transitions(system)
    space = space_of(transitions, deadline.at, staying=not halved)
    search = SplitSearch(space) if halved else Search(space)
    conclusion = _searched(system, transitions, space, search, deadline)
    return verdict(conclusion, {"power": search.power, "interpolants": search.learned})


def _searched(
    system: HornSystem,
    transitions: Transitions,
    space: StateSpace,
    search: Search,
    deadline: Deadline,
) -> Conclusion:
    try:
        match search.run():
            case Invariant(formula):
                invariant = space.term(split(formula))
                return _proved(system, transitions.model(invariant), deadline)
            case run:
                return Reached(refutation(system, run, deadline.at))
    except Undecided as failure:
        return Limit(f"within 2^{search.power} steps: {failure}")
    except InputError as failure:
        return Limit(f"a formula of z3 cannot be read: {failure}")


def _proved(system: HornSystem, model: Model, deadline: Deadline) -> Proved:
    """The model; the part of it that is needed, if that is found soon."""
    until = deadline.at_most(policy().kinduction.reducing_seconds).at
    return Proved(excluding(system, model, until) or model, Solver.Z3)
