"""CBMC's and ESBMC's clauses in a C text: where they stand, and the text without them.

A clause of CBMC, `WORD(...)`, follows the parentheses of a function or of the head of a loop.  A
clause of ESBMC is a statement of the function or loop.  The text without the clauses is C, with all
code at its old lines and columns.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from seahorn_py.base.errors import Span
from seahorn_py.base.patterns import pattern
from seahorn_py.base.records import dataclass
from seahorn_py.csource.syntax import CText, enclosing
from seahorn_py.frontend.compiling.quantifiers import without_quantifiers
from seahorn_py.validation.contracts.esbmc import quantified
from seahorn_py.validation.contracts.model import Clause, Kind, Refused

_KINDS = {kind.value: kind for kind in Kind}
_WORD = pattern(
    rb'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|//[^\n]*|/\*.*?\*/'
    rb"|\b__(?:CPROVER|ESBMC)_(requires|ensures|assigns|loop_invariant|decreases|frees"
    rb"|requires_contract|ensures_contract|loop_assigns)\s*\(",
    re.DOTALL,
)
_SKIPPED = pattern(rb'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|[()]')
_MARKER = pattern(rb'^[ \t]*#[ \t]*(?:line[ \t]+)?(\d+)[ \t]+"((?:[^"\\]|\\.)*)"', re.MULTILINE)
_MARKER_LINE = pattern(rb"^[ \t]*#[ \t]*(?:line[ \t]+)?\d[^\n]*$", re.MULTILINE)
_HEADS = frozenset({"for_statement", "while_statement"})


class Places:
    """The places of bytes of a preprocessed text, by its line markers."""

    def __init__(self, name: str, text: bytes) -> None:
        self._text = text
        found = ((m.end(), int(m[1]), _unescaped(m[2])) for m in _MARKER.finditer(text))
        behind = ((text.find(b"\n", end) + 1, line, file) for end, line, file in found)
        self._markers = [(0, 1, name), *behind]

    def at(self, byte: int, function: str = "") -> Span:
        """The place of a byte."""
        start, line, file = max(m for m in self._markers if m[0] <= byte)
        begin = self._text.rfind(b"\n", 0, byte) + 1
        return Span(file, line + self._text.count(b"\n", start, byte), byte - begin + 1, function)


def _unescaped(name: bytes) -> str:
    text = re.sub(rb"\\([0-7]{1,3}|.)", lambda m: _octal(m[1]), name)
    return text.decode("utf-8", "surrogateescape")


def _octal(escape: bytes) -> bytes:
    return bytes([int(escape, 8) & 255]) if escape.isdigit() else escape


@dataclass(frozen=True, slots=True)
class Cut:
    """A clause that is cut out of a text: its bytes from `start` up to `end`.

    It `is_statement` if it ends in a semicolon.
    """

    start: int
    end: int
    clause: Clause
    is_statement: bool


def cut(name: str, text: bytes) -> tuple[CText, bytes, tuple[Cut, ...]]:
    """The text without clauses, for the parser and for the compiler, and the clauses.

    The text for the parser is without line markers too, since they may stand where the grammar has
    no place for them.  Raises Refused for a clause that is not understood.
    """
    places = Places(name, text)
    found = tuple(_cuts(text, places))
    plain = bytearray(text)
    for one in found:
        for at in range(one.start, one.end):
            if plain[at] not in b"\n\r":
                plain[at] = ord(" ")
    bare = _MARKER_LINE.sub(lambda line: b" " * len(line[0]), bytes(plain))
    return CText(name, bare), bytes(plain), found


def with_loops(text: bytes) -> bytes:
    """The text with loops for the quantifiers in its code; those in clauses stay.

    The parser does not know quantifiers, and would not find the functions around them.
    """
    parts, at = [], 0
    for found in _WORD.finditer(text):
        if found[1] is not None and found.start() >= at:
            parts.append(without_quantifiers(text[at : found.start()]))
            at = _closing(text, found.end())
            parts.append(text[found.start() : at])
    return b"".join([*parts, without_quantifiers(text[at:])])


def _cuts(text: bytes, places: Places) -> Iterator[Cut]:
    at = 0
    while (found := _WORD.search(text, at)) is not None:
        at = found.end()
        if found[1] is None:
            continue
        end = _closing(text, found.end())
        place = places.at(found.start())
        word = found[1].decode()
        if word not in _KINDS:
            raise Refused(f"{place}: the clause {word} is not supported")
        inner = text[found.end() : end - 1].decode("utf-8", "replace")
        inner, is_esbmc = " ".join(inner.split()), found[0].startswith(b"__ESBMC")
        if is_esbmc and "__ESBMC_" in inner:
            inner = quantified(inner, text[: found.start()].decode("utf-8", "replace"))
        clause = Clause(_KINDS[word], inner, place)
        after = re.compile(rb"\s*;").match(text, end) if is_esbmc else None
        yield Cut(found.start(), after.end() if after else end, clause, after is not None)
        at = end


def _closing(text: bytes, at: int) -> int:
    """The byte behind the parenthesis that closes the one just before a byte."""
    depth = 1
    for found in _SKIPPED.finditer(text, at):
        depth += {b"(": 1, b")": -1}.get(found[0], 0)
        if depth == 0:
            return found.end()
    return len(text)


def owner(text: CText, found: Cut) -> Node:
    """The function (a `function_declarator`) or loop (a statement) that a clause belongs to."""
    if found.is_statement:
        return _around(text, found)
    last = len(text.text[: found.start].rstrip()) - 1
    node: Node | None = text.root.descendant_for_byte_range(last, last + 1)
    while node is not None:
        is_whole = node.end_byte == last + 1
        if node.type == "function_declarator" and is_whole:
            return node
        if node.type in _HEADS and _head_ends(node, last + 1):
            return node
        node = node.parent
    what = found.clause.kind.value
    raise Refused(f"{found.clause.place}: {what} follows neither a function nor a loop's head")


def _head_ends(loop: Node, byte: int) -> bool:
    if loop.type == "for_statement":
        return any(child.type == ")" and child.end_byte == byte for child in loop.children)
    condition = loop.child_by_field_name("condition")
    return condition is not None and condition.end_byte == byte


def _around(text: CText, found: Cut) -> Node:
    """The owner of a clause that is a statement: the function around it, or the loop behind it."""
    node = text.root.descendant_for_byte_range(found.start, found.end)
    if found.clause.kind in (Kind.INVARIANT, Kind.DECREASES):
        block = enclosing(node, frozenset({"compound_statement"}))
        for child in block.named_children if block is not None else ():
            if child.start_byte >= found.end:
                if child.type in _HEADS:
                    return child
                break
        raise Refused(f"{found.clause.place}: no loop follows")
    around = enclosing(node, frozenset({"function_definition"}))
    declarator = around.child_by_field_name("declarator") if around is not None else None
    while declarator is not None and declarator.type != "function_declarator":
        declarator = declarator.child_by_field_name("declarator")
    if declarator is None:
        raise Refused(f"{found.clause.place}: stands in no function")
    return declarator
