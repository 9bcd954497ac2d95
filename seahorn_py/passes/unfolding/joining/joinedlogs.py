"""Logs of objects where several edges meet: an entry holds for runs by the edge that wrote it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from seahorn_py.ir.program import FALSE, TRUE, Operand
from seahorn_py.ir.types import IntType
from seahorn_py.passes.unfolding.code.values import Unfit, Value, is_operand
from seahorn_py.passes.unfolding.state.storage import (
    Contents,
    Copied,
    Entry,
    Filled,
    Written,
    checked,
)

Carry = Callable[[Value, frozenset[int]], Value]
"""A value that exists on some of the edges -> a value of the new block, arbitrary on the others."""


class JoinedLogs:
    """Joins the logs of a number of edges.  `phi` of operands, one an edge, is that of the edge
    taken.
    """

    def __init__(
        self, edges: int, carry: Carry, phi: Callable[[Sequence[Operand]], Operand]
    ) -> None:
        self._edges = edges
        self._carry = carry
        self._phi = phi
        self._bits: dict[int, Operand] = {}

    def contents(self, parts: Sequence[Contents | None], word: IntType) -> Contents:
        """The contents of an object that has a log on some edge; None where it does not exist."""
        made = [edge for edge, part in enumerate(parts) if part is not None]
        known = [part.logged(word) for part in parts if part is not None]
        first, *others = known
        if any(part.base is not first.base or part.initial is not first.initial for part in others):
            raise Unfit(
                "an object becomes arbitrary on one path, and is accessed at unknown offsets"
            )
        several = [part.log or () for part in known]
        log = self.joined(several, made)
        return Contents(first.initial, {}, log, first.base)

    def joined(
        self, several: Sequence[tuple[Entry, ...]], made: Sequence[int] | None = None
    ) -> tuple[Entry, ...]:
        """The entries that all logs begin with, then the others of each edge.

        The logs belong to the edges `made`; None: to all.
        """
        edges = range(self._edges) if made is None else made
        common = 0
        while all(len(log) > common and log[common] == several[0][common] for log in several):
            common += 1
        found = list(several[0][:common])
        if len(edges) < self._edges:
            found = [self.carried(entry, frozenset(edges)) for entry in found]
        for edge, log in zip(edges, several, strict=True):
            found += (self._on_edge(entry, edge) for entry in log[common:])
        return checked(tuple(found))

    def _on_edge(self, entry: Entry, edge: int) -> Entry:
        """The entry, for runs by one edge alone."""
        moved = self.carried(entry, frozenset({edge}))
        return replace(moved, condition=self._bit(edge)) if entry.condition == TRUE else moved

    def _bit(self, edge: int) -> Operand:
        if edge not in self._bits:
            self._bits[edge] = self._phi([TRUE if e == edge else FALSE for e in range(self._edges)])
        return self._bits[edge]

    def carried(self, entry: Entry, edges: frozenset[int]) -> Entry:
        """An entry whose registers exist on some edges; its condition is false on the others."""
        at = self._operand(entry.at, edges)
        condition = self._operand(entry.condition, edges)
        match entry:
            case Written(_, size, value):
                return Written(at, size, self._carry(value, edges), condition)
            case Filled(_, length, byte):
                return Filled(at, self._operand(length, edges), self._carry(byte, edges), condition)
            case Copied(_, length, source, start):
                whole, first = self._operand(length, edges), self._operand(start, edges)
                return Copied(at, whole, self._snapshot(source, edges), first, condition)

    def _snapshot(self, source: Contents, edges: frozenset[int]) -> Contents:
        log = tuple(self.carried(entry, edges) for entry in source.log or ())
        return Contents(source.initial, {}, log, source.base)

    def _operand(self, operand: Operand, edges: frozenset[int]) -> Operand:
        carried = self._carry(operand, edges)
        assert is_operand(carried)
        return carried
