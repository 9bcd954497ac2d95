"""Where an input shows in the C text: a variable that takes its value, or a call that returns it.

Validators follow runs through a control flow of their own.  If a variable takes the value, they
match an assumption about the variable best at the next statement; for elements of arrays in loops,
at the next statement behind the loop (`witness.elements`).  Otherwise the witness tells what the
call returns.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Sequence

from tree_sitter import Node

from seahorn_py.base.records import dataclass
from seahorn_py.csource.leaves import FLOATS, CLeaf
from seahorn_py.csource.names import Declared, Types, visible
from seahorn_py.csource.syntax import (
    CText,
    enclosing,
    first_statement,
    following,
    is_pure,
    statement_of,
    within,
)
from seahorn_py.csource.types import IntegerType
from seahorn_py.ir.program import SiteKind
from seahorn_py.result import InputValue
from seahorn_py.witness.elements import INPUTS, Element, beyond, subscripts
from seahorn_py.witness.texts import Sources, place_of
from seahorn_py.witness.told import Returning
from seahorn_py.witness.witness import Place

ARGUMENT_COUNT = "argc"
_WRAPPERS = frozenset({"parenthesized_expression", "cast_expression"})
_FORMATS = {"float": ("<I", "<f"), "double": ("<Q", "<d")}
_LARGEST = repr(sys.float_info.max)
_SPECIAL = frozenset({"nan", "inf", "-inf"})


@dataclass(frozen=True, slots=True)
class Taken:
    """C expressions that hold when control comes to the statement `after` next.

    With each comes the place where its value is read; `read` is the last of these nodes.
    """

    text: CText
    after: Node
    facts: tuple[tuple[str, Place], ...]
    read: Node


Said = Taken | Element | tuple[Returning, Node]


def said(values: Sequence[InputValue], sources: Sources) -> Said | None:
    """What C can say of an input, or of all scalars of one object; None if it can say nothing."""
    value = values[-1]
    if value.place is None:
        return _of_argument(value, sources) if value.name == ARGUMENT_COUNT else None
    text = sources.text_of(value.place)
    if text is None:
        return None
    types = sources.types[text.name]
    if value.kind == SiteKind.UNINIT.value:
        return _of_object(values, text, sources)
    call = text.call_at(value.place, value.name)
    return None if call is None else _of_call(value, call, text, types)


def is_part(value: InputValue) -> bool:
    """Whether the input is a scalar or byte of an object without initial value."""
    return value.kind == SiteKind.UNINIT.value and not _is_scalar(value)


def _is_scalar(value: InputValue) -> bool:
    aggregates = ("struct ", "union ")
    return not value.c_type.endswith("]") and not value.c_type.startswith(aggregates)


def _of_argument(value: InputValue, sources: Sources) -> Taken | None:
    """The first parameter of `main`, at the first statement; it is read on the line of its name."""
    for text in sources.texts:
        for node in text.root.children:
            if node.type == "function_definition" and text.function_name(node) == "main":
                return _first_of_main(value, text, node)
    return None


def _first_of_main(value: InputValue, text: CText, main: Node) -> Taken | None:
    body = main.child_by_field_name("body")
    declarator = _declarator(main)
    first = None if body is None else first_statement(body)
    parameter = None if declarator is None else _first_parameter(declarator)
    constant = c_constant(value.value)
    if declarator is None or first is None or parameter is None or constant is None:
        return None
    place = place_of(text, text.start(declarator), "main")
    return _taken(text, [text.source(parameter)], [constant], first, place, main)


def _declarator(definition: Node) -> Node | None:
    """The name of a function with its parameters."""
    node = definition.child_by_field_name("declarator")
    while node is not None and node.type != "function_declarator":
        node = node.child_by_field_name("declarator")
    return node


def _first_parameter(declarator: Node) -> Node | None:
    """The name of the first parameter; in the old style of definitions, that is all there is."""
    given = declarator.child_by_field_name("parameters")
    inner = [] if given is None else [c for c in given.named_children if c.type != "comment"]
    node = inner[0] if inner else None
    while node is not None and node.type != "identifier":
        node = node.child_by_field_name("declarator")
    return node


def begins(value: InputValue, sources: Sources) -> _Local | Taken | Element | None:
    """The variable that takes an input, with the statement at which it can be told."""
    text = None if value.place is None else sources.text_of(value.place)
    if text is not None and value.kind == SiteKind.UNINIT.value:
        return _local(value, text)
    taken = said([value], sources)
    return None if isinstance(taken, tuple) else taken


@dataclass(frozen=True, slots=True)
class _Local:
    """A local without initial value: its declaration, and the statement after that."""

    text: CText
    name: str
    node: Node
    declaration: Node
    after: Node


def _local(value: InputValue, text: CText) -> _Local | None:
    node = None if value.place is None else text.node_at(value.place)
    declaration = enclosing(node, frozenset({"declaration"}))
    if node is None or declaration is None:
        return None
    name = value.name or _only_name(declaration, text)
    after = following(declaration)
    if after is None or (value.name and text.source(node) != name):
        return None
    return _Local(text, name, node, declaration, settled(after, name, text))


def _of_object(values: Sequence[InputValue], text: CText, sources: Sources) -> Taken | None:
    """A local without initial value, at the statement after its declaration."""
    local = _local(values[-1], text)
    if local is None:
        return None
    if is_part(values[-1]):
        parts = _parts(values, local.declaration, local.name, text, sources)
    else:
        declared = visible(text, local.name, local.after)
        constant = _constant(values[-1], declared, sources.types[text.name])
        parts = [] if constant is None else [(local.name, constant)]
    if not parts:
        return None
    names, constants = [n for n, _ in parts], [c for _, c in parts]
    place = _read(text, local.node)
    return _taken(text, names, constants, local.after, place, local.node)


def _only_name(declaration: Node, text: CText) -> str:
    names = [n for n in within(declaration) if n.type == "array_declarator"]
    inner = names[0].child_by_field_name("declarator") if len(names) == 1 else None
    return text.source(inner) if inner is not None and inner.type == "identifier" else ""


def _parts(
    values: Sequence[InputValue], declaration: Node, name: str, text: CText, sources: Sources
) -> list[tuple[str, str]]:
    """The scalars of the object, each with the C constant of its value, if it has one."""
    leaves = sources.leaves[text.name]
    found = leaves.of(declaration, name, len(values))
    numbers = [v.value for v in values]
    if found is None or not values[-1].name:
        size = _element_size(declaration, text, sources)
        if size is None or len(values) % size:
            return []
        numbers = [_joined(numbers[k : k + size]) for k in range(0, len(numbers), size)]
        found = leaves.of(declaration, name, len(numbers))
    constants = zip(found or (), map(_of_leaf, found or (), numbers), strict=True)
    return [(leaf.expression, constant) for leaf, constant in constants if constant is not None]


def _element_size(declaration: Node, text: CText, sources: Sources) -> int | None:
    kind = declaration.child_by_field_name("type")
    type_ = None if kind is None else sources.types[text.name].named(text.source(kind))
    return None if type_ is None else type_.width // 8


def _joined(data: Sequence[int]) -> int:
    return sum((byte & 255) << (8 * k) for k, byte in enumerate(data))


def _of_leaf(leaf: CLeaf, value: int) -> str | None:
    if isinstance(leaf.type, IntegerType):
        return c_constant(leaf.type.convert(value))
    return None if leaf.type is None else _float(value, leaf.type)


def _of_call(value: InputValue, call: Node, text: CText, types: Types) -> Said | None:
    returned = _returned(value, call, text)
    target, statement = taken_by(call, text)
    if target is not None and statement is not None:
        found = _of_target(value, call, target, statement, returned, text, types)
        if found is not None:
            return found
    return None if returned is None else (returned, call)


def _of_target(
    value: InputValue,
    call: Node,
    target: Node,
    statement: Node,
    returned: Returning | None,
    text: CText,
    types: Types,
) -> Taken | Element | None:
    """The variable or element that takes the value, at the next statement; None without one."""
    base, index = subscripts(target)
    next_ = following(statement)
    there = beyond(target, statement, text) if next_ is None else (text.source(base), next_)
    if base.type != "identifier" or there is None:
        return None
    name, after = there[0], settled(there[1], there[0], text)
    constant = _constant(value, visible(text, name, after), types, len(index))
    if constant is None or not text.is_first_in_line(after):
        return None
    if next_ is not None:
        return _taken(text, [text.source(target)], [constant], after, _read(text, call), call)
    if returned is None:
        return None
    return Element(text, after, name, index, constant, returned, call)


def _returned(value: InputValue, call: Node, text: CText) -> Returning | None:
    constant = str(value.value) if _is_integer(value) else _plain_constant(value)
    if constant is None or constant in _SPECIAL:
        return None
    closing = place_of(text, text.closing(call), text.function_of(call))
    return Returning(closing, text.callee(call), constant, _read(text, call))


def settled(after: Node, name: str, text: CText) -> Node:
    """The first statement on the line of `after`, if only harmless declarations are between.

    Harmless ones do not touch `name`.  Validators put an assumption in front of a whole line.
    """
    node = after
    while not text.is_first_in_line(node) and _is_harmless(node, name, text):
        beyond = following(node)
        if beyond is None:
            return after
        node = beyond
    return node if text.is_first_in_line(node) else after


def _is_harmless(statement: Node, name: str, text: CText) -> bool:
    if statement.type != "declaration":
        return False
    for node in within(statement):
        if node.type == "identifier" and text.source(node) == name:
            return False
        if node.type == "call_expression" and not text.callee(node).startswith(INPUTS):
            return False
    return True


def _taken(
    text: CText,
    names: Sequence[str],
    constants: Sequence[str],
    after: Node,
    place: Place,
    read: Node,
) -> Taken:
    facts = tuple((fact(n, c), place) for n, c in zip(names, constants, strict=True))
    return Taken(text, after, facts, read)


def fact(name: str, constant: str) -> str:
    """The C condition that a variable has a value, also for a NaN and infinities."""
    match constant:
        case "nan":
            return f"{name} != {name}"
        case "inf":
            return f"{name} > {_LARGEST}"
        case "-inf":
            return f"{name} < -{_LARGEST}"
        case _:
            return f"{name} == {constant}"


def _read(text: CText, node: Node) -> Place:
    return place_of(text, text.start(node), text.function_of(node))


def taken_by(call: Node, text: CText) -> tuple[Node | None, Node | None]:
    """The expression that takes the value of a call, such as a variable, and its statement."""
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


# ------------------------------------------------------------------------------------- constants


def _constant(
    value: InputValue, declared: Declared | None, types: Types, subscripts: int = 0
) -> str | None:
    """The value as a C constant of the declared type; None if that is not known."""
    if declared is None:
        return None
    if declared.specifier in FLOATS and not declared.derived:
        is_same = value.c_type == declared.specifier
        return _plain_constant(value) if is_same else None
    kind = types.of(declared, subscripts)
    if kind is None or not _is_integer(value):
        return None
    return c_constant(kind.convert(value.value))


def _is_integer(value: InputValue) -> bool:
    is_other = value.c_type in FLOATS or value.c_type.endswith("*")
    return _is_scalar(value) and not is_other


def _plain_constant(value: InputValue) -> str | None:
    """The value as a C constant of the type of the input; None if C has none."""
    if value.c_type in FLOATS:
        return _float(value.value, value.c_type)
    return c_constant(value.value) if _is_integer(value) else None


def _float(value: int, kind: str) -> str:
    """The decimal number that the bits of a float mean, or one of `_SPECIAL`."""
    into, out = _FORMATS[kind]
    number: float = struct.unpack(out, struct.pack(into, value))[0]
    return repr(number)


def c_constant(value: int) -> str | None:
    """An integer as a C expression with this value in both data models; None if C has none."""
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
