"""The nodes of the syntax tree at the places of a witness."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum, auto
from functools import cached_property
from pathlib import Path
from typing import TypeAlias

from tree_sitter import Node

from seahorn_py.csource.syntax import LOOPS, STATEMENTS, CText, Position, enclosing, within
from seahorn_py.witness.witness import Place

_BRANCHES = LOOPS | {"if_statement", "switch_statement", "conditional_expression"}


_Anchored: TypeAlias = Mapping[int, Sequence[tuple[Position, Node]]]
"""Line -> nodes with their positions."""


class Way(Enum):
    """When code at a node is executed.

    BEFORE, AFTER: before or after a statement.  CONDITION: before the condition of a loop is
    evaluated.  BRANCH: after a condition is evaluated.  ENTER: before a call.  VALUE, EFFECT: after
    an expression whose value is used, or is not used.
    """

    BEFORE = auto()
    AFTER = auto()
    CONDITION = auto()
    BRANCH = auto()
    ENTER = auto()
    VALUE = auto()
    EFFECT = auto()


class PlaceError(Exception):
    """The program has nothing of the right kind at a place; the message names both."""


class Places:
    """The nodes of one text that waypoints and invariants can be at."""

    def __init__(self, text: CText) -> None:
        self.text = text

    @cached_property
    def _nodes(self) -> list[Node]:
        kinds = STATEMENTS | _BRANCHES | {"call_expression"}
        return [node for node in within(self.text.root) if node.type in kinds]

    @cached_property
    def _statements(self) -> _Anchored:
        found = (n for n in self._nodes if n.type in STATEMENTS and is_statement(n))
        return self._anchored(found, self.text.start)

    @cached_property
    def _branches(self) -> _Anchored:
        return self._anchored((n for n in self._nodes if n.type in _BRANCHES), self._keyword)

    @cached_property
    def _calls(self) -> _Anchored:
        found = (node for node in self._nodes if node.type == "call_expression")
        return self._anchored(found, self.text.closing)

    def _anchored(self, nodes: Iterable[Node], anchor: Callable[[Node], Position]) -> _Anchored:
        found: dict[int, list[tuple[Position, Node]]] = {}
        for node in nodes:
            at = anchor(node)
            found.setdefault(at.line, []).append((at, node))
        return found

    def statement(self, place: Place) -> Node:
        """The statement, or declaration in a block, that begins at the place."""
        return self._leftmost(place, self._statements, "statement")

    def loop(self, place: Place) -> Node:
        """The loop whose keyword is at the place."""
        return self._leftmost(place, self._branches, "loop", lambda node: node.type in LOOPS)

    def branch(self, place: Place) -> Node:
        """The branch or loop whose keyword, or `?`, is at the place."""
        return self._leftmost(place, self._branches, "branch")

    def call(self, place: Place) -> Node:
        """The call whose arguments end at the place."""
        return self._leftmost(place, self._calls, "call")

    def calls(self, function: str) -> list[Node]:
        """The calls in a function, in the order of the text."""
        found = (node for node in self._nodes if node.type == "call_expression")
        return [node for node in found if self.text.function_of(node) == function]

    def _leftmost(
        self,
        place: Place,
        nodes: _Anchored,
        kind: str,
        suits: Callable[[Node], bool] = lambda _: True,
    ) -> Node:
        last = min(place.last, self.text.root.end_point.row + 1)
        found = [
            (at, -node.end_byte, node)
            for line in range(place.line, last + 1)
            for at, node in nodes.get(line, ())
            if place.column in (None, at.column) and suits(node) and self._is_inside(node, place)
        ]
        if not found:
            raise PlaceError(f"no {kind} at {place}")
        return min(found, key=lambda entry: entry[:2])[2]

    def _is_inside(self, node: Node, place: Place) -> bool:
        return place.function in ("", self.text.function_of(node))

    def _keyword(self, node: Node) -> Position:
        if node.type != "conditional_expression":
            return self.text.start(node)
        mark = next(child for child in node.children if child.type == "?")
        return self.text.start(mark)


def text_at(texts: Sequence[CText], place: Place) -> CText:
    """The file that a place is in: by its path, by its name, or the only one."""
    same = [
        t for t in texts if place.file in ("", t.name, t.name.encode(errors="replace").decode())
    ]
    near = same or [t for t in texts if Path(t.name).name == Path(place.file).name]
    if not near:
        raise PlaceError(f"no file {place.file}")
    return near[0]


def resolved(name: str) -> str:
    """The path that a name stands for: debug records may name a file by another one."""
    return os.path.realpath(name)


def is_statement(node: Node) -> bool:
    """Whether it is a statement in the body of a function, and not in the header of a `for`."""
    parent = node.parent
    if parent is None or enclosing(parent, frozenset({"compound_statement"})) is None:
        return False
    if parent.type == "for_statement":
        return parent.child_by_field_name("body") == node
    return True
