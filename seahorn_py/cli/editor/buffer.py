"""What can be asked about the text of a buffer: its functions and assertions."""

from __future__ import annotations

from collections.abc import Iterator

from seahorn_py.base.records import dataclass
from seahorn_py.evidence.trace.source import FunctionText, functions_in

ASSERTIONS = frozenset(
    {"assert", "sassert", "__VERIFIER_assert", "reach_error", "__VERIFIER_error"}
)


@dataclass(frozen=True)
class Question:
    """Something to ask about at a line: a function, or an assertion in it.

    `entry` is the function to begin with, "" for `main`.
    """

    line: int
    entry: str
    is_assertion: bool


@dataclass(frozen=True)
class Buffer:
    """What is in a text: whether there is a `main`, whether it asserts anything, what to ask."""

    has_main: bool
    asserts: bool
    has_functions: bool
    questions: tuple[Question, ...]


def looked_at(name: str, text: bytes) -> Buffer:
    """What can be asked about a text, which need not be correct C."""
    functions = [*functions_in(name, text)]
    names = {function.name for function in functions}
    has_main = "main" in names
    questions = tuple(q for function in functions for q in _questions(function, has_main))
    asserts = any(question.is_assertion for question in questions)
    return Buffer(has_main, asserts, bool(names - {"main"}), questions)


def _questions(function: FunctionText, has_main: bool) -> Iterator[Question]:
    yield Question(function.line, "" if function.name == "main" else function.name, False)
    for called, line in function.calls:
        if called in ASSERTIONS:
            yield Question(line, "" if has_main else function.name, True)
