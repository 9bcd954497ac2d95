"""What the parser builds at each rule of the grammar: nodes of the syntax, from the inside out."""

from __future__ import annotations

from typing import Any, TypeVar

from lark import Token

from seahorn_py.logic.text.grammars import Refused, TreeBuilder, line_of
from seahorn_py.logic.text.reading import MAX_DIGITS
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

Block = tuple[Statement, ...]
Node = TypeVar("Node", If, While, Conditional, Binary, Unary)


class Builder(TreeBuilder):
    """Expressions, statements, functions."""

    deepest = 200

    # ------------------------------------------------------------------------------- declarations

    def start(self, parts: list[Any]) -> list[Any]:
        """Declarations, each a tuple, and functions."""
        return parts

    def declaration(self, parts: list[Token]) -> tuple[Variable, ...]:
        """Variables of one type."""
        return tuple(Variable(line_of(n), Type(str(parts[0])), str(n)) for n in parts[1:])

    def function(self, parts: list[Any]) -> Function:
        """A function with its locals."""
        name, *rest = parts
        variables = tuple(v for part in rest if isinstance(part, tuple) for v in part)
        body = tuple(p for p in rest if p is not None and not isinstance(p, tuple))
        return Function(line_of(name), str(name), variables, body)

    # --------------------------------------------------------------------------------- statements

    def block(self, parts: list[Any]) -> Block:
        """Statements without those that do nothing."""
        return tuple(p for p in parts if p is not None)

    def if_(self, parts: list[Any]) -> If:
        """A branch."""
        token, condition, then, *rest = parts
        otherwise: Block = (rest[0] if rest else None) or ()
        return self._deeper(If(line_of(token), condition, then, otherwise), *then, *otherwise)

    def while_(self, parts: list[Any]) -> While:
        """A loop."""
        token, condition, body = parts
        return self._deeper(While(line_of(token), condition, body), *body)

    def call(self, parts: list[Token]) -> Call:
        """A call."""
        return Call(line_of(parts[0]), str(parts[0]))

    def assign(self, parts: list[Any]) -> Assign:
        """A parallel assignment."""
        names, values = parts
        return Assign(line_of(names[0]), tuple(map(str, names)), tuple(values))

    def names(self, parts: list[Token]) -> list[Token]:
        """Its left side."""
        return parts

    def values(self, parts: list[Expression]) -> list[Expression]:
        """Its right side."""
        return parts

    def assert_(self, parts: list[Any]) -> Assert:
        """An assertion."""
        return Assert(line_of(parts[0]), parts[1])

    def assume(self, parts: list[Any]) -> Assume:
        """An assumption."""
        return Assume(line_of(parts[0]), parts[1])

    def skip(self, _: list[Any]) -> None:
        """Nothing."""

    # -------------------------------------------------------------------------------- expressions

    def conditional(self, parts: list[Any]) -> Conditional:
        """A choice between two expressions."""
        return self._deeper(Conditional(parts[0].line, *parts), *parts)

    def binary(self, parts: list[Any]) -> Binary:
        """An operator between two operands."""
        left, token, right = parts
        node = Binary(line_of(token), Operator(str(token)), left, right)
        if isinstance(left, Binary):  # a chain
            return self.deeper(node, node.line, right, beside=left)
        return self._deeper(node, left, right)

    def unary(self, parts: list[Any]) -> Unary:
        """An operator before its operand."""
        token, argument = parts
        return self._deeper(Unary(line_of(token), Operator(str(token)), argument), argument)

    def literal(self, parts: list[Token]) -> Literal:
        """A constant."""
        (token,) = parts
        if token.type != "NUMBER":
            return Literal(line_of(token), token.type == "TRUE")
        if len(token) > MAX_DIGITS:
            raise Refused(line_of(token), f"a number of more than {MAX_DIGITS} digits")
        return Literal(line_of(token), int(token))

    def name(self, parts: list[Token]) -> Name:
        """A variable."""
        return Name(line_of(parts[0]), str(parts[0]))

    def _deeper(self, node: Node, *parts: object) -> Node:
        return self.deeper(node, node.line, *parts)
