"""Formulas over integers, case by case: each case is a conjunction of comparisons of polynomials.

Comparisons become Boolean symbols, whose truth is decided one after the other (Davis, Logemann,
Loveland 1962).  A quotient with its remainder is two new symbols with what defines them, and so is
a conditional term.  Equations that have a symbol by itself are solved for that symbol, which is
replaced everywhere.  Terms of which nothing is known become symbols, so that a case may be
satisfiable although its formula is not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from functools import cached_property

from pysmt import operators as op

from seahorn_py.base.records import dataclass
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.binding import nodes
from seahorn_py.logic.terms.ideals import Ideal
from seahorn_py.logic.terms.polynomials import Polynomial, constant, given_by, polynomial
from seahorn_py.logic.terms.propagation import propagated
from seahorn_py.logic.terms.terms import Term
from seahorn_py.processes.deadline import Deadline

MOST_BRANCHES = 32
"""A formula with more cases has none."""

MOST_STEPS = 400
"""Decisions on the way to these cases."""

MOST_NODES = 3000
"""A formula with more terms has no cases: each decision looks at all of them."""


class Relation(Enum):
    """How a polynomial is compared with 0."""

    ZERO = "="
    NONZERO = "!="
    NONNEGATIVE = ">="


@dataclass(frozen=True)
class Comparison:
    """A polynomial with integer coefficients, compared with 0."""

    polynomial: Polynomial
    relation: Relation

    def term(self) -> Term:
        """The comparison as a formula."""
        scaled, zero = self.polynomial.term(self.polynomial.denominator), terms.int_const(0)
        if self.relation is Relation.NONNEGATIVE:
            return terms.le(zero, scaled)
        equal = terms.eq(scaled, zero)
        return equal if self.relation is Relation.ZERO else terms.not_(equal)

    def at(self, values: Mapping[Term, Polynomial]) -> Comparison:
        """The comparison with symbols replaced."""
        if self.polynomial.symbols.isdisjoint(values):
            return self
        return Comparison(self.polynomial.at(values), self.relation)

    def reduced(self, ideal: Ideal) -> Comparison:
        """The comparison without multiples of polynomials that are 0."""
        return Comparison(ideal.reduced(self.polynomial), self.relation)

    def truth(self) -> bool | None:
        """Whether it holds, where no symbol occurs."""
        if self.polynomial.symbols:
            return None
        number = self.polynomial.coefficients.get((), 0)
        match self.relation:
            case Relation.ZERO:
                return number == 0
            case Relation.NONZERO:
                return number != 0
            case Relation.NONNEGATIVE:
                return number >= 0

    def negation(self) -> Comparison:
        """The comparison that holds exactly where this one does not."""
        match self.relation:
            case Relation.ZERO:
                return Comparison(self.polynomial, Relation.NONZERO)
            case Relation.NONZERO:
                return Comparison(self.polynomial, Relation.ZERO)
            case Relation.NONNEGATIVE:
                below = constant(-1).plus(self.polynomial, -1)
                return Comparison(below, Relation.NONNEGATIVE)


@dataclass(frozen=True)
class Branch:
    """A case: comparisons that all hold, and what the symbols are that these do not mention."""

    comparisons: tuple[Comparison, ...]
    values: Mapping[Term, Polynomial]

    @property
    def equations(self) -> list[Polynomial]:
        """The polynomials that are 0."""
        return [c.polynomial for c in self.comparisons if c.relation is Relation.ZERO]

    @cached_property
    def ideal(self) -> Ideal:
        """What follows from the equations."""
        return Ideal(self.equations)


def branches(
    conditions: Sequence[Term],
    deadline: Deadline,
    kept: Iterable[Term] = (),
    *,
    reducing: bool = True,
) -> list[Branch] | None:
    """The cases of a conjunction; None where they, or its terms, are too many for the time.

    Equations are not solved for symbols that are `kept`.  With `reducing` comparisons lose what
    is a multiple of an equation.
    """
    if len({node for condition in conditions for node in nodes(condition)}) > MOST_NODES:
        return None
    skeleton = _Skeleton()
    parts = [skeleton.formula(condition) for condition in conditions]
    found: list[Branch] = []
    todo: list[tuple[Sequence[Term], Mapping[Term, Term]]] = [([*parts, *skeleton.defined], {})]
    for _ in range(MOST_STEPS):
        if not todo:
            return found
        if not deadline.remaining:
            return None
        left, known = propagated(*todo.pop())
        if terms.FALSE in left:
            continue
        choice = _choice(_without_definitions(left, skeleton))
        if choice is not None:
            todo += [([*left, terms.not_(choice)], known), ([*left, choice], known)]
            continue
        branch = solved(skeleton.comparisons(known), {}, frozenset(kept), reducing=reducing)
        if branch is not None:
            found.append(branch)
        if len(found) > MOST_BRANCHES:
            return None
    return None


def solved(
    comparisons: Iterable[Comparison],
    values: Mapping[Term, Polynomial],
    kept: frozenset[Term] = frozenset(),
    *,
    reducing: bool = True,
) -> Branch | None:
    """The case with its equations solved as far as that is simple; None if it is contradictory.

    `values` are of symbols that were replaced before.
    """
    open_, known = list(comparisons), dict(values)
    while True:
        left = _distinct(open_)
        if left is None:
            return None
        equations = (one.polynomial for one in left if one.relation is Relation.ZERO)
        given = next((g for one in equations if (g := given_by(one, kept))), None)
        if given is not None:
            open_ = [one.at(given) for one in left]
            known = {s: _at(value, given) for s, value in known.items()} | given
            continue
        open_ = _reduced(left) if reducing else left
        if open_ == left:
            return Branch(tuple(left), known)


def _at(value: Polynomial, given: Mapping[Term, Polynomial]) -> Polynomial:
    return value if value.symbols.isdisjoint(given) else value.at(given)


def _distinct(comparisons: Iterable[Comparison]) -> list[Comparison] | None:
    """Those that say something, bounds from both sides as equations; None if one is false."""
    left: dict[tuple[object, Relation], Comparison] = {}
    for one in comparisons:
        if one.truth() is False:
            return None
        if one.truth() is None:
            key = frozenset(one.polynomial.coefficients.items())
            opposite = frozenset((m, -c) for m, c in one.polynomial.coefficients.items())
            bound = Relation.NONNEGATIVE
            if one.relation is bound and left.pop((opposite, bound), None) is not None:
                one = Comparison(one.polynomial, Relation.ZERO)
            left[key, one.relation] = one
    return list(left.values())


def _reduced(comparisons: Sequence[Comparison]) -> list[Comparison]:
    """The comparisons without multiples of the equations."""
    ideal = Branch(tuple(comparisons), {}).ideal
    return [c if c.relation is Relation.ZERO else c.reduced(ideal) for c in comparisons]


def _choice(parts: Sequence[Term]) -> Term | None:
    """A symbol whose truth is open, of the smallest part."""
    for part in sorted(parts, key=lambda part: len(terms.free_symbols(part))):
        for symbol in terms.by_name(terms.free_symbols(part)):
            return symbol
    return None


def _without_definitions(parts: Sequence[Term], skeleton: _Skeleton) -> list[Term]:
    """The parts without those that only say what a symbol stands for that nothing else uses."""
    left = list(parts)
    while True:
        uses: dict[Term, int] = {}
        for part in left:
            for symbol in terms.free_symbols(part):
                uses[symbol] = uses.get(symbol, 0) + 1
        needed = [p for p in left if not _defines_unused(p, uses, skeleton)]
        if len(needed) == len(left):
            return left
        left = needed


def _defines_unused(part: Term, uses: Mapping[Term, int], skeleton: _Skeleton) -> bool:
    if not part.is_iff():
        return False
    return any(
        one.is_symbol()
        and uses[one] == 1
        and not skeleton.is_comparison(one)
        and one not in terms.free_symbols(other)
        for one, other in (part.args(), tuple(reversed(part.args())))
    )


class _Skeleton:
    """Formulas with a Boolean symbol for each comparison; `defined` says what new symbols are."""

    def __init__(self) -> None:
        self.defined: list[Term] = []
        self._compared: dict[Term, Comparison] = {}
        self._symbols: dict[tuple[object, Relation], Term] = {}
        self._built: dict[Term, Term] = {}
        self._divided: dict[tuple[Term, Term], tuple[Term, Term]] = {}
        self._made = 0

    def formula(self, term: Term) -> Term:
        """The formula over these symbols."""
        for node in nodes(term):
            if node not in self._built:
                self._built[node] = self._node(node, [self._built[a] for a in node.args()])
        return self._built[term]

    def is_comparison(self, symbol: Term) -> bool:
        """Whether a symbol stands for a comparison."""
        return symbol in self._compared

    def comparisons(self, known: Mapping[Term, Term]) -> list[Comparison]:
        """Those whose truth is known, or their negations."""
        return [
            one if known[symbol] is terms.TRUE else one.negation()
            for symbol, one in self._compared.items()
            if symbol in known
        ]

    def _node(self, node: Term, arguments: Sequence[Term]) -> Term:
        is_number = terms.sort_of(node) is terms.INT
        kind, known = node.node_type(), is_number or terms.sort_of(node) is terms.BOOL
        if kind in (op.BOOL_CONSTANT, op.INT_CONSTANT) or (kind == op.SYMBOL and known):
            return node
        if kind in _CONNECTIVES:
            return _CONNECTIVES[kind](arguments)
        if kind in _ARITHMETIC and is_number:
            return _ARITHMETIC[kind](arguments)
        if kind in (op.LE, op.LT, op.EQUALS) and _are_numbers(node):
            return self._comparison(node, *arguments)
        if kind == op.ITE and known:
            return self._conditional(*arguments)
        if kind == op.FUNCTION and node.function_name().symbol_name() in ("div", "mod"):
            quotient, rest = self._division(*arguments)
            return rest if node.function_name().symbol_name() == "mod" else quotient
        return self._new(node, terms.INT if is_number else terms.BOOL)

    def _comparison(self, node: Term, left: Term, right: Term) -> Term:
        one, other = polynomial(left), polynomial(right)
        if one is None or other is None:
            return self._new(node, terms.BOOL)
        if node.is_equals():
            return self._symbol(Comparison(one.plus(other, -1), Relation.ZERO))
        below = other.plus(one, -1).plus(constant(1), -1 if node.is_lt() else 0)
        return self._symbol(Comparison(below, Relation.NONNEGATIVE))

    def _symbol(self, one: Comparison) -> Term:
        """The symbol of a comparison, or the negation of that of its negation."""
        truth = one.truth()
        if truth is not None:
            return terms.bool_const(truth)
        if _leading(one.polynomial) < 0:
            if one.relation is Relation.NONNEGATIVE:
                return terms.not_(self._symbol(one.negation()))
            one = Comparison(constant(0).plus(one.polynomial, -1), one.relation)
        key = frozenset(one.polynomial.coefficients.items()), one.relation
        if key not in self._symbols:
            self._symbols[key] = self._fresh(terms.BOOL)
            self._compared[self._symbols[key]] = one
        return self._symbols[key]

    def _conditional(self, condition: Term, then: Term, otherwise: Term) -> Term:
        if terms.sort_of(then) is terms.BOOL:
            negation = terms.not_(condition)
            parts = terms.implies(condition, then), terms.implies(negation, otherwise)
            return terms.and_(parts)
        value = self._fresh(terms.INT)
        self.defined += [
            terms.implies(condition, self._equal(value, then)),
            terms.implies(terms.not_(condition), self._equal(value, otherwise)),
        ]
        return value

    def _division(self, dividend: Term, divisor: Term) -> tuple[Term, Term]:
        """A quotient and a remainder, which are arbitrary if the divisor is 0."""
        key = dividend, divisor
        if key not in self._divided:
            quotient, rest = self._fresh(terms.INT), self._fresh(terms.INT)
            self._divided[key] = quotient, rest
            whole = terms.plus(_product((divisor, quotient)), rest)
            zero = terms.int_const(0)
            self.defined += [
                terms.or_((self._equal(divisor, zero), self._equal(dividend, whole))),
                self._at_least(rest, zero),
            ]
            for sign in (1, -1):
                size = terms.times(terms.int_const(sign), divisor)
                below = self._at_least(size, terms.plus(rest, terms.int_const(1)))
                positive = self._at_least(size, terms.int_const(1))
                self.defined.append(terms.implies(positive, below))
        return self._divided[key]

    def _equal(self, left: Term, right: Term) -> Term:
        return self._comparison(terms.eq(left, right), left, right)

    def _at_least(self, left: Term, right: Term) -> Term:
        return self._comparison(terms.le(right, left), right, left)

    def _new(self, node: Term, sort: terms.Sort) -> Term:
        """A symbol for a term of which nothing is known."""
        return self._built.setdefault(node, self._fresh(sort))

    def _fresh(self, sort: terms.Sort) -> Term:
        self._made += 1
        return terms.symbol(f"branch!{sort}{self._made}", sort)


def _leading(whole: Polynomial) -> int:
    """The sign of one coefficient, the same whatever the order in which they came."""
    first = min(whole.coefficients, key=lambda m: (not m, [(s.symbol_name(), p) for s, p in m]))
    return 1 if whole.coefficients[first] > 0 else -1


def _product(factors: Sequence[Term]) -> Term:
    result = factors[0]
    for factor in factors[1:]:
        result = terms.times(result, factor)
    return result


def _are_numbers(node: Term) -> bool:
    return all(terms.sort_of(argument) is terms.INT for argument in node.args())


_CONNECTIVES: dict[int, Callable[[Sequence[Term]], Term]] = {
    op.AND: terms.and_,
    op.OR: terms.or_,
    op.NOT: lambda parts: terms.not_(*parts),
    op.IMPLIES: lambda parts: terms.implies(*parts),
    op.IFF: lambda parts: terms.iff(*parts),
}

_ARITHMETIC: dict[int, Callable[[Sequence[Term]], Term]] = {
    op.PLUS: lambda parts: terms.plus(*parts),
    op.MINUS: lambda parts: terms.minus(*parts),
    op.TIMES: _product,
}
