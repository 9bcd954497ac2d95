"""What the unfolded program relies on, as checks of its own.

A proof of the unfolded program proves them too; where one of them can fail, nothing is known.
"""

from __future__ import annotations

from seahorn_py.base.errors import NOWHERE, Origin
from seahorn_py.ir.program import CheckSite, Program


class Expectations:
    """The checks that are added to those of a program, of the same kind as its first."""

    def __init__(self, program: Program) -> None:
        self.sites: list[CheckSite] = []
        self._next = 1 + max((check.number for check in program.checks), default=0)
        self._kind = next((check.property for check in program.checks), "")
        self._valid: CheckSite | None = None

    def _added(self, text: str, origin: Origin) -> CheckSite:
        site = CheckSite(self._next + len(self.sites), self._kind, text, origin)
        self.sites.append(site)
        return site

    def impossible(self, origin: Origin) -> CheckSite:
        """It fails where a branch is taken that an oracle has ruled out."""
        return self._added("a run goes where none was expected", origin)

    def valid(self) -> CheckSite:
        """It fails before an invalid access; one for all accesses."""
        if self._valid is None:
            self._valid = self._added("an access of memory is invalid", NOWHERE)
        return self._valid
