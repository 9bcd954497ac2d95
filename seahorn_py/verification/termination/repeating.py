"""A run that comes back to a state in which it was before: it need never end.

The program in encoding form is interpreted on inputs of a few kinds.  All its state is in
registers.  Suppose that, at the head of a loop, all live registers hold what they held at an
earlier visit in the same activation.  Then the run from the earlier visit to this one can be made
again and again, with the same inputs.

A second solver checks the steps from the state back to it one by one, as instances of the rules in
bit-vectors.  The run on the inputs, repeated, must not end.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import pairwise
from random import Random

from seahorn_py.base.errors import Stage, StageFailure
from seahorn_py.base.records import dataclass
from seahorn_py.encode.encoding import Arithmetic, CutKind, Encoding
from seahorn_py.evidence.runs.inputs import undefined_shifts
from seahorn_py.evidence.runs.random_values import drawing
from seahorn_py.horn.checking.refutations import check_refutation
from seahorn_py.horn.system import (
    Atom,
    Check,
    CheckId,
    HornSystem,
    Query,
    Refutation,
    Relation,
    Rule,
    Step,
)
from seahorn_py.ir.interpreter import Draw, Frame, Interpreter
from seahorn_py.ir.program import (
    Alloca,
    Call,
    Havoc,
    Load,
    MemoryCopy,
    MemorySet,
    Program,
    Site,
    Store,
)
from seahorn_py.ir.regions import Value
from seahorn_py.ir.run import Ending, RunLimits, feed_of
from seahorn_py.ir.traverse import results
from seahorn_py.ir.types import IntType, RegionType
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Term
from seahorn_py.passes.environment import ALLOCATION
from seahorn_py.passes.termination.ranked import PROPERTY
from seahorn_py.policy.policy import policy
from seahorn_py.result import Answer, VerificationResult
from seahorn_py.verification.encodings.one_encoding import Task
from seahorn_py.verification.termination.endless import endless, went_on, without_overflow
from seahorn_py.verification.termination.whole import without_invalid

STEPS = 300_000
"""Steps of one run of the interpreter."""
RUNS = 60
"""So often each way to choose random inputs is tried."""
MOST_STEPS = 2_000
"""The most steps of a cycle, since each is checked."""

PROLONGED = 20_000
"""The cycle is repeated until the run has about so many inputs."""

Visit = tuple[str, tuple[Value, ...]]
"""A relation and the values of its registers."""


@dataclass(frozen=True)
class Cycle:
    """A run to a state and from there back to it.

    `stem` has the reads up to the state, and `period` those from it to its return, each as (site,
    value).  `visits` leads from the state back to it: the first and the last are equal.
    """

    stem: tuple[tuple[int, int], ...]
    period: tuple[tuple[int, int], ...]
    visits: tuple[Visit, ...]


class _Found(Exception):
    """Ends the interpreter's run, since a state has come back."""

    def __init__(self, cycle: Cycle) -> None:
        super().__init__("a state comes back")
        self.cycle = cycle


def repeating(task: Task) -> VerificationResult:
    """Unsafe if a run comes back to a state; otherwise unknown."""
    subject, reason = without_invalid(task.subject)
    reason = reason or _outside(subject.program)
    if reason:
        return _unknown(f"no run without end is looked for: {reason}")
    task = replace(task, subject=subject, arithmetic=Arithmetic.BV)
    encoding = task.encode(frozenset(), True)
    reasons = ["no state came back"]
    for cycle in _cycles(task, encoding):
        try:
            return _confirmed(task, encoding, cycle)
        except StageFailure as failure:
            reasons.append(failure.reason)
    return _unknown("; ".join(reasons))


def _unknown(reason: str) -> VerificationResult:
    return VerificationResult(Answer.UNKNOWN, stage=Stage.SOLVE, reason=reason)


def _outside(program: Program) -> str:
    """What keeps state outside of registers; "" if nothing does."""
    memory = (Load, Store, Alloca, MemoryCopy, MemorySet, Havoc)
    for function in program.functions.values():
        for block in function.blocks:
            for statement in block.statements:
                allocates = isinstance(statement, Call) and statement.callee in ALLOCATION
                contents = any(isinstance(r.type, RegionType) for r in results(statement))
                if isinstance(statement, memory) or allocates or contents:
                    return "memory that is not in registers of numbers"
    return ""


def _cycles(task: Task, encoding: Encoding) -> Iterator[Cycle]:
    interpreter = Interpreter(encoding.program)
    until = task.deadline.at_most(policy().termination.runs_seconds)
    unknown = {s.number for s in encoding.program.sites if not s.native}
    unknown |= undefined_shifts(encoding.program.sites)
    limits = RunLimits(seconds=policy().termination.run_seconds, steps=STEPS)
    for draw in _draws(task.subject.execution().words):
        if until.remaining == 0:
            return
        watcher = _Watcher(encoding)
        try:
            interpreter.run({}, limits, watcher, draw=watcher.noting(draw))
        except _Found as found:
            read = {site for site, _ in (*found.cycle.stem, *found.cycle.period)}
            if read.isdisjoint(unknown):
                yield found.cycle


def _draws(words: Sequence[int]) -> Iterator[Draw]:
    """Ways to choose inputs: constants, few different values, values that last, anything."""
    for value in (0, 1, -1, 2):
        yield lambda site, value=value: value  # type: ignore[misc]
    for seed in range(RUNS):
        source = Random(seed)
        chosen = (_fixed(seed, words), _few(source), _lasting(source), drawing(seed, words))
        kinds: tuple[Draw, ...] = chosen
        yield from kinds


def _fixed(seed: int, words: Sequence[int]) -> Draw:
    """Inputs that are equal at all visits of a site."""
    chosen = drawing(seed, tuple(words))
    values: dict[int, int] = {}

    def draw(site: Site) -> int:
        if site.number not in values:
            values[site.number] = chosen(site)
        return values[site.number]

    return draw


def _lasting(source: Random) -> Draw:
    """Inputs of 0, 1 and -1 that stay the same for some visits of a site, perhaps for hundreds."""
    left: dict[int, tuple[int, int]] = {}

    def draw(site: Site) -> int:
        value, visits = left.get(site.number, (0, 0))
        if visits == 0:
            value, visits = source.choice((0, 1, -1)), source.choice((1, 4, 20, 100, 500))
        left[site.number] = value, visits - 1
        return value

    return draw


def _few(source: Random) -> Draw:
    return lambda site: source.choice((0, 1))


def _registers(encoding: Encoding) -> Mapping[tuple[str, str], tuple[str, tuple[str, ...]]]:
    """(function, label) -> the relation there, and the names of its registers."""
    return {
        (cut.function, cut.label): (name, tuple(r.name for r in cut.registers))
        for name, cut in encoding.cuts.items()
        if cut.kind is CutKind.BLOCK
    }


@dataclass
class _Activation:
    """The visits of one activation, and for each: how many visits and reads were before it."""

    visits: list[Visit] = field(default_factory=list)
    seen: dict[Visit, tuple[int, int]] = field(default_factory=dict)


class _Watcher:
    """Looks for a state that comes back in one activation."""

    def __init__(self, encoding: Encoding) -> None:
        self._at = _registers(encoding)
        functions = encoding.program.functions
        self._entries = {(name, f.entry.label) for name, f in functions.items()}
        self._open: list[_Activation] = []
        self.reads: list[tuple[int, int]] = []

    def noting(self, draw: Draw) -> Draw:
        """`draw`, whose values are noted in their order."""

        def noted(site: Site) -> int:
            width = site.type.width if isinstance(site.type, IntType) else 64
            value = draw(site) % (1 << width)
            self.reads.append((site.number, value))
            return value

        return noted

    def at_block(self, function: str, label: str, frame: Frame) -> None:
        """Note the state at a cut point."""
        if (function, label) in self._entries:
            self._open.append(_Activation())
        if (function, label) not in self._at:
            return
        name, registers = self._at[function, label]
        visit = name, tuple(frame[register] for register in registers)
        here = self._open[-1]
        if visit in here.seen:
            visited, read = here.seen[visit]
            stem, period = tuple(self.reads[:read]), tuple(self.reads[read:])
            raise _Found(Cycle(stem, period, (*here.visits[visited:], visit)))
        here.seen[visit] = len(here.visits), len(self.reads)
        here.visits.append(visit)

    def at_return(
        self, function: str, arguments: tuple[Value, ...], results: tuple[Value, ...]
    ) -> None:
        """Forget the activation, which is over."""
        self._open.pop()


def _confirmed(task: Task, encoding: Encoding, cycle: Cycle) -> VerificationResult:
    """Unsafe by a cycle whose steps a second solver confirms; StageFailure if it does not."""
    if len(cycle.visits) > MOST_STEPS:
        raise StageFailure(Stage.REPROOF, "too many steps until a state comes back")
    system, refutation = _closed(encoding.system, cycle)
    checked = check_refutation(
        system, refutation, task.deadline, (Solver.BITWUZLA, Solver.CVC5, Solver.Z3)
    )
    if not checked.ok:
        raise StageFailure(Stage.REPROOF, checked.reason)
    place = encoding.system.relations[cycle.visits[0][0]].origin
    often = 1 + PROLONGED // max(1, len(cycle.period)) if cycle.period else 0
    feed = feed_of((*cycle.stem, *cycle.period * often))
    if _overflows(task.subject.program, cycle):
        raise StageFailure(Stage.REPLAY, "signed arithmetic overflows before a state comes back")
    steps = f"{len(cycle.visits) - 1} steps from it to itself checked by {checked.solver}"
    evidence = (
        f"loop at {place}: need not end: a state comes back, {steps}",
        *went_on(task.subject, feed, bool(cycle.period)),
    )
    shown = endless(task.subject, feed_of((*cycle.stem, *cycle.period)), place, longer=feed)
    return VerificationResult(
        Answer.UNSAFE, evidence, violation=shown, ledger=encoding.system.ledger
    )


def _overflows(program: Program, cycle: Cycle) -> bool:
    """Whether signed arithmetic overflows in the stem or the first cycle of the run.

    All later cycles are like the first.
    """
    watched = without_overflow(program)
    feed = feed_of((*cycle.stem, *cycle.period))
    limits = RunLimits(seconds=2.0, steps=4 * STEPS, reads=1 + sum(map(len, feed.values())))
    return Interpreter(watched).run(feed, limits).ending is Ending.FAILED


def _closed(system: HornSystem, cycle: Cycle) -> tuple[HornSystem, Refutation]:
    """The system in which the state is the only fact, and it is an error to come back to it.

    With it comes the refutation that the cycle is.
    """
    first, values = cycle.visits[0]
    state = _constants(system.relations[first], values)
    identity = CheckId(PROPERTY, "the state comes back", system.relations[first].origin)
    symbols = system.relations[first].symbols
    same = terms.and_(terms.eq(s, c) for s, c in zip(symbols, state, strict=True))
    query = Query("returns", Check(identity, 0))
    rules = (
        *(rule for rule in system.rules if isinstance(rule.head, Atom)),
        Rule("state", (), terms.TRUE, Atom(first, state)),
        Rule("returns", (Atom(first, symbols),), same, query),
    )
    steps = [Step("state", state, ())]
    for (before, _), (after, reached) in pairwise(cycle.visits):
        name = _rule(system, before, after)
        facts = _constants(system.relations[after], reached)
        steps.append(Step(name, facts, (len(steps) - 1,)))
    steps.append(Step("returns", (), (len(steps) - 1,)))
    return replace(system, rules=rules), Refutation(tuple(steps))


def _rule(system: HornSystem, before: str, after: str) -> str:
    """The rule from one relation to another; StageFailure if a call lies between them."""
    for rule in system.rules:
        names = [atom.relation for atom in rule.body]
        if names == [before] and isinstance(rule.head, Atom) and rule.head.relation == after:
            return rule.name
    raise StageFailure(Stage.REPROOF, "a call lies between the states that come back")


def _constants(relation: Relation, values: Sequence[Value]) -> tuple[Term, ...]:
    """The values as constants of the sorts of the parameters."""
    found = []
    for parameter, value in zip(relation.parameters, values, strict=True):
        if not isinstance(value, int) or not (parameter.sort is terms.BOOL or parameter.width):
            raise StageFailure(Stage.REPROOF, "contents of memory are in the state")
        if parameter.sort is terms.BOOL:
            found.append(terms.bool_const(bool(value)))
        else:
            found.append(terms.bv_const(value, parameter.sort.width))
    return tuple(found)
