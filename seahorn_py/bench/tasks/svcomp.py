"""Task definitions of SV-COMP in YAML.

Format 2.0 of the "Verification Task Definition Format"; 1.0 and 2.1 have the same parts that are
used here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml

from seahorn_py.bench.rows import Expected
from seahorn_py.bench.tasks.task import Problem, Task, folder_of, mismatch, name_of, why_unreadable
from seahorn_py.processes.textfile import UNREADABLE_VALUES

FORMATS = ("1.0", "2.0", "2.1")
MAX_DEFINITION = 1 << 22
"""The most bytes of a task definition."""

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _BrokenError(Exception):
    """A task definition that is none."""


def read_definition(file: Path, category: str, strict: bool = True) -> Iterator[Task | Problem]:
    """A task for each property; in a folder (not `strict`) other YAML files are passed over."""
    try:
        if file.stat().st_size > MAX_DEFINITION:
            yield Problem(str(file), f"larger than {MAX_DEFINITION >> 20} MiB")
            return
        data = yaml.load(file.read_text(encoding="utf-8"), _LOADER)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f"{file}:{mark.line + 1}" if mark is not None else str(file)
        yield Problem(place, f"not YAML: {getattr(error, 'problem', None) or 'unreadable'}")
        return
    except (OSError, UnicodeDecodeError) as error:
        yield Problem(str(file), why_unreadable(error))
        return
    except UNREADABLE_VALUES as error:
        yield Problem(str(file), f"not YAML: {type(error).__name__}")
        return
    if not strict and not (isinstance(data, dict) and "input_files" in data):
        return
    try:
        yield from _tasks_of_definition(file, category, data)
    except _BrokenError as error:
        yield Problem(str(file), str(error))


def _tasks_of_definition(file: Path, category: str, data: Any) -> Iterator[Task | Problem]:
    if not isinstance(data, dict) or "format_version" not in data:
        raise _BrokenError("not a task definition: no format_version")
    version = data["format_version"]
    if not isinstance(version, str | float) or str(version) not in FORMATS:
        raise _BrokenError(f"format_version is not known; known: {', '.join(FORMATS)}")
    files = _texts(data.get("input_files"), "input_files")
    options = data.get("options") or {}
    model = options.get("data_model", "") if isinstance(options, dict) else None
    if model not in ("ILP32", "LP64", ""):
        raise _BrokenError("options: data_model is not ILP32 or LP64")
    properties = data.get("properties") or []
    if not isinstance(properties, list):
        raise _BrokenError("properties is not a list")
    if not properties:
        raise _BrokenError("no properties")
    base = Task(name_of(file), category, folder_of(file), files, "", data_model=model)
    for entry in properties:
        try:
            yield _with_property(base, entry)
        except _BrokenError as error:
            yield Problem(str(file), str(error))


def _with_property(base: Task, entry: Any) -> Task:
    """The task for one entry of `properties`."""
    if not isinstance(entry, dict) or not isinstance(entry.get("property_file"), str):
        raise _BrokenError("a property without property_file")
    given = entry["property_file"]
    verdict = entry.get("expected_verdict")
    if verdict is not None and not isinstance(verdict, bool):
        raise _BrokenError(f"{given}: expected_verdict is not true or false")
    subproperty = entry.get("subproperty", "")
    if not isinstance(subproperty, str):
        raise _BrokenError(f"{given}: subproperty is not a name")
    task = replace(
        base,
        property_name=Path(given).stem,
        property_file=base.folder / given,
        expected=None if verdict is None else Expected("true" if verdict else "false"),
        subproperty=subproperty,
    )
    if problem := mismatch(task):
        raise _BrokenError(f"{given}: {problem}")
    return task


def _texts(value: Any, name: str) -> tuple[str, ...]:
    """A text, or a list of texts."""
    values = [value] if isinstance(value, str) else value
    if not isinstance(values, list) or not values or not all(isinstance(v, str) for v in values):
        raise _BrokenError(f"{name} is not a file or a list of files")
    return tuple(values)
