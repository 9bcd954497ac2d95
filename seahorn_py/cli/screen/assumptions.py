"""What an answer rests on: the ledger, entries that say the same of several places together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from seahorn_py.base.patterns import pattern
from seahorn_py.cli.messages.codes import code_of
from seahorn_py.horn.ledger import Approximation, LedgerEntry
from seahorn_py.ir.program import NOT_COVERED
from seahorn_py.options import Property
from seahorn_py.result import Answer, VerificationResult

MOST_PLACES = 3
MODELS = "<libc>/"
"""Places in our models of the C library begin so."""

_AT = pattern(r" at (\S+:\d+:\d+|\?)(?=: |$)")
_VALID = ("accesses of memory are valid", "accesses of small arrays by an index are inside")
_ASKED = Property.VALID_DEREF.value
_THE_SAME = frozenset({_ASKED, Property.VALID_MEMSAFETY.value})


def uncovered(result: VerificationResult) -> list[str]:
    """What was asked for and nothing checks, in words."""
    return [entry.text for entry in result.ledger if entry.text.startswith(NOT_COVERED)]


def lines(result: VerificationResult) -> Iterator[str]:
    """A line for each kind of entry, with its places."""
    grouped: dict[tuple[str, str], list[str]] = {}
    for entry in _told(result):
        found = _AT.search(entry.text)
        text = _AT.sub("", entry.text, 1) if found else entry.text
        places = grouped.setdefault((entry.kind.value, text), [])
        places += [place for place in (found[1] if found else "", str(entry.origin)) if place]
    for (kind, text), places in grouped.items():
        code = code_of("L", text)
        yield f"{kind}: {text}{_note(text, result)}{_shown(places)} [{code}]"


def _told(result: VerificationResult) -> Iterator[LedgerEntry]:
    """What the answer rests on; if that is one run, no more than what is assumed of it.

    An unknown one rests on nothing, but a gap may be its reason.
    """
    found = result.violation
    is_run = found is not None and not result.properties and not result.checks
    for entry in result.ledger:
        if entry.text.startswith(NOT_COVERED):
            continue
        if result.answer is Answer.UNKNOWN and entry.kind is not Approximation.UNDER:
            continue
        is_over = entry.kind is Approximation.OVER
        is_seen = found is not None and found.property in _THE_SAME
        if not is_run or not (is_over or (is_seen and entry.text.startswith(_VALID))):
            yield entry


def _note(text: str, result: VerificationResult) -> str:
    """Another property may be about what is assumed here."""
    is_asked = any(row.property == _ASKED for row in result.properties)
    return f" (that is the question {_ASKED})" if is_asked and text.startswith(_VALID) else ""


def _shown(places: Iterable[str]) -> str:
    """Some places of the program; those in models are told where there are no others."""
    known = [place for place in dict.fromkeys(places) if place != "?"]
    own = [place for place in known if not place.startswith(MODELS)] or known
    return f" ({_some(own)})" if own else ""


def _some(places: Sequence[str]) -> str:
    more = len(places) - MOST_PLACES
    return ", ".join(places[:MOST_PLACES]) + (f" and {more} more" if more > 0 else "")
