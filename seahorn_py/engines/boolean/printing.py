"""A Boolean program as text, in the syntax of Bebop."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import assert_never

from seahorn_py.engines.boolean.expressions import (
    TRUE,
    And,
    Anything,
    Bit,
    Choose,
    Constant,
    Expression,
    Iff,
    Name,
    Not,
    Or,
    Unknown,
)
from seahorn_py.engines.boolean.programs import (
    Action,
    Assert,
    Assign,
    Assume,
    BooleanProgram,
    Call,
    Goto,
    Procedure,
    Return,
    Skip,
)


def print_program(program: BooleanProgram) -> str:
    """The text; reading it gives the program again."""
    return "\n".join(_lines(program)) + "\n"


def _lines(program: BooleanProgram) -> Iterator[str]:
    yield from (f"// {remark}" for remark in program.remarks)
    if program.globals:
        yield f"decl {', '.join(program.globals)};"
    for procedure in program.procedures:
        yield ""
        yield from _procedure(procedure)


def _procedure(procedure: Procedure) -> Iterator[str]:
    kind = {0: "void", 1: "bool"}.get(procedure.results, f"bool<{procedure.results}>")
    yield f"{kind} {procedure.name}({', '.join(procedure.parameters)}) begin"
    if procedure.locals:
        yield f"    decl {', '.join(procedure.locals)};"
    if procedure.enforce != TRUE:
        yield f"    enforce {print_expression(procedure.enforce)};"
    for statement in procedure.body:
        yield from (f"  {label}:" for label in statement.labels)
        remark = f"    // {statement.remark}" if statement.remark else ""
        yield f"    {_action(statement.action)};{remark}"
    yield "end"


def _action(action: Action) -> str:
    match action:
        case Skip():
            return "skip"
        case Assign(names, values):
            return f"{', '.join(names)} := {_list(values)}"
        case Assume(condition):
            return f"assume({print_expression(condition)})"
        case Assert(condition):
            return f"assert({print_expression(condition)})"
        case Goto(labels):
            return f"goto {', '.join(labels)}"
        case Call(names, procedure, arguments):
            call = f"{procedure}({_list(arguments)})"
            return f"{', '.join(names)} := {call}" if names else call
        case Return(values):
            return f"return {_list(values)}" if values else "return"
    assert_never(action)


def _list(values: Sequence[Expression]) -> str:
    return ", ".join(print_expression(value) for value in values)


def print_expression(expression: Expression, inside: bool = False) -> str:
    """The text of an expression, in parentheses if it stands inside of one that needs them."""
    match expression:
        case Constant(value):
            return "1" if value else "0"
        case Unknown() | Anything():
            return "*"
        case Name(name):
            return name
        case Bit(premise, index):
            return f"b{premise}.{index}"
        case Not(argument):
            return f"!{print_expression(argument, True)}"
        case Iff(left, right):
            text = f"{print_expression(left, True)} = {print_expression(right, True)}"
            return f"({text})" if inside else text
        case Choose(true_if, false_if):
            return f"choose({print_expression(true_if)}, {print_expression(false_if)})"
        case And(parts) | Or(parts):
            operator = " & " if isinstance(expression, And) else " | "
            text = operator.join(print_expression(part, True) for part in parts)
            return f"({text})" if inside else text
    assert_never(expression)
