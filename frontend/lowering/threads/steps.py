"""The code of one thread in steps, and what its copies in a product are made of."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from seahorn_py.base.errors import Span
from seahorn_py.base.records import dataclass
from seahorn_py.frontend.compiling.support import OUR_FOLDERS
from seahorn_py.frontend.llvmtext.blocks import BlockText, split_blocks
from seahorn_py.frontend.llvmtext.debugtext import DebugText
from seahorn_py.frontend.llvmtext.inputs import Inputs
from seahorn_py.frontend.llvmtext.lines import DEBUG, CallText, read_call
from seahorn_py.frontend.llvmtext.module import FunctionText
from seahorn_py.frontend.llvmtext.tokens import NAME
from seahorn_py.frontend.lowering.events import primitives
from seahorn_py.frontend.lowering.threads.accesses import MAKE, is_harmless
from seahorn_py.frontend.lowering.threads.copies import GIVEN, Place
from seahorn_py.frontend.lowering.threads.cutting import TOUCH, begins_step
from seahorn_py.frontend.lowering.threads.races import POINTER, Races
from seahorn_py.frontend.lowering.threads.reduction import Reduction
from seahorn_py.ir.program import SiteKind
from seahorn_py.ir.run import STEP_BITS
from seahorn_py.options import FrontendOptions, Property

MARK = "sea.mark"
"""Tells the run time which thread makes the next step; the optimised text does without."""

SCHEDULE = "schedule"
"""The name of the inputs that choose the next thread."""

CHOICE = (SiteKind.EXTERN, SCHEDULE, "int", True)
CREATES = "pthread_create"
DEADLOCK = "all threads that have not ended wait for ever, a deadlock"
STOP = ("  call void @sea.stop()", "  unreachable")
LINES = 60_000
"""A program of all orders of steps has no more."""

_NOTHING = '"reg2mem alloca point"'
_TOKEN = re.compile(rf"%({NAME})")
_DEFINED = re.compile(rf"  %({NAME}) = ")
_ALLOCA = re.compile(rf"  %({NAME}) = alloca (?!.*, i\d+ %)")
_GIVEN = re.compile(rf"@({re.escape(GIVEN)}\d+)")
_RECORD = re.compile(r"    #dbg_(?:value|assign)\(\w+ %")


@dataclass(frozen=True)
class Steps:
    """The code of one thread: its blocks by their labels, and its locals."""

    blocks: Mapping[str, BlockText]
    entry: str
    allocas: tuple[str, ...]
    names: frozenset[str]
    local: frozenset[str]


def one_asked(options: FrontendOptions) -> Property:
    """A property that is asked about."""
    return next((p for p in Property if p in options.properties), Property.UNREACH_CALL)


@dataclass(frozen=True)
class Parts:
    """What a program of all orders of steps is made of; the first thread is that of `main`."""

    threads: Sequence[Steps]
    places: Mapping[int, Place]
    inputs: Inputs
    chooser: Reduction
    races: Races
    debug: DebugText
    options: FrontendOptions

    def mark(self, number: int, label: str) -> str:
        """The mark of a step of a thread, with the place where it begins."""
        self.inputs.steps.append(self._begin(self.threads[number], label))
        value = number | (len(self.inputs.steps) - 1) << STEP_BITS
        return f"  call void @{MARK}(i32 {value})"

    def note_makers(self) -> None:
        """Record which thread makes which, and where."""
        for maker, thread in enumerate(self.threads):
            for line in (line for block in thread.blocks.values() for line in block.lines):
                if f" @{MAKE}" in line and (call := read_call(line)) is not None:
                    made = self.places[int(call.callee[len(MAKE) :])].threads
                    self.inputs.makes |= dict.fromkeys(made, (maker, self._own(line)))

    def _begin(self, thread: Steps, label: str) -> Span | None:
        """The first place of the program in a step, none where nothing of it has one."""
        found = map(self._own, thread.blocks[label].lines)
        return next((span for span in found if span is not None), None)

    def _own(self, line: str) -> Span | None:
        """The place of a line in the program, not in a model that it calls."""
        chain = self.debug.origin(m[0] if (m := DEBUG.search(line)) else "").chain
        own = (span for span in chain if not span.file.startswith(OUR_FOLDERS) and span.line)
        return next(own, None)

    @property
    def asked(self) -> Property:
        """A property that is asked about."""
        return one_asked(self.options)

    @property
    def finds_deadlocks(self) -> bool:
        """Whether deadlocks are asked about."""
        return self.options.wants(Property.NO_DEADLOCK)

    def takes_argument(self, number: int) -> bool:
        """Whether a thread uses what it is given."""
        blocks = self.threads[number].blocks.values()
        return any(f"{GIVEN}{number}" in given_in(block) for block in blocks)


def steps_of(function: FunctionText) -> Steps:
    """The steps of a function that is cut and has no phis."""
    blocks = _joined(split_blocks(function.lines, ""))
    names = {m[1] for line in function.lines if (m := _DEFINED.match(line))} | blocks.keys()
    entry = next(iter(blocks))
    allocas = tuple(line for line in blocks[entry].lines if _ALLOCA.match(line))
    local = frozenset(m[1] for line in allocas if (m := _ALLOCA.match(line)))
    return Steps(blocks, entry, allocas, frozenset(names), local)


def _joined(blocks: Mapping[str, BlockText]) -> dict[str, BlockText]:
    """The blocks with those at their ends to which nothing else of a step leads."""
    leading = Counter(s for block in blocks.values() for s in dict.fromkeys(block.successors))
    found = dict(blocks)
    for label in blocks:
        while label in found and len(successors := found[label].successors) == 1:
            (follows,) = successors
            if leading[follows] > 1 or begins_step(follows) or follows == label:
                break
            next_ = found.pop(follows)
            lines = (*found[label].lines[:-1], *next_.lines)
            found[label] = replace(next_, label=label, lines=lines)
    return found


def first_slots(threads: Sequence[Steps]) -> Iterator[str]:
    """The locals of threads, their arguments and the pointer of a stopped one."""
    given = sorted({n for t in threads for b in t.blocks.values() for n in given_in(b)})
    yield from (f"  %{name} = alloca ptr, align 8" for name in (*given, POINTER))
    for number, thread in enumerate(threads):
        yield from (renamed(line, number, "", thread) for line in thread.allocas)
    yield from (f"  store ptr null, ptr %{name}, align 8" for name in (*given, POINTER))


def primitives_from(thread: Steps, label: str) -> Iterator[CallText]:
    """The primitives that a thread calls next.

    That is until its way divides, its step ends, or it calls what may show an error.
    """
    passed = set[str]()
    while label not in passed:
        passed.add(label)
        block = thread.blocks[label]
        calls = (read_call(line) for line in block.lines if " call " in line)
        for call in calls:
            if call is None or not _is_quiet(call.callee):
                return
            if call.callee in primitives.PRIMITIVES:
                yield call
        if len(block.successors) == 1 and not begins_step(block.successors[0]):
            label = block.successors[0]


def to_other_steps(block: BlockText, target: Callable[[str], str]) -> str:
    """The last line of a block, which leads to the targets of steps; `%=` marks their names."""
    last = block.lines[-1]
    for label in filter(begins_step, block.successors):
        to = target(label)
        last = re.sub(rf"label %{re.escape(label)}(?![-\w.$])", f"label %={to}", last)
    return last


def own_names(block: BlockText, thread: Steps) -> frozenset[str]:
    """What is defined in a block of a copy, or for the whole thread."""
    return thread.local | {m[1] for line in block.lines if (m := _DEFINED.match(line))}


def is_left_out(line: str, thread: Steps, own: frozenset[str]) -> bool:
    """Whether a copy does without a line."""
    is_nothing = line in thread.allocas or _NOTHING in line
    return is_nothing or (_RECORD.match(line) is not None and not _is_own(line, own))


def given_in(block: BlockText) -> Iterator[str]:
    """The arguments of threads that a block speaks of."""
    for line in block.lines:
        yield from _GIVEN.findall(line)


def _is_own(line: str, own: Iterable[str]) -> bool:
    return any(name in own for name in _TOKEN.findall(line.partition(", !")[0]))


def prefixed(prefix: str, name: str) -> str:
    """The name of a copy."""
    return f'"{prefix}{name[1:]}' if name.startswith('"') else f"{prefix}{name}"


def renamed(line: str, number: int, prefix: str, thread: Steps) -> str:
    """A line with the names of a copy: locals are those of the thread, all others of the step."""

    def name(found: re.Match[str]) -> str:
        old = found[1]
        if old in thread.local:
            return f"%{prefixed(f't{number}.', old)}"
        return f"%{prefixed(prefix, old)}" if old in thread.names else found[0]

    return _GIVEN.sub(r"%\1", _TOKEN.sub(name, line))


def _is_quiet(name: str) -> bool:
    """Whether a call by a thread shows no error."""
    is_check = name.startswith(("sea.check", TOUCH))
    return not is_check and (name in primitives.PRIMITIVES or is_harmless(name))
