"""Guess, prove, and guess at a higher degree."""

from __future__ import annotations

from collections.abc import Sequence

from seahorn_py.engines.conclusion import Conclusion, Limit, Proved, verdict
from seahorn_py.engines.polynomials.bit_ways import BitWay
from seahorn_py.engines.polynomials.guesses import (
    MOST_MONOMIALS,
    Fact,
    Facts,
    bits_of,
    congruences_of,
    degree_for,
    facts_of,
)
from seahorn_py.engines.polynomials.inductive import Houdini
from seahorn_py.engines.polynomials.integer_ways import IntegerWay, numbers_of, ways_of
from seahorn_py.engines.polynomials.random_states import States, states_of
from seahorn_py.engines.polynomials.vanishing import MORE_POINTS
from seahorn_py.engines.states.choices import TooMany
from seahorn_py.horn.system import HornSystem, Model
from seahorn_py.logic.solvers.natives import Solvers
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.logic.solvers.solvers import are_bits
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.branches import Comparison, Relation
from seahorn_py.logic.terms.terms import Term
from seahorn_py.policy.policy import policy
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Verdict

HIGHEST = 6
"""No polynomial has a higher degree."""


def solve(system: HornSystem, deadline: Deadline) -> Verdict:
    """What polynomials say of the queries."""
    if not system.linear:
        return verdict(Limit("only systems whose rules have one premise at most"))
    wanted = MOST_MONOMIALS + MORE_POINTS
    try:
        states = states_of(system, wanted, deadline.share(policy().polynomials.runs_share))
    except TooMany as reason:
        return verdict(Limit(str(reason)))
    if are_bits(system.formulas(), quantified=True):
        return _about_bits(system, states, deadline)
    return _about_integers(system, states, deadline)


def _about_integers(system: HornSystem, states: States, deadline: Deadline) -> Verdict:
    ways: list[IntegerWay] = []
    solvers = Solvers(Solver.Z3)
    soon = deadline.share(policy().polynomials.ways_share)
    for rule in system.rules:
        found = ways_of(system, rule, solvers, soon)
        if found is None:
            return verdict(Limit(f"too many ways through {rule.name}"))
        ways += found
    conclusion: Conclusion = Limit("no degree")
    counted = {"states": sum(map(len, states.values()))}
    for degree in _degrees([len(numbers_of(system, name)) for name in system.relations]):
        facts = facts_of(system, ways, states, degree)
        counted |= {"degree": degree, "candidates": sum(map(len, facts.values()))}
        for chosen in (_equations(facts), facts):
            needed = _needed(Houdini(ways, chosen, deadline), deadline)
            if isinstance(needed, dict):
                conjuncts = {name: [f.term() for f in own] for name, own in needed.items()}
                return verdict(_proved(conjuncts), counted)
            conclusion = needed
            if deadline.remaining <= 0:
                return verdict(conclusion, counted)
    return verdict(conclusion, counted)


def _about_bits(system: HornSystem, states: States, deadline: Deadline) -> Verdict:
    solvers = Solvers(Solver.Z3)
    ways = [BitWay(system, rule, solvers) for rule in system.rules]
    conclusion: Conclusion = Limit("no degree")
    counted = {"states": sum(map(len, states.values()))}
    for degree in _degrees([len(bits_of(system, name)) for name in system.relations]):
        facts = congruences_of(system, states, degree)
        counted |= {"degree": degree, "candidates": sum(map(len, facts.values()))}
        needed = _needed(Houdini(ways, facts, deadline), deadline)
        if isinstance(needed, dict):
            return verdict(_proved(needed), counted)
        conclusion = needed
        if deadline.remaining <= 0:
            break
    return verdict(conclusion, counted)


def _equations(facts: Facts[Comparison]) -> Facts[Comparison]:
    return {
        name: [fact for fact in own if fact.relation is Relation.ZERO]
        for name, own in facts.items()
    }


def _degrees(sizes: Sequence[int]) -> list[int]:
    """Degrees from 2 on, as long as some relation has few enough monomials of them."""
    return [
        degree
        for degree in range(2, HIGHEST + 1)
        if degree == 2 or any(size and degree_for(size, degree) == degree for size in sizes)
    ]


def _needed(houdini: Houdini[Fact], deadline: Deadline) -> Facts[Fact] | Limit:
    """Inductive facts that exclude the queries."""
    houdini.run()
    if deadline.remaining <= 0:
        return Limit("time limit")
    needed = houdini.needed()
    return Limit("no guess that is inductive excludes the queries") if needed is None else needed


def _proved(conjuncts: Facts[Term]) -> Proved:
    return Proved(Model({name: terms.and_(own) for name, own in conjuncts.items()}), Solver.Z3)
