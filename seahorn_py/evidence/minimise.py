"""A shorter run on smaller inputs that fails the same check, within a small budget.

Delta debugging after Zeller and Hildebrandt, "Simplifying and Isolating Failure-Inducing Input"
(IEEE Transactions on Software Engineering 28(2), 2002), over the sequence of the inputs that a run
reads.  A candidate is fed by site and visit to the interpreter; it becomes the best run if it fails
the same check, reads no value of an external function or of an undefined operation that the given
run does not read, and weighs less:

    fewest steps (statements and ends of blocks), then the least sum of the sizes of the inputs
    (`minimise_numbers`), then the sizes one by one, positive numbers before negative ones.

The moves, in rounds until one finds nothing more: leave out blocks of inputs, then make blocks 0
(ddmin's complements, halving the blocks); bring each input towards 0 by halving steps; move inputs
that depend on each other together (`y == x + 1`, `y == 2 * x`, `x + y == 100`, equal ones); put in
constants of the program, which may end loops earlier.  The result is a local minimum: no other
move of these kinds improves it, as long as the budget lasts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import permutations

from seahorn_py.child import Deadline
from seahorn_py.evidence.inputs import undefined_shifts
from seahorn_py.evidence.minimise_numbers import Numbers, numbers_of
from seahorn_py.evidence.subject import Subject
from seahorn_py.ir.interpreter import Frame, Interpreter
from seahorn_py.ir.program import Bind, Program, SiteKind
from seahorn_py.ir.regions import Value
from seahorn_py.ir.run import Ending, Feed, Outcome, RunLimits, feed_of

MOST_RUNS = 1_000
MOST_STEPS = 200_000
"""A run that takes more is not followed; only candidates of `TRIED_STEPS` are tried then."""

TRIED_STEPS = 5_000
MOST_READS = 20_000
MOST_BLOCKS = 32
"""Blocks of inputs are no smaller than this part of all."""

MOST_TOGETHER = 6
MOST_WORDS, MOST_PLACES = 24, 6
DEADLINE_SHARE = 0.1
"""Of the time that is left, to be sure that the answer is given."""

Reads = tuple[tuple[int, int], ...]
_Weight = tuple[int, int, tuple[tuple[int, bool], ...]]


def minimised(subject: Subject, given: Outcome, deadline: Deadline) -> Outcome:
    """A replayed run like the FAILED one `given`, but shorter or on smaller inputs; else `given`.

    It is run as a replay of an answer is: natively where possible.
    """
    limit = deadline.share(DEADLINE_SHARE).at_most(subject.minimise)
    if limit.remaining == 0:
        return given
    with suppress(Exception):  # an answer with large inputs is better than none
        words = subject.execution().words
        found = smallest(subject.interpreter, given, words, limit)
        if found is not None:
            again, _ = subject.run(found.feed)
            if again.ending is Ending.FAILED and again.check == given.check:
                return again
    return given


def smallest(
    interpreter: Interpreter,
    given: Outcome,
    words: Sequence[int],
    deadline: Deadline,
    most_runs: int = MOST_RUNS,
) -> Outcome | None:
    """The best run found from `given`; None if that is `given` itself.

    `words` are constants of the program.  The same arguments give the same run, if time allows.
    """
    search = _Search(interpreter, given, deadline, most_runs)
    with suppress(_Exhausted):
        search.begin()
        while search.round(words):
            pass
    return search.found


def steps(interpreter: Interpreter, feed: Feed) -> int | None:
    """How many steps the run on a feed takes; None if they are too many."""
    counter = _Counter(_costs(interpreter.program), MOST_STEPS)
    with suppress(_Longer):
        interpreter.run(feed, RunLimits(seconds=10.0, steps=2 * MOST_STEPS), counter)
        return counter.steps
    return None


class _Exhausted(Exception):
    """The budget is used up."""


class _Longer(Exception):
    """The run takes more steps than the best one."""


class _Counter:
    """Counts steps and stops at too many; an `Observer`."""

    def __init__(self, costs: Mapping[tuple[str, str], int], most: int) -> None:
        self._costs = costs
        self._most = most
        self.steps = 0

    def at_block(self, function: str, label: str, frame: Frame) -> None:
        """The statements of the block are steps, and so is its end."""
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


@dataclass
class _Search:
    """The best run so far: `reads` are its inputs, `weight` is None while it is too long to know.

    `found` is its outcome unless it is the given one.
    """

    interpreter: Interpreter
    given: Outcome
    deadline: Deadline
    runs_left: int
    reads: Reads = ()
    weight: _Weight | None = None
    found: Outcome | None = None
    numbers: dict[int, Numbers] = field(default_factory=dict)
    costs: Mapping[tuple[str, str], int] = field(default_factory=dict)
    unsure: frozenset[int] = frozenset()
    tried: set[Feed | tuple[tuple[int, tuple[int, ...]], ...]] = field(default_factory=set)

    def begin(self) -> None:
        """Weigh the given run; raises _Exhausted where there is nothing to do for it."""
        program = self.interpreter.program
        zero = undefined_shifts(program.sites)
        for site in program.sites:
            numbers = numbers_of(site)
            if numbers is not None and site.number not in zero:
                self.numbers[site.number] = numbers
        self.costs = _costs(program)
        self.reads = self.given.reads
        if len(self.reads) > MOST_READS:
            raise _Exhausted
        try:
            outcome, weight = self._run(feed_of(self.reads), MOST_STEPS)
        except _Longer:
            outcome = self.given
        else:
            if not self._fails(outcome):
                raise _Exhausted
            self.reads, self.weight = outcome.reads, weight
        read = {number for number, _ in outcome.reads}
        self.unsure = frozenset(
            site.number
            for site in program.sites
            if (site.kind is SiteKind.EXTERN or not site.native) and site.number not in read
        )

    def round(self, words: Sequence[int]) -> bool:
        """Try all moves once; whether the best run has changed."""
        before = self.reads
        self._try(())
        if self.weight is None:
            self._shorten()
            return self.weight is not None
        self._leave_out_blocks()
        self._zero_blocks()
        self._lower_each()
        self._lower_together()
        self._put_in(words)
        return self.reads != before

    # --------------------------------------------------------------------------- candidates

    def _run(self, feed: Feed, most: int) -> tuple[Outcome, _Weight]:
        """Run in the interpreter and weigh; _Longer beyond `most` steps."""
        if self.runs_left == 0 or self.deadline.remaining == 0:
            raise _Exhausted
        self.runs_left -= 1
        counter = _Counter(self.costs, most)
        limits = RunLimits(self.deadline.remaining, 2 * MOST_STEPS, reads=MOST_READS)
        outcome = self.interpreter.run(feed, limits, counter)
        sizes = tuple(map(self._size, outcome.reads))
        return outcome, (counter.steps, sum(size for size, _ in sizes), sizes)

    def _size(self, read: tuple[int, int]) -> tuple[int, bool]:
        numbers = self.numbers.get(read[0])
        return (
            (0, False) if numbers is None else (numbers.size(read[1]), numbers.is_negative(read[1]))
        )

    def _fails(self, outcome: Outcome) -> bool:
        """It fails the same check, and rests on nothing that the given run does not rest on."""
        if outcome.ending is not Ending.FAILED or outcome.check != self.given.check:
            return False
        return self.unsure.isdisjoint(number for number, _ in outcome.reads)

    def _try(self, reads: Sequence[tuple[int, int]]) -> bool:
        """Run on these inputs; whether that is the best run now."""
        feed = _trimmed(feed_of(tuple(reads)))
        key = tuple(sorted(feed.items()))
        if key in self.tried:
            return False
        self.tried.add(key)
        most = TRIED_STEPS if self.weight is None else self.weight[0]
        try:
            outcome, weight = self._run(feed, most)
        except _Longer:
            return False
        if not self._fails(outcome) or (self.weight is not None and weight >= self.weight):
            return False
        self.reads, self.weight, self.found = outcome.reads, weight, outcome
        return True

    def _try_values(self, values: Mapping[int, int]) -> bool:
        """Try the best run with other values at these places."""
        if any(place >= len(self.reads) for place in values):
            return False
        changed = list(self.reads)
        for place, value in values.items():
            changed[place] = changed[place][0], value
        return self._try(changed)

    def _numbers(self, place: int) -> Numbers | None:
        """How to read the value of a place; None where it is 0, stays as it is or is not read."""
        if place >= len(self.reads) or self.reads[place][1] == 0:
            return None
        return self.numbers.get(self.reads[place][0])

    # -------------------------------------------------------------------------------- moves

    def _shorten(self) -> None:
        """Some simple inputs, in the hope that a run that was too long to follow becomes short."""
        for value in (1, -1):
            if self._try([(n, self._constant(n, value, old)) for n, old in self.reads]):
                return
        for place in range(min(len(self.reads), MOST_PLACES)):
            numbers = self._numbers(place)
            for value in () if numbers is None else numbers.near_zero():
                if self._try_values({place: value}):
                    return

    def _constant(self, site: int, value: int, old: int) -> int:
        numbers = self.numbers.get(site)
        return old if numbers is None else numbers.of(value)

    def _leave_out_blocks(self) -> None:
        for size in _block_sizes(len(self.reads)):
            start = 0
            while start < len(self.reads):
                if not self._try(self.reads[:start] + self.reads[start + size :]):
                    start += size

    def _zero_blocks(self) -> None:
        for size in _block_sizes(len(self.reads)):
            start = 0
            while start < len(self.reads):
                places = [k for k in range(start, start + size) if self._numbers(k) is not None]
                self._try_values(dict.fromkeys(places, 0))
                start += size

    def _lower_each(self) -> None:
        place = 0
        while place < len(self.reads):
            self._lower(place)
            place += 1

    def _lower(self, place: int) -> None:
        """Bring one input towards 0."""
        numbers = self._numbers(place)
        if numbers is None or any(self._try_values({place: v}) for v in numbers.near_zero()):
            return
        self._slide(place, {place: 1})
        if self._numbers(place) is not numbers:
            return
        for value in numbers.simpler(self.reads[place][1]):
            if self._try_values({place: value}):
                self._slide(place, {place: 1})

    def _slide(self, lead: int, factors: Mapping[int, int]) -> None:
        """Bring the place `lead` towards 0 by halving steps; others move by multiples of these."""
        step = self._distance(lead)
        while step:
            if self._step(lead, factors, step):
                step = min(step, self._distance(lead))
            else:
                step //= 2

    def _distance(self, place: int) -> int:
        numbers = self._numbers(place)
        return 0 if numbers is None else abs(numbers.number(self.reads[place][1]))

    def _step(self, lead: int, factors: Mapping[int, int], step: int) -> bool:
        """Try to bring the lead nearer to 0 by one step."""
        first = self._numbers(lead)
        if first is None:
            return False
        delta = -step if first.number(self.reads[lead][1]) > 0 else step
        values = {}
        for place, factor in factors.items():
            numbers = self.numbers.get(self.reads[place][0]) if place < len(self.reads) else None
            if numbers is None:
                return False
            values[place] = numbers.moved(self.reads[place][1], factor * delta)
        return self._try_values(values)

    def _lower_together(self) -> None:
        """Bring inputs that may depend on each other towards 0 at once."""
        places = [k for k in range(len(self.reads)) if self._numbers(k) is not None]
        equal: dict[int, list[int]] = {}
        for place in places:
            equal.setdefault(self._value(place), []).append(place)
        for group in [*(g for g in equal.values() if len(g) > 1), places]:
            if len(group) > 1:
                self._slide(group[0], dict.fromkeys(group, 1))
        for lead, other in permutations(places[:MOST_TOGETHER], 2):
            for factor in self._factors(lead, other):
                factors = {lead: 1, other: factor}
                if any(self._step(lead, factors, step) for step in (self._distance(lead), 1, 2)):
                    self._slide(lead, factors)

    def _value(self, place: int) -> int:
        """The number at a place, 0 where nothing is read."""
        if place >= len(self.reads):
            return 0
        numbers = self.numbers.get(self.reads[place][0])
        return 0 if numbers is None else numbers.number(self.reads[place][1])

    def _factors(self, lead: int, other: int) -> Iterator[int]:
        """By which multiples of a step of the lead the other may have to move."""
        yield from (1, -1)
        ratio = round(self._value(other) / self._value(lead)) if self._value(lead) else 0
        if abs(ratio) > 1:
            yield ratio

    def _put_in(self, words: Sequence[int]) -> None:
        """Constants of the program in the place of single inputs."""
        for place in range(min(len(self.reads), MOST_PLACES)):
            for word in words[:MOST_WORDS]:
                numbers = (
                    self.numbers.get(self.reads[place][0]) if place < len(self.reads) else None
                )
                if numbers is not None:
                    self._try_values({place: numbers.of(word)})


def _block_sizes(length: int) -> Iterator[int]:
    """Half of the inputs, a quarter, and so on."""
    size = length // 2
    while size >= max(1, length / MOST_BLOCKS):
        yield size
        size //= 2


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
