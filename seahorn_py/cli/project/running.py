"""One proof is run: in a worker of its own, within its limits, whoever asks.

options     those of `pf` for the arguments of the proof
work        verify, or prove contracts
further     where all that fails is excused, the other checks get answers of their own
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from seahorn_py.base.errors import SeaError, Stage
from seahorn_py.base.records import dataclass
from seahorn_py.cli.answers.printed import printed
from seahorn_py.cli.options.arguments import verify_options
from seahorn_py.cli.project.project import Proof, Suppression
from seahorn_py.cli.reports.findings import Finding, failures, findings
from seahorn_py.options import Property, VerifyOptions
from seahorn_py.processes import supervision
from seahorn_py.processes.deadline import Deadline
from seahorn_py.processes.internal_errors import InternalErrorReport
from seahorn_py.processes.journal import Journal
from seahorn_py.result import Answer, VerificationResult, unanswered

if TYPE_CHECKING:
    from seahorn_py.validation.contracts.conclusions import Table

LEAST_S = 0.1
"""Seconds for a question that is asked when no time is left."""


@dataclass(frozen=True)
class Answered:
    """What came of a proof: its answer, what it found, and the lines of `pf` about it.

    `result` is that of the verification, if it was one; `bugs` are internal errors of ours.
    """

    answer: Answer
    findings: tuple[Finding, ...]
    lines: tuple[str, ...]
    seconds: float = 0.0
    result: VerificationResult | None = None
    bugs: tuple[InternalErrorReport, ...] = ()


def chosen_of(proof: Proof) -> dict[str, Any]:
    """The parameters of `pf` for a proof; click.UsageError for what it does not take."""
    from seahorn_py.cli.main import pf

    files = map(str, proof.sources)
    return pf.make_context("pf", [*proof.arguments, "--", *files]).params


def options_of(chosen: dict[str, Any]) -> VerifyOptions:
    """The options for these parameters; SeaError for what cannot be."""
    return verify_options({**chosen, "ask_default": True})


def answered(proof: Proof, excused: Sequence[Suppression] = ()) -> Answered:
    """Run a proof; SeaError for wrong input.  `excused` are the suppressions that count today."""
    began = time.monotonic()
    chosen = chosen_of(proof)
    options = options_of(chosen)
    bounds = supervision.Bounds(Deadline.after(options.timeout), options.memory_mib)
    chosen["timeout"] = supervision.earlier(options.timeout)
    notes = Journal()
    work = partial(_work, proof, chosen, tuple(excused))
    with supervision.begin(work, bounds, notes) as worker:
        ending = worker.wait()
    match ending:
        case supervision.Returned(Answered() as found):
            pass
        case supervision.Refused(error):
            raise error
        case supervision.Ended(stage, reason):
            found = _told(unanswered(Stage(stage), reason, notes), chosen)
        case supervision.Crashed(stage, report):
            found = _told(unanswered(Stage(stage), str(report), notes, report), chosen)
        case _:
            raise TypeError(ending)
    return replace(found, seconds=time.monotonic() - began)


def _work(proof: Proof, chosen: dict[str, Any], excused: Sequence[Suppression]) -> Answered:
    """In the worker."""
    options = options_of(chosen)
    deadline = Deadline.after(options.timeout)
    if chosen["modular"]:
        return _of_pieces(chosen, options)
    from seahorn_py.verification.pipeline import verify

    result = verify(proof.sources, options)
    found = _told(result, chosen)
    open_ = [f for f in failures(found.findings) if not _is_excused(proof, f, excused)]
    if result.answer is not Answer.UNSAFE or open_ or result.checks or not excused:
        return found
    return replace(found, findings=tuple(_further(proof, options, found, deadline)))


def _is_excused(proof: Proof, finding: Finding, excused: Sequence[Suppression]) -> bool:
    return any(one.fits(proof, finding) for one in excused)


def _told(result: VerificationResult, chosen: dict[str, Any]) -> Answered:
    from seahorn_py.properties import read_properties

    found = findings(result, read_properties(chosen["properties"]))
    lines = printed(chosen, result, ()).splitlines()
    return Answered(result.answer, found, tuple(lines), 0.0, result, result.internal_errors)


def _further(
    proof: Proof, options: VerifyOptions, answered: Answered, deadline: Deadline
) -> Iterator[Finding]:
    """What is found of each check, in the place of the first that fails and is excused.

    Where each property had an answer of its own, they are asked about as they were before.
    """
    from seahorn_py.verification.pipeline import verify
    from seahorn_py.verification.questions.each_property import options_of as together

    rows = answered.result.properties if answered.result is not None else ()
    asked_with = {row.violation.property: row.together for row in rows if row.violation}
    again = replace(options, each_property=False, ask_default=False, every_check=True)
    for finding in answered.findings:
        if finding.answer is not Answer.UNSAFE:
            yield finding
            continue
        asked = again
        if finding.property in asked_with:
            frontend = together(options.frontend, asked_with[finding.property])
            asked = replace(again, frontend=frontend)
        asked = replace(asked, timeout=max(deadline.remaining, LEAST_S))
        result = verify(proof.sources, asked)
        about = findings(result, [Property(finding.property)])
        if finding.property in asked_with and result.checks:
            about = tuple(f for f in about if f.property == finding.property)
        yield from about
        if not any(failures(about)):  # what fails is not even found again
            reason = "the other checks have no answer"
            yield finding
            yield replace(finding, answer=Answer.UNKNOWN, reason=reason, violation=None)


# ----------------------------------------------------------------------------------- contracts


def _of_pieces(chosen: dict[str, Any], options: VerifyOptions) -> Answered:
    """The answer about all functions with contracts."""
    from seahorn_py.cli.commands.function_table import lines
    from seahorn_py.validation.contracts.each_function import prove_contracts

    side_files, cache = chosen["contracts"], chosen["cache"]
    table = prove_contracts(chosen["files"], options, side_files=side_files, cache=cache)
    bugs = tuple(bug for row in table.rows if row.result for bug in row.result.internal_errors)
    told = tuple(lines(table, chosen))
    return Answered(table.answer, tuple(_of_rows(table)), told, bugs=bugs)


def _of_rows(table: Table) -> Iterator[Finding]:
    """A finding for each function that was asked about."""
    from seahorn_py.validation.contracts.model import Status

    answers = {Status.PROVED: Answer.SAFE, Status.REFUTED: Answer.UNSAFE}
    for row in (one for one in table.rows if one.is_asked):
        answer = answers.get(row.status, Answer.UNKNOWN)
        violation = row.result.violation if row.result is not None else None
        violation = violation if answer is Answer.UNSAFE else None
        name = violation.property if violation is not None else Property.UNREACH_CALL.value
        reason = f"{row.function}: {row.reason or row.status.value}"
        yield Finding(name, row.function, row.place, answer, reason, violation, said=reason)


def refusal(error: SeaError) -> tuple[str, ...]:
    """The lines of wrong input, each once."""
    return tuple(dict.fromkeys(str(error).splitlines()))
