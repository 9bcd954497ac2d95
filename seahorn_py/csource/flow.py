"""The control flow of a function as its C text has it: statements, tests, and the ways between.

A node is a test, or statements one behind the other.  What a statement does inside, such as a call
or the choice of `&&`, is not told apart.  Nested functions and computed jumps are not followed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from tree_sitter import Node

from seahorn_py.base.records import dataclass
from seahorn_py.csource.syntax import CText

MOST_LINES = 8
"""Statements of a node."""
MOST_TEXT = 60
"""Characters of a statement."""

_LAST_CALLS = frozenset({"abort", "exit", "_Exit", "quick_exit", "__builtin_unreachable"})

Ends = list[tuple[int, str]]
"""Nodes that go on to what follows, each with what it says of that way."""


@dataclass(frozen=True)
class FlowNode:
    """Statements with the lines of the file that they are in; a test has several ways on."""

    texts: tuple[str, ...]
    rows: tuple[tuple[int, int], ...]
    is_test: bool = False


@dataclass(frozen=True)
class FlowGraph:
    """Nodes by number, the first one is where the function begins, and `(from, to, label)`."""

    function: str
    nodes: tuple[FlowNode, ...]
    edges: tuple[tuple[int, int, str], ...]


def flow(text: CText, definition: Node) -> FlowGraph:
    """The control flow of a function."""
    builder = _Builder(text)
    name = text.function_name(definition)
    row = definition.start_point.row + 1
    first = builder.node(f"{name}()", (row, row), [], is_test=True)
    body = definition.child_by_field_name("body")
    ends: Ends = [(first, "")]
    if body is not None:
        ends = builder.statement(body, ends)
    builder.leave(ends)
    return builder.graph(name)


@dataclass
class _Around:
    """Where `break` and `continue` come from in the statement around."""

    breaks: Ends = field(default_factory=list)
    continues: Ends = field(default_factory=list)


class _Builder:
    def __init__(self, text: CText) -> None:
        self._text = text
        self._nodes: list[tuple[list[str], list[tuple[int, int]], bool]] = []
        self._edges: list[tuple[int, int, str]] = []
        self._loops: list[_Around] = []
        self._switches: list[_Around] = []
        self._labels: dict[str, int] = {}
        self._gotos: list[tuple[str, Ends]] = []
        self._exits: Ends = []
        self._is_fresh = False

    def graph(self, name: str) -> FlowGraph:
        """All that was built, with the jumps to labels."""
        for label, ends in self._gotos:
            if label in self._labels:
                self._connect(ends, self._labels[label])
        nodes = tuple(FlowNode(tuple(t), tuple(r), test) for t, r, test in self._nodes)
        return FlowGraph(name, nodes, tuple(dict.fromkeys(self._edges)))

    def node(self, text: str, rows: tuple[int, int], ends: Ends, is_test: bool = False) -> int:
        """A new node behind the ends."""
        self._nodes.append(([text], [rows], is_test))
        number = len(self._nodes) - 1
        self._connect(ends, number)
        self._is_fresh = False
        return number

    def leave(self, ends: Ends) -> None:
        """The end of the function."""
        ends = [*ends, *self._exits]
        if ends:
            self.node("end", (0, 0), ends, is_test=True)

    def _connect(self, ends: Ends, target: int) -> None:
        self._edges += [(source, target, label) for source, label in ends]

    def _plain(self, node: Node, ends: Ends) -> Ends:
        """A statement, in the node before it where nothing else leads to it."""
        text, rows = self._shown(node), _rows(node)
        if len(ends) == 1 and not self._is_fresh and ends[0] == (len(self._nodes) - 1, ""):
            texts, all_rows, is_test = self._nodes[-1]
            if not is_test and len(texts) < MOST_LINES:
                texts.append(text)
                all_rows.append(rows)
                return ends
        return [(self.node(text, rows, ends), "")]

    def _shown(self, node: Node) -> str:
        text = " ".join(self._text.source(node).split())
        return text if len(text) <= MOST_TEXT else f"{text[: MOST_TEXT - 2]} …"

    def statement(self, node: Node, ends: Ends) -> Ends:  # noqa: C901 - a flat match
        """A statement behind the ends; its own ends."""
        match node.type:
            case "compound_statement" | "else_clause" | "attributed_statement":
                return self._in_a_row(node.named_children, ends)
            case "if_statement":
                return self._if(node, ends)
            case "while_statement":
                return self._while(node, ends)
            case "for_statement":
                return self._for(node, ends)
            case "do_statement":
                return self._do(node, ends)
            case "switch_statement":
                return self._switch(node, ends)
            case "labeled_statement":
                return self._labeled(node, ends)
            case "return_statement" | "goto_statement" | "break_statement" | "continue_statement":
                return self._jump(node, self._plain(node, ends))
            case "expression_statement" if _never_returns(self._text.source(node)):
                self._plain(node, ends)
                return []
            case "expression_statement" | "declaration":
                return self._plain(node, ends)
            case _:
                return ends

    def _in_a_row(self, nodes: Sequence[Node], ends: Ends) -> Ends:
        for node in nodes:
            ends = self.statement(node, ends)
        return ends

    def _test(self, statement: Node, word: str, ends: Ends) -> int:
        condition = statement.child_by_field_name("condition")
        if condition is None:
            return self.node(f"{word} (;;)", _rows(statement, True), ends, is_test=True)
        text = self._shown(condition)
        text = text if text.startswith("(") else f"({text})"
        rows = _rows(condition)
        if statement.type == "for_statement":
            rows = (statement.start_point.row + 1, rows[1])
        return self.node(f"{word} {text}", rows, ends, is_test=True)

    def _if(self, node: Node, ends: Ends) -> Ends:
        test = self._test(node, "if", ends)
        found = self._part(node, "consequence", [(test, "true")])
        other = node.child_by_field_name("alternative")
        return found + (self.statement(other, [(test, "false")]) if other else [(test, "false")])

    def _part(self, node: Node, field: str, ends: Ends) -> Ends:
        inner = node.child_by_field_name(field)
        return ends if inner is None else self.statement(inner, ends)

    def _body(self, node: Node, ends: Ends) -> tuple[Ends, _Around]:
        """The body of a loop; what goes on to its next round."""
        around = _Around()
        self._loops.append(around)
        self._switches.append(around)
        ends = self._part(node, "body", ends)
        self._loops.pop()
        self._switches.pop()
        return [*ends, *around.continues], around

    def _while(self, node: Node, ends: Ends) -> Ends:
        test = self._test(node, "while", ends)
        again, around = self._body(node, [(test, "true")])
        self._connect(again, test)
        return [(test, "false"), *around.breaks]

    def _for(self, node: Node, ends: Ends) -> Ends:
        first = node.child_by_field_name("initializer")
        if first is not None:
            ends = self._plain(first, ends)
        has_test = node.child_by_field_name("condition") is not None
        test = self._test(node, "for", ends)
        again, around = self._body(node, [(test, "true" if has_test else "")])
        update = node.child_by_field_name("update")
        if update is not None and again:
            self._is_fresh = True
            again = self._plain(update, again)
        self._connect(again, test)
        return [*([(test, "false")] if has_test else []), *around.breaks]

    def _do(self, node: Node, ends: Ends) -> Ends:
        first = len(self._nodes)
        self._is_fresh = True
        again, around = self._body(node, ends)
        self._is_fresh = True
        test = self._test(node, "while", again)
        self._edges.append((test, min(first, test), "true"))
        return [(test, "false"), *around.breaks]

    def _switch(self, node: Node, ends: Ends) -> Ends:
        test = self._test(node, "switch", ends)
        around = _Around()
        self._switches.append(around)
        body = node.child_by_field_name("body")
        inside: Ends = []
        has_default = False
        for case in body.named_children if body is not None else ():
            if case.type != "case_statement":
                inside = self.statement(case, inside)
                continue
            value = case.child_by_field_name("value")
            has_default = has_default or value is None
            label = "default" if value is None else f"case {self._shown(value)}"
            statements = [c for c in case.named_children if value is None or c != value]
            self._is_fresh = True
            inside = self._in_a_row(statements, [*inside, (test, label)])
        self._switches.pop()
        return [*inside, *around.breaks, *([] if has_default else [(test, "none")])]

    def _labeled(self, node: Node, ends: Ends) -> Ends:
        label = node.child_by_field_name("label")
        name = "" if label is None else self._text.source(label)
        number = self.node(f"{name}:", _rows(node, True), ends)
        self._labels[name] = number
        return self._in_a_row(node.named_children[1:], [(number, "")])

    def _jump(self, node: Node, ends: Ends) -> Ends:
        if node.type == "return_statement":
            self._exits += ends
        elif node.type == "goto_statement":
            label = node.child_by_field_name("label")
            self._gotos.append(("" if label is None else self._text.source(label), ends))
        elif node.type == "break_statement" and self._switches:
            self._switches[-1].breaks += ends
        elif node.type == "continue_statement" and self._loops:
            self._loops[-1].continues += ends
        return []


def _rows(node: Node, first_only: bool = False) -> tuple[int, int]:
    first = node.start_point.row + 1
    return first, first if first_only else node.end_point.row + 1


def _never_returns(statement: str) -> bool:
    return statement.split("(")[0].strip() in _LAST_CALLS
