"""The keys of a proof: options of `pf`, under the same names and with the same values.

The command line says once what an option is called, takes and means; here stands which of them a
proof may have.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from enum import Enum
from pathlib import Path
from typing import Any

import click

from seahorn_py.base.records import dataclass
from seahorn_py.cli.project.project import Value

_OTHER_NAMES = {"bits": "bits", "include": "include_dirs", "define": "defines", "flags": "cflags"}
"""Keys with a name that is none of an option, and the parameters that they give."""

_OPTIONS = (
    *("property", "rule", "entry", "drive", "compdb", "error-function", "error-label"),
    "malloc-may-fail",
    *("pointer-depth", "array-size", "may-alias", "globals", "inline", "order", "libc"),
    *("volatile", "mmio", "line-length"),
    *("encoding", "track", "step", "overflow", "timeout", "memory", "jobs"),
    *("engine", "schedule", "bound", "cegar", "all-checks", "strict", "no-native"),
    *("modular", "contracts"),
)

_FILES = {"property": (".prp",), "rule": (".yml", ".yaml", ".spc", ".slic")}
"""How the values of keys end that name a file in the place of something known."""


class Kind(Enum):
    """What the value of a key is, as messages say it."""

    FLAG = "true or false"
    WHOLE = "a whole number"
    NUMBER = "a number"
    TEXT = "a text"
    TEXTS = "a text or a list of texts"
    CHOICE = "one of"
    BITS = "32 or 64"


@dataclass(frozen=True)
class Key:
    """A key: its name, the option that it gives, what its value is, and what it means.

    `default` is shown; it is None where the option has none.  A value may be at least `least`, and
    more than it if `is_open`.
    """

    name: str
    option: str
    kind: Kind
    meaning: str
    default: object = None
    choices: tuple[str, ...] = ()
    least: float | None = None
    most: float | None = None
    is_open: bool = False
    is_path: bool = False

    @property
    def expected(self) -> str:
        """What its value must be."""
        if self.choices:
            return f"one of {', '.join(self.choices)}"
        if self.least is None:
            return self.kind.value
        more = f" above {self.least:.10g}" if self.is_open else f", {self.least:.10g} at least"
        return f"{self.kind.value}{more}" + (
            "" if self.most is None else f", {self.most:.10g} at most"
        )

    def takes(self, value: object) -> bool:
        """Whether a value that TOML gives is one of this key."""
        match self.kind:
            case Kind.FLAG:
                return isinstance(value, bool)
            case Kind.WHOLE:
                return type(value) is int and self._is_in_range(value)
            case Kind.NUMBER:
                return type(value) in (int, float) and self._is_in_range(value)
            case Kind.TEXT:
                return isinstance(value, str)
            case Kind.TEXTS:
                several = value if isinstance(value, list) else [value]
                return all(isinstance(text, str) for text in several)
            case Kind.CHOICE:
                return value in self.choices
            case Kind.BITS:
                return type(value) is int and value in (32, 64)

    def _is_in_range(self, value: Any) -> bool:
        if self.least is not None and (
            value < self.least or (self.is_open and value == self.least)
        ):
            return False
        return self.most is None or value <= self.most  # nan is not

    def arguments(self, value: Value, folder: Path) -> Iterator[str]:
        """What the value is on the command line, with paths as `placed` by the folder."""
        match self.kind:
            case Kind.FLAG:
                if value is True:
                    yield self.option
            case Kind.BITS:
                yield f"-m{value}"
            case _:
                for one in value if isinstance(value, tuple) else (value,):
                    text = str(placed(folder, str(one))) if self._names_file(str(one)) else one
                    yield f"{self.option}{'=' if self.option[1] == '-' else ''}{text}"

    def _names_file(self, text: str) -> bool:
        return self.is_path or text.endswith(_FILES.get(self.name, ()))

    def files(self, value: Value, folder: Path) -> Iterator[Path]:
        """The files and folders that a value names."""
        for one in value if isinstance(value, tuple) else (value,):
            if isinstance(one, str) and self._names_file(one):
                yield placed(folder, one)


def placed(folder: Path, name: str) -> Path:
    """A file of a project as this process finds it: in few words, for people read it."""
    import os

    return Path(name) if os.path.isabs(name) else Path(os.path.relpath(folder / name))


@functools.cache
def keys() -> Mapping[str, Key]:
    """All keys that are options, in the order of the command line."""
    from seahorn_py.cli.main import pf

    found: dict[str, Key] = {}
    names = {parameter: name for name, parameter in _OTHER_NAMES.items()}
    for option in (one for one in pf.params if isinstance(one, click.Option)):
        flag = option.opts[0]
        name = names.get(str(option.name), flag.lstrip("-"))
        if name not in found and (name in _OTHER_NAMES or name in _OPTIONS):
            found[name] = _key(name, flag, option)
    return found


def _key(name: str, flag: str, option: click.Option) -> Key:
    kind, least, most, is_open = _kind(option)
    choices = option.type.choices if isinstance(option.type, click.Choice) else ()
    has_default = isinstance(option.default, int | float | str) and option.default != ""
    default = False if kind is Kind.FLAG else option.default if has_default else None
    is_path = isinstance(option.type, click.Path)
    row = (
        name,
        flag,
        kind,
        (option.help or "").replace(" (repeatable)", ""),
        default,
        tuple(map(str, choices)),
    )
    if name == "bits":
        meaning = "The data model: 32 is ILP32, 64 is LP64."
        return Key(name, flag, Kind.BITS, meaning, 64)
    if name == "flags":
        return Key(name, flag, kind, "Flags of the build for the compiler.", is_path=False)
    return Key(*row, least, most, is_open, is_path)


def _kind(option: click.Option) -> tuple[Kind, float | None, float | None, bool]:
    """What values an option takes, with their range."""
    if option.multiple:
        return Kind.TEXTS, None, None, False
    if option.is_flag:
        return Kind.FLAG, None, None, False
    match option.type:
        case click.Choice():
            return Kind.CHOICE, None, None, False
        case click.IntRange(min=least, max=most):
            return Kind.WHOLE, least, most, False
        case click.FloatRange(min=least, max=most, min_open=is_open):
            return Kind.NUMBER, least, most, is_open
    return Kind.TEXT, None, None, False
