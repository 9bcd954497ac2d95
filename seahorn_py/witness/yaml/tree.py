"""YAML as lists, mappings and scalars, read from and written as events of PyYAML.

Aliases, anchors, tags, several documents and deep nesting are refused: no witness needs them.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, TypeAlias

import yaml

from seahorn_py.witness.witness import WitnessError

MAX_DEPTH = 16
MAX_NODES = 1_000_000
_WIDTH = 1 << 30
"""Lines are not folded."""

Tree: TypeAlias = "str | int | list[Tree] | dict[str, Tree]"
"""A tree that was read has no numbers: all its scalars are strings."""


def parsed(data: bytes) -> Tree:
    """The document as lists, mappings and strings.  Raises WitnessError for what none needs."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        return _document(yaml.parse(data.decode("utf-8"), Loader=loader))
    except UnicodeDecodeError:
        raise WitnessError("not a text file") from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"line {mark.line + 1}: " if mark is not None else ""
        problem = getattr(error, "problem", None) or "not YAML"
        raise WitnessError(f"{where}{str(problem)[:80]}") from None


class _Open:
    """A list or mapping that is being read."""

    def __init__(self, value: list[Tree] | dict[str, Tree]) -> None:
        self.value = value
        self.key: str | None = None

    def take(self, value: Tree) -> None:
        """Add the next entry, key or value."""
        if isinstance(self.value, list):
            self.value.append(value)
        elif self.key is None:
            if not isinstance(value, str):
                raise WitnessError("a key is no scalar")
            if value in self.value:
                raise WitnessError(f"the key {value[:40]!r} is there twice")
            self.key = value
        else:
            self.value[self.key] = value
            self.key = None


def _document(events: Iterator[Any]) -> Tree:
    root: list[Tree] = []
    stack = [_Open(root)]
    for number, event in enumerate(events):
        if number > MAX_NODES:
            raise WitnessError(f"more than {MAX_NODES} values")
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise WitnessError(f"line {event.start_mark.line + 1}: anchors are not allowed")
        if getattr(event, "tag", None) and not isinstance(event, yaml.DocumentStartEvent):
            raise WitnessError(f"line {event.start_mark.line + 1}: tags are not allowed")
        if isinstance(event, yaml.ScalarEvent):
            stack[-1].take(event.value)
        elif isinstance(event, yaml.SequenceStartEvent | yaml.MappingStartEvent):
            if len(stack) > MAX_DEPTH:
                raise WitnessError(f"nested more than {MAX_DEPTH} deep")
            stack.append(_Open([] if isinstance(event, yaml.SequenceStartEvent) else {}))
        elif isinstance(event, yaml.SequenceEndEvent | yaml.MappingEndEvent):
            done = stack.pop()
            stack[-1].take(done.value)
    if len(root) != 1:
        raise WitnessError(f"it has {len(root)} documents; one is expected")
    return root[0]


def printed(document: Tree) -> str:
    """The document in block style.

    Strings are quoted, so that no reader takes `2.0` for a number, or a date for a date; keys that
    are words have no quotes.  A byte of a file's name that is no character becomes `?`.
    """
    dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
    text: str = yaml.emit(_whole(document), Dumper=dumper, width=_WIDTH)
    return text


def _whole(document: Tree) -> Iterator[Any]:
    yield yaml.StreamStartEvent()
    yield yaml.DocumentStartEvent(explicit=False)
    yield from _events(document)
    yield yaml.DocumentEndEvent(explicit=False)
    yield yaml.StreamEndEvent()


def _events(value: Tree) -> Iterator[Any]:
    match value:
        case dict():
            yield yaml.MappingStartEvent(None, None, implicit=True, flow_style=not value)
            for key, inner in value.items():
                yield _scalar(key, quoted=not _is_word(key))
                yield from _events(inner)
            yield yaml.MappingEndEvent()
        case list():
            yield yaml.SequenceStartEvent(None, None, implicit=True, flow_style=not value)
            for inner in value:
                yield from _events(inner)
            yield yaml.SequenceEndEvent()
        case _:
            yield _scalar(str(value), quoted=isinstance(value, str))


@cache
def _is_word(key: str) -> bool:
    """Whether every reader takes the key for a text, also without quotes."""
    resolver: Any = yaml.resolver.Resolver()
    kind = resolver.resolve(yaml.ScalarNode, key, (True, False))
    return key.isidentifier() and kind == "tag:yaml.org,2002:str"


def _scalar(text: str, *, quoted: bool) -> Any:
    known = text.encode("utf-8", "replace").decode()
    return yaml.ScalarEvent(None, None, (True, True), known, style='"' if quoted else None)
