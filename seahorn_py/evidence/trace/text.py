"""Traces for people and for machines: the text of each statement, changes, branches taken."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tree_sitter import Node

from seahorn_py.base.errors import SeaError, Span
from seahorn_py.csource.syntax import LOOPS, CText, enclosing, statement_of
from seahorn_py.frontend.compiling.support import LIBRARY_FOLDER
from seahorn_py.result import TraceStep, Violation

SHOWN_FIRST, SHOWN_LAST = 10, 20
MAX_TEXT = 80
AGAIN = "from here on again and again:"


@dataclass(frozen=True)
class Line:
    """A step with the text of its statement, and whether the condition in it was true.

    Of a run without end it may be one of those that are made again and again.
    """

    step: TraceStep
    text: str
    taken: bool | None
    again: bool = False

    def __str__(self) -> str:
        place = self.step.place
        changes = ", ".join(f"{c.name} = {c.value}" for c in self.step.changes)
        taken = {True: "true", False: "false", None: ""}[self.taken]
        notes = "; ".join(part for part in (taken, changes) if part)
        said = f"{place.file}:{place.line}: {place.function}: {self.text}".rstrip(": ")
        return f"{said}  [{notes}]" if notes else said


def lines(violation: Violation, full: bool) -> Iterator[str]:
    """The trace as text; a short one has no library steps and leaves out the middle."""
    told = _lines(violation, full)
    kept = told if full else [k for k in told if k.step.changes or k.taken is not None]
    if not full and told and (not kept or kept[-1] is not told[-1]):
        kept = [*kept, told[-1]]
    hidden = 0 if full else len(kept) - SHOWN_FIRST - SHOWN_LAST
    cycle = next((number for number, line in enumerate(kept) if line.again), None)
    for number, line in enumerate(kept):
        if line.step.left_out:
            yield f"... {line.step.left_out} steps that were not kept"
        if number == cycle:
            yield AGAIN
        if hidden > 0 and number == SHOWN_FIRST:
            yield f"... {hidden} steps more (all of them with --full-trace)"
        if hidden <= 0 or not SHOWN_FIRST <= number < SHOWN_FIRST + hidden:
            yield str(line)


def data(violation: Violation) -> list[dict[str, Any]]:
    """The whole trace as plain values."""
    return [
        {
            "file": line.step.place.file,
            "line": line.step.place.line,
            "column": line.step.place.column,
            "function": line.step.place.function,
            "calls": [str(call) for call in line.step.chain],
            "text": line.text,
            "condition": line.taken,
            "changes": {c.name: c.value for c in line.step.changes},
            "left_out": line.step.left_out,
            "again": line.again,
        }
        for line in _lines(violation, True)
    ]


def _lines(violation: Violation, full: bool) -> list[Line]:
    of_library = (step.place.file.startswith(LIBRARY_FOLDER) for step in violation.trace)
    numbers = [k for k, is_hidden in enumerate(of_library) if full or not is_hidden]
    steps = [violation.trace[k] for k in numbers]
    place = violation.place
    if place is not None and (not steps or steps[-1].place.line != place.line):
        steps.append(TraceStep(place))
        numbers.append(len(violation.trace))
    texts = _Texts()
    cycle = len(violation.trace) + 1 if violation.cycle is None else violation.cycle
    return [
        Line(step, *texts.told(step, None if k is None else steps[k].place), number >= cycle)
        for step, k, number in zip(steps, _next_here(steps), numbers, strict=True)
    ]


def _next_here(steps: Sequence[TraceStep]) -> list[int | None]:
    """For each step the next one in the same copy of its function."""
    latest: dict[tuple[str, tuple[Span, ...]], int] = {}
    found: list[int | None] = []
    for number in range(len(steps) - 1, -1, -1):
        key = steps[number].place.function, steps[number].chain
        found.append(latest.get(key))
        latest[key] = number
    return found[::-1]


class _Texts:
    """The C files that a trace goes through, read once."""

    def __init__(self) -> None:
        self._files: dict[str, CText | None] = {}

    def told(self, step: TraceStep, after: Span | None) -> tuple[str, bool | None]:
        """The statement of a step, and what its condition was, by where the run goes on."""
        place = step.place
        text = self._read(place.file)
        node = None if text is None else text.node_at(place)
        statement = statement_of(node) or enclosing(node, frozenset({"function_definition"}))
        if text is None or statement is None:
            return "", None
        body = _body(statement)
        end = statement.end_byte if body is None else body.start_byte
        shown = " ".join(text.text[statement.start_byte : end].decode("utf-8", "replace").split())
        shown = shown if len(shown) <= MAX_TEXT else shown[: MAX_TEXT - 4] + " ..."
        return shown, None if after is None else _taken(text, statement, step, after)

    def _read(self, file: str) -> CText | None:
        if file not in self._files:
            try:
                self._files[file] = CText.read(Path(file))
            except SeaError:
                self._files[file] = None
        return self._files[file]


def _body(statement: Node) -> Node | None:
    field = "consequence" if statement.type == "if_statement" else "body"
    return statement.child_by_field_name(field) if statement.type != "do_statement" else None


def _taken(text: CText, statement: Node, step: TraceStep, after: Span) -> bool | None:
    """Whether the run goes into the body; None where the places do not tell.

    A compiler turns small branches into choices of values, so that a run seems to pass them by.
    """
    body, following = _body(statement), text.node_at(after)
    other = statement.child_by_field_name("alternative")
    if body is None or following is None or statement.type not in LOOPS | {"if_statement"}:
        return None
    row = step.place.line - 1
    if any(b.start_point.row == b.end_point.row == row for b in (body, other) if b is not None):
        return None
    if _is_in(following, body):
        return True
    if statement.type in LOOPS:
        return False
    if other is not None:
        return False if _is_in(following, other) else None
    condition = statement.child_by_field_name("condition")
    parts = "" if condition is None else text.source(condition)
    is_plain = not any(operator in parts for operator in ("&&", "||", "?"))
    return False if step.has_branched and is_plain else None


def _is_in(node: Node, whole: Node) -> bool:
    return whole.start_byte <= node.start_byte and node.end_byte <= whole.end_byte
