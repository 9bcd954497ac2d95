"""Tasks: programs with a property and, mostly, the right verdict.

Read from task definitions of SV-COMP (`.yml`, format 2.0 of the "Verification Task Definition
Format"; 1.0 and 2.1 have the same parts that are used here), `.set` files (a pattern of such files
a line), folders, lists in JSON lines (`lists`), and plain programs.  What cannot be read is a
problem with its place; the other tasks are not concerned.
"""

from __future__ import annotations

import glob
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml

from seahorn_py.bench.rows import Expected
from seahorn_py.engines.schedules import UNREADABLE_VALUES
from seahorn_py.errors import SeaError, printable

FORMATS = ("1.0", "2.0", "2.1")
PROGRAM_ENDINGS = (".c", ".i", ".ll", ".bc")
HORN_ENDING = ".smt2"
HORN_PROPERTY = "chc"
DEFAULT_PROPERTY = "unreach-call"

_YAML_ENDINGS = (".yml", ".yaml")
_SOLVABLE = frozenset({Expected.SAT, Expected.UNSAT})
_HOLDS = frozenset({Expected.TRUE, Expected.FALSE})
_HEAD = 2_000
"""Characters at the beginning of a program in which its expected verdict is looked for."""
_STATED = re.compile(r"\bexpected: (safe|unsafe)\b(?:, property: ([\w-]+))?")
_AGAIN = re.compile(r"(?:\*\*/)+")
_STATED_VERDICTS = {"safe": Expected.TRUE, "unsafe": Expected.FALSE}
MAX_BROKEN = 20
"""After so many lines of a list that are no tasks, the rest is not read."""

MAX_PATTERN = 4096
"""The most characters of a pattern of a set, as of a path in Linux."""

MAX_DEFINITION = 1 << 22
"""The most bytes of a task definition."""

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True, slots=True)
class Task:
    """A program, the property asked of it, and what is known of the answer."""

    name: str
    """The same in all runs; with property and data model it is the `task` of a row."""
    category: str
    folder: Path
    """What the paths in `files` are relative to."""
    files: tuple[str, ...]
    property_name: str
    property_file: Path | None = None
    data_model: str = ""
    expected: Expected | None = None
    subproperty: str = ""

    @property
    def id(self) -> str:
        """Name, property and data model in one text."""
        return " ".join(part for part in (self.name, self.property_name, self.data_model) if part)

    @property
    def paths(self) -> tuple[Path, ...]:
        """The program's files, absolute."""
        return tuple((self.folder / file).absolute() for file in self.files)

    @property
    def is_horn(self) -> bool:
        """Whether this is a Horn system in SMT-LIB rather than a program."""
        return self.property_name == HORN_PROPERTY


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that is no task, with its place."""

    place: str
    text: str

    def __str__(self) -> str:
        return f"{printable(self.place)}: {printable(self.text)}"


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


def named_property(text: str) -> str:
    """The name of a property, which may be given as its file."""
    return Path(text).stem if text.endswith(".prp") else text


@dataclass(frozen=True, slots=True)
class Reading:
    """The tasks in their order, each once, and what went wrong."""

    tasks: tuple[Task, ...]
    problems: tuple[Problem, ...]


def read_tasks(
    sources: Iterable[Path], wanted: Wanted, root: Path | None = None, match: str = ""
) -> Reading:
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
    return Reading(tuple(tasks.by_id.values()), tuple(problems))


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
        from seahorn_py.bench.lists import read_list

        yield from read_list(source, root)
    else:
        yield from _of_file(source, source.absolute().parent.name, wanted)


def _of_file(file: Path, category: str, wanted: Wanted) -> Iterator[Task | Problem]:
    if file.suffix in _YAML_ENDINGS:
        yield from _of_definition(file, category)
    elif file.suffix in PROGRAM_ENDINGS:
        yield from _of_program(file, category, wanted)
    elif file.suffix == HORN_ENDING:
        yield Task(_name(file), category, _folder(file), (file.name,), HORN_PROPERTY)
    else:
        known = ".yml .set .jsonl .c .i .ll .bc .smt2"
        yield Problem(str(file), f"not a task; known are folders and {known}")


def _folder(file: Path) -> Path:
    return file.absolute().parent


def _name(file: Path) -> str:
    """The file with its folder, as in the collection of SV-COMP."""
    return "/".join(file.absolute().parts[-2:])


def _of_folder(folder: Path, wanted: Wanted) -> Iterator[Task | Problem]:
    """The definitions below a folder; the programs, if there are none."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    definitions = [file for file in files if file.suffix in _YAML_ENDINGS]
    if definitions:
        for file in definitions:
            yield from _of_definition(file, file.absolute().parent.name, strict=False)
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


def why_unreadable(error: OSError | UnicodeDecodeError) -> str:
    """Why a file cannot be read, in a few words."""
    return f"cannot read: {error.strerror if isinstance(error, OSError) else 'not a text file'}"


class _BrokenError(Exception):
    """A task definition that is none."""


def _of_definition(file: Path, category: str, strict: bool = True) -> Iterator[Task | Problem]:
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
    base = Task(_name(file), category, _folder(file), files, "", data_model=model)
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


def mismatch(task: Task) -> str:
    """What is wrong with a task whose property or verdict is of the other kind; "" if nothing is.

    No answer to it could be right.
    """
    if task.is_horn and not task.files[0].endswith(HORN_ENDING):
        return f"the property {HORN_PROPERTY} is one of Horn systems ({HORN_ENDING})"
    known, others = ("sat or unsat", _HOLDS) if task.is_horn else ("true or false", _SOLVABLE)
    wrong = task.expected if task.expected in others else None
    return f"expected is {wrong.value}, not {known}" if wrong else ""


def _texts(value: Any, name: str) -> tuple[str, ...]:
    """A text, or a list of texts."""
    values = [value] if isinstance(value, str) else value
    if not isinstance(values, list) or not values or not all(isinstance(v, str) for v in values):
        raise _BrokenError(f"{name} is not a file or a list of files")
    return tuple(values)


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
            _name(file), category, _folder(file), files, name, property_file, "LP64", expected
        )


def all_of(reading: Reading, sources: Sequence[Path]) -> tuple[Task, ...]:
    """The tasks, of which there must be one; SeaError otherwise."""
    if not reading.tasks:
        places = ", ".join(map(os.fspath, sources))
        raise SeaError(f"no task to run in {places}")
    return reading.tasks
