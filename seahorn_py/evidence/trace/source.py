"""A C file as readers of a run see it: its lines, tokens, functions and their control flow."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from seahorn_py.base.errors import SeaError, Span
from seahorn_py.base.records import dataclass
from seahorn_py.csource import colours, flow, scopes
from seahorn_py.csource.colours import Token
from seahorn_py.csource.flow import FlowGraph as FlowGraph
from seahorn_py.csource.flow import FlowNode as FlowNode
from seahorn_py.csource.scopes import Region
from seahorn_py.csource.syntax import CText, enclosing, within

MOST_LINES = 20_000
"""Files that are longer have no colours."""


@dataclass(frozen=True)
class SourceView:
    """A file: lines without their ends, coloured tokens by line, what it declares."""

    name: str
    lines: tuple[str, ...]
    tokens: tuple[tuple[Token, ...], ...]
    functions: tuple[Region, ...]
    globals: tuple[str, ...]


@dataclass(frozen=True)
class FunctionText:
    """A function that is defined, its line, and its calls: what is called, and in which line."""

    name: str
    line: int
    calls: tuple[tuple[str, int], ...]


def functions_in(name: str, text: bytes) -> Iterator[FunctionText]:
    """The functions with a name, in the order of the text of the file `name`."""
    file = CText(name, text)
    for node in within(file.root):
        if node.type == "function_definition" and (own := file.function_name(node)):
            calls = (one for one in within(node) if one.type == "call_expression")
            told = tuple((file.callee(call), file.start(call).line) for call in calls)
            yield FunctionText(own, file.start(node).line, told)


class Source:
    """A C file that is shown, read once; empty if it cannot be read."""

    def __init__(self, file: str) -> None:
        try:
            self._text = CText.read(Path(file))
        except SeaError:
            self._text = CText(file, b"")
        self.name = file

    def view(self) -> SourceView:
        """Its lines and what is in them."""
        lines = [_line(line) for line in self._text.text.split(b"\n")]
        is_long = len(lines) > MOST_LINES
        found = [] if is_long else colours.tokens(self._text)
        return SourceView(
            self.name,
            tuple(lines),
            tuple(map(tuple, found)),
            scopes.functions(self._text),
            scopes.globals_(self._text),
        )

    def graph(self, function: str) -> FlowGraph | None:
        """The control flow of one of its functions."""
        for node in scopes.definitions(self._text):
            if self._text.function_name(node) == function:
                return flow.flow(self._text, node)
        return None

    def written(self, place: Span) -> str:
        """What the statement at a place sets, as it is written there: `p->next`; else ""."""
        node = enclosing(
            self._text.node_at(place),
            frozenset({"assignment_expression", "update_expression"}),
        )
        if node is None:
            return ""
        target = node.child_by_field_name("left") or node.child_by_field_name("argument")
        return "" if target is None else " ".join(self._text.source(target).split())


def source_lines(file: Path) -> list[bytes]:
    """The lines of a file without their ends; none if it cannot be read."""
    try:
        return [line.rstrip(b"\r") for line in CText.bytes_of(file).split(b"\n")]
    except SeaError:
        return []


def _line(line: bytes) -> str:
    return line.rstrip(b"\r").decode("utf-8", "replace")
