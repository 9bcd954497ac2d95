"""What `sea.toml` says: proofs, and findings that are known and excused until a day."""

from __future__ import annotations

import datetime
import shlex
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TypeAlias

from seahorn_py.base.errors import printable
from seahorn_py.base.records import dataclass
from seahorn_py.cli.reports.findings import Finding
from seahorn_py.result import Answer

FILE = "sea.toml"

Value: TypeAlias = "bool | int | float | str | tuple[str, ...]"
"""The value of a key; a list of texts is a tuple."""


@dataclass(frozen=True)
class Place:
    """A line of a file that is no C; 0 for the file as a whole."""

    file: Path
    line: int

    def __str__(self) -> str:
        file = printable(str(self.file))
        return f"{file}:{self.line}" if self.line else file


@dataclass(frozen=True)
class Proof:
    """A question: the files of a program, the options of `pf` as arguments, the answer expected.

    Files are named as this process finds them.  `values` are the keys as they were written, with
    those of `[defaults]`; `inputs` are the other files that the answer depends on.
    """

    name: str
    place: Place
    sources: tuple[Path, ...]
    arguments: tuple[str, ...] = ()
    expected: Answer = Answer.SAFE
    values: tuple[tuple[str, Value], ...] = ()
    inputs: tuple[Path, ...] = ()

    @property
    def command(self) -> str:
        """The command that asks the same question alone."""
        return shlex.join(["sea-py", "pf", *self.arguments, *map(str, self.sources)])


@dataclass(frozen=True)
class Suppression:
    """Findings that do not count up to and with the day `expires`, and why.

    A text is that of the proof, property, file, function or check that a finding must be of; ""
    fits all.  That of a file or proof may have `*` in it.
    """

    place: Place
    reason: str
    expires: datetime.date
    proof: str = ""
    property: str = ""
    file: str = ""
    function: str = ""
    check: str = ""

    def fits(self, proof: Proof, finding: Finding) -> bool:
        """Whether the finding of a proof is one of these."""
        where = finding.place
        file, function = (where.file, where.function) if where is not None else ("", "")
        return (
            self.is_about(proof)
            and self.property in ("", finding.property)
            and self.function in ("", function)
            and self.check in ("", finding.text)
            and (not self.file or fnmatchcase(file, str(self.file)))
        )

    def is_about(self, proof: Proof) -> bool:
        """Whether findings of the proof may be among these."""
        return not self.proof or fnmatchcase(proof.name, self.proof)

    def is_expired(self, today: datetime.date) -> bool:
        """Whether the day is past."""
        return today > self.expires


@dataclass(frozen=True)
class Project:
    """All that a file says, in its order."""

    file: Path
    proofs: tuple[Proof, ...]
    suppressions: tuple[Suppression, ...] = ()
