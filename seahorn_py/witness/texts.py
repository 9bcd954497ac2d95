"""The C text that a witness is made for.  Positions are those of `csource.syntax`."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from seahorn_py.base.errors import Span
from seahorn_py.base.records import dataclass
from seahorn_py.csource.leaves import Leaves
from seahorn_py.csource.names import Types
from seahorn_py.csource.syntax import CText, Position
from seahorn_py.options import FrontendOptions, Property
from seahorn_py.witness.witness import About, Place


@dataclass(frozen=True)
class Sources:
    """The files of a program by the names that the user gave them, and the question about it."""

    texts: tuple[CText, ...]
    frontend: FrontendOptions

    @classmethod
    def read(cls, files: Sequence[Path], frontend: FrontendOptions) -> Sources:
        """Read the files.  Raises InputError if one cannot be read."""
        return cls(tuple(CText.read(path) for path in files), frontend)

    def text_of(self, span: Span) -> CText | None:
        """The file of a place; None if it is no file of the program."""
        for text in self.texts:
            if span.file == text.name:
                return text
        places = (t for t in self.texts if Path(t.name).resolve() == Path(span.file).resolve())
        return next(places, None)

    @cached_property
    def types(self) -> dict[str, Types]:
        """The types of each file by its name."""
        return {text.name: Types(text, self.frontend.bits) for text in self.texts}

    @cached_property
    def leaves(self) -> dict[str, Leaves]:
        """The scalars of the objects of each file, by the name of the file."""
        return {text.name: Leaves(text, self.types[text.name]) for text in self.texts}

    def about(self, properties: frozenset[Property], rules: tuple[str, ...] = ()) -> About:
        """The task of a witness about these properties and rules, with SHA-256 of the files."""
        hashes = tuple((t.name, hashlib.sha256(t.text).hexdigest()) for t in self.texts)
        return About(hashes, properties, self.frontend.bits, rules=rules)


def place_of(text: CText, position: Position, function: str) -> Place:
    """A position in a file and function, as a place of witnesses."""
    return Place(text.name, position.line, position.line, position.column, function)
