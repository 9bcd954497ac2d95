"""A shorter run on smaller inputs that fails the same check, within a small budget.

Delta debugging after Zeller and Hildebrandt, "Simplifying and Isolating Failure-Inducing Input"
(IEEE Transactions on Software Engineering 28(2), 2002), over the sequence of the inputs that a run
reads, fed by site and visit.  Which run is better, and which candidates count at all, is told in
`minimise.candidates`: fewest steps, then the least sum of absolute values.

The moves, in rounds until one finds nothing more:

    _leave_out, _make_zero  blocks of inputs, each time half as long (the complements of ddmin)
    _lower                  one input towards 0, by halving steps, then without some of its bits
    _lower_together         inputs that depend on each other: `y == x + 1`, `y == 2 * x`,
                            `x + y == 100`, equal ones
    _put_in                 constants of the program, with which loops may end earlier

The result is a local minimum: no move of these kinds makes it better, as long as the budget lasts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import permutations

from seahorn_py.evidence.minimise.candidates import Exhausted, Search
from seahorn_py.evidence.runs.subject import Subject
from seahorn_py.ir.interpreter import Interpreter
from seahorn_py.ir.run import Ending, Outcome
from seahorn_py.policy.policy import policy
from seahorn_py.processes.deadline import Deadline

MOST_RUNS = 1_000
MOST_BLOCKS = 32
"""Blocks of inputs are no smaller than this part of all."""

MOST_TOGETHER = 6
MOST_WORDS, MOST_PLACES = 24, 6


def minimised(subject: Subject, given: Outcome, deadline: Deadline) -> Outcome:
    """A replayed run like the FAILED one `given`, but shorter or on smaller inputs; else `given`.

    It is run as every replay is: natively where possible.
    """
    limit = deadline.share(policy().confirming.minimise_share).at_most(subject.minimise)
    if limit.remaining == 0:
        return given
    with suppress(Exception):  # whatever goes wrong: the answer with larger inputs is there
        found = smallest(subject.interpreter, given, subject.execution().words, limit)
        if found is not None:
            again = subject.run(found.feed).outcome
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
    search = Search(interpreter, given, deadline, most_runs)
    with suppress(Exhausted):
        search.begin()
        while _round(search, words):
            pass
    return search.found


def _round(search: Search, words: Sequence[int]) -> bool:
    """Try all moves once; whether there is a better run now."""
    before = search.found
    if search.weight is None:
        _shorten(search)
    else:
        _leave_out(search)
        _make_zero(search)
        for place in range(len(search.reads)):
            _lower(search, place)
        _lower_together(search)
        _put_in(search, words)
    return search.found is not before


def _shorten(search: Search) -> None:
    """Some simple inputs, in case that with one of them a run too long to follow becomes short."""
    reads = search.reads
    open_ = [(k, n) for k in range(len(reads)) if (n := search.numbers(k)) is not None]
    for value in (1, -1):
        search.try_values({place: numbers.of(value) for place, numbers in open_})
    for place, numbers in open_[:MOST_PLACES]:
        for value in numbers.near_zero():
            if search.weight is None:
                search.try_values({place: value})


def _leave_out(search: Search) -> None:
    for size in _block_sizes(len(search.reads)):
        start = 0
        while start < len(search.reads):
            if not search.try_reads([*search.reads[:start], *search.reads[start + size :]]):
                start += size


def _make_zero(search: Search) -> None:
    for size in _block_sizes(len(search.reads)):
        for start in range(0, len(search.reads), size):
            places = [k for k in range(start, start + size) if not search.is_zero(k)]
            search.try_values(dict.fromkeys(places, 0))


def _block_sizes(length: int) -> Iterator[int]:
    """Half of the inputs, a quarter, and so on."""
    size = length // 2
    while size >= max(1, length / MOST_BLOCKS):
        yield size
        size //= 2


def _lower(search: Search, place: int) -> None:
    """Bring one input towards 0."""
    numbers = search.numbers(place)
    if numbers is None or search.is_zero(place):
        return
    if any(search.try_values({place: value}) for value in numbers.near_zero()):
        return
    _slide(search, place, {place: 1})
    while not search.is_zero(place) and search.numbers(place) is numbers:
        simpler = numbers.simpler(search.reads[place][1])
        if not any(search.try_values({place: value}) for value in simpler):
            return
        _slide(search, place, {place: 1})


def _slide(search: Search, lead: int, factors: Mapping[int, int]) -> None:
    """Bring the place `lead` towards 0 by halving steps; others move by multiples of these."""
    step = abs(search.number(lead))
    while step:
        if _step(search, lead, factors, step):
            step = min(step, abs(search.number(lead)))
        else:
            step //= 2


def _step(search: Search, lead: int, factors: Mapping[int, int], step: int) -> bool:
    """Try to bring the lead nearer to 0 by one step."""
    delta = -step if search.number(lead) > 0 else step
    values = {}
    for place, factor in factors.items():
        numbers = search.numbers(place)
        if numbers is None:
            return False
        values[place] = numbers.moved(search.reads[place][1], factor * delta)
    return search.try_values(values)


def _lower_together(search: Search) -> None:
    """Bring inputs that may depend on each other towards 0 at once."""
    places = [k for k in range(len(search.reads)) if not search.is_zero(k)]
    equal: dict[int, list[int]] = {}
    for place in places:
        equal.setdefault(search.number(place), []).append(place)
    for group in (*equal.values(), places):
        if len(group) > 1:
            _slide(search, group[0], dict.fromkeys(group, 1))
    for lead, other in permutations(places[:MOST_TOGETHER], 2):
        for factor in _factors(search.number(lead), search.number(other)):
            factors = {lead: 1, other: factor}
            tries = (abs(search.number(lead)), 1, 2)
            if any(_step(search, lead, factors, step) for step in tries):
                _slide(search, lead, factors)


def _factors(lead: int, other: int) -> Iterator[int]:
    """By which multiples of a step of the lead the other one may have to move."""
    yield from (1, -1)
    ratio = (2 * other + lead) // (2 * lead) if lead else 0
    if abs(ratio) > 1:
        yield ratio


def _put_in(search: Search, words: Sequence[int]) -> None:
    """Constants of the program in the place of single inputs."""
    for place in range(min(len(search.reads), MOST_PLACES)):
        for word in words[:MOST_WORDS]:
            numbers = search.numbers(place)
            if numbers is not None:
                search.try_values({place: numbers.of(word)})
