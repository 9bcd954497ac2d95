"""Runs of SV-LIB tasks, with values and ways that are given: an interpreter.

It rests on the instructions of a procedure alone, and shares nothing with how they become rules.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import TypeAlias

from seahorn_py.base.records import dataclass
from seahorn_py.horn.svlib.tasks import (
    Annotation,
    Assign,
    Assume,
    Branch,
    Call,
    Check,
    Havoc,
    Jump,
    Procedure,
    Task,
    Variable,
)
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.evaluate import Value, evaluate
from seahorn_py.logic.terms.terms import BOOL, INT, Term


@dataclass(frozen=True)
class Chosen:
    """One choice of a run: `model` (constants and globals), `init-proc-vars`, `havoc`, `choice`."""

    kind: str
    values: Mapping[Variable, Value]
    number: int = 0
    procedure: str = ""


Choose: TypeAlias = Callable[[str], Chosen | None]
"""Gives the choice of a kind that is due; None where there is none."""

SMALL, LARGE = 3, 100
"""Random numbers are mostly those up to the first."""


class OtherRun(Exception):
    """The choices are those of no run: another one was due, or an assumption does not hold."""


@dataclass
class _Frame:
    procedure: Procedure
    values: dict[Term, Value]
    place: int = 0


def recorded(chosen: Sequence[Chosen]) -> Choose:
    """Choices that are known, one after the other."""
    rest = iter(chosen)
    return lambda _: next(rest, None)


def random_choices(task: Task, rng: random.Random) -> Choose | None:
    """Choices of random runs; None for sorts other than `Bool`, `Int` and bit-vectors."""
    inner = chain.from_iterable((*p.inputs, *p.fresh) for p in task.procedures.values())
    variables = (*task.constants, *task.globals, *inner)
    if not all(v.sort in (BOOL, INT) or v.sort.is_bv_type() for v in variables):
        return None

    def choose(kind: str) -> Chosen:
        return Chosen(kind, {v: _drawn(v, rng) for v in variables}, rng.randrange(1 << 16))

    return choose


def _drawn(variable: Variable, rng: random.Random) -> Value:
    if variable.sort is BOOL:
        return rng.random() < 0.5
    most = rng.choice((SMALL, SMALL, LARGE))
    number = rng.randint(-most, most)
    return number % (1 << variable.sort.width) if variable.sort.is_bv_type() else number


def follow(task: Task, choose: Choose, most: int = 1_000_000) -> Annotation | None:
    """The annotation that a run violates; None if it ends, or has taken `most` steps.

    Raises OtherRun for choices of no run, NotEvaluable for a term without a value.
    """
    return _Run(task, choose).result(most)


class _Run:
    def __init__(self, task: Task, choose: Choose) -> None:
        self._task = task
        self._choose = choose
        first = self._next("model").values
        self._shared = {v.symbol: first[v] for v in (*task.constants, *task.globals)}
        if not evaluate(task.axioms, dict(self._shared)):
            raise OtherRun
        self._frames: list[_Frame] = []
        self._enter(task.entry, [evaluate(a, dict(self._shared)) for a in task.arguments])

    def _next(self, kind: str) -> Chosen:
        chosen = self._choose(kind)
        if chosen is None or chosen.kind != kind:
            raise OtherRun
        return chosen

    def _enter(self, name: str, arguments: list[Value]) -> None:
        procedure = self._task.procedures[name]
        values = dict(zip((v.symbol for v in procedure.inputs), arguments, strict=True))
        initial = self._next("init-proc-vars").values
        values |= {v.symbol: initial[v] for v in procedure.fresh}
        self._frames.append(_Frame(procedure, values))

    def _value(self, term: Term) -> Value:
        known = self._shared | self._frames[-1].values
        return evaluate(term, {s: known[s] for s in terms.free_symbols(term)})

    def _one_of(self, places: Sequence[int]) -> int:
        return places[self._next("choice").number % len(places)]

    def _set(self, symbol: Term, value: Value) -> None:
        place = self._shared if symbol in self._shared else self._frames[-1].values
        place[symbol] = value

    def result(self, most: int) -> Annotation | None:
        """What the run violates, if anything."""
        for _ in range(most):
            frame = self._frames[-1]
            if frame.place == len(frame.procedure.code):
                if not self._leave():
                    return None
            else:
                violated = self._step(frame)
                if violated is not None:
                    return violated
        return None

    def _leave(self) -> bool:
        """Whether the run goes on where the procedure was called."""
        done = self._frames.pop()
        if not self._frames:
            return False
        caller = self._frames[-1]
        call = caller.procedure.code[caller.place]
        assert isinstance(call, Call)
        for symbol, output in zip(call.results, done.procedure.outputs, strict=True):
            self._set(symbol, done.values[output.symbol])
        caller.place += 1
        return True

    def _step(self, frame: _Frame) -> Annotation | None:  # noqa: C901
        after = frame.place + 1
        match frame.procedure.code[frame.place]:
            case Assume(condition):
                if not self._value(condition):
                    raise OtherRun
            case Assign(values):
                for symbol, value in {s: self._value(t) for s, t in values.items()}.items():
                    self._set(symbol, value)
            case Check(condition, annotation):
                if not self._value(condition):
                    return annotation
            case Havoc(variables):
                values_now = self._next("havoc").values
                for variable in variables:
                    self._set(variable.symbol, values_now[variable])
            case Branch(condition, then, otherwise):
                after = then if self._value(condition) else otherwise
            case Jump(places):
                after = places[0] if len(places) == 1 else self._one_of(places)
            case Call(procedure, arguments):
                self._enter(procedure, [self._value(a) for a in arguments])
                return None
        frame.place = after
        return None
