"""A program that follows a violation witness: it knows the segment, and blocks other runs.

The waypoints become code at their places in the C text, which the compiler gives its meaning
(Beyer, Spiessl: MetaVal, CAV 2020).  A variable counts the segments that have ended; a run that
cannot follow the witness any more is blocked.  In the program as it is read, a check that fails
somewhere else than at the target, or before the last segment, blocks the run too.  What is left to
fail is what follows the witness.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import assert_never

from tree_sitter import Node

from seahorn_py.errors import Span
from seahorn_py.evidence.ctext import CText, statement_of, within
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
from seahorn_py.validation.expression import RESULT, ExpressionError, c_expression
from seahorn_py.validation.model import (
    Assumption,
    Branching,
    Entered,
    Returned,
    Target,
    ViolationWitness,
    Waypoint,
)
from seahorn_py.validation.places import PlaceError, Places, resolved, text_at
from seahorn_py.validation.unchanged import Edited

MAX_SEGMENTS = 20_000
SEGMENT = "sea_witness_segment"
_BLOCK = "sea_witness_assume"
_VALUE = "sea_witness_value"
_ARGUMENT = "sea_witness_argument"
_DECLARED = f'extern void {_BLOCK}(int) __asm__("__VERIFIER_assume");'
_WORD = IntType(32)


@dataclass(frozen=True)
class Watched:
    """The edited texts, also `bare`, and how to change the program that they are compiled to."""

    edited: Edited
    bare: Edited
    texts: tuple[CText, ...]
    target: Target
    segments: int

    def gated(self, program: Program) -> Program:
        """The program in which only what follows the witness fails."""
        functions = {name: self._function(f) for name, f in program.functions.items()}
        return replace(program, functions=functions)

    def _function(self, function: Function) -> Function:
        blocks = [new for block in function.blocks for new in self._blocks(block)]
        return replace(function, blocks=tuple(blocks))

    def _blocks(self, block: Block) -> Iterator[Block]:
        end = block.terminator
        if not isinstance(end, Fail):
            yield block
        elif not self.is_target(end.check.origin.span):
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
        """The place lies in the statement or expression that begins at the target."""
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


def watched(witness: ViolationWitness, texts: Sequence[CText], *, loosely: bool = False) -> Watched:
    """The program with the waypoints in it; `loosely`, a run may also pass them later.

    Where steps between the waypoints are not known, every run that is meant passes them loosely.
    Raises PlaceError where it has nothing that fits a waypoint, ExpressionError for a text that is
    no C expression without effects.
    """
    if len(witness.segments) > MAX_SEGMENTS:
        raise PlaceError(f"it has more than {MAX_SEGMENTS} segments")
    target = witness.segments[-1].follow
    assert isinstance(target, Target)
    text_at(texts, target.place)
    program = _Program(texts, loosely)
    for number, segment in enumerate(witness.segments):
        for waypoint in segment.avoid:
            program.add(waypoint, number, avoid=True)
        if not isinstance(segment.follow, Target):
            program.add(segment.follow, number, avoid=False)
    return Watched(*program.edited(), tuple(texts), target, len(witness.segments))


@dataclass(frozen=True, slots=True)
class _Here:
    """A waypoint of a segment, as a condition in C."""

    segment: int
    condition: str
    avoid: bool


_Key = tuple[str, str, int, int]
"""File, kind, and the bytes of a node."""


class _Program:
    """Waypoints by the node that they are at."""

    def __init__(self, texts: Sequence[CText], loosely: bool) -> None:
        self._texts = texts
        self._otherwise = "" if loosely else f"else {_BLOCK}(0);"
        self._places = {text.name: Places(text) for text in texts}
        self._here: dict[_Key, tuple[Node, list[_Here]]] = {}

    def add(self, waypoint: Waypoint, segment: int, *, avoid: bool) -> None:
        """Find the node of a waypoint and note what must hold there."""
        text = text_at(self._texts, waypoint.place)
        places = self._places[text.name]
        kind, node, condition = _found(waypoint, places)
        key = text.name, kind, node.start_byte, node.end_byte
        _, here = self._here.setdefault(key, (node, []))
        here.append(_Here(segment, condition, avoid))

    def edited(self) -> tuple[Edited, Edited]:
        """The texts with code for all waypoints, and bare."""
        edits = {text.name: Edits(text) for text in self._texts}
        for number, edit in enumerate(edits.values()):
            edit.head = f"{'extern ' if number else ''}int {SEGMENT}; {_DECLARED}"
        for (name, kind, _, _), (node, here) in self._here.items():
            _put(edits[name], kind, node, _code(here, self._otherwise))
        whole = tuple((Path(name), edit.edited()) for name, edit in edits.items())
        return whole, tuple((Path(name), edit.bare()) for name, edit in edits.items())


def _found(waypoint: Waypoint, places: Places) -> tuple[str, Node, str]:
    """How code for a waypoint is put, at which node, and the condition to pass it."""
    place = waypoint.place
    match waypoint:
        case Assumption(_, text, after):
            expression = c_expression(text)
            if after:
                return "after", places.taking(place, expression.names), f"({expression.text})"
            return "before", places.statement(place), f"({expression.text})"
        case Branching(_, value):
            node = places.branch(place)
            return "branch", node, _branch_condition(node, value, places.text)
        case Entered():
            return "enter", places.call(place), "1"
        case Returned(_, text, callee):
            return "return", places.call(place, callee), f"({c_expression(text).text})"
        case _:
            assert_never(waypoint)


def _branch_condition(node: Node, value: str, text: CText) -> str:
    if node.type != "switch_statement":
        if value not in ("true", "false"):
            raise ExpressionError(f"a branch is true or false, not {value[:40]!r}")
        return _VALUE if value == "true" else f"!{_VALUE}"
    if value != "default":
        return f"{_VALUE} == ({c_expression(value).text})"
    labels = [_label(case, text) for case in _cases(node)]
    return "!(" + " || ".join([f"{_VALUE} == ({label})" for label in labels] or ["0"]) + ")"


def _cases(switch: Node) -> Iterator[Node]:
    """The cases of a switch that have a value, without those of switches in it."""
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


# ------------------------------------------------------------------------------------------ code


def _code(here: Sequence[_Here], otherwise: str) -> str:
    """What is run each time control is at a node: the segment is looked at once.

    `otherwise` is for a waypoint to follow that is not passed.
    """
    cases: dict[int, list[_Here]] = {}
    for one in here:
        cases.setdefault(one.segment, []).append(one)
    whole = "".join(f"case {k}: {_case(k, found, otherwise)} break; " for k, found in cases.items())
    return f"switch ({SEGMENT}) {{ {whole}}} "


def _case(segment: int, here: Sequence[_Here], otherwise: str) -> str:
    avoid = [f"if {_in(one.condition)} {_BLOCK}(0);" for one in here if one.avoid]
    follow = [
        f"if {_in(one.condition)} {SEGMENT} = {segment + 1}; {otherwise}"
        for one in here
        if not one.avoid
    ]
    return " ".join([*avoid, *follow])


def _in(condition: str) -> str:
    return f"({condition})"


def _put(edits: Edits, kind: str, node: Node, code: str) -> None:
    match kind:
        case "before":
            edits.before(node, code)
        case "after":
            edits.after(node, code)
        case "branch":
            _put_branch(edits, node, code)
        case "enter":
            _put_enter(edits, node, code)
        case _:
            edits.around(node, f"({{ __auto_type {RESULT} = ", f"; {code} {RESULT}; }})")


def _put_branch(edits: Edits, node: Node, code: str) -> None:
    condition = node.child_by_field_name("condition")
    if node.type == "for_statement" and condition is None:
        raise PlaceError("a `for` without a condition, which never branches")
    assert condition is not None
    if node.type == "conditional_expression" and node.child_by_field_name("consequence") is None:
        raise PlaceError("a `?:` without a middle, which is not supported")
    is_switch = node.type == "switch_statement"
    before = f"({{ __auto_type {_VALUE} = +(" if is_switch else f"({{ int {_VALUE} = !!("
    after = f"); {code} {_VALUE}; }})"
    if condition.type == "parenthesized_expression" and node.type != "conditional_expression":
        before, after = f"({before}", f"{after})"
    edits.around(condition, before, after)


def _put_enter(edits: Edits, call: Node, code: str) -> None:
    """The arguments are evaluated before; that can only be told where they contain calls."""
    arguments = call.child_by_field_name("arguments")
    given = (
        [] if arguments is None else [c for c in arguments.named_children if c.type != "comment"]
    )
    if not any(node.type == "call_expression" for g in given for node in within(g)):
        edits.around(call, f"(({{ {code} }}), ", ")")
        return
    edits.around(given[-1], f"({{ __auto_type {_ARGUMENT} = ", f"; {code} {_ARGUMENT}; }})")
