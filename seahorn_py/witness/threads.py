"""Waypoints of a run of several threads (YAML witness format 2.2), from the steps that they make.

The witness has the number of a thread from the order in which threads are made: each call that
makes one is a waypoint of its maker, before the steps of the new thread.  A step is told where it
begins a statement, by the assumption `1`, if the step before it of the same thread was in another
one; local code in between may run at any time before the step.  The values of inputs are left out.
"""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from seahorn_py.base.errors import Span
from seahorn_py.csource.syntax import SIMPLE, CText, enclosing, statement_of
from seahorn_py.ir.run import ThreadStep
from seahorn_py.result import Violation
from seahorn_py.witness.texts import Sources, place_of
from seahorn_py.witness.violation import start_of, target_of
from seahorn_py.witness.witness import Assumption, Entered, Place, Segment, Target

_CALL = frozenset({"call_expression"})
_AT_ONCE = frozenset({"expression_statement", "declaration", "return_statement"})


def segments(violation: Violation, sources: Sources) -> tuple[Segment, ...] | None:
    """The segments of the run; None if the target or a call that makes a thread is not in C."""
    target = target_of(violation, sources)
    if target is None or not violation.steps:
        return None
    path = _Path(sources)
    found = [segment for step in violation.steps for segment in path.of(step)]
    last = path.numbers.get(violation.steps[-1].thread)
    if last is None or path.is_lost:
        return None
    return (*found, Segment((), target, last, _other(violation, sources, path)))


class _Path:
    """Makes segments of steps, in order; `numbers` are those of threads in the witness."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self._last: dict[int, tuple[str, int]] = {}
        self.numbers = {0: 0}
        self.is_lost = False

    def of(self, step: ThreadStep) -> Iterator[Segment]:
        """What a step passes: the statement that it begins, and calls that make threads."""
        number = self.numbers.get(step.thread)
        if number is None:
            self.is_lost = True
            return
        begun = self._begun(step)
        if begun is not None:
            yield Segment((), Assumption(begun, ("1",)), number)
        for thread, span in step.makes:
            call = self._call(span)
            if call is None:
                self.is_lost = True
                return
            self.numbers[thread] = len(self.numbers)
            yield Segment((), Entered(call), number)

    def _begun(self, step: ThreadStep) -> Place | None:
        """The statement that a step begins, if its thread was not in it before."""
        text, node = _node(step.place, self._sources)
        statement = statement_of(node)
        if text is None or statement is None or statement.type not in _AT_ONCE:
            self._last.pop(step.thread, None)
            return None
        key = text.name, statement.start_byte
        was_there = self._last.get(step.thread) == key
        self._last[step.thread] = key
        return None if was_there or _makes_thread(statement) else start_of(text, statement)

    def _call(self, span: Span) -> Place | None:
        """The closing parenthesis of a call."""
        text, node = _node(span, self._sources)
        call = enclosing(node, _CALL)
        arguments = None if call is None else call.child_by_field_name("arguments")
        if text is None or call is None or arguments is None:
            return None
        return place_of(text, text.position(arguments.end_byte - 1), text.function_of(call))


def _other(violation: Violation, sources: Sources, path: _Path) -> tuple[int, Target] | None:
    """The second access of a data race, with its thread, if it is known which one it is."""
    text, node = _node(violation.other, sources)
    statement = statement_of(node)
    if text is None or statement is None or statement.type not in SIMPLE:
        return None
    ends = {step.thread: step for step in violation.steps}
    del ends[violation.steps[-1].thread]
    found = [
        n for n, step in ends.items() if statement_of(_node(step.place, sources)[1]) == statement
    ]
    if len(found) != 1 or found[0] not in path.numbers:
        return None
    return path.numbers[found[0]], Target(start_of(text, statement))


def _node(span: Span | None, sources: Sources) -> tuple[CText | None, Node | None]:
    text = None if span is None else sources.text_of(span)
    return text, None if span is None or text is None else text.node_at(span)


def _makes_thread(statement: Node) -> bool:
    """Whether a call in a statement may make a thread: it may have begun before its step."""
    words = statement.text or b""
    return b"pthread_create" in words or b"thrd_create" in words
