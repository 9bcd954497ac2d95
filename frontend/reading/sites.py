"""The input sites and checks of a program while it is being read."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import takewhile

from seahorn_py.base.errors import InputError, Origin
from seahorn_py.base.patterns import pattern
from seahorn_py.frontend.compiling.support import OUR_FOLDERS
from seahorn_py.frontend.library.contracts import contracts
from seahorn_py.frontend.llvmtext.lowered import RawCheck, RawSite
from seahorn_py.ir.program import CheckSite, Site, SiteKind
from seahorn_py.ir.types import Type

_PART = pattern(r"(scan|print|parse)(?:n?e?d)?(?:_|$)")
_WITH_FORMAT = {"scan": "scanf", "print": "printf", "parse": "sscanf"}
"""Models of parts of a call with a format, and the function that was called."""

_PARAMETER = pattern(r" through (?:\w+|a pointer)(?:$|(, which is null))")
"""In the text of a check in a model: no word of the program's."""


class Sites:
    """Sites and checks met so far; new sites get numbers above all those given."""

    def __init__(self, sites: Iterable[RawSite], checks: Iterable[RawCheck]) -> None:
        self._site_rows = {row.number: row for row in sites}
        self._check_rows = {row.number: row for row in checks}
        self._next = max(self._site_rows, default=-1) + 1
        self._sites: dict[int, Site] = {}
        self._checks: dict[int, CheckSite] = {}

    @property
    def sites(self) -> tuple[Site, ...]:
        """All sites met, by number."""
        return tuple(self._sites[n] for n in sorted(self._sites))

    @property
    def checks(self) -> tuple[CheckSite, ...]:
        """All checks met, by number."""
        return tuple(self._checks[n] for n in sorted(self._checks))

    def site(self, number: int, kind: Type, origin: Origin) -> Site:
        """The site of a number in the text, whose value has type `kind`."""
        row = self._site_rows.get(number)
        if row is None:
            raise InputError(f"LLVM text: input site {number} is not in the table of sites")
        if number not in self._sites:
            c_type = row.c_type or str(kind)
            name = _called(row.name, origin)
            site = Site(number, row.kind, kind, name, c_type, _in_program(origin))
            self._sites[number] = site
        return self._sites[number]

    def check(self, number: int, origin: Origin) -> CheckSite:
        """The check of a number in the text."""
        row = self._check_rows.get(number)
        if row is None:
            raise InputError(f"LLVM text: check {number} is not in the table of checks")
        if number not in self._checks:
            text, place = _of_program(row.text, origin), _in_program(origin)
            self._checks[number] = CheckSite(number, row.property, text, place)
        return self._checks[number]

    def fresh(self, kind: SiteKind, value: Type, name: str, origin: Origin) -> Site:
        """A site that no native run reads."""
        site = Site(self._next, kind, value, name, str(value), origin, native=False)
        self._sites[site.number] = site
        self._next += 1
        return site


def _in_program(origin: Origin) -> Origin:
    """The call in the program that led into a model of the library, where that is known."""
    chain = origin.chain
    inside = _inside(origin)
    return Origin(chain[inside:]) if 0 < inside < len(chain) else origin


def _inside(origin: Origin) -> int:
    """How many places of the chain are in models, from the innermost on."""
    return sum(1 for _ in takewhile(lambda span: span.file.startswith(OUR_FOLDERS), origin.chain))


def _of_program(text: str, origin: Origin) -> str:
    """The text of a check, with the library function for the parameter of a model."""
    function = _entered(origin)
    if not function or not _PARAMETER.search(text):
        return text
    return _PARAMETER.sub(lambda m: " through null" if m[1] else "", text) + f" in {function}"


def _called(name: str, origin: Origin) -> str:
    """The function of the library that a model was entered by, where its name is one."""
    return _entered(origin) or name if name in contracts() else name


def _entered(origin: Origin) -> str:
    """The function of the library whose model was entered; "" outside of models."""
    inside = _inside(origin)
    function = origin.chain[inside - 1].function if inside else ""
    part = _PART.match(function)
    function = _WITH_FORMAT[part[1]] if part else function
    return function if function in contracts() else ""
