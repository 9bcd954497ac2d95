"""The watched program of a violation witness, in which only runs that follow the witness fail.

The waypoints become code at their places in the C text, to which the compiler gives a meaning
(Beyer, Spiessl: MetaVal, CAV 2020).  A variable counts the segments that have ended.  A run that
cannot follow the witness any more is blocked.  A check that fails elsewhere than at the target, or
before the last segment, blocks the run too: so the program is changed after it has been read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import assert_never

from tree_sitter import Node

from seahorn_py.base.errors import Span
from seahorn_py.base.records import dataclass
from seahorn_py.csource.syntax import LOOPS, CText, statement_of, within
from seahorn_py.ir.program import (
    Address,
    Block,
    Branch,
    Compare,
    Fail,
    Function,
    IntConst,
    Load,
    Predicate,
    Program,
    Register,
    Stop,
    StopKind,
)
from seahorn_py.ir.types import BOOL, IntType
from seahorn_py.validation.edits import Edits
from seahorn_py.validation.expression import ExpressionError, c_expression
from seahorn_py.validation.lines import Lines
from seahorn_py.validation.macros import WORD
from seahorn_py.validation.places import PlaceError, Places, Way, resolved, text_at
from seahorn_py.validation.unchanged import Edited
from seahorn_py.validation.waypoint_code import (
    COUNTED,
    DECLARED,
    SEGMENT,
    VALUE,
    Here,
    code_for,
    idling,
    next_of,
    put,
    stop,
)
from seahorn_py.witness.witness import (
    Assumption,
    Branching,
    Entered,
    Returned,
    Segment,
    Target,
    ViolationWitness,
    Waypoint,
)

MAX_SEGMENTS = 20_000
_SIMPLE = frozenset({"expression_statement", "declaration", "return_statement"})
_WORD = IntType(32)


@dataclass(frozen=True)
class Watched:
    """The edited texts, and how to change the program that they are compiled to.

    `bare` are the texts with empty statements in place of the code.
    """

    edited: Edited
    bare: Edited
    texts: tuple[CText, ...]
    target: Target
    segments: int
    is_empty: bool

    def last_statement(self, program: Program) -> Node | None:
        """The one statement at the target that has checks, if control comes only from before it."""
        spans = (check.origin.span for check in program.checks)
        found = [self.statement(span) for span in spans if span and self.is_target(span)]
        return found[0] if found and found[0] and all(s == found[0] for s in found) else None

    def statement(self, span: Span) -> Node | None:
        """The statement at a place, if control comes to it only from before it."""
        text = _text_of(self.texts, span)
        found = None if text is None else statement_of(text.node_at(span))
        if text is None or found is None or found.type not in _SIMPLE:
            return None
        # behind the name of a macro there may be a label
        return None if text.replaced.intersection(WORD.findall(text.source(found))) else found

    def gated(self, program: Program) -> Program:
        """The program in which only what follows the witness fails."""
        # The variable is missing if the compiler dropped all code with it as unreachable.
        is_passed = self.segments == 1 or SEGMENT in program.globals
        functions = {n: self._function(f, is_passed) for n, f in program.functions.items()}
        return replace(program, functions=functions)

    def _function(self, function: Function, is_passed: bool) -> Function:
        blocks = [new for block in function.blocks for new in self._blocks(block, is_passed)]
        return replace(function, blocks=tuple(blocks))

    def _blocks(self, block: Block, is_passed: bool) -> Iterator[Block]:
        end = block.terminator
        if not isinstance(end, Fail):
            yield block
        elif not is_passed or not self.is_target(end.check.origin.span):
            yield replace(block, terminator=Stop(StopKind.BLOCKED))
        elif self.segments == 1:
            yield block
        else:
            passed = Register(f"{block.label}.segment", _WORD)
            last = Register(f"{block.label}.last", BOOL)
            load = Load(passed, Address(SEGMENT))
            wanted = IntConst(self.segments - 1, _WORD)
            compare = Compare(last, Predicate.EQ, passed, wanted)
            hit, miss = f"{block.label}.hit", f"{block.label}.miss"
            statements = (*block.statements, load, compare)
            yield replace(block, statements=statements, terminator=Branch(last, hit, miss))
            yield Block(hit, (), (), end)
            yield Block(miss, (), (), Stop(StopKind.BLOCKED))

    def is_target(self, span: Span | None) -> bool:
        """Whether the place lies in the statement or expression that begins at the target."""
        text = None if span is None else _text_of(self.texts, span)
        if span is None or text is None or not self._is_file(text):
            return False
        place = self.target.place
        if place.column is None and place.line <= span.line <= place.last:
            return True
        node = text.node_at(span)
        statement = statement_of(node)
        while node is not None:
            at = text.start(node)
            if place.line <= at.line <= place.last and place.column in (None, at.column):
                return True
            if node == statement:
                return False
            node = node.parent
        return False

    def _is_file(self, text: CText) -> bool:
        try:
            return text_at(self.texts, self.target.place) is text
        except PlaceError:
            return False


def _text_of(texts: Sequence[CText], span: Span) -> CText | None:
    file = resolved(span.file)
    return next((text for text in texts if resolved(text.name) == file), None)


# ------------------------------------------------------------------------------------- waypoints


def watched(
    witness: ViolationWitness,
    texts: Sequence[CText],
    *,
    loosely: bool = False,
    last: Node | None = None,
) -> Watched:
    """The program with the waypoints of the witness.

    A run need not pass a waypoint at the first chance if it follows them `loosely`: every run that
    the witness may mean does so, also if the witness leaves out steps.  A run that comes to the
    statement `last` without having passed all waypoints is blocked.

    Raises PlaceError if nothing in the program fits a waypoint, ExpressionError for a text that is
    no C expression without effects.
    """
    if len(witness.segments) > MAX_SEGMENTS:
        raise PlaceError(f"it has more than {MAX_SEGMENTS} segments")
    target = witness.segments[-1].follow
    assert isinstance(target, Target)
    text_at(texts, target.place)
    program = _Program(texts, by_lines=not witness.is_dense, loosely=loosely)
    for segment in witness.segments:
        program.add(segment)
    return program.watched(target, last)


@dataclass(frozen=True)
class Circled:
    """The edited texts of a program that follows a witness with a cycle.

    A run that does not follow the witness is blocked.  If the program `is_gated`, a run that passes
    no waypoint for long is blocked too, so that a run without end passes the cycle without end.
    `bare` are the texts with empty statements in place of the code.
    """

    edited: Edited
    bare: Edited
    is_gated: bool


def circled(witness: ViolationWitness, texts: Sequence[CText], *, gated: bool) -> Circled:
    """The program with the waypoints of the stem, and those of the cycle again and again.

    Raises PlaceError if nothing in the program fits a waypoint, ExpressionError for a text that is
    no C expression without effects.
    """
    segments = (*witness.segments, *witness.cycle)
    if len(segments) > MAX_SEGMENTS:
        raise PlaceError(f"it has more than {MAX_SEGMENTS} segments")
    first, count = len(witness.segments), len(segments)
    program = _Program(texts, by_lines=False, loosely=False)
    for number, segment in enumerate(segments):
        program.add(segment, next_of(number, first, count))
    edits = program.edits(COUNTED)
    for text in texts if gated else ():
        _count_idling(edits[text.name], text)
    return Circled(_edited(edits), _bare(edits), gated)


def _count_idling(edits: Edits, text: CText) -> None:
    """Count each round of a loop, each label and each call of a function of the program."""
    for node in within(text.root):
        body = node.child_by_field_name("body")
        if node.type in LOOPS:
            edits.before_condition(node, idling())
        elif node.type == "labeled_statement":
            edits.before(node, idling())
        elif node.type == "function_definition" and body is not None:
            edits.before(body, idling())


def _edited(edits: Mapping[str, Edits]) -> Edited:
    return tuple((Path(name), edit.edited()) for name, edit in edits.items())


def _bare(edits: Mapping[str, Edits]) -> Edited:
    return tuple((Path(name), edit.bare()) for name, edit in edits.items())


_Key = tuple[str, Way, int, int]
"""File, way, and the first and last byte of a node."""


@dataclass(frozen=True, slots=True)
class _Found:
    """Where code for a waypoint is put, and the condition to pass the waypoint.

    If it `is_exact`, a run that does not pass the waypoint there does not pass it at all.
    """

    nodes: Sequence[tuple[Way, Node]]
    condition: str
    is_exact: bool = True


class _Program:
    """Waypoints by the nodes at which they are.

    `by_lines`: their places are lines without columns.
    """

    def __init__(self, texts: Sequence[CText], by_lines: bool, loosely: bool) -> None:
        self.segments = 0
        self._texts = tuple(texts)
        self._by_lines = by_lines
        self._loosely = loosely
        self._places = {text.name: Places(text) for text in texts}
        self._lines = {text.name: Lines(text) for text in texts}
        self._here: dict[_Key, tuple[Node, list[Here]]] = {}

    def add(self, segment: Segment, passed: str = f"{SEGMENT}++;") -> None:
        """Find the nodes of the waypoints of a segment; `passed` is the code for its end."""
        for waypoint in segment.avoid:
            self._add(waypoint, "", avoid=True)
        follow = segment.follow
        is_told = isinstance(follow, Target) or self._add(follow, passed, avoid=False)
        self.segments += is_told

    def _add(self, waypoint: Waypoint, passed: str, *, avoid: bool) -> bool:
        """Note a waypoint at its nodes; False if it is open where a run passes it."""
        text = text_at(self._texts, waypoint.place)
        if self._by_lines:
            found = _found_by_lines(waypoint, self._lines[text.name], text, self._loosely)
        else:
            found = _found(waypoint, self._places[text.name])
        for way, node in () if found is None else found.nodes:
            assert found is not None
            must_hold = not avoid and found.is_exact and not self._loosely
            here = Here(self.segments, found.condition, avoid, must_hold, passed)
            key = text.name, way, node.start_byte, node.end_byte
            self._here.setdefault(key, (node, []))[1].append(here)
        return found is not None

    def watched(self, target: Target, last: Node | None) -> Watched:
        """The watched program with code for all waypoints."""
        edits = self.edits()
        if last is not None:
            name = text_at(self._texts, target.place).name
            edits[name].before(last, stop(self.segments - 1))
        whole, bare = _edited(edits), _bare(edits)
        return Watched(whole, bare, self._texts, target, self.segments, not self._here)

    def edits(self, counters: str = "") -> dict[str, Edits]:
        """Edits with code for all waypoints, and with declarations of further `counters`."""
        edits = {text.name: Edits(text) for text in self._texts}
        for number, edit in enumerate(edits.values()):
            own = f"int {SEGMENT}; {counters}"
            edit.head = f"{own if number == 0 else _shared(own)} {DECLARED}"
        for (name, way, _, _), (node, here) in self._here.items():
            put(edits[name], way, node, code_for(here, several=self._loosely))
        return edits


def _shared(variables: str) -> str:
    return "".join(f"extern {one.strip()}; " for one in variables.split(";") if one.strip())


def _found(waypoint: Waypoint, places: Places) -> _Found:
    """Where a waypoint is that tells lines and columns."""
    place = waypoint.place
    match waypoint:
        case Assumption():
            expression = c_expression(waypoint.expression)
            return _Found([(Way.BEFORE, places.statement(place))], expression.text)
        case Branching(_, value):
            node = places.branch(place)
            return _Found([(Way.BRANCH, node)], _branch_condition(node, value, places.text))
        case Entered():
            return _Found([(Way.ENTER, places.call(place))], "1")
        case Returned(_, text):
            return _Found([(Way.VALUE, places.call(place))], c_expression(text).text)
        case _:
            assert_never(waypoint)


def _found_by_lines(waypoint: Waypoint, lines: Lines, text: CText, loosely: bool) -> _Found | None:
    """Where a waypoint may be that tells lines alone; None if that is open."""
    place = waypoint.place
    match waypoint:
        case Assumption():
            expression = c_expression(waypoint.expression)
            look = lines.assuming if loosely else lines.likely
            points = look(place, expression.names)
            nodes = [(point.way, point.node) for point in points.points]
            return _Found(nodes, expression.text, points.is_exact)
        case Branching(_, value):
            node = lines.branch(place)
            if node is None:
                return None
            return _Found([(Way.BRANCH, node)], _branch_condition(node, value, text))
        case Returned(_, fact, callee):
            calls = [(Way.VALUE, call) for call in lines.calls(place, callee)]
            return _Found(calls, c_expression(fact).text, len(calls) == 1)
        case Entered():
            calls = [(Way.ENTER, call) for call in lines.calls(place, "")]
            return _Found(calls, "1", len(calls) == 1)
        case _:
            assert_never(waypoint)


def _branch_condition(node: Node, value: str, text: CText) -> str:
    if node.type != "switch_statement":
        if value not in ("true", "false"):
            raise ExpressionError(f"a branch is true or false, not {value[:40]!r}")
        return VALUE if value == "true" else f"!{VALUE}"
    if value != "default":
        return f"{VALUE} == ({c_expression(value).text})"
    labels = [_label(case, text) for case in _cases(node)]
    return "!(" + " || ".join([f"{VALUE} == ({label})" for label in labels] or ["0"]) + ")"


def _cases(switch: Node) -> Iterator[Node]:
    """The cases of a switch that have a value, without the cases of switches inside of it."""
    for node in within(switch):
        if node.type == "case_statement" and node.child_by_field_name("value") is not None:
            parent = node.parent
            while parent is not None and parent.type != "switch_statement":
                parent = parent.parent
            if parent == switch:
                yield node


def _label(case: Node, text: CText) -> str:
    value = case.child_by_field_name("value")
    assert value is not None
    if any(child.type == "..." for child in case.children):
        raise ExpressionError("a switch over ranges")
    return text.source(value)
