"""Bug bundles for internal errors: one file with what a developer needs to reproduce the error."""

from __future__ import annotations

import contextlib
import json
import os
import stat
import sys
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from seahorn_py.base.patterns import pattern

if TYPE_CHECKING:
    import zipfile

PREFIX = "sea-py-bug-"
MOST_INPUT, MOST_HASHED = 1 << 20, 1 << 28
"""The most bytes of an input that a bundle contains, and of an input whose hash it contains."""
MOST_INPUTS = 64
_PARTS = ("llvmlite", "ziglang", "z3-solver", "pysmt", "cvc5", "bitwuzla", "islpy", "seahorn-py")
_UNUSUAL = pattern(r"[^A-Za-z0-9._-]+")


def folder() -> Path:
    """The folder for bundles: the current one if it is writable, else that of temporary files."""
    here = Path.cwd()
    return here if os.access(here, os.W_OK) else Path(tempfile.gettempdir())


def write(facts: Mapping[str, object], traceback: str, inputs: Iterable[Path]) -> Path | None:
    """Write a bundle under a new name, whole or not at all; None if that is not possible.

    `facts` are plain data: what was asked for, and what went wrong.
    """
    for place in (folder, tempfile.gettempdir):
        with contextlib.suppress(OSError):
            return _written(Path(place()), facts, traceback, inputs)
    return None


def _written(
    place: Path, facts: Mapping[str, object], traceback: str, inputs: Iterable[Path]
) -> Path:
    import zipfile  # this import and the others here cost start-up time, and are seldom needed

    descriptor, name = tempfile.mkstemp(prefix=f".{PREFIX}", suffix=".zip", dir=place)
    try:
        with os.fdopen(descriptor, "wb") as stream, zipfile.ZipFile(stream, "w") as bundle:
            listed = [_input(bundle, *one) for one in enumerate([*inputs][:MOST_INPUTS])]
            said = {**facts, "inputs": listed, "machine": _machine()}
            bundle.writestr("bug.json", json.dumps(said, indent=1, default=str))
            bundle.writestr("traceback.txt", traceback.encode(errors="backslashreplace"))
        final = place / Path(name).name.removeprefix(".")
        os.link(name, final)  # never over another file
        return final
    finally:
        os.unlink(name)


def _input(bundle: zipfile.ZipFile, number: int, file: Path) -> dict[str, object]:
    """Put an input into the bundle if it is small; gives its name, size and hash."""
    import hashlib

    said: dict[str, object] = {"name": ascii(str(file))}
    with contextlib.suppress(OSError, ValueError):
        found = file.stat()
        if not stat.S_ISREG(found.st_mode):
            return said
        said["size"] = found.st_size
        if found.st_size <= MOST_HASHED:
            with file.open("rb") as stream:
                said["sha256"] = hashlib.file_digest(stream, "sha256").hexdigest()
        if found.st_size <= MOST_INPUT:
            said["as"] = f"inputs/{number}-{_UNUSUAL.sub('_', file.name)[-80:]}"
            bundle.writestr(str(said["as"]), file.read_bytes())
    return said


def _machine() -> dict[str, object]:
    import platform
    from importlib.metadata import distributions

    versions = {d.name: d.version for d in distributions() if d.name in _PARTS}
    return {"python": sys.version, "system": platform.platform(), "packages": versions}
