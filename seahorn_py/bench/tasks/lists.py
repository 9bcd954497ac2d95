"""Lists of tasks in JSON lines, an object a line.

`file` is the program, relative to the list or to a given root, and `extra_files` what is linked
with it.  The rest may be missing or null: `property`, `expected` (true or false, for Horn systems
`sat` or `unsat`, or `unsupported`), `arch` (`32bit` or `64bit`), `category` or `track`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from seahorn_py.bench.rows import Expected
from seahorn_py.bench.tasks.task import (
    DEFAULT_PROPERTY,
    HORN_ENDING,
    HORN_PROPERTY,
    MAX_BROKEN,
    Problem,
    Task,
    mismatch,
    named_property,
    why_unreadable,
)

_MODELS = {"32bit": "ILP32", "64bit": "LP64", "ILP32": "ILP32", "LP64": "LP64", "": ""}
_EXPECTED = {
    True: Expected.TRUE,
    False: Expected.FALSE,
    "sat": Expected.SAT,
    "unsat": Expected.UNSAT,
    "unsupported": Expected.UNSUPPORTED,
    None: None,
}


def read_list(file: Path, root: Path | None) -> Iterator[Task | Problem]:
    """The tasks of a list, a problem for each line that is none."""
    folder = (root or file.parent).absolute()
    try:
        lines = file.read_text(encoding="utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        yield Problem(str(file), why_unreadable(error))
        return
    broken = 0
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        if broken == MAX_BROKEN:
            yield Problem(f"{file}:{number}", f"not read from here on: {broken} lines are no tasks")
            return
        try:
            yield _task(json.loads(line), folder, file.stem)
        except json.JSONDecodeError as error:
            broken += 1
            yield Problem(f"{file}:{number}", f"not JSON: {error.msg}")
        except (ValueError, RecursionError) as error:
            broken += 1
            yield Problem(f"{file}:{number}", str(error))


def _task(data: Any, folder: Path, name_of_list: str) -> Task:
    """The task of an object; ValueError for one that is none."""
    if not isinstance(data, dict):
        raise ValueError("not an object")
    file = _text(data, "file")
    if not file:
        raise ValueError("no file in the task")
    extra = data.get("extra_files") or []
    if not isinstance(extra, list) or not all(isinstance(f, str) for f in extra):
        raise ValueError("extra_files is not a list of files")
    is_horn = file.endswith(HORN_ENDING)
    given = _text(data, "property") or (HORN_PROPERTY if is_horn else DEFAULT_PROPERTY)
    model = _text(data, "arch")
    if model not in _MODELS:
        raise ValueError(f"arch {model} is not 32bit or 64bit")
    task = Task(
        file,
        _text(data, "category") or _text(data, "track") or name_of_list,
        folder,
        (file, *extra),
        named_property(given),
        folder / given if given.endswith(".prp") else None,
        _MODELS[model],
        _expected(data.get("expected")),
        _text(data, "subproperty"),
    )
    if problem := mismatch(task):
        raise ValueError(problem)
    return task


def _text(data: dict[str, Any], name: str) -> str:
    """The text of that name, "" if there is none."""
    value = data.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise ValueError(f"{name} is not a text")
    return value


def _expected(value: Any) -> Expected | None:
    if not isinstance(value, bool | str | None) or value not in _EXPECTED:
        raise ValueError(f"expected {value} is not true, false, sat, unsat or unsupported")
    return _EXPECTED[value]
