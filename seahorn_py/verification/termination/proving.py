"""A proof that runs end: a rank for each loop, found by formulas and proved as a safety question.

Whether the ranks are right does not rest on how they were found: that each loop decreases its rank
are checks of a program (`passes.termination.ranked`), which the engines prove like any others, and
what they find is proved again by a second solver and compared with runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial

from seahorn_py.base.errors import Stage
from seahorn_py.base.records import dataclass
from seahorn_py.encode.encoding import Arithmetic, Cut, CutKind, Encoding, Wrapping
from seahorn_py.engines.termination.cycles import Cycle, Inner, repeated
from seahorn_py.engines.termination.drawn import Rounded
from seahorn_py.engines.termination.ranking import Linear
from seahorn_py.engines.termination.searches import BEYOND, of_all, of_drawn
from seahorn_py.horn.system import HornSystem, Model, Parameter
from seahorn_py.horn.transform.arithmetic import LinearPart
from seahorn_py.horn.transform.transformation import Inapplicable
from seahorn_py.invariants.generation import NOTHING, Generator
from seahorn_py.ir.graph import (
    blocks_by_label,
    call_graph,
    reverse_postorder,
    strong_components,
)
from seahorn_py.ir.program import Function, Program, Register
from seahorn_py.ir.traverse import definitions
from seahorn_py.ir.types import IntType
from seahorn_py.ir.verifier import check
from seahorn_py.logic.terms import terms
from seahorn_py.options import Overflow
from seahorn_py.passes.calls import isolate_calls
from seahorn_py.passes.simplify.simplify import simplify
from seahorn_py.passes.slicing.slicing import slice_program
from seahorn_py.passes.termination.loops import Loop, head_origin, natural_loops
from seahorn_py.passes.termination.ranked import (
    CALLS,
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
from seahorn_py.verification.termination.lemmas import Lemmas
from seahorn_py.verification.termination.loop_results import ENDS, ranked_loops
from seahorn_py.verification.termination.telling import told
from seahorn_py.verification.termination.whole import within_objects

Key = tuple[str, str]


class NoRank(Exception):
    """A loop for which nothing was found; the text says which and why."""


@dataclass(frozen=True)
class Place:
    """A loop, or the calls of a function by itself, with the relation at its head."""

    key: Key
    text: str
    cycle: Cycle
    cut: Cut


RankSearch = Callable[[Sequence[int], Deadline], tuple[Linear, ...] | None]
"""Looks for the measures of a rank over the parameters with these numbers, for so long."""


@dataclass(frozen=True)
class Search:
    """How ranks are looked for: what is known, and whether they may lag a round behind."""

    known: Sequence[Model]
    lags: bool


@dataclass(frozen=True)
class Found:
    """A rank for each loop, with what is said of it, and the program that it is of."""

    ranks: Mapping[Key, tuple[str, Rank]]
    program: Program
    lemmas: Lemmas

    def says_as(self, other: Found) -> bool:
        """It has the same ranks."""
        return self.ranks == other.ranks and self.program is other.program


def proved(task: Task, readings: Sequence[Wrapping]) -> VerificationResult:
    """Safe where ranks are found and proved under each reading of overflow; or unknown.

    What ranks the loops under one of them is tried first under the next.
    """
    programs = [task.subject.program]
    within = within_objects(task.subject.source)
    if within is not None and not (
        task.options.overflow is Overflow.ASSUME and meaningless(within)
    ):
        programs.append(within)
    guess: Found | None = None
    evidence: list[str] = []
    for number, reading in enumerate(readings):
        share = task.deadline.share(1 / (len(readings) - number))
        result, guess = _proved(replace(task, reading=reading, deadline=share), programs, guess)
        if result.answer is not Answer.SAFE:
            return result
        if reading is not readings[-1]:
            evidence = ["it is the same where signed integers have no bounds"]
    return replace(result, evidence=(*result.evidence, *evidence))


def _proved(
    task: Task, programs: Sequence[Program], guess: Found | None
) -> tuple[VerificationResult, Found | None]:
    """The same under one reading, with the ranks."""
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
    """Ranks of all loops, the cheapest first; why there are none comes to the reasons.

    In the second of two programs a run ends where it leaves an object.  Invariants come last.
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
    """A program whose loops are ranked, in one encoding; what wraps is written out or left out."""

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
        """Nothing, and ever more invariants."""
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
        """Of all loops and calls, each with its text.  Raises NoRank, Irreducible."""
        task, encoding = self._task, self._encoding
        left = places(task.subject.program, encoding)
        found: dict[Key, tuple[str, Rank]] = {}
        for known in search.known:
            for place in left:
                loop = Rounded(encoding.system, place.cycle, known)
                rank = _rank(place, loop, task, search.lags)
                if rank is not None:
                    text = f"{place.text}{ENDS}{rank_text(rank, encoding, place)}"
                    found[place.key] = text, rank
            left = [place for place in left if place.key not in found]
            if not left:
                return Found(found, task.subject.program, Lemmas(self._whole, known))
        raise NoRank(f"no rank found for the {left[0].text}")


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
    """The answer, with what is said of the ranks; `asks` for what a witness tells of them."""
    texts = {key: text for key, (text, _) in found.ranks.items()}
    ends = sorted(texts.values()) or ["the program has no loop and no recursion"]
    loops = ranked_loops(found.program, texts)
    ranks = {key: rank for key, (_, rank) in found.ranks.items()}
    said = told(found.program, ranks) if asks else ()
    return replace(result, evidence=(*ends, *result.evidence), loops=loops, ranks=said)


def places(program: Program, encoding: Encoding) -> list[Place]:
    """All loops and recursive functions of the program.  Raises Irreducible, NoRank."""
    graph = call_graph(program)
    found = []
    for part in strong_components(graph, graph.__getitem__):
        if len(part) > 1:
            raise NoRank(f"{' and '.join(sorted(part))} call each other")
    for function in program.functions.values():
        found += _places(function, encoding, function.name in graph[function.name])
    return found


def _places(function: Function, encoding: Encoding, is_recursive: bool) -> list[Place]:
    """Those of one function."""
    blocks = blocks_by_label(function)
    at = {cut.label: name for name, cut in _cuts(encoding, function, CutKind.BLOCK)}
    inner = {loop.head: loop for loop in natural_loops(function)}
    order = [label for label in reverse_postorder(function) if label in at]
    found = []
    for label, loop in inner.items():
        inside = [one for one in order if one in loop.body and one != label]
        points = tuple(_inner(function, at[one], inner.get(one), encoding) for one in inside)
        origin = head_origin(blocks[label])
        text = f"loop at {origin}" if origin.span else f"loop {label} of {function.name}"
        cut = encoding.cuts[at[label]]
        found.append(Place((function.name, label), text, Cycle(at[label], points), cut))
    if is_recursive:
        ((entry, cut),) = _cuts(encoding, function, CutKind.ENTRY)
        points = tuple(_inner(function, at[one], inner.get(one), encoding) for one in order)
        text = f"recursion of {function.name}"
        found.append(Place((function.name, CALLS), text, Cycle(entry, points), cut))
    return found


def _cuts(encoding: Encoding, function: Function, kind: CutKind) -> list[tuple[str, Cut]]:
    """The cuts of one kind in one function, by the names of their relations."""
    cuts = encoding.cuts.items()
    return [(n, cut) for n, cut in cuts if cut.kind is kind and cut.function == function.name]


def _inner(function: Function, name: str, loop: Loop | None, encoding: Encoding) -> Inner:
    """A cut point; if it is the head of a loop, what that does not change."""
    if loop is None:
        return Inner(name)
    blocks = blocks_by_label(function)
    changed = {r for label in loop.body for r in definitions(blocks[label])}
    registers = encoding.cuts[name].registers
    return Inner(name, frozenset(k for k, r in enumerate(registers) if r not in changed))


def numeric(encoding: Encoding) -> Encoding:
    """The encoding with what its rounds do to numbers: relations have no other parameters."""
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
    place: Place, system: HornSystem, search: RankSearch, task: Task, lags: bool = False
) -> Rank | None:
    """The rank of one loop, found in a process of its own: isl may take any time."""
    try:
        found = _found(place, search, task, policy().termination.rank_seconds)
    except ChildError:
        return None
    return None if found is None else _as_rank(found, place, system, lags)


def _rank(place: Place, loop: Rounded, task: Task, lags: bool) -> Rank | None:
    """From all rounds of the loop where isl has them soon, or else from some that are drawn."""
    limits = policy().termination
    for search, seconds in ((of_all, limits.rounds_seconds), (of_drawn, limits.drawn_seconds)):
        try:
            found = _found(place, partial(search, loop, lags), task, seconds)
        except ChildError:
            continue
        if found is None:
            return None
        if found != BEYOND:
            return _as_rank(found, place, loop.system, lags)
    return None


def _found(
    place: Place, search: RankSearch, task: Task, seconds: float
) -> tuple[Linear, ...] | None:
    """What a search finds in time; ChildError otherwise."""
    registers = place.cut.registers
    usable = [k for k, register in enumerate(registers) if isinstance(register.type, IntType)]
    limit = task.deadline.at_most(seconds)
    with Fork(partial(search, usable, limit), limit, task.options.memory_mib) as fork:
        found = fork.result()
    assert found is None or isinstance(found, tuple)
    return found


def _as_rank(found: tuple[Linear, ...], place: Place, system: HornSystem, lags: bool) -> Rank:
    parameters = system.relations[place.cycle.head].parameters
    return Rank(tuple(measured(one, place.cut.registers, parameters) for one in found), lags)


def measured(
    found: Linear, registers: Sequence[Register], parameters: Sequence[Parameter]
) -> Measure:
    """An expression over the parameters of a relation as one over the registers they hold."""
    rows = zip(found.coefficients, registers, parameters, strict=True)
    summands = tuple(Summand(factor, register, p.signed) for factor, register, p in rows if factor)
    return Measure(summands, found.constant)


def rank_text(rank: Rank, encoding: Encoding, place: Place) -> str:
    """The rank in the names of C."""
    parameters = encoding.system.relations[place.cycle.head].parameters
    named = zip(place.cut.registers, parameters, strict=True)
    names = {register: p.c_name or f"%{register.name}" for register, p in named}
    return f"({', '.join(_measure(m, names) for m in rank.measures)})"


def _measure(measure: Measure, names: Mapping[Register, str]) -> str:
    text = ""
    for summand in measure.summands:
        factor, name = summand.factor, names[summand.register]
        sign = "-" if factor < 0 else "+"
        size = "" if abs(factor) == 1 else f"{abs(factor)} * "
        text += f" {sign} {size}{name}" if text else f"{'-' if factor < 0 else ''}{size}{name}"
    if measure.constant or not text:
        number = measure.constant
        text += f" {'-' if number < 0 else '+'} {abs(number)}" if text else str(number)
    return text
