"""Traces for people and for machines: the text of each statement, changes, branches taken."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tree_sitter import Node

from seahorn_py.base.errors import SeaError, Span
from seahorn_py.base.records import dataclass
from seahorn_py.csource.syntax import LOOPS, CText, enclosing, statement_of
from seahorn_py.frontend.compiling.support import ENTRY, OUR_FOLDERS
from seahorn_py.result import TraceStep, Violation

SHOWN_FIRST, SHOWN_LAST = 10, 20
_UNSEEN = frozenset(
    {"continue_statement", "break_statement", "goto_statement", "comment", "preproc_ifdef"}
)
MAX_TEXT = 80
AGAIN = "from here on again and again:"


@dataclass(frozen=True)
class Line:
    """A step, its statement, whether the condition in it was true, whether it only calls.

    Of a run without end it may be one of those that are made again and again.
    """

    step: TraceStep
    text: str
    taken: bool | None
    is_call: bool = False
    again: bool = False

    @property
    def tells(self) -> bool:
        """Whether something is seen of it."""
        return bool(self.step.changes) or self.taken is not None or self.is_call

    def __str__(self) -> str:
        place = self.step.place
        said = f"{place.file}:{place.line}: {place.function}: {self.text}".rstrip(": ")
        return f"{said}{self._notes()}"

    def told(self) -> str:
        """The statement, and in brackets what was seen of it."""
        return f"{self.text}{self._notes()}".strip()

    def _notes(self) -> str:
        changes = ", ".join(f"{c.name} = {c.value}" for c in self.step.changes)
        taken = {True: "true", False: "false", None: ""}[self.taken]
        notes = "; ".join(part for part in (taken, changes) if part)
        return f"  [{notes}]" if notes else ""


def lines(violation: Violation, full: bool) -> Iterator[str]:
    """The trace as text; a short one has no library steps and leaves out the middle.

    Neither has it steps of the call of an entry.
    """
    told = _lines(violation, full)
    kept = told if full else [k for k in told if k.tells and k.step.place.file != ENTRY]
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


def steps(violation: Violation) -> list[Line]:
    """The trace without the steps in the C library."""
    return _lines(violation, False)


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
    trace, place = violation.trace, violation.place
    cycle = len(trace) if violation.cycle is None else violation.cycle
    first, again = (
        list(part) if full else _of_program(part) for part in (trace[:cycle], trace[cycle:])
    )
    last = again or first
    if place is not None and (not last or last[-1].place.line != place.line):
        last.append(TraceStep(place))
    texts, steps = _Texts(), [*first, *again]
    lines = [texts.told(step, then) for step, then in zip(steps, _next_here(steps), strict=True)]
    return [*lines[: len(first)], *(replace(line, again=True) for line in lines[len(first) :])]


def _of_program(trace: Sequence[TraceStep]) -> list[TraceStep]:
    """The steps without those in the C library; what a call in a line interrupted is one step."""
    found: list[TraceStep] = []
    is_interrupted = False
    for step in trace:
        if step.place.file.startswith(OUR_FOLDERS):
            is_interrupted = True
            if found and step.heap:
                found[-1] = replace(found[-1], heap=(*found[-1].heap, *step.heap))
            continue
        if is_interrupted and found and _is_same_line(found[-1], step):
            found[-1] = _joined(found[-1], step)
        else:
            found.append(step)
        is_interrupted = False
    return found


def _is_same_line(one: TraceStep, other: TraceStep) -> bool:
    here, there = one.place, other.place
    return one.chain == other.chain and (here.file, here.line) == (there.file, there.line)


def _joined(first: TraceStep, second: TraceStep) -> TraceStep:
    changes = {change.name: change for change in (*first.changes, *second.changes)}
    return replace(
        second,
        changes=tuple(changes.values()),
        has_branched=first.has_branched or second.has_branched,
        left_out=first.left_out + second.left_out,
        heap=(*first.heap, *second.heap),
    )


def _next_here(steps: Sequence[TraceStep]) -> list[Span | None]:
    """For each step where its copy of its function goes on, perhaps with a call."""
    latest: dict[tuple[str, tuple[Span, ...]], Span] = {}
    found: list[Span | None] = []
    for step in reversed(steps):
        found.append(latest.get((step.place.function, step.chain)))
        for number, place in enumerate((step.place, *step.chain)):
            latest[place.function, step.chain[number:]] = place
    return found[::-1]


class _Texts:
    """The C files that a trace goes through, read once."""

    def __init__(self) -> None:
        self._files: dict[str, CText | None] = {}

    def told(self, step: TraceStep, after: Span | None) -> Line:
        """A step with its statement, and what its condition was, by where the run goes on."""
        place = step.place
        text = self._read(place.file)
        node = None if text is None else text.node_at(place)
        statement = statement_of(node) or enclosing(node, frozenset({"function_definition"}))
        if text is None or statement is None:
            return Line(step, "", None)
        body = _body(statement)
        end = statement.end_byte if body is None else body.start_byte
        shown = " ".join(text.text[statement.start_byte : end].decode("utf-8", "replace").split())
        shown = shown if len(shown) <= MAX_TEXT else shown[: MAX_TEXT - 4] + " ..."
        taken = None if after is None else _taken(text, statement, step, after)
        return Line(_without_unset(step, statement, text), shown, taken, _is_call(statement))

    def _read(self, file: str) -> CText | None:
        if file not in self._files:
            try:
                self._files[file] = CText.read(Path(file))
            except SeaError:
                self._files[file] = None
        return self._files[file]


def _without_unset(step: TraceStep, statement: Node, text: CText) -> TraceStep:
    """A variable that is declared without a value has none yet, whatever its memory holds."""
    if statement.type != "declaration" or not step.changes:
        return step
    declared = {
        text.source(_name(node))
        for node in statement.children_by_field_name("declarator")
        if node.type != "init_declarator"
    }
    kept = tuple(c for c in step.changes if re.split(r"[.\[]", c.name)[0] not in declared)
    return replace(step, changes=kept)


def _is_call(statement: Node) -> bool:
    """Whether a statement is a call whose result nobody takes."""
    inner = statement.named_children  # none in an empty statement
    is_expression = statement.type == "expression_statement"
    return is_expression and [node.type for node in inner[:1]] == ["call_expression"]


def _name(declarator: Node) -> Node:
    """The name that is declared."""
    inner = declarator.child_by_field_name("declarator")
    return declarator if inner is None else _name(inner)


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
    if _only_jumps(body):
        return None
    if other is not None:
        return False if _is_in(following, other) else None
    condition = statement.child_by_field_name("condition")
    parts = "" if condition is None else text.source(condition)
    is_plain = not any(operator in parts for operator in ("&&", "||", "?"))
    return False if step.has_branched and is_plain else None


def _only_jumps(body: Node) -> bool:
    """Whether a body has no statement that a run is seen at: it goes on somewhere else."""
    inner = body.named_children if body.type == "compound_statement" else [body]
    return all(node.type in _UNSEEN for node in inner)


def _is_in(node: Node, whole: Node) -> bool:
    return whole.start_byte <= node.start_byte and node.end_byte <= whole.end_byte
