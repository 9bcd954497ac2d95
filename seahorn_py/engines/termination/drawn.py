"""Ranks from rounds that are drawn one at a time, where there are too many to have all of them.

A solver is asked for a round that the rank at hand does not decrease.  Of the formula that such a
round fulfils an implicant is taken, which is a convex relation with that round in it.  The rank of
the relations that are drawn is the next one to be asked of, until it decreases all rounds (Cook,
Podelski, Rybalchenko: "Termination proofs for systems code", PLDI 2006, draws whole paths so; for
polyhedra: Gonnord, Monniaux, Radanne: "Synthesis of ranking functions using extremal
counterexamples", PLDI 2015).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field

from seahorn_py.base.records import dataclass
from seahorn_py.engines.refinement.paths import NoPath, implicant
from seahorn_py.engines.termination import ranking
from seahorn_py.engines.termination.cycles import Cycle, known_parts
from seahorn_py.engines.termination.ranking import Linear, Polyhedron, Row
from seahorn_py.horn.system import Atom, HornSystem, Model, Rule
from seahorn_py.horn.transform.transitions import equations
from seahorn_py.logic.presburger.presburger import Beyond, Presburger, bounded, pieces, rows
from seahorn_py.logic.solvers.natives import Solvers
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.logic.solvers.solvers import Status
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Term
from seahorn_py.policy.policy import policy
from seahorn_py.processes.deadline import Deadline

OPERATIONS = 400_000
"""Elementary steps of isl for one relation."""

MOST_DRAWN = 16

State = Sequence[Term]


@dataclass(frozen=True)
class Rounded:
    """The loop that is asked about, and what is known where its rounds pass.

    If it is `typed`, the bounds of types are known, too, and if it `drifts`, what the rounds of
    inner loops do to sums.
    """

    system: HornSystem
    cycle: Cycle
    known: Model
    typed: bool = False
    drifts: bool = False


def drawn(
    loop: Rounded, usable: Sequence[int], deadline: Deadline, *, lasting: bool
) -> tuple[Linear, ...] | None:
    """A rank of all rounds, or of those after which another may follow; None if none is found."""
    parameters = loop.system.relations[loop.cycle.head].symbols
    before, after, later = (_state(name, parameters) for name in ("before", "after", "later"))
    parts = [_Round(loop, "one").formula(before, after)]
    if lasting:
        parts.append(_Round(loop, "next").formula(after, later))
    asked = terms.and_(parts)
    names = {s: f"s{k}" for k, s in enumerate(terms.by_name(terms.free_symbols(asked)))}
    solver = Solvers(Solver.Z3).backend()
    solver.declare(names)
    solver.add(solver.formula(asked, names))
    found: list[Polyhedron] = []
    rank: tuple[Linear, ...] | None = ()
    for _ in range(MOST_DRAWN):
        if rank is None or deadline.remaining <= 0:
            break
        solver.push()
        solver.add(solver.negation(solver.formula(_falls(rank, before, after), names)))
        status = solver.check([], deadline.at, policy().termination.draw_seconds)
        if status is not Status.SAT:
            return rank if status is Status.UNSAT else None
        values = {symbol: solver.value(name, symbol) for symbol, name in names.items()}
        solver.pop()
        more = _around(asked, values, before, after)
        if not more:
            return None
        found += more
        rank = ranking.lexicographic(found, usable, deadline)
    return None


def _around(
    asked: Term, values: Mapping[Term, int | bool], before: State, after: State
) -> list[Polyhedron]:
    """Convex relations of rounds, one of which has the round of these values."""
    try:
        literals = implicant(asked, values)
        arithmetic = Presburger(OPERATIONS)
        with bounded():
            relation = arithmetic.relation(terms.and_(literals), before, after)
            return [
                tuple(Row(tuple(b), tuple(a), c, e) for b, a, c, e in rows(piece))
                for piece in pieces(relation)
            ]
    except (NoPath, Beyond):
        return []


def _state(name: str, parameters: Sequence[Term]) -> list[Term]:
    return [
        terms.variable(f"{name}!{k}", terms.sort_of(symbol)) for k, symbol in enumerate(parameters)
    ]


@dataclass
class _Round:
    """Writes the formula of a round, whose symbols have names of their own."""

    loop: Rounded
    name: str
    reached: dict[str, tuple[Term, State]] = field(default_factory=dict)

    def formula(self, before: State, after: State) -> Term:
        """That a round leads from one state at the head to another."""
        head = self.loop.cycle.head
        self.reached = {head: (self._known(head, before), before)}
        for inner in self.loop.cycle.inside:
            parameters = self.loop.system.relations[inner.relation].symbols
            there = _state(f"{self.name}.{inner.relation}", parameters)
            kept = inner.kept
            same = range(len(there)) if kept is None else sorted(kept)
            ways = list(self._arriving(inner.relation, there, same))
            if ways:
                known = self._known(inner.relation, there)
                self.reached[inner.relation] = terms.and_([terms.or_(ways), known]), there
        ways = list(self._arriving(head, after, range(len(after))))
        return terms.and_([terms.or_(ways), self._known(head, after)])

    def _arriving(self, at: str, there: State, same: Sequence[int]) -> Iterator[Term]:
        """From where the round has been by one rule to a cut point, whose state is the `same`."""
        for rule in self.loop.system.rules:
            if not isinstance(rule.head, Atom) or rule.head.relation != at or not rule.body:
                continue
            if rule.body[0].relation in self.reached:
                yield self._step(rule, there, same)

    def _step(self, rule: Rule, there: State, same: Sequence[int]) -> Term:
        assert isinstance(rule.head, Atom)
        reached, here = self.reached[rule.body[0].relation]
        head = [rule.head.arguments[k] for k in same]
        parts = [
            rule.constraint,
            equations(rule.body[0].arguments, here),
            equations(head, [there[k] for k in same]),
        ]
        for atom in rule.body[1:]:
            parts.append(self._known(atom.relation, atom.arguments))
        step = terms.and_(parts)
        own = terms.free_symbols(step) - {*here, *there}
        renamed = {
            symbol: terms.variable(f"{self.name}.{rule.name}!{k}", terms.sort_of(symbol))
            for k, symbol in enumerate(terms.by_name(own))
        }
        return terms.and_([reached, terms.substitute(step, renamed)])

    def _known(self, relation: str, state: Sequence[Term]) -> Term:
        """What is known of a state there."""
        symbols = self.loop.system.relations[relation].symbols
        system, known = self.loop.system, self.loop.known
        parts = known_parts(system, known, relation, typed=self.loop.typed)
        return terms.substitute(terms.and_(parts), dict(zip(symbols, state, strict=True)))


def _falls(rank: Sequence[Linear], before: State, after: State) -> Term:
    """The rank is less after the round, in the lexicographic order of natural numbers."""
    found = terms.FALSE
    for measure in reversed(rank):
        old, new = _natural(measure, before), _natural(measure, after)
        found = terms.or_([terms.lt(new, old), terms.and_([terms.le(new, old), found])])
    return found


def _natural(measure: Linear, state: State) -> Term:
    total = terms.int_const(measure.constant)
    for factor, symbol in zip(measure.coefficients, state, strict=True):
        if factor:
            total = terms.plus(total, terms.times(terms.int_const(factor), _number(symbol)))
    zero = terms.int_const(0)
    return terms.ite(terms.lt(total, zero), zero, total)


def _number(symbol: Term) -> Term:
    if terms.sort_of(symbol) is not terms.BOOL:
        return symbol
    return terms.ite(symbol, terms.int_const(1), terms.int_const(0))
