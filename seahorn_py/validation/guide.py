"""Values of inputs that a violation witness tells, so that its run need not be searched.

The assumption `x == 3` after `x = f();` tells what `f` returns there, and so does a condition on
the result of the call.  The values are a guess: the run with them may or may not follow the
witness.
"""

from __future__ import annotations

import math
import struct
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import cached_property

from tree_sitter import Node

from seahorn_py.base.patterns import pattern
from seahorn_py.base.records import dataclass
from seahorn_py.csource.syntax import CText, following, within
from seahorn_py.ir.program import Site
from seahorn_py.ir.run import Feed
from seahorn_py.ir.types import FloatKind, FloatType
from seahorn_py.validation.expression import ExpressionError, c_expression
from seahorn_py.validation.lines import Lines
from seahorn_py.validation.places import PlaceError, Places, resolved, text_at
from seahorn_py.witness.elements import beyond
from seahorn_py.witness.origins import settled, taken_by
from seahorn_py.witness.witness import Assumption, Returned, ViolationWitness

_FACT = pattern(r"\(*\s*(\\result|[A-Za-z_][\w\[\]]*)\s*==\s*([^&|=<>]+)")
_SUFFIX = pattern(r"(?<=[\da-fA-F])(?:[uU]?[lL]{0,2}|[lL]{1,2}[uU])\b")
_INTEGER = pattern(r"[-+]?(?:0[xX][\da-fA-F]+|\d+)")
_SMALLEST = pattern(r"(-\d+) *- *1")
_MOST_DIGITS = 400
"""No value that C can write is longer."""
_FLOAT_FORMATS = {FloatKind.SINGLE: "<f", FloatKind.DOUBLE: "<d"}
Number = int | float


@dataclass
class Guide:
    """Queues of values: by (file, line, column) of a call, and by (function, variable)."""

    calls: dict[tuple[str, int, int], deque[Number]] = field(default_factory=dict)
    variables: dict[tuple[str, str], deque[Number]] = field(default_factory=dict)

    def draw(self, site: Site) -> int:
        """The next value of a site; 0 if nothing is told of it."""
        queue = self._queue(site)
        return _bits(queue.popleft(), site) if queue else 0

    def feed(self, sites: Iterable[Site]) -> Feed | None:
        """The values by site; None if several sites share a queue, so that the run decides."""
        told = [(site, queue) for site in sites if (queue := self._queue(site))]
        if len({id(queue) for _, queue in told}) < len(told):
            return None
        return {site.number: tuple(_bits(v, site) for v in queue) for site, queue in told}

    def _queue(self, site: Site) -> deque[Number] | None:
        span = site.origin.span
        if span is None:
            return self.variables.get(("main", site.name))
        queue = self.calls.get((resolved(span.file), span.line, span.column))
        return self.variables.get((span.function, site.name)) if queue is None else queue


def guide(witness: ViolationWitness, texts: Sequence[CText]) -> Guide:
    """The values that the waypoints of the segments tell, in their order."""
    found = Guide()
    reading = {text.name: _Reading(text, not witness.is_dense) for text in texts}
    for segment in witness.segments:
        waypoint = segment.follow
        if not isinstance(waypoint, Assumption | Returned):
            continue
        try:
            text = text_at(texts, waypoint.place)
            reading[text.name].note(found, waypoint)
        except (PlaceError, ExpressionError):
            continue
    return found


class _Reading:
    """Finds the calls of a text whose values waypoints tell.

    `by_lines`: the places of the waypoints are lines without columns.
    """

    def __init__(self, text: CText, by_lines: bool) -> None:
        self._text = text
        self._places = Places(text)
        self._lines = Lines(text) if by_lines else None
        self._returned: Counter[tuple[int, str]] = Counter()

    def note(self, found: Guide, waypoint: Assumption | Returned) -> None:
        """Note the values that a waypoint tells.  Raises PlaceError if it fits no place."""
        if isinstance(waypoint, Returned):
            call = self._call(waypoint)
            for _, value in _facts(waypoint.condition):
                found.calls.setdefault(_place(call, self._text), deque()).append(value)
            return
        limit, function = self._limit(waypoint)
        for name, value in _facts(waypoint.expression):
            giving = _call_for(name, function, limit, self._places)
            giving = giving or self._behind.get((name.partition("[")[0], limit))
            if giving is None:
                found.variables.setdefault((function, name), deque()).append(value)
            else:
                found.calls.setdefault(_place(giving, self._text), deque()).append(value)

    @cached_property
    def _behind(self) -> Mapping[tuple[str, int], Node]:
        return _told_behind(self._text)

    def _call(self, waypoint: Returned) -> Node:
        """The call that a waypoint means; several waypoints of the same lines mean call by call."""
        if self._lines is None:
            return self._places.call(waypoint.place)
        calls = self._lines.calls(waypoint.place, waypoint.callee)
        key = waypoint.place.line, waypoint.callee
        self._returned[key] += 1
        return calls[(self._returned[key] - 1) % len(calls)]

    def _limit(self, waypoint: Assumption) -> tuple[int, str]:
        """The place of an assumption, as a byte of the text, and the name of its function."""
        if self._lines is None:
            node = self._places.statement(waypoint.place)
            return node.start_byte, self._text.function_of(node)
        names = c_expression(waypoint.expression).names
        node = self._lines.likely(waypoint.place, names).points[0].node
        return node.end_byte, self._text.function_of(node)


def _place(call: Node, text: CText) -> tuple[str, int, int]:
    """The place of a call as in debug records: file, line, and column in bytes, from 1."""
    return resolved(text.name), call.start_point.row + 1, call.start_point.column + 1


def _call_for(name: str, function: str, limit: int, places: Places) -> Node | None:
    """The last call before byte `limit` whose value variable `name` takes, or the first behind."""
    giving = [
        call
        for call in places.calls(function)
        if "".join(_taker(call, places.text).split()) == name
    ]
    before = [call for call in giving if call.start_byte < limit]
    return before[-1] if before else next(iter(giving), None)


def _told_behind(text: CText) -> Mapping[tuple[str, int], Node]:
    """(name of an array, first byte of a statement) -> the call whose values its elements take.

    The witness tells these elements at a statement behind the loop that fills the array.
    """
    found = {}
    for call in within(text.root):
        target, statement = taken_by(call, text) if call.type == "call_expression" else (None, None)
        if target is not None and statement is not None and following(statement) is None:
            there = beyond(target, statement, text)
            if there is not None:
                found[there[0], settled(there[1], there[0], text).start_byte] = call
    return found


def _taker(call: Node, text: CText) -> str:
    node = call
    while node.parent is not None and node.parent.type in (
        "cast_expression",
        "parenthesized_expression",
    ):
        node = node.parent
    parent = node.parent
    if parent is None or parent.type not in ("init_declarator", "assignment_expression"):
        return ""
    target = parent.child_by_field_name("declarator") or parent.child_by_field_name("left")
    return "" if target is None or target == node else text.source(target)


def _facts(expression: str) -> Iterator[tuple[str, Number]]:
    for part in expression.split("&&"):
        match = _FACT.match(part.strip())
        value = None if match is None else _number(match[2])
        if match is not None and value is not None:
            yield match[1], value


def _number(text: str) -> Number | None:
    plain = _SUFFIX.sub("", text).strip("() \t")
    if len(plain) > _MOST_DIGITS:
        return None
    smallest = _SMALLEST.fullmatch(plain)
    if smallest:
        return int(smallest[1]) - 1
    if _INTEGER.fullmatch(plain):
        return int(plain, 16 if "x" in plain.lower() else 10)
    try:
        value = float(plain.rstrip("fF"))
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _bits(value: Number, site: Site) -> int:
    """The value as bits of the type of the site."""
    if not isinstance(site.type, FloatType):
        return int(value)
    kind = _FLOAT_FORMATS.get(site.type.kind)
    if kind is None:
        return 0
    try:
        return int.from_bytes(struct.pack(kind, float(value)), "little")
    except OverflowError:
        return 0
