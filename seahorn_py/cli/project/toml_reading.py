"""`sea.toml` as it is read: what is not known, or not there, is an error that says where it is."""

from __future__ import annotations

import datetime
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from seahorn_py.base.errors import InputError, SeaError
from seahorn_py.base.patterns import pattern
from seahorn_py.base.records import dataclass
from seahorn_py.cli.project.keys import keys, placed
from seahorn_py.cli.project.project import FILE, Place, Project, Proof, Suppression, Value
from seahorn_py.cli.project.toml_lines import Lines, Table
from seahorn_py.processes.textfile import text_of
from seahorn_py.properties import nearest
from seahorn_py.result import Answer

NAME = pattern(r"[A-Za-z0-9_][A-Za-z0-9_./-]*")
TABLES = ("defaults", "proof", "suppress")
OWN_KEYS = ("name", "sources", "expected")
TEXT_KEYS = ("reason", "proof", "property", "file", "function", "check")
"""The keys of `[[suppress]]` beside `expires`."""

_GLOB = pattern(r"[*?\[]")
_DATE = datetime.date


def found(start: Path) -> Path:
    """The `sea.toml` of a folder, or of the nearest folder above it; InputError for none."""
    for folder in (start, *start.parents):
        if (folder / FILE).is_file():
            return folder / FILE
    raise InputError(f"no {FILE} in {start} or above: `sea-py init` writes one")


def read(file: Path) -> Project:
    """The project of a file; InputError names the line, what is wrong, and what to do."""
    text = text_of(file)
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(_no_toml(file, str(error))) from None
    except RecursionError:
        raise InputError(f"{file}: no TOML: too deep") from None
    except ValueError as error:  # a number that is too long, a day that there is not
        raise InputError(f"{file}: no TOML: {error}") from None
    return _Reader(file, Lines(text)).project(data)


def of_call(sources: Sequence[str], given: Mapping[str, Any], folder: Path) -> Proof:
    """The proof that keywords say, as they would say it in a file of that folder."""
    table = {name.replace("_", "-"): _plain(value) for name, value in given.items()}
    reader = _Reader(folder / "verify()", Lines(""))
    return reader.proof({"sources": list(sources), **table}, ("proof", 0), {})


def _plain(value: object) -> object:
    """A value of Python as TOML would give it."""
    if isinstance(value, tuple | list):
        return [_plain(one) for one in value]
    return str(value) if isinstance(value, Path) else value


def _no_toml(file: Path, why: str) -> str:
    where = re.fullmatch(r"(.*) \(at line (\d+), column (\d+)\)", why)
    if where is None:
        return f"{file}: no TOML: {why}"
    return f"{file}:{where[2]}:{where[3]}: no TOML: {where[1]}"


@dataclass(frozen=True)
class _Reader:
    """What is read from a file."""

    file: Path
    lines: Lines

    @property
    def folder(self) -> Path:
        """Where the names of files begin."""
        return self.file.parent

    def wrong(self, table: Table, key: str, what: str) -> InputError:
        """The error for a key, or a table where there is no key."""
        name, number = table
        path = ".".join(filter(None, (f"{name}[{number}]" if number else name, key)))
        return InputError(f"{Place(self.file, self.lines.of(table, key))}: {path}: {what}")

    def project(self, data: Mapping[str, Any]) -> Project:
        """All that a file says."""
        for name in data:
            if name not in TABLES:
                what = f"unknown table{nearest(name, TABLES)}; known: {', '.join(TABLES)}"
                raise self.wrong(("", 0), name, what)
        defaults = self._values(self._table(data.get("defaults", {}), ("defaults", 0)), "defaults")
        tables = self._tables(data, "proof")
        proofs = [self.proof(one, ("proof", k), defaults) for k, one in enumerate(tables)]
        if not proofs:
            raise InputError(f"{self.file}: no [[proof]] in this file")
        self._check_names(proofs)
        excused = enumerate(self._tables(data, "suppress"))
        suppressions = tuple(self._suppression(one, ("suppress", k)) for k, one in excused)
        for number, one in enumerate(suppressions):
            if not any(one.is_about(proof) for proof in proofs):
                near = nearest(one.proof, [proof.name for proof in proofs])
                raise self.wrong(("suppress", number), "proof", f"no proof {one.proof}{near}")
        return Project(self.file, tuple(proofs), suppressions)

    def _table(self, value: object, table: Table) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise self.wrong(("", 0), table[0], "expected a table")
        return value

    def _tables(self, data: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
        value = data.get(name, [])
        if not isinstance(value, list):
            raise self.wrong((name, 0), "", f"write [[{name}]], for there may be several")
        return [self._table(one, (name, k)) for k, one in enumerate(value)]

    def _check_names(self, proofs: Sequence[Proof]) -> None:
        seen: dict[str, Proof] = {}
        for number, proof in enumerate(proofs):
            if proof.name in seen:
                what = (
                    f"{proof.name} is the name of the proof in line {seen[proof.name].place.line}"
                )
                raise self.wrong(("proof", number), "name", what)
            seen[proof.name] = proof

    # ------------------------------------------------------------------------------ a proof

    def proof(self, data: Mapping[str, Any], table: Table, defaults: Mapping[str, Value]) -> Proof:
        """A proof, of which all is there that it names."""
        own = {name: value for name, value in data.items() if name in OWN_KEYS}
        rest = {name: value for name, value in data.items() if name not in OWN_KEYS}
        values = {**defaults, **self._values(rest, *table)}
        name = own.get("name", "proof")
        if not isinstance(name, str) or not NAME.fullmatch(name):
            raise self.wrong(table, "name", f"{name!r}: letters, digits and _ . / - make a name")
        if "name" not in own and self.lines.of(table):
            raise self.wrong(table, "name", "is missing: each proof has one")
        sources = self._sources(own, table, values)
        arguments = tuple(self._arguments(values))
        inputs = tuple(self._inputs(values, table))
        place = Place(self.file, self.lines.of(table))
        expected = self._expected(own.get("expected", "safe"), table)
        proof = Proof(name, place, sources, arguments, expected, tuple(values.items()), inputs)
        self._check(proof, table)
        return proof

    def _values(self, data: Mapping[str, Any], name: str, number: int = 0) -> dict[str, Value]:
        """The keys that are options, checked."""
        found: dict[str, Value] = {}
        for key, value in data.items():
            known = keys().get(key)
            if known is None:
                raise self._unknown((name, number), key)
            if not known.takes(value):
                what = f"expected {known.expected}, not {_shown(value)}"
                raise self.wrong((name, number), key, what)
            found[key] = tuple(value) if isinstance(value, list) else value
        self._check_flags(found.get("flags", ()), (name, number))
        return found

    def _unknown(self, table: Table, key: str) -> InputError:
        own = OWN_KEYS if table[0] == "proof" else ()
        if key in OWN_KEYS and not own:
            return self.wrong(table, key, "belongs into each [[proof]]")
        near = nearest(key, [*own, *keys()])
        return self.wrong(table, key, f"unknown key{near}; docs/reference/sea-toml.md has all")

    def _check_flags(self, flags: Value, table: Table) -> None:
        from seahorn_py.frontend.compiling.flags import read_flags

        try:
            given = read_flags(_texts(flags))
        except InputError as error:
            raise self.wrong(table, "flags", str(error)) from None
        if given.bits is not None:
            raise self.wrong(table, "flags", f"-m{given.bits}: write bits = {given.bits}")
        if given.files:
            raise self.wrong(table, "flags", f"{given.files[0]}: files are named in `sources`")

    def _expected(self, value: object, table: Table) -> Answer:
        try:
            return Answer(value)
        except ValueError:
            answers = ", ".join(answer.value for answer in Answer)
            what = f"expected one of {answers}, not {_shown(value)}"
            raise self.wrong(table, "expected", what) from None

    def _arguments(self, values: Mapping[str, Value]) -> Iterator[str]:
        for name, value in values.items():
            if name == "flags":
                yield from (f"--cflag={flag}" for flag in self._flags(_texts(value)))
            else:
                yield from keys()[name].arguments(value, self.folder)

    def _flags(self, flags: Sequence[str]) -> Sequence[str]:
        """Flags in which names of files begin at the folder, as this process finds them."""
        from seahorn_py.frontend.compiling.flags import read_flags

        is_here = self.folder.resolve() == Path.cwd()
        return flags if is_here else read_flags(flags, self.folder).flags

    def _inputs(self, values: Mapping[str, Value], table: Table) -> Iterator[Path]:
        """The other files that a proof names, each of which must be there."""
        for name, value in values.items():
            for path in keys()[name].files(value, self.folder):
                if not path.exists():
                    raise self.wrong(table, name, f"{path}: no such file{_near(path)}")
                if path.is_file():
                    yield path

    def _sources(
        self, own: Mapping[str, Any], table: Table, values: Mapping[str, Value]
    ) -> tuple[Path, ...]:
        given = own.get("sources")
        if given is None and isinstance(values.get("compdb"), str):
            from seahorn_py.frontend.compiling.compdb import listed

            try:
                return listed(placed(self.folder, str(values["compdb"])))
            except SeaError as error:
                raise self.wrong(table, "compdb", str(error)) from None
        several = [given] if isinstance(given, str) else given
        if not isinstance(several, list) or not all(isinstance(one, str) for one in several):
            raise self.wrong(table, "sources", f"expected a list of files, not {_shown(given)}")
        files = [path for one in several for path in self._matching(one, table)]
        if not files:
            raise self.wrong(table, "sources", "names no file")
        return tuple(dict.fromkeys(files))

    def _matching(self, name: str, table: Table) -> Iterator[Path]:
        """The file of that name, or all that a pattern stands for."""
        path = placed(self.folder, name)
        if path.is_file():
            yield path
        elif _GLOB.search(name) and not Path(name).is_absolute():
            several = sorted(one for one in self.folder.glob(name) if one.is_file())
            if not several:
                raise self.wrong(table, "sources", f"{name}: no file is called so")
            yield from (placed(self.folder, str(one.relative_to(self.folder))) for one in several)
        else:
            raise self.wrong(table, "sources", f"{path}: no such file{_near(path)}")

    def _check(self, proof: Proof, table: Table) -> None:
        """Wrong where the options do not fit together, or a file says something else."""
        from seahorn_py.cli.project.running import chosen_of, options_of

        try:
            options_of(chosen_of(proof))
        except click.UsageError as error:
            raise self.wrong(table, "", error.format_message()) from None
        except SeaError as error:
            raise self.wrong(table, "", str(error)) from None

    # ------------------------------------------------------------------------ a suppression

    def _suppression(self, data: Mapping[str, Any], table: Table) -> Suppression:
        for key, value in data.items():
            if key not in (*TEXT_KEYS, "expires"):
                near = nearest(key, [*TEXT_KEYS, "expires"])
                known = ", ".join((*TEXT_KEYS, "expires"))
                raise self.wrong(table, key, f"unknown key{near}; known: {known}")
            if key in TEXT_KEYS and not (isinstance(value, str) and value):
                raise self.wrong(table, key, f"expected a text, not {_shown(value)}")
        self._check_needed(data, table)
        place = Place(self.file, self.lines.of(table))
        read = Suppression(place, **{key.replace("-", "_"): data[key] for key in data})
        return replace(read, file=str(placed(self.folder, read.file))) if read.file else read

    def _check_needed(self, data: Mapping[str, Any], table: Table) -> None:
        if "reason" not in data:
            raise self.wrong(table, "reason", "is missing: why does this finding not count?")
        day = data.get("expires")
        if isinstance(day, datetime.datetime) or not isinstance(day, _DATE):
            what = "expected a day such as 2027-12-31, without quotes: when is it looked at again?"
            raise self.wrong(table, "expires", what)
        if not {"property", "file", "function", "check"} & set(data):
            what = "say which findings: property, file, function or check"
            raise self.wrong(table, "", what)


def _texts(value: Value) -> tuple[str, ...]:
    several = value if isinstance(value, tuple) else (value,)
    return tuple(map(str, several))


def _shown(value: object) -> str:
    """A value as TOML writes it, about."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return "nothing" if value is None else repr(value)


def _near(path: Path) -> str:
    """A file beside it with nearly the same name, as the rest of a sentence."""
    try:
        names = [one.name for one in path.parent.iterdir()]
    except OSError:
        return ""
    return nearest(path.name, names)
