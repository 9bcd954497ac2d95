"""What the tokens of a C file are, for readers who like colours."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

from tree_sitter import Node

from seahorn_py.csource.syntax import CText, within


class Kind(Enum):
    """What a token is; the values are short, since a page has one for each token."""

    COMMENT = "c"
    STRING = "s"
    NUMBER = "n"
    TYPE = "t"
    KEYWORD = "k"
    DIRECTIVE = "p"
    FUNCTION = "f"


Token = tuple[int, int, Kind]
"""The characters of a line from the first number to before the second."""

_KINDS = {
    "comment": Kind.COMMENT,
    "string_literal": Kind.STRING,
    "char_literal": Kind.STRING,
    "system_lib_string": Kind.STRING,
    "concatenated_string": Kind.STRING,
    "number_literal": Kind.NUMBER,
    "primitive_type": Kind.TYPE,
    "type_identifier": Kind.TYPE,
    "true": Kind.NUMBER,
    "false": Kind.NUMBER,
    "null": Kind.NUMBER,
}
_TYPE_WORDS = frozenset({"unsigned", "signed", "long", "short"})
_NAMED_BY = frozenset({"call_expression", "function_declarator"})


def tokens(text: CText) -> list[list[Token]]:
    """The coloured tokens of each line."""
    lines = text.text.split(b"\n")
    found: list[list[Token]] = [[] for _ in lines]
    after = 0
    for node in within(text.root):
        kind = _kind(node)
        if kind is None or node.start_byte < after:
            continue
        after = node.end_byte
        for row, start, end in _rows(node, lines):
            line = lines[row]
            found[row].append((_characters(line[:start]), _characters(line[:end]), kind))
    return found


def _kind(node: Node) -> Kind | None:
    kind = _KINDS.get(node.type)
    if kind is not None or node.child_count:
        return kind
    if node.type == "identifier":
        parent = node.parent
        is_name = parent is not None and parent.type in _NAMED_BY
        return Kind.FUNCTION if is_name and parent and _names(parent, node) else None
    if node.type.startswith("#") or node.type == "preproc_directive":
        return Kind.DIRECTIVE
    if node.type in _TYPE_WORDS:
        return Kind.TYPE
    return Kind.KEYWORD if not node.is_named and node.type.isalpha() else None


def _names(parent: Node, node: Node) -> bool:
    """Whether an identifier is what is called or declared."""
    field = "function" if parent.type == "call_expression" else "declarator"
    return parent.child_by_field_name(field) == node


def _rows(node: Node, lines: list[bytes]) -> Iterator[tuple[int, int, int]]:
    """The parts of a token, line by line."""
    first, last = node.start_point, node.end_point
    for row in range(first.row, min(last.row, len(lines) - 1) + 1):
        start = first.column if row == first.row else 0
        end = last.column if row == last.row else len(lines[row])
        if start < end:
            yield row, start, end


def _characters(text: bytes) -> int:
    return len(text.decode("utf-8", "replace"))
