"""What other distributions add, by entry points; asked for only where something is named.

An entry point of the group `seahorn_py.engines` and so on has a name, by which users choose it.
What it leads to is imported when it is needed, and whatever goes wrong then is a `SeaError` that
names the plug-in.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import TypeVar

from seahorn_py.base.errors import SeaError, printable
from seahorn_py.base.records import dataclass

Loaded = TypeVar("Loaded")


class Kind(Enum):
    """What a plug-in adds; its group of entry points is `seahorn_py.` and the value."""

    ENGINE = "engines"
    PASS = "passes"
    DOMAIN = "domains"
    RULE = "rules"
    LIBRARY_MODEL = "library_models"

    @property
    def word(self) -> str:
        """One of them."""
        return "pass" if self is Kind.PASS else self.value.replace("_", " ").removesuffix("s")


@dataclass(frozen=True, slots=True)
class PlugIn:
    """A plug-in of a distribution; `target` is where it is, `module:attribute`."""

    kind: Kind
    name: str
    distribution: str
    version: str
    target: str

    @property
    def value(self) -> str:
        """The name, where a member of an enumeration has its own."""
        return self.name

    def __str__(self) -> str:
        return f"the {self.kind.word} {self.name} of {self.distribution} {self.version}"

    def load(self, fitted: Callable[[object], Loaded | None], expected: str) -> Loaded:
        """What it leads to, as `fitted` takes it; SeaError where that is None or raises."""
        from importlib.metadata import EntryPoint  # costs start-up time

        try:
            found = EntryPoint(self.name, self.target, "seahorn_py").load()
            made = fitted(found)
        except MemoryError:
            raise
        except Exception as error:  # whatever a module of others does when it is imported
            said = f"{type(error).__name__}: {error}".removesuffix(": ")
            raise SeaError(f"{self} cannot be loaded: {' '.join(said.split())}") from None
        if made is None:
            raise SeaError(f"{self}: {self.target} is no {self.kind.word}; expected {expected}")
        return made


def known(kind: Kind) -> tuple[PlugIn, ...]:
    """All plug-ins of a kind, by name; reading what is installed takes some milliseconds."""
    from importlib.metadata import entry_points  # costs start-up time

    found = []
    for point in entry_points(group=f"seahorn_py.{kind.value}"):
        owner = point.dist
        name, version = ("?", "?") if owner is None else (owner.name, owner.version)
        found.append(PlugIn(kind, point.name, printable(name), printable(version), point.value))
    return tuple(sorted(found, key=lambda one: (one.name, one.distribution)))


def find(kind: Kind, name: str) -> PlugIn | None:
    """The plug-in of that name; SeaError if several distributions have one."""
    found = [one for one in known(kind) if one.name == name]
    if len({one.distribution for one in found}) > 1:
        owners = ", ".join(one.distribution for one in found)
        raise SeaError(f"several distributions have the {kind.word} {name}: {owners}")
    return found[0] if found else None


def named(kind: Kind, name: str) -> PlugIn:
    """The plug-in of that name; SeaError if there is none."""
    found = find(kind, name)
    if found is None:
        names = ", ".join(one.name for one in known(kind)) or "none is installed"
        raise SeaError(f"there is no {kind.word} {name} by a plug-in; known: {names}")
    return found
