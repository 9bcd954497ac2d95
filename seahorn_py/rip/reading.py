"""Text of a `.rip` file -> a checked program; every error names file and line."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

from lark import Lark, Token
from lark.exceptions import UnexpectedCharacters, UnexpectedToken

from seahorn_py.errors import InputError
from seahorn_py.rip.building import Builder, Refused
from seahorn_py.rip.checking import check
from seahorn_py.rip.grammar import GRAMMAR
from seahorn_py.rip.syntax import Function, Program


def read_file(file: Path) -> Program:
    """The program in a file; InputError when it cannot be read or is no program."""
    try:
        text = file.read_text()
    except OSError as error:
        raise InputError(f"{file}: cannot read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InputError(f"{file}: not a text file") from None
    return read(text, str(file))


def read(text: str, file: str) -> Program:
    """The program that the text is; InputError names `file` and a line."""
    try:
        parts = cast(list[Any], _parser().parse(text))
    except UnexpectedCharacters as error:
        found = error.char
        raise InputError(f"{file}:{error.line}: unexpected character {found!r}") from None
    except UnexpectedToken as error:
        raise InputError(f"{file}:{_line_of(error.token, text)}: {_said(error.token)}") from None
    except Refused as error:
        raise InputError(f"{file}:{error.line}: {error}") from None
    variables = tuple(v for part in parts if isinstance(part, tuple) for v in part)
    functions = tuple(part for part in parts if isinstance(part, Function))
    program = Program(file, variables, functions)
    check(program)
    return program


def _parser() -> Lark:
    return Lark(GRAMMAR, parser="lalr", transformer=Builder())


def _line_of(token: Token, text: str) -> int:
    return token.line if token.line and token.type != "$END" else text.count("\n") + 1


def _said(token: Token) -> str:
    return "the text ends too early" if token.type == "$END" else f"unexpected {str(token)!r}"
