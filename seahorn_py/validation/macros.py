"""Names that the preprocessor replaces by more than a constant.

Code that is put into a C text must not use such names: what looks like a variable may be a call,
and what looks like a keyword may be anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from seahorn_py.base.patterns import pattern
from seahorn_py.csource.syntax import CText
from seahorn_py.frontend.compiling.compiler import Macro, macros, unmarked
from seahorn_py.options import FrontendOptions
from seahorn_py.processes.deadline import Deadline

WORD = pattern(r"[^\W\d]\w*")
_NUMBER = pattern(r"\.?\d[\w.]*")
_OPERATORS = pattern(r"[\s()*<>|&^~!-]|\+(?!\+)|-(?!-)")
_TYPES = frozenset({"void", "char", "short", "int", "long", "signed", "unsigned", "sizeof"})
_LOOPS = frozenset({"for", "while", "do", "goto"})
_JUMPS = frozenset({"setjmp", "_setjmp", "sigsetjmp", "__sigsetjmp", "__builtin_setjmp"})
"""Functions to whose calls control may come back."""
_COUNTING = "__COUNTER__"
"""A macro with another value at each use, so that one use more changes all later ones."""


def read_texts(
    contents: Iterable[tuple[Path, bytes]], options: FrontendOptions, deadline: Deadline
) -> list[CText]:
    """C files, each with the names that the preprocessor replaces.

    Raises InputError if a file cannot be read.
    """
    return [
        CText(str(path), unmarked(content), effects(macros(path, options, deadline)))
        for path, content in contents
    ]


def looping(
    path: Path, text: CText, options: FrontendOptions, deadline: Deadline
) -> frozenset[str]:
    """The words of a text that may stand for a loop or a jump: macros, and `setjmp`."""
    bodies: dict[str, set[str]] = {}
    for macro in macros(path, options, deadline):
        bodies.setdefault(macro.name, set()).update(WORD.findall(macro.body))
    found, grown = {*_LOOPS, *_JUMPS}, True
    while grown:
        more = {name for name, words in bodies.items() if name not in found and words & found}
        found |= more
        grown = bool(more)
    words = frozenset(WORD.findall(text.text.decode("utf-8", "replace")))
    return words & (found & bodies.keys() | _JUMPS)


def effects(defined: Sequence[Macro]) -> frozenset[str]:
    """The names of macros that are more than constants in one of their definitions."""
    bodies: dict[str, list[set[str] | None]] = {}
    for macro in defined:
        bodies.setdefault(macro.name, []).append(None if macro.parameters else _words(macro.body))
    constant: set[str] = set()
    grown = True
    while grown:
        more = {
            name
            for name, all_ in bodies.items()
            if name not in constant and all(_is_constant(words, constant) for words in all_)
        }
        constant |= more
        grown = bool(more)
    return frozenset(bodies.keys() - constant | {_COUNTING})


def _is_constant(words: set[str] | None, constant: set[str]) -> bool:
    return words is not None and words <= constant | _TYPES


def _words(body: str) -> set[str] | None:
    """The words of a body that is made of numbers, words and operators without effects."""
    found = set(WORD.findall(_NUMBER.sub(" ", body)))
    rest = _OPERATORS.sub("", WORD.sub(" ", _NUMBER.sub(" ", body)))
    return None if rest or not body else found
