"""Text of a `.rip` file -> a checked program; every error names file and line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from seahorn_py.logic.text.grammars import parsed
from seahorn_py.processes.textfile import text_of
from seahorn_py.rip.building import Builder
from seahorn_py.rip.checking import check
from seahorn_py.rip.grammar import GRAMMAR
from seahorn_py.rip.syntax import Function, Program


def read_file(file: Path) -> Program:
    """The program in a file; InputError when it cannot be read or is no program."""
    return read(text_of(file), str(file))


def read(text: str, file: str) -> Program:
    """The program that the text is; InputError names `file` and a line."""
    parts: list[Any] = parsed(text, file, GRAMMAR, Builder())
    variables = tuple(v for part in parts if isinstance(part, tuple) for v in part)
    functions = tuple(part for part in parts if isinstance(part, Function))
    program = Program(file, variables, functions)
    check(program)
    return program
