"""Rules over integers, case by case, and what comparisons of polynomials say in a case."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from seahorn_py.base.records import dataclass
from seahorn_py.horn.system import Atom, HornSystem, Rule
from seahorn_py.logic.solvers.natives import Solvers
from seahorn_py.logic.solvers.solvers import Status
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.branches import Branch, Comparison, branches, solved
from seahorn_py.logic.terms.polynomials import Monomial, Polynomial, variable
from seahorn_py.logic.terms.terms import Term
from seahorn_py.processes.deadline import Deadline

LARGE = 1 << 30
"""Comparisons with larger numbers are about ranges of types."""


@dataclass(frozen=True)
class IntegerWay:
    """One case of a rule: `given` stand for the numbers of the premise, `derived` are the head's.

    `premise` and `head` are relations; empty where there is none.
    """

    premise: str
    head: str
    branch: Branch
    given: Mapping[Term, Term]
    derived: Mapping[Term, Polynomial]
    solvers: Solvers

    def under(self, facts: Sequence[Comparison], deadline: Deadline) -> UnderComparisons:
        """The case under comparisons over the parameters of the premise."""
        given = {parameter: variable(own) for parameter, own in self.given.items()}
        values = self.branch.values
        own = (fact.at(given).at(values) for fact in facts)
        base = solved([*self.branch.comparisons, *own], values)
        return UnderComparisons(self, base, deadline)


def numbers_of(system: HornSystem, relation: str) -> list[Term]:
    """The parameters that are integers."""
    return [s for s in system.relations[relation].symbols if terms.sort_of(s) is terms.INT]


def ways_of(
    system: HornSystem, rule: Rule, solvers: Solvers, deadline: Deadline
) -> list[IntegerWay] | None:
    """The cases of a linear rule; None if they are too many."""
    head = rule.head if isinstance(rule.head, Atom) else None
    premise = rule.body[0] if rule.body else None
    given = {} if premise is None else _named(system, premise, "given")
    derived = {} if head is None else _named(system, head, "derived")
    equations = [terms.eq(own, value) for own, value in (*given.values(), *derived.values())]
    known = [own for own, _ in given.values()]
    found = branches([*equations, rule.constraint], deadline, known)
    if found is None:
        return None
    return [
        IntegerWay(
            premise.relation if premise else "",
            head.relation if head else "",
            Branch(tuple(filter(_tells, branch.comparisons)), branch.values),
            {parameter: own for parameter, (own, _) in given.items()},
            {parameter: _value(own, branch) for parameter, (own, _) in derived.items()},
            solvers,
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


class UnderComparisons:
    """What holds in a case under facts about the premise; `base` is None if nothing does."""

    def __init__(self, way: IntegerWay, base: Branch | None, deadline: Deadline) -> None:
        self._way = way
        self._base = base
        self._deadline = deadline

    def violated(self, goals: Sequence[Comparison], seconds: float) -> set[int]:
        """The places of those facts about the head that are not seen to be kept."""
        base = self._base
        if base is None:
            return set()
        here = [self._here(goal, base) for goal in goals]
        open_ = {k: one.negation() for k, one in enumerate(here) if one.truth() is not True}
        if not open_ or self._linearly(base, list(open_.values()), seconds):
            return set()
        return {k for k, one in open_.items() if not self._refuted(base, [one], seconds)}

    def holds(self, goal: Comparison | None, seconds: float) -> bool:
        """Whether a fact about the head follows, or without one, whether nothing is possible."""
        base = self._base
        if base is None:
            return True
        if goal is None:
            return self._refuted(base, (), seconds)
        here = self._here(goal, base)
        return here.truth() is True or self._refuted(base, [here.negation()], seconds)

    def _here(self, goal: Comparison, base: Branch) -> Comparison:
        return goal.at(self._way.derived).at(base.values).reduced(base.ideal)

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
        backend = self._way.solvers.backend()
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
