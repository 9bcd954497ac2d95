"""Commands of other rooms are found by name and imported only when they are asked for."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import version

import click
import pytest

from seahorn_py.cli.commands.commands import ELSEWHERE
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


def test_the_version_is_that_of_the_distribution_and_read_from_no_metadata() -> None:
    code = """
import sys
from importlib import import_module
sys.argv = ["sea-py", "--version"]
try:
    import_module("seahorn_py.cli.main").main(standalone_mode=False)
finally:
    print("importlib.metadata" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [f"sea-py, version {version('seahorn-py')}", "False"]


def test_the_start_imports_no_solver() -> None:
    code = f"import sys, seahorn_py.cli; print([m for m in {HEAVY} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
