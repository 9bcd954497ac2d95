"""Formulas over uninterpreted predicates taken apart into Horn clauses.

An assertion F is turned into the cases of its negation, as a tableau does: conjunctions are
collected, disjunctions that mention a predicate fork, and so do some with quantifiers; existential
variables become variables of the clause.  A case holds positive predicate literals (the body),
negative ones (the head, at most one in a Horn clause) and formulas without predicates (the
constraint).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field

from seahorn_py.base.records import dataclass
from seahorn_py.horn.system import Atom
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Term

MAX_CASES = 512
"""How many clauses one assertion may become."""


MOST_FORKS = 64
"""How many more they may become for quantifiers alone; other quantifiers stay in constraints."""


class NotHorn(Exception):
    """The formula is no conjunction of Horn clauses; the text says why."""


@dataclass(frozen=True)
class Clause:
    """`body and constraint -> head`; without a head, `false`."""

    body: tuple[Atom, ...]
    constraint: Term
    head: Atom | None


_Branch = tuple[tuple[Term, bool], ...]


@dataclass
class _Case:
    """A branch: a stack of what is still to be split (formula, polarity), and what was found."""

    pending: list[tuple[Term, bool]]
    used: set[Term]
    body: list[Atom] = field(default_factory=list)
    heads: list[Atom] = field(default_factory=list)
    constraint: list[Term] = field(default_factory=list)

    def fork(self, branch: _Branch) -> _Case:
        """A copy that must also satisfy `branch`."""
        return _Case(
            [*self.pending, *reversed(branch)],
            set(self.used),
            list(self.body),
            list(self.heads),
            list(self.constraint),
        )


def clauses(formula: Term, predicates: Mapping[Term, str]) -> Iterator[Clause]:
    """The clauses of a closed or implicitly universal formula; NotHorn when it has none.

    `predicates` maps the function symbols that stand for relations to the relations' names.
    """
    splitter = _Splitter(predicates)
    free = {symbol for symbol in terms.free_symbols(formula) if symbol not in predicates}
    todo = [_Case([(formula, False)], free)]
    count = 0
    while todo:
        case = todo.pop()
        while case.pending:
            todo.extend(reversed(splitter.step(case)))
        count += 1
        if count + len(todo) > MAX_CASES:
            raise NotHorn("its disjunctions over predicates have too many cases")
        constraint = terms.and_(case.constraint)
        if constraint is not terms.FALSE:
            yield _clause(case, constraint)


def _clause(case: _Case, constraint: Term) -> Clause:
    if len(case.heads) > 1:
        names = ", ".join(a.relation for a in case.heads)
        raise NotHorn(f"a clause has more than one head: {names}")
    return Clause(tuple(case.body), constraint, case.heads[0] if case.heads else None)


class _Splitter:
    def __init__(self, predicates: Mapping[Term, str]) -> None:
        self._predicates = predicates
        self._mentions: dict[Term, bool] = {}
        self._forks = MOST_FORKS

    def step(self, case: _Case) -> list[_Case]:
        """Take the top pending formula of `case` apart; the other cases, where it forks."""
        formula, positive = case.pending.pop()
        while formula.is_not():
            formula, positive = formula.arg(0), not positive
        if formula.is_quantifier() and formula.is_exists() is positive:
            _open(case, formula, positive)
            return []
        if not self._mentions_predicate(formula) and not self._is_opened(formula, positive):
            case.constraint.append(formula if positive else terms.not_(formula))
            return []
        atom = self._atom(formula)
        if atom is not None:
            (case.body if positive else case.heads).append(atom)
            return []
        if formula.is_quantifier():
            raise NotHorn("a predicate stands under a quantifier that no clause can have")
        first, *others = _branches(formula, positive)
        forks = [case.fork(branch) for branch in others]
        case.pending.extend(reversed(first))
        return forks

    def _is_opened(self, formula: Term, positive: bool) -> bool:
        """Whether a formula without predicates is taken apart, for variables that exist in it."""
        is_connective = formula.is_and() or formula.is_or() or formula.is_implies()
        if not is_connective or not terms.is_quantified(formula):
            return False
        self._forks -= len(_branches(formula, positive)) - 1
        return self._forks >= 0

    def _atom(self, formula: Term) -> Atom | None:
        if formula in self._predicates:
            return Atom(self._predicates[formula], ())
        if formula.is_function_application():
            if any(self._mentions_predicate(a) for a in formula.args()):
                raise NotHorn("a predicate stands in an argument")
            return Atom(self._predicates[formula.function_name()], tuple(formula.args()))
        return None

    def _mentions_predicate(self, formula: Term) -> bool:
        known = self._mentions.get(formula)
        if known is not None:
            return known
        mentions = self._mentions
        todo = [formula]
        while todo:
            node = todo[-1]
            waiting = [a for a in node.args() if a not in mentions]
            if waiting:
                todo.extend(waiting)
                continue
            todo.pop()
            name = node.function_name() if node.is_function_application() else node
            mentions[node] = name in self._predicates or any(mentions[a] for a in node.args())
        return mentions[formula]


def _open(case: _Case, formula: Term, positive: bool) -> None:
    """Make the variables of a quantifier variables of the clause."""
    variables = formula.quantifier_vars()
    fresh = {v: terms.fresh_like(v) for v in variables if v in case.used}
    case.pending.append((terms.substitute(formula.arg(0), fresh), positive))
    case.used.update(fresh.get(v, v) for v in variables)


def _branches(formula: Term, positive: bool) -> list[_Branch]:
    """The cases of a connective; each is a conjunction of formulas with their polarity."""
    parts = formula.args()
    if formula.is_and() or formula.is_or():
        if formula.is_and() is positive:
            return [tuple((p, positive) for p in parts)]
        return [((p, positive),) for p in parts]
    if formula.is_implies():
        left, right = parts
        if positive:
            return [((left, False),), ((right, True),)]
        return [((left, True), (right, False))]
    if formula.is_iff():
        left, right = parts
        return [((left, True), (right, positive)), ((left, False), (right, not positive))]
    if formula.is_ite():
        condition, then, otherwise = parts
        return [
            ((condition, True), (then, positive)),
            ((condition, False), (otherwise, positive)),
        ]
    raise NotHorn("a predicate stands inside a term")
