"""Whether a model agrees with executions.

A second solver checks a model against the Horn system, not the system against the program.  So the
program in encoding form is interpreted on the inputs of real runs, and at every cut point that a
run passes, the relation's formula must hold of the values there.  One contradiction means a bug of
ours and makes the answer unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from seahorn_py.child import Deadline
from seahorn_py.encode.encoding import Cut, CutKind, Encoding
from seahorn_py.horn.system import Model, Parameter
from seahorn_py.ir import interpreter
from seahorn_py.ir.program import Program, Register, Site
from seahorn_py.ir.run import Ending, Outcome, RunLimits
from seahorn_py.ir.types import PointerType
from seahorn_py.logic import terms
from seahorn_py.logic.evaluate import NotEvaluable, compile_term

STEPS_A_RUN = 20_000
LONG_RUNS = 20
STEPS_A_SHORT_RUN = 1_000
"""After the first runs, which may be long, the beginning of each is followed."""
MAX_STATES = 2_000_000


@dataclass(frozen=True)
class Agreement:
    """How much was compared: runs, and states at cut points."""

    runs: int
    states: int


@dataclass(frozen=True)
class _Formula:
    """A relation's formula, made fast: `holds(values)` on Python values of `read` positions."""

    relation: str
    registers: tuple[Register, ...]
    parameters: tuple[Parameter, ...]
    holds: Callable[[Sequence[int | bool]], object]


class Contradiction(Exception):
    """A state of a run that the model excludes; the text names relation and values."""


class Disagreement(Exception):
    """The model does not agree with `run`."""

    def __init__(self, run: Outcome, reason: str) -> None:
        super().__init__(f"the proof contradicts an execution: {reason}")
        self.run = run


def agree(
    encoding: Encoding, model: Model, runs: Sequence[Outcome], deadline: Deadline
) -> Agreement:
    """Evaluate `model` along `runs`; Disagreement names the first contradiction."""
    watcher = _Watcher(encoding.program, _formulas(encoding, model))
    program = interpreter.Interpreter(encoding.program)
    count = 0
    for outcome in runs:
        if deadline.remaining == 0 or watcher.states > MAX_STATES:
            break
        try:
            _follow(program, outcome, watcher, _steps(count))
        except Contradiction as contradiction:
            raise Disagreement(outcome, str(contradiction)) from None
        count += 1
    return Agreement(count, watcher.states)


def _steps(run: int) -> int:
    return STEPS_A_RUN if run < LONG_RUNS else STEPS_A_SHORT_RUN


def _follow(
    program: interpreter.Interpreter, outcome: Outcome, watcher: _Watcher, steps: int
) -> None:
    """One run: the interpreter must not fail, nor read more than the native run did."""

    def missing(site: Site) -> int:
        if site.native and outcome.ending in (Ending.ENDED, Ending.BLOCKED):
            raise Contradiction(f"input {site.number} is read more often than by the native run")
        return 0

    limits = RunLimits(seconds=1.0, steps=steps)
    end = program.run(outcome.feed, limits, watcher, draw=missing)
    if end.ending is Ending.FAILED:
        raise Contradiction(f"check {end.check} fails in the interpreter")


@dataclass
class _Watcher:
    """Observes a run and evaluates the formulas at the cut points it passes."""

    program: Program
    formulas: Mapping[tuple[CutKind, str, str], _Formula]
    states: int = field(default=0)

    def at_block(self, function: str, label: str, frame: interpreter.Frame) -> None:
        """The phis of a block were evaluated."""
        for kind in (CutKind.ENTRY, CutKind.BLOCK):
            formula = self.formulas.get((kind, function, label))
            if formula is not None:
                self._hold(formula, [frame[r.name] for r in formula.registers])

    def at_return(
        self, function: str, arguments: tuple[int, ...], results: tuple[int, ...]
    ) -> None:
        """A function returned."""
        formula = self.formulas.get((CutKind.EXIT, function, ""))
        if formula is not None:
            names = [p.name for p in self.program.functions[function].parameters]
            values = dict(zip(names, arguments, strict=True))
            values |= {f"ret.{k}": value for k, value in enumerate(results)}
            self._hold(formula, [values[r.name] for r in formula.registers])

    def _hold(self, formula: _Formula, values: Sequence[int]) -> None:
        self.states += 1
        state = [_value(p, v) for p, v in zip(formula.parameters, values, strict=True)]
        if not formula.holds(state):
            shown = ", ".join(
                f"{r.name}={v}" for r, v in zip(formula.registers, state, strict=True)
            )
            raise Contradiction(f"{formula.relation} excludes {shown}")


def _value(parameter: Parameter, value: int) -> int | bool:
    """A machine value as the parameter's sort represents it."""
    if parameter.sort is terms.BOOL:
        return bool(value)
    width = parameter.width
    if parameter.sort is terms.INT and parameter.signed and width and value >> (width - 1):
        return value - (1 << width)
    return value


def _formulas(encoding: Encoding, model: Model) -> dict[tuple[CutKind, str, str], _Formula]:
    """The formulas that can be evaluated; those over pointers cannot, addresses differ."""
    found = {}
    for name, cut in encoding.cuts.items():
        relation = encoding.system.relations.get(name)
        formula = model.interpretations.get(name)
        if relation is None or formula is None or formula is terms.TRUE:
            continue
        pointers = {
            p.symbol
            for p, r in zip(relation.parameters, cut.registers, strict=True)
            if isinstance(r.type, PointerType)
        }
        if pointers & terms.free_symbols(formula):
            continue
        try:
            holds = compile_term(formula, relation.symbols)
        except NotEvaluable:
            continue
        found[_key(cut)] = _Formula(name, cut.registers, relation.parameters, holds)
    return found


def _key(cut: Cut) -> tuple[CutKind, str, str]:
    return cut.kind, cut.function, "" if cut.kind is CutKind.EXIT else cut.label
