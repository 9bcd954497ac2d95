"""Golden files: a program as text, and behind lines `==== title` what becomes of it.

`pytest --rewrite-golden` writes what is found into the files instead of comparing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from seahorn_py.ir.parser.parser import parse_program
from seahorn_py.ir.printer import print_program
from seahorn_py.ir.program import Program

_TITLE = re.compile(r"^==== (.+)\n", re.MULTILINE)

Maker = Callable[[Program], str]
"""What belongs under a title."""


@dataclass(frozen=True)
class Golden:
    """A file: what it shows in a sentence, the program, and the texts by their titles."""

    file: Path
    shows: str
    given: str
    expected: Mapping[str, str]

    @classmethod
    def read(cls, file: Path) -> Golden:
        """Read a file; titles without a text are to be written."""
        given, *parts = _TITLE.split(file.read_text())
        lines = given.splitlines()
        shows = [line for line in lines if line.startswith("# ")]
        program = "\n".join(lines[len(shows) :]).strip("\n") + "\n"
        expected = {title: part.strip("\n") for title, part in zip(*[iter(parts)] * 2, strict=True)}
        return cls(file, "\n".join(shows), program, expected)

    @property
    def program(self) -> Program:
        """The program before."""
        return parse_program(self.given)

    def check(self, makers: Mapping[str, Maker], rewrite: bool) -> None:
        """Compare the program and all texts with what is printed, or write that."""
        program = self.program
        found = {title: makers[title](program).strip("\n") for title in self.expected}
        if rewrite:
            parts = [f"{self.shows}\n{print_program(program)}"]
            parts += [f"==== {title}\n{text}\n" for title, text in found.items()]
            self.file.write_text("\n".join(parts))
            return
        assert self.given == print_program(program), "the program is not written as it is printed"
        assert dict(self.expected) == found, "see the file; pytest --rewrite-golden writes it anew"


def golden_files(folder: Path) -> list[Path]:
    """All golden files below a folder."""
    return sorted((folder / "golden").rglob("*.txt"))


def file_id(file: Path) -> str:
    """The name of a file in those of tests."""
    parts = file.with_suffix("").parts
    return "/".join(parts[parts.index("golden") + 1 :])
