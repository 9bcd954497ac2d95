"""Where tasks come from: files, folders and lists.

Read from task definitions (`svcomp`), `.set` files (a pattern of such files a line), folders,
lists in JSON lines (`lists`), and plain programs.  What cannot be read is a problem with its place;
the other tasks are not concerned.
"""

from __future__ import annotations

import glob
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from seahorn_py.base.errors import SeaError
from seahorn_py.base.patterns import pattern
from seahorn_py.base.records import dataclass
from seahorn_py.bench.rows import Expected
from seahorn_py.bench.tasks.lists import read_list
from seahorn_py.bench.tasks.svcomp import read_definition
from seahorn_py.bench.tasks.task import (
    DEFAULT_PROPERTY,
    HORN_ENDING,
    HORN_PROPERTY,
    MAX_BROKEN,
    Problem,
    Task,
    folder_of,
    name_of,
    named_property,
    why_unreadable,
)

PROGRAM_ENDINGS = (".c", ".i", ".ll", ".bc")
MAX_PATTERN = 4096
"""The most characters of a pattern of a set, as of a path in Linux."""

_YAML_ENDINGS = (".yml", ".yaml")
_HEAD = 2_000
"""Characters at the beginning of a program in which its expected verdict is looked for."""

_STATED = pattern(r"\bexpected: (safe|unsafe)\b(?:, property: ([\w-]+))?")
_AGAIN = pattern(r"(?:\*\*/)+")
_STATED_VERDICTS = {"safe": Expected.TRUE, "unsafe": Expected.FALSE}


@dataclass(frozen=True, slots=True)
class Wanted:
    """The properties that are run: all, if there are none here.

    Of programs without a task definition these are what is asked.
    """

    properties: tuple[str, ...] = ()

    def __contains__(self, task: Task) -> bool:
        return not self.properties or task.property_name in map(named_property, self.properties)

    def asked(self) -> tuple[tuple[str, Path | None], ...]:
        """Names and files of the properties that are asked of plain programs."""
        return tuple(
            (named_property(text), Path(text).absolute() if text.endswith(".prp") else None)
            for text in self.properties
        )


@dataclass(frozen=True, slots=True)
class TaskList:
    """The tasks in their order, each once, and what went wrong."""

    tasks: tuple[Task, ...]
    problems: tuple[Problem, ...]


def read_tasks(
    sources: Iterable[Path], wanted: Wanted, root: Path | None = None, match: str = ""
) -> TaskList:
    """All tasks of these sources that are wanted and whose name has the text `match`.

    `root` is where the files of lists lie.
    """
    tasks = _Tasks()
    problems: list[Problem] = []
    for source in sources:
        for found in _of_source(source, wanted, root):
            if isinstance(found, Problem):
                problems.append(found)
            elif found in wanted and match in found.id:
                tasks.add(found)
    return TaskList(tuple(tasks.by_id.values()), tuple(problems))


class _Tasks:
    """Each task once; others of the same name are numbered."""

    def __init__(self) -> None:
        self.by_id: dict[str, Task] = {}
        self._there: set[tuple[str, tuple[Path, ...], Expected | None]] = set()
        self._numbers: Counter[str] = Counter()

    def add(self, task: Task) -> None:
        """Add a task unless it is there."""
        same = task.id, task.paths, task.expected
        if same in self._there:
            return
        self._there.add(same)
        numbered = task
        while numbered.id in self.by_id:
            self._numbers[task.id] += 1
            numbered = replace(task, name=f"{task.name}#{self._numbers[task.id] + 1}")
        self.by_id[numbered.id] = numbered


def _of_source(source: Path, wanted: Wanted, root: Path | None) -> Iterator[Task | Problem]:
    if not os.path.exists(source):  # `Path.exists` raises for a name that is too long
        yield Problem(str(source), "no such file or folder")
    elif source.is_dir():
        yield from _of_folder(source, wanted)
    elif source.suffix == ".set":
        yield from _of_set(source, wanted)
    elif source.suffix == ".jsonl":
        yield from read_list(source, root)
    else:
        yield from _of_file(source, source.absolute().parent.name, wanted)


def _of_file(file: Path, category: str, wanted: Wanted) -> Iterator[Task | Problem]:
    if file.suffix in _YAML_ENDINGS:
        yield from read_definition(file, category)
    elif file.suffix in PROGRAM_ENDINGS:
        yield from _of_program(file, category, wanted)
    elif file.suffix == HORN_ENDING:
        yield Task(name_of(file), category, folder_of(file), (file.name,), HORN_PROPERTY)
    else:
        known = ".yml .set .jsonl .c .i .ll .bc .smt2"
        yield Problem(str(file), f"not a task; known are folders and {known}")


def _of_folder(folder: Path, wanted: Wanted) -> Iterator[Task | Problem]:
    """The definitions below a folder; the programs, if there are none."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    definitions = [file for file in files if file.suffix in _YAML_ENDINGS]
    if definitions:
        for file in definitions:
            yield from read_definition(file, file.absolute().parent.name, strict=False)
        return
    programs = [file for file in files if file.suffix in (*PROGRAM_ENDINGS, HORN_ENDING)]
    if not programs:
        yield Problem(str(folder), "no tasks in this folder")
    for file in programs:
        yield from _of_file(file, file.absolute().parent.name, wanted)


def _of_set(file: Path, wanted: Wanted) -> Iterator[Task | Problem]:
    """The files that the patterns of a `.set` file match, relative to it."""
    try:
        lines = file.read_text(encoding="utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        yield Problem(str(file), why_unreadable(error))
        return
    broken = 0
    for number, line in enumerate(lines, 1):
        pattern = line.strip()
        if not pattern or pattern.startswith("#"):
            continue
        if why := _unmatchable(pattern):
            yield Problem(f"{file}:{number}", why)
            continue
        matches = _matches(pattern, file.parent)
        if not matches:
            broken += 1
            yield Problem(f"{file}:{number}", f"nothing matches {pattern}")
        if broken == MAX_BROKEN:
            yield Problem(
                f"{file}:{number}", f"not read from here on: {broken} lines match nothing"
            )
            return
        for match in matches:
            for found in _of_file(file.parent / match, file.stem, wanted):
                is_task = isinstance(found, Task)
                yield found if is_task else Problem(f"{file}:{number}", str(found))


def _unmatchable(pattern: str) -> str:
    """Why a pattern is not tried; "" for one that is."""
    if len(pattern) > MAX_PATTERN:
        return f"nothing matches what is longer than a path can be: {pattern}"
    if "**" in pattern and (pattern.startswith("/") or ".." in pattern.split("/")):
        # through all of a disk that has nothing to do with the set
        return f"** outside of the folder of the set: {pattern}"
    return ""


def _matches(pattern: str, folder: Path) -> list[str]:
    """The files that a pattern matches, in order."""
    once = _AGAIN.sub("**/", pattern)  # each more would walk through all folders again
    try:
        return sorted(glob.glob(once, root_dir=folder, recursive=True))
    except (RecursionError, ValueError):  # too many folders, a 0 byte
        return []


def _of_program(file: Path, category: str, wanted: Wanted) -> Iterator[Task | Problem]:
    """A plain program, which may state its verdict in a comment at its beginning.

    The form is `expected: safe`, or `expected: unsafe, property: valid-memsafety`.
    """
    try:
        with file.open(encoding="utf-8", errors="replace") as stream:
            stated = _STATED.search(stream.read(_HEAD))
    except OSError as error:
        yield Problem(str(file), why_unreadable(error))
        return
    verdict = _STATED_VERDICTS[stated[1]] if stated else None
    about = (stated[2] if stated else None) or DEFAULT_PROPERTY
    for name, property_file in wanted.asked() or ((about, None),):
        expected = verdict if name == about else None
        files = (file.name,)
        yield Task(
            name_of(file), category, folder_of(file), files, name, property_file, "LP64", expected
        )


def all_of(listed: TaskList, sources: Sequence[Path]) -> tuple[Task, ...]:
    """The tasks, of which there must be one; SeaError otherwise."""
    if not listed.tasks:
        places = ", ".join(map(os.fspath, sources))
        raise SeaError(f"no task to run in {places}")
    return listed.tasks
