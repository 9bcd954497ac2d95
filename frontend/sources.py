"""The C files of a program that is given as objects, executables or archives of `sea-cc`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from seahorn_py.base.errors import InputError
from seahorn_py.frontend.compiling.flags import read_flags
from seahorn_py.frontend.runtime.embedded import Record, is_binary, records
from seahorn_py.options import FrontendOptions

_SOURCES = frozenset({".c", ".i", ".ll", ".bc"})


def of_objects(
    files: Sequence[Path], options: FrontendOptions
) -> tuple[tuple[Path, ...], FrontendOptions]:
    """The files with C files in the place of binaries, and options that have their texts.

    InputError for a binary without sources, or built for another machine than `options.bits`.
    """
    if all(file.suffix in _SOURCES or not is_binary(file) for file in files):
        return tuple(files), options
    found: dict[Path, Record] = {}
    paths: list[Path] = []
    for file in files:
        if file.suffix in _SOURCES or not is_binary(file):
            paths.append(file)
            continue
        for record in records(file):
            path = Path(record.path)
            _check(file, record, found.get(path), options)
            if path not in found:
                paths.append(path)
            found[path] = record
    edited = tuple((path, record.text) for path, record in found.items())
    flags = tuple((path, record.flags) for path, record in found.items())
    return tuple(paths), replace(
        options, edited=(*options.edited, *edited), flags_of=(*options.flags_of, *flags)
    )


def _check(file: Path, record: Record, other: Record | None, options: FrontendOptions) -> None:
    if record.bits != options.bits:
        raise InputError(f"{file}: {record.path} was built for {record.bits} bits")
    if other not in (None, record):
        raise InputError(f"{file}: {record.path} was built in two ways")
    if list(record.flags) != read_flags(record.flags).flags:
        raise InputError(f"{file}: broken, or no object that sea-cc made")
