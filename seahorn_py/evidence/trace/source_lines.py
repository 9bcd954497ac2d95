"""The lines of the C files that a run is shown in."""

from __future__ import annotations

from pathlib import Path

from seahorn_py.base.errors import SeaError
from seahorn_py.csource.syntax import CText


def source_lines(file: Path) -> list[bytes]:
    """The lines of a file without their ends; none if it cannot be read."""
    try:
        return [line.rstrip(b"\r") for line in CText.bytes_of(file).split(b"\n")]
    except SeaError:
        return []
