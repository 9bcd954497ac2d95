"""The verdicts of engines, `Safe(proof) | Unsafe(refutation) | Unknown(reason)`, and answers.

A verdict is never a bool, a string or None.  It becomes the answer to the user
(`VerificationResult`) only after its proof or refutation was confirmed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import Enum
from typing import TYPE_CHECKING

from seahorn_py.base.errors import Origin, Span, Stage
from seahorn_py.base.notebook import Rows, Shown
from seahorn_py.base.records import dataclass
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.processes.internal_errors import InternalErrorReport
from seahorn_py.processes.journal import Attempt, Journal

if TYPE_CHECKING:  # who only tells of an answer needs no terms
    from seahorn_py.horn.ledger import Ledger
    from seahorn_py.horn.system import HornSystem, Proof, Refutation
    from seahorn_py.ir.run import Outcome, ThreadStep

Statistics = Mapping[str, float | int | str]


@dataclass(frozen=True)
class Safe(Shown):
    """No query is reachable; `proof` says why, `finder` is the solver that it rests on."""

    proof: Proof
    finder: Solver = Solver.Z3
    statistics: Statistics = field(default_factory=dict)


@dataclass(frozen=True)
class Unsafe(Shown):
    """The query at the end of `refutation` is reachable.

    If `system` is given, the steps apply its rules.  It is derived from the system that was asked
    about and has the same inputs, but one of its steps may stand for many.  Then only a replay
    confirms the refutation.
    """

    refutation: Refutation
    statistics: Statistics = field(default_factory=dict)
    system: HornSystem | None = None


@dataclass(frozen=True)
class Unknown(Shown):
    """No answer: the stage that failed and why."""

    stage: Stage
    reason: str
    statistics: Statistics = field(default_factory=dict)


Verdict = Safe | Unsafe | Unknown


# ---------------------------------------------------------------------- the answer a user gets


class Answer(Enum):
    """SAFE: no run reaches an error.  UNSAFE: the shown run does.  UNKNOWN: see the reason."""

    SAFE = "safe"
    UNSAFE = "unsafe"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class InputValue:
    """An input of the violating run: the called function, its place, the value in its C type."""

    name: str
    value: int
    c_type: str
    place: Span | None
    kind: str


@dataclass(frozen=True)
class Change:
    """A variable, a part of one, or the result of a call, and its new value as C writes it."""

    name: str
    value: str


class HeapDeed(Enum):
    """What is done to a block of the heap."""

    ALLOCATED = "allocated"
    FREED = "freed"
    WRITTEN = "written"
    FILLED = "filled"
    COPIED = "copied"


@dataclass(frozen=True)
class HeapEvent:
    """What a step does to the block that begins at `base`, or to `size` bytes of it at `offset`.

    `value` is what is WRITTEN, as C writes it, or the byte that FILLED them; COPIED bytes come from
    the address `source`.  `place` is that of the statement.
    """

    deed: HeapDeed
    base: int
    offset: int = 0
    size: int = 0
    value: str = ""
    source: int = 0
    place: Span | None = None


@dataclass(frozen=True)
class TraceStep:
    """A visit of a place; `chain` are the calls through which its function was inlined.

    `has_branched` says that the visit ended in a branch.  `left_out` is the number of steps before
    this one that were not kept.  `heap` is what the step does to blocks of the heap.  `activation`
    tells the calls apart that were not inlined.
    """

    place: Span
    chain: tuple[Span, ...] = ()
    changes: tuple[Change, ...] = ()
    has_branched: bool = False
    left_out: int = 0
    heap: tuple[HeapEvent, ...] = ()
    activation: int = 0

    def __repr__(self) -> str:
        changes = ", ".join(f"{one.name} = {one.value}" for one in self.changes)
        return f"<{self.place} in {self.place.function}{': ' * bool(changes)}{changes}>"


@dataclass(frozen=True)
class Violation(Shown):
    """The check that fails, and the inputs in the order in which the run reads them.

    `trace` is the run, step by step; it ends at `place`.  For a run without end it has the first
    steps, and from number `cycle` on the repeated ones, up to `place` once more.  `run` is the
    run on the unsliced program, with everything that it reads.  `steps` are those of threads, in
    their order, if there are several; `other` is the access that a data race is with.
    """

    property: str
    text: str
    place: Span | None
    inputs: tuple[InputValue, ...]
    trace: tuple[TraceStep, ...] = ()
    run: Outcome | None = None
    cycle: int | None = None
    steps: tuple[ThreadStep, ...] = ()
    other: Span | None = None

    def __post_init__(self) -> None:
        """A notebook shows inputs and trace as tables."""
        object.__setattr__(self, "inputs", Rows(self.inputs))
        object.__setattr__(self, "trace", Rows(self.trace))

    def shown(self) -> Mapping[str, object]:
        """All but `run`, which is not made for reading."""
        return {name: value for name, value in super().shown().items() if name != "run"}


@dataclass(frozen=True)
class CheckResult:
    """The answer for one check: its property, the C expression or call, its place.

    `evidence`, `stage`, `reason` and `violation` are as in `VerificationResult`.
    """

    property: str
    text: str
    place: Span | None
    answer: Answer
    evidence: tuple[str, ...] = ()
    stage: Stage | None = None
    reason: str = ""
    violation: Violation | None = None


@dataclass(frozen=True)
class PropertyResult:
    """The answer for one property; `together` has all properties that were asked about with it.

    The other fields are as in `VerificationResult`.
    """

    property: str
    together: frozenset[str]
    answer: Answer
    evidence: tuple[str, ...] = ()
    stage: Stage | None = None
    reason: str = ""
    violation: Violation | None = None


@dataclass(frozen=True)
class LoopResult:
    """What is known of a loop, or of the calls of a function by itself.

    SAFE: no run makes rounds of it without end, and `rank` decreases in each round.  UNSAFE: a run
    does.  UNKNOWN: `reason` says what was tried.

    `bound`: the most rounds each time the loop is entered.  `in_all`: the most in one call of
    its function.  `ends_if`: a condition under which the loop ends.  These are C expressions, or ""
    if nothing is known.  Variables mean their values at the entry of the loop; for `in_all`, at the
    entry of the outermost loop around it.  With `needs_no_overflow` they hold for runs without
    signed overflow.  `calls`: those through which this copy of its function was inlined.
    """

    text: str
    place: Span | None
    answer: Answer
    rank: str = ""
    bound: str = ""
    in_all: str = ""
    ends_if: str = ""
    needs_no_overflow: bool = False
    reason: str = ""
    calls: tuple[Span, ...] = ()


@dataclass(frozen=True)
class Invariant:
    """A formula that holds at a place of a function each time a run passes it, in C names.

    `c` is the part of it that is a C expression, `other` the rest, as SMT-LIB.
    """

    function: str
    place: Span | None
    text: str
    c: str = ""
    other: tuple[str, ...] = ()


@dataclass(frozen=True)
class Contract:
    r"""What holds each time a function is entered, and when it returns, as C expressions.

    In `ensures` parameters have their values at the entry, and `\result` is the result.  `left_out`
    has the parts that C cannot express, as SMT-LIB.  Arithmetic is that of the integers if
    `is_exact`; otherwise it wraps as in C.
    """

    function: str
    place: Span | None
    requires: tuple[str, ...]
    ensures: tuple[str, ...]
    left_out: tuple[str, ...] = ()
    is_exact: bool = True


@dataclass(frozen=True)
class Conjunct:
    """A C expression that holds; its variables, each with its name and place of declaration."""

    text: str
    variables: tuple[tuple[str, Span | None], ...]


@dataclass(frozen=True)
class LoopHead:
    """An invariant of the head of a loop, conjunct by conjunct.

    Bounds of variables come first; later conjuncts may overflow without them.  `origin` is where
    the head begins, with the calls that this copy was inlined through.  `left_out` has the parts
    that C cannot express.  The head `is_regular` if every run enters the loop through it.
    Arithmetic is that of the integers if `is_exact`; otherwise it wraps as in C.
    """

    origin: Origin
    conjuncts: tuple[Conjunct, ...]
    left_out: tuple[str, ...] = ()
    is_regular: bool = True
    is_exact: bool = True


@dataclass(frozen=True)
class RankTerm:
    """`factor` times a variable, whose value is read as a signed or an unsigned number.

    `c_signed` says whether its C type is signed; `place` is the place of its declaration.
    """

    factor: int
    variable: str
    place: Span | None
    width: int
    signed: bool
    c_signed: bool


@dataclass(frozen=True)
class RankMeasure:
    """A sum over the values of variables at the head of a loop; it does not wrap in `bits` bits."""

    terms: tuple[RankTerm, ...]
    constant: int
    bits: int


@dataclass(frozen=True)
class LoopRank:
    """A tuple that decreases in the lexicographic order from one visit of a head to the next.

    A negative measure counts as 0.  If the rank `lags`, the last round of a loop need not decrease
    it.  Without measures, the loop has a rank that C cannot express.
    """

    head: LoopHead
    measures: tuple[RankMeasure, ...]
    lags: bool = False


@dataclass(frozen=True)
class VerificationResult(Shown):
    """A checked answer with everything that was done to get it.

    `evidence`: in words, what was checked and by which solver. `ledger`: the approximations and
    assumptions behind the answer. `times`: wall seconds by phase. `stage`, `reason` and `obstacles`
    (loops and recursive functions that stood in the way): for UNKNOWN only. `violation`: for UNSAFE
    only. `meaning`: what SAFE means. `ranks`: why loops end, if that was asked for.

    `checks`: an answer for each check, if that was asked for. `properties`: one for each property.
    `loops`: one for each loop, if termination was asked about. `attempts`: what the engines did.
    `heads`: invariants of the proof at heads of loops. `contracts`: what the proof says of each
    function that was not inlined. `certificate`: the files of `evidence.certificate`, by name.
    `internal_errors`: bugs of ours, also of engines whose answer was not needed.
    """

    answer: Answer
    evidence: tuple[str, ...] = ()
    stage: Stage | None = None
    reason: str = ""
    violation: Violation | None = None
    checks: tuple[CheckResult, ...] = ()
    properties: tuple[PropertyResult, ...] = ()
    loops: tuple[LoopResult, ...] = ()
    invariants: tuple[Invariant, ...] = ()
    ledger: Ledger = ()
    warnings: tuple[str, ...] = ()
    times: Mapping[str, float] = field(default_factory=dict)
    statistics: Statistics = field(default_factory=dict)
    attempts: tuple[Attempt, ...] = ()
    obstacles: tuple[str, ...] = ()
    heads: tuple[LoopHead, ...] = ()
    certificate: Mapping[str, str] | None = None
    contracts: tuple[Contract, ...] = ()
    internal_errors: tuple[InternalErrorReport, ...] = ()
    meaning: str = "no run reaches an error"
    ranks: tuple[LoopRank, ...] = ()

    def __post_init__(self) -> None:
        """A notebook shows these as tables."""
        for name in ("ledger", "checks", "properties", "loops", "invariants", "attempts"):
            object.__setattr__(self, name, Rows(getattr(self, name)))

    def shown(self) -> Mapping[str, object]:
        """All that says something; of a certificate the names of its files."""
        names = {"certificate": tuple(self.certificate)} if self.certificate else {}
        return {"answer": self.answer, **super().shown(), **names}

    def __repr__(self) -> str:
        found = self.violation
        where = () if found is None else (f"{found.place}: {found.text}",)
        why = f"{self.stage.value if self.stage else '?'}: {self.reason}"
        parts = (why,) if self.answer is Answer.UNKNOWN else (*where, *self.evidence[:1])
        rests = f"; ledger of {len(self.ledger)}" if self.ledger else ""
        return f"<VerificationResult {self.answer.value}; {'; '.join(parts)}{rests}>"

    @property
    def assumed(self) -> tuple[str, ...]:
        """What the answer takes for granted, each once: the `assumed` entries of the ledger."""
        texts = (entry.text for entry in self.ledger if entry.kind.value == "assumed")
        return tuple(dict.fromkeys(texts))


def unanswered(
    stage: Stage, reason: str, journal: Journal, report: InternalErrorReport | None = None
) -> VerificationResult:
    """The unknown answer of a verification that was ended, with the attempts of the journal."""
    found = journal.reports.found()
    return VerificationResult(
        Answer.UNKNOWN,
        stage=stage,
        reason=reason,
        attempts=journal.attempts(),
        internal_errors=found if report is None else (*found, report),
    )
