"""What unfolding relies on, as checks that the unfolded program has beside those of the old one.

A proof of the unfolded program proves them too.  If one of them can fail, nothing is known of the
old program.
"""

from __future__ import annotations

from seahorn_py.base.errors import NOWHERE, Origin
from seahorn_py.ir.program import CheckSite, Program


class Expectations:
    """The checks that are added to those of a program, under the property of its first check."""

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
        """The check that fails where a run takes a branch that an oracle has ruled out."""
        return self._added("a run goes where none was expected", origin)

    def valid(self) -> CheckSite:
        """The check that fails in front of an invalid access; all accesses share it."""
        if self._valid is None:
            self._valid = self._added("an access of memory is invalid", NOWHERE)
        return self._valid
