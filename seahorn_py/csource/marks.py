"""C text that tells which way it goes: marks written into it, and what each of them means.

A mark is a store of a number to a volatile variable.  By the rules of C (C11, 5.1.2.3) no compiler
leaves one out or moves it past another or past an input, so the numbers that a run stores are the
way it takes through the text, however the code was rearranged.  The subscripts of some elements go
to another such variable.  Lines stay where they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field
from functools import cached_property

from tree_sitter import Node

from seahorn_py.base.records import dataclass
from seahorn_py.csource.syntax import LOOPS, STATEMENTS, CText, is_pure, within

VARIABLE = "__sea_mark"
INDEX = "__sea_index"
DECLARATIONS = f"static volatile int {VARIABLE}; static volatile long long {INDEX};"
_DECIDING = LOOPS | {"if_statement"}
_DECLARING = frozenset(
    {
        "declaration",
        "parameter_declaration",
        "init_declarator",
        "pointer_declarator",
        "array_declarator",
        "parenthesized_declarator",
        "function_declarator",
    }
)
_SEQUENCES = frozenset({"compound_statement", "case_statement"})


@dataclass(frozen=True, slots=True)
class Decided:
    """The controlling expression of the statement was evaluated."""

    statement: Node
    value: bool


@dataclass(frozen=True, slots=True)
class Switching:
    """The controlling expression of a `switch` is about to be evaluated."""

    statement: Node


@dataclass(frozen=True, slots=True)
class Labelled:
    """Control is at a `case` or `default` of the `switch`."""

    label: Node
    statement: Node


@dataclass(frozen=True, slots=True)
class Before:
    """Control is just before the statement."""

    statement: Node


Meaning = Decided | Switching | Labelled | Before


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be told beside decisions, by the byte where it begins.

    Control before the `statements`, members of blocks; and just before `calls` these expressions.
    """

    statements: set[int] = field(default_factory=set)
    calls: dict[int, Sequence[Node]] = field(default_factory=dict)


class Marked:
    """A text with marks, numbered from `first`, and what they mean.

    A controlling expression has no mark if it has neither variable nor call, since it is the same
    each time. Nor has an `if` that jumps back, a `while` whose condition has effects, or a
    condition with effects of which parts may be left out: validators see something else in its
    place.
    """

    def __init__(self, text: CText, wanted: Wanted, first: int) -> None:
        self.meanings: dict[int, Meaning] = {}
        self.text = text
        self._wanted = wanted
        self._variables = frozenset(_declared(text))
        self._next = first
        self._edits: list[tuple[int, int, str]] = []
        for node in within(text.root):
            self._mark(node)

    @property
    def end(self) -> int:
        """The number after the last one."""
        return self._next

    def source(self) -> bytes:
        """The text; the DECLARATIONS are a line of their own before all others."""
        parts, at = [], 0
        for place, _, inserted in sorted(self._edits, key=lambda edit: edit[:2]):
            parts += [self.text.text[at:place], inserted.encode()]
            at = place
        return b"".join([*parts, self.text.text[at:]])

    def original(self, line: int, column: int) -> int:
        """The column that a place of the marked text has in the text itself."""
        start = self.text.line_start(line)
        inside = column - 1
        for place, _, inserted in sorted(self._edits_in.get(line, ())):
            if inside < place - start + len(inserted):
                break
            inside -= len(inserted)
        return inside + 1

    @cached_property
    def _edits_in(self) -> dict[int, list[tuple[int, int, str]]]:
        """The edits of each line."""
        found: dict[int, list[tuple[int, int, str]]] = {}
        for edit in self._edits:
            found.setdefault(self.text.position(edit[0]).line, []).append(edit)
        return found

    def _mark(self, node: Node) -> None:
        if node.type in _DECIDING:
            self._decision(node)
        elif node.type == "switch_statement":
            self._switch(node)
        elif node.type == "case_statement":
            self._label(node)
        if node.start_byte in self._wanted.statements and _is_member(node):
            self._insert(node.start_byte, f"{VARIABLE} = {self._number(Before(node))}; ")
        if node.type == "call_expression" and node.start_byte in self._wanted.calls:
            parts = self._wanted.calls[node.start_byte]
            stores = "".join(f"{INDEX} = ({self.text.source(part)}), " for part in parts)
            self._insert(node.start_byte, f"({stores}")
            self._insert(node.end_byte, ")", closing=True)

    def _decision(self, node: Node) -> None:
        condition = node.child_by_field_name("condition")
        if condition is None or not self._varies(condition) or self._goes_back(node):
            return
        if not is_pure(condition) and (node.type == "while_statement" or _branches(condition)):
            return
        true, false = self._number(Decided(node, True)), self._number(Decided(node, False))
        self._insert(condition.start_byte, "((")
        chosen = f") ? ({VARIABLE} = {true}, 1) : ({VARIABLE} = {false}, 0))"
        self._insert(condition.end_byte, chosen, closing=True)

    def _switch(self, node: Node) -> None:
        condition = node.child_by_field_name("condition")
        if condition is not None and self._varies(condition):
            number = self._number(Switching(node))
            self._insert(condition.start_byte + 1, f"{VARIABLE} = {number}, ")

    def _label(self, node: Node) -> None:
        around = node.parent
        while around is not None and around.type != "switch_statement":
            around = around.parent
        colon = next((c for c in node.children if c.type == ":"), None)
        if around is not None and colon is not None:
            number = self._number(Labelled(node, around))
            self._insert(colon.end_byte, f" {VARIABLE} = {number};", closing=True)

    def _goes_back(self, node: Node) -> bool:
        """All that is done where the condition holds is a jump to a label before it."""
        jump = node.child_by_field_name("consequence")
        while jump is not None and jump.type == "compound_statement":
            jump = jump.named_children[0] if len(jump.named_children) == 1 else None
        label = None
        if jump is not None and jump.type == "goto_statement":
            label = jump.child_by_field_name("label")
        if label is None:
            return False
        named = self.text.function_of(node), self.text.source(label)
        return self._labels.get(named, node.start_byte) < node.start_byte

    @cached_property
    def _labels(self) -> dict[tuple[str, str], int]:
        """Where labels are, by function and name."""
        found = {}
        for node in within(self.text.root):
            label = node.child_by_field_name("label")
            if node.type == "labeled_statement" and label is not None:
                found[self.text.function_of(node), self.text.source(label)] = node.start_byte
        return found

    def _varies(self, condition: Node) -> bool:
        """The expression has a variable or a call in it."""
        return any(
            node.type == "call_expression"
            or (node.type == "identifier" and self.text.source(node) in self._variables)
            for node in within(condition)
        )

    def _number(self, meaning: Meaning) -> int:
        self.meanings[self._next] = meaning
        self._next += 1
        return self._next - 1

    def _insert(self, place: int, text: str, closing: bool = False) -> None:
        """What closes a part goes before what opens the next one; inner parts close first."""
        order = -len(self._edits) if closing else len(self._edits)
        self._edits.append((place, order, text))


def _declared(text: CText) -> Iterator[str]:
    """The names that are declared somewhere in the text."""
    for node in within(text.root):
        parent = node.parent
        if node.type == "identifier" and parent is not None and parent.type in _DECLARING:
            yield text.source(node)


def _branches(condition: Node) -> bool:
    """Not all of the expression is evaluated each time."""
    return any(node.type in ("&&", "||", "conditional_expression") for node in within(condition))


def _is_member(node: Node) -> bool:
    """A statement could be put before it."""
    parent = node.parent
    if parent is not None and parent.type == "labeled_statement":
        parent = parent.parent
    return (
        node.type in STATEMENTS
        and node.type not in ("case_statement", "labeled_statement")
        and parent is not None
        and parent.type in _SEQUENCES
    )
