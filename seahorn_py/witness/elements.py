"""Elements of arrays that take an input as the last step of a loop: `for (...) a[i] = f();`.

The index changes before the next statement.  So the element is told at the statement after the
loop, by the number that its index had, if nothing in the loop can have changed the element since.
If the function ends after the loop, the element is told behind the only call of the function, where
the array may have another name.
"""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from seahorn_py.base.records import dataclass
from seahorn_py.csource.names import parameter_position, visible
from seahorn_py.csource.syntax import LOOPS, CText, enclosing, following, within
from seahorn_py.witness.told import Returning

INPUTS = ("__VERIFIER_nondet_", "nd_")
"""Prefixes of the names of functions that only read an input."""


@dataclass(frozen=True, slots=True)
class Element:
    """An element of `array` equals `constant` when control comes to the statement `after` next.

    `subscripts` were its index when `call` returned the value.  `returned` tells the value there.
    """

    text: CText
    after: Node
    array: str
    subscripts: tuple[Node, ...]
    constant: str
    returned: Returning
    call: Node

    def named(self, index: tuple[int, ...]) -> str:
        """The element at an index, in C."""
        return self.array + "".join(f"[{number}]" for number in index)


def subscripts(target: Node) -> tuple[Node, tuple[Node, ...]]:
    """The array that an expression is an element of, and its index; no index for no element."""
    found: list[Node] = []
    node = target
    while node.type == "subscript_expression":
        base, index = node.child_by_field_name("argument"), node.child_by_field_name("index")
        if base is None or index is None:
            break
        found.append(index)
        node = base
    return node, tuple(reversed(found))


def beyond(target: Node, statement: Node, text: CText) -> tuple[str, Node] | None:
    """The name of the array behind the loops that end with `statement`, and the statement there.

    None if the element may change before that.
    """
    base, index = subscripts(target)
    name = text.source(base)
    if base.type != "identifier" or not index:
        return None
    loop = enclosing(statement.parent, LOOPS)
    while loop is not None:
        if not _keeps(loop, name, statement, text):
            return None
        after = following(loop)
        if after is not None:
            is_same = visible(text, name, after) == visible(text, name, statement)
            return (name, after) if is_same else None
        loop = enclosing(loop.parent, LOOPS)
    return _in_caller(name, statement, text)


def _in_caller(array: str, statement: Node, text: CText) -> tuple[str, Node] | None:
    """The argument for a parameter in the only call of the function, and the statement behind."""
    function = enclosing(statement, frozenset({"function_definition"}))
    place = None if function is None else parameter_position(text, function, array)
    if function is None or place is None or not _keeps(function, array, statement, text):
        return None
    name = text.function_name(function)
    calls = [n for n in within(text.root) if n.type == "call_expression" and text.callee(n) == name]
    given = calls[0].child_by_field_name("arguments") if len(calls) == 1 else None
    arguments = [] if given is None else [n for n in given.named_children if n.type != "comment"]
    if place >= len(arguments) or arguments[place].type != "identifier":
        return None
    calling = calls[0].parent
    is_statement = calling is not None and calling.type == "expression_statement"
    after = following(calling) if calling is not None and is_statement else None
    return None if after is None else (text.source(arguments[place]), after)


def _keeps(part: Node, array: str, taking: Node, text: CText) -> bool:
    """Whether nothing in this part of a text but `taking` changes an element of the array."""
    return all(_is_harmless(node, array, taking, text) for node in within(part))


def _is_harmless(node: Node, array: str, taking: Node, text: CText) -> bool:
    match node.type:
        case "call_expression":
            return text.callee(node).startswith(INPUTS) or _is_taken(node, taking)
        case "assignment_expression" if node.parent == taking:
            return True
        case "assignment_expression" | "update_expression":
            changed = list(_changed(node))
            return bool(changed) and all(
                part.type == "identifier" and text.source(part) != array for part in changed
            )
        case "goto_statement" | "gnu_asm_expression":
            return False
        case _:
            return True


def _is_taken(call: Node, taking: Node) -> bool:
    return taking.start_byte <= call.start_byte and call.end_byte <= taking.end_byte


def _changed(node: Node) -> Iterator[Node]:
    for field in ("left", "argument"):
        found = node.child_by_field_name(field)
        if found is not None:
            yield found
