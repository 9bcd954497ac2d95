"""From files to a project: contracts in comments and side files become clauses, macros go."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from seahorn_py.base.errors import InputError
from seahorn_py.frontend.compiling.compiler import preprocessed, source_text
from seahorn_py.options import FrontendOptions
from seahorn_py.processes.deadline import Deadline
from seahorn_py.validation.contracts.project import Project, read_unit


def read_project(
    files: Sequence[Path],
    options: FrontendOptions,
    side_files: Sequence[Path],
    deadline: Deadline,
) -> Project:
    """All files with their contracts; InputError for what cannot be read."""
    units = []
    for number, path in enumerate(files):
        if path.suffix not in (".c", ".i"):
            raise InputError(f"{path}: contracts need C files")
        text = preprocessed(path, options, deadline)
        units.append(read_unit(number, path, text))
    return Project(tuple(units))
