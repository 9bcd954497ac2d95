"""An answer for each of several properties.

Properties that need the same checks are asked about together.  A proof is a proof for each of them.
If a run violates one, this is told, and the others are asked about again.  Without an answer they
are asked about one by one.  At first each question gets little time, so that an error is told soon.
If there is no error, the undecided questions get the time that is left.

An allocation may fail as long as the program looks whether it did.  Once an access through null was
found, other errors are looked for in runs in which no allocation fails.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field, replace

from seahorn_py.base.errors import TIME_LIMIT, SeaError, Stage, is_late
from seahorn_py.base.records import dataclass
from seahorn_py.horn.ledger import LedgerEntry
from seahorn_py.ir.program import BOUNDS_ALONE
from seahorn_py.options import FrontendOptions, Property, VerifyOptions
from seahorn_py.policy.policy import policy
from seahorn_py.processes.deadline import Deadline
from seahorn_py.properties import ARITHMETIC, MEMORY
from seahorn_py.result import (
    Answer,
    Invariant,
    PropertyResult,
    VerificationResult,
)

Ask = Callable[[VerifyOptions], VerificationResult]
Asked = frozenset[Property]

NOTHING_TO_CHECK = "nothing to check"
_HARDEST = frozenset({Property.NO_OVERFLOW, Property.VALID_DEREF, Property.VALID_MEMSAFETY})
_TOGETHER = (MEMORY | {Property.VALID_MEMTRACK, Property.VALID_MEMSAFETY}, ARITHMETIC)


def answered(ask: Ask, options: VerifyOptions, properties: Asked) -> VerificationResult:
    """One answer, made of the answers for each property; `ask` gives the answer for options."""
    telling = min(policy().checks.telling_seconds, policy().checks.telling_share * options.timeout)
    asking = _Asking(ask, options, Deadline.after(options.timeout - telling))
    asking.briefly(_together(properties))
    if not asking.has_error:
        asking.at_length()
    return asking.result()


def options_of(frontend: FrontendOptions, together: Iterable[str]) -> FrontendOptions:
    """The options with which these properties were asked about together."""
    asked = frozenset(Property(name) for name in together)
    fails = frontend.malloc_may_fail or Property.NULL_DEREF in asked or not asked & MEMORY
    return replace(frontend, properties=asked, malloc_may_fail=fails, assume_initialised=True)


def _together(properties: Asked) -> list[Asked]:
    groups = [properties & group for group in _TOGETHER]
    rest = properties.difference(*groups)
    return [group for group in (*groups, *(frozenset({p}) for p in _sorted(rest))) if group]


def _sorted(properties: Iterable[Property]) -> list[Property]:
    order = list(Property)
    return sorted(properties, key=order.index)


@dataclass
class _Asking:
    """The answers so far, and the time that is left."""

    ask: Ask
    options: VerifyOptions
    deadline: Deadline
    found: dict[Property, PropertyResult] = field(default_factory=dict)
    results: list[VerificationResult] = field(default_factory=list)

    @property
    def has_error(self) -> bool:
        return any(row.answer is Answer.UNSAFE for row in self.found.values())

    def briefly(self, waiting: list[Asked]) -> None:
        """Ask about sets of properties; after an error, again about the rest of its set."""
        while waiting:
            asked = waiting.pop(0)
            seconds = policy().properties
            most = seconds.after_error_seconds if self.has_error else seconds.brief_seconds
            result = self._ask(asked, self.deadline.at_most(most))
            left = asked - self._settle(asked, result)
            if result.answer is Answer.UNSAFE and left:
                waiting.insert(0, left)

    def at_length(self) -> None:
        """Ask about the undecided properties, together and then one by one.

        A set has two parts of the time, since a proof is one for all in it.  What is left of an
        easy question is for the hard ones behind it.
        """
        undecided = _together(frozenset(p for p, row in self.found.items() if _is_open(row)))
        while undecided:
            asked = undecided.pop(0)
            parts = len(undecided) + (2 if len(asked) > 1 else 1)
            result = self._ask(asked, self.deadline.share(1 / parts))
            left = asked - self._settle(asked, result)
            if left and result.answer is Answer.UNSAFE:
                undecided.insert(0, left)
            elif left and len(asked) > 1:
                ordered = sorted(_sorted(left), key=_HARDEST.__contains__)
                undecided[:0] = [frozenset({p}) for p in ordered]

    def _ask(self, asked: Asked, deadline: Deadline) -> VerificationResult:
        """The answer about some properties within a share of the time."""
        seconds = deadline.remaining
        if seconds <= 0:
            return VerificationResult(Answer.UNKNOWN, stage=Stage.SOLVE, reason=TIME_LIMIT)
        options = replace(
            self.options,
            each_property=False,
            ask_default=False,
            timeout=seconds,
            frontend=options_of(self.options.frontend, [p.value for p in asked]),
        )
        try:
            result = self.ask(options)
        except SeaError as error:  # about the property, since the program was read before
            result = VerificationResult(Answer.UNKNOWN, stage=Stage.FRONT_END, reason=str(error))
        if self.has_error and is_late(result.reason):
            result = replace(result, reason=f"{TIME_LIMIT}, which is short after an error")
        self.results.append(result)
        return result

    def _settle(self, asked: Asked, result: VerificationResult) -> Asked:
        """Note what the result says; gives the properties for which it is an answer."""
        names = frozenset(p.value for p in asked)
        decided = asked
        if result.violation is not None:
            decided = frozenset({Property(result.violation.property)}) & asked
        for property_ in _sorted(asked):
            if property_ in decided:
                row = (result.answer, result.evidence, result.stage, result.reason)
                self.found[property_] = PropertyResult(
                    property_.value, names, *row, result.violation
                )
        return frozenset() if result.answer is Answer.UNKNOWN else decided

    def result(self) -> VerificationResult:
        """One answer for all properties."""
        rows = tuple(self.found[p] for p in _sorted(self.found) if _is_asked(self.found[p]))
        violated = next((row for row in rows if row.answer is Answer.UNSAFE), None)
        open_ = next((row for row in rows if _is_open(row)), None)
        ledger: dict[LedgerEntry, None] = {}
        for result in self.results:
            ledger.update((entry, None) for entry in result.ledger if self._is_left(entry))
        common = VerificationResult(
            Answer.SAFE,
            tuple(dict.fromkeys(line for row in rows for line in row.evidence)),
            properties=rows,
            checks=tuple(check for result in self.results for check in result.checks),
            ledger=tuple(ledger),
            times=summed(result.times for result in self.results),
            warnings=tuple(
                dict.fromkeys(w for r in self.results for w in r.warnings if _is_of_all(w))
            ),
            obstacles=tuple(dict.fromkeys(o for r in self.results for o in r.obstacles)),
            invariants=self._invariants(),
        )
        if violated is not None:
            evidence, violation = violated.evidence, violated.violation
            return replace(
                common, answer=Answer.UNSAFE, evidence=evidence, violation=violation, obstacles=()
            )
        if open_ is not None:
            reason = f"{open_.property}: {open_.reason}"
            return replace(
                common, answer=Answer.UNKNOWN, evidence=(), stage=open_.stage, reason=reason
            )
        return replace(common, obstacles=())

    def _is_left(self, entry: LedgerEntry) -> bool:
        """Whether no other question covers what an entry says is not covered."""
        return entry.text != BOUNDS_ALONE or Property.VALID_DEREF not in self.found

    def _invariants(self) -> tuple[Invariant, ...]:
        """Those of the proofs."""
        proofs = (result for result in self.results if result.answer is Answer.SAFE)
        return tuple(dict.fromkeys(one for proof in proofs for one in proof.invariants))


def _is_open(row: PropertyResult) -> bool:
    return row.answer is Answer.UNKNOWN and _is_asked(row)


def _is_asked(row: PropertyResult) -> bool:
    """Whether the property is a question: error calls are none if the program has none."""
    return row.reason != NOTHING_TO_CHECK


def _is_of_all(warning: str) -> bool:
    """Whether a warning is about the program, and not about a property."""
    return not warning.startswith(NOTHING_TO_CHECK)


def summed(times: Iterable[Mapping[str, float]]) -> Mapping[str, float]:
    """The seconds of each phase of all results together."""
    total: dict[str, float] = {}
    for name, spent in _items(times):
        total[name] = total.get(name, 0.0) + spent
    return total


def _items(times: Iterable[Mapping[str, float]]) -> Iterator[tuple[str, float]]:
    for one in times:
        yield from one.items()
