"""The steps of a program that an edge of a GraphML automaton may mean: it tells lines alone.

If one statement in the lines gives a variable its value, an assumption about the variable holds
after that statement.  Otherwise the edge does not say which moment it means.  But the state of the
program changes at assignments and calls only.  So a run does not follow the edge if the assumption
holds neither before any statement in the lines nor after any assignment, initialisation or call.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from tree_sitter import Node

from seahorn_py.base.records import dataclass
from seahorn_py.csource.names import visible
from seahorn_py.csource.syntax import LOOPS, SIMPLE, CText, within
from seahorn_py.validation.places import PlaceError, Way, is_statement
from seahorn_py.witness.witness import Place

MAX_POINTS = 500
_EFFECTS = frozenset({"assignment_expression", "update_expression", "call_expression"})
_ENDS = frozenset({"return_statement", "goto_statement", "break_statement", "continue_statement"})
_LABELS = frozenset({"case_statement", "labeled_statement"})
_HEADED = LOOPS | {"if_statement", "switch_statement"}
_LOGICAL = frozenset({"&&", "||"})
_DECLARATORS = frozenset({"init_declarator", "pointer_declarator", "array_declarator"})


@dataclass(frozen=True, slots=True)
class Point:
    """A moment of a run: the place in the text, and the variables that just got values there."""

    way: Way
    node: Node
    gives: frozenset[str] = frozenset()

    @property
    def at(self) -> Node:
        """A node at which names have the meaning that they have at the point."""
        if self.way is not Way.CONDITION:
            return self.node
        return self.node.child_by_field_name("body") or self.node


@dataclass(frozen=True, slots=True)
class Points:
    """Where an assumption may hold; if `is_exact` there is one point, and it must hold there."""

    points: tuple[Point, ...]
    is_exact: bool


class Lines:
    """The points, branches and calls of one text by line."""

    def __init__(self, text: CText) -> None:
        self._text = text

    def assuming(self, place: Place, names: frozenset[str]) -> Points:
        """Where an assumption about these names may hold.  Raises PlaceError if nowhere."""
        units = self._units(place)
        points = self._in_scope([p for unit in units for p in self._points(unit)], names)
        if not points:
            raise PlaceError(f"no statement at {place}")
        if len(points) > MAX_POINTS:
            raise PlaceError(f"too many statements at {place}")
        whole = [p for p in points if p.way is Way.AFTER and p.gives & names]
        if len(units) == 1 and whole:
            return Points((whole[0],), is_exact=True)
        return Points(tuple(points), is_exact=False)

    def likely(self, place: Place, names: frozenset[str]) -> Points:
        """The same, but if one of the names gets values in the lines, only points after that."""
        found = self.assuming(place, names)
        giving = {name: [point for point in found.points if name in point.gives] for name in names}
        of_last = max(filter(None, giving.values()), key=lambda p: p[0].node.end_byte, default=None)
        return found if of_last is None else Points(tuple(of_last), len(of_last) == 1)

    def branch(self, place: Place) -> Node | None:
        """The branch in the lines; None if there are several, or operators `&&` and `||`."""
        units = self._units(place)
        found = [n for n in units if n.type in _HEADED and n.child_by_field_name("condition")]
        inner = [n for unit in units for n in _outside_of_blocks(_header(unit))]
        found += [n for n in inner if n.type == "conditional_expression"]
        if not found:
            raise PlaceError(f"no branch at {place}")
        return found[0] if len(found) == 1 and not any(map(_is_logical, inner)) else None

    def calls(self, place: Place, callee: str) -> list[Node]:
        """The calls of a function in the lines, or all calls if `callee` is ""."""
        units = self._units(place)
        found = [n for unit in units for n in _outside_of_blocks(_header(unit))]
        calls = [n for n in found if n.type == "call_expression" and _meets(n, place)]
        wanted = [n for n in calls if callee in ("", self._text.callee(n))]
        if not wanted:
            raise PlaceError(f"no call at {place}")
        return wanted

    # ------------------------------------------------------------------------------- the text

    @cached_property
    def _by_line(self) -> dict[int, list[Node]]:
        found: dict[int, list[Node]] = {}
        for node in within(self._text.root):
            if _is_unit(node):
                first, last = _reach(node)
                for line in range(first, last + 1):
                    found.setdefault(line, []).append(node)
        return found

    def _units(self, place: Place) -> list[Node]:
        """The statements, conditions and heads of functions in the lines."""
        last = min(place.last, self._text.root.end_point.row + 1)
        found = {
            (node.start_byte, -node.end_byte, node.type): node
            for line in range(place.line, last + 1)
            for node in self._by_line.get(line, ())
            if place.function in ("", self._function_of(node))
        }
        return [found[key] for key in sorted(found)]

    def _function_of(self, node: Node) -> str:
        is_definition = node.type == "function_definition"
        return self._text.function_name(node) if is_definition else self._text.function_of(node)

    # ----------------------------------------------------------------------------- their steps

    def _points(self, unit: Node) -> Iterator[Point]:
        """The points of a unit, in the order of the text."""
        if unit.type == "function_definition":
            body = unit.child_by_field_name("body")
            assert body is not None
            yield Point(Way.BEFORE, body)
            return
        yield Point(Way.BEFORE, unit)
        if unit.type in _LABELS:
            return
        yield from self._effects(unit)
        if unit.type in LOOPS:
            first = unit.child_by_field_name("initializer")
            is_declaration = first is not None and first.type == "declaration"
            given = self._declared(first) if first is not None and is_declaration else frozenset()
            yield Point(Way.CONDITION, unit, given)
        elif unit.type in SIMPLE and unit.type not in _ENDS:
            yield Point(Way.AFTER, unit, self._declared(unit) | self._assigned(_top(unit)))

    def _effects(self, unit: Node) -> Iterator[Point]:
        top = _top(unit)
        for node in _outside_of_blocks(_header(unit)):
            if node.type in _EFFECTS and node != top:
                way = Way.EFFECT if _is_discarded(node) else Way.VALUE
                yield Point(way, node, self._assigned(node))

    def _assigned(self, node: Node | None) -> frozenset[str]:
        """The variable that an assignment, `++` or `--` changes, whole or in part."""
        if node is None or node.type == "call_expression" or node.type not in _EFFECTS:
            return frozenset()
        target = node.child_by_field_name("left") or node.child_by_field_name("argument")
        while target is not None and target.type != "identifier":
            inner = target.child_by_field_name("argument")
            target = inner or next(iter(target.named_children), None)
        return frozenset() if target is None else frozenset({self._text.source(target)})

    def _declared(self, declaration: Node) -> frozenset[str]:
        if declaration.type != "declaration":
            return frozenset()
        found: set[str] = set()
        for declarator in declaration.children_by_field_name("declarator"):
            node: Node | None = declarator
            while node is not None and node.type in _DECLARATORS:
                node = node.child_by_field_name("declarator")
            if node is not None and node.type == "identifier":
                found.add(self._text.source(node))
        return frozenset(found)

    def _in_scope(self, points: Sequence[Point], names: frozenset[str]) -> list[Point]:
        """The points at which all names are visible that are visible at any of the points."""
        seen = [{n for n in names if self._is_visible(n, point)} for point in points]
        wanted = set().union(*seen)
        return [point for point, here in zip(points, seen, strict=True) if here == wanted]

    def _is_visible(self, name: str, point: Point) -> bool:
        return name in point.gives or visible(self._text, name, point.at) is not None


def _is_unit(node: Node) -> bool:
    if node.type in ("function_definition", *_LABELS):
        return True
    return (node.type in SIMPLE or node.type in _HEADED) and is_statement(node)


def _reach(unit: Node) -> tuple[int, int]:
    """The first and the last line of a unit, without the units inside of it."""
    first, last = unit.start_point.row + 1, unit.end_point.row + 1
    if unit.type == "function_definition":
        body = unit.child_by_field_name("body")
        return first, (body or unit).start_point.row + 1
    if unit.type in _LABELS:
        colon = next((c for c in unit.children if c.type == ":"), unit)
        return first, colon.start_point.row + 1
    condition = unit.child_by_field_name("condition")
    match unit.type:
        case "do_statement":
            return (condition or unit).start_point.row + 1, last
        case "for_statement":
            closing = next((c for c in unit.children if c.type == ")"), unit)
            return first, closing.start_point.row + 1
        case _:
            return first, last if condition is None else condition.end_point.row + 1


def _header(unit: Node) -> Sequence[Node]:
    """The expressions of a unit, without its body."""
    if unit.type in SIMPLE:
        return [unit]
    parts = (unit.child_by_field_name(part) for part in ("initializer", "condition", "update"))
    return [part for part in parts if part is not None]


def _top(unit: Node) -> Node | None:
    """The expression that an expression statement consists of."""
    inner = [c for c in unit.named_children if c.type != "comment"]
    return inner[0] if unit.type == "expression_statement" and len(inner) == 1 else None


def _meets(node: Node, place: Place) -> bool:
    return node.start_point.row < place.last and place.line <= node.end_point.row + 1


def _outside_of_blocks(roots: Sequence[Node]) -> Iterator[Node]:
    """The nodes below some nodes, without those of statements in expressions."""
    open_ = list(reversed(roots))
    while open_:
        node = open_.pop()
        if node.type != "compound_statement":
            yield node
            open_ += reversed(node.children)


def _is_logical(node: Node) -> bool:
    operator = node.child_by_field_name("operator")
    return node.type == "binary_expression" and operator is not None and operator.type in _LOGICAL


def _is_discarded(expression: Node) -> bool:
    """Whether the value of the expression is not used."""
    node = expression
    while node.parent is not None:
        parent = node.parent
        if parent.type in ("expression_statement", "for_statement"):
            return parent.type != "for_statement" or parent.child_by_field_name("condition") != node
        is_left = parent.type == "comma_expression" and parent.child_by_field_name("left") == node
        if is_left:
            return True
        if parent.type not in ("comma_expression", "parenthesized_expression"):
            return parent.type == "cast_expression" and _is_to_void(parent)
        node = parent
    return False


def _is_to_void(cast: Node) -> bool:
    kind = cast.child_by_field_name("type")
    return kind is not None and kind.text == b"void"
