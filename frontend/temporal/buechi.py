"""Buechi automata of formulas: an infinite word fulfils the formula if some path accepts it.

    R. Gerth, D. Peled, M. Vardi, P. Wolper: "Simple on-the-fly automatic verification of linear
    temporal logic", PSTV 1995

The tableau gives a state-labelled automaton with one set of accepting states for each `Until`.  A
counter makes one set of them.  States from which no word is accepted are dropped, and states that
nothing tells apart become one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field

from seahorn_py.base.errors import Stage, StageFailure
from seahorn_py.base.records import dataclass
from seahorn_py.frontend.temporal.formula import (
    Both,
    Constant,
    Either,
    Formula,
    Literal,
    Next,
    Release,
    Until,
    negation,
)
from seahorn_py.ir.graph import reached, strong_components

Label = frozenset[Literal]


@dataclass(frozen=True, slots=True)
class Buechi:
    """An automaton whose path is in a state while the word has a letter that fulfils its label.

    A path begins in a state of `first`, goes on to one of `follow`, and is in `accepting` ones
    infinitely often.  States have the numbers of their labels.  Those of one component lie side by
    side.
    """

    labels: tuple[Label, ...]
    first: tuple[int, ...]
    follow: tuple[tuple[int, ...], ...]
    accepting: frozenset[int]

    def components(self) -> list[frozenset[int]]:
        """The states of each component that has a cycle, in the order of states."""
        return _components(self.follow)

    def waits(self) -> bool:
        """Whether some path may stay in one state from the beginning on, whatever the word is."""
        return any(not self.labels[k] and k in self.follow[k] for k in self.first)


def certain(automaton: Buechi) -> frozenset[int]:
    """The states after which each word is accepted, since a path is, whatever its letters are."""
    free = [k for k, label in enumerate(automaton.labels) if not label]
    follow = [[f for f in after if f in free] for after in automaton.follow]
    parts = _components([after if k in free else [] for k, after in enumerate(follow)])
    cycles = {k for part in parts if part & automaton.accepting for k in part}
    edges = dict(enumerate(follow))
    leads = [reached(after, edges) for after in follow]
    return frozenset(k for k, found in enumerate(leads) if cycles & found)


@dataclass
class _Node:
    """A state of the tableau: what holds now, what next, and from where it is entered."""

    incoming: set[int]
    now: frozenset[Formula]
    next: frozenset[Formula]


@dataclass
class _Tableau:
    nodes: list[_Node] = field(default_factory=list)
    closed: int = 0

    def grow(self, formula: Formula) -> None:
        """Add all states; StageFailure where they are too many."""
        self.expand(frozenset({_START}), frozenset({formula}), frozenset(), frozenset())
        for number, node in enumerate(self.nodes):  # which the loop itself adds to
            self.expand(frozenset({number}), node.next, frozenset(), frozenset())

    def expand(
        self,
        incoming: frozenset[int],
        new: frozenset[Formula],
        now: frozenset[Formula],
        after: frozenset[Formula],
    ) -> None:
        """Add the states that fulfil what is `new`, too, and what is `now`."""
        if not new:
            self._close(incoming, now, after)
            return
        formula = min(new, key=repr)
        rest = new - {formula}
        for added, later in _ways(formula, now):
            self.expand(incoming, rest | (added - now), now | {formula}, after | later)

    def _close(
        self, incoming: frozenset[int], now: frozenset[Formula], after: frozenset[Formula]
    ) -> None:
        self.closed += 1
        if self.closed > MOST_STEPS or len(self.nodes) > MOST_STATES:
            raise _too_large()
        for node in self.nodes:
            if node.now == now and node.next == after:
                node.incoming |= incoming
                return
        self.nodes.append(_Node(set(incoming), now, after))


_Way = tuple[frozenset[Formula], frozenset[Formula]]


def _ways(formula: Formula, now: frozenset[Formula]) -> Iterator[_Way]:
    """What must hold now, and what next, so that the formula holds."""
    match formula:
        case Constant(value):
            if value:
                yield frozenset(), frozenset()
        case Literal():
            if negation(formula) not in now:
                yield frozenset(), frozenset()
        case Both(left, right):
            yield frozenset({left, right}), frozenset()
        case Either(left, right):
            yield frozenset({left}), frozenset()
            yield frozenset({right}), frozenset()
        case Next(inner):
            yield frozenset(), frozenset({inner})
        case Until(left, right):
            yield frozenset({right}), frozenset()
            yield frozenset({left}), frozenset({formula})
        case Release(left, right):
            yield frozenset({left, right}), frozenset()
            yield frozenset({right}), frozenset({formula})


_START = -1
MOST_STATES, MOST_STEPS = 3000, 20_000
"""An automaton beyond them makes more code than any engine follows."""


def _too_large() -> StageFailure:
    return StageFailure(Stage.FRONT_END, "the automaton of the formula is too large")


def buechi(formula: Formula) -> Buechi:
    """The automaton of the words that fulfil the formula; StageFailure if it is too large."""
    tableau = _Tableau()
    tableau.grow(formula)
    nodes = tableau.nodes
    follow = [[k for k, n in enumerate(nodes) if at in n.incoming] for at in range(len(nodes))]
    first = [k for k, node in enumerate(nodes) if _START in node.incoming]
    labels = [frozenset(f for f in n.now if isinstance(f, Literal)) for n in nodes]
    untils = sorted({f for n in nodes for f in n.now if isinstance(f, Until)}, key=repr)
    if len(nodes) * len(untils) > MOST_STATES:
        raise _too_large()
    kept = [[u not in n.now or u.right in n.now for n in nodes] for u in untils]
    return _smaller(_counted(labels, first, follow, kept))


def _counted(
    labels: Sequence[Label],
    first: Sequence[int],
    follow: Sequence[Sequence[int]],
    kept: Sequence[Sequence[bool]],
) -> Buechi:
    """One set of accepting states for several: a copy of the states waits for each set in turn."""
    size, count = len(labels), max(1, len(kept))

    def copy(at: int, number: int) -> int:
        return number * size + at

    def turn(at: int, number: int) -> int:
        return (number + 1) % count if not kept or kept[number][at] else number

    return Buechi(
        tuple(labels) * count,
        tuple(copy(k, 0) for k in first),
        tuple(
            tuple(copy(k, turn(at, number)) for k in follow[at])
            for number in range(count)
            for at in range(size)
        ),
        frozenset(copy(at, 0) for at in range(size) if not kept or kept[0][at]),
    )


# ------------------------------------------------------------------------------------------ smaller


def _smaller(automaton: Buechi) -> Buechi:
    """The automaton without states that are of no use, in the order of its components."""
    while True:
        settled = _settled(_weak(_useful(automaton)))
        smaller = _merged(_useful(settled))
        if len(smaller.labels) >= len(automaton.labels):
            return _ordered(smaller)
        automaton = smaller


def _weak(automaton: Buechi) -> Buechi:
    """If each cycle of a component has an accepting state, all its states may accept.

    If none has, none need.
    """
    accepting: set[int] = set()
    for part in automaton.components():
        waiting = part - automaton.accepting
        inside = [[f for f in fs if f in waiting] for fs in automaton.follow]
        goes_round = _components([fs if k in waiting else [] for k, fs in enumerate(inside)])
        accepting |= part & automaton.accepting if goes_round else part
    cyclic = {k for part in automaton.components() for k in part}
    for k in reversed(range(len(automaton.labels))):  # it is visited once: whichever is simpler
        if k not in cyclic and accepting.issuperset(automaton.follow[k]):
            accepting.add(k)
    return Buechi(automaton.labels, automaton.first, automaton.follow, frozenset(accepting))


def _settled(automaton: Buechi) -> Buechi:
    """After states after which each word is accepted comes one that is for ever."""
    found, last = certain(automaton), len(automaton.labels)
    if not found:
        return automaton
    follow = [(last,) if k in found else after for k, after in enumerate(automaton.follow)]
    return Buechi(
        (*automaton.labels, frozenset()),
        automaton.first,
        (*follow, (last,)),
        automaton.accepting | found | {last},
    )


def _useful(automaton: Buechi) -> Buechi:
    """The states that a path enters and from which a word is accepted."""
    edges = dict(enumerate(automaton.follow))
    entered = reached(automaton.first, edges)
    cycling = {k for part in automaton.components() if part & automaton.accepting for k in part}
    leads = [reached([k], edges) for k in range(len(automaton.labels))]
    return _renamed(automaton, [k for k in sorted(entered) if leads[k] & cycling])


def _merged(automaton: Buechi) -> Buechi:
    """States that nothing tells apart are one: the coarsest partition that steps keep."""
    kinds: list[object] = [(x, k in automaton.accepting) for k, x in enumerate(automaton.labels)]
    of = _numbered(kinds)
    while True:
        kinds = [(of[k], frozenset(of[f] for f in fs)) for k, fs in enumerate(automaton.follow)]
        finer = _numbered(kinds)
        if len(set(finer)) == len(set(of)):
            break
        of = finer
    one = {number: k for k, number in reversed(list(enumerate(of)))}
    follow = tuple(tuple(dict.fromkeys(one[of[f]] for f in fs)) for fs in automaton.follow)
    first = tuple(dict.fromkeys(one[of[k]] for k in automaton.first))
    merged = Buechi(automaton.labels, first, follow, automaton.accepting)
    return _renamed(merged, sorted(one.values()))


def _numbered(kinds: Sequence[object]) -> list[int]:
    """A number for each, the same for equal ones."""
    numbers: dict[object, int] = {}
    return [numbers.setdefault(kind, len(numbers)) for kind in kinds]


def _ordered(automaton: Buechi) -> Buechi:
    """The states of one component side by side."""
    order: dict[int, None] = {}
    for part in automaton.components():
        order.update(dict.fromkeys(sorted(part)))
    order.update(dict.fromkeys(range(len(automaton.labels))))
    return _renamed(automaton, list(order))


def _renamed(automaton: Buechi, kept: Sequence[int]) -> Buechi:
    """The automaton of these states, which get the numbers of their places."""
    number = {k: at for at, k in enumerate(kept)}
    return Buechi(
        tuple(automaton.labels[k] for k in kept),
        tuple(number[k] for k in automaton.first if k in number),
        tuple(tuple(number[f] for f in automaton.follow[k] if f in number) for k in kept),
        frozenset(number[k] for k in automaton.accepting if k in number),
    )


def _components(follow: Sequence[Sequence[int]]) -> list[frozenset[int]]:
    """The strongly connected parts with a cycle, in the order of their first states."""
    parts = strong_components(range(len(follow)), follow.__getitem__)
    found = (frozenset(part) for part in parts if len(part) > 1 or part[0] in follow[part[0]])
    return sorted(found, key=min)
