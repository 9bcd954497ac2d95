"""What bounded model checking and its kin ask of a solver whose terms they build themselves.

A solver here keeps all terms and everything it has learnt from one question to the next; a question
is a list of assumptions (Een, Sorensson 2003).  Constants are Python values: `bool`, `int`
(unsigned for bit-vectors), `Fraction`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from typing import Protocol, TypeAlias, TypeVar

from seahorn_py.logic.solvers.natives import Native
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.logic.solvers.solvers import Status
from seahorn_py.logic.terms.terms import Sort, Term

N = TypeVar("N")
Constant = bool | int | Fraction
Apply: TypeAlias = Callable[[list[N]], N]


class UnsupportedTerm(Exception):
    """A construct that bounded model checking does not read; the text names it."""


class TermsOf(Protocol[N]):
    """A term manager with a solver of its own, whose terms are of the type N."""

    solver: Solver

    def variable(self, name: str, sort: Sort) -> N:
        """A fresh variable, whatever its name."""

    def constant(self, value: Constant, sort: Sort) -> N:
        """A constant of a sort that is no array."""

    def constant_array(self, sort: Sort, default: N) -> N:
        """The array that holds `default` everywhere."""

    def operation(self, node: Term) -> Apply[N]:
        """The operation at the top of `node`, for other arguments of the same sorts."""

    def connective(self, kind: int) -> Apply[N]:
        """The operation with the number `kind` of pySMT's operators, which has no indices."""

    def ident(self, native: N) -> Hashable:
        """Equal for equal terms."""

    def keep(self, native: N) -> None:
        """Make a Boolean part of every later question."""

    def check(self, assumptions: Sequence[N], until: float) -> Status:
        """Whether the assumptions have a model; UNKNOWN from `until` on (monotonic clock)."""

    def value(self, native: N) -> Constant:
        """The value in the model of the last question, which was SAT."""

    def array_value(self, native: N, sort: Sort) -> tuple[Constant, dict[Constant, Constant]]:
        """The default and the exceptions of an array in that model."""

    def script(self, assumptions: Sequence[N]) -> str:
        """The question as SMT-LIB text."""


Terms: TypeAlias = TermsOf[Native]
"""One of them, whichever it is."""
