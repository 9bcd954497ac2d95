"""PD-KIND on one linear Horn system."""

from __future__ import annotations

from seahorn_py.base.errors import InputError
from seahorn_py.engines.conclusion import Conclusion, Limit, Proved, verdict
from seahorn_py.engines.frames import Base
from seahorn_py.engines.imc.steps import Transitions, is_of_numbers
from seahorn_py.engines.pdkind.pushing import Inductive, Reached, Search
from seahorn_py.horn.system import HornSystem, KInductive
from seahorn_py.invariants.core import excluding
from seahorn_py.logic.solvers.construction.construction import terms_of
from seahorn_py.logic.solvers.construction.protocol import UnsupportedTerm
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.logic.solvers.solvers import Status
from seahorn_py.logic.solvers.statespace import StateSpace, Undecided
from seahorn_py.logic.terms import terms
from seahorn_py.policy.policy import policy
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Verdict

ERROR, ERROR_AFTER = (terms.variable(f"error@{k}", terms.BOOL) for k in range(2))
"""The state in which a query was met, before a step and after it."""


def solve(system: HornSystem, deepest: int, deadline: Deadline) -> Verdict:
    """Search with induction over at most `deepest` steps, until the deadline."""
    if not is_of_numbers(system):
        return verdict(Limit("there is more than numbers and truth values"))
    transitions = Transitions(system)
    space = _space(transitions, deadline)
    error = space.literals(ERROR)
    search = Search(space, error, deepest)
    try:
        match search.run():
            case Reached(steps):
                conclusion = _refuted(system, steps, deadline)
            case Inductive() as found:
                conclusion = _proved(system, transitions, space, found, deadline)
    except Undecided as failure:
        conclusion = Limit(f"after {search.valid} steps: {failure}")
    except InputError as failure:
        conclusion = Limit(f"a lemma cannot be read: {failure}")
    return verdict(conclusion, {"steps": search.valid, "lemmas": search.reaching.learned})


def _space(transitions: Transitions, deadline: Deadline) -> StateSpace:
    """The states of the transitions and one for the error."""
    going_on = terms.and_([transitions.step(0), terms.not_(ERROR_AFTER)])
    failing = terms.and_([transitions.bad(0), ERROR_AFTER])
    return StateSpace(
        terms.and_([transitions.initial, terms.not_(ERROR)]),
        terms.and_([terms.not_(ERROR), terms.or_([going_on, failing])]),
        [*transitions.symbols(0), ERROR],
        [*transitions.symbols(1), ERROR_AFTER],
        deadline.at,
    )


def _proved(
    system: HornSystem,
    transitions: Transitions,
    space: StateSpace,
    found: Inductive,
    deadline: Deadline,
) -> Conclusion:
    """What is inductive, as a model; the part of it that is needed, if that is found soon."""
    lemmas = (terms.not_(space.term(cube)) for cube in found.blocked)
    invariant = terms.substitute(terms.and_(lemmas), {ERROR: terms.FALSE})
    model = transitions.model(invariant)
    if found.depth > 1:
        return Proved(KInductive(found.depth, model), Solver.Z3)
    until = deadline.at_most(policy().kinduction.reducing_seconds).at
    return Proved(excluding(system, model, until) or model, Solver.Z3)


def _refuted(system: HornSystem, steps: int, deadline: Deadline) -> Conclusion:
    """The error that is met within so many steps."""
    try:
        base = Base(system, terms_of(Solver.Z3))
    except UnsupportedTerm as refused:
        return Limit(f"cannot be unrolled: {refused}")
    for _ in range(steps):
        base.deepen()
    if base.ask(deadline.at) is Status.SAT:
        return base.refuted()
    return Limit(f"no error is found within {steps} steps")
