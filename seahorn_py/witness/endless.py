"""The lasso of a run that never ends: waypoints passed once, and those of a cycle (YAML 2.1).

The run is followed through the text for a while.  The waypoints that it passes again and again in
the same order are the cycle.  A validator has to find out whether the run goes on like that.  If
inputs differ from round to round, the cycle has the decisions alone.  If nothing repeats itself,
the cycle is the first statement of the loop or function that need not end.
"""

from __future__ import annotations

from collections.abc import Sequence

from tree_sitter import Node

from seahorn_py.base.records import dataclass
from seahorn_py.csource.syntax import LOOPS, enclosing, statement_of
from seahorn_py.result import Violation
from seahorn_py.witness.run import beginning
from seahorn_py.witness.texts import Sources
from seahorn_py.witness.told import Holding, Told
from seahorn_py.witness.violation import Inputs, along, start_of
from seahorn_py.witness.witness import Branching

LEAST_ROUNDS = 3


@dataclass(frozen=True)
class Lasso:
    """Waypoints passed once and waypoints passed again and again.

    `left_out` has a line for each input of which no waypoint could be made.
    """

    stem: tuple[Told, ...]
    cycle: tuple[Told, ...]
    left_out: tuple[str, ...]


def lasso(violation: Violation, sources: Sources) -> Lasso | str:
    """The lasso of the run, or the reason why there is none."""
    told = Inputs(sources, violation.inputs)
    found = beginning(violation, sources, told.wanted)
    path = () if found is None else along(found, told)
    parts = _cut(path) or _around(path, violation, sources)
    if parts is None:
        return f"{violation.place or '?'} is not in the C files"
    return Lasso(*parts, told.left_out())


def _cut(path: Sequence[Told]) -> tuple[tuple[Told, ...], tuple[Told, ...]] | None:
    """The path as stem and cycle, with inputs, or else by decisions alone; None if neither is."""
    found = _period(path)
    if found is not None:
        start, length = found
        return tuple(path[:start]), tuple(path[start : start + length])
    decided = [k for k, told in enumerate(path) if isinstance(told, Branching)]
    found = _period([path[k] for k in decided])
    if found is None:
        return None
    start, length = found
    cycle = tuple(path[k] for k in decided[start : start + length])
    return tuple(path[: decided[start]]), cycle


def _period(path: Sequence[Told]) -> tuple[int, int] | None:
    """The first step of a path that repeats itself up to its end, and the length of the period.

    None if the path has no such end.
    """
    numbers: dict[Told, int] = {}
    steps = [numbers.setdefault(told, len(numbers)) for told in path]
    best: tuple[int, int, int] | None = None
    for length in range(1, len(steps) // LEAST_ROUNDS + 1):
        start = len(steps) - length
        while start > 0 and steps[start - 1] == steps[start - 1 + length]:
            start -= 1
        if len(steps) - start >= LEAST_ROUNDS * length:
            best = min(best or (len(steps) + 1, 0, 0), (start + length, start, length))
    return None if best is None else best[1:]


def _around(
    path: tuple[Told, ...], violation: Violation, sources: Sources
) -> tuple[tuple[Told, ...], tuple[Told, ...]] | None:
    """The path as stem, and as cycle the first statement of what need not end.

    That is a loop, or a function that calls itself.
    """
    span = violation.place
    text = None if span is None else sources.text_of(span)
    node = None if span is None or text is None else text.node_at(span)
    if text is None or node is None:
        return None
    loop = enclosing(node, LOOPS)
    place = (statement_of(node) or _first(_definition(node))) if loop is None else _first(loop)
    if place is None:
        return None if loop is None else (path, (Branching(start_of(text, loop), "true"),))
    return path, (Holding(start_of(text, place), ()),)


def _definition(node: Node) -> Node | None:
    """The function around a place outside of its body."""
    return enclosing(node, frozenset({"function_definition"}))


def _first(around: Node | None) -> Node | None:
    """The first statement of the body of a loop or function."""
    body = None if around is None else around.child_by_field_name("body")
    while body is not None and body.type == "compound_statement":
        inner = [child for child in body.named_children if child.type != "comment"]
        body = inner[0] if inner else None
    return body
