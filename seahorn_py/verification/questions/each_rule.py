"""An answer for each of several rules of use, and for the properties that are asked for beside.

A rule is asked about alone: its automaton is code of the program, and slicing leaves out what
cannot touch its events.  An automaton has few places for objects; where a run needs more, it is
asked about again with many.  Where objects do not depend on each other, errors are found sooner
with places for a few, and proofs with one object that stands for all: both are asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from seahorn_py.base.errors import Stage
from seahorn_py.frontend.rules import known
from seahorn_py.frontend.rules.monitor import NOT_WATCHED, ONE
from seahorn_py.frontend.rules.sets import FULL
from seahorn_py.horn.ledger import LedgerEntry
from seahorn_py.options import Property, VerifyOptions
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Answer, PropertyResult, VerificationResult
from seahorn_py.verification.questions.each_property import summed
from seahorn_py.verification.questions.rule_steps import told

Ask = Callable[[VerifyOptions], VerificationResult]

_FEW, _MANY = 8, 32
_PLACES = (_FEW, 1.0), (_MANY, 1.0)
_OF_SINGLE_OBJECTS = (_FEW, 0.3), (ONE, 0.6), (_FEW, 1.0), (_MANY, 1.0)
"""How many places an automaton has, each time with its share of the time that is left."""

_RULE = Property.RULE


def answered(ask: Ask, options: VerifyOptions) -> VerificationResult:
    """One answer from those for each rule; `ask` has that of a run of all steps."""
    rules = options.frontend.rules
    others = options.frontend.properties - {_RULE}
    deadline = Deadline.after(options.timeout)
    if len(rules) == 1 and not others:
        return _of_rule(ask, options, rules[0], deadline)
    return _summed(options, list(_all(ask, options, deadline)))


def _all(
    ask: Ask, options: VerifyOptions, deadline: Deadline
) -> Iterator[tuple[str, VerificationResult]]:
    """The answers with the names of what they are about, each within its share of the time."""
    rules = options.frontend.rules
    others = options.frontend.properties - {_RULE}
    left = len(rules) + bool(others)
    if others:
        frontend = replace(options.frontend, rules=(), properties=others)
        each = options.each_property or len(others) > 1
        seconds = deadline.remaining / left
        asked = replace(options, frontend=frontend, each_property=each, timeout=seconds)
        yield "", ask(asked)
        left -= 1
    for rule in rules:
        yield f"rule {rule}", _of_rule(ask, options, rule, deadline.share(1 / left))
        left -= 1


def _of_rule(ask: Ask, options: VerifyOptions, rule: str, deadline: Deadline) -> VerificationResult:
    """The answer about one rule, with as many places as it needs."""
    single = any(one.is_of_single_objects for one in known.rule(rule).automata)
    result = VerificationResult(Answer.UNKNOWN, stage=Stage.SOLVE, reason="time limit")
    settled: set[int] = set()  # places with which more time gives no other answer
    is_full = False
    for places, share in _OF_SINGLE_OBJECTS if single else _PLACES:
        until = deadline.share(share)
        if until.remaining <= 0 or places in settled or (places == _MANY and not is_full):
            continue
        found = ask(_asked(options, rule, places, until.remaining))
        text = found.violation.text if found.violation else ""
        if text.endswith(NOT_WATCHED):
            return _undecided(found, text)
        if found.violation is not None and text != FULL:
            return replace(found, violation=told(found.violation, known.rule(rule)))
        if found.answer is Answer.SAFE:
            return found
        is_full |= bool(text)
        if text or until.remaining > 0:
            settled.add(places)
        if places != ONE:
            result = _undecided(found, f"{FULL}, {places}") if text else found
    return result


def _asked(options: VerifyOptions, rule: str, places: int, seconds: float) -> VerifyOptions:
    """The question about one rule alone."""
    frontend = replace(
        options.frontend,
        rules=(rule,),
        rule_places=places,
        properties=frozenset({_RULE}),
    )
    return replace(
        options, frontend=frontend, each_property=False, ask_default=False, timeout=seconds
    )


def _undecided(result: VerificationResult, reason: str) -> VerificationResult:
    """The result where the error that was found says nothing about the program."""
    return replace(
        result,
        answer=Answer.UNKNOWN,
        stage=Stage.ENCODE,
        reason=reason,
        evidence=(),
        violation=None,
        checks=(),
    )


def _summed(
    options: VerifyOptions, results: list[tuple[str, VerificationResult]]
) -> VerificationResult:
    """One answer for all: the first that is violated, else the first without an answer."""
    rows: list[PropertyResult] = []
    ledger: dict[LedgerEntry, None] = {}
    for name, result in results:
        names = [name] if name else sorted(p.value for p in options.frontend.properties - {_RULE})
        asked = frozenset(names)
        row = (result.answer, result.evidence, result.stage, result.reason, result.violation)
        rows += result.properties or [PropertyResult(one, asked, *row) for one in names]
        ledger.update(dict.fromkeys(result.ledger))
    found = [result for _, result in results]
    violated = next((r for r in found if r.answer is Answer.UNSAFE), None)
    undecided = next((r for r in found if r.answer is Answer.UNKNOWN), None)
    first = violated or undecided or found[0]
    return replace(
        first,
        properties=tuple(rows),
        ledger=tuple(ledger),
        times=summed(result.times for result in found),
        evidence=first.evidence if first is violated else _evidence(rows, first),
        checks=tuple(check for result in found for check in result.checks),
        warnings=tuple(dict.fromkeys(w for result in found for w in result.warnings)),
    )


def _evidence(rows: list[PropertyResult], first: VerificationResult) -> tuple[str, ...]:
    if first.answer is Answer.UNKNOWN:
        return ()
    return tuple(dict.fromkeys(line for row in rows for line in row.evidence))
