"""Property-directed reachability of one linear Horn system."""

from __future__ import annotations

from seahorn_py.base.errors import InputError
from seahorn_py.engines.conclusion import Conclusion, Limit, Proved, Reached, verdict
from seahorn_py.engines.pdr import blocking
from seahorn_py.engines.pdr.levels import Levels
from seahorn_py.engines.pdr.refuted import refutation
from seahorn_py.horn.system import Atom, HornSystem, Model
from seahorn_py.invariants.core import excluding
from seahorn_py.logic.solvers.rulespace import Clause, End, Place
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.logic.solvers.statespace import Undecided
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.binding import is_quantified
from seahorn_py.logic.terms.datatypes import groups_of
from seahorn_py.policy.policy import policy
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Verdict


def solve(system: HornSystem, deadline: Deadline) -> Verdict:
    """Search until the deadline."""
    if (reason := _declined(system)) is not None:
        return verdict(Limit(reason))
    places, clauses = _clauses(system)
    levels = Levels(clauses, places, deadline.at)
    queries = [clause for clause in clauses if clause.head is None]
    search = blocking.Search(levels, queries)
    try:
        match search.run():
            case blocking.Reached() as met:
                conclusion: Conclusion = Reached(refutation(met, deadline.at))
            case blocking.Inductive(level):
                conclusion = _proved(system, _model(levels, places, level), deadline)
    except Undecided as failure:
        conclusion = Limit(f"at level {search.top}: {failure}")
    except InputError as failure:
        conclusion = Limit(f"a formula of z3 cannot be read: {failure}")
    return verdict(conclusion, {"level": search.top, "lemmas": levels.learned})


def _clauses(system: HornSystem) -> tuple[list[Place], list[Clause]]:
    """Relations and rules in z3."""
    relations = system.relations.values()
    places = [Place(r.name, r.symbols, number) for number, r in enumerate(relations)]
    named = {place.name: place for place in places}
    clauses = []
    for number, rule in enumerate(system.rules):
        premise, head = (
            End(named[atom.relation], atom.arguments) if isinstance(atom, Atom) else None
            for atom in (rule.body[0] if rule.body else None, rule.head)
        )
        clauses.append(Clause(rule.name, rule.constraint, premise, head, number))
    return places, clauses


def _declined(system: HornSystem) -> str | None:
    sorts = [p.sort for r in system.relations.values() for p in r.parameters]
    if groups_of(system.formulas(), sorts):
        return "there are datatypes"
    return "there are quantifiers" if any(map(is_quantified, system.formulas())) else None


def _model(levels: Levels, places: list[Place], level: int) -> Model:
    """The lemmas above a level."""
    return Model(
        {
            place.name: terms.and_(
                terms.not_(place.formula(cube)) for cube in levels.above(place, level + 1)
            )
            for place in places
        }
    )


def _proved(system: HornSystem, model: Model, deadline: Deadline) -> Proved:
    """The model; the part of it that is needed, if that is found soon."""
    until = deadline.at_most(policy().kinduction.reducing_seconds).at
    return Proved(excluding(system, model, until) or model, Solver.Z3)
