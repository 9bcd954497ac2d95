"""Contracts in a YAML file beside the program, whose text then need not be changed.

functions:
  put:
    file: buffer.c            # where several files define a function of that name
    requires: n > 0           # one text or a list, in the words of CBMC
    ensures: [__CPROVER_return_value == 0]
    assigns: ["*buffer"]
    loops:                    # in the order of the text
      - invariant: i <= n
        decreases: n - i
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import yaml

from seahorn_py.base.errors import InputError, Span
from seahorn_py.base.records import dataclass
from seahorn_py.processes.textfile import text_of
from seahorn_py.validation.contracts.model import Clause, Kind

_CLAUSES = {kind.value: kind for kind in (Kind.REQUIRES, Kind.ENSURES, Kind.ASSIGNS)}
_OF_LOOPS = {"invariant": Kind.INVARIANT, "decreases": Kind.DECREASES}
_MOST_BYTES = 1 << 20


@dataclass(frozen=True)
class Entry:
    """The clauses of a function, and of its loops in their order; `file` is "" for any file."""

    function: str
    file: str
    place: Span
    clauses: tuple[Clause, ...]
    loops: tuple[tuple[Clause, ...], ...]


def read_side_file(path: Path) -> tuple[Entry, ...]:
    """The entries of a file.  Raises InputError, with the line, for any other content."""
    text = text_of(path)
    if len(text) > _MOST_BYTES:
        raise InputError(f"{path}: too large for contracts")
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        first = str(error).replace("\n", " ")
        raise InputError(f"{path}: no YAML: {first}") from None
    pairs = dict(_pairs(path, root))
    if set(pairs) != {"functions"}:
        raise InputError(f"{path}: expected one key, functions")
    return tuple(_entry(path, *pair) for pair in _pairs(path, pairs["functions"]))


def _pairs(path: Path, node: yaml.Node | None) -> Iterator[tuple[str, yaml.Node]]:
    if not isinstance(node, yaml.MappingNode):
        raise InputError(f"{_place(path, node)}: expected keys with values")
    seen: set[str] = set()
    for key, value in node.value:
        name = _text(path, key)
        if name in seen:
            raise InputError(f"{_place(path, key)}: {name} is there twice")
        seen.add(name)
        yield name, value


def _entry(path: Path, name: str, node: yaml.Node) -> Entry:
    file, clauses, loops = "", list[Clause](), list[tuple[Clause, ...]]()
    for key, value in _pairs(path, node):
        if key == "file":
            file = _text(path, value)
        elif key == "loops":
            loops += [tuple(_loop(path, one)) for one in _items(value)]
        elif key in _CLAUSES:
            clauses += [_clause(path, _CLAUSES[key], one) for one in _items(value)]
        else:
            raise InputError(f"{_place(path, value)}: unknown key {key}")
    return Entry(name, file, _place(path, node), tuple(clauses), tuple(loops))


def _loop(path: Path, node: yaml.Node) -> Iterator[Clause]:
    for key, value in _pairs(path, node):
        if key not in _OF_LOOPS:
            raise InputError(f"{_place(path, value)}: unknown key {key}")
        yield from (_clause(path, _OF_LOOPS[key], one) for one in _items(value))


def _items(node: yaml.Node) -> list[yaml.Node]:
    return list(node.value) if isinstance(node, yaml.SequenceNode) else [node]


def _clause(path: Path, kind: Kind, node: yaml.Node) -> Clause:
    return Clause(kind, " ".join(_text(path, node).split()), _place(path, node))


def _text(path: Path, node: yaml.Node) -> str:
    if not isinstance(node, yaml.ScalarNode):
        raise InputError(f"{_place(path, node)}: expected a text")
    return str(node.value)


def _place(path: Path, node: yaml.Node | None) -> Span:
    line = node.start_mark.line + 1 if node is not None else 1
    return Span(str(path), line, 1, "")
