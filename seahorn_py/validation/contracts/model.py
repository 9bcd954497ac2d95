"""Contracts, in whatever language they were written, and what is known of them.

All readers (`cbmc`, `acsl`, `sidefile`) make these.  A clause is a C expression with words of CBMC
in it (`__CPROVER_old`, `__CPROVER_return_value`, ...), to which `formulas` gives a meaning.
"""

from __future__ import annotations

from enum import Enum

from seahorn_py.base.errors import Span
from seahorn_py.base.records import dataclass
from seahorn_py.result import VerificationResult


class Kind(Enum):
    """The kind of a clause; INVARIANT and DECREASES belong to loops."""

    REQUIRES = "requires"
    ENSURES = "ensures"
    ASSIGNS = "assigns"
    INVARIANT = "loop_invariant"
    DECREASES = "decreases"


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause as it was written, on one line; `place` is the place of its first word."""

    kind: Kind
    text: str
    place: Span


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a function with a contract; `declared` is its C text."""

    name: str
    declared: str


@dataclass(frozen=True, slots=True)
class Contract:
    """The clauses of one function; `unit` is the number of the file in which they stand.

    `parameters` have the names that the clauses use.  `result` is the C text of the result's type.
    """

    function: str
    unit: int
    place: Span
    clauses: tuple[Clause, ...]
    parameters: tuple[Parameter, ...]
    result: str

    def of(self, kind: Kind) -> tuple[Clause, ...]:
        """The clauses of one kind, in their order."""
        return tuple(clause for clause in self.clauses if clause.kind is kind)


@dataclass(frozen=True, slots=True)
class LoopContract:
    """The clauses of a loop; `at` is its first byte in the text without clauses."""

    unit: int
    at: int
    clauses: tuple[Clause, ...]


class Refused(Exception):
    """A contract, or a use of one, is not understood or cannot be decided; the message says why."""


# ------------------------------------------------------------------------------ what is known


class Status(Enum):
    """What is known of a contract.

    PROVED: all calls keep it.  REFUTED: a call violates it.  ASSUMED: it rests on something that
    nobody proves.  VACUOUS: no input satisfies what it requires.  UNKNOWN: see the reason.
    """

    PROVED = "proved"
    REFUTED = "refuted"
    ASSUMED = "assumed"
    VACUOUS = "vacuous"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Row:
    """What is known of one function.

    `contract`: the texts of its clauses.  `used`: functions whose contracts stood for calls.
    `rests_on`: these, and what else is assumed.  `assumed`: what the answer takes for granted.
    `notes`: what is not checked.  `engine` found the answer within `seconds`; the answer `is_kept`
    if it comes from a kept proof.  A function that was not asked about has `is_asked` false.
    """

    function: str
    place: Span
    status: Status
    contract: tuple[str, ...] = ()
    engine: str = ""
    seconds: float = 0.0
    used: tuple[str, ...] = ()
    rests_on: tuple[str, ...] = ()
    reason: str = ""
    notes: tuple[str, ...] = ()
    assumed: tuple[str, ...] = ()
    is_kept: bool = False
    is_asked: bool = True
    result: VerificationResult | None = None
