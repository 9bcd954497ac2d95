"""Waypoints of a violating run (YAML witness format 2.0), from its inputs and the C text.

Where a variable takes the value of an input, the waypoint is an assumption about that variable at
the next statement; validators that follow runs through their own control flow match those best.
Elsewhere it is what the call returns.  Assumptions about several inputs at one place are one.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

from tree_sitter import Node

from seahorn_py.errors import Span
from seahorn_py.evidence.ctext import (
    SIMPLE,
    CText,
    enclosing,
    following,
    full_expression,
    is_pure,
    statement_of,
)
from seahorn_py.evidence.ctext_names import Declared, Types, visible
from seahorn_py.evidence.witness import (
    Assumption,
    FunctionReturn,
    Location,
    Subject,
    Target,
    Waypoint,
    location,
)
from seahorn_py.ir.program import SiteKind
from seahorn_py.options import Property
from seahorn_py.result import InputValue, Violation

_WRAPPERS = frozenset({"parenthesized_expression", "cast_expression"})
_FLOATS = {"float": ("<I", "<f"), "double": ("<Q", "<d")}


@dataclass(frozen=True)
class Waypoints:
    """What a run passes, and a line for each input that no waypoint could be made of."""

    path: tuple[Waypoint, ...]
    left_out: tuple[str, ...]


def waypoints(violation: Violation, subject: Subject) -> Waypoints | None:
    """The waypoints of the run; None if what it violates is not in the text of the program."""
    target = _target(violation, subject)
    if target is None:
        return None
    found: list[tuple[Waypoint, Node]] = []
    left_out = []
    for value in violation.inputs:
        made = _of_input(value, subject)
        if made is None:
            left_out.append(f"{value.place or '?'}: {value.name} = {value.value}")
        elif not _merged(found, *made):
            found.append(made)
    return Waypoints((*(w for w, _ in found), target), tuple(left_out))


def _merged(found: list[tuple[Waypoint, Node]], waypoint: Waypoint, read: Node) -> bool:
    """Join an assumption with the last one, if the inputs are read on one straight line.

    Read one after the other in one block, both before the place, they belong to one visit of it.
    """
    if not found or not isinstance(waypoint, Assumption):
        return False
    last, before = found[-1]
    if not isinstance(last, Assumption) or last.location != waypoint.location:
        return False
    one, other = statement_of(before), statement_of(read)
    if one is None or other is None or one.parent != other.parent:
        return False
    if before.start_byte >= read.start_byte:
        return False
    found[-1] = (Assumption(last.location, last.facts + waypoint.facts), read)
    return True


# --------------------------------------------------------------------------------------- inputs


def _of_input(value: InputValue, subject: Subject) -> tuple[Waypoint, Node] | None:
    text = None if value.place is None else subject.text_of(value.place)
    if text is None or value.place is None:
        return None
    types = subject.types[text.name]
    if value.kind == SiteKind.UNINIT.value:
        return _of_variable(value, value.place, text, types)
    call = text.call_at(value.place, value.name)
    if call is None:
        return None
    return _of_call(value, call, text, types)


def _of_variable(
    value: InputValue, span: Span, text: CText, types: Types
) -> tuple[Waypoint, Node] | None:
    """A local without initial value, at the statement after its declaration."""
    node = text.node_at(span)
    declaration = enclosing(node, frozenset({"declaration"}))
    after = None if declaration is None else following(declaration)
    if node is None or after is None or text.source(node) != value.name:
        return None
    declared = visible(text, value.name, after)
    constant = _constant(value, declared, types)
    return None if constant is None else _assumption(text, value.name, constant, after, node)


def _of_call(
    value: InputValue, call: Node, text: CText, types: Types
) -> tuple[Waypoint, Node] | None:
    target, statement = _taken_by(call, text)
    after = None if statement is None else following(statement)
    if target is not None and after is not None:
        declared = _declared(target, text, after)
        constant = _constant(value, declared, types, _subscripts(target))
        if constant is not None:
            return _assumption(text, text.source(target), constant, after, call)
    constant = _plain_constant(value)
    if constant is None:
        return None
    place = location(text, text.closing(call), text.function_of(call))
    return FunctionReturn(place, text.callee(call), constant, _read(text, call)), call


def _assumption(
    text: CText, name: str, constant: str, after: Node, read: Node
) -> tuple[Waypoint, Node]:
    place = location(text, text.start(after), text.function_of(after))
    return Assumption(place, ((f"{name} == {constant}", _read(text, read)),)), read


def _read(text: CText, node: Node) -> Location:
    return location(text, text.start(node), text.function_of(node))


def _taken_by(call: Node, text: CText) -> tuple[Node | None, Node | None]:
    """The variable or other object that takes the value of a call, and the statement it is in."""
    node = call
    while node.parent is not None and node.parent.type in _WRAPPERS:
        if node.parent.type == "cast_expression" and "*" in text.source(node.parent):
            return None, None
        node = node.parent
    parent = node.parent
    if parent is None or parent.parent is None:
        return None, None
    if parent.type == "init_declarator" and parent.parent.type == "declaration":
        target, statement = parent.child_by_field_name("declarator"), parent.parent
        is_plain = target is not None and target.type == "identifier"
    elif parent.type == "assignment_expression" and parent.parent.type == "expression_statement":
        target, statement = parent.child_by_field_name("left"), parent.parent
        operator = parent.child_by_field_name("operator")
        is_plain = (
            operator is not None
            and text.source(operator) == "="
            and target is not None
            and is_pure(target)
        )
    else:
        return None, None
    if not is_plain or statement_of(statement) != statement:
        return None, None
    return target, statement


def _base(target: Node) -> Node:
    while target.type == "subscript_expression":
        inner = target.child_by_field_name("argument")
        if inner is None:
            return target
        target = inner
    return target


def _subscripts(target: Node) -> int:
    count = 0
    while target.type == "subscript_expression":
        count += 1
        inner = target.child_by_field_name("argument")
        if inner is None:
            return count
        target = inner
    return count


def _declared(target: Node, text: CText, after: Node) -> Declared | None:
    base = _base(target)
    return visible(text, text.source(base), after) if base.type == "identifier" else None


# ------------------------------------------------------------------------------------- constants


def _constant(
    value: InputValue, declared: Declared | None, types: Types, subscripts: int = 0
) -> str | None:
    """The value as an object of the declared type has it; None if that is not known."""
    if declared is None:
        return None
    if declared.specifier in _FLOATS and not declared.derived:
        is_same = value.c_type == declared.specifier
        return _plain_constant(value) if is_same else None
    kind = types.of(declared, subscripts)
    if kind is None or value.c_type in _FLOATS or not _is_integer(value):
        return None
    return c_constant(kind.convert(value.value))


def _is_integer(value: InputValue) -> bool:
    return not value.c_type.endswith(("*", "]")) and not value.c_type.startswith(
        ("struct ", "union ")
    )


def _plain_constant(value: InputValue) -> str | None:
    """The value in the type of the input; None if C has no constant for it."""
    if value.c_type not in _FLOATS:
        return c_constant(value.value) if _is_integer(value) else None
    bits, kind = _FLOATS[value.c_type]
    number: float = struct.unpack(kind, struct.pack(bits, value.value))[0]
    if number != number or number in (float("inf"), float("-inf")):
        return None
    return repr(number)


def c_constant(value: int) -> str | None:
    """An integer as a C expression that has its value in both data models."""
    if not -(1 << 63) <= value < 1 << 64:
        return None
    if value == -(1 << 31) or value == -(1 << 63):
        suffix = "" if value == -(1 << 31) else "LL"
        return f"(-{-value - 1}{suffix} - 1)"
    if value >= 1 << 63:
        return f"{value}ULL"
    return (
        f"{value}LL" if abs(value) >= 1 << 32 else f"{value}U" if value >= 1 << 31 else str(value)
    )


# --------------------------------------------------------------------------------------- target


def _target(violation: Violation, subject: Subject) -> Target | None:
    span = violation.place
    text = None if span is None else subject.text_of(span)
    node = None if span is None or text is None else text.node_at(span)
    statement = statement_of(node)
    if text is None or node is None or statement is None:
        return None
    if violation.property == Property.UNREACH_CALL.value or statement.type in SIMPLE:
        return Target(_of_statement(text, statement))
    expression = full_expression(node) or statement
    return Target(location(text, text.start(expression), text.function_of(statement)))


def _of_statement(text: CText, statement: Node) -> Location:
    return location(text, text.start(statement), text.function_of(statement))
