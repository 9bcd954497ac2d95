"""The violating run, followed through the C text: inputs, decisions and statements in order.

The program is compiled from a text with marks (`csource.marks`).  The interpreter runs it on the
inputs of the violation, in the order in which they were read before.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from seahorn_py.base.errors import SeaError
from seahorn_py.base.records import dataclass
from seahorn_py.csource.marks import DECLARATIONS, INDEX, VARIABLE, Marked, Meaning, Wanted
from seahorn_py.csource.syntax import CText
from seahorn_py.frontend import loading
from seahorn_py.frontend.compiling import compiler
from seahorn_py.frontend.lowering import optimizer
from seahorn_py.frontend.reading import reader
from seahorn_py.ir.interpreter import Frame, run
from seahorn_py.ir.program import (
    Address,
    Block,
    Function,
    IntConst,
    Jump,
    Operand,
    Program,
    Register,
    Site,
    Statement,
    Store,
)
from seahorn_py.ir.regions import Value
from seahorn_py.ir.run import Ending, RunLimits
from seahorn_py.ir.traverse import relabelled
from seahorn_py.ir.types import IntType
from seahorn_py.processes.child import ChildError
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import InputValue, Violation
from seahorn_py.witness.texts import Sources

LIMITS = RunLimits(seconds=10.0, steps=20_000_000)
ENDLESS_LIMITS = RunLimits(seconds=3.0, steps=2_000_000)
SECONDS = 60.0
MAX_EVENTS = 20_000
MAX_ENDLESS_EVENTS = 4_000


@dataclass(frozen=True, slots=True)
class Read:
    """An input was read."""

    value: InputValue


@dataclass(frozen=True, slots=True)
class Passed:
    """A mark in a text was passed."""

    text: CText
    meaning: Meaning


@dataclass(frozen=True, slots=True)
class Indexed:
    """A subscript of the element that takes the next input; the outermost one comes first."""

    value: int


Event = Read | Passed | Indexed


def events(
    violation: Violation, sources: Sources, wanted: Mapping[str, Wanted]
) -> tuple[Event, ...] | None:
    """The events of the run; None if it cannot be followed through the text.

    `wanted`: file -> what is an event beside inputs and decisions.
    """
    if violation.run is None:
        return None
    texts = _marked(sources, wanted)
    program = _program(sources, texts)
    if program is None:
        return None
    for native in (True, False):
        follower = _Follower((value for _, value in violation.run.reads), texts, native)
        if _ends_alike(violation, program, follower):
            return tuple(follower.events)
    return None


def beginning(
    violation: Violation, sources: Sources, wanted: Mapping[str, Wanted]
) -> tuple[Event, ...] | None:
    """The first events of a run without end; None if it cannot be followed through the text."""
    if violation.run is None:
        return None
    texts = _marked(sources, wanted)
    program = _program(sources, texts)
    if program is None:
        return None
    reads = [value for _, value in violation.run.reads]
    for native in (True, False):
        follower = _Endless(reads, texts, native)
        try:
            outcome = run(_cut(program, follower), {}, ENDLESS_LIMITS, follower, draw=follower.read)
        except _TooLong:
            return tuple(follower.events)
        if outcome.ending is Ending.LIMIT:
            return tuple(follower.events)
    return None


def _ends_alike(violation: Violation, program: Program, follower: _Follower) -> bool:
    """Whether the run violates the same check; in a native run, some sites are not read."""
    try:
        outcome = run(_cut(program, follower), {}, LIMITS, follower, draw=follower.read)
    except _TooLong:
        return False
    check = next((c for c in program.checks if c.number == outcome.check), None)
    place = None if check is None else check.origin.span
    if outcome.ending is not Ending.FAILED or check is None or place is None:
        return False
    is_same = violation.place is not None and place.line == violation.place.line
    return is_same and check.property == violation.property


def _marked(sources: Sources, wanted: Mapping[str, Wanted]) -> Sequence[Marked]:
    found: list[Marked] = []
    number = 1
    for text in sources.texts:
        found.append(Marked(text, wanted.get(text.name, Wanted()), number))
        number = found[-1].end
    return found


def _program(sources: Sources, texts: Sequence[Marked]) -> Program | None:
    """The program of the marked texts; None if they do not compile."""
    deadline = Deadline.after(SECONDS)
    edited = tuple((Path(t.text.name), _edited(t)) for t in texts)
    options = replace(sources.frontend, edited=edited)
    paths = [Path(t.text.name) for t in texts]
    try:
        with loading.begin(paths, options, deadline) as lowering:
            return reader.read(optimizer.lowered(lowering))
    except (SeaError, ChildError):
        return None


def _edited(marked: Marked) -> bytes:
    head = f"{DECLARATIONS}\n".encode() + compiler.line_marker(1, marked.text.name)
    return head + compiler.unmarked(marked.source())


class _TooLong(Exception):
    """The run passes more marks than a witness can say."""


class _Follower:
    """An `Observer` that feeds the inputs of the run and collects its events."""

    most = MAX_EVENTS

    def __init__(self, reads: Iterable[int], texts: Sequence[Marked], native: bool) -> None:
        self.stores: dict[tuple[str, str], Store] = {}
        self.events: list[Event] = []
        self._texts = {t.text.name: t for t in texts}
        self._meanings = {n: Passed(t.text, m) for t in texts for n, m in t.meanings.items()}
        self._values = deque(reads)
        self._native = native

    @property
    def is_read(self) -> bool:
        """Whether all known inputs were read."""
        return not self._values

    def read(self, site: Site) -> int:
        """The value for the next visit of a site."""
        if self._native and not site.native:
            return 0
        value = self._values.popleft() if self._values else 0
        self._add(Read(self._input(site, value)))
        return value

    def _input(self, site: Site, value: int) -> InputValue:
        signed = "unsigned" not in site.c_type and "_Bool" not in site.c_type
        if isinstance(site.type, IntType) and signed and value >> (site.type.width - 1):
            value -= 1 << site.type.width
        span = site.origin.span
        marked = None if span is None else self._texts.get(span.file)
        if span is not None and marked is not None:
            span = replace(span, column=marked.original(span.line, span.column))
        return InputValue(site.name, value, site.c_type, span, site.kind.value)

    def at_block(self, function: str, label: str, frame: Frame) -> None:
        """Note the event of a block that begins with a mark."""
        store = self.stores.get((function, label))
        number = None if store is None else _number(store.value, frame)
        if store is None or number is None:
            return
        if _is_at(store.address, INDEX):
            self._add(Indexed(number - (1 << 64) if number >> 63 else number))
        elif number in self._meanings:
            self._add(self._meanings[number])

    def at_return(
        self, function: str, arguments: tuple[Value, ...], results: tuple[Value, ...]
    ) -> None:
        """A return is no event."""

    def _add(self, event: Event) -> None:
        if len(self.events) == self.most:
            raise _TooLong
        self.events.append(event)


class _Endless(_Follower):
    """Follows a run as long as its inputs are known, and up to limits."""

    most = MAX_ENDLESS_EVENTS

    def read(self, site: Site) -> int:
        """The value for the next visit of a site."""
        if self.is_read and not (self._native and not site.native):
            raise _TooLong
        return super().read(site)


# ---------------------------------------------------------------------------------- the program


def _cut(program: Program, follower: _Follower) -> Program:
    """The program with a block that begins at each mark."""
    functions = {name: _cut_function(f, follower) for name, f in program.functions.items()}
    return replace(program, functions=functions)


def _cut_function(function: Function, follower: _Follower) -> Function:
    blocks: list[Block] = []
    last: dict[str, str] = {}
    for block in function.blocks:
        parts = _parts(block)
        labels = [block.label, *(f"{block.label}#{k}" for k in range(1, len(parts)))]
        last[block.label] = labels[-1]
        for k, (label, part) in enumerate(zip(labels, parts, strict=True)):
            if k:
                store = part[0]
                assert isinstance(store, Store)
                follower.stores[function.name, label] = store
            end = Jump(labels[k + 1]) if k + 1 < len(parts) else block.terminator
            blocks.append(Block(label, block.phis if k == 0 else (), tuple(part), end))
    return replace(function, blocks=tuple(relabelled(block, last) for block in blocks))


def _parts(block: Block) -> list[list[Statement]]:
    parts: list[list[Statement]] = [[]]
    for statement in block.statements:
        if isinstance(statement, Store) and _is_at(statement.address, VARIABLE, INDEX):
            parts.append([])
        parts[-1].append(statement)
    return parts


def _is_at(address: Operand, *variables: str) -> bool:
    symbol = address.symbol if isinstance(address, Address) else None
    return symbol is not None and symbol.startswith(variables)


def _number(value: Operand, frame: Frame) -> int | None:
    if isinstance(value, IntConst):
        return value.value
    return frame.get(value.name) if isinstance(value, Register) else None
