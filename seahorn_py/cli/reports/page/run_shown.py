"""A violating run as a page shows it: steps, stack frames, blocks of the heap."""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Iterator, Sequence
from dataclasses import replace

from seahorn_py.base.errors import Span
from seahorn_py.base.patterns import pattern
from seahorn_py.cli.reports.page.page_model import (
    BlockEvent,
    Frame,
    Place,
    Pointer,
    Run,
    Step,
    Value,
)
from seahorn_py.cli.reports.page.source_files import SourceFiles
from seahorn_py.cli.screen import inputs_told
from seahorn_py.evidence.trace.text import Line, steps
from seahorn_py.result import HeapDeed, HeapEvent, Violation

_ADDRESS = pattern(r"\(void \*\)0x([0-9a-f]+)")
_MEMBER = pattern(r"(?:->|\.)\s*(\w+)$")


def run_shown(violation: Violation, files: SourceFiles) -> Run:
    """The run behind a violation."""
    told = _with_arguments_together(steps(violation))
    frames, blocks = _Frames(files), _Blocks(files)
    shown = tuple(_step(line, frames, blocks, files) for line in told)
    inputs = (line.removeprefix("input: ") for line in inputs_told.lines(violation))
    return Run(tuple(inputs), shown, frames.all())


def _step(line: Line, frames: _Frames, blocks: _Blocks, files: SourceFiles) -> Step:
    step = line.step
    frame = frames.number(line)
    heap = tuple(map(blocks.event, step.heap))
    changes = tuple(Value(change.name, *blocks.resolved(change.value)) for change in step.changes)
    place = files.place(step.place)
    column = step.place.column
    return Step(
        place, column, frame, line.text, line.taken, changes, heap, step.left_out, line.again
    )


# --------------------------------------------------------------------------------- calls


def _with_arguments_together(lines: Sequence[Line]) -> list[Line]:
    """The parameters of a call in one step, where its arguments are computed between them."""
    found: list[Line] = []
    for line in lines:
        before = next((k for k in (-2, -3) if _goes_on(found, k, line)), None)
        if before is None:
            found.append(line)
            continue
        first, between = found[before], found[before + 1 :]
        del found[before:]
        found += [one for one in between if one.step.changes or one.step.heap]
        changes = (*first.step.changes, *line.step.changes)
        heap = (*first.step.heap, *line.step.heap)
        found.append(replace(line, step=replace(line.step, changes=changes, heap=heap)))
    return found


def _goes_on(found: Sequence[Line], at: int, line: Line) -> bool:
    """Whether the step is where the one at `at` was, and only its caller worked between them."""
    if len(found) < -at or line.again != found[at].again:
        return False
    first, here = found[at].step, line.step
    is_same = (first.place.line, first.place.function) == (here.place.line, here.place.function)
    if not is_same or first.chain != here.chain or not here.chain:
        return False
    caller = here.chain[0]
    return first.activation == here.activation and all(
        (one.step.place.line, one.step.chain) == (caller.line, here.chain[1:])
        for one in found[at + 1 :]
    )


class _Frames:
    """Stack frames, numbered as they appear."""

    def __init__(self, files: SourceFiles) -> None:
        self._files = files
        self._numbers: dict[tuple[str, tuple[Span, ...], int], int] = {}
        self._frames: list[Frame] = []
        self._callers: dict[int, tuple[int, Place]] = {}
        self._last = (-1, Place())

    def all(self) -> tuple[Frame, ...]:
        """All that were seen."""
        return tuple(self._frames)

    def number(self, line: Line) -> int:
        """The frame of the next step."""
        step = line.step
        if step.activation not in self._callers:
            self._callers[step.activation] = self._last
        number = self._of(step.place.function, step.chain, step.activation)
        self._last = number, self._files.place(step.place)
        return number

    def _of(self, function: str, chain: tuple[Span, ...], activation: int) -> int:
        key = (function, chain, activation)
        if key not in self._numbers:
            if chain:
                parent = self._of(chain[0].function, chain[1:], activation)
                at = self._files.place(chain[0])
            else:
                parent, at = self._callers[activation]
            self._numbers[key] = len(self._frames)
            self._frames.append(Frame(function, parent, at))
        return self._numbers[key]


# ---------------------------------------------------------------------------------- heap


class _Blocks:
    """Blocks of the heap, numbered as they are allocated; a base may be used again."""

    def __init__(self, files: SourceFiles) -> None:
        self._files = files
        self._bases: list[int] = []
        self._latest: dict[int, tuple[int, int]] = {}
        self._count = 0

    def event(self, event: HeapEvent) -> BlockEvent:
        """What is done, by the number of the block."""
        if event.deed is HeapDeed.ALLOCATED:
            if event.base not in self._latest:
                insort(self._bases, event.base)
            self._latest[event.base] = self._count, event.size
            self._count += 1
        number = self._latest.get(event.base, (-1, 0))[0]
        text, to = self.resolved(event.value)
        source = self._pointer(event.source) if event.deed is HeapDeed.COPIED else None
        line = self._files.place(event.place).line
        row = (event.deed.value, number, event.offset, event.size, text)
        return BlockEvent(*row, self._label(event), line, to, source)

    def _label(self, event: HeapEvent) -> str:
        """What a cell is called: the member that is written, or which element."""
        if event.deed is not HeapDeed.WRITTEN:
            return ""
        written = self._files.written(event.place)
        member = _MEMBER.search(written)
        if member is not None:
            return member[1]
        if written.endswith("]") and event.size:
            return f"[{event.offset // event.size}]"
        return ""

    def resolved(self, text: str) -> tuple[str, Pointer | None]:
        """A value as it is shown, and where it leads if it is a pointer."""
        found = _ADDRESS.fullmatch(text)
        to = None if found is None else self._pointer(int(found[1], 16))
        if to is None:
            return text, None
        return f"→ block {to.block + 1}{_more(to.offset)}", to

    def _pointer(self, address: int) -> Pointer | None:
        before = bisect_right(self._bases, address)
        if not before:
            return None
        base = self._bases[before - 1]
        number, size = self._latest[base]
        return Pointer(number, address - base) if address - base <= size else None


def _more(offset: int) -> str:
    return f" + {offset}" if offset else ""


def functions_of(run: Run) -> Iterator[tuple[int, str]]:
    """The functions that a run passes, those in which it ends first."""
    for step in reversed(run.steps):
        yield step.at.file, run.frames[step.frame].function
