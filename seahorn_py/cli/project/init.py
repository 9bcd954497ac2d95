"""`sea-py init`: a first `sea.toml` for a folder, from what is there."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from seahorn_py.base.errors import InputError, SeaError
from seahorn_py.base.patterns import pattern
from seahorn_py.base.records import dataclass
from seahorn_py.cli.commands.commands import reports_errors, say
from seahorn_py.cli.project.builds import Build, c_files, found
from seahorn_py.cli.project.project import FILE
from seahorn_py.cli.project.toml_reading import read
from seahorn_py.verification.views.survey import MAIN, Unit, homes_of, program, surveyed

TIMEOUT_S, CONTRACTS_TIMEOUT_S = 60, 300
MOST_ACTIVE, MOST_SHOWN = 10, 40
"""Functions with a proof where nothing else is to be proved; functions that comments name."""
_NO_NAME = pattern(r"[^A-Za-z0-9_./-]+")


@dataclass(frozen=True)
class Draft:
    """A proof as it is written: its name, the files, other lines of TOML, and what was found."""

    name: str
    sources: tuple[Path, ...]
    lines: tuple[str, ...]
    found: str


@click.command("init")
@click.argument("folder", type=click.Path(path_type=Path), default=Path())
@reports_errors
def init(folder: Path) -> None:
    """Write a first sea.toml into FOLDER (this one by default); one that is there stays as it is.

    Files and flags come from compile_commands.json, else from cmake or make, which are asked what
    they would do, else from the C files that are there.
    """
    if not folder.is_dir():
        raise InputError(f"{folder}: no such folder")
    file = folder / FILE
    if file.exists():
        raise InputError(f"{file}: is there already, and stays as it is; remove it for a new one")
    build = found(folder)
    units = list(_units(folder, build))
    if not units:
        raise InputError(f"{folder}: no C file found")
    drafts, others = drafted(units)
    _write(file, text(build, drafts, others, folder))
    for line in _told(file, build, drafts, others):
        say(line)


def _units(folder: Path, build: Build) -> Iterator[Unit]:
    """The files of the build, and others beside them: of harnesses a build may know nothing."""
    paths = dict.fromkeys(Path(os.path.normpath(path)) for path, _ in build.files)
    paths.update(dict.fromkeys(c_files(folder) if build.database is None else ()))
    for path in paths:
        try:
            str(path).encode()
            yield surveyed(path)
        except (SeaError, UnicodeEncodeError) as error:
            say(f"left out: {error}")


# ------------------------------------------------------------------------------ what is proved


def drafted(units: Sequence[Unit]) -> tuple[list[Draft], list[Draft]]:
    """The proofs of these files, and functions that could be asked about too."""
    homes = homes_of(units)
    drafts = [_of_main(unit, program(unit, homes)) for unit in units if unit.has_main]
    drafts += _of_contracts([program(unit, homes) for unit in units if unit.has_contracts])
    functions = [
        _of_function(name, line, program(unit, homes))
        for unit in units
        if not unit.has_main and not unit.has_contracts
        for name, line in unit.functions
        if name != MAIN
    ]
    active = 0 if drafts else MOST_ACTIVE
    named = list(_with_own_names([*drafts, *functions]))
    until = len(drafts) + active
    return named[:until], named[until:]


def _of_main(unit: Unit, files: tuple[Unit, ...]) -> Draft:
    count = sum(one.assertions for one in files)
    asked = f"{count} assertions" if count > 1 else "1 assertion" if count else "no assertion"
    paths = tuple(one.path for one in files)
    return Draft(unit.path.stem, paths, (), f"{unit.path.name}: main, {asked}")


def _of_contracts(programs: Sequence[tuple[Unit, ...]]) -> Iterator[Draft]:
    """A proof for each file with contracts, but for those that the proof of another one has."""
    lines = ("modular = true", f"timeout = {CONTRACTS_TIMEOUT_S}")
    names = [frozenset(unit.path for unit in files) for files in programs]
    for number, files in enumerate(programs):
        others = names[:number] + names[number + 1 :]
        if any(names[number] < other for other in others) or names[number] in names[:number]:
            continue
        paths = tuple(one.path for one in files)
        unit = files[0]
        yield Draft(f"{unit.path.stem}-contracts", paths, lines, f"{unit.path.name}: contracts")


def _of_function(name: str, line: int, files: tuple[Unit, ...]) -> Draft:
    paths = tuple(one.path for one in files)
    return Draft(name, paths, (f"entry = {quoted(name)}",), f"{paths[0].name}:{line}: {name}")


def _with_own_names(drafts: Sequence[Draft]) -> Iterator[Draft]:
    """The proofs with a name for each that no other has."""
    seen: set[str] = set()
    for draft in drafts:
        plain = _NO_NAME.sub("_", draft.name).lstrip("./-") or "proof"
        name, number = plain, 1
        while name in seen:
            number += 1
            name = f"{plain}-{number}"
        seen.add(name)
        yield Draft(name, draft.sources, draft.lines, draft.found)


# ----------------------------------------------------------------------------------- as text


def quoted(value: str) -> str:
    """A text of TOML."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def text(build: Build, drafts: Sequence[Draft], others: Sequence[Draft], folder: Path) -> str:
    """The file."""
    flags = dict(build.files)
    common = _common([own for _, own in build.files])
    lines = [
        "# Proofs of this project: `sea-py check` runs those that have changed.",
        "# All keys: docs/reference/sea-toml.md of seahorn_py.",
        "",
        "[defaults]",
        f"timeout = {TIMEOUT_S}  # seconds for each proof",
    ]
    if build.database is not None:
        lines.append(f"compdb = {quoted(_named(build.database, folder))}")
    if common:
        lines.append(f"flags = {_list(common)}")
    for draft in drafts:
        lines += ["", *_proof(draft, _own_flags(draft, flags, common), folder)]
    if others:
        lines += ["", "# Functions by themselves, called with any arguments:"]
    for draft in others[:MOST_SHOWN]:
        proof = _proof(draft, _own_flags(draft, flags, common), folder)
        lines += ["#", *(f"# {line}" for line in proof if not line.startswith("#"))]
    return "\n".join(lines) + "\n"


def _proof(draft: Draft, flags: Sequence[str], folder: Path) -> Iterator[str]:
    yield f"# {draft.found}"
    yield "[[proof]]"
    yield f"name = {quoted(draft.name)}"
    yield f"sources = {_list([_named(path, folder) for path in draft.sources])}"
    if flags:
        yield f"flags = {_list(flags)}"
    yield from draft.lines


def _named(path: Path, folder: Path) -> str:
    return os.path.relpath(path, folder)


def _list(values: Sequence[str]) -> str:
    return f"[{', '.join(map(quoted, values))}]"


def _common(flags: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """The flags of all files."""
    first = flags[0] if flags else ()
    return tuple(flag for flag in dict.fromkeys(first) if all(flag in own for own in flags))


def _own_flags(
    draft: Draft, flags: dict[Path, tuple[str, ...]], common: tuple[str, ...]
) -> list[str]:
    """All flags of a proof where some file has more than the common ones."""
    own = dict.fromkeys(flag for path in draft.sources for flag in flags.get(path, ()))
    return list(own) if any(flag not in common for flag in own) else []


def _write(file: Path, content: str) -> None:
    """Write the file if there is none, and keep it if it can be read."""
    try:
        with file.open("x", encoding="utf-8") as stream:
            stream.write(content)
    except OSError as error:
        raise InputError(f"{file}: cannot write: {error.strerror}") from None
    try:
        read(file)
    except SeaError:
        file.unlink()
        raise


def _told(
    file: Path, build: Build, drafts: Sequence[Draft], others: Sequence[Draft]
) -> Iterator[str]:
    """What was found."""
    count = len(build.files)
    yield f"found: {build.origin}: {count} C file{'s' if count != 1 else ''}"
    yield from (f"note: {note}" for note in build.notes)
    for draft in drafts:
        names = ", ".join(path.name for path in draft.sources)
        yield f"proof: {draft.name}: {draft.found} ({names})"
    if others:
        names = ", ".join(draft.name for draft in others[:MOST_SHOWN])
        yield f"functions without a proof, as comments in the file: {names}"
    noun = "proof" if len(drafts) == 1 else "proofs"
    yield f"{file}: {len(drafts)} {noun}; run them: sea-py check"
