"""Attributes of SV-LIB statements as they are written."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from seahorn_py.base.errors import InputError
from seahorn_py.base.records import dataclass
from seahorn_py.logic.text.sexpr import Form, Node

MOST_NESTED = 150
"""How deep statements may nest."""

_TERMS = (":check-true", ":requires", ":ensures", ":invariant", ":decreases")
FLAGS = (":recurring", ":not-recurring")


@dataclass(frozen=True)
class Attribute:
    """An attribute as it is written, with what it says; a flag says nothing."""

    kind: str
    value: Node
    line: int


def attributes(
    nodes: Sequence[Node], line: int, wrong: Callable[[], InputError]
) -> list[Attribute]:
    """The attributes in a list of keywords and values; raises what `wrong` gives."""
    found: list[Attribute] = []
    rest = list(nodes)
    while rest:
        match rest:
            case [str(word), *others] if word in FLAGS:
                found.append(Attribute(word, "", line))
                rest = others
            case [str(word), value, *others] if word in (*_TERMS, ":tag"):
                found.append(Attribute(word, value, line))
                rest = others
            case _:
                raise wrong()
    return found


def text_of(node: Node) -> str:
    """An s-expression as it is written, in one line."""
    parts: list[str] = []
    todo: list[Node | None] = [node]
    while todo:
        one = todo.pop()
        if isinstance(one, Form):
            parts.append("(")
            todo.append(None)
            todo.extend(reversed(one.items))
        else:
            parts.append(")" if one is None else one)
    return " ".join(parts).replace("( ", "(").replace(" )", ")")


def without_old(node: Node) -> tuple[Node, dict[str, Node]]:
    """The term with names in place of each `(old t)`, and what these stand for."""
    olds: dict[str, Node] = {}

    def plain(one: Node, depth: int) -> Node:
        match one:
            case Form(["old", inner]):
                olds[f"old {len(olds)}"] = inner
                return f"|old {len(olds) - 1}|"
            case Form(items) if depth < MOST_NESTED:
                return Form([plain(item, depth + 1) for item in items], one.line)
        return one

    return plain(node, 0), olds
