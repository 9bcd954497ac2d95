"""One rule as a partitioned relation between states."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from seahorn_py.engines.boolean.diagrams import Diagram, conjoined, renamed
from seahorn_py.engines.boolean.expressions import (
    Bit,
    Expression,
    leaves,
)
from seahorn_py.engines.boolean.rules import BooleanRule, Location
from seahorn_py.engines.boolean.semantics import Meaning, Pair
from seahorn_py.options import Semantics

Variable = tuple[int, int]
"""A column and a number in it."""


class Transition:
    """The rule; `head` is the column of the derived state.

    A bit of premise 0 that the head has at the same position stays where it is, so that a statement
    costs what it changes and not what it leaves alone.
    """

    def __init__(
        self, meaning: Meaning, locations: Sequence[Location], rule: BooleanRule, head: int
    ) -> None:
        self._meaning = meaning
        self._space = meaning.space
        self._rule = rule
        self._head = head
        self._widths = [meaning.width(locations[location].bits) for location in rule.body]
        self._guard = meaning.guard(rule.guard)
        self._updates: list[tuple[int, Pair]] = []
        self._support: list[set[Variable]] = []
        kept: set[Variable] = set()
        for index, value in enumerate(rule.updates):
            if value == Bit(0, index):
                kept |= self._variables(0, index)
                continue
            read = self._read(value)
            for variable, pair in meaning.updates(index, value):
                self._updates.append((variable, pair))
                self._support.append(read)
        if meaning.semantics is Semantics.BELNAP and rule.head is not None:
            self._add_sureness(locations[rule.head].bits)
        self._gone = self._schedule(kept)
        changed = [variable for variable, _ in self._updates]
        self._settled = self._space.renaming([((head, v), (0, v)) for v in changed])
        self._moved = [
            self._space.renaming([((0, v), (k, v)) for v in range(width)])
            for k, width in enumerate(self._widths)
        ]

    def _add_sureness(self, bits: int) -> None:
        rule = self._rule
        flags = [width - 1 for width in self._widths]
        where = self._meaning.sure(rule.guard, flags)
        self._updates.append((2 * bits, Pair(where, ~where)))
        self._support.append(self._read(rule.guard) | set(enumerate(flags)))

    def _schedule(self, kept: set[Variable]) -> list[Diagram]:
        """Before the first update and after each one: the variables that nothing reads any more."""
        read = [
            (column, variable)
            for column, width in enumerate(self._widths)
            for variable in range(width)
            if (column, variable) not in kept
        ]
        last = dict.fromkeys(read, 0)
        for position, support in enumerate(self._support):
            last |= {variable: position + 1 for variable in support if variable in last}
        groups: list[list[Variable]] = [[] for _ in range(len(self._updates) + 1)]
        for variable, position in last.items():
            groups[position].append(variable)
        return [self._space.cube(group) for group in groups]

    def image(self, premises: Sequence[Diagram]) -> Diagram:
        """The states that the rule derives from states of these sets, all in column 0."""
        found = conjoined(self._together(premises), self._guard, self._gone[0])
        for (variable, pair), gone in zip(self._updates, self._gone[1:], strict=True):
            new = self._space.variable(self._head, variable)
            found = conjoined(found, new.ite(pair.true, pair.false), gone)
        return renamed(found, self._settled) if self._updates else found

    def before(self, premises: Sequence[Diagram], state: Sequence[bool]) -> Diagram:
        """Those of the premises from which the rule derives this state."""
        found = self._together(premises) & self._guard
        for variable, pair in self._updates:
            found = found & (pair.true if state[variable] else pair.false)
        changed = {variable for variable, _ in self._updates}
        for variable, value in enumerate(state):
            if variable not in changed:
                same = self._space.variable(0, variable)
                found = found & (same if value else ~same)
        return found

    def met(self, premises: Sequence[Diagram]) -> Iterator[tuple[bool, Diagram]]:
        """Of a rule that derives an error: whether it is for sure, and where it is taken."""
        where = self._together(premises) & self._guard
        match self._meaning.semantics:
            case Semantics.OVER:
                yield False, where
            case Semantics.UNDER:
                yield True, where
            case Semantics.BELNAP:
                flags = [width - 1 for width in self._widths]
                yield True, where & self._meaning.sure(self._rule.guard, flags)
                yield False, where

    def _together(self, premises: Sequence[Diagram]) -> Diagram:
        found = self._space.true
        for column, states in enumerate(premises):
            moved = renamed(states, self._moved[column]) if column else states
            found = found & moved
        return found

    def _read(self, expression: Expression) -> set[Variable]:
        return {variable for bit in bits_of(expression) for variable in self._variables(*bit)}

    def _variables(self, premise: int, index: int) -> set[Variable]:
        if self._meaning.semantics is Semantics.BELNAP:
            return {(premise, 2 * index), (premise, 2 * index + 1)}
        return {(premise, index)}


def bits_of(expression: Expression) -> Iterator[tuple[int, int]]:
    """The (premise, index) of the bits that an expression reads."""
    return ((bit.premise, bit.index) for bit in leaves(expression) if isinstance(bit, Bit))
