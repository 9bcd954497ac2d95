"""Arrays as Python values: total maps that differ from one element in finitely many places."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Protocol, TypeAlias

from seahorn_py.base.records import dataclass

Element: TypeAlias = "int | bool | Fraction | Map"


class Map(Protocol):
    """An array."""

    def read(self, index: int) -> Element:
        """The element at an index."""

    def places(self) -> Iterable[int]:
        """The indices at which the element may differ from `rest`."""

    @property
    def rest(self) -> Element:
        """The element everywhere else."""


@dataclass(frozen=True, slots=True)
class Everywhere:
    """The same element at every index."""

    rest: Element

    def read(self, index: int) -> Element:
        """The element."""
        return self.rest

    def places(self) -> Iterable[int]:
        """None."""
        return ()


@dataclass(frozen=True, slots=True)
class Stored:
    """A map with one element changed."""

    below: Map
    index: int
    element: Element

    def read(self, index: int) -> Element:
        """The changed element, or the one below."""
        below: Map = self
        while isinstance(below, Stored):
            if below.index == index:
                return below.element
            below = below.below
        return below.read(index)

    def places(self) -> Iterable[int]:
        """Those of the map below, and the index."""
        below: Map = self
        while isinstance(below, Stored):
            yield below.index
            below = below.below
        yield from below.places()

    @property
    def rest(self) -> Element:
        """That of the map below."""
        below: Map = self
        while isinstance(below, Stored):
            below = below.below
        return below.rest


def same(one: Map, other: Map, indices: int = 0) -> bool:
    """Equality of arrays: of all elements; `indices` is how many there are, 0 for no end."""
    places = {*one.places(), *other.places()}
    if one.rest != other.rest and len(places) != indices:
        return False
    return all(one.read(i) == other.read(i) for i in places)
