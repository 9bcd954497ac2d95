"""Compilation databases: which flags the build has for each file.

`compile_commands.json` is a list of objects with `directory`, `file`, and `arguments` or `command`
(Clang documentation, "JSON Compilation Database Format Specification").
"""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from seahorn_py.base.errors import InputError
from seahorn_py.frontend.compiling.flags import expanded, read_flags

FlagsOf = tuple[tuple[Path, tuple[str, ...]], ...]


def recorded(database: Path, files: Iterable[Path], bits: int) -> FlagsOf:
    """The flags of each of the files, which are built for `bits`; InputError where one is not."""
    entries = dict(_entries(database))
    found: list[tuple[Path, tuple[str, ...]]] = []
    for file in files:
        entry = entries.get(file.resolve())
        if entry is None:
            raise InputError(f"{database}: nothing is said there of {file}")
        found.append((file, _flags(database, entry, bits)))
    return tuple(found)


def _entries(database: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    """The first entry of each file, by its absolute path."""
    try:
        entries = json.loads(database.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{database}: {error.strerror}") from None
    except (ValueError, RecursionError):
        raise InputError(f"{database}: no compilation database") from None
    if not isinstance(entries, list):
        raise InputError(f"{database}: no compilation database")
    for entry in reversed(entries):
        if not isinstance(entry, dict) or not isinstance(entry.get("file"), str):
            raise InputError(f"{database}: an entry without a file")
        yield (_folder(entry) / entry["file"]).resolve(), entry


def _folder(entry: dict[str, Any]) -> Path:
    return Path(str(entry.get("directory", ".")))


def _flags(database: Path, entry: dict[str, Any], wanted: int) -> tuple[str, ...]:
    arguments = entry.get("arguments")
    try:
        if arguments is None:
            arguments = shlex.split(str(entry.get("command", "")))
    except ValueError:
        arguments = None
    if not isinstance(arguments, list) or not all(isinstance(a, str) for a in arguments):
        raise InputError(f"{database}: no command for {entry['file']}")
    given = read_flags([*expanded(arguments[1:])], _folder(entry))
    if given.bits not in (None, wanted):
        raise InputError(f"{database}: {entry['file']} is built with -m{given.bits}: give that")
    return tuple(given.flags)


def listed(database: Path) -> tuple[Path, ...]:
    """The C files of a database, each once, as this process finds them."""
    files = [path for path, _ in _entries(database) if path.suffix in (".c", ".i")]
    return tuple(Path(os.path.relpath(path)) for path in sorted(set(files)))
