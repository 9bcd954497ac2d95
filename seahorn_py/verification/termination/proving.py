"""A proof that all runs end: a rank for each loop, found by formulas and proved as checks.

How the ranks were found does not matter to the proof.  Checks of a program say that each loop
decreases its rank (`passes.termination.ranked`).  The engines prove them like any others, a second
solver proves the result again, and the invariants are compared with runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from seahorn_py.base.errors import Stage
from seahorn_py.encode.encoding import Arithmetic, Wrapping
from seahorn_py.invariants.generation import NOTHING
from seahorn_py.ir.program import Program
from seahorn_py.ir.verifier import check
from seahorn_py.options import Overflow
from seahorn_py.passes.calls import isolate_calls
from seahorn_py.passes.promotion.cells import INSIDE
from seahorn_py.passes.simplify.simplify import simplify
from seahorn_py.passes.slicing.slicing import slice_program
from seahorn_py.passes.termination.ranked import TooWide, ranked
from seahorn_py.policy.policy import policy
from seahorn_py.result import Answer, VerificationResult
from seahorn_py.verification.encodings.one_encoding import (
    COUNTED,
    RANKS,
    Task,
    answer_by_guess,
    answer_by_one,
)
from seahorn_py.verification.termination.endless import meaningless
from seahorn_py.verification.termination.loop_places import NoRank
from seahorn_py.verification.termination.loop_results import ENDS, ranked_loops
from seahorn_py.verification.termination.telling import told
from seahorn_py.verification.termination.views import PLAIN, Found, Search, View
from seahorn_py.verification.termination.whole import with_cells, within_objects

MOST_STRAIGHT = 2
"""So many programs are looked at in runs: memory as it is, and where runs stay in objects."""
FURTHER = (4, 4)
"""The second guess at a constant bound: factor and summand to the most rounds that were seen."""


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
    if celled is not None:
        # where an access chooses among the elements of an array, its cell is much simpler
        is_simpler = INSIDE in programs[-1].assumptions and INSIDE not in celled.assumptions
        programs.insert(0 if is_simpler else len(programs), celled)
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
        limits = policy().termination
        part = limits.counted_share if found.is_counted else limits.prompt_share
        result = with_ranks(replace(task, deadline=task.deadline.share(part)), found)
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
    views: list[View] = []
    straight: list[View] = []
    for program in programs:
        seen = replace(task, subject=replace(task.subject, program=program))
        views.append(View(seen))
        straight.append(views[-1])
        if task.reading is Wrapping.WRAP:
            views.append(View(seen, wraps=True))
    for search in _searches(views, straight[:MOST_STRAIGHT]):
        try:
            yield search()
        except NoRank as missing:
            reasons.append(str(missing))


def _searches(views: Sequence[View], straight: Sequence[View]) -> Iterator[Callable[[], Found]]:
    yield from (partial(view.ranks, PLAIN) for view in views)
    yield from (view.by_facts for view in straight)
    yield from (partial(view.counted, 1, 0) for view in straight)
    yield from (partial(view.ranks, Search((NOTHING,), True)) for view in views)
    for lags in (False, True):
        yield from (partial(_by_invariants, view, lags) for view in views)
    yield from (partial(view.counted, *FURTHER) for view in straight)


def _by_invariants(view: View, lags: bool) -> Found:
    return view.ranks(Search(view.knowledge, lags))


def with_ranks(task: Task, found: Found) -> VerificationResult:
    """The answer for the program in which these ranks are checks."""
    ranks = {key: rank for key, (_, rank) in found.ranks.items()}
    texts = {key: f"rank {text}" for key, (text, _) in found.ranks.items()}
    try:
        program = ranked(found.program, ranks, texts)
    except TooWide as wide:
        return VerificationResult(Answer.UNKNOWN, stage=Stage.ENCODE, reason=str(wide))
    for step in (simplify, slice_program, isolate_calls):
        program = check(step(program), step.__name__)
    subject = replace(task.subject, program=program)
    schedule = COUNTED if found.is_counted else RANKS
    asked = replace(task, subject=subject, replays=False, unreplayed=schedule)
    soon = task.deadline.at_most(policy().termination.inductive_seconds)
    result = answer_by_guess(replace(asked, deadline=soon), found.lemmas.carried)
    if result.answer is Answer.SAFE:
        return _told(result, found, task)
    share = 1.0 if task.ideal else policy().termination.integers_share
    result = answer_by_one(replace(asked, deadline=task.deadline.share(share)))
    if result.answer is not Answer.SAFE and not task.ideal:
        result = answer_by_one(replace(asked, arithmetic=Arithmetic.BV))
    if result.answer is not Answer.SAFE:
        reason = f"the ranks are not proved: {result.reason}"
        return VerificationResult(Answer.UNKNOWN, stage=Stage.SOLVE, reason=reason)
    return _told(result, found, task)


def _told(result: VerificationResult, found: Found, task: Task) -> VerificationResult:
    """The answer with its ranks: as evidence, by loop, and for a witness if one is asked for."""
    texts = {key: text for key, (text, _) in found.ranks.items()}
    loops = ranked_loops((task.subject.program, found.program), texts)
    ends = sorted(f"{loop.text}{ENDS}{loop.rank}" for loop in loops)
    ends = ends or ["the program has no loop and no recursion"]
    ranks = {key: rank for key, (_, rank) in found.ranks.items()}
    said = told(found.program, ranks) if task.options.witness else ()
    return replace(result, evidence=(*ends, *result.evidence), loops=loops, ranks=said)
