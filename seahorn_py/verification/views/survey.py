"""What C files have, by their text alone: functions, a main one, assertions, contracts.

Nothing is compiled, so a macro is what it looks like.  This serves to suggest questions, never to
answer one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from tree_sitter import Node

from seahorn_py.base.patterns import pattern
from seahorn_py.base.records import dataclass
from seahorn_py.csource.syntax import CText, within
from seahorn_py.frontend.lowering.events.events import error_names
from seahorn_py.options import FrontendOptions

MAIN = "main"
_CONTRACT = pattern(
    rb"(?:/\*|//)@[^*]*?\b(?:requires|ensures|assigns)\b|__CPROVER_(?:requires|ensures)"
)


@dataclass(frozen=True)
class Unit:
    """A C file: the functions that others may call, with their lines; all names that it uses.

    `assertions` are calls that may be errors.
    """

    path: Path
    functions: tuple[tuple[str, int], ...]
    uses: frozenset[str]
    assertions: int
    has_contracts: bool

    @property
    def has_main(self) -> bool:
        """Whether it has the function that a program begins with."""
        return any(name == MAIN for name, _ in self.functions)


def surveyed(path: Path) -> Unit:
    """What a file has; InputError if it cannot be read."""
    text = CText.read(path)
    checking = error_names(FrontendOptions())
    calls = [node for node in within(text.root) if node.type == "call_expression"]
    names = (text.source(node) for node in within(text.root) if node.type == "identifier")
    return Unit(
        path,
        tuple(_functions(text)),
        frozenset(names),
        sum(text.callee(call) in checking for call in calls),
        _CONTRACT.search(text.text) is not None,
    )


def _functions(text: CText) -> Iterator[tuple[str, int]]:
    for node in within(text.root):
        name = text.function_name(node) if node.type == "function_definition" else ""
        if name and not _is_static(text, node):
            yield name, node.start_point.row + 1


def _is_static(text: CText, definition: Node) -> bool:
    kinds = (c for c in definition.children if c.type == "storage_class_specifier")
    return any(text.source(kind) == "static" for kind in kinds)


def program(unit: Unit, homes: Mapping[str, Sequence[Unit]]) -> tuple[Unit, ...]:
    """A file with those that have what it uses, and so on; `homes` are the files of each function.

    A file with a main function of its own is none of them, and of several that have a function the
    one whose path is nearest is taken.
    """
    found, todo = [unit], [unit]
    while todo:
        defined = {name for one in found for name, _ in one.functions}
        for name in sorted(todo.pop().uses - defined):
            choice = [one for one in homes.get(name, ()) if not one.has_main]
            if choice and not any(one in found for one in choice):
                nearest = max(choice, key=lambda one: _shared(unit.path, one.path))
                found.append(nearest)
                todo.append(nearest)
    return tuple(found)


def _shared(one: Path, other: Path) -> int:
    """How many folders two paths begin with together."""
    pairs = zip(one.parent.parts, other.parent.parts, strict=False)
    return next((k for k, (a, b) in enumerate(pairs) if a != b), len(other.parent.parts))


def homes_of(units: Sequence[Unit]) -> dict[str, list[Unit]]:
    """The files that define each function."""
    found: dict[str, list[Unit]] = {}
    for unit in units:
        for name, _ in unit.functions:
            found.setdefault(name, []).append(unit)
    return found
