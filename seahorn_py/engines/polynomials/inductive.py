"""The largest inductive set of comparisons, and the part of it that excludes the queries.

Flanagan, Leino: Houdini, an annotation assistant for ESC/Java, FME 2001.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from seahorn_py.base.records import dataclass
from seahorn_py.horn.system import Atom, HornSystem, Rule
from seahorn_py.logic.solvers.natives import Solvers
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.logic.solvers.solvers import Status
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.branches import Branch, Comparison, Relation, branches, solved
from seahorn_py.logic.terms.polynomials import Monomial, Polynomial, variable
from seahorn_py.logic.terms.terms import Term
from seahorn_py.policy.policy import policy
from seahorn_py.processes.deadline import Deadline

LARGE = 1 << 30
"""Comparisons with larger numbers are about ranges of types."""

Facts = dict[str, list[Comparison]]
"""For each relation comparisons over its parameters."""


@dataclass(frozen=True)
class Way:
    """One case of a rule: `given` stand for the numbers of the premise, `derived` are the head's.

    `premise` and `head` are relations; empty where there is none.
    """

    premise: str
    head: str
    branch: Branch
    given: Mapping[Term, Term]
    derived: Mapping[Term, Polynomial]


def numbers_of(system: HornSystem, relation: str) -> list[Term]:
    """The parameters that are integers."""
    return [s for s in system.relations[relation].symbols if terms.sort_of(s) is terms.INT]


def ways_of(system: HornSystem, rule: Rule) -> list[Way] | None:
    """The cases of a linear rule; None if they are too many."""
    head = rule.head if isinstance(rule.head, Atom) else None
    premise = rule.body[0] if rule.body else None
    given = {} if premise is None else _named(system, premise, "given")
    derived = {} if head is None else _named(system, head, "derived")
    equations = [terms.eq(own, value) for own, value in (*given.values(), *derived.values())]
    known = [own for own, _ in given.values()]
    found = branches([*equations, rule.constraint], known)
    if found is None:
        return None
    return [
        Way(
            premise.relation if premise else "",
            head.relation if head else "",
            Branch(tuple(filter(_tells, branch.comparisons)), branch.values),
            {parameter: own for parameter, (own, _) in given.items()},
            {parameter: _value(own, branch) for parameter, (own, _) in derived.items()},
        )
        for branch in found
    ]


def _tells(one: Comparison) -> bool:
    """Whether it is more than that a product does not wrap, which makes questions hard."""
    return one.polynomial.degree < 2 or not is_about_ranges(one)


def is_about_ranges(one: Comparison) -> bool:
    """Whether a comparison has numbers as large as those of types."""
    return any(abs(c) >= LARGE for c in one.polynomial.coefficients.values())


def _named(system: HornSystem, atom: Atom, name: str) -> dict[Term, tuple[Term, Term]]:
    """For each parameter that is an integer a symbol, and the argument."""
    symbols = system.relations[atom.relation].symbols
    return {
        parameter: (terms.symbol(f"polynomials!{name}{k}", terms.INT), argument)
        for k, (parameter, argument) in enumerate(zip(symbols, atom.arguments, strict=True))
        if terms.sort_of(parameter) is terms.INT
    }


def _value(symbol: Term, branch: Branch) -> Polynomial:
    return branch.values.get(symbol, variable(symbol))


class Houdini:
    """`facts` are those that no way violates so far."""

    def __init__(self, ways: Sequence[Way], facts: Facts, deadline: Deadline) -> None:
        self._ways = ways
        self._deadline = deadline
        self._solvers = Solvers(Solver.Z3)
        self.facts = facts

    def run(self) -> None:
        """Drop facts until every way keeps those that are left."""
        waiting = dict.fromkeys(k for k, way in enumerate(self._ways) if way.head)
        while waiting and self._deadline.remaining > 0:
            at = next(iter(waiting))
            del waiting[at]
            way = self._ways[at]
            gone = self._violated(way)
            if gone:
                left = self.facts[way.head]
                self.facts[way.head] = [f for k, f in enumerate(left) if k not in gone]
                using = (k for k, one in enumerate(self._ways) if one.head)
                waiting |= dict.fromkeys(k for k in using if self._ways[k].premise == way.head)

    def needed(self) -> Facts | None:
        """Facts that exclude the queries, and those on which they rest; None if there are none."""
        found: dict[str, dict[int, None]] = {name: {} for name in self.facts}
        asked: deque[tuple[Way, int | None]] = deque((w, None) for w in self._ways if not w.head)
        while asked:
            way, fact = asked.popleft()
            below = self._rests_on(way, fact, found)
            if below is None:
                return None
            for one in below:
                if one not in found[way.premise]:
                    found[way.premise][one] = None
                    asked += [(w, one) for w in self._ways if w.head == way.premise]
        return {
            name: [fact for k, fact in enumerate(self.facts[name]) if k in own]
            for name, own in found.items()
        }

    # ------------------------------------------------------------------------------- questions

    def _violated(self, way: Way) -> set[int]:
        """The facts about the head that are not seen to be kept."""
        base = self._base(way, range(len(self.facts.get(way.premise, ()))))
        if base is None:
            return set()
        seconds = policy().polynomials.question_seconds
        goals = {k: self._goal(way, k, base) for k in range(len(self.facts[way.head]))}
        open_ = {k: goal.negation() for k, goal in goals.items() if goal.truth() is not True}
        if not open_ or self._linearly(base, list(open_.values()), seconds):
            return set()
        return {k for k, violated in open_.items() if not self._refuted(base, [violated], seconds)}

    def _rests_on(
        self, way: Way, fact: int | None, known: Mapping[str, Iterable[int]]
    ) -> list[int] | None:
        """Few facts about the premise that suffice; those that are known to be needed come free.

        What follows from equations is not asked about without them.
        """
        free = list(known.get(way.premise, ()))
        paid = [k for k in range(len(self.facts.get(way.premise, ()))) if k not in free]
        seconds = float(policy().polynomials.question_seconds)
        if self._holds(way, fact, [*free, *paid], 0.0):
            seconds = 0.0
        elif not self._holds(way, fact, [*free, *paid], seconds):
            return None
        seconds = min(seconds, policy().polynomials.leaving_out_seconds)
        chunk = max(1, len(paid) // 2)
        while chunk:
            at = len(paid)
            while at > 0 and self._deadline.remaining > 0:
                at = max(0, at - chunk)
                less = paid[:at] + paid[at + chunk :]
                if self._holds(way, fact, [*free, *less], seconds):
                    paid = less
            chunk //= 2
        return [*free, *paid]

    def _holds(self, way: Way, fact: int | None, chosen: Iterable[int], seconds: float) -> bool:
        """Whether facts about the premise suffice; without a solver if it has no time."""
        base = self._base(way, chosen)
        if base is None:
            return True
        if fact is None:
            return self._refuted(base, (), seconds)
        goal = self._goal(way, fact, base)
        return goal.truth() is True or self._refuted(base, [goal.negation()], seconds)

    def _base(self, way: Way, chosen: Iterable[int]) -> Branch | None:
        """What holds in a way under facts about the premise; None if nothing does."""
        given = {parameter: variable(own) for parameter, own in way.given.items()}
        facts = [self.facts[way.premise][k].at(given) for k in sorted(chosen)]
        values = way.branch.values
        return solved([*way.branch.comparisons, *(f.at(values) for f in facts)], values)

    def _goal(self, way: Way, fact: int, base: Branch) -> Comparison:
        goal = self.facts[way.head][fact].at(way.derived).at(base.values)
        return goal.reduced(base.ideal)

    def _refuted(self, base: Branch, some: Sequence[Comparison], seconds: float) -> bool:
        """Whether none of some comparisons can hold, or the base cannot if there are none.

        The first question takes products for numbers of their own.
        """
        open_ = [one for one in some if one.truth() is not False]
        if some and not open_:
            return True
        return self._linearly(base, open_, seconds) or self._unsatisfiable(
            base.comparisons, open_, seconds
        )

    def _linearly(self, base: Branch, some: Sequence[Comparison], seconds: float) -> bool:
        names: dict[Monomial, Term] = {}
        simple = [_over_monomials(one, names) for one in base.comparisons]
        return self._unsatisfiable(simple, [_over_monomials(one, names) for one in some], seconds)

    def _unsatisfiable(
        self, base: Iterable[Comparison], some: Sequence[Comparison], seconds: float
    ) -> bool:
        seconds = min(seconds, self._deadline.remaining)
        if not seconds:
            return False
        parts = [one.term() for one in base]
        parts += [terms.or_(one.term() for one in some)] if some else []
        symbols = terms.by_name({s for part in parts for s in terms.free_symbols(part)})
        names = {symbol: f"c!{k}" for k, symbol in enumerate(symbols)}
        backend = self._solvers.backend()
        backend.declare(names)
        backend.add(*(backend.formula(part, names) for part in parts))
        return backend.check((), self._deadline.at, seconds) is Status.UNSAT


def _over_monomials(one: Comparison, names: dict[Monomial, Term]) -> Comparison:
    """The comparison with a symbol for each product."""
    found: dict[Monomial, Fraction] = {}
    for monomial, coefficient in one.polynomial.coefficients.items():
        if sum(power for _, power in monomial) > 1:
            fresh = terms.symbol(f"polynomials!product{len(names)}", terms.INT)
            monomial = ((names.setdefault(monomial, fresh), 1),)
        found[monomial] = coefficient
    return Comparison(Polynomial(found), one.relation)


def is_equation(fact: Comparison) -> bool:
    """Whether a fact says that a polynomial is 0."""
    return fact.relation is Relation.ZERO
