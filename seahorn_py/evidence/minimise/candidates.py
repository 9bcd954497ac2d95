"""Candidates for a better run: fed, run, weighed, and kept if they are better.

A run weighs more the more steps it takes, then the larger its inputs are together, then one by one.
A candidate is kept if it fails the same check as the given run, weighs less than the best one, and
reads no value of an external function or of an undefined operation that the given run does not
read, as far as that is known.  Each candidate is run once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain

from seahorn_py.evidence.minimise.numbers import Numbers, numbers_of
from seahorn_py.evidence.runs.inputs import undefined_shifts
from seahorn_py.ir.interpreter import Frame, Interpreter
from seahorn_py.ir.program import Bind, Program, SiteKind
from seahorn_py.ir.regions import Value
from seahorn_py.ir.run import Ending, Feed, Outcome, RunLimits, feed_of
from seahorn_py.processes.deadline import Deadline

MOST_STEPS = 200_000
"""A run that takes more is not followed; only candidates of `TRIED_STEPS` are tried then."""

TRIED_STEPS = 5_000
"""If a run takes more steps, its beginnings are tried first: zeros after a few of its inputs."""

MOST_READS = 20_000
"""Where a run reads more inputs, only its beginnings are candidates."""

_LENGTHS = (4, 16, 64, 256)
_MOST_LENGTHS = 6
"""How small inputs of a long run are tried, and how many of them, in case they are lengths."""

Reads = Sequence[tuple[int, int]]
Weight = tuple[int, int, tuple[tuple[int, bool], ...]]
"""Steps, sum of the sizes of the inputs, and for each input its size and whether it is below 0."""


class Exhausted(Exception):
    """The budget is used up, or there is nothing to do."""


class _Longer(Exception):
    """The run takes more steps than wanted."""


class _Counter:
    """Counts steps and stops at too many; an `Observer`."""

    def __init__(self, costs: Mapping[tuple[str, str], int], most: int) -> None:
        self._costs = costs
        self._most = most
        self.steps = 0

    def at_block(self, function: str, label: str, frame: Frame) -> None:
        """A block begins: its statements are steps, and so is its end."""
        self.steps += self._costs[function, label]
        if self.steps > self._most:
            raise _Longer

    def at_return(
        self, function: str, arguments: tuple[Value, ...], results: tuple[Value, ...]
    ) -> None:
        """Nothing is counted here."""


def _costs(program: Program) -> Mapping[tuple[str, str], int]:
    return {
        (name, block.label): 1 + sum(not isinstance(s, Bind) for s in block.statements)
        for name, function in program.functions.items()
        for block in function.blocks
    }


class Search:
    """The best run so far.

    `reads` are its inputs, `weight` is None while it takes too many steps to know, `found` is its
    outcome unless it is the given one.
    """

    def __init__(
        self, interpreter: Interpreter, given: Outcome, deadline: Deadline, most_runs: int
    ) -> None:
        self.reads: Reads = given.reads
        self.weight: Weight | None = None
        self.found: Outcome | None = None
        self.runs_left = most_runs
        self._interpreter = interpreter
        self._given = given
        self._deadline = deadline
        self._sites = interpreter.program.sites
        self._tried: set[tuple[tuple[int, tuple[int, ...]], ...]] = set()
        self._unsure: frozenset[int] = frozenset()

    def begin(self) -> None:
        """Weigh the given run, or a beginning of it; Exhausted where there is nothing to do."""
        if not any(number in self._numbers for number, _ in self.reads):
            raise Exhausted
        read = {number for number, _ in self.reads}
        unsure = (
            site.number
            for site in self._sites
            if (site.kind is SiteKind.EXTERN and self._given.all_read) or not site.native
        )
        self._unsure = frozenset(unsure) - read
        simple = chain(self._beginnings(), self._with_less())
        if not self._weigh(TRIED_STEPS) and not any(map(self.try_reads, simple)):
            if len(self.reads) > MOST_READS:
                raise Exhausted
            self._weigh(MOST_STEPS)
        self.try_reads(())

    def _weigh(self, most: int) -> bool:
        """Weigh the given run if it takes no more steps; Exhausted if it fails no more."""
        if len(self.reads) > MOST_READS:
            return False
        try:
            outcome, weight = self._run(self._given.feed, most)
        except _Longer:
            return False
        if not self._fails(outcome):
            raise Exhausted
        self.reads, self.weight = outcome.reads, weight
        return True

    def _beginnings(self) -> Iterator[Reads]:
        """The first inputs of the given run, each time twice as many."""
        length = 0
        while length < len(self._given.reads):
            yield self._given.reads[:length]
            length = 2 * length or 1

    def _with_less(self) -> Iterator[Reads]:
        """The given inputs, one that is read once made small: it may be the length of a text."""
        reads = self._given.reads
        visits = Counter(number for number, _ in reads)
        once = [
            k for k, (number, raw) in enumerate(reads) if visits[number] == 1 and raw > _LENGTHS[-1]
        ]
        for place in once[:_MOST_LENGTHS]:
            for length in _LENGTHS:
                yield [*reads[:place], (reads[place][0], length), *reads[place + 1 :]]

    def try_reads(self, reads: Reads) -> bool:
        """Run on these inputs; whether that is the best run now."""
        feed = _trimmed(feed_of(tuple(reads)))
        key = tuple(sorted(feed.items()))
        if key in self._tried:
            return False
        self._tried.add(key)
        try:
            outcome, weight = self._run(feed, self.weight[0] if self.weight else TRIED_STEPS)
        except _Longer:
            return False
        if not self._fails(outcome) or (self.weight is not None and weight >= self.weight):
            return False
        self.reads, self.weight, self.found = outcome.reads, weight, outcome
        return True

    def try_values(self, values: Mapping[int, int]) -> bool:
        """Try the best run with other values at these places of its inputs."""
        if not values or any(place >= len(self.reads) for place in values):
            return False
        changed = list(self.reads)
        for place, value in values.items():
            changed[place] = changed[place][0], value
        return self.try_reads(changed)

    def numbers(self, place: int) -> Numbers | None:
        """How to read the input at a place; None if there is none or it stays as it is."""
        return self._numbers.get(self.reads[place][0]) if place < len(self.reads) else None

    def number(self, place: int) -> int:
        """The input at a place as a whole number; 0 if there is none or it stays as it is."""
        numbers = self.numbers(place)
        return 0 if numbers is None else numbers.number(self.reads[place][1])

    def is_zero(self, place: int) -> bool:
        """There is nothing to lower at a place."""
        return self.numbers(place) is None or self.reads[place][1] == 0

    @cached_property
    def _numbers(self) -> Mapping[int, Numbers]:
        zero = undefined_shifts(self._sites)
        found = ((s.number, numbers_of(s)) for s in self._sites if s.number not in zero)
        return {number: numbers for number, numbers in found if numbers is not None}

    @cached_property
    def _costs(self) -> Mapping[tuple[str, str], int]:
        return _costs(self._interpreter.program)

    def _run(self, feed: Feed, most: int) -> tuple[Outcome, Weight]:
        """Run in the interpreter and weigh; _Longer beyond `most` steps."""
        if self.runs_left == 0 or self._deadline.remaining == 0:
            raise Exhausted
        self.runs_left -= 1
        counter = _Counter(self._costs, most)
        limits = RunLimits(self._deadline.remaining, 2 * MOST_STEPS, reads=MOST_READS)
        outcome = self._interpreter.run(feed, limits, counter)
        sizes = tuple(self._size(number, value) for number, value in outcome.reads)
        return outcome, (counter.steps, sum(size for size, _ in sizes), sizes)

    def _size(self, site: int, value: int) -> tuple[int, bool]:
        numbers = self._numbers.get(site)
        return (0, False) if numbers is None else (numbers.size(value), numbers.is_negative(value))

    def _fails(self, outcome: Outcome) -> bool:
        """It fails the same check, and rests on nothing that the given run does not rest on."""
        if outcome.ending is not Ending.FAILED or outcome.check != self._given.check:
            return False
        return self._unsure.isdisjoint(number for number, _ in outcome.reads)


def _trimmed(feed: Feed) -> Feed:
    """Without zeros at the end of a site's values, which are read anyway."""
    trimmed = {}
    for site, values in feed.items():
        length = len(values)
        while length and values[length - 1] == 0:
            length -= 1
        if length:
            trimmed[site] = values[:length]
    return trimmed
