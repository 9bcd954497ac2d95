"""The static rules of section 2: types, scopes, calls.

A variable need not be initialised, in contrast to the paper: until something is assigned to it, its
value is arbitrary, which is how a program gets inputs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import assert_never

from seahorn_py.base.errors import InputError
from seahorn_py.base.records import dataclass
from seahorn_py.rip.syntax import (
    ARITHMETIC,
    CONNECTIVES,
    EQUALITIES,
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


def check(program: Program) -> None:
    """InputError with file and line at the first rule that is broken."""
    functions: dict[str, Function] = {}
    for function in program.functions:
        if function.name in functions:
            raise InputError(f"{program.file}:{function.line}: a second function {function.name}")
        functions[function.name] = function
    if "main" not in functions:
        raise InputError(f"{program.file}: no function main, in which a run would start")
    globals_ = _declared(program.file, program.variables, {})
    for function in program.functions:
        known = _declared(program.file, function.variables, globals_)
        _Checker(program.file, known, functions).block(function.body)


def _declared(
    file: str, variables: Iterable[Variable], outer: Mapping[str, Type]
) -> Mapping[str, Type]:
    found = dict(outer)
    for variable in variables:
        if variable.name in found:
            what = "shadows a global" if variable.name in outer else "is declared twice"
            raise InputError(f"{file}:{variable.line}: {variable.name} {what}")
        found[variable.name] = variable.type
    return found


@dataclass(frozen=True)
class _Checker:
    """The rules inside one function."""

    file: str
    types: Mapping[str, Type]
    functions: Mapping[str, Function]

    def block(self, statements: Iterable[Statement]) -> None:
        for statement in statements:
            self._statement(statement)

    def _statement(self, statement: Statement) -> None:
        match statement:
            case If(_, condition, then, otherwise):
                self._expects(condition, Type.BOOL)
                self.block(then)
                self.block(otherwise)
            case While(_, condition, body):
                self._expects(condition, Type.BOOL)
                self.block(body)
            case Assert(_, condition) | Assume(_, condition):
                self._expects(condition, Type.BOOL)
            case Call(line, name):
                if name not in self.functions:
                    raise self._error(line, f"no function {name}")
            case Assign():
                self._assign(statement)
            case _:
                assert_never(statement)

    def _assign(self, statement: Assign) -> None:
        line, names, values = statement.line, statement.names, statement.values
        if len(names) != len(values):
            raise self._error(line, f"{len(values)} values for {len(names)} variables")
        if len(set(names)) != len(names):
            raise self._error(line, "a variable is assigned to twice at once")
        for name, value in zip(names, values, strict=True):
            self._expects(value, self._type_of(name, line))

    def _expects(self, expression: Expression, wanted: Type) -> None:
        found = self._type(expression)
        if found is not wanted:
            raise self._unexpected(expression, wanted, found)

    def _unexpected(self, expression: Expression, wanted: Type, found: Type) -> InputError:
        return self._error(expression.line, f"{wanted.value} is expected here, not {found.value}")

    def _type(self, expression: Expression) -> Type:
        match expression:
            case Literal(_, value):
                return Type.BOOL if isinstance(value, bool) else Type.INT
            case Name(line, name):
                return self._type_of(name, line)
            case Unary(_, operator, argument):
                wanted = Type.BOOL if operator is Operator.NOT else Type.INT
                self._expects(argument, wanted)
                return wanted
            case Binary():
                return self._binary(expression)
            case Conditional(_, condition, then, otherwise):
                self._expects(condition, Type.BOOL)
                found = self._type(then)
                self._expects(otherwise, found)
                return found
            case _:
                assert_never(expression)

    def _binary(self, expression: Binary) -> Type:
        first, rest = chain(expression)
        found = self._type(first)
        for one in rest:
            wanted = found
            if one.operator not in EQUALITIES:
                wanted = Type.BOOL if one.operator in CONNECTIVES else Type.INT
            if found is not wanted:
                raise self._unexpected(one.left, wanted, found)
            self._expects(one.right, wanted)
            found = Type.INT if one.operator in ARITHMETIC else Type.BOOL
        return found

    def _type_of(self, name: str, line: int) -> Type:
        if name not in self.types:
            raise self._error(line, f"no variable {name}")
        return self.types[name]

    def _error(self, line: int, text: str) -> InputError:
        return InputError(f"{self.file}:{line}: {text}")
