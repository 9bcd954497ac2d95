"""What a witness says, apart from how it is written (formats: YAML 2.0, GraphML 1.0).

A violation witness is a sequence of waypoints that a run passes in this order; the last one is the
target.  A correctness witness is a set of invariants.  Positions are those of `csource.syntax`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from seahorn_py.csource.leaves import Leaves
from seahorn_py.csource.names import Types
from seahorn_py.csource.syntax import CText, Position
from seahorn_py.errors import Span
from seahorn_py.options import FrontendOptions, Property

_FORMULAS = {
    Property.UNREACH_CALL: "G ! call(reach_error())",
    Property.NO_OVERFLOW: "G ! overflow",
    Property.VALID_FREE: "G valid-free",
    Property.VALID_DEREF: "G valid-deref",
    Property.VALID_MEMTRACK: "G valid-memtrack",
    Property.VALID_MEMCLEANUP: "G valid-memcleanup",
}
_ORDER = list(_FORMULAS)


@dataclass(frozen=True, slots=True)
class Location:
    """A place in a file; without `column` the leftmost one in the line that fits.

    `function` is the function around it.
    """

    file: str
    line: int
    column: int | None
    function: str


@dataclass(frozen=True, slots=True)
class Assumption:
    """C expressions that hold just before the statement at `location`.

    Each tells the value of one input, with the place where that is read; None if a `FunctionReturn`
    before tells it as well.  Without any the waypoint says only that control comes there.
    """

    location: Location
    facts: tuple[tuple[str, Location | None], ...]

    @property
    def expression(self) -> str:
        """The conjunction."""
        return " && ".join(text for text, _ in self.facts) or "1"


@dataclass(frozen=True, slots=True)
class FunctionReturn:
    """The call of `callee` has just returned `value`; its closing parenthesis is at `location`.

    `read` is where the call begins.  `again`: an assumption behind it tells the value, too.
    """

    location: Location
    callee: str
    value: str
    read: Location
    again: bool = False


@dataclass(frozen=True, slots=True)
class Branching:
    """The controlling expression of the statement that begins at `location` has this value.

    It is `true` or `false`, of a `switch` the constant of the label that control goes to, or
    `default`.
    """

    location: Location
    value: str


@dataclass(frozen=True, slots=True)
class Target:
    """The statement at `location` violates the property."""

    location: Location


Waypoint = Assumption | FunctionReturn | Branching | Target


@dataclass(frozen=True, slots=True)
class LoopInvariant:
    """The C expression holds each time before the condition of the loop is evaluated."""

    location: Location
    expression: str


@dataclass(frozen=True, slots=True)
class LocationInvariant:
    """The C expression holds each time control is just before the statement."""

    location: Location
    expression: str


WitnessInvariant = LoopInvariant | LocationInvariant


@dataclass(frozen=True)
class Subject:
    """The files of a program as they were named, and what was asked of it."""

    texts: tuple[CText, ...]
    frontend: FrontendOptions

    @classmethod
    def read(cls, files: Sequence[Path], frontend: FrontendOptions) -> Subject:
        """Read the files; InputError if one cannot be read."""
        return cls(tuple(CText.read(path) for path in files), frontend)

    def text_of(self, span: Span) -> CText | None:
        """The file that a place lies in, if it is one of the program's."""
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
        """What the objects of each file consist of, by its name."""
        return {text.name: Leaves(text, self.types[text.name]) for text in self.texts}

    @property
    def hashes(self) -> tuple[tuple[str, str], ...]:
        """Each file with the SHA-256 of its bytes."""
        return tuple((t.name, hashlib.sha256(t.text).hexdigest()) for t in self.texts)

    @property
    def data_model(self) -> str:
        """ILP32 or LP64."""
        return "ILP32" if self.frontend.bits == 32 else "LP64"


def location(text: CText, position: Position, function: str, exact: bool = True) -> Location:
    """A location in a file; without a column if that is not to be exact."""
    return Location(text.name, position.line, position.column if exact else None, function)


def specification(properties: frozenset[Property]) -> str:
    """The lines of a property file for these properties; calls of errors if there are none."""
    wanted = set(properties) or {Property.UNREACH_CALL}
    if Property.VALID_MEMSAFETY in wanted:
        wanted |= {Property.VALID_FREE, Property.VALID_DEREF, Property.VALID_MEMTRACK}
    formulas = [_FORMULAS[p] for p in _ORDER if p in wanted]
    return "\n".join(f"CHECK( init(main()), LTL({formula}) )" for formula in formulas)
