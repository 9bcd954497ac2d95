"""What the functions of a program have in common while its pointers get companions."""

from __future__ import annotations

from dataclasses import field

from seahorn_py.base.errors import NOWHERE
from seahorn_py.base.records import dataclass
from seahorn_py.ir.program import Program, Site, SiteKind
from seahorn_py.ir.types import BOOL, POINTER, IntType, Type
from seahorn_py.passes.safety.provenance import Records

LOST = "whether a block that was not freed can still be reached"


@dataclass
class Setting:
    """What the functions have in common; calls of `open` ones carry the companions of pointers.

    `keepers` are those that may keep a pointer they are given, `called` those whose address is
    taken.
    """

    program: Program
    records: Records
    open: frozenset[str]
    keepers: frozenset[str]
    called: tuple[str, ...]
    sites: list[Site] = field(default_factory=list)

    def arbitrary(self) -> Site:
        """A site for what is not decided."""
        number = 1 + max((s.number for s in (*self.program.sites, *self.sites)), default=0)
        site = Site(number, SiteKind.HAVOC, BOOL, LOST, "_Bool", NOWHERE, native=False)
        self.sites.append(site)
        return site

    @property
    def companions(self) -> tuple[Type, ...]:
        """The types of what a pointer carries along."""
        kinds = (IntType(self.records.width), POINTER, POINTER)
        return kinds if self.records.shadows else kinds[:2]
