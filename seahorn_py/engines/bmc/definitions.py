"""The definitions in a rule's constraint, and the order in which they can be taken.

A conjunct `s = t` may define `s`, and so may `g1 -> s = t1`, `g2 -> s = t2`, ... together.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field

from seahorn_py.base.records import dataclass
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.definitions import values_given
from seahorn_py.logic.terms.terms import Term


@dataclass
class Definition:
    """`symbol` is the value of the case whose guard holds; consumes the `conjuncts`."""

    symbol: Term
    cases: list[tuple[Term, Term]] = field(default_factory=list)
    conjuncts: list[int] = field(default_factory=list)
    total: bool = False

    def needs(self) -> set[Term]:
        """The symbols that must have a value before."""
        needed: set[Term] = set()
        for guard, value in self.cases:
            needed |= terms.free_symbols(guard) | terms.free_symbols(value)
        return needed


class Schedule:
    """The definitions whose needs are known, one for each symbol that is not known yet."""

    def __init__(self, candidates: Sequence[Definition], known: Mapping[Term, int]) -> None:
        self.definable = {c.symbol for c in candidates}
        self._candidates = candidates
        self._known = known
        self._users: dict[Term, list[int]] = {}
        self._missing: list[int] = []
        for number, candidate in enumerate(candidates):
            needed = candidate.needs() - known.keys()
            self._missing.append(len(needed))
            for symbol in needed:
                self._users.setdefault(symbol, []).append(number)
        self._ready = deque(n for n, count in enumerate(self._missing) if not count)

    def know(self, symbol: Term) -> None:
        """The symbol has a value."""
        for number in self._users.get(symbol, ()):
            self._missing[number] -= 1
            if not self._missing[number]:
                self._ready.append(number)

    def next(self) -> Definition | None:
        """A definition of a symbol that has no value yet."""
        while self._ready:
            definition = self._candidates[self._ready.popleft()]
            if definition.symbol not in self._known:
                return definition
        return None


class Conditions:
    """The conjuncts that define nothing, handed out once all their symbols are known."""

    def __init__(self, conjuncts: Sequence[Term]) -> None:
        self._conjuncts = conjuncts
        self._open = [set(terms.free_symbols(c)) for c in conjuncts]
        self._users: dict[Term, list[int]] = {}
        self._done: set[int] = set()
        self._due = list(range(len(conjuncts)))
        for number, symbols in enumerate(self._open):
            for symbol in symbols:
                self._users.setdefault(symbol, []).append(number)

    def consume(self, numbers: Sequence[int]) -> None:
        """These conjuncts hold by definition."""
        self._done.update(numbers)

    def know(self, symbol: Term) -> None:
        """The symbol has a value."""
        for number in self._users.get(symbol, ()):
            self._open[number].discard(symbol)
            self._due.append(number)

    def ready(self, known: Mapping[Term, int]) -> Iterator[Term]:
        """Those that can be evaluated now and were not given before."""
        due, self._due = self._due, []
        for number in due:
            if number not in self._done and self._open[number] <= known.keys():
                self._done.add(number)
                yield self._conjuncts[number]


def candidates(conjuncts: Sequence[Term], bound: Mapping[Term, int]) -> list[Definition]:
    """What could define a symbol; total definitions come first."""
    total: list[Definition] = []
    partial: dict[Term, Definition] = {}
    for number, conjunct in enumerate(conjuncts):
        guard, conclusion = terms.TRUE, conjunct
        if conjunct.is_implies():
            guard, conclusion = conjunct.args()
        for symbol, value in values_given(conclusion):
            if symbol in bound or symbol in terms.free_symbols(value):
                continue
            if guard is terms.TRUE:
                total.append(Definition(symbol, [(guard, value)], [number], total=True))
            else:
                definition = partial.setdefault(symbol, Definition(symbol))
                definition.cases.append((guard, value))
                definition.conjuncts.append(number)
    return [*total, *partial.values()]
