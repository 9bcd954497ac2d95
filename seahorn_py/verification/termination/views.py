"""A program whose loops are to be ranked, as it is seen in one encoding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from seahorn_py.base.records import dataclass
from seahorn_py.encode.encoding import Encoding
from seahorn_py.engines.termination.drawn import Rounded
from seahorn_py.horn.system import Model
from seahorn_py.invariants.generation import NOTHING, Generator
from seahorn_py.ir.program import Program, Register
from seahorn_py.passes.termination.known_regions import with_known_loads
from seahorn_py.passes.termination.numbered import ROUNDS, numbered
from seahorn_py.passes.termination.ranked import CALLS, Rank, rounds_left
from seahorn_py.policy.policy import policy
from seahorn_py.verification.encodings.one_encoding import Task
from seahorn_py.verification.termination.facts_seen import facts_seen
from seahorn_py.verification.termination.lemmas import Between, Lemmas
from seahorn_py.verification.termination.loop_places import (
    Circle,
    CyclePlace,
    Key,
    NoRank,
    all_places,
)
from seahorn_py.verification.termination.loop_results import names_at, rank_text
from seahorn_py.verification.termination.rounds_seen import rounds_seen
from seahorn_py.verification.termination.searching import (
    held_inside,
    numeric,
    rank_and_loop,
    ranks_of_circle,
)


@dataclass(frozen=True)
class Search:
    """How ranks are looked for: with which invariants, and whether the ranks may lag."""

    known: Sequence[Model]
    lags: bool


PLAIN = Search((NOTHING,), False)


@dataclass(frozen=True)
class Found:
    """A rank for each loop of the program, with its text, and invariants of the program."""

    ranks: Mapping[Key, tuple[str, Rank]]
    program: Program
    lemmas: Lemmas
    is_counted: bool = False
    """Whether some of the ranks are constant bounds that runs show."""

    def says_as(self, other: Found) -> bool:
        """Whether both have the same ranks of the same program."""
        return self.ranks == other.ranks and self.program is other.program


@dataclass(frozen=True)
class _Ranked:
    """What a search has found, and the places without a rank."""

    ranks: Mapping[Key, tuple[str, Rank]]
    between: tuple[Between, ...]
    known: Model
    left: Sequence[CyclePlace | Circle]

    @property
    def missing(self) -> str:
        """Which ranks are missing, in words."""
        return f"for {' and for '.join(one.called for one in self.left)}"


@dataclass(frozen=True)
class _Seen:
    """A program with numbered rounds, the numbers, and the most of each that were seen."""

    program: Program
    numbers: Mapping[Key, Register]
    most: Mapping[Key, int]


class View:
    """A program whose loops are to be ranked, in one encoding; `wraps` writes overflow out."""

    def __init__(self, task: Task, wraps: bool = False) -> None:
        self._task = task
        self._wraps = wraps

    @cached_property
    def _whole(self) -> Encoding:
        return self._task.encode(frozenset(), self._wraps)

    @cached_property
    def _encoding(self) -> Encoding:
        return numeric(self._whole)

    @cached_property
    def knowledge(self) -> tuple[Model, ...]:
        """Models of the system: *true*, and then ever stronger invariants."""
        limit = self._task.deadline.at_most(policy().termination.invariants_seconds)
        memory = self._task.options.memory_mib
        models = [NOTHING]
        with Generator(self._whole.system, limit, memory, most=2) as generator:
            while not generator.done:
                found = generator.wait()
                if found is not None:
                    models.append(found.model)
        return tuple(models)

    @cached_property
    def _plain(self) -> _Ranked:
        return self._search(PLAIN)

    def by_facts(self) -> Found:
        """Ranks as by `ranks`, where what runs show is taken to hold."""
        if not self._plain.left:
            raise NoRank("each loop has a rank")
        words = self._task.subject.execution().words
        facts = facts_seen(self._encoding, words, self._task.deadline)
        return self._found(self._search(Search((facts,), False), self._plain))

    def ranks(self, search: Search) -> Found:
        """Ranks of all loops and recursions, each with its text.  Raises NoRank, Irreducible."""
        return self._found(self._plain if search == PLAIN else self._search(search))

    def _found(self, ranked: _Ranked) -> Found:
        if ranked.left:
            raise NoRank(f"no rank found {ranked.missing}")
        lemmas = Lemmas(self._whole, ranked.known, ranked.between)
        return Found(ranked.ranks, self._task.subject.program, lemmas)

    def counted(self, factor: int, more: int) -> Found:
        """For each loop without a rank, a guess at the most rounds that it makes.

        The guess is `factor` times the most that were seen, and so many `more`.  Raises NoRank,
        Irreducible.
        """
        ranked, seen = self._plain, self._seen
        ranks = dict(ranked.ranks)
        for one in ranked.left:
            assert isinstance(one, CyclePlace)
            number = seen.numbers[one.key]
            rank = rounds_left(factor * seen.most[one.key] + more, number)
            ranks[one.key] = rank_text(rank, {number: ROUNDS}), rank
        return Found(ranks, seen.program, Lemmas(self._whole, NOTHING, ranked.between), True)

    @cached_property
    def _seen(self) -> _Seen:
        """The program in which the rounds of loops without a rank are numbered."""
        ranked, program = self._plain, self._task.subject.program
        if not ranked.left:
            raise NoRank("each loop has a rank")
        if any(isinstance(one, Circle) or one.key[1] == CALLS for one in ranked.left):
            raise NoRank(f"no rank found {ranked.missing}")
        heads = [key for one in ranked.left for key in one.keys]
        program, numbers = numbered(with_known_loads(program), heads)
        words = self._task.subject.execution().words
        most = rounds_seen(program, numbers, words, self._task.deadline)
        if most is None:
            raise NoRank(f"runs show no constant bound {ranked.missing}")
        return _Seen(program, numbers, most)

    def _search(self, search: Search, start: _Ranked | None = None) -> _Ranked:
        """Ranks of all places, or of those that are left from the start."""
        left = (
            all_places(self._task.subject.program, self._encoding) if start is None else start.left
        )
        found = dict(start.ranks) if start is not None else {}
        between = list(start.between) if start is not None else []
        for known in search.known:
            for place in left:
                ranks, more = self._ranked(place, known, search.lags)
                for member, rank in ranks:
                    found[member.key] = self._text(rank, member), rank
                between += more
            left = [one for one in left if not found.keys() >= one.keys]
            if not left:
                break
        return _Ranked(found, tuple(between), known, left)

    def _text(self, rank: Rank, place: CyclePlace) -> str:
        return rank_text(rank, names_at(place, self._encoding, self._task.subject.program))

    def _ranked(
        self, place: CyclePlace | Circle, known: Model, lags: bool
    ) -> tuple[list[tuple[CyclePlace, Rank]], list[Between]]:
        """Ranks of a loop, a recursion or a circle, if there are any, and what holds inside."""
        task, encoding = self._task, self._encoding
        if isinstance(place, Circle):
            loops = [Rounded(encoding.system, one.cycle, known) for one in place.members]
            ranks = () if lags else ranks_of_circle(place, loops, task)
            return list(zip(place.members, ranks, strict=False)), []
        one = rank_and_loop(place, Rounded(encoding.system, place.cycle, known), task, lags)
        if one is None:
            return [], []
        rank, asked = one
        return [(place, rank)], held_inside(place, asked, rank, encoding, task)
