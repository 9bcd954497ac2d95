"""What the parser of Boolean programs builds at each rule of its grammar."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from lark import Token

from seahorn_py.engines.boolean.expressions import (
    FALSE,
    TRUE,
    UNKNOWN,
    Choose,
    Expression,
    Name,
    conjunction,
    disjunction,
    equivalence,
    negation,
)
from seahorn_py.engines.boolean.programs import (
    INIT,
    Assert,
    Assign,
    Assume,
    BooleanProgram,
    Call,
    Goto,
    Procedure,
    Return,
    Skip,
    Statement,
)
from seahorn_py.logic.text.grammars import Refused, TreeBuilder, line_of

Block = list[Statement]


class Builder(TreeBuilder):
    """Statements, procedures, programs."""

    def __init__(self) -> None:
        super().__init__()
        self._made = 0

    def start(self, parts: list[Any]) -> BooleanProgram:
        """A program."""
        globals_ = [name for part in parts if isinstance(part, list) for name in part]
        procedures = tuple(part for part in parts if isinstance(part, Procedure))
        entry = INIT if any(p.name == INIT for p in procedures) else "main"
        return BooleanProgram(tuple(map(str, globals_)), procedures, entry)

    def declaration(self, parts: list[Token]) -> list[Token]:
        """Variables."""
        return parts

    def procedure(self, parts: list[Any]) -> Procedure:
        """A procedure; the blocks of its statements one after the other."""
        results, name, parameters, *rest = parts
        locals_ = [v for part in rest if isinstance(part, list) for v in part if _is_token(v)]
        enforced = [part[0] for part in rest if isinstance(part, tuple)]
        body = [s for part in rest if isinstance(part, list) for s in part if not _is_token(s)]
        return Procedure(
            str(name),
            tuple(map(str, parameters or ())),
            results,
            tuple(map(str, locals_)),
            tuple(body),
            enforced[0] if enforced else TRUE,
            line_of(name),
        )

    def kind(self, parts: list[Any]) -> int:
        """How many values are returned."""
        token, *rest = parts
        count = rest[0] if rest else None
        if count is not None and len(count) > 3:
            raise Refused(line_of(token), "too many results")
        return (
            0 if token.type == "VOID" else 1 if count is None or count.type == "ONE" else int(count)
        )

    def parameters(self, parts: list[Token]) -> list[Token]:
        """Formal parameters."""
        return parts

    def enforce(self, parts: list[Expression]) -> tuple[Expression]:
        """What holds of all states of a procedure."""
        return (parts[0],)

    # --------------------------------------------------------------------------------- statements

    def labelled(self, parts: list[Any]) -> Block:
        """A label before a statement."""
        label, block = parts
        first = block[0] if block else Statement(Skip(), line=line_of(label))
        return [replace(first, labels=(str(label), *first.labels)), *block[1:]]

    def block(self, parts: list[Block]) -> Block:
        """Blocks one after the other."""
        return [statement for part in parts for statement in part]

    def if_(self, parts: list[Any]) -> Block:
        """Two branches, each behind an assumption."""
        condition, then, otherwise = parts
        yes, no, end = self._labels("then", "else", "fi")
        return [
            Statement(Goto((yes, no))),
            Statement(Assume(condition), (yes,)),
            *then,
            Statement(Goto((end,))),
            Statement(Assume(negation(condition)), (no,)),
            *(otherwise or []),
            Statement(Skip(), (end,)),
        ]

    def while_(self, parts: list[Any]) -> Block:
        """A loop, its body and its end behind assumptions."""
        condition, body = parts
        head, inside, end = self._labels("while", "do", "od")
        return [
            Statement(Goto((inside, end)), (head,)),
            Statement(Assume(condition), (inside,)),
            *body,
            Statement(Goto((head,))),
            Statement(Assume(negation(condition)), (end,)),
        ]

    def skip(self, parts: list[Token]) -> Block:
        """Nothing."""
        return [Statement(Skip(), line=line_of(parts[0]))]

    def goto(self, parts: list[Token]) -> Block:
        """A jump."""
        token, *labels = parts
        return [Statement(Goto(tuple(map(str, labels))), line=line_of(token))]

    def assume(self, parts: list[Any]) -> Block:
        """An assumption."""
        return [Statement(Assume(parts[1]), line=line_of(parts[0]))]

    def assert_(self, parts: list[Any]) -> Block:
        """An assertion."""
        return [Statement(Assert(parts[1]), line=line_of(parts[0]))]

    def assign(self, parts: list[Any]) -> Block:
        """A parallel assignment."""
        names, values = parts
        action = Assign(tuple(map(str, names)), tuple(values))
        return [Statement(action, line=line_of(names[0]))]

    def call(self, parts: list[Any]) -> Block:
        """A call."""
        names, procedure, values = parts
        action = Call(tuple(map(str, names or ())), str(procedure), tuple(values or ()))
        return [Statement(action, line=line_of(procedure))]

    def return_(self, parts: list[Any]) -> Block:
        """A return."""
        token, values = parts
        return [Statement(Return(tuple(values or ())), line=line_of(token))]

    def names(self, parts: list[Token]) -> list[Token]:
        """Variables that something is assigned to."""
        return parts

    def values(self, parts: list[Expression]) -> list[Expression]:
        """Expressions."""
        return parts

    def _labels(self, *names: str) -> list[str]:
        """Labels with a number that no other statement has."""
        self._made += 1
        return [f"{name}_{self._made}" for name in names]

    # -------------------------------------------------------------------------------- expressions

    def binary(self, parts: list[Any]) -> Expression:
        """An operator between two operands."""
        left, token, right = parts
        match token.type:
            case "AND":
                found = conjunction((left, right))
            case "OR":
                found = disjunction((left, right))
            case "IMPLIES":
                found = disjunction((negation(left), right))
            case _:
                same = equivalence(left, right)
                found = same if str(token) == "=" else negation(same)
        return self.deeper(found, line_of(token), left, right)

    def negated(self, parts: list[Any]) -> Expression:
        """A negation."""
        token, argument = parts
        return self.deeper(negation(argument), line_of(token), argument)

    def constant(self, parts: list[Token]) -> Expression:
        """True or false."""
        return TRUE if parts[0].type == "ONE" else FALSE

    def unknown(self, _: list[Token]) -> Expression:
        """Either value."""
        return UNKNOWN

    def choose(self, parts: list[Expression]) -> Expression:
        """True, false or unknown."""
        one, other = parts
        return self.deeper(Choose(one, other), 0, one, other)

    def name(self, parts: list[Token]) -> Expression:
        """A variable."""
        return Name(str(parts[0]))

    def variable(self, parts: list[Token]) -> Token:
        """Its name."""
        return parts[0]


def _is_token(part: object) -> bool:
    return isinstance(part, Token)
