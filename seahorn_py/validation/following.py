"""Violation witnesses: is there a run that follows the waypoints to the target?

The watched program is run with the values that the witness tells, then given to all engines.  A run
that they find is repeated in the program as it is, on the same inputs in the same order; only if it
violates the property at the target there, is the witness confirmed.  It is rejected if the watched
program is proved safe.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from seahorn_py.child import Deadline
from seahorn_py.errors import InputError
from seahorn_py.evidence import native
from seahorn_py.evidence.ctext import CText
from seahorn_py.evidence.execution import watches_memory
from seahorn_py.evidence.subject import REPLAY_LIMITS
from seahorn_py.frontend import native as building
from seahorn_py.frontend.lowered import Lowered
from seahorn_py.ir import interpreter
from seahorn_py.ir.program import CheckSite, Program, Site, SiteKind
from seahorn_py.ir.run import Ending, Outcome
from seahorn_py.options import VerifyOptions
from seahorn_py.pipeline import load, verify
from seahorn_py.result import Answer
from seahorn_py.validation.expression import ExpressionError
from seahorn_py.validation.guide import guide
from seahorn_py.validation.model import ViolationWitness
from seahorn_py.validation.places import PlaceError
from seahorn_py.validation.verdict import Validation, Verdict, unknown
from seahorn_py.validation.watching import Watched, watched

Reads = Sequence[tuple[Site, int]]


@dataclass(frozen=True)
class _Original:
    """The program as it is."""

    lowered: Lowered
    source: Program
    bits: int


class _Other(Exception):
    """The program does not read the inputs that the watched one reads."""


def follow(
    witness: ViolationWitness,
    files: Sequence[Path],
    texts: Sequence[CText],
    options: VerifyOptions,
) -> Validation:
    """Look for a run that follows the witness.  SeaError if the program itself is wrong input."""
    deadline = Deadline.after(options.timeout)
    original = _Original(*load(files, options, deadline), options.frontend.bits)
    try:
        watch = watched(witness, texts)
    except (PlaceError, ExpressionError) as error:
        return unknown(f"the witness cannot be followed: {error}")
    edited = replace(options, frontend=replace(options.frontend, edited=watch.edited))
    try:
        program = watch.gated(load(files, edited, deadline)[1])
    except InputError as error:
        return unknown(f"what the witness says does not compile: {str(error).splitlines()[0]}")
    guided = interpreter.run(
        program, {}, REPLAY_LIMITS, draw=guide(witness.segments, texts).draw
    )
    if guided.ending is Ending.FAILED:
        return _confirmed(original, watch, program, guided, deadline)
    return _searched(original, watch, files, edited, witness, deadline)


def _searched(
    original: _Original,
    watch: Watched,
    files: Sequence[Path],
    options: VerifyOptions,
    witness: ViolationWitness,
    deadline: Deadline,
) -> Validation:
    """What the engines find in the watched program."""
    programs: list[Program] = []

    def adapt(program: Program) -> Program:
        programs.append(watch.gated(program))
        return programs[-1]

    left = replace(options, timeout=max(deadline.remaining, 0.1))
    result = verify(files, left, adapt=adapt)
    match result.answer:
        case Answer.UNSAFE if result.violation is not None and result.violation.run is not None:
            run = result.violation.run
            return _confirmed(original, watch, programs[-1], run, deadline)
        case Answer.SAFE if witness.is_whole:
            proof = "; ".join(result.evidence)
            return Validation(
                Verdict.REJECTED, f"no run that follows the witness violates the property: {proof}"
            )
        case Answer.SAFE:
            return unknown("no run follows the path that was tried, but the witness has others")
        case _:
            stage = "" if result.stage is None else f"{result.stage.value}: "
            return unknown(f"no run that follows the witness was found; {stage}{result.reason}")


# ---------------------------------------------------------------------------- the program as it is


def _confirmed(
    original: _Original, watch: Watched, program: Program, run: Outcome, deadline: Deadline
) -> Validation:
    """Repeat a run of the watched program in the original one."""
    try:
        outcome, how = _repeated(original, list(_read(program, run)), deadline)
    except _Other as error:
        return unknown(f"the run that follows the witness is not one of the program: {error}")
    check = _check(original.source, outcome)
    if check is None or not watch.is_target(check.origin.span):
        return unknown(f"in the program itself the run is {outcome.ending.value} ({how})")
    where = check.origin.span or "?"
    count = watch.segments
    return Validation(
        Verdict.CONFIRMED,
        f"a run follows the {count} waypoint{'' if count == 1 else 's'}"
        f" and violates {check.property} at {where} ({how})",
    )


def _read(program: Program, run: Outcome) -> Iterator[tuple[Site, int]]:
    """What the run read, with what code of ours did."""
    sites = {site.number: site for site in program.sites}
    for number, value in run.reads:
        site = sites[number]
        if site.native:
            yield site, value


def _repeated(original: _Original, reads: Reads, deadline: Deadline) -> tuple[Outcome, str]:
    """The run in the interpreter, and where that can be done in a native process too."""
    open_ = iter(reads)

    def draw(site: Site) -> int:
        if not site.native:
            return 0
        for given, value in open_:
            if _is_same(given, site):
                return value
            if given.kind is not SiteKind.UNINIT:
                raise _Other(f"it reads {site.name} where the other reads {given.name}")
        return 0

    outcome = interpreter.run(original.source, {}, REPLAY_LIMITS, draw=draw)
    if outcome.ending is not Ending.FAILED or watches_memory(original.source):
        return outcome, "interpreter"
    with tempfile.TemporaryDirectory(prefix="sea-py-") as place:
        built = building.build(original.lowered.native, original.bits, Path(place), deadline)
        if isinstance(built, building.Refusal):
            return outcome, "interpreter"
        natively = native.run(built, outcome.feed, REPLAY_LIMITS)
    if natively.ending is Ending.REFUSED:
        return outcome, "interpreter"
    agrees = natively.ending is Ending.FAILED and natively.check == outcome.check
    return (outcome, "interpreter and native run") if agrees else (natively, "native run")


def _is_same(given: Site, site: Site) -> bool:
    """Code of ours has no inputs but objects that are not initialised."""
    here = given.name, given.kind, given.origin.span
    return here == (site.name, site.kind, site.origin.span)


def _check(program: Program, outcome: Outcome) -> CheckSite | None:
    if outcome.ending is not Ending.FAILED:
        return None
    return next((c for c in program.checks if c.number == outcome.check), None)
