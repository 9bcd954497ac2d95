"""Shortens the reason of an unknown answer to the engines that got furthest.

A reason is `int: REASON; REASON; bv: REASON`: a part for each engine, by encoding.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from seahorn_py.base.patterns import pattern
from seahorn_py.base.records import dataclass
from seahorn_py.result import Answer, VerificationResult

MOST = 3

_SIDE = pattern(r"(int|bv): ")
_OUT_OF_TIME = pattern(r"(?:[^:]+: )?time limit")
_NOT_MEANT = pattern(r"(?:[^:]+: )?(?:no loop has a closure|nothing to work on)")
"""Reasons that say that an engine does not handle this kind of system."""


@dataclass(frozen=True, slots=True)
class _Reason:
    """A reason of one encoding; `side` is "" if both or none gave it."""

    side: str
    text: str

    @property
    def engine(self) -> str:
        """The name before the colon."""
        return self.text.partition(": ")[0]


def with_what_matters(result: VerificationResult) -> VerificationResult:
    """The result, with short reasons if it is unknown."""
    if result.answer is not Answer.UNKNOWN:
        return result
    checks = tuple(replace(check, reason=that_matter(check.reason)) for check in result.checks)
    return replace(result, reason=that_matter(result.reason), checks=checks)


def that_matter(reason: str) -> str:
    """At most three parts of a reason: failures first, then limits, then engines out of time."""
    found = list(_read(reason))
    if len(found) <= MOST:
        return reason
    late = [r for r in found if _OUT_OF_TIME.fullmatch(r.text)]
    meant = [r for r in found if r not in late and not _NOT_MEANT.fullmatch(r.text)]
    failures = [r for r in meant if "time limit" not in r.text]
    limits = [r for r in meant if "time limit" in r.text]
    limits = list({(r.side, r.engine): r for r in limits}.values())
    told = [*failures, *limits, *_together(late)] or found
    return "; ".join(_written(told[:MOST]))


def _together(late: list[_Reason]) -> list[_Reason]:
    """One reason for all engines that ran out of time."""
    return late if len(late) < 2 else [_Reason("", f"{len(late)} engines: time limit")]


def _read(reason: str) -> Iterator[_Reason]:
    """The parts of a reason; a part that both encodings have comes once."""
    parts: dict[str, list[str]] = {}
    side = ""
    for part in reason.split("; "):
        named = _SIDE.match(part)
        side = named[1] if named else side
        parts.setdefault(part[named.end() :] if named else part, []).append(side)
    for text, sides in parts.items():
        yield _Reason(sides[0] if len(set(sides)) == 1 else "", text)


def _written(reasons: Iterable[_Reason]) -> Iterator[str]:
    side = ""
    for reason in reasons:
        yield f"{reason.side}: {reason.text}" if reason.side not in ("", side) else reason.text
        side = reason.side
