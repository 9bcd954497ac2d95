"""The largest inductive set of facts, and the part of it that excludes the queries.

Flanagan, Leino: Houdini, an annotation assistant for ESC/Java, FME 2001.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from typing import Generic, Protocol, TypeVar

from seahorn_py.policy.policy import policy
from seahorn_py.processes.deadline import Deadline

Fact = TypeVar("Fact")
FactIn = TypeVar("FactIn", contravariant=True)


class Asked(Protocol[FactIn]):
    """A way under facts about its premise."""

    def violated(self, goals: Sequence[FactIn], seconds: float) -> set[int]:
        """The places of those facts about the head that are not seen to be kept."""

    def holds(self, goal: FactIn | None, seconds: float) -> bool:
        """Whether a fact about the head follows, or without one, whether nothing is possible.

        No solver is asked without time.
        """


class Way(Protocol[FactIn]):
    """A rule, or one case of it; `premise` and `head` are relations, or empty."""

    @property
    def premise(self) -> str:
        """The relation of the body."""

    @property
    def head(self) -> str:
        """The relation of the head."""

    def under(self, facts: Sequence[FactIn], deadline: Deadline) -> Asked[FactIn]:
        """The way under facts about the premise."""


class Houdini(Generic[Fact]):
    """`facts` are those that no way violates so far."""

    def __init__(
        self, ways: Sequence[Way[Fact]], facts: dict[str, list[Fact]], deadline: Deadline
    ) -> None:
        self._ways = ways
        self._deadline = deadline
        self.facts = facts

    def run(self) -> None:
        """Drop facts until every way keeps those that are left."""
        waiting = dict.fromkeys(k for k, way in enumerate(self._ways) if way.head)
        seconds = policy().polynomials.question_seconds
        while waiting and self._deadline.remaining > 0:
            at = next(iter(waiting))
            del waiting[at]
            way = self._ways[at]
            given = way.under(self.facts.get(way.premise, []), self._deadline)
            gone = given.violated(self.facts[way.head], seconds)
            if gone:
                left = self.facts[way.head]
                self.facts[way.head] = [f for k, f in enumerate(left) if k not in gone]
                using = (k for k, one in enumerate(self._ways) if one.head)
                waiting |= dict.fromkeys(k for k in using if self._ways[k].premise == way.head)

    def needed(self) -> dict[str, list[Fact]] | None:
        """Facts that exclude the queries, and those on which they rest; None if there are none."""
        found: dict[str, dict[int, None]] = {name: {} for name in self.facts}
        asked: deque[tuple[Way[Fact], int | None]] = deque(
            (way, None) for way in self._ways if not way.head
        )
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

    def _rests_on(
        self, way: Way[Fact], fact: int | None, known: Mapping[str, Iterable[int]]
    ) -> list[int] | None:
        """Few facts about the premise that suffice; those that are known to be needed come free.

        What follows without a solver is not asked about with one.
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

    def _holds(
        self, way: Way[Fact], fact: int | None, chosen: Iterable[int], seconds: float
    ) -> bool:
        """Whether chosen facts about the premise suffice."""
        own = self.facts.get(way.premise, [])
        given = way.under([own[k] for k in sorted(chosen)], self._deadline)
        return given.holds(None if fact is None else self.facts[way.head][fact], seconds)
