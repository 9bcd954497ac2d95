"""Violation witnesses of programs with threads (YAML 2.2).

The program is verified as it is.  The run that is found confirms the witness if it passes the
waypoints in their order, each by its thread, and violates the property at the target: places that
steps come to, calls that make threads, and the accesses of a data race.  Another run confirms
nothing, and only a proof rejects.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from seahorn_py.csource.syntax import CText
from seahorn_py.options import VerifyOptions
from seahorn_py.result import Answer
from seahorn_py.validation.verdict import Validation, Verdict, unknown
from seahorn_py.verification.pipeline import verify
from seahorn_py.witness.texts import Sources
from seahorn_py.witness.threads import segments
from seahorn_py.witness.witness import Assumption, Entered, Place, Segment, Target, ViolationWitness


def is_interleaved(witness: ViolationWitness) -> bool:
    """Whether several threads pass the waypoints."""
    return any(each.thread or each.other is not None for each in witness.segments)


def follow_threads(
    witness: ViolationWitness,
    files: Sequence[Path],
    texts: Sequence[CText],
    options: VerifyOptions,
) -> Validation:
    """Look for a run whose threads pass the waypoints."""
    if not all(map(_is_known, witness.segments)):
        return unknown("a waypoint of a thread tells more than a place")
    result = verify(files, options)
    if result.answer is Answer.SAFE:
        reason = f"no run violates the property: {'; '.join(result.evidence)}"
        return Validation(Verdict.REJECTED, reason)
    if result.violation is None:
        return unknown(f"no run was found; {result.reason}")
    run = segments(result.violation, Sources(tuple(texts), options.frontend))
    if run is None or not _passes(run, witness.segments):
        return unknown("the run that was found does not pass the waypoints in their order")
    count, place = len(witness.segments), result.violation.place
    return Validation(
        Verdict.CONFIRMED,
        f"threads of a run pass the {count} waypoints"
        f" and violate {result.violation.property} at {place}",
    )


def _is_known(segment: Segment) -> bool:
    match segment.follow:
        case Assumption(facts=("1",)) | Entered() | Target():
            return not segment.avoid
        case _:
            return False


def _passes(run: Sequence[Segment], wanted: Sequence[Segment]) -> bool:
    """Whether a run passes the waypoints, perhaps among others, up to the target at its end."""
    *first, target = wanted
    passed = iter(run[:-1])
    return _agree(run[-1], target) and all(any(_agree(p, w) for p in passed) for w in first)


def _agree(passed: Segment, wanted: Segment) -> bool:
    """Whether a waypoint that a run passes is the one that is wanted."""
    pairs = {(passed.thread, type(passed.follow), _key(passed.follow.place))}
    if passed.other is not None:
        pairs.add((passed.other[0], Target, _key(passed.other[1].place)))
    asked = [(wanted.thread, wanted.follow), *([wanted.other] if wanted.other else [])]
    return all(
        any(
            thread == by and isinstance(waypoint, kind) and _same(place, waypoint.place)
            for by, kind, place in pairs
        )
        for thread, waypoint in asked
    )


_Key = tuple[str, int, int | None]


def _key(place: Place) -> _Key:
    return Path(place.file).name, place.line, place.column


def _same(passed: _Key, wanted: Place) -> bool:
    """Whether a place is the one that is wanted, which may tell no column."""
    key = _key(wanted)
    return key[:2] == passed[:2] and key[2] in (None, passed[2])
