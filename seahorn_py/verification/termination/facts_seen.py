"""Signs and orders of values that all of some runs show: guesses at invariants.

With them ranks are looked for: `while (i != n) i++;` has the rank `n - i` where no run shows an `i`
above `n`.  A rank counts only if it is proved, whatever it was found from.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field

from seahorn_py.base.records import dataclass
from seahorn_py.encode.encoding import Cut, CutKind, Encoding
from seahorn_py.horn.system import Model, Parameter
from seahorn_py.ir.interpreter import Frame, Interpreter
from seahorn_py.ir.program import Program
from seahorn_py.ir.regions import Value
from seahorn_py.ir.run import RunLimits
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Term
from seahorn_py.policy.policy import policy
from seahorn_py.processes.deadline import Deadline
from seahorn_py.verification.termination.rounds_seen import STEPS, draws

MOST_PAIRED = 8
"""So many values of a relation are compared with each other."""
MOST_VISITS = 20_000
"""Of a relation: more visits tell hardly more."""
FEW = 4
"""What fewer visits show is chance."""


def facts_seen(encoding: Encoding, words: Sequence[int], deadline: Deadline) -> Model:
    """What runs show at the relations; `words` are numbers of the program."""
    limit = deadline.at_most(policy().termination.runs_seconds)
    limits = RunLimits(seconds=policy().termination.run_seconds, steps=STEPS)
    system = encoding.system
    rows = {
        _key(cut): _Seen(cut, system.relations[name].parameters)
        for name, cut in encoding.cuts.items()
    }
    watcher, interpreter = _Watcher(encoding.program, rows), Interpreter(encoding.program)
    for draw in draws(words):
        if limit.remaining == 0:
            break
        interpreter.run({}, limits, watcher, draw=draw)
    cuts = encoding.cuts.items()
    return Model({name: terms.and_(rows[_key(cut)].facts()) for name, cut in cuts})


def _key(cut: Cut) -> tuple[str, CutKind, str]:
    return cut.function, cut.kind, cut.label if cut.kind is CutKind.BLOCK else ""


@dataclass
class _Seen:
    """The least and greatest value of each number at a relation, and of each difference."""

    cut: Cut
    parameters: Sequence[Parameter]
    visits: int = 0
    numbers: list[int] = field(default_factory=list)
    bounds: dict[tuple[int, int], tuple[int, int]] = field(default_factory=dict)
    """(k, m) -> the bounds of value k without value m; (k, k) -> those of value k."""

    def __post_init__(self) -> None:
        self.numbers = [
            k for k, p in enumerate(self.parameters) if p.sort is terms.INT and p.width is not None
        ]

    def note(self, values: Mapping[str, object]) -> None:
        """Note the values of the registers in one visit."""
        if self.visits >= MOST_VISITS:
            return
        self.visits += 1
        here = {k: self._number(k, values) for k in self.numbers}
        for k, m in self._pairs():
            one, other = here[k], here[m]
            if one is not None and other is not None:
                value = one if k == m else one - other
                low, high = self.bounds.get((k, m), (value, value))
                self.bounds[k, m] = min(low, value), max(high, value)

    def _pairs(self) -> Iterator[tuple[int, int]]:
        paired = self.numbers[:MOST_PAIRED]
        yield from ((k, k) for k in self.numbers)
        yield from ((k, m) for n, k in enumerate(paired) for m in paired[:n])

    def _number(self, k: int, values: Mapping[str, object]) -> int | None:
        value, parameter = values.get(self.cut.registers[k].name), self.parameters[k]
        if not isinstance(value, int) or parameter.width is None:
            return None
        is_negative = parameter.signed and value >> (parameter.width - 1)
        return value - (1 << parameter.width) if is_negative else value

    def facts(self) -> Iterator[Term]:
        """What the bounds say of signs and orders."""
        for (k, m), (low, high) in self.bounds.items() if self.visits >= FEW else ():
            one, zero = self.parameters[k].symbol, terms.int_const(0)
            other = zero if k == m else self.parameters[m].symbol
            if low > 0 and k == m:
                yield terms.lt(zero, one)
            elif low >= 0:
                yield terms.le(other, one)
            if high <= 0:
                yield terms.le(one, other)


@dataclass
class _Watcher:
    """Notes what holds at the relations."""

    program: Program
    rows: Mapping[tuple[str, CutKind, str], _Seen]

    def at_block(self, function: str, label: str, frame: Frame) -> None:
        """Note the state at a cut point."""
        kinds = [(CutKind.BLOCK, label)]
        if label == self.program.functions[function].entry.label:
            kinds.append((CutKind.ENTRY, ""))
        for kind, at in kinds:
            row = self.rows.get((function, kind, at))
            if row is not None:
                row.note(frame)

    def at_return(
        self, function: str, arguments: tuple[Value, ...], results: tuple[Value, ...]
    ) -> None:
        """Note what the function was called with, and what it returns."""
        row = self.rows.get((function, CutKind.EXIT, ""))
        if row is not None:
            names = (p.name for p in self.program.functions[function].parameters)
            given = dict(zip(names, arguments, strict=True))
            row.note({**given, **{f"ret.{k}": v for k, v in enumerate(results)}})
