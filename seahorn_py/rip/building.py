"""What the parser builds at each rule of the grammar: nodes of the syntax, from the inside out."""

from __future__ import annotations

from typing import Any, TypeVar

from lark import Token, Transformer

from seahorn_py.rip.syntax import (
    Assert,
    Assign,
    Assume,
    Binary,
    Call,
    Conditional,
    Expression,
    Function,
    If,
    Literal,
    Name,
    Operator,
    Statement,
    Type,
    Unary,
    Variable,
    While,
)

DEPTH = 200
"""How deep expressions and blocks may nest: what walks over them is recursive."""

DIGITS = 4000
"""The longest number; Python reads no longer ones unless it is told to."""

Block = tuple[Statement, ...]
Node = TypeVar("Node", If, While, Conditional, Binary, Unary)


class Refused(Exception):
    """What the grammar allows and we do not, and its line."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(reason)
        self.line = line


class Builder(Transformer[Token, Any]):
    """One method for each rule; arguments are tokens that have a name, and what was built."""

    def __init__(self) -> None:
        super().__init__()
        self._depths: dict[int, tuple[object, int]] = {}

    # ------------------------------------------------------------------------------- declarations

    def start(self, parts: list[Any]) -> list[Any]:
        """Declarations, each a tuple, and functions."""
        return parts

    def declaration(self, parts: list[Token]) -> tuple[Variable, ...]:
        """Variables of one type."""
        return tuple(Variable(_line(n), Type(str(parts[0])), str(n)) for n in parts[1:])

    def function(self, parts: list[Any]) -> Function:
        """A function with its locals."""
        name, *rest = parts
        variables = tuple(v for part in rest if isinstance(part, tuple) for v in part)
        body = tuple(p for p in rest if p is not None and not isinstance(p, tuple))
        return Function(_line(name), str(name), variables, body)

    # --------------------------------------------------------------------------------- statements

    def block(self, parts: list[Any]) -> Block:
        """Statements without those that do nothing."""
        return tuple(p for p in parts if p is not None)

    def if_(self, parts: list[Any]) -> If:
        """A branch."""
        token, condition, then, *rest = parts
        otherwise: Block = (rest[0] if rest else None) or ()
        return self._deeper(If(_line(token), condition, then, otherwise), *then, *otherwise)

    def while_(self, parts: list[Any]) -> While:
        """A loop."""
        token, condition, body = parts
        return self._deeper(While(_line(token), condition, body), *body)

    def call(self, parts: list[Token]) -> Call:
        """A call."""
        return Call(_line(parts[0]), str(parts[0]))

    def assign(self, parts: list[Any]) -> Assign:
        """A parallel assignment."""
        names, values = parts
        return Assign(_line(names[0]), tuple(map(str, names)), tuple(values))

    def names(self, parts: list[Token]) -> list[Token]:
        """Its left side."""
        return parts

    def values(self, parts: list[Expression]) -> list[Expression]:
        """Its right side."""
        return parts

    def assert_(self, parts: list[Any]) -> Assert:
        """An assertion."""
        return Assert(_line(parts[0]), parts[1])

    def assume(self, parts: list[Any]) -> Assume:
        """An assumption."""
        return Assume(_line(parts[0]), parts[1])

    def skip(self, _: list[Any]) -> None:
        """Nothing."""

    # -------------------------------------------------------------------------------- expressions

    def conditional(self, parts: list[Any]) -> Conditional:
        """A choice between two expressions."""
        return self._deeper(Conditional(parts[0].line, *parts), *parts)

    def binary(self, parts: list[Any]) -> Binary:
        """An operator between two operands."""
        left, token, right = parts
        return self._deeper(Binary(_line(token), Operator(str(token)), left, right), left, right)

    def unary(self, parts: list[Any]) -> Unary:
        """An operator before its operand."""
        token, argument = parts
        return self._deeper(Unary(_line(token), Operator(str(token)), argument), argument)

    def literal(self, parts: list[Token]) -> Literal:
        """A constant."""
        (token,) = parts
        if token.type != "NUMBER":
            return Literal(_line(token), token.type == "TRUE")
        if len(token) > DIGITS:
            raise Refused(_line(token), f"a number of more than {DIGITS} digits")
        return Literal(_line(token), int(token))

    def name(self, parts: list[Token]) -> Name:
        """A variable."""
        return Name(_line(parts[0]), str(parts[0]))

    def _deeper(self, node: Node, *parts: object) -> Node:
        """The node, if its parts are not too deep already."""
        depth = 1 + max((self._depths.get(id(p), (p, 0))[1] for p in parts), default=0)
        if depth > DEPTH:
            raise Refused(node.line, f"nested more than {DEPTH} deep")
        self._depths[id(node)] = node, depth  # the node itself keeps its number its own
        return node


def _line(token: Token) -> int:
    return token.line or 0
