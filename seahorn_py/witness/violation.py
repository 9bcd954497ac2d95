"""Waypoints of a violating run (YAML witness format 2.0), from its inputs and the C text.

The run is followed through the text (`witness.run`).  Every decision is a waypoint, and inputs are
told between decisions.  So a run passes no place twice between two waypoints.  This matters, since
a follow waypoint must hold when its place is passed first after the waypoint before.  If a run
cannot be followed, or is long, only its inputs are waypoints.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import assert_never

from tree_sitter import Node

from seahorn_py.base.errors import Span
from seahorn_py.base.records import dataclass
from seahorn_py.csource.marks import Before, Decided, Labelled, Meaning, Switching, Wanted
from seahorn_py.csource.syntax import SIMPLE, CText, full_expression, statement_of
from seahorn_py.ir.operands import UNNAMED
from seahorn_py.options import Property
from seahorn_py.result import InputValue, Violation
from seahorn_py.witness.elements import Element
from seahorn_py.witness.origins import Said, Taken, begins, fact, is_part, said
from seahorn_py.witness.run import Event, Indexed, Passed, Read, events
from seahorn_py.witness.texts import Sources, place_of
from seahorn_py.witness.told import Holding, Told
from seahorn_py.witness.witness import Branching, Place, Target

MAX_LEFT_OUT = 20


@dataclass(frozen=True)
class Waypoints:
    """The waypoints of a run, and a line for each input of which no waypoint could be made."""

    path: tuple[Told, ...]
    left_out: tuple[str, ...]


def waypoints(violation: Violation, sources: Sources) -> Waypoints | None:
    """The waypoints of the run; None if the place that it violates is not in the C files."""
    target = target_of(violation, sources)
    if target is None:
        return None
    told = Inputs(sources, violation.inputs)
    happened = events(violation, sources, told.wanted)
    path = _straight(violation.inputs, told) if happened is None else along(happened, told)
    return Waypoints((*path, target), told.left_out())


class Inputs:
    """What the C text says of inputs, and the inputs of which it says nothing."""

    def __init__(self, sources: Sources, inputs: Sequence[InputValue]) -> None:
        self._sources = sources
        self._known = {_key(value) for value in inputs}
        self._silent: dict[str, None] = {}
        self.wanted = {text.name: Wanted() for text in sources.texts}
        for value in {_key(value): value for value in inputs}.values():
            self._want(value)

    def _want(self, value: InputValue) -> None:
        found = begins(value, self._sources)
        if found is not None:
            self.wanted[found.text.name].statements.add(found.after.start_byte)
        if isinstance(found, Element):
            self.wanted[found.text.name].calls[found.call.start_byte] = found.subscripts

    def of(self, values: Sequence[InputValue]) -> Said | None:
        """What C can say of an input of the violation, or of the parts of one object."""
        if _key(values[-1]) not in self._known or values[-1].c_type in UNNAMED:
            return None
        found = said(values, self._sources)
        if found is None:
            last = values[-1]
            parts = f" and {len(values) - 1} values more" if len(values) > 1 else ""
            self._silent[f"{last.place or '?'}: {last.name} = {last.value}{parts}"] = None
        return found

    def left_out(self) -> tuple[str, ...]:
        """A line for each input, or the first of them, that no waypoint could be made of."""
        lines = tuple(self._silent)
        more = len(lines) - MAX_LEFT_OUT
        return lines if more <= 0 else (*lines[:MAX_LEFT_OUT], f"{more} inputs more")


def _key(value: InputValue) -> tuple[str, str, Span | None]:
    return value.kind, value.name, value.place


def _objects(values: Iterable[InputValue]) -> Iterator[list[InputValue]]:
    """Inputs one by one; parts of one object that follow each other come together."""
    for key, group in groupby(values, key=lambda v: (*_key(v), is_part(v))):
        if key[-1]:
            yield list(group)
        else:
            yield from ([value] for value in group)


# ---------------------------------------------------------------------------- along the run


_At = tuple[str, int]
"""A statement: its file and first byte."""


def along(happened: Sequence[Event], told: Inputs) -> tuple[Told, ...]:
    """The waypoints of a run; elements are told after their loop if the run gets there."""
    early: frozenset[_At] = frozenset()
    while True:
        path = _Path(told, early)
        found = path.waypoints(happened)
        if not path.untold:
            return found
        early |= path.untold


class _Path:
    """Makes waypoints of events, in order.

    Elements that would be told at a statement of `early` are told where the call returns them.
    """

    def __init__(self, told: Inputs, early: frozenset[_At]) -> None:
        self._told = told
        self._early = early
        self._found: list[Told] = []
        self._pending: dict[_At, list[Taken]] = {}
        self._elements: dict[_At, dict[str, str]] = {}
        self._index: list[int] = []
        self._passed: Counter[_At] = Counter()
        self._switching: set[_At] = set()

    @property
    def untold(self) -> frozenset[_At]:
        """The statements at which elements were to be told, but to which the run did not come."""
        return frozenset(self._elements)

    def waypoints(self, happened: Sequence[Event]) -> tuple[Told, ...]:
        """The waypoints of a run."""
        for kind, group in groupby(happened, key=type):
            if kind is Read:
                for values in _objects(e.value for e in group if isinstance(e, Read)):
                    self._read(self._told.of(values))
            for event in group:
                if isinstance(event, Passed):
                    self._pass(event.text, event.meaning)
                elif isinstance(event, Indexed):
                    self._index.append(event.value)
        return tuple(self._found)

    def _read(self, found: Said | None) -> None:
        index, self._index = tuple(self._index), []
        match found:
            case Taken(text, after):
                self._pending.setdefault((text.name, after.start_byte), []).append(found)
            case Element(text, after, returned=returned):
                key = text.name, after.start_byte
                if key in self._early or len(index) != len(found.subscripts):
                    self._add(returned)
                    return
                self._found.append(replace(returned, again=True))
                name = found.named(index)
                self._elements.setdefault(key, {})[name] = fact(name, found.constant)
            case (waypoint, _):
                self._add(waypoint)
            case None:
                pass

    def _pass(self, text: CText, meaning: Meaning) -> None:
        key = text.name, meaning.statement.start_byte
        match meaning:
            case Decided(statement, value):
                # the keyword of `do` stands where the body begins, not where the loop decides
                if statement.type != "do_statement":
                    self._add(Branching(start_of(text, statement), str(value).lower()))
            case Switching():
                self._switching.add(key)
            case Labelled(label, statement):
                constant = _label(label, text)
                if key in self._switching and constant:
                    self._add(Branching(start_of(text, statement), constant))
                self._switching.discard(key)
            case Before():
                self._reach(key, text, meaning.statement)
            case _:
                assert_never(meaning)

    def _reach(self, key: tuple[str, int], text: CText, statement: Node) -> None:
        """Tell values at a statement, and visits before at which they did not hold yet."""
        taken = self._pending.pop(key, [])
        elements = self._elements.pop(key, {}).values()
        facts = *(f for t in taken for f in t.facts), *((told, None) for told in elements)
        if not facts:
            self._passed[key] += 1
            return
        place = start_of(text, statement)
        self._found += [Holding(place, ())] * self._passed[key]
        self._add(Holding(place, facts))

    def _add(self, waypoint: Told) -> None:
        self._found.append(waypoint)
        self._passed.clear()


def start_of(text: CText, statement: Node) -> Place:
    """Where a statement begins."""
    return place_of(text, text.start(statement), text.function_of(statement))


def _label(label: Node, text: CText) -> str:
    """The constant of a label, `default`, or "" if it is not written as a number."""
    value = label.child_by_field_name("value")
    if value is None:
        return "default"
    word = text.source(value).strip("() ").rstrip("uUlL")
    return word if word.removeprefix("-").isdigit() else ""


# --------------------------------------------------------------------------------- inputs alone


def _straight(inputs: Sequence[InputValue], told: Inputs) -> tuple[Told, ...]:
    """The waypoints of inputs alone, for a run that is not known step by step."""
    found: list[tuple[Told, Node]] = []
    for values in _objects(inputs):
        made = told.of(values)
        if isinstance(made, Taken):
            waypoint = Holding(start_of(made.text, made.after), made.facts)
            if not _merged(found, waypoint, made.read):
                found.append((waypoint, made.read))
        elif isinstance(made, Element):
            found.append((made.returned, made.call))
        elif made is not None:
            found.append(made)
    return tuple(waypoint for waypoint, _ in found)


def _merged(found: list[tuple[Told, Node]], waypoint: Holding, read: Node) -> bool:
    """Join an assumption with the last one, if the inputs are read in one straight line.

    Two inputs that are read one after the other in a block, before the place, belong to one visit.
    """
    if not found:
        return False
    last, before = found[-1]
    if not isinstance(last, Holding) or last.place != waypoint.place:
        return False
    one, other = statement_of(before), statement_of(read)
    if one is None or other is None or one.parent != other.parent:
        return False
    if before.start_byte >= read.start_byte:
        return False
    found[-1] = (Holding(last.place, last.facts + waypoint.facts), read)
    return True


# --------------------------------------------------------------------------------------- target


def target_of(violation: Violation, sources: Sources) -> Target | None:
    """Where the run violates the property; None if that is not in the C files."""
    span = violation.place
    text = None if span is None else sources.text_of(span)
    node = None if span is None or text is None else text.node_at(span)
    statement = statement_of(node)
    if text is None or node is None or statement is None:
        return None
    if violation.property == Property.UNREACH_CALL.value or statement.type in SIMPLE:
        return Target(start_of(text, statement), _callee(violation))
    expression = full_expression(node) or statement
    return Target(place_of(text, text.start(expression), text.function_of(statement)))


def _callee(violation: Violation) -> str:
    """The function whose call is the violation; "" if no call is."""
    is_call = violation.property == Property.UNREACH_CALL.value and violation.text.endswith("()")
    return violation.text.removesuffix("()") if is_call else ""
