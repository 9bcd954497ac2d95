"""C expressions of witnesses, which are untrusted: only those without effects come into a program.

A text is accepted if it is one expression of the grammar below and nothing else.  So it cannot
close the parentheses that it is put in.  What its names and types mean is left to the compiler.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from functools import cache

import tree_sitter_c
from tree_sitter import Language, Node, Parser

from seahorn_py.base.patterns import pattern
from seahorn_py.base.records import dataclass
from seahorn_py.csource.syntax import within

MAX_CHARACTERS = 100_000
PARSING_S = 1.0
RESULT = "sea_witness_result"
"""The variable that `\\result` becomes."""

_BEFORE, _AFTER = b"int f(void) { return (", b"); }"
KINDS = frozenset(
    {
        "identifier",
        "field_identifier",
        "type_identifier",
        "primitive_type",
        "sized_type_specifier",
        "type_qualifier",
        "struct_specifier",
        "union_specifier",
        "enum_specifier",
        "type_descriptor",
        "abstract_pointer_declarator",
        "number_literal",
        "char_literal",
        "character",
        "true",
        "false",
        "null",
        "parenthesized_expression",
        "binary_expression",
        "unary_expression",
        "pointer_expression",
        "subscript_expression",
        "field_expression",
        "cast_expression",
        "conditional_expression",
        "sizeof_expression",
    }
)
"""Nodes of the grammar of C that have no effects."""

_READING = frozenset({"subscript_expression", "->"})
_DIVIDING = frozenset({"/", "%"})
_FORBIDDEN = pattern(r'[#\\"`@$;{}]|//|/\*|\?\?|<%|%>|<:|:>|%:')
_OURS = pattern(r"\bsea_witness")
_AT = pattern(r"\\at ?\( ?([A-Za-z_]\w*) ?, ?AnyPrev ?\)")


class ExpressionError(Exception):
    """The text is no C expression without effects; the message says why."""


@dataclass(frozen=True, slots=True)
class Expression:
    """A C expression on one line.

    `names` are its identifiers.  Its evaluation `may_end` the run if it reads through a pointer,
    reads an element of an array, or divides.
    """

    text: str
    names: frozenset[str]
    may_end: bool


def disjuncts(text: str) -> tuple[str, ...]:
    """The operands of `||` in an expression; the expression alone if it has no `||`."""
    whole = _BEFORE + text.encode() + _AFTER
    root = _root(whole)
    node = root.descendant_for_byte_range(len(_BEFORE) - 1, len(whole) - len(_AFTER) + 1)
    return tuple(_operands(node, whole)) if node is not None else (text,)


def _operands(node: Node, whole: bytes) -> Iterator[str]:
    while node.type == "parenthesized_expression":
        node = node.named_children[0]
    if node.type == "binary_expression" and node.children[1].type == "||":
        yield from _operands(node.children[0], whole)
        yield from _operands(node.children[2], whole)
    else:
        yield whole[node.start_byte : node.end_byte].decode()


@cache
def _parser() -> Parser:
    return Parser(Language(tree_sitter_c.language()))


def c_expression(given: str, before: str = "") -> Expression:
    r"""The expression that a text is, with `RESULT` for ACSL's `\result`.

    With `before`, the beginning of a name, `\at(x, AnyPrev)` becomes the name `before` + `x`.
    Raises ExpressionError if the text is no expression without effects.
    """
    if len(given) > MAX_CHARACTERS:
        raise ExpressionError(f"longer than {MAX_CHARACTERS} characters")
    if _OURS.search(given):
        raise ExpressionError("it uses a name that is reserved")
    text = " ".join(re.sub(r"\\result\b", RESULT, given).split())
    if before:
        text = _AT.sub(lambda found: before + found[1], text)
    if _FORBIDDEN.search(text) or not (text.isascii() and text.isprintable()):
        raise ExpressionError("no C expression without effects")
    node, whole = alone(text, KINDS)
    return _told(node, text, whole)


def alone(text: str, kinds: frozenset[str]) -> tuple[Node, bytes]:
    """The parenthesised node of the one expression that a text is, and the parsed text around it.

    Raises ExpressionError if the text is no expression, or has nodes of other kinds.
    """
    whole = _BEFORE + text.encode() + _AFTER
    root = _root(whole)
    node = root.descendant_for_byte_range(len(_BEFORE) - 1, len(whole) - len(_AFTER) + 1)
    is_one = node is not None and node.type == "parenthesized_expression"
    if root.has_error or node is None or not is_one or node.named_child_count != 1:
        raise ExpressionError("no C expression")
    for inner in within(node):
        if inner.is_named and inner.type not in kinds:
            raise ExpressionError(f"a {inner.type.replace('_', ' ')} is not allowed in it")
    return node, whole


def _root(whole: bytes) -> Node:
    """The syntax tree of a text.

    Parsing has a limit of time, since recovery from errors may take time quadratic in their number.
    """
    until = time.process_time() + PARSING_S
    parser = _parser()
    try:
        tree = parser.parse(
            lambda at, _: whole[at : at + 4096],
            progress_callback=lambda *_: time.process_time() > until,
        )
    except ValueError:
        parser.reset()
        raise ExpressionError("no C expression that is read in time") from None
    return tree.root_node


def _told(node: Node, text: str, whole: bytes) -> Expression:
    names, may_end = set(), False
    for inner in within(node):
        if inner.type == "identifier":
            names.add(whole[inner.start_byte : inner.end_byte].decode())
        may_end = may_end or _may_end(inner, whole)
    return Expression(text, frozenset(names), may_end)


def _may_end(node: Node, whole: bytes) -> bool:
    """Whether it reads memory at a computed address, or divides by something that may be 0."""
    if node.type == "pointer_expression":
        return node.children[0].type == "*"
    if node.type != "binary_expression" or node.children[1].type not in _DIVIDING:
        return node.type in _READING
    divisor = whole[node.children[2].start_byte : node.children[2].end_byte]
    return not (divisor.isdigit() and divisor.strip(b"0"))
