"""From an answer to the page about it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from seahorn_py.base.errors import Span, visible
from seahorn_py.base.patterns import pattern
from seahorn_py.cli.reports.page.page_model import Note, Page, Place, Section, Work
from seahorn_py.cli.reports.page.run_shown import functions_of, run_shown
from seahorn_py.cli.reports.page.source_files import SourceFiles
from seahorn_py.cli.screen import assumptions
from seahorn_py.cli.screen.answer import as_text
from seahorn_py.cli.screen.words import event, sentence, where
from seahorn_py.result import Answer, Invariant, VerificationResult

_AT = pattern(r" at \S+:\d+:\d+")
MOST_CLAUSES = 2_000_000
"""Characters of clauses that a page carries."""

Said = Sequence[tuple[str, str, Span | None]]
"""Notes by their kind, text and place."""

MOST_NOTE = 100
"""Characters of SMT-LIB at a line; all of it is told beside."""
MAY_HELP = "What may help"

_KINDS = {
    "assumed": ("Assumed", "The answer holds if this does. Nobody proved it."),
    "over": (
        "More than the program does",
        "More runs were looked at than there are. A proof stands all the same; a run that fails was"
        " made by the program itself.",
    ),
    "under": (
        "Less than the program does",
        "Fewer runs or fewer checks were looked at than there are. No proof stands with this; a run"
        " that fails does.",
    ),
}
"""What the kinds of ledger entries mean, as docs/reference/ledger.md says it at length."""


def page_of(
    result: VerificationResult,
    names: Sequence[str],
    title: str,
    clauses: str = "",
    said: Said = (),
) -> Page:
    """The page about one answer for some files; `said` is told besides of places, by kind."""
    files = SourceFiles(names)
    violation = result.violation
    run = None if violation is None else run_shown(violation, files)
    at = Place() if violation is None else files.place(violation.place)
    besides = (Note(kind, text, files.place(span)) for kind, text, span in said)
    notes = (*besides, *_notes(result, files))
    wanted = [*(functions_of(run) if run is not None else ()), *_noted(notes, files)]
    graphs = files.graphs([*wanted, *files.all_functions()], notes)
    return Page(
        title,
        result.answer.value,
        _headline(result),
        at,
        tuple(_facts(result, names)),
        tuple(_assumptions(result)),
        notes=notes,
        run=run,
        graphs=tuple(graphs),
        work=tuple(_work(result)),
        counted=tuple(f"{name}: {value}" for name, value in result.statistics.items()),
        clauses=clauses[:MOST_CLAUSES],
        files=files.files(),
    )


def _headline(result: VerificationResult) -> str:
    """The answer in a sentence, without the word that the page shows beside it."""
    said = sentence(result).partition(": ")[2]
    return f"no answer: {said}" if result.answer is Answer.UNKNOWN else said


def _noted(notes: Sequence[Note], files: SourceFiles) -> Iterator[tuple[int, str]]:
    for note in notes:
        yield note.at.file, files.function_at(note.at)


# --------------------------------------------------------------------------------- at lines


def _notes(result: VerificationResult, files: SourceFiles) -> Iterator[Note]:
    """What is said of lines of the program."""
    if result.violation is not None:
        yield Note("failed", event(result.violation), files.place(result.violation.place))
    for contract in result.contracts:
        at = files.place(contract.place)
        yield from (Note("requires", f"requires {text}", at) for text in contract.requires)
        yield from (Note("ensures", f"ensures {text}", at) for text in contract.ensures)
    for invariant in result.invariants:
        yield from _invariant(invariant, files.place(invariant.place))
    for loop in result.loops:
        if loop.rank:
            yield Note("invariant", f"decreases {loop.rank}", files.place(loop.place))
    for obstacle in result.obstacles:
        yield Note("obstacle", f"in the way: {_AT.sub('', obstacle, 1)}", files.named(obstacle))


def _invariant(invariant: Invariant, at: Place) -> Iterator[Note]:
    """An invariant in C, part by part; what C cannot say is shown as SMT-LIB."""
    if invariant.c or not invariant.other:
        for part in conjuncts(invariant.c or invariant.text):
            yield Note("invariant", f"always {part}", at)
    for text in invariant.other:
        yield Note("invariant", _cut(f"always, in SMT-LIB: {text}"), at)


def _cut(text: str) -> str:
    return text if len(text) <= MOST_NOTE else f"{text[: MOST_NOTE - 2]} …"


def conjuncts(text: str) -> list[str]:
    """The parts of `a && (b && c) && d` outside of parentheses."""
    parts, depth = [""], 0
    for piece in re.split(r"([()\[\]]| && )", text):
        depth += piece.count("(") + piece.count("[") - piece.count(")") - piece.count("]")
        if piece == " && " and depth == 0:
            parts.append("")
        else:
            parts[-1] += piece
    is_whole = any(operator in _outside(text) for operator in (" || ", " ? "))
    return [text] if is_whole else parts


def _outside(text: str) -> str:
    """The text without what stands in parentheses."""
    while (shorter := re.sub(r"\([^()]*\)", "", text)) != text:
        text = shorter
    return text


# ----------------------------------------------------------------------------------- in words


def _facts(result: VerificationResult, names: Sequence[str]) -> Iterator[Section]:
    from seahorn_py.verification.answers import explanation

    if result.answer is Answer.UNKNOWN:
        lines = result.obstacles or tuple(result.reason.split("; "))
        yield Section("What stands in the way", lines)
        tries = explanation.next_commands(result, names)
        yield Section(MAY_HELP, tuple(f"sea-py {command}" for command in tries))
    if result.evidence:
        yield Section("How the answer was checked", result.evidence)
    proved = [*_proved(result)]
    if proved:
        about = "Each of these holds whenever a run comes to its line."
        yield Section("What the proof says", tuple(proved), about)
    if result.warnings:
        yield Section("Warnings", result.warnings)
    yield Section("All that the command prints", tuple(as_text(result, True, True).splitlines()))


def _proved(result: VerificationResult) -> Iterator[str]:
    for contract in result.contracts:
        head = f"{where(contract.place)}: {contract.function}"
        yield from (f"{head} requires {text}" for text in contract.requires)
        yield from (f"{head} ensures {text}" for text in contract.ensures)
    for invariant in result.invariants:
        head = f"{where(invariant.place)}: {invariant.function}"
        if invariant.c or not invariant.other:
            for part in conjuncts(invariant.c or invariant.text):
                yield f"{head}: {part}"
        yield from (f"{head}: in SMT-LIB: {text}" for text in invariant.other)


def _assumptions(result: VerificationResult) -> Iterator[Section]:
    """The ledger, by kind, with what a kind means."""
    left = tuple(assumptions.uncovered(result))
    if left:
        yield Section("Not checked", left, "This was asked for, and nothing checks it.")
    lines = [*assumptions.lines(result)]
    for kind, (title, about) in _KINDS.items():
        found = tuple(line.partition(": ")[2] for line in lines if line.startswith(f"{kind}: "))
        if found:
            yield Section(title, found, about)


def _work(result: VerificationResult) -> Iterator[Work]:
    """What engines did."""
    is_late = result.answer is Answer.UNKNOWN
    stopped = "stopped at the limit" if is_late else "stopped, as there was an answer"
    for attempt in result.attempts:
        outcome = visible(attempt.outcome) or stopped
        times = (round(attempt.began, 3), round(attempt.seconds, 3))
        yield Work(attempt.place, attempt.engine, *times, outcome)


def said_of_checks(result: VerificationResult) -> Said:
    """What is known of each check, for the page of every one of them."""
    return tuple(
        (f"check {c.answer.value}", f"{c.answer.value}: {c.property}: {c.text}", c.place)
        for c in result.checks
    )


def parts_of(result: VerificationResult) -> list[tuple[str, str, VerificationResult]]:
    """The answers in an answer, each with what it is about and its place; none if it is one."""
    found = []
    for row in result.checks:
        one = _alone(result, row.answer, row.evidence)
        one = replace(one, stage=row.stage, reason=row.reason, violation=row.violation)
        found.append((f"{row.property}: {row.text}", where(row.place), one))
    for each in result.properties:
        one = _alone(result, each.answer, each.evidence)
        one = replace(one, stage=each.stage, reason=each.reason, violation=each.violation)
        place = "" if each.violation is None else where(each.violation.place)
        found.append((each.property, place, one))
    return found


def _alone(
    result: VerificationResult, answer: Answer, evidence: tuple[str, ...]
) -> VerificationResult:
    is_unknown = answer is Answer.UNKNOWN
    return replace(
        result,
        answer=answer,
        evidence=evidence,
        checks=(),
        properties=(),
        certificate=None,
        obstacles=result.obstacles if is_unknown else (),
    )
