"""A rule of a linear system as a program: from the values of its body to those of its head.

The constraint is put in the order of evaluation.  A conjunct `s = t` gives the symbol s its value,
once all of t has one; so do implications `g => s = t`, case by case.  Symbols that nothing gives a
value are chosen: truth values, and numbers that are only compared with constants, of which a few
stand for all.  What is left of the conjuncts is checked as soon as it can be.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import Enum

from seahorn_py.base.records import dataclass
from seahorn_py.engines.states.choices import ANY, TooMany, representatives
from seahorn_py.horn.system import Atom, Rule
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.connectives import conjuncts
from seahorn_py.logic.terms.evaluate import NotEvaluable, Value, compile_term
from seahorn_py.logic.terms.folding import folded
from seahorn_py.logic.terms.terms import Term


class Kind(Enum):
    """What a step of the evaluation does."""

    GIVE = "give"
    CHOOSE = "choose"
    CHECK = "check"


Computed = Callable[[Sequence[Value]], Value]
Choosing = Callable[[Term, Sequence[Term], Sequence[Term]], tuple[Value, ...]]
Taken = Callable[[tuple[Value, ...]], Iterable[Value]]
Derived = tuple[tuple[Value | None, ...], list[Value]]


@dataclass(frozen=True)
class Evaluation:
    """A step: gives or chooses the next value, or ends the way where a check is false."""

    kind: Kind
    value: Computed | None = None
    choices: tuple[Value, ...] = ()


class Successors:
    """What a rule derives; TooMany where the symbols of the rule have too many values.

    An argument of the body at a position in `free` has any value.  `chosen` says where among all
    values those of the symbols are that are chosen: by `choosing`, which gives the values for a
    symbol, the conjuncts that are left and the head.
    """

    def __init__(
        self,
        rule: Rule,
        free: frozenset[int] = frozenset(),
        choosing: Choosing = representatives,
    ) -> None:
        self._choosing = choosing
        body = rule.body[0].arguments if rule.body else ()
        head = rule.head.arguments if isinstance(rule.head, Atom) else ()
        given = [(k, a) for k, a in enumerate(body) if k not in free]
        self._symbols = [terms.variable(f"sea.{k}", terms.sort_of(a)) for k, a in given]
        self._has = set(self._symbols)
        self._any = set[Term]()
        self._steps: list[Evaluation] = []
        self.chosen: dict[Term, int] = {}
        same = [terms.eq(own, a) for own, (_, a) in zip(self._symbols, given, strict=True)]
        known, parts = _propagated([*same, rule.constraint], frozenset(self._has))
        derived = [folded(argument, known) for argument in head]
        self._order(parts, derived)
        self._head = [None if a in self._any else self._compiled(a) for a in derived]

    # --------------------------------------------------------------------------- in an order

    def _order(self, parts: Sequence[Term], head: Sequence[Term]) -> None:
        """Decide on the steps: give what can be given, check what can be checked, then choose."""
        left = [(part, terms.free_symbols(part)) for part in dict.fromkeys(parts)]
        needed = frozenset[Term]().union(*map(terms.free_symbols, (*parts, *head)))
        while True:
            left = self._advanced(left)
            open_ = [s for s in terms.by_name(needed) if s not in self._has and s not in self._any]
            if not open_:
                return
            given = {s for part, _ in left for s in _defined(part)}
            symbol = next((s for s in open_ if s not in given), open_[0])
            choices = self._choosing(symbol, [part for part, _ in left], head)
            if choices is ANY:
                left = [(part, used) for part, used in left if symbol not in used]
                self._any.add(symbol)
                continue
            self.chosen[symbol] = len(self._symbols)
            self._add(symbol, Evaluation(Kind.CHOOSE, choices=choices))

    def _advanced(
        self, left: list[tuple[Term, frozenset[Term]]]
    ) -> list[tuple[Term, frozenset[Term]]]:
        """The conjuncts that neither give a value nor can be checked yet."""
        while True:
            cases = _cases(part for part, _ in left)
            waiting = [(part, used) for part, used in left if not self._take(part, used, cases)]
            if len(waiting) == len(left):
                return waiting
            left = waiting

    def _take(
        self, part: Term, used: frozenset[Term], cases: dict[Term, list[tuple[Term, Term]]]
    ) -> bool:
        """Check a conjunct, or let it give a value; False if it has to wait."""
        if used <= self._has:
            self._steps.append(Evaluation(Kind.CHECK, self._compiled(part)))
            return True
        for symbol, guard, value in _ways(part):
            ways = [(guard, value)] if guard is terms.TRUE else cases[symbol]
            rest = frozenset[Term]().union(*(terms.free_symbols(t) for way in ways for t in way))
            if symbol not in self._has and rest <= self._has:
                given = ways[-1][1]
                for condition, term in reversed(ways[:-1]):
                    given = terms.ite(condition, term, given)
                self._add(symbol, Evaluation(Kind.GIVE, self._compiled(given)))
                return guard is terms.TRUE
        return False

    def _add(self, symbol: Term, step: Evaluation) -> None:
        self._steps.append(step)
        self._symbols.append(symbol)
        self._has.add(symbol)

    def _compiled(self, term: Term) -> Computed:
        try:
            return compile_term(term, self._symbols)
        except NotEvaluable as reason:
            raise TooMany(str(reason)) from reason

    # ------------------------------------------------------------------------------- evaluation

    def of(self, values: Iterable[Value], taken: Taken = tuple) -> Iterator[Derived]:
        """The values of the head, None for any value, with the values of all symbols.

        Of the choices for a symbol those are followed that are `taken`.
        """
        return self._from(0, list(values), taken)

    def _from(self, at: int, values: list[Value], taken: Taken) -> Iterator[Derived]:
        for position in range(at, len(self._steps)):
            step = self._steps[position]
            if step.value is None:
                for choice in taken(step.choices):
                    yield from self._from(position + 1, [*values, choice], taken)
                return
            value = step.value(values)
            if step.kind is Kind.GIVE:
                values.append(value)
            elif not value:
                return
        yield tuple(None if a is None else a(values) for a in self._head), values


def _propagated(parts: Iterable[Term], own: frozenset[Term]) -> tuple[dict[Term, Term], list[Term]]:
    """The symbols that are constants, other than `own`, and the conjuncts with these constants."""
    known: dict[Term, Term] = {}
    left = [part for whole in parts for part in conjuncts(whole)]
    while True:
        fresh: dict[Term, Term] = {}
        for part in left:
            symbol, value = _constant(part)
            if symbol not in own:
                fresh.setdefault(symbol, value)
        fresh.pop(terms.TRUE, None)
        if not fresh:
            return known, left
        known |= fresh
        left = [part for whole in left for part in conjuncts(folded(whole, fresh))]


def _constant(part: Term) -> tuple[Term, Term]:
    """The symbol that a conjunct makes a constant, and that; TRUE twice if there is none."""
    if part.is_symbol():
        return part, terms.TRUE
    if part.is_not() and part.arg(0).is_symbol():
        return part.arg(0), terms.FALSE
    if part.is_equals() or part.is_iff():
        for one, other in (part.args(), tuple(reversed(part.args()))):
            is_array = terms.sort_of(one).is_array_type()
            if one.is_symbol() and not is_array and other.is_constant():
                return one, other
    return terms.TRUE, terms.TRUE


def _cases(parts: Iterable[Term]) -> dict[Term, list[tuple[Term, Term]]]:
    """For each symbol that implications give a value: guards with values."""
    found: dict[Term, list[tuple[Term, Term]]] = {}
    for part in parts:
        for symbol, guard, value in _ways(part):
            if guard is not terms.TRUE:
                found.setdefault(symbol, []).append((guard, value))
    return found


def _defined(part: Term) -> Iterator[Term]:
    """The symbols that a conjunct may give a value."""
    return (symbol for symbol, _, _ in _ways(part))


def _ways(part: Term) -> Iterator[tuple[Term, Term, Term]]:
    """Symbols with guard and value, as a conjunct has them."""
    guard, equation = part.args() if part.is_implies() else (terms.TRUE, part)
    if equation.is_equals() or equation.is_iff():
        for one, other in (equation.args(), tuple(reversed(equation.args()))):
            if one.is_symbol() and one not in terms.free_symbols(other):
                yield one, guard, other
            if other.is_plus() and len(other.args()) == 2:
                yield from ((s, guard, value) for s, value in _summands(one, other))


def _summands(whole: Term, total: Term) -> Iterator[tuple[Term, Term]]:
    """A symbol with its value, where it and a constant are a number together."""
    for one, other in (total.args(), tuple(reversed(total.args()))):
        if one.is_symbol() and other.is_int_constant() and one not in terms.free_symbols(whole):
            yield one, terms.minus(whole, other)
