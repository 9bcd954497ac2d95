"""The functions of a C text, which need not be correct, and the calls in them."""

from __future__ import annotations

from collections.abc import Iterator

from seahorn_py.base.records import dataclass
from seahorn_py.csource.syntax import CText, within


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
