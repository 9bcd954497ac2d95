"""The run behind an unsafe answer, step by step: where it was and which variables changed.

The program is run once more in the interpreter, with its blocks cut into pieces wherever a line, a
debug record, an input or a store begins; what the observer sees at the start of a piece is the
state there.  A step of a trace is a visit of a place in the C text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace

from seahorn_py.base.errors import NOWHERE, Origin, Span
from seahorn_py.base.records import dataclass
from seahorn_py.evidence.runs.inputs import SHIFTS
from seahorn_py.evidence.trace.heap import Heap, is_on_heap
from seahorn_py.evidence.trace.notation import Objects, given, shown
from seahorn_py.ir.interpreter import Frame, run
from seahorn_py.ir.program import (
    Alloca,
    Bind,
    Block,
    Branch,
    Function,
    Input,
    Jump,
    Operand,
    Program,
    Register,
    Scope,
    Site,
    SiteKind,
    Statement,
    Store,
)
from seahorn_py.ir.regions import Value
from seahorn_py.ir.run import Outcome, RunLimits
from seahorn_py.ir.traverse import relabelled
from seahorn_py.ir.types import PointerType, Type
from seahorn_py.result import Change, TraceStep

LIMITS = RunLimits(seconds=1.0, steps=500_000)
MAX_STEPS = 2_000
"""So many steps are kept from the start and from the end."""


def trace(program: Program, outcome: Outcome, limits: RunLimits = LIMITS) -> tuple[TraceStep, ...]:
    """The steps of the run with the inputs of `outcome`; of a long run its start and its end."""
    marked, marks = _cut(program)
    recorder = _Recorder(program, marks)
    run(marked, outcome.feed, limits, recorder)
    return recorder.steps()


@dataclass(frozen=True)
class _Mark:
    """What begins at a piece: a place, a record or a store; the input that was read just before.

    `done` is what was done to the heap just before.  `branches` says that the piece ends in a
    branch.
    """

    origin: Origin
    begins: Statement | None
    read: Input | None
    done: Statement | None = None
    branches: bool = False


_Marks = Mapping[tuple[str, str], _Mark]


def _cut(program: Program) -> tuple[Program, _Marks]:
    marks: dict[tuple[str, str], _Mark] = {}
    functions = {name: _cut_function(f, marks) for name, f in program.functions.items()}
    return replace(program, functions=functions), marks


def _cut_function(function: Function, marks: dict[tuple[str, str], _Mark]) -> Function:
    """Each block as a chain of pieces; the last one keeps the terminator."""
    pieces: list[Block] = []
    last: dict[str, str] = {}
    for block in function.blocks:
        groups = _groups(block)
        labels = [block.label, *(f"{block.label}#{k}" for k in range(1, len(groups)))]
        last[block.label] = labels[-1]
        for k, (label, group) in enumerate(zip(labels, groups, strict=True)):
            marks[function.name, label] = group.mark
            end = Jump(labels[k + 1]) if k + 1 < len(groups) else block.terminator
            phis = block.phis if k == 0 else ()
            pieces.append(Block(label, phis, tuple(group.statements), end))
    return replace(function, blocks=tuple(relabelled(piece, last) for piece in pieces))


@dataclass
class _Group:
    mark: _Mark
    statements: list[Statement] = field(default_factory=list)


def _groups(block: Block) -> list[_Group]:
    groups = [_Group(_Mark(NOWHERE, None, None))]
    before: Statement | None = None
    for statement in (*block.statements, block.terminator):
        origin: Origin = getattr(statement, "origin", NOWHERE)
        if isinstance(statement, Input):
            origin = statement.site.origin
        place = origin.span is not None and origin.span.line > 0
        begins = statement if isinstance(statement, Bind | Store) else None
        read = before if isinstance(before, Input) else None
        done = before if is_on_heap(before) else None
        is_new = place and origin != groups[-1].mark.origin
        if is_new or any(part is not None for part in (begins, read, done)):
            where = origin if place else groups[-1].mark.origin
            groups.append(_Group(_Mark(where, begins, read, done)))
        before = None if statement is block.terminator else statement  # type: ignore[assignment]
        if statement is not block.terminator:
            groups[-1].statements.append(statement)  # type: ignore[arg-type]
    groups[-1].mark = replace(groups[-1].mark, branches=isinstance(block.terminator, Branch))
    return groups


class _Recorder:
    """Collects steps; an `Observer`."""

    def __init__(self, program: Program, marks: _Marks) -> None:
        self._marks = marks
        self._known: dict[tuple[str, str, tuple[Span, ...], int], str] = {}
        self._entries = {f.name: f.blocks[0].label for f in program.functions.values()}
        self._active, self._calls = [0], 0
        self._objects = Objects(program)
        self._sizes = _sizes(program)
        self._heap = Heap(program)
        self._first: list[TraceStep] = []
        self._last: list[TraceStep] = []
        self._left_out = 0
        self._told = {
            mark.begins.origin
            for mark in marks.values()
            if isinstance(mark.begins, Bind) and mark.begins.variable.scope is Scope.RESULT
        }

    def steps(self) -> tuple[TraceStep, ...]:
        """All that was kept."""
        last = self._last
        if self._left_out and last:
            last = [replace(last[0], left_out=self._left_out), *last[1:]]
        return (*self._first, *last)

    def at_block(self, function: str, label: str, frame: Frame) -> None:
        """The state at the start of a piece."""
        if label == self._entries[function] and (self._calls or self._first):
            self._calls += 1
            self._active.append(self._calls)
        mark = self._marks[function, label]
        if mark.done is not None:
            self._did(mark.done, frame)
        if mark.read is not None and self._is_shown(mark.read.site):
            value = _number(mark.read.result, frame)
            if value is not None:
                text = shown(value, mark.read.result.type, mark.read.site.c_type)
                self._change(Change(_read(mark.read.site), text))
        if mark.origin.span is not None:
            self._visit(mark.origin)
        match mark.begins:
            case Bind():
                self._bound(mark.begins, frame)
            case Store():
                self._stored(mark.begins, frame)
        kept = self._last or self._first
        if mark.branches and kept:
            kept[-1] = replace(kept[-1], has_branched=True)

    def _is_shown(self, site: Site) -> bool:
        """Whether what is read has a name in C; in a model the result of the call tells it."""
        is_shift = site.kind is SiteKind.EXTERN and site.name in SHIFTS
        is_outside = site.kind in (SiteKind.NONDET, SiteKind.EXTERN) and not is_shift
        return is_outside and site.origin not in self._told

    def at_return(
        self, function: str, arguments: tuple[Value, ...], results: tuple[Value, ...]
    ) -> None:
        """Back to the caller; what a call gives is seen there."""
        self._active = self._active[:-1] or [0]

    def _visit(self, origin: Origin) -> None:
        before = self._current()
        span = origin.span
        assert span is not None
        if (
            before is not None
            and before.place.line == span.line
            and before.chain == origin.chain[1:]
            and before.activation == self._active[-1]
        ):
            return
        self._append(TraceStep(span, origin.chain[1:]))

    def _append(self, step: TraceStep) -> None:
        step = replace(step, activation=self._active[-1])
        if len(self._first) < MAX_STEPS:
            self._first.append(step)
            return
        self._last.append(step)
        if len(self._last) > MAX_STEPS:
            del self._last[0]
            self._left_out += 1

    def _current(self) -> TraceStep | None:
        kept = self._last or self._first
        return kept[-1] if kept else None

    def _change(self, change: Change) -> None:
        kept = self._last or self._first
        if kept:
            others = (c for c in kept[-1].changes if c.name != change.name)
            kept[-1] = replace(kept[-1], changes=(*others, change))

    def _did(self, statement: Statement, frame: Frame) -> None:
        """What was done to the heap belongs to the step that did it."""
        found = self._heap.events(statement, lambda o: _number(o, frame, self._objects))
        kept = self._last or self._first
        if found and kept:
            kept[-1] = replace(kept[-1], heap=(*kept[-1].heap, *found))

    def _bound(self, record: Bind, frame: Frame) -> None:
        variable = record.variable
        value = None if record.value is None else _number(record.value, frame)
        if value is None or record.value is None:
            return
        if variable.name.startswith("&"):
            self._objects.live(variable, value, self._sizes.get(str(record.value), 0))
            return
        key = str(variable), str(variable.span), record.origin.chain[1:], self._active[-1]
        text = self._text(value, record.value.type, variable.c_type, variable.signed)
        if variable.scope is Scope.RESULT:
            self._visit(record.origin)
            self._change(Change(variable.name, given(variable.name, text)))
            return
        if self._known.get(key) == text:
            return
        is_new = key not in self._known
        self._known[key] = text
        self._placed(record, is_new)
        self._change(Change(str(variable), text))

    def _placed(self, record: Bind, is_new: bool) -> None:
        """Go to where the record belongs, if it has no line: what it follows may be elsewhere.

        After an inlined call that is the call; a constant first value has but its declaration.
        """
        span, chain, current = record.variable.span, record.origin.chain[1:], self._current()
        if span is None or record.origin.span is None or record.origin.span.line:
            return
        inside = current is not None and current.place.function == span.function
        if current is not None and current.activation != self._active[-1]:
            self._append(TraceStep(span, chain))
            return
        if current is not None and (not inside or current.chain != chain):
            call = next(
                (k for k in range(len(current.chain)) if current.chain[k + 1 :] == chain), None
            )
            if call is not None and current.chain[call].function == span.function:
                self._append(TraceStep(current.chain[call], chain))
                return
            inside = False
        if not inside or (is_new and current is not None and span.line > current.place.line):
            self._append(TraceStep(span, chain))

    def _stored(self, store: Store, frame: Frame) -> None:
        address, value = _number(store.address, frame, self._objects), _number(store.value, frame)
        if address is None or value is None:
            return
        found = self._objects.element(address, store.value.type)
        if found is not None:
            name, c_type, signed = found
            self._change(Change(name, self._text(value, store.value.type, c_type, signed)))

    def _text(self, value: int, type_: Type, c_type: str, signed: bool | None) -> str:
        """A value as C has it; of a pointer to a variable that has a name."""
        named = self._objects.pointed_at(value) if isinstance(type_, PointerType) else ""
        return named or shown(value, type_, c_type, signed)


def _sizes(program: Program) -> dict[str, int]:
    """The sizes of stack objects by their registers."""
    return {
        str(s.result): getattr(s.size, "value", 0)
        for f in program.functions.values()
        for b in f.blocks
        for s in b.statements
        if isinstance(s, Alloca)
    }


def _number(operand: Operand, frame: Frame, objects: Objects | None = None) -> int | None:
    """The machine word of an operand; None if it has no value yet."""
    if isinstance(operand, Register):
        return frame.get(operand.name)
    value = getattr(operand, "value", getattr(operand, "bits", None))
    if value is None and objects is not None:
        return objects.address(operand)
    return int(value) if value is not None else None


def _read(site: Site) -> str:
    """What C reads there: a call of a function, or an object that is not described by a name."""
    return f"{site.name}()" if site.name.isidentifier() else site.name
