"""Code that is put into a C text without moving what was there.

Each piece of code stands on lines of its own between line markers, and the text behind it is
indented to its old column.  So for every later stage, the program's own code has its old places.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace

from tree_sitter import Node

from seahorn_py.base.patterns import pattern
from seahorn_py.base.records import dataclass
from seahorn_py.csource.syntax import STATEMENTS, CText, place_of_condition
from seahorn_py.frontend.compiling.compiler import line_marker
from seahorn_py.validation.macros import WORD
from seahorn_py.validation.places import PlaceError

WITNESS_FILE = "<witness>"
"""The name of the file in the line markers before our code."""

_STRING = pattern(r'"[^"]*"')
_LISTS = frozenset({"compound_statement", "case_statement"})


@dataclass(frozen=True, slots=True)
class _Edit:
    """Code before and after the bytes from `start` to `end` of a text.

    `statements` is the part of it that is executed, without braces; None in an expression.
    """

    start: int
    end: int
    before: str
    after: str
    statements: str | None

    @property
    def is_expression(self) -> bool:
        """Whether the code stands in an expression."""
        return self.statements is None

    def bare(self, statements: str) -> _Edit:
        """The same edit with an empty statement in place of the statements."""
        before, after = (part.replace(statements, ";") for part in (self.before, self.after))
        return replace(self, before=before, after=after)


@dataclass
class Edits:
    """The edits of one text."""

    text: CText
    head: str = ""
    _edits: list[_Edit] = field(default_factory=list)

    def around(self, expression: Node, before: str, after: str) -> None:
        """Put code around an expression."""
        self._add(expression.start_byte, expression.end_byte, before, after)

    def at(self, byte: int, code: str) -> None:
        """Put an expression at a byte of the text."""
        self._add(byte, byte, code, "")

    def before_condition(self, loop: Node, code: str) -> None:
        """Put statements that are run each time before the condition of a loop is evaluated."""
        condition = loop.child_by_field_name("condition")
        before = f"({{ {code} }}), "
        if condition is None:
            # several such expressions make a sum, which is not 0
            self.at(_place_of_condition(loop), f"+({{ {code} 1; }})")
        elif condition.type == "parenthesized_expression" and loop.type != "for_statement":
            self.around(condition, f"({before}", ")")
        else:
            self.around(condition, f"{before}(", ")")

    def before_loop(self, loop: Node, code: str) -> None:
        """Put statements before a loop, in a block together with it."""
        self._add(loop.start_byte, loop.end_byte, "{ " + code, "}", code)

    def before(self, statement: Node, code: str) -> None:
        """Put statements that are run whenever control is just before a statement."""
        inner = _behind_labels(statement)
        if isinstance(inner, int):
            self._add(inner, inner, code, "", code)
        elif inner.type == "compound_statement":
            start = inner.start_byte + 1
            self._add(start, start, code, "", code)
        elif _is_in_list(inner):
            self._add(inner.start_byte, inner.start_byte, code, "", code)
        else:
            self._add(inner.start_byte, inner.end_byte, "{ " + code, "}", code)

    def after(self, statement: Node, code: str) -> None:
        """Put statements that are run after a statement that has ended in the ordinary way."""
        before, after = ("", code) if _is_in_list(statement) else ("{", code + "}")
        self._add(statement.start_byte, statement.end_byte, before, after, code)

    def _add(
        self, start: int, end: int, before: str, after: str, statements: str | None = None
    ) -> None:
        self._edits.append(_Edit(start, end, before, after, statements))

    def edited(self) -> bytes:
        """The text with the code in it; PlaceError if the preprocessor would change the code."""
        code = " ".join([self.head, *(f"{e.before} {e.after}" for e in self._edits)])
        replaced = self.text.replaced.intersection(WORD.findall(_STRING.sub("", code)))
        if replaced:
            raise PlaceError(f"{min(replaced)} is a macro that is more than a constant")
        return self._with(self.head, self._edits)

    def bare(self) -> bytes:
        """The text with empty statements in place of statements, and nothing put in expressions."""
        return self._with("", [e.bare(e.statements) for e in self._edits if e.statements])

    def _with(self, head: str, edits: Sequence[_Edit]) -> bytes:
        ordered = sorted(edits, key=lambda e: (e.start, e.is_expression, -e.end))
        pieces = [(0, 1, 0, head)]
        for number, edit in enumerate(ordered):
            pieces.append((edit.start, 1, number, edit.before))
            pieces.append((edit.end, 0 if edit.end > edit.start else 2, -number, edit.after))
        parts, done = [], 0
        for at, _, _, code in sorted(pieces, key=lambda piece: piece[:3]):
            if code:
                parts += [self.text.text[done:at], self._piece(at, code)]
                done = at
        return b"".join([*parts, self.text.text[done:]])

    def _piece(self, at: int, code: str) -> bytes:
        line = self.text.position(at).line
        begin = self.text.text.rfind(b"\n", 0, at) + 1
        marked = b"\n" + line_marker(1, WITNESS_FILE) + f"{code}\n".encode()
        return marked + line_marker(line, self.text.name) + b" " * (at - begin)


def _behind_labels(statement: Node) -> Node | int:
    """The statement behind labels, or the place behind the last one."""
    while True:
        if statement.type == "case_statement":
            colon = next(c for c in statement.children if c.type == ":")
            return colon.end_byte
        if statement.type != "labeled_statement":
            return statement
        inner = [c for c in statement.named_children if c.type in STATEMENTS]
        if not inner:
            return statement.end_byte
        statement = inner[0]


def _is_in_list(statement: Node) -> bool:
    """Whether the statement is one of a list, not the body of another one."""
    parent = statement.parent
    return parent is not None and (parent.type in _LISTS or parent.type.startswith("preproc_"))


def _place_of_condition(loop: Node) -> int:
    place = place_of_condition(loop)
    if place is None:
        raise PlaceError("a `for` that cannot be read")
    return place
