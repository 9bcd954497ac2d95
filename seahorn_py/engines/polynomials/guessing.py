"""Guess, prove, and guess at a higher degree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from seahorn_py.engines.conclusion import Conclusion, Limit, Proved, verdict
from seahorn_py.engines.polynomials.guesses import MOST_MONOMIALS, degree_for, facts_of
from seahorn_py.engines.polynomials.inductive import (
    Facts,
    Houdini,
    Way,
    is_equation,
    numbers_of,
    ways_of,
)
from seahorn_py.engines.polynomials.random_states import states_of
from seahorn_py.engines.polynomials.vanishing import MORE_POINTS
from seahorn_py.engines.states.choices import TooMany
from seahorn_py.horn.system import HornSystem, Model
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.logic.terms import terms
from seahorn_py.policy.policy import policy
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Verdict

HIGHEST = 6
"""No polynomial has a higher degree."""


def solve(system: HornSystem, deadline: Deadline) -> Verdict:
    """What polynomials say of the queries."""
    if not system.linear:
        return verdict(Limit("only systems whose rules have one premise at most"))
    ways: list[Way] = []
    for rule in system.rules:
        found = ways_of(system, rule)
        if found is None:
            return verdict(Limit(f"too many ways through {rule.name}"))
        ways += found
    return _searched(system, ways, deadline)


def _searched(system: HornSystem, ways: Sequence[Way], deadline: Deadline) -> Verdict:
    wanted = MOST_MONOMIALS + MORE_POINTS
    try:
        states = states_of(system, wanted, deadline.share(policy().polynomials.runs_share))
    except TooMany as reason:
        return verdict(Limit(str(reason)))
    counted = {"states": sum(map(len, states.values()))}
    conclusion: Conclusion = Limit("no degree")
    for degree in _degrees(system):
        facts = facts_of(system, ways, states, degree)
        counted |= {"degree": degree, "candidates": sum(map(len, facts.values()))}
        for chosen in (_equations(facts), facts):
            conclusion = _concluded(system, ways, chosen, deadline)
            if isinstance(conclusion, Proved) or deadline.remaining <= 0:
                return verdict(conclusion, counted)
    return verdict(conclusion, counted)


def _equations(facts: Facts) -> Facts:
    return {name: [fact for fact in own if is_equation(fact)] for name, own in facts.items()}


def _degrees(system: HornSystem) -> list[int]:
    """Degrees from 2 on, as long as some relation has few enough monomials of them."""
    sizes = [len(numbers_of(system, name)) for name in system.relations]
    return [
        degree
        for degree in range(2, HIGHEST + 1)
        if degree == 2 or any(size and degree_for(size, degree) == degree for size in sizes)
    ]


def _concluded(
    system: HornSystem, ways: Sequence[Way], facts: Facts, deadline: Deadline
) -> Conclusion:
    houdini = Houdini(ways, facts, deadline)
    houdini.run()
    if deadline.remaining <= 0:
        return Limit("time limit")
    needed = houdini.needed()
    if needed is None:
        return Limit("no guess that is inductive excludes the queries")
    return Proved(Model(_interpretations(system, needed)), Solver.Z3)


def _interpretations(system: HornSystem, facts: Facts) -> Mapping[str, terms.Term]:
    return {name: terms.and_(f.term() for f in facts[name]) for name in system.relations}
