"""The first precision: nothing, what the program compares, or what generated invariants say.

Comparisons of the rules are what SLAM and CPAchecker can begin with.  The conjuncts of generated
invariants are predicates like others: the abstraction finds out anew which of them hold.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from seahorn_py.base.records import dataclass
from seahorn_py.engines.refinement.configuration import Initial, Split
from seahorn_py.engines.refinement.precision import Precision
from seahorn_py.engines.refinement.predicates import (
    atoms_of,
    is_literal,
    literal,
    pieces,
    predicate,
)
from seahorn_py.horn.system import HornSystem, Model, is_obligation
from seahorn_py.invariants.generation import improving
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.connectives import conjuncts_below_negations
from seahorn_py.logic.terms.terms import Term
from seahorn_py.policy.policy import policy
from seahorn_py.processes.deadline import Deadline

MOST_CONDITIONS = 24
"""The most conditions of one relation; those where the program branches come first."""


@dataclass(frozen=True)
class Beginning:
    """A precision, and a model that excludes all queries already, with the solver it rests on."""

    precision: Precision
    proof: Model | None = None
    finder: Solver = Solver.Z3


def beginning(
    system: HornSystem, initial: Initial, split: Split, deadline: Deadline, memory_mib: int
) -> Beginning:
    """What the loop begins with."""
    match initial:
        case Initial.NONE:
            return Beginning(Precision())
        case Initial.CONDITIONS | Initial.DEMAND:
            return Beginning(Precision().plus(_conditions(system)))
        case Initial.INVARIANTS:
            found = invariants(system, split, deadline, memory_mib)
            precision = found.precision.plus(_conditions(system))
            return Beginning(precision, found.proof, found.finder)


def invariants(system: HornSystem, split: Split, deadline: Deadline, memory_mib: int) -> Beginning:
    """The conjuncts of the strongest invariants that a share of the time gives."""
    model = Model({})
    until = deadline.share(policy().refinement.invariants_share)
    for found in improving(system, until, memory_mib):
        if found.proof is not None:
            return Beginning(Precision(), found.proof, found.finder)
        model = found.model
    conjuncts = (
        (name, piece)
        for name, formula in model.interpretations.items()
        for piece in pieces(formula, split)
    )
    return Beginning(Precision().plus(conjuncts))


def _conditions(system: HornSystem) -> Iterator[tuple[str, Term]]:
    """The atoms of constraints that speak of one premise only, over the relation's parameters.

    What all rules that use the relation demand, as the ranges of its parameters, decides nothing.
    """
    found: dict[str, dict[Term, None]] = {name: {} for name in system.relations}
    demanded: dict[str, list[frozenset[Term]]] = {name: [] for name in system.relations}
    for rule in sorted(system.rules, key=is_obligation):
        for atom in rule.body:
            symbols = system.relations[atom.relation].symbols
            pairs = zip(atom.arguments, symbols, strict=True)
            back = {argument: symbol for argument, symbol in pairs if argument.is_symbol()}
            found[atom.relation] |= dict.fromkeys(_about(atoms_of(rule.constraint), back))
            parts = (
                part for part in conjuncts_below_negations(rule.constraint) if is_literal(part)
            )
            demanded[atom.relation].append(frozenset(_about(parts, back)))
    for name, own in found.items():
        idle = frozenset[Term]()
        if len(demanded[name]) > 1:
            idle = frozenset(map(predicate, frozenset.intersection(*demanded[name])))
        chosen = dict.fromkeys(predicate(one) for one in own if not one.is_bool_constant())
        yield from ((name, one) for one in [p for p in chosen if p not in idle][:MOST_CONDITIONS])


def _about(formulas: Iterable[Term], back: Mapping[Term, Term]) -> Iterator[Term]:
    """The literals that speak of the arguments only, over the parameters."""
    for one in formulas:
        free = terms.free_symbols(one)
        if free and free <= back.keys():
            yield literal(terms.substitute(one, back))
