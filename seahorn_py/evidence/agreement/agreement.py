"""Whether a model agrees with executions.

A second solver checks a model against the Horn system, but nobody checks the system against the
program.  So the program in encoding form is interpreted on the inputs of real runs: at every cut
point that a run passes, the formula of the relation must hold of the values there.  One
contradiction means a bug of ours and makes the answer unknown.  Where no native run is possible,
the inputs are drawn here.
"""

from __future__ import annotations

import contextlib
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from functools import cached_property

from seahorn_py.base.records import dataclass
from seahorn_py.encode.encoding import Cut, CutKind, Encoding
from seahorn_py.evidence.agreement.observable import FarAddress, Observable
from seahorn_py.evidence.agreement.sampling import compile_sampled
from seahorn_py.evidence.runs.execution import Execution
from seahorn_py.evidence.runs.random_values import drawing
from seahorn_py.horn.system import Check, Model, Query
from seahorn_py.ir import interpreter
from seahorn_py.ir.program import Program, Site
from seahorn_py.ir.run import Ending, Feed, Outcome, RunLimits
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.connectives import conjuncts
from seahorn_py.logic.terms.evaluate import NotEvaluable, Value
from seahorn_py.logic.terms.terms import Term
from seahorn_py.policy.policy import policy
from seahorn_py.processes.deadline import Deadline

Reads = tuple[tuple[int, int], ...]

STEPS_AT_FIRST = 1_000
STEPS_A_RUN = 20_000
"""How many steps of every run are followed at first.

While time is left, one run after the other is then followed further.
"""
MAX_STATES = 2_000_000
READS_A_RUN = 4_000_000
"""The most reads of a run. Each byte of an array without values is one: room for some megabytes."""
DRAWN_RUNS = 200


@dataclass(frozen=True)
class Agreement:
    """How much was compared: runs, states at cut points; whether the runs were native ones."""

    runs: int
    states: int
    native: bool = True

    @property
    def evidence(self) -> tuple[str, ...]:
        """What was compared, for people; nothing where no run was possible."""
        kind = "native" if self.native else "interpreted"
        runs = f"{self.runs} {kind} run{'' if self.runs == 1 else 's'}"
        if self.states:
            return (f"the invariants hold in {self.states} states of {runs}",)
        return (f"no check fails in {runs}",) if self.runs else ()


@dataclass(frozen=True)
class _Formula:
    """A relation's formula, made fast: `holds(values)` on Python values, in the order of `reads`.

    `reads` are the registers that it speaks of, with their parameters.
    """

    relation: str
    reads: tuple[tuple[str, Observable], ...]
    holds: Callable[[Sequence[Value]], object]

    @cached_property
    def regions(self) -> bool:
        """It speaks of contents of memory."""
        return any(observable.is_region for _, observable in self.reads)


class Contradiction(Exception):
    """A state of a run that the model excludes; the text names relation and values."""


class Disagreement(Exception):
    """The model does not agree with `run`."""

    def __init__(self, run: Outcome, reason: str) -> None:
        super().__init__(f"the proof contradicts an execution: {reason}")
        self.run = run


def _is_defined(_: Outcome) -> bool:
    """What a caller who knows of no other program takes each run for."""
    return False


def agree(
    encoding: Encoding,
    model: Model,
    execution: Execution,
    deadline: Deadline,
    seconds: float = 0.1,
    is_undefined: Callable[[Outcome], bool] = _is_defined,
) -> Agreement:
    """Evaluate `model` along runs; Disagreement names the first contradiction.

    `seconds` may be spent on more than the beginnings of runs.  A run that `is_undefined` for the
    whole program shows nothing, since memory that it overwrites may be anybody's.
    """
    watcher = _Watcher(encoding.program, _formulas(encoding, model), _asked(encoding))
    program = interpreter.Interpreter(encoding.program)
    runs: list[_Observed | _Drawn] = [_Observed(outcome) for outcome in execution.runs]
    if not runs:
        runs = [_Drawn(seed, execution.words) for seed in range(DRAWN_RUNS)]
    endings: dict[int, Ending] = {}
    took: dict[int, float] = {}
    at_first = policy().confirming.agreement_seconds_at_first
    phases = ((STEPS_AT_FIRST, at_first), (STEPS_A_RUN, seconds))
    for steps, limit in phases:
        phase = deadline.at_most(limit)
        for number, run in enumerate(runs):
            if phase.remaining == 0 or watcher.states > MAX_STATES:
                break
            if endings.get(number, Ending.LIMIT) is Ending.LIMIT and took.get(number, 0) <= limit:
                began = time.monotonic()
                try:
                    endings[number] = _follow(program, run, watcher, steps)
                except Disagreement as disagreement:
                    if not is_undefined(disagreement.run):
                        raise
                    endings[number] = Ending.REFUSED
                took[number] = time.monotonic() - began
    count = sum(ending is not Ending.REFUSED for ending in endings.values())
    return Agreement(count, watcher.states, bool(execution.runs))


def _follow(
    program: interpreter.Interpreter, run: _Observed | _Drawn, watcher: _Watcher, steps: int
) -> Ending:
    """One run, in which no check may fail and no formula may be wrong."""
    limits = RunLimits(seconds=2.0, steps=steps, reads=READS_A_RUN)
    reads: list[tuple[int, int]] = []
    try:
        end = program.run(run.feed, limits, watcher, draw=run.draw(reads))
        run.compare(end.reads, watcher.program.sites)
        if end.ending is Ending.FAILED and end.check in watcher.asked:
            raise Contradiction(f"check {end.check} fails in the interpreter")
    except Contradiction as contradiction:
        raise Disagreement(run.outcome(tuple(reads)), str(contradiction)) from None
    return end.ending


def _asked(encoding: Encoding) -> frozenset[int]:
    """The checks that the model says cannot fail."""
    heads = (rule.head for rule in encoding.system.queries)
    kinds = (head.kind for head in heads if isinstance(head, Query))
    return frozenset(kind.site for kind in kinds if isinstance(kind, Check))


@dataclass(frozen=True)
class _Observed:
    """A native run: what it read is fed, and if it was not cut short there is nothing more."""

    native: Outcome

    @property
    def feed(self) -> Feed:
        return self.native.feed

    def draw(self, _: list[tuple[int, int]]) -> None:
        """What is missing is 0."""

    def compare(self, reads: Reads, sites: Iterable[Site]) -> None:
        """Contradiction when more was read than by the native run, if that was over."""
        if not self.native.all_read or self.native.ending not in (Ending.ENDED, Ending.BLOCKED):
            return
        here, there = (Counter(site for site, _ in all_) for all_ in (reads, self.native.reads))
        for site in sites:
            if site.native and here[site.number] > there[site.number]:
                reason = f"input {site.number} is read more often than by the native run"
                raise Contradiction(reason)

    def outcome(self, _: Reads) -> Outcome:
        """The run as it is reported."""
        return self.native


@dataclass(frozen=True)
class _Drawn:
    """A run of the interpreter alone."""

    seed: int
    words: tuple[int, ...]
    feed: Feed = field(default_factory=dict)

    def draw(self, reads: list[tuple[int, int]]) -> Callable[[Site], int]:
        """Drawn values, which are added to the reads."""
        draw = drawing(self.seed, self.words)

        def drawn(site: Site) -> int:
            value = draw(site)
            reads.append((site.number, value))
            return value

        return drawn

    def compare(self, reads: Reads, sites: Iterable[Site]) -> None:
        """There is no other run to compare with."""

    def outcome(self, reads: Reads) -> Outcome:
        """The run as it is reported."""
        return Outcome(Ending.LIMIT, None, reads)


@dataclass
class _Watcher:
    """Observes a run and evaluates the formulas at the cut points it passes."""

    program: Program
    formulas: Mapping[tuple[CutKind, str, str], _Formula]
    asked: frozenset[int]
    states: int = field(default=0)

    def at_block(self, function: str, label: str, frame: interpreter.Frame) -> None:
        """The phis of a block were evaluated."""
        for formula in self._at_blocks.get((function, label), ()):
            self._hold(formula, {**frame, **frame.regions} if formula.regions else frame)

    @cached_property
    def _at_blocks(self) -> Mapping[tuple[str, str], tuple[_Formula, ...]]:
        """The formulas at a block of a function, whichever kind of cut point it is."""
        found: dict[tuple[str, str], tuple[_Formula, ...]] = {}
        for kind in (CutKind.ENTRY, CutKind.BLOCK):
            for (at, function, label), formula in self.formulas.items():
                if at is kind:
                    found[function, label] = (*found.get((function, label), ()), formula)
        return found

    def at_return(
        self, function: str, arguments: tuple[object, ...], results: tuple[object, ...]
    ) -> None:
        """A function returned."""
        formula = self.formulas.get((CutKind.EXIT, function, ""))
        if formula is not None:
            names = [p.name for p in self.program.functions[function].parameters]
            values = dict(zip(names, arguments, strict=True))
            values |= {f"ret.{k}": value for k, value in enumerate(results)}
            self._hold(formula, values)

    def _hold(self, formula: _Formula, values: Mapping[str, object]) -> None:
        try:
            state = [observable.value(values[name]) for name, observable in formula.reads]
            holds = formula.holds(state)
        except FarAddress:
            return
        self.states += 1
        if not holds:
            shown = ", ".join(f"{n}={v}" for (n, _), v in zip(formula.reads, state, strict=True))
            raise Contradiction(f"{formula.relation} excludes {shown}")


def _formulas(encoding: Encoding, model: Model) -> dict[tuple[CutKind, str, str], _Formula]:
    """What of the model can be evaluated, by the place at which it must hold."""
    found = {}
    width = encoding.program.pointer_width
    for name, cut in encoding.cuts.items():
        relation = encoding.system.relations.get(name)
        if relation is not None and name in model.interpretations:
            reads = [
                (register.name, Observable(parameter, register.type, width))
                for parameter, register in zip(relation.parameters, cut.registers, strict=True)
            ]
            formula = _evaluable(name, reads, model.interpretations[name])
            if formula is not None:
                found[_key(cut)] = formula
    return found


def _evaluable(
    relation: str, reads: Sequence[tuple[str, Observable]], formula: Term
) -> _Formula | None:
    """The conjuncts that can be evaluated."""
    known = [observable.symbol for _, observable in reads]
    kept = []
    for conjunct in conjuncts(formula):
        with contextlib.suppress(NotEvaluable):
            compile_sampled(conjunct, known)
            kept.append(conjunct)
    whole = terms.and_(kept)
    if whole is terms.TRUE:
        return None
    needed = terms.free_symbols(whole)
    used = tuple((name, observable) for name, observable in reads if observable.symbol in needed)
    return _Formula(relation, used, compile_sampled(whole, [o.symbol for _, o in used]))


def _key(cut: Cut) -> tuple[CutKind, str, str]:
    return cut.kind, cut.function, "" if cut.kind is CutKind.EXIT else cut.label
