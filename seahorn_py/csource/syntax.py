"""Positions in the C text, from its syntax tree and not from compiled code.

Witnesses name the first character of a statement, the keyword of a loop or branch, or the closing
parenthesis of a call.  Debug records lead to a place in the text; the syntax tree (tree-sitter's,
which survives what it cannot parse) leads from there to the position that a witness names.  Columns
are bytes where they come from the compiler, and characters where they are handed out.
"""

from __future__ import annotations

import stat
from bisect import bisect_right
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import tree_sitter_c
from tree_sitter import Language, Node, Parser

from seahorn_py.base.errors import InputError, Span
from seahorn_py.base.records import dataclass

MAX_BYTES = 64 << 20
LOOPS = frozenset({"while_statement", "for_statement", "do_statement"})
SIMPLE = frozenset(
    {
        "expression_statement",
        "declaration",
        "return_statement",
        "goto_statement",
        "break_statement",
        "continue_statement",
    }
)
STATEMENTS = (
    LOOPS
    | SIMPLE
    | {
        "compound_statement",
        "if_statement",
        "switch_statement",
        "case_statement",
        "labeled_statement",
        "attributed_statement",
    }
)
_TRANSPARENT = frozenset({"compound_statement", "if_statement", "else_clause", "labeled_statement"})
_EFFECTS = frozenset({"call_expression", "assignment_expression", "update_expression"})
_NO_CODE = frozenset({"comment", "type_definition", "function_definition"})


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A place of a file; line and column count from 1, a column is a character."""

    line: int
    column: int


@cache
def _language() -> Language:
    return Language(tree_sitter_c.language())


class CText:
    """A C file and its syntax tree; `replaced` are names that are not what they look like."""

    def __init__(self, name: str, text: bytes, replaced: frozenset[str] = frozenset()) -> None:
        self.name = name
        self.text = text
        self.replaced = replaced
        self.root = Parser(_language()).parse(text).root_node
        self._lines = [0]
        self._lines += [at + 1 for at, byte in enumerate(text) if byte == ord("\n")]

    @classmethod
    def read(cls, path: Path) -> CText:
        """The file at `path`; InputError if it cannot be read, or is a device or very large."""
        return cls(str(path), cls.bytes_of(path))

    @staticmethod
    def bytes_of(path: Path) -> bytes:
        """What is in a file that debug information names, which may be any; else InputError."""
        try:
            status = path.stat()
            if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_BYTES:
                raise InputError(f"{path}: no file of C")
            return path.read_bytes()
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) else "no name of a file"
            raise InputError(f"{path}: cannot read: {why}") from None

    # ----------------------------------------------------------------------- into the tree

    def node_at(self, span: Span) -> Node | None:
        """The smallest node at the place of a debug record."""
        if not 0 < span.line <= len(self._lines):
            return None
        start = self._lines[span.line - 1]
        line = self._line(start)
        column = span.column - 1 if span.column else len(line) - len(line.lstrip())
        at = start + min(column, max(len(line) - 1, 0))
        return self.root.descendant_for_byte_range(at, min(at + 1, len(self.text)))

    def _line(self, start: int) -> bytes:
        end = self.text.find(b"\n", start)
        return self.text[start : end if end >= 0 else len(self.text)]

    def call_at(self, span: Span, callee: str) -> Node | None:
        """The call of a function by its name that is at the place, or the next one in its line."""
        node = self.node_at(span)
        while node is not None and node.type not in STATEMENTS:
            if node.type == "call_expression" and self.callee(node) == callee:
                return node
            node = node.parent
        statement = None if node is None else node
        calls = [] if statement is None else list(self._calls(statement, callee, span.line))
        return calls[0] if len(calls) == 1 else None

    def _calls(self, below: Node, callee: str, line: int) -> Iterator[Node]:
        for node in within(below):
            if node.type == "call_expression" and self.callee(node) == callee:
                first, last = node.start_point.row + 1, node.end_point.row + 1
                if first <= line <= last:
                    yield node

    # ------------------------------------------------------------------------- out of the tree

    def line_start(self, line: int) -> int:
        """The first byte of a line."""
        return self._lines[line - 1]

    def source(self, node: Node) -> str:
        """The text of a node."""
        return self.text[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def position(self, byte: int) -> Position:
        """The position of a byte of the file."""
        row = bisect_right(self._lines, byte) - 1
        before = self.text[self._lines[row] : byte].decode("utf-8", "replace")
        return Position(row + 1, len(before) + 1)

    def start(self, node: Node) -> Position:
        """The first character of a node."""
        return self.position(node.start_byte)

    def closing(self, call: Node) -> Position:
        """The right parenthesis that closes the arguments of a call."""
        return self.position(call.end_byte - 1)

    def is_first_in_line(self, node: Node) -> bool:
        """Nothing but white space stands before it in its line."""
        row = bisect_right(self._lines, node.start_byte) - 1
        return not self.text[self._lines[row] : node.start_byte].strip()

    def callee(self, call: Node) -> str:
        """The text of what is called."""
        function = call.child_by_field_name("function")
        return "" if function is None else self.source(function)

    def function_of(self, node: Node) -> str:
        """The name of the function around a node, "" outside of all."""
        around = enclosing(node, frozenset({"function_definition"}))
        return "" if around is None else self.function_name(around)

    def function_name(self, definition: Node) -> str:
        """The name of a function that is defined."""
        declarator = definition.child_by_field_name("declarator")
        while declarator is not None and declarator.type != "identifier":
            declarator = declarator.child_by_field_name("declarator")
        return "" if declarator is None else self.source(declarator)


# ------------------------------------------------------------------------------- ways in the tree


def within(node: Node) -> Iterator[Node]:
    """A node and all below it, in the order of the text."""
    cursor = node.walk()
    depth = 0
    while True:
        yield cursor.node if cursor.node is not None else node
        if cursor.goto_first_child():
            depth += 1
            continue
        while not cursor.goto_next_sibling():
            if depth == 0 or not cursor.goto_parent():
                return
            depth -= 1
            if depth == 0:
                return


def enclosing(node: Node | None, kinds: frozenset[str]) -> Node | None:
    """The innermost node of one of the kinds around a node, perhaps itself."""
    while node is not None and node.type not in kinds:
        node = node.parent
    return node


def statement_of(node: Node | None) -> Node | None:
    """The innermost statement around a node; the header of a `for` belongs to the loop."""
    found = enclosing(node, STATEMENTS)
    if found is not None and found.parent is not None and found.parent.type == "for_statement":
        body = found.parent.child_by_field_name("body")
        return found if body == found else found.parent
    return found


def place_of_condition(loop: Node) -> int | None:
    """The byte where a `for` without a condition would have one; None if it cannot be read."""
    marks = [child for child in loop.children if child.type == ";"]
    first = loop.child_by_field_name("initializer")
    # a declaration contains the first semicolon
    number = 0 if first is not None and first.type == "declaration" else 1
    return marks[number].start_byte if number < len(marks) else None


def full_expression(node: Node | None) -> Node | None:
    """The outermost expression around a node; parentheses of a condition are not part of it."""
    found = None
    while node is not None and node.type not in STATEMENTS and node.type != "else_clause":
        if node.type == "init_declarator":
            return found
        is_condition = node.parent is not None and node.parent.type in STATEMENTS
        if node.is_named and not (node.type == "parenthesized_expression" and is_condition):
            found = node
        node = node.parent
    return found


def is_pure(expression: Node) -> bool:
    """To evaluate the expression changes nothing."""
    return not any(n.type in _EFFECTS for n in within(expression))


def following(statement: Node) -> Node | None:
    """The statement that control comes to next in any case; None at the ends of loops and such."""
    node = statement
    while node.parent is not None:
        parent = node.parent
        if parent.type in ("compound_statement", "case_statement"):
            sibling = _next_statement(node)
            if sibling is not None:
                return sibling
        if parent.type not in _TRANSPARENT:
            return None
        node = parent
    return None


def first_statement(block: Node) -> Node | None:
    """The statement or declaration that control comes to first in a block."""
    inner = block.named_children
    return _from(inner[0]) if inner else None


def _next_statement(node: Node) -> Node | None:
    """The next statement or declaration in the same block."""
    return _from(node.next_named_sibling)


def _from(sibling: Node | None) -> Node | None:
    """A statement, or the next one in its block; what follows a label is no label."""
    while sibling is not None and (sibling.type in _NO_CODE or _declares_functions(sibling)):
        sibling = sibling.next_named_sibling
    while sibling is not None and sibling.type == "labeled_statement":
        inner = [c for c in sibling.named_children if c.type in STATEMENTS]
        sibling = inner[0] if inner else None
    return sibling if sibling is not None and sibling.type in STATEMENTS else None


def _declares_functions(node: Node) -> bool:
    declarators = node.children_by_field_name("declarator")
    return node.type == "declaration" and all(d.type == "function_declarator" for d in declarators)
