"""Runs of a program: how they end, given the values that variables have before an assignment.

It walks over the syntax and shares nothing with the encoding, so it confirms refutations.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import assert_never

from seahorn_py.base.records import dataclass
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
    Program,
    Statement,
    Type,
    Unary,
    Variable,
    While,
    chain,
)

Value = int | bool
STEPS = 1_000_000


@dataclass(frozen=True)
class Failed:
    """The run violates the assertion at a line."""

    line: int


@dataclass(frozen=True)
class Ended:
    """The run comes to its end, or an assumption or a division by 0 ends it."""


@dataclass(frozen=True)
class StillRunning:
    """The run was given up."""


End = Failed | Ended | StillRunning


class _Blocked(Exception):
    """The run ends here."""


@dataclass
class _Frame:
    """An activation: its variables, and the statements that are left, innermost block last."""

    locals: dict[str, Value]
    blocks: list[Iterator[Statement]]


def run(program: Program, initial: Iterable[Mapping[str, Value]], steps: int = STEPS) -> End:
    """How the run ends.

    `initial` has the globals first, then the locals of each activation in the order of the calls;
    what is missing is 0 or false.
    """
    return _Run(program, iter(initial)).end(steps)


class _Run:
    def __init__(self, program: Program, initial: Iterator[Mapping[str, Value]]) -> None:
        self._functions = {f.name: f for f in program.functions}
        self._initial = initial
        self._globals = self._start(program.variables)
        self._frames = [self._activation(self._functions["main"])]

    def _start(self, variables: Sequence[Variable]) -> dict[str, Value]:
        given = next(self._initial, {})
        return {
            v.name: int(given.get(v.name, 0)) if v.type is Type.INT else bool(given.get(v.name))
            for v in variables
        }

    def _activation(self, function: Function) -> _Frame:
        return _Frame(self._start(function.variables), [iter(function.body)])

    def end(self, steps: int) -> End:
        for _ in range(steps):
            while self._frames and not self._frames[-1].blocks:
                self._frames.pop()
            if not self._frames:
                return Ended()
            statement = next(self._frames[-1].blocks[-1], None)
            if statement is None:
                self._frames[-1].blocks.pop()
                continue
            try:
                failed = self._execute(statement)
            except _Blocked:
                return Ended()
            if failed is not None:
                return failed
        return StillRunning()

    def _execute(self, statement: Statement) -> Failed | None:
        frame = self._frames[-1]
        match statement:
            case Assign(_, names, values):
                new = [self._value(v) for v in values]
                for name, one in zip(names, new, strict=True):
                    (self._globals if name in self._globals else frame.locals)[name] = one
            case Assert(_, condition):
                return None if self._value(condition) else Failed(condition.line)
            case Assume(_, condition):
                if not self._value(condition):
                    raise _Blocked
            case If(_, condition, then, otherwise):
                frame.blocks.append(iter(then if self._value(condition) else otherwise))
            case While(_, condition, body):
                if self._value(condition):
                    frame.blocks.append(iter((*body, statement)))
            case Call(_, name):
                self._frames.append(self._activation(self._functions[name]))
            case _:
                assert_never(statement)
        return None

    # -------------------------------------------------------------------------------- expressions

    def _value(self, expression: Expression) -> Value:
        match expression:
            case Literal(_, constant):
                return constant
            case Name(_, name):
                known = self._globals if name in self._globals else self._frames[-1].locals
                return known[name]
            case Unary(_, operator, argument):
                inner = self._value(argument)
                return (not inner) if operator is Operator.NOT else -inner
            case Binary():
                first, rest = chain(expression)
                found = self._value(first)
                for one in rest:
                    found = self._applied(one, found)
                return found
            case Conditional(_, condition, then, otherwise):
                return self._value(then if self._value(condition) else otherwise)
        assert_never(expression)

    def _applied(self, one: Binary, left: Value) -> Value:
        match one.operator:
            case Operator.AND:
                return left and self._value(one.right)
            case Operator.OR:
                return left or self._value(one.right)
            case operator:
                return _result(operator, left, self._value(one.right))


def _result(operator: Operator, left: Value, right: Value) -> Value:  # noqa: C901  a flat match
    match operator:
        case Operator.EQUAL:
            return left == right
        case Operator.UNEQUAL:
            return left != right
        case Operator.LESS:
            return left < right
        case Operator.LESS_EQUAL:
            return left <= right
        case Operator.GREATER:
            return left > right
        case Operator.GREATER_EQUAL:
            return left >= right
        case Operator.ADD:
            return left + right
        case Operator.SUBTRACT:
            return left - right
        case Operator.MULTIPLY:
            return left * right
        case Operator.DIVIDE:
            return _quotient(left, right)
        case Operator.AND | Operator.OR | Operator.NOT:
            raise AssertionError("evaluated elsewhere")
    assert_never(operator)


def _quotient(left: int, right: int) -> int:
    if not right:
        raise _Blocked
    quotient = abs(left) // abs(right)
    return quotient if (left < 0) == (right < 0) else -quotient
