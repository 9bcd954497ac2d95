"""Debug metadata nodes of an LLVM module, parsed when they are asked for.

LLVM Language Reference Manual, "Specialized Metadata Nodes".
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from seahorn_py.base.patterns import pattern
from seahorn_py.base.records import dataclass
from seahorn_py.frontend.llvmtext.tokens import unescaped

_NODE = pattern(r"(?:distinct )?!(DI\w+)\((.*)\)")
_FIELD = pattern(r'(\w+): ("[^"]*"|!DI\w+\([^)]*\)|[^,]+)')
_ELEMENT = pattern(r"!(\d+)|(null)")


@dataclass(frozen=True, slots=True)
class Node:
    """A specialised node; references to other nodes are `!N` texts."""

    kind: str
    fields: Mapping[str, str]

    def reference(self, name: str) -> str | None:
        """The number of the node that a field refers to."""
        text = self.fields.get(name, "")
        return text[1:] if text[:1] == "!" and text[1:].isdigit() else None

    def number(self, name: str) -> int:
        """An integer field, 0 if it is missing or no plain number."""
        text = self.fields.get(name, "0")
        return int(text) if text.lstrip("-").isdigit() else 0

    def string(self, name: str) -> str:
        """A text field in UTF-8, empty if it is missing."""
        text = unescaped(self.fields.get(name, '""').strip('"'))
        return text.encode("latin-1", "replace").decode("utf-8", "replace")

    def path(self, name: str) -> str:
        """A text field that is the name of a file, in any bytes but 0."""
        text = unescaped(self.fields.get(name, '""').strip('"'))
        return os.fsdecode(text.encode("latin-1", "replace").replace(b"\0", b"?"))


NO_NODE = Node("", {})


class Metadata:
    """The nodes of a module by number."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts
        self._nodes: dict[str, Node] = {}

    def text(self, number: str) -> str:
        """The node as it is written, empty if there is none."""
        return self._texts.get(number, "")

    def node(self, number: str | None) -> Node:
        """The node of a number; `NO_NODE` if there is none or it is a plain tuple."""
        if number is None:
            return NO_NODE
        known = self._nodes.get(number)
        if known is None:
            known = parse_node(self.text(number))
            self._nodes[number] = known
        return known

    def follow(self, number: str | None, field: str) -> Node:
        """The node that a field of a node refers to."""
        return self.node(self.node(number).reference(field))

    def elements(self, number: str | None) -> list[str | None]:
        """The numbers in a tuple `!{!1, null, !2}`; None stands for `null`."""
        text = self.text(number) if number is not None else ""
        return [found[1] for found in _ELEMENT.finditer(text)] if "!{" in text else []


def parse_node(text: str) -> Node:
    """Parse `!DIName(field: value, ...)`."""
    found = _NODE.match(text)
    if found is None:
        return NO_NODE
    return Node(found[1], dict(_FIELD.findall(found[2])))
