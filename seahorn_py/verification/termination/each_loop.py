"""What is told of each loop alone: whether it ends, its bound, and a condition under which it ends.

A loop *ends* here if no run makes rounds of it without end.  A run may still stay for ever in
another loop inside of it, which has an answer of its own.  If all loops end, all runs end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property, partial

from seahorn_py.base.errors import Span
from seahorn_py.base.records import dataclass
from seahorn_py.encode.encoding import Encoding, Wrapping
from seahorn_py.engines.termination.rates import ranks
from seahorn_py.frontend.llvmtext.stored import Named
from seahorn_py.horn.system import Model
from seahorn_py.invariants.generation import NOTHING, Generator
from seahorn_py.options import Overflow
from seahorn_py.passes.termination.loops import Irreducible
from seahorn_py.passes.termination.numbered import ROUNDS, numbered
from seahorn_py.passes.termination.ranked import CALLS, Rank, TooWide, ranked, rounds_left
from seahorn_py.policy.policy import policy
from seahorn_py.result import Answer, LoopResult, VerificationResult
from seahorn_py.verification.encodings.one_encoding import COUNTED, Task
from seahorn_py.verification.termination.counting import RoundBounds, bounds, holds
from seahorn_py.verification.termination.entries import condition
from seahorn_py.verification.termination.loop_places import CyclePlace, Key, NoRank, places, title
from seahorn_py.verification.termination.loop_results import names_at, rank_text
from seahorn_py.verification.termination.rounds_seen import rounds_seen
from seahorn_py.verification.termination.searching import numeric, rank_of


def told(
    task: Task,
    readings: Sequence[Wrapping],
    result: VerificationResult,
    once: Callable[[], frozenset[Named]],
) -> tuple[LoopResult, ...]:
    """What is known of each loop, in the order of the C text.

    `result` is the answer for all loops together.  `once` gives the variables that are sure to have
    one value.
    """
    loops = _Loops(replace(task, reading=readings[0]), readings, once)
    try:
        found = loops.places
    except (NoRank, Irreducible):
        return result.loops
    known = {(loop.text, loop.calls): loop for loop in result.loops}
    bounded = loops.bounds() if task.options.bounds else {}
    rows = (
        loops.told(one, known.get((one.text, loops.calls(one))), bounded, result) for one in found
    )
    return tuple(sorted(rows, key=_position))


def _position(row: LoopResult) -> tuple[str, int, int]:
    place = row.place
    return (row.text, 0, 0) if place is None else (place.file, place.line, place.column)


@dataclass
class _Loops:
    """The loops of a program, and invariants, which are made when they are first asked for."""

    task: Task
    readings: Sequence[Wrapping]
    stored_once: Callable[[], frozenset[Named]]

    @cached_property
    def once(self) -> frozenset[Named]:
        return self.stored_once()

    @cached_property
    def whole(self) -> Encoding:
        return self.task.encode(frozenset(), False)

    @cached_property
    def encoding(self) -> Encoding:
        return numeric(self.whole)

    @cached_property
    def places(self) -> list[CyclePlace]:
        return places(self.task.subject.program, self.encoding)

    @cached_property
    def _generated(self) -> list[Model]:
        limit = self.task.deadline.at_most(policy().termination.invariants_seconds)
        found = []
        with Generator(self.whole.system, limit, self.task.options.memory_mib, most=2) as generator:
            while not generator.done:
                one = generator.wait()
                found += [] if one is None else [one.model]
        return found

    def calls(self, place: CyclePlace) -> tuple[Span, ...]:
        """The calls through which the loop was inlined."""
        name, label = place.key
        return title(self.task.subject.program.functions[name], label)[1].chain[1:]

    def knowledge(self) -> Iterator[Model]:
        """Models: *true* at first, and then the strongest invariants that were found."""
        yield NOTHING
        yield from self._generated[-1:]

    def bounds(self) -> dict[Key, RoundBounds]:
        """The bounds of all loops that have one, found in a share of the time."""
        share = self.task.deadline.share(policy().termination.loops_share)
        task = replace(self.task, deadline=share)
        return dict(
            bounds(task, self.readings, self.encoding, self.places, self.knowledge(), self.once)
        )

    def told(
        self,
        place: CyclePlace,
        known: LoopResult | None,
        bounded: dict[Key, RoundBounds],
        result: VerificationResult,
    ) -> LoopResult:
        """What is known of one loop."""
        found = known or self._alone(place, result)
        bound = bounded.get(place.key, RoundBounds(""))
        is_exact = self.task.options.frontend.overflow is not Overflow.WRAP
        needs = bound.needs_no_overflow and not is_exact
        if bound.each and found.answer is Answer.UNKNOWN and not needs:
            found = replace(found, answer=Answer.SAFE, reason="")
        found = replace(found, bound=bound.each, in_all=bound.in_all, needs_no_overflow=needs)
        if found.answer is not Answer.SAFE and self.task.options.bounds and not bound.each:
            under, needs = condition(self.task, self.readings, self.encoding, place, self.once)
            needs = needs and not is_exact
            found = replace(found, ends_if=under, needs_no_overflow=needs)
        return found

    def _alone(self, place: CyclePlace, result: VerificationResult) -> LoopResult:
        """The answer for a loop that the answer for all loops says nothing of."""
        origin = self.encoding.system.relations[place.cycle.head].origin
        unknown = LoopResult(place.text, origin.span, Answer.UNKNOWN, calls=self.calls(place))
        shown = result.violation
        if shown is not None and shown.place in origin.chain:
            return replace(unknown, answer=Answer.UNSAFE)
        reasons = []
        for known in self.knowledge():
            system = self.encoding.system
            rank = rank_of(place, system, partial(ranks, place.cycle, system, known), self.task)
            if rank is None:
                continue
            text = rank_text(rank, names_at(place, self.encoding, self.task.subject.program))
            if self._is_proved(place, rank):
                return replace(unknown, answer=Answer.SAFE, rank=text)
            reasons.append(f"the rank {text} is not proved")
        text = self._counted(place)
        if text:
            return replace(unknown, answer=Answer.SAFE, rank=text)
        tried = dict.fromkeys(reasons) or ["no rank found, with invariants or without"]
        return replace(unknown, reason="; ".join(tried))

    def _counted(self, place: CyclePlace) -> str:
        """The rank by a constant bound that runs show, if it is proved; otherwise ""."""
        if place.key[1] == CALLS:
            return ""
        program, numbers = numbered(self.task.subject.program, [place.key])
        words = self.task.subject.execution().words
        seen = rounds_seen(program, numbers, words, self.task.deadline)
        if seen is None:
            return ""
        rank = rounds_left(seen[place.key], numbers[place.key])
        program = ranked(program, {place.key: rank}, {place.key: place.text})
        task = replace(self.task, unreplayed=COUNTED)
        is_proved = all(holds(replace(task, reading=one), program) for one in self.readings)
        return rank_text(rank, {numbers[place.key]: ROUNDS}) if is_proved else ""

    def _is_proved(self, place: CyclePlace, rank: Rank) -> bool:
        try:
            program = ranked(self.task.subject.program, {place.key: rank}, {place.key: place.text})
        except TooWide:
            return False
        return all(holds(replace(self.task, reading=one), program) for one in self.readings)
