"""Sites of inputs that the new program has beside those of the old one."""

from __future__ import annotations

from seahorn_py.ir.program import Program, Site, SiteKind
from seahorn_py.ir.types import Type


class Sites:
    """The sites of bytes that are read: unwritten, or from outside."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._made: dict[tuple[Type, bool], Site] = {}

    @property
    def all(self) -> tuple[Site, ...]:
        """Those of the program, and the new ones."""
        return (*self._program.sites, *self._made.values())

    def arbitrary(self, kind: Type, is_outside: bool = False) -> Site:
        """The site of bytes that are read as a value of a type."""
        key = kind, is_outside
        if key not in self._made:
            number = 1 + max((site.number for site in self.all), default=0)
            origin = self._program.functions[self._program.entry].origin
            of = SiteKind.EXTERN if is_outside else SiteKind.HAVOC
            self._made[key] = Site(number, of, kind, "memory", str(kind), origin, native=False)
        return self._made[key]
