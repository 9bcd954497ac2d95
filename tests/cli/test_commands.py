"""Commands of other rooms are found by name and imported only when they are asked for."""

from __future__ import annotations

import subprocess
import sys

import click
import pytest

from seahorn_py.cli.commands import ELSEWHERE
from seahorn_py.cli.main import main

HEAVY = ("z3", "pysmt", "llvmlite", "cvc5", "bitwuzla", "yaml", "tree_sitter", "lark", "islpy")


@pytest.mark.parametrize("name", sorted(ELSEWHERE))
def test_a_command_is_where_the_table_says(name: str) -> None:
    command = main.get_command(click.Context(main), name)
    assert command is not None and command.name == name
    assert command.help


def test_all_commands_are_listed_once() -> None:
    names = main.list_commands(click.Context(main))
    assert names == sorted(set(names))
    assert {"pf", "chc", *ELSEWHERE} <= set(names)


def test_there_is_no_command_of_another_name() -> None:
    assert main.get_command(click.Context(main), "prove") is None


def test_the_start_imports_no_solver() -> None:
    code = f"import sys, seahorn_py.cli; print([m for m in {HEAVY} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
