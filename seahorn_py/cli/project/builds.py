"""Which C files a folder has, and with which flags they are built.

    compile_commands.json    as the build recorded it
    CMakeLists.txt           configured by cmake in a folder of ours, where nothing is built
    Makefile                 what `make --dry-run` says that it would do
    else                     all C files below the folder

CMake and make run what the files of the build say, as a build does.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from seahorn_py.base.errors import InputError, SeaError
from seahorn_py.base.patterns import pattern
from seahorn_py.base.records import dataclass
from seahorn_py.frontend.compiling.compdb import listed, recorded
from seahorn_py.frontend.compiling.flags import Given, read_flags
from seahorn_py.processes import scratch
from seahorn_py.processes.child import ChildError, Completed, command
from seahorn_py.processes.deadline import Deadline

DATABASE = "compile_commands.json"
MOST_FILES = 2_000
BUILD_SECONDS = 60.0

_SKIPPED = frozenset({"build", "_build", "CMakeFiles", "node_modules", "venv", "target", "dist"})
_COMPILER = pattern(r"(?:.*/)?(?:[\w.]+-)*(?:cc|c99|gcc|clang|sea-cc)(?:-[\d.]+)?$")
_ENTERING = pattern(r"make(?:\[\d+\])?: Entering directory '(.*)'$")
_LEAVING = pattern(r"make(?:\[\d+\])?: Leaving directory '")
_INCLUDED = pattern(r'^[ \t]*#[ \t]*include[ \t]*"([\w./+-]+)"', re.MULTILINE)
_AND = pattern(r"&&|;|\|\|?")


@dataclass(frozen=True)
class Build:
    """What was found: where, the C files with their flags, and what is to be said about it.

    With a database the flags are there, and none are told.
    """

    origin: str
    files: tuple[tuple[Path, tuple[str, ...]], ...]
    database: Path | None = None
    notes: tuple[str, ...] = ()


def found(folder: Path) -> Build:
    """The build of a folder."""
    for database in (folder / DATABASE, *sorted(folder.glob(f"*/{DATABASE}"))):
        if database.is_file():
            files = tuple((path, ()) for path in listed(database) if path.is_file())
            return Build(str(database), files, database)
    notes: list[str] = []
    for file, tool, ask in (("CMakeLists.txt", "cmake", _cmake), ("Makefile", "make", _make)):
        if not (folder / file).is_file():
            continue
        if shutil.which(tool) is None:
            notes.append(f"{folder / file}: {tool} is not on the PATH, so its flags are not known")
            continue
        build = ask(folder)
        if build.files:
            return Build(build.origin, build.files, None, (*notes, *build.notes))
        notes += build.notes
    paths = [*c_files(folder)]
    flags = tuple(f"-I{place}" for place in _folders_of_headers(folder, paths))
    origin = f"no build, but C files below {folder.resolve().name}"
    return Build(origin, tuple((path, flags) for path in paths), None, tuple(notes))


def c_files(folder: Path, ending: str = ".c") -> Iterator[Path]:
    """The C files below a folder, but for folders that builds make, and hidden ones."""
    count = 0
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(n for n in folders if n not in _SKIPPED and not n.startswith("."))
        for name in sorted(names):
            if name.endswith(ending) and count < MOST_FILES:
                count += 1
                yield Path(place) / name


def _folders_of_headers(folder: Path, files: Sequence[Path]) -> list[str]:
    """The folders of headers that files name and do not have beside them, where one fits."""
    headers = [*c_files(folder, ".h")]
    found: set[str] = set()
    for file in files:
        for name in _INCLUDED.findall(file.read_text(errors="replace")):
            homes = [one for one in headers if one.as_posix().endswith(f"/{name}")]
            if len(homes) == 1 and not (file.parent / name).is_file():
                place = os.path.normpath(homes[0].as_posix().removesuffix(name))
                found.add(os.path.relpath(place, folder))
    return sorted(found)


def _cmake(folder: Path) -> Build:
    """What CMake records when it configures the folder."""
    origin = str(folder / "CMakeLists.txt")
    with scratch.folder() as place:
        told = "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"
        done = _run(["cmake", "-S", str(folder.resolve()), "-B", str(place), told], folder)
        database = place / DATABASE
        if not database.is_file():
            why = (done.errors or done.output).strip().splitlines()
            return Build(origin, (), None, (f"{origin}: cmake: {why[0] if why else 'no answer'}",))
        try:
            files = [
                path for path in listed(database) if path.is_file() and _is_below(path, folder)
            ]
            flags = recorded(database, files, 64)
        except SeaError as error:
            return Build(origin, (), None, (f"{origin}: {error}",))
        return Build(origin, tuple((path, _relative(own, folder)) for path, own in flags))


def _make(folder: Path) -> Build:
    """What make would run to build everything."""
    origin = str(folder / "Makefile")
    done = _run(["make", "--dry-run", "--always-make", "--keep-going", "-w"], folder)
    files: dict[Path, tuple[str, ...]] = {}
    notes: list[str] = []
    for place, words in _commands(done.output, folder):
        given, refused = _given(words[1:], None if place == folder else place)
        notes += (f"{origin}: {why}" for why in refused)
        for name in given.files:
            path = Path(os.path.normpath(place / name))
            if name.endswith(".c") and path.is_file():
                files.setdefault(path, _relative(given.flags, folder))
    if not files:
        why = (done.errors or "it compiles no C file").strip().splitlines()
        notes.append(f"{origin}: make --dry-run: {why[0]}")
    return Build(origin, tuple(files.items()), None, tuple(dict.fromkeys(notes)))


def _given(words: Sequence[str], folder: Path | None) -> tuple[Given, list[str]]:
    """What the arguments of a compiler say, without those that are refused, and why they are."""
    left, refused = list(words), list[str]()
    while True:
        try:
            return read_flags(left, folder), refused
        except InputError as error:
            word = str(error).partition(": ")[0]
            refused.append(str(error))
            left = [one for one in left if one != word] if word in left else []


def _commands(output: str, folder: Path) -> Iterator[tuple[Path, list[str]]]:
    """The calls of compilers, each with the folder that it is made in."""
    places = [folder]
    for line in output.replace("\\\n", " ").splitlines():
        entering = _ENTERING.match(line)
        if entering is not None:
            inner = os.path.relpath(Path(entering[1]).resolve(), folder.resolve())
            places.append(folder / inner)
        elif _LEAVING.match(line):
            places.pop()
        else:
            yield from ((places[-1], words) for words in _calls(line))


def _calls(line: str) -> Iterator[list[str]]:
    for part in _AND.split(line):
        try:
            words = shlex.split(part)
        except ValueError:
            continue
        while words and re.fullmatch(r"\w+=.*|ccache|@.*|env", words[0]):
            words = words[1:]
        if words and _COMPILER.match(words[0]):
            yield words


def _run(argv: Sequence[str], folder: Path) -> Completed:
    try:
        return command(argv, Deadline.after(BUILD_SECONDS), cwd=folder)
    except (ChildError, OSError) as error:
        return Completed(1, "", str(error))


def _is_below(path: Path, folder: Path) -> bool:
    return path.resolve().is_relative_to(folder.resolve())


def _relative(flags: Sequence[str], folder: Path) -> tuple[str, ...]:
    """Flags that name what is below the folder relative to it."""
    root = f"{folder.resolve()}"
    found = []
    for flag in flags:
        head, at, tail = flag.partition(root)
        is_below = at and head.startswith("-i" if len(head) > 2 else "-I")
        if is_below and (not tail or tail.startswith("/")):
            flag = f"{head}{tail[1:] or '.'}"
        found.append(flag)
    return tuple(found)
