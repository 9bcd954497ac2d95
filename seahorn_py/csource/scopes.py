"""Which names a C file declares, and in which lines each of them is known."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from seahorn_py.base.records import dataclass
from seahorn_py.csource.syntax import LOOPS, CText, enclosing, within

_AROUND = frozenset({"compound_statement"}) | LOOPS
_DECLARES = ("declaration", "parameter_declaration")


@dataclass(frozen=True)
class Local:
    """A name that is known from one line to another."""

    name: str
    first: int
    last: int


@dataclass(frozen=True)
class Region:
    """A function: its lines, and what is declared in it."""

    name: str
    first: int
    last: int
    locals: tuple[Local, ...]


def functions(text: CText) -> tuple[Region, ...]:
    """The functions that a file defines."""
    found = (_region(text, node) for node in definitions(text))
    return tuple(region for region in found if region.name)


def definitions(text: CText) -> Iterator[Node]:
    """The nodes of functions that a file defines, also in the branches of directives."""
    return (node for node in within(text.root) if node.type == "function_definition")


def globals_(text: CText) -> tuple[str, ...]:
    """The variables that a file declares outside of functions."""
    around = frozenset({"function_definition", "parameter_list"})
    declared = (
        node
        for node in within(text.root)
        if node.type == "declaration" and enclosing(node, around) is None
    )
    return tuple(name for node in declared for name in _names(text, node))


def _region(text: CText, definition: Node) -> Region:
    first, last = definition.start_point.row + 1, definition.end_point.row + 1
    found: list[Local] = []
    for node in within(definition):
        if node.type not in _DECLARES:
            continue
        around = enclosing(node, _AROUND)
        is_local = around is not None and node.type == "declaration"
        start = node.start_point.row + 1 if is_local else first
        end = around.end_point.row + 1 if is_local and around is not None else last
        found += [Local(name, start, end) for name in _names(text, node)]
    return Region(text.function_name(definition), first, last, tuple(found))


def _names(text: CText, declaration: Node) -> Iterator[str]:
    """The variables of a declaration; functions are none."""
    for declarator in declaration.children_by_field_name("declarator"):
        node: Node | None = declarator
        while node is not None and node.type not in ("identifier", "function_declarator"):
            inner = node.child_by_field_name("declarator")
            node = inner if inner is not None else _parenthesised(node)
        if node is not None and node.type == "identifier":
            yield text.source(node)


def _parenthesised(node: Node) -> Node | None:
    """What stands in the parentheses of `(*f)(int)`."""
    return node.named_children[0] if node.type == "parenthesized_declarator" else None
