"""Texts of small languages, read by a lark grammar: every error names file and line."""

from __future__ import annotations

from typing import Any, TypeVar

from lark import Lark, Token, Transformer
from lark.exceptions import UnexpectedCharacters, UnexpectedToken

from seahorn_py.base.errors import InputError

Node = TypeVar("Node")


class Refused(Exception):
    """What the grammar allows and we do not, and its line."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(reason)
        self.line = line


class TreeBuilder(Transformer[Token, Any]):
    """One method for each rule; arguments are tokens that have a name, and what was built.

    What is built nests at most `deepest` deep, for what walks over it is recursive.
    """

    deepest = 150

    def __init__(self) -> None:
        super().__init__()
        self._depths: dict[int, tuple[object, int]] = {}

    def deeper(self, node: Node, line: int, *parts: object, beside: object = None) -> Node:
        """The node, if its parts are not too deep already; it may be as deep as `beside`."""
        depth = max(self._depth(beside), 1 + max(map(self._depth, parts), default=0))
        if depth > self.deepest:
            raise Refused(line, f"nested more than {self.deepest} deep")
        self._depths[id(node)] = node, depth  # the node itself keeps its number its own
        return node

    def _depth(self, part: object) -> int:
        return self._depths.get(id(part), (part, 0))[1]


def parsed(text: str, file: str, grammar: str, builder: TreeBuilder) -> Any:
    """What the builder makes of the text; InputError names `file` and a line."""
    try:
        return Lark(grammar, parser="lalr", transformer=builder).parse(text)
    except UnexpectedCharacters as error:
        raise InputError(f"{file}:{error.line}: unexpected character {error.char!r}") from None
    except UnexpectedToken as error:
        token = error.token
        if token.type == "$END":
            line = text.count("\n") + 1
            raise InputError(f"{file}:{line}: the text ends too early") from None
        raise InputError(f"{file}:{token.line}: unexpected {str(token)!r}") from None
    except Refused as error:
        raise InputError(f"{file}:{error.line}: {error}") from None


def line_of(token: Token) -> int:
    """Where a token is; 0 if that is unknown."""
    return token.line or 0
