"""From a result to what an editor shows of it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from seahorn_py.base.errors import SeaError, Span
from seahorn_py.base.patterns import pattern
from seahorn_py.cli.answers.entry_call import call_lines, called
from seahorn_py.cli.editor.shown_answers import (
    Asked,
    Level,
    ProvedLine,
    Remark,
    RunStep,
    Shown,
    Spot,
)
from seahorn_py.cli.messages.codes import code_of
from seahorn_py.cli.reports.findings import Finding, findings, message
from seahorn_py.cli.reports.page.of_answer import conjuncts
from seahorn_py.cli.reports.weaknesses import RULES
from seahorn_py.cli.screen.inputs_told import lines as input_lines
from seahorn_py.cli.screen.words import sentence
from seahorn_py.evidence.trace.text import Line, steps
from seahorn_py.options import Property
from seahorn_py.result import Answer, VerificationResult, Violation

MOST_STEPS = 200
"""Steps of a run that are shown; of a longer one its start and its end."""
MOST_PROVED = 200
"""Characters of what is proved of a line; `--report` tells what is longer."""

_AT = pattern(r" at (\S.*?):(\d+):(\d+)")
_COMPILED = pattern(r"(?P<file>.+?):(?P<line>\d+):(?:(?P<column>\d+):)? (?P<text>.*)")
_BOUND = pattern(r"(?P<name>[A-Za-z_]\w*) (?P<sign><=|>=|==|<|>) (?P<number>-?\d+)")
_FLIPPED = pattern(r"(?P<number>-?\d+) (?P<sign><=|<) (?P<name>[A-Za-z_]\w*)")


def shown(result: VerificationResult, asked: Asked, properties: frozenset[Property]) -> Shown:
    """What is shown of a result, by the question that it answers."""
    found = findings(result, properties)
    failing = [_failing(one, asked) for one in found if one.answer is Answer.UNSAFE]
    remarks = (*failing, *_open(result, found, asked))
    proved = tuple(one for one in _proved(result, asked) if len(one.text) <= MOST_PROVED)
    return Shown(result.answer.value, _headline(result, asked), remarks, proved)


def refused(error: SeaError, asked: Asked) -> Shown:
    """What is shown of wrong input: the errors of the compiler at their lines."""
    remarks = []
    for line in error.args:
        found = _COMPILED.fullmatch(line)
        at = Spot(asked.file, asked.line)
        if found is not None and not found["file"].startswith("<"):
            file = _absolute(found["file"], asked)
            at = Spot(file, int(found["line"]), int(found["column"] or 0))
        text = line if found is None else found["text"]
        remarks.append(Remark(at, Level.ERROR, code_of("E", line), text.removeprefix("error: ")))
    return Shown("refused", error.args[0] if error.args else "wrong input", tuple(remarks))


def _headline(result: VerificationResult, asked: Asked) -> str:
    about = f"{asked.entry}: " if asked.entry else ""
    said = f"{about}{sentence(result)}"
    call = _call(asked, result.violation) if result.violation is not None else ""
    return f"{said}; {call}" if call else said


# ------------------------------------------------------------------------------------- remarks


def _failing(finding: Finding, asked: Asked) -> Remark:
    """What fails, for which inputs, and the run."""
    violation, told = finding.violation, [message(finding)]
    run: tuple[RunStep, ...] = ()
    if violation is not None:
        call = _call(asked, violation)
        told += [call] if call else input_lines(violation)
        run = tuple(_run(violation, asked))
    page = RULES[Property(finding.property)].page
    at = _spot(finding.place, asked)
    return Remark(at, Level.ERROR, finding.property, "\n".join(told), page, run)


def _call(asked: Asked, violation: Violation | None) -> str:
    """The call of an entry that fails."""
    if not asked.entry or violation is None:
        return ""
    return " ".join(call_lines(called((asked.entry,), violation), violation.inputs))


def _run(violation: Violation, asked: Asked) -> Iterator[RunStep]:
    """The steps at places of files."""
    told = [line for line in steps(violation) if _is_told(line)]
    if len(told) > MOST_STEPS:
        told = [*told[: MOST_STEPS // 2], *told[-MOST_STEPS // 2 :]]
    for line in told:
        place = line.step.place
        yield RunStep(_spot(place, asked), line.told() or place.function or "step")


def _is_told(line: Line) -> bool:
    place = line.step.place
    return bool(line.tells or line.text) and place.line > 0 and not place.file.startswith("<")


def _open(result: VerificationResult, found: Sequence[Finding], asked: Asked) -> Iterator[Remark]:
    """What has no answer, at its line or where the nearest obstacle stands; alike ones together."""
    alike: dict[tuple[Spot, str], list[str]] = {}
    for one in (finding for finding in found if finding.answer is Answer.UNKNOWN):
        at = _spot(one.place, asked) if one.place is not None else _nearest(result, asked)
        about = f"{one.property}: {one.text}" if one.text else one.property
        alike.setdefault((at, one.reason), []).append(about)
    for (at, reason), names in alike.items():
        lines = [f"no answer for {', '.join(names)}: {reason}", *_help(result, asked)]
        yield Remark(at, Level.INFORMATION, code_of("U", reason), "\n".join(lines))


def _help(result: VerificationResult, asked: Asked) -> Iterator[str]:
    from seahorn_py.verification.answers import explanation

    yield from explanation.in_short(result, [asked.file])


def _nearest(result: VerificationResult, asked: Asked) -> Spot:
    """The first obstacle in the file that is asked about."""
    for obstacle in result.obstacles:
        found = _AT.search(obstacle)
        if found is not None and _absolute(found[1], asked) == asked.file:
            return Spot(asked.file, int(found[2]), int(found[3]))
    return Spot(asked.file, asked.line)


def _spot(place: Span | None, asked: Asked) -> Spot:
    """A place of a file, or the line of the question."""
    if place is None or place.line <= 0 or place.file.startswith("<"):
        return Spot(asked.file, asked.line)
    return Spot(_absolute(place.file, asked), place.line, place.column)


def _absolute(file: str, asked: Asked) -> str:
    """The name of a file; what is told is relative to the folder of the question."""
    return os.path.normpath(os.path.join(asked.root, file))


# ------------------------------------------------------------------------------------- proved


def _proved(result: VerificationResult, asked: Asked) -> Iterator[ProvedLine]:
    """Contracts, invariants and bounds; the ranges of variables are told as ranges."""
    for place, texts in _said(result):
        if place is not None and place.line > 0 and not place.file.startswith("<"):
            yield from (ProvedLine(_spot(place, asked), text) for text in texts)


def _said(result: VerificationResult) -> Iterator[tuple[Span | None, Sequence[str]]]:
    for contract in result.contracts:
        requires = [f"requires {text}" for text in contract.requires]
        yield contract.place, [*requires, *(f"ensures {text}" for text in contract.ensures)]
    for invariant in result.invariants:
        parts = conjuncts(invariant.c) if invariant.c else []
        told = [*ranges(parts), *(part for part in parts if _bound(part) is None)]
        yield invariant.place, told or [invariant.text]
    for loop in result.loops:
        about = [f"at most {loop.bound} rounds"] if loop.bound else []
        yield loop.place, [*about, *([f"decreases {loop.rank}"] if loop.rank else [])]


def ranges(parts: Sequence[str]) -> Iterator[str]:
    """The ranges of variables, from those parts of an invariant that compare one with a number."""
    lowest: dict[str, int] = {}
    highest: dict[str, int] = {}
    for part in parts:
        found = _bound(part)
        if found is not None:
            name, low, high = found
            if low is not None:
                lowest[name] = max(low, lowest.get(name, low))
            if high is not None:
                highest[name] = min(high, highest.get(name, high))
    for name in dict.fromkeys((*lowest, *highest)):
        low_text = f"{lowest[name]} <= " if name in lowest else ""
        high_text = f" <= {highest[name]}" if name in highest else ""
        is_one = name in lowest and lowest[name] == highest.get(name)
        yield f"{name} == {lowest[name]}" if is_one else f"{low_text}{name}{high_text}"


def _bound(part: str) -> tuple[str, int | None, int | None] | None:
    """A variable, its lowest and its highest value; None for what is no such comparison."""
    text = part.strip()
    while text.startswith("(") and text.endswith(")"):
        text = text[1:-1].strip()
    found, flipped = _BOUND.fullmatch(text), _FLIPPED.fullmatch(text)
    if found is not None:
        number = int(found["number"])
        match found["sign"]:
            case "<=":
                return found["name"], None, number
            case "<":
                return found["name"], None, number - 1
            case ">=":
                return found["name"], number, None
            case ">":
                return found["name"], number + 1, None
            case _:
                return found["name"], number, number
    if flipped is not None:
        return flipped["name"], int(flipped["number"]) + (flipped["sign"] == "<"), None
    return None
