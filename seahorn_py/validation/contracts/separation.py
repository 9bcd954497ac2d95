"""The object that an argument leads to, as far as the text of a call alone tells.

A contract is proved for pointers to different objects, none of which is a variable that the
function touches.  Where the contract stands for a call, the arguments must be such pointers too.
Each argument has a *root*, the variable whose object it leads into; the roots must be different.
"""

from __future__ import annotations

from collections.abc import Sequence

from tree_sitter import Node

from seahorn_py.base.records import dataclass
from seahorn_py.csource.names import parameter_position, visible
from seahorn_py.csource.syntax import CText, within


@dataclass(frozen=True, slots=True)
class Root:
    """The variable whose object a pointer leads into, or the parameter that leads to the object.

    `function` declares the variable; "" for what the whole file sees.
    """

    kind: str
    name: str
    line: int = 0
    function: str = ""


NULL = Root("null", "")


def are_own(text: CText, roots: Sequence[Root], definition: Node) -> bool:
    """Whether all roots but one parameter are variables that live as long as the activation.

    What the function was called with leads to none of these, whoever called it.
    """
    body = definition.child_by_field_name("body")
    if body is None or any(n.type == "storage_class_specifier" for n in within(body)):
        return False
    objects = [one for one in roots if one.kind == "object"]
    is_local = all(one.function == text.function_name(definition) for one in objects)
    return is_local and len(roots) - len(objects) == 1


def root(text: CText, argument: Node, definition: Node, with_parameters: bool) -> Root | None:
    """The root of an argument; None if it is not known."""
    node = argument
    while node.type == "parenthesized_expression" or _is_pointer_cast(node):
        node = node.named_children[-1]
    match node.type:
        case "number_literal" | "null":
            return NULL if text.source(node) in ("0", "NULL") else None
        case "identifier":
            return _variable(text, node, definition, with_parameters)
        case "binary_expression" if node.children[1].type in ("+", "-"):
            found = root(text, node.children[0], definition, with_parameters)
            return None if found == NULL else found  # `0 + p` leads where p does
        case "pointer_expression" if node.children[0].type == "&":
            return _addressed(text, node.named_children[0], definition, with_parameters)
    return None


def _is_pointer_cast(node: Node) -> bool:
    kind = node.child_by_field_name("type") if node.type == "cast_expression" else None
    return kind is not None and kind.child_by_field_name("declarator") is not None


def _variable(text: CText, node: Node, definition: Node, with_parameters: bool) -> Root | None:
    """The root of a name: of an array, or of a parameter that always leads to one object."""
    name = text.source(node)
    declared = visible(text, name, node)
    if declared is None:
        return None
    position = parameter_position(text, definition, name)
    if declared.derived.startswith("[") and position is None:
        return Root("object", name, declared.line, declared.function)
    if declared.derived[:1] not in ("*", "["):
        return None
    if position is None or declared.function != text.function_name(definition):
        return None
    is_kept = with_parameters and not _is_changed(text, name, definition)
    return Root("parameter", name) if is_kept else None


def _is_changed(text: CText, name: str, definition: Node) -> bool:
    """Whether the function may change a parameter, take its address, or declare its name anew."""
    for node in within(definition):
        if node.type == "assignment_expression" and node.children[1].type not in ("+=", "-="):
            left = node.child_by_field_name("left")
            if left is not None and text.source(left).strip("() ") == name:
                return True
        is_address = node.type == "pointer_expression" and node.children[0].type == "&"
        if is_address and text.source(node.named_children[0]).strip("() ") == name:
            return True
        if node.type in ("init_declarator", "declaration", "gnu_asm_expression"):
            declarators = node.children_by_field_name("declarator")
            if node.type == "gnu_asm_expression" or any(
                name in _identifiers(text, one) for one in declarators
            ):
                return True
    return False


def _identifiers(text: CText, node: Node) -> set[str]:
    inner: Node | None = node
    while inner is not None and inner.type != "identifier":
        inner = inner.child_by_field_name("declarator")
    return set() if inner is None else {text.source(inner)}


def _addressed(text: CText, node: Node, definition: Node, with_parameters: bool) -> Root | None:
    """The root of `&node`."""
    while node.type == "parenthesized_expression":
        node = node.named_children[0]
    match node.type:
        case "identifier":
            declared = visible(text, text.source(node), node)
            is_object = declared is not None and "(" not in declared.derived
            if declared is None or not is_object:
                return None
            return Root("object", text.source(node), declared.line, declared.function)
        case "subscript_expression":
            return root(text, node.children[0], definition, with_parameters)
        case "field_expression" if node.children[1].type == ".":
            return _addressed(text, node.children[0], definition, with_parameters)
        case "field_expression":
            return root(text, node.children[0], definition, with_parameters)
    return None
