"""A proof that all runs end: a rank for each loop, found by formulas and proved as checks.

How the ranks were found does not matter to the proof.  Checks of a program say that each loop
decreases its rank (`passes.termination.ranked`).  The engines prove them like any others, a second
solver proves the result again, and the invariants are compared with runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial

from seahorn_py.base.errors import Stage
from seahorn_py.base.records import dataclass
from seahorn_py.encode.encoding import Arithmetic, Cut, Encoding, Wrapping
from seahorn_py.engines.termination.cycles import repeated
from seahorn_py.engines.termination.drawn import Rounded
from seahorn_py.engines.termination.ranking import Linear
from seahorn_py.engines.termination.searches import BEYOND, inside, of_all, of_calls, of_drawn
from seahorn_py.horn.system import HornSystem, Model, Parameter
from seahorn_py.horn.transform.arithmetic import LinearPart
from seahorn_py.horn.transform.transformation import Inapplicable
from seahorn_py.invariants.generation import NOTHING, Generator
from seahorn_py.ir.program import Program, Register
from seahorn_py.ir.types import IntType
from seahorn_py.ir.verifier import check
from seahorn_py.logic.terms import terms
from seahorn_py.options import Overflow
from seahorn_py.passes.calls import isolate_calls
from seahorn_py.passes.simplify.simplify import simplify
from seahorn_py.passes.slicing.slicing import slice_program
from seahorn_py.passes.termination.ranked import (
    Measure,
    Rank,
    Summand,
    TooWide,
    ranked,
)
from seahorn_py.policy.policy import policy
from seahorn_py.processes.child import ChildError, Fork
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Answer, VerificationResult
from seahorn_py.verification.one_encoding import Task, answer_by_guess, answer_by_one
from seahorn_py.verification.termination.endless import meaningless
from seahorn_py.verification.termination.lemmas import Between, Lemmas
from seahorn_py.verification.termination.loop_places import (
    Circle,
    CyclePlace,
    Key,
    NoRank,
    all_places,
)
from seahorn_py.verification.termination.loop_results import ENDS, rank_text, ranked_loops
from seahorn_py.verification.termination.telling import told
from seahorn_py.verification.termination.whole import with_cells, within_objects

RankSearch = Callable[[Sequence[int], Deadline], tuple[Linear, ...] | None]
"""Looks for the measures of a rank: over the parameters with these numbers, until the deadline."""


@dataclass(frozen=True)
class Search:
    """How ranks are looked for: with which invariants, and whether the ranks may lag."""

    known: Sequence[Model]
    lags: bool


@dataclass(frozen=True)
class Found:
    """A rank for each loop of the program, with its text, and invariants of the program."""

    ranks: Mapping[Key, tuple[str, Rank]]
    program: Program
    lemmas: Lemmas

    def says_as(self, other: Found) -> bool:
        """Whether both have the same ranks of the same program."""
        return self.ranks == other.ranks and self.program is other.program


def proved(task: Task, readings: Sequence[Wrapping]) -> VerificationResult:
    """Safe if ranks are found and proved under each reading of overflow; otherwise unknown.

    The ranks that are proved under one reading are tried first under the next.
    """
    programs = [task.subject.program]
    within = within_objects(task.subject.source)
    if within is not None and not (
        task.options.frontend.overflow is Overflow.ASSUME and meaningless(within)
    ):
        programs.append(within)
    celled = with_cells(task.subject.source, programs[-1])
    programs += [] if celled is None else [celled]
    guess: Found | None = None
    evidence: list[str] = []
    for number, reading in enumerate(readings):
        share = task.deadline.share(1 / (len(readings) - number))
        result, guess = _proved(replace(task, reading=reading, deadline=share), programs, guess)
        if result.answer is not Answer.SAFE:
            return result
        if reading is not readings[-1]:
            evidence = ["the same holds where signed integers have no bounds"]
    return replace(result, evidence=(*result.evidence, *evidence))


def _proved(
    task: Task, programs: Sequence[Program], guess: Found | None
) -> tuple[VerificationResult, Found | None]:
    """The answer under one reading of overflow, and its ranks; `guess` is tried first."""
    reasons: list[str] = []
    tried: list[Found] = []
    if guess is not None:
        prompt = task.deadline.share(policy().termination.guess_share)
        result = with_ranks(replace(task, deadline=prompt), guess)
        if result.answer is Answer.SAFE:
            return result, guess
        tried.append(guess)
        reasons.append(result.reason)
    for found in _candidates(task, programs, reasons):
        if any(found.says_as(other) for other in tried):
            continue
        tried.append(found)
        share = task.deadline.share(policy().termination.prompt_share)
        result = with_ranks(replace(task, deadline=share), found)
        if result.answer is Answer.SAFE:
            return result, found
        reasons.append(result.reason)
    reason = "; ".join(dict.fromkeys(reasons))
    return VerificationResult(Answer.UNKNOWN, stage=Stage.SOLVE, reason=reason), None


def _candidates(task: Task, programs: Sequence[Program], reasons: list[str]) -> Iterator[Found]:
    """Ranks of all loops, the cheapest search first; a search that fails adds to `reasons`.

    In the second program a run ends where it leaves an object.  In the last one cells of memory are
    in registers.
    """
    views = []
    for program in programs:
        seen = replace(task, subject=replace(task.subject, program=program))
        views.append(_View(seen))
        if task.reading is Wrapping.WRAP:
            views.append(_View(seen, wraps=True))
    for is_helped in (False, True):
        for lags in (False, True):
            for view in views:
                known = view.knowledge if is_helped else (NOTHING,)
                try:
                    yield view.ranks(Search(known, lags))
                except NoRank as missing:
                    reasons.append(str(missing))


class _View:
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

    def ranks(self, search: Search) -> Found:
        """Ranks of all loops and recursions, each with its text.  Raises NoRank, Irreducible."""
        left = all_places(self._task.subject.program, self._encoding)
        found: dict[Key, tuple[str, Rank]] = {}
        between: list[Between] = []
        for known in search.known:
            for place in left:
                ranks, more = self._ranked(place, known, search.lags)
                for member, rank in ranks:
                    text = rank_text(rank, self._encoding, member)
                    found[member.key] = f"{member.text}{ENDS}{text}", rank
                between += more
            left = [one for one in left if not found.keys() >= one.keys]
            if not left:
                lemmas = Lemmas(self._whole, known, tuple(between))
                return Found(found, self._task.subject.program, lemmas)
        raise NoRank(f"no rank found for {' and for '.join(one.called for one in left)}")

    def _ranked(
        self, place: CyclePlace | Circle, known: Model, lags: bool
    ) -> tuple[list[tuple[CyclePlace, Rank]], list[Between]]:
        """Ranks of a loop, a recursion or a circle, if there are any, and what holds inside."""
        task, encoding = self._task, self._encoding
        if isinstance(place, Circle):
            loops = [Rounded(encoding.system, one.cycle, known) for one in place.members]
            ranks = () if lags else _circle(place, loops, task)
            return list(zip(place.members, ranks, strict=False)), []
        one = _rank(place, Rounded(encoding.system, place.cycle, known), task, lags)
        if one is None:
            return [], []
        rank, asked = one
        return [(place, rank)], _between(place, asked, rank, encoding, task)


def with_ranks(task: Task, found: Found) -> VerificationResult:
    """The answer for the program in which these ranks are checks."""
    ranks = {key: rank for key, (_, rank) in found.ranks.items()}
    texts = {key: text for key, (text, _) in found.ranks.items()}
    try:
        program = ranked(found.program, ranks, texts)
    except TooWide as wide:
        return VerificationResult(Answer.UNKNOWN, stage=Stage.ENCODE, reason=str(wide))
    for step in (simplify, slice_program, isolate_calls):
        program = check(step(program), step.__name__)
    subject = replace(task.subject, program=program)
    asked = replace(task, subject=subject, replays=False)
    soon = task.deadline.at_most(policy().termination.inductive_seconds)
    result = answer_by_guess(replace(asked, deadline=soon), found.lemmas.carried)
    if result.answer is Answer.SAFE:
        return _told(result, found, task.options.witness)
    share = 1.0 if task.ideal else policy().termination.integers_share
    result = answer_by_one(replace(asked, deadline=task.deadline.share(share)))
    if result.answer is not Answer.SAFE and not task.ideal:
        result = answer_by_one(replace(asked, arithmetic=Arithmetic.BV))
    if result.answer is not Answer.SAFE:
        reason = f"the ranks are not proved: {result.reason}"
        return VerificationResult(Answer.UNKNOWN, stage=Stage.SOLVE, reason=reason)
    return _told(result, found, task.options.witness)


def _told(result: VerificationResult, found: Found, asks: bool) -> VerificationResult:
    """The answer with its ranks: as evidence, by loop, and for a witness if it `asks`."""
    texts = {key: text for key, (text, _) in found.ranks.items()}
    ends = sorted(texts.values()) or ["the program has no loop and no recursion"]
    loops = ranked_loops(found.program, texts)
    ranks = {key: rank for key, (_, rank) in found.ranks.items()}
    said = told(found.program, ranks) if asks else ()
    return replace(result, evidence=(*ends, *result.evidence), loops=loops, ranks=said)


def numeric(encoding: Encoding) -> Encoding:
    """The encoding with numeric parameters alone: its rules on cycles, without the others."""
    sorts = {p.sort for r in encoding.system.relations.values() for p in r.parameters}
    if sorts <= {terms.INT, terms.BOOL}:
        return encoding
    try:
        system, _ = LinearPart().apply(repeated(encoding.system))
    except Inapplicable:
        return encoding
    cuts = {name: _kept(cut, encoding.system, system, name) for name, cut in encoding.cuts.items()}
    return replace(encoding, system=system, cuts=cuts)


def _kept(cut: Cut, before: HornSystem, after: HornSystem, name: str) -> Cut:
    """The cut with the registers of the parameters that are left."""
    left = set(after.relations[name].symbols)
    pairs = zip(cut.registers, before.relations[name].symbols, strict=True)
    return replace(cut, registers=tuple(r for r, symbol in pairs if symbol in left))


def rank_of(
    place: CyclePlace, system: HornSystem, search: RankSearch, task: Task, lags: bool = False
) -> Rank | None:
    """The rank of one loop or None, found in a process of its own, since isl may take any time."""
    try:
        found = _found(place, search, task, policy().termination.rank_seconds)
    except ChildError:
        return None
    return None if found is None else _as_rank(found, place, system, lags)


def _rank(
    place: CyclePlace, loop: Rounded, task: Task, lags: bool
) -> tuple[Rank, Rounded | None] | None:
    """A rank, and what is known of the loop for it, if isl can work with that.

    From all rounds of the loop where isl has them soon, or else from some that are drawn.
    """
    limits = policy().termination
    has_inner = any(inner.kept is not None for inner in place.cycle.inside)
    for asked in (loop, replace(loop, drifts=True)) if has_inner else (loop,):
        try:
            found = _found(place, partial(of_all, asked, lags), task, limits.rounds_seconds)
        except ChildError:
            found = BEYOND
        if found == BEYOND and asked is loop:
            found = _drawn(place, loop, task, lags)
            return None if found is None else (_as_rank(found, place, loop.system, lags), None)
        if found is not None and found != BEYOND:
            return _as_rank(found, place, loop.system, lags), asked
    return None


def _circle(circle: Circle, loops: Sequence[Rounded], task: Task) -> tuple[Rank, ...]:
    """A rank for each function of a circle; none where none are found."""
    usable = [_usable(one) for one in circle.members]
    limit = task.deadline.at_most(policy().termination.drawn_seconds)
    try:
        with Fork(partial(of_calls, loops, usable, limit), limit, task.options.memory_mib) as fork:
            found = fork.result()
    except ChildError:
        return ()
    if found is None:
        return ()
    assert isinstance(found, tuple)
    pairs = zip(found, circle.members, loops, strict=True)
    return tuple(_as_rank(one, place, loop.system, False) for one, place, loop in pairs)


def _usable(place: CyclePlace) -> list[int]:
    """The parameters that a measure may have."""
    registers = place.cut.registers
    return [k for k, register in enumerate(registers) if isinstance(register.type, IntType)]


def _drawn(place: CyclePlace, loop: Rounded, task: Task, lags: bool) -> tuple[Linear, ...] | None:
    limit = policy().termination.drawn_seconds
    try:
        return _found(place, partial(of_drawn, loop, lags), task, limit)
    except ChildError:
        return None


def _between(
    place: CyclePlace, loop: Rounded | None, rank: Rank, encoding: Encoding, task: Task
) -> list[Between]:
    """What holds between the head of a loop that is ranked and the cut points inside."""
    if loop is None or not place.cycle.inside:
        return []
    ranked = {summand.register for measure in rank.measures for summand in measure.summands}
    registers = place.cut.registers
    used = frozenset(k for k, register in enumerate(registers) if register in ranked)
    limit = task.deadline.at_most(policy().termination.rounds_seconds)
    try:
        with Fork(partial(inside, loop, used), limit, task.options.memory_mib) as fork:
            found = fork.result()
    except ChildError:
        return []
    assert isinstance(found, dict)
    names = {n: (*registers, *encoding.cuts[n].registers) for n in found}
    return [
        Between(n, tuple(r.name for r in names[n]), polyhedra) for n, polyhedra in found.items()
    ]


def _found(
    place: CyclePlace, search: RankSearch, task: Task, seconds: float
) -> tuple[Linear, ...] | None:
    """What a search finds in time; ChildError otherwise."""
    limit = task.deadline.at_most(seconds)
    with Fork(partial(search, _usable(place), limit), limit, task.options.memory_mib) as fork:
        found = fork.result()
    assert found is None or isinstance(found, tuple)
    return found


def _as_rank(found: tuple[Linear, ...], place: CyclePlace, system: HornSystem, lags: bool) -> Rank:
    parameters = system.relations[place.cycle.head].parameters
    return Rank(tuple(measured(one, place.cut.registers, parameters) for one in found), lags)


def measured(
    found: Linear, registers: Sequence[Register], parameters: Sequence[Parameter]
) -> Measure:
    """An expression over the parameters of a relation as one over the registers they hold."""
    rows = zip(found.coefficients, registers, parameters, strict=True)
    summands = tuple(Summand(factor, register, p.signed) for factor, register, p in rows if factor)
    return Measure(summands, found.constant)
