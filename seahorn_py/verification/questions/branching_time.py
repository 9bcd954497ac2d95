"""Whether a program fulfils a formula of branching time (CTL), by questions of linear time.

    T. Beyene, C. Popeea, A. Rybalchenko: "Solving existentially quantified Horn clauses", CAV 2013
    B. Cook, E. Koskinen: "Reasoning about nondeterminism in programs", PLDI 2013

A formula and its negation are tried in turn, question by question; one of them holds at the only
first state (`_shown`).

1. What is a formula of linear time without its `A` is a question of linear time.  The negation of
   such a formula holds if a run violates the formula (`_linear`).
2. Of any other formula an innermost part `A..` or `E..` about states is replaced, from the inside
   out, by a condition under which it holds in all states that are looked at (`_replaced`).
   Conditions are guessed.  For a part `A..` that is a question of linear time.
3. A part `E..` holds where all runs fulfil it in which inputs are chosen, if no choice blocks a run
   (`frontend.temporal.choosing`).  Choices are guessed, too (`_followed`).
4. `AF f` and its like hold also where `f` holds in the first state (`_at_once`).

Each guess is proved or refuted by all engines, with their evidence.  A formula for which no guess
is right stays unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from dataclasses import field, replace

from seahorn_py.base import run_time
from seahorn_py.base.errors import InputError, Stage, UnsupportedError
from seahorn_py.base.records import dataclass
from seahorn_py.frontend.temporal.branching import innermost, linear, put, simplified, written
from seahorn_py.frontend.temporal.formula import (
    FALSE,
    TRUE,
    Both,
    Either,
    Formula,
    Literal,
    Quantified,
    Release,
    Until,
    atoms,
    negation,
    read_formula,
)
from seahorn_py.frontend.temporal.product import CHOSEN
from seahorn_py.horn.ledger import Ledger
from seahorn_py.options import VerifyOptions
from seahorn_py.policy.policy import policy
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Answer, VerificationResult, Violation
from seahorn_py.verification.questions.each_property import summed
from seahorn_py.verification.questions.guesses import Guesses

Ask = Callable[[VerifyOptions], VerificationResult]
"""Answers a question of linear time."""

PROPERTY = "ltl"
_MORE = "no condition was found under which this part of the formula is known to hold"


@dataclass(frozen=True)
class Shown:
    """Why a formula holds: in words, by which answers."""

    lines: tuple[str, ...] = ()
    results: tuple[VerificationResult, ...] = ()

    def beside(self, other: Shown) -> Shown:
        """Both together."""
        return Shown((*self.lines, *other.lines), (*self.results, *other.results))


Way = Generator[None, None, Shown | None]
"""A search that stops behind each question; None if it has found nothing."""


def is_linear(formula: Formula) -> bool:
    """Whether the formula without its `A` says the same of all runs."""
    try:
        linear(formula)
    except UnsupportedError:
        return False
    return True


def is_of_runs(formula: Formula) -> bool:
    """Whether the formula or its negation is one of linear time."""
    return is_linear(formula) or is_linear(negation(formula))


def decided(ask: Ask, options: VerifyOptions, guesses: Guesses) -> VerificationResult:
    """The answer about the formula of the options."""
    text = options.frontend.formula
    formula = read_formula(text)
    frontend = replace(options.frontend, looked_at=text)
    share = 1.0 if is_of_runs(formula) else policy().properties.question_share
    limit = Deadline.after(options.timeout)
    search = _Search(ask, replace(options, frontend=frontend), guesses, limit, share)
    found = search.first(formula, negation(formula))
    times = summed(one.times for one in search.known.values())
    if found is None:
        stage, reason = search.why()
        return VerificationResult(Answer.UNKNOWN, stage=stage, reason=reason, times=times)
    shown, holds = found
    if holds:
        meaning = f"the first state fulfils {text}"
        result = VerificationResult(Answer.SAFE, shown.lines, meaning=meaning)
    else:
        violation = Violation(PROPERTY, f"the first state does not fulfil {text}", None, ())
        result = VerificationResult(Answer.UNSAFE, shown.lines, violation=violation)
    return replace(result, ledger=_ledger(shown), times=times)


def _ledger(shown: Shown) -> Ledger:
    entries = (entry for result in shown.results for entry in result.ledger)
    return tuple(dict.fromkeys(entries))


@dataclass
class _Search:
    ask: Ask
    options: VerifyOptions
    guesses: Guesses
    deadline: Deadline
    share: float
    known: dict[tuple[str, tuple[str, ...]], VerificationResult] = field(default_factory=dict)
    open: dict[str, None] = field(default_factory=dict)

    def first(self, formula: Formula, other: Formula) -> tuple[Shown, bool] | None:
        """Why the formula, or the other one, holds; and which."""
        ways = {True: self._shown(formula), False: self._shown(other)}
        while ways and self.deadline.remaining:
            for holds, way in list(ways.items()):
                try:
                    next(way)
                except StopIteration as ended:
                    if ended.value is not None:
                        return ended.value, holds
                    del ways[holds]
        return None

    def why(self) -> tuple[Stage, str]:
        """Why there is no answer."""
        for result in self.known.values():
            if result.stage in (Stage.FRONT_END, Stage.ENCODE):
                return result.stage, result.reason
        reasons = dict.fromkeys((*self.open, *(r.reason for r in self.known.values() if r.reason)))
        return Stage.SOLVE, "; ".join(reasons) or "time limit"

    def _shown(self, formula: Formula) -> Way:
        match formula:
            case _ if formula == TRUE:
                return Shown()
            case _ if is_of_runs(formula):
                return (yield from self._linear(formula))
            case Both(left, right):
                one = yield from self._shown(left)
                other = None if one is None else (yield from self._shown(right))
                return None if one is None or other is None else one.beside(other)
            case Either(left, right):
                one = yield from self._shown(left)
                return one if one is not None else (yield from self._shown(right))
        found = yield from self._at_once(formula)
        if found is not None:
            return found
        for part in innermost(formula):
            found = yield from self._replaced(formula, part)
            if found is not None:
                return found
            self.open[f"{written(part)}: {_MORE}"] = None
        return None

    def _at_once(self, formula: Formula) -> Way:
        """By the first state alone."""
        match formula:
            case Quantified(_, Until(_, right)):
                return (yield from self._shown(right))
            case Quantified(_, Release(left, right)) if left != FALSE:
                return (yield from self._shown(Both(left, right)))
        return None

    def _linear(self, formula: Formula) -> Way:
        """By one question about all runs, or about a run."""
        is_of_all = is_linear(formula)
        asked = linear(formula if is_of_all else negation(formula))
        result = self._asked(asked)
        yield
        if result.answer is not (Answer.SAFE if is_of_all else Answer.UNSAFE):
            return None
        how = "all runs fulfil" if is_of_all else "a run does not fulfil"
        return Shown((f"{how} {written(asked)}", *_indented(result)), (result,))

    def _replaced(self, formula: Formula, part: Quantified) -> Way:
        """With a condition in the place of a part."""
        for condition in self.guesses.conditions(formula, part):
            rest = simplified(put(formula, part, condition))
            if rest == FALSE:
                continue
            if part.is_universal:
                lemma = yield from self._linear(_always(condition, part))
                outer = None if lemma is None else (yield from self._shown(rest))
            else:
                outer = yield from self._shown(rest)
                lemma = None if outer is None else (yield from self._followed(condition, part))
            if lemma is not None and outer is not None:
                return lemma.beside(outer)
        return None

    def _followed(self, condition: Formula, part: Quantified) -> Way:
        """That some run fulfils the part, since all do in which inputs are chosen."""
        chosen = simplified(Both(Literal(CHOSEN), condition))
        asked = linear(_always(chosen, Quantified(True, part.path)))
        for choices in self.guesses.choices():
            result = self._asked(asked, choices)
            yield
            if result.answer is Answer.SAFE:
                what = f"where {written(condition)}, {written(part)}: by a run in which inputs are"
                told = ", ".join(value or "anything" for value in choices)
                return Shown((f"{what} {told}", *_indented(result)), (result,))
            if result.stage is Stage.FRONT_END:
                return None
        return None

    def _asked(self, formula: Formula, choices: tuple[str, ...] = ()) -> VerificationResult:
        """The answer to a question of linear time, asked once."""
        key = written(formula), choices
        if key not in self.known:
            share = self.deadline.share(self.share)
            if share.remaining <= 0:
                return VerificationResult(Answer.UNKNOWN, stage=Stage.SOLVE, reason="time limit")
            frontend = replace(self.options.frontend, formula=key[0], choices=choices)
            one = replace(self.options, frontend=frontend, timeout=share.remaining)
            self.known[key] = self._answered(one, formula)
        return self.known[key]

    def _answered(self, options: VerifyOptions, formula: Formula) -> VerificationResult:
        """Unknown where a guessed condition is no expression of the program.

        Each question is a run of its own: limits of its parts are shares of its own time.
        """
        run = run_time.whole()
        run_time.begin(options.timeout)
        try:
            return self.ask(options)
        except InputError as error:
            if set(atoms(read_formula(options.frontend.looked_at))) >= {*atoms(formula)} - {CHOSEN}:
                raise
            return VerificationResult(Answer.UNKNOWN, stage=Stage.SOLVE, reason=str(error))
        finally:
            run_time.begin(run)


def _always(condition: Formula, part: Quantified) -> Formula:
    """In all states with the condition the part holds."""
    inner = part if condition == TRUE else Either(negation(condition), part)
    return Quantified(True, Release(FALSE, inner))


def _indented(result: VerificationResult) -> Iterator[str]:
    return (f"  {line}" for line in result.evidence)
