"""A run of a program in encoding form, cut into the steps that rules of its encoding describe."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from differential import LIMITS, Observation

from seahorn_py.encode.encoding import CutKind, Encoding
from seahorn_py.ir.floats.concrete import SOFT
from seahorn_py.ir.interpreter import Frame, Interpreter
from seahorn_py.ir.program import Register, Site
from seahorn_py.ir.regions import Contents, Value
from seahorn_py.ir.run import Ending
from seahorn_py.ir.types import FloatType, RegionType, Type


@dataclass(frozen=True)
class Elements:
    """What a region holds: the elements that were written, and `rest` everywhere else."""

    rest: int
    items: tuple[tuple[int, int], ...]


Held = int | Elements


@dataclass(frozen=True)
class State:
    """A relation and the machine values of its positions, one NaN standing for all."""

    relation: str
    values: tuple[Held, ...]


@dataclass(frozen=True)
class Step:
    """From one cut point (and the summary of a call) to the next, a check, or the end (None)."""

    body: tuple[State, ...]
    inputs: tuple[tuple[int, int], ...]
    to: State | int | None

    @property
    def places(self) -> tuple[str | int | None, ...]:
        """The relations it leads from, and the relation or check it leads to."""
        to = self.to.relation if isinstance(self.to, State) else self.to
        return (*(state.relation for state in self.body), to)


@dataclass
class _Activation:
    body: tuple[State, ...]
    inputs: list[tuple[int, int]] = field(default_factory=list)


@dataclass(frozen=True)
class _Holder:
    """Machine values as states have them; contents that were seen before are known."""

    known: dict[int, tuple[Contents, Elements]] = field(default_factory=dict)

    def state(
        self, relation: str, registers: Iterable[Register], value: Callable[[Register], Value]
    ) -> State:
        """The state in which the registers have these values."""
        return State(relation, tuple(self._held(r.type, value(r)) for r in registers))

    def _held(self, type_: Type, value: Value) -> Held:
        if not isinstance(value, Contents):
            return _scalar(type_, value)
        found = self.known.get(id(value))
        if found is None:
            assert isinstance(type_, RegionType)
            found = self.known[id(value)] = value, _elements(type_.element, value)
        return found[1]


def _elements(type_: Type, contents: Contents) -> Elements:
    items = ((address, _scalar(type_, one)) for address, one in contents.items())
    return Elements(_scalar(type_, contents.default), tuple(items))


def _scalar(type_: Type, value: int) -> int:
    return SOFT.one_of_each(type_.kind, value) if isinstance(type_, FloatType) else value


class Recorder:
    """Observes a run of the program of an encoding and cuts it into steps."""

    def __init__(self, encoding: Encoding, feed: Mapping[int, tuple[int, ...]]) -> None:
        self._cuts = {(c.kind, c.function, c.label): (n, c) for n, c in encoding.cuts.items()}
        self._exits = {c.function: n for n, c in encoding.cuts.items() if c.kind is CutKind.EXIT}
        self._program = encoding.program
        self._cut_of = encoding.cuts
        self._left = {site: list(reversed(values)) for site, values in feed.items()}
        self._stack: list[_Activation] = []
        self._holder = _Holder()
        self.steps: list[Step] = []

    def draw(self, site: Site) -> int:
        """The next value of the site, noted for the step that reads it."""
        left = self._left.get(site.number)
        value = left.pop() if left else 0
        self._stack[-1].inputs.append((site.number, value))
        return value

    def at_block(self, function: str, label: str, frame: Frame) -> None:
        """The phis of a block were evaluated."""
        is_entry = label == self._program.functions[function].entry.label
        kind = CutKind.ENTRY if is_entry else CutKind.BLOCK
        found = self._cuts.get((kind, function, label))
        if found is None:
            return
        name, cut = found
        regions = frame.regions
        state = self._holder.state(
            name, cut.registers, lambda r: regions[r.name] if r.name in regions else frame[r.name]
        )
        if is_entry:
            if self._stack:
                self._note(state)
            self._stack.append(_Activation((state,)))
        else:
            self._note(state)
            self._stack[-1] = _Activation((state,))

    def at_return(
        self, function: str, arguments: tuple[Value, ...], results: tuple[Value, ...]
    ) -> None:
        """A function returns: its caller goes on with the summary."""
        name = self._exits[function]
        parameters = [p.name for p in self._program.functions[function].parameters]
        values = dict(zip(parameters, arguments, strict=True))
        values |= {f"ret.{k}": value for k, value in enumerate(results)}
        state = self._holder.state(name, self._cut_of[name].registers, lambda r: values[r.name])
        self._note(state)
        self._stack.pop()
        if self._stack:
            before = self._stack[-1].body[0]
            self._stack[-1] = _Activation((before, state))

    def ended(self, check: int | None) -> None:
        """The run is over: at a check, or anywhere else unless the entry function returned."""
        if self._stack:
            self._note(check)

    def _note(self, to: State | int | None) -> None:
        top = self._stack[-1]
        self.steps.append(Step(top.body, tuple(top.inputs), to))


def steps_of(encoding: Encoding, runner: Interpreter, seen: Observation) -> list[Step]:
    """The steps of the run that a native run corresponds to; none where it is out of bounds."""
    recorder = Recorder(encoding, seen.expected.feed)
    outcome = runner.run({}, LIMITS, recorder, draw=recorder.draw)
    if outcome.ending in (Ending.LIMIT, Ending.REFUSED):
        return []
    recorder.ended(outcome.check)
    return recorder.steps
