"""What lowering hands to the reader and to the native run: texts, sites and checks.

The contract of the texts is in `docs/explanation/architecture.md`, section 2.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from seahorn_py.base.errors import Span
from seahorn_py.base.records import dataclass
from seahorn_py.ir.program import SiteKind


@dataclass(frozen=True, slots=True)
class RawSite:
    """The site of `sea.input.T(i32 number)` or `sea.havoc(.., i32 number)`.

    `type` is the LLVM type of the value, "" for a havoc; `name` the C function called or the object
    initialised; `c_type` and `signed` its C type as far as the text tells.
    """

    number: int
    kind: SiteKind
    type: str
    name: str
    c_type: str
    signed: bool | None


@dataclass(frozen=True, slots=True)
class RawCheck:
    """The check of `sea.check(.., i32 number)`; `text` is what the C text asserts or calls."""

    number: int
    property: str
    text: str


@dataclass(frozen=True)
class Lowered:
    """LLVM texts with the same sites and checks; `native` has seen no pass but inlining.

    `assumptions` is what is taken for granted, `gaps` what a property asks for and nothing checks:
    with a gap no proof is one.

    `mentions_errors` says that calls of error functions, assertions or error labels are in it, if
    only where nothing reaches them.  `checked` has the names of the properties that checks were
    made for, also where none of those is left.  `recognised` says how names of other verifiers are
    understood.  `modelled` has the exact functions whose models stand in the place of sources that
    the compiler has as well.

    `threaded` is the native text of a program with threads before their product was made: every
    input there has the site 0, and `threaded_checks` has the numbers of the checks there.  `steps`
    has the place where each step of a thread begins, by the number in its marks (`ir.run`),
    and `makes` for the number of each thread that of its maker, and the place of that call.
    """

    native: str
    optimized: str
    sites: tuple[RawSite, ...]
    checks: tuple[RawCheck, ...]
    assumptions: tuple[str, ...] = ()
    mentions_errors: bool = True
    gaps: tuple[str, ...] = ()
    checked: frozenset[str] = frozenset()
    recognised: tuple[str, ...] = ()
    modelled: tuple[str, ...] = ()
    threaded: str = ""
    threaded_checks: tuple[int, ...] = ()
    steps: tuple[Span | None, ...] = ()
    makes: Mapping[int, tuple[int, Span | None]] = field(default_factory=dict)
