"""The product of threads: one function that runs their steps in all orders.

A state of the product says where each thread is: not made, at the begin of a step, or at its end.
Each state that may be reached has a block, in which an input chooses the thread that makes its
next step, and a copy of the step for each thread that can make one.  So where threads are is
control, and only what they know is data.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from seahorn_py.base.errors import UnsupportedError
from seahorn_py.base.records import dataclass
from seahorn_py.frontend.llvmtext.blocks import BlockText, split_blocks
from seahorn_py.frontend.llvmtext.inputs import Inputs
from seahorn_py.frontend.llvmtext.lines import CallText, argument, read_call
from seahorn_py.frontend.llvmtext.module import FunctionText
from seahorn_py.frontend.llvmtext.tokens import NAME
from seahorn_py.frontend.lowering.events import primitives
from seahorn_py.frontend.lowering.library.claims import room
from seahorn_py.frontend.lowering.threads.accesses import MAKE, is_harmless
from seahorn_py.frontend.lowering.threads.copies import GIVEN, Place
from seahorn_py.frontend.lowering.threads.cutting import HELD, TOUCH, begins_step
from seahorn_py.frontend.lowering.threads.races import POINTER, STOPPED, Races, is_stopped, mark_of
from seahorn_py.frontend.lowering.threads.reduction import Reduction
from seahorn_py.ir.program import SiteKind
from seahorn_py.options import FrontendOptions, Property

MARK = "sea.mark"
"""Tells the run time which thread makes the next step; the optimised text does without."""

SCHEDULE = "schedule"
"""The name of the inputs that choose the next thread."""

_NOTHING = '"reg2mem alloca point"'
_NOT_MADE = ""
_ENDED = "sea.ended"
_TRIED = "sea.tried."
"""Begins the place of a thread that waits, and was not able to go on since any thread was."""

_CREATES = "pthread_create"
_LINES = 60_000
_TOKEN = re.compile(rf"%({NAME})")
_DEFINED = re.compile(rf"  %({NAME}) = ")
_ALLOCA = re.compile(rf"  %({NAME}) = alloca (?!.*, i\d+ %)")
_GIVEN = re.compile(rf"@({re.escape(GIVEN)}\d+)")
_RECORD = re.compile(r"    #dbg_(?:value|assign)\(\w+ %")
_CHOICE = (SiteKind.EXTERN, SCHEDULE, "int", True)

Where = tuple[str, ...]
"""Where each thread is: the label of its next step, or one of the two marks above."""


@dataclass(frozen=True)
class Steps:
    """The code of one thread: its blocks by their labels, and its locals."""

    blocks: Mapping[str, BlockText]
    entry: str
    allocas: tuple[str, ...]
    names: frozenset[str]
    local: frozenset[str]


def steps_of(function: FunctionText) -> Steps:
    """The steps of a function that is cut and has no phis."""
    blocks = split_blocks(function.lines, "")
    names = {m[1] for line in function.lines if (m := _DEFINED.match(line))} | blocks.keys()
    entry = next(iter(blocks))
    allocas = tuple(line for line in blocks[entry].lines if _ALLOCA.match(line))
    local = frozenset(m[1] for line in allocas if (m := _ALLOCA.match(line)))
    return Steps(blocks, entry, allocas, frozenset(names), local)


class Product:
    """Makes the product of threads by their numbers; the first is that of `main`."""

    def __init__(
        self,
        threads: Sequence[Steps],
        places: Mapping[int, Place],
        inputs: Inputs,
        chooser: Reduction,
        races: Races,
        options: FrontendOptions,
    ) -> None:
        self._threads = threads
        self._places = places
        self._inputs = inputs
        self._chooser = chooser
        self._races = races
        self._asked = next((p for p in Property if p in options.properties), Property.UNREACH_CALL)
        self._finds_deadlocks = options.wants(Property.NO_DEADLOCK)
        self._known: dict[Where, str] = {}
        self._waiting: list[Where] = []
        self.lines: list[str] = []
        self.main_may_end_first = False
        self.bounds: list[str] = []

    def body(self) -> tuple[str, ...]:
        """The lines of the function."""
        given = sorted({n for t in self._threads for b in t.blocks.values() for n in _given(b)})
        self.lines = [f"  %{name} = alloca ptr, align 8" for name in given]
        for number, thread in enumerate(self._threads):
            self.lines += (_renamed(line, number, "", thread) for line in thread.allocas)
        first = (self._threads[0].entry, *(_NOT_MADE for _ in self._threads[1:]))
        self.lines.append(f"  %{POINTER} = alloca ptr, align 8")
        self.lines.append(f"  store ptr null, ptr %{POINTER}, align 8")
        self.lines += (f"  store ptr null, ptr %{name}, align 8" for name in given)
        self.lines.append(f"  br label %{self._label(first)}")
        while self._waiting:
            if len(self.lines) > _LINES:
                raise UnsupportedError("threads have too many orders of steps")
            self._state(self._waiting.pop())
        return tuple(self.lines)

    def _label(self, where: Where) -> str:
        """The label of the block of a state."""
        if where not in self._known:
            self._known[where] = f"sea.at.{len(self._known)}"
            self._waiting.append(where)
        return self._known[where]

    # --------------------------------------------------------------------------------- states

    def _state(self, where: Where) -> None:
        label = self._known[where]
        self.lines.append(f"{label}:")
        alive = [n for n, at in enumerate(where) if at not in (_NOT_MADE, _ENDED)]
        running = [n for n in alive if not is_stopped(where[n]) and not where[n].startswith(_TRIED)]
        holding = [n for n in running if begins_step(where[n]) and where[n].startswith(HELD)]
        able = [n for n in holding or running if not self._waits(n, where)]
        running = list(self._chooser.chosen(where, able))
        if not running and alive and self._finds_deadlocks:
            text = "all threads that have not ended wait for ever, a deadlock"
            debug = self._waiting_at(where, alive)
            self.lines += self._inputs.check("false", text, debug, Property.NO_DEADLOCK)
        if not running:
            self.lines += ("  call void @sea.stop()", "  unreachable")
            return
        self._choose(label, where, running)
        for number in running:
            self._copy_step(label, where, number)

    def _waits(self, number: int, where: Where) -> bool:
        """Whether the next step of a thread waits for the end of one that has not ended."""
        false = {"false"}
        for call in self._primitives(number, where[number]):
            given = argument(call.arguments[0])[1] if call.arguments else ""
            if call.callee == primitives.ENDED and given.isdigit():
                if where[int(given) : int(given) + 1] != (_ENDED,):
                    false.add(str(call.result))
            elif call.callee == primitives.WAIT and given in false:
                return True
        return False

    def _waiting_at(self, where: Where, alive: Iterable[int]) -> str:
        """The `!dbg` of what the first thread waits for, when all threads wait."""
        for number in alive:
            for call in self._primitives(number, where[number].removeprefix(_TRIED)):
                if call.callee == primitives.WAIT:
                    return call.debug
        return ""

    def _primitives(self, number: int, label: str) -> Iterator[CallText]:
        """The primitives that a thread calls next.

        That is until its way divides, its step ends, or it calls what may show an error.
        """
        passed = set[str]()
        while label not in passed:
            passed.add(label)
            block = self._threads[number].blocks[label]
            calls = (read_call(line) for line in block.lines if " call " in line)
            for call in calls:
                if call is None or not _is_quiet(call.callee):
                    return
                if call.callee in primitives.PRIMITIVES:
                    yield call
            if len(block.successors) == 1 and not begins_step(block.successors[0]):
                label = block.successors[0]

    def _choose(self, label: str, where: Where, running: list[int]) -> None:
        """Jump to the step of a thread, which an input chooses if there are several."""
        steps = {n: _prefixed(f"{label}.{n}.", where[n]) for n in running}
        if len(running) == 1:
            self.lines.append(f"  br label %{steps[running[0]]}")
            return
        chosen = self._inputs.name()
        self.lines += self._inputs.value(chosen, "i8", _CHOICE, "")
        for number in running[:-2]:
            self._test(chosen, number, steps[number], f"{label}.not.{number}")
            self.lines.append(f"{label}.not.{number}:")
        self._test(chosen, running[-2], steps[running[-2]], steps[running[-1]])

    def _test(self, chosen: str, number: int, then: str, other: str) -> None:
        is_it = self._inputs.name()
        self.lines += (
            f"  {is_it} = icmp eq i8 {chosen}, {number}",
            f"  br i1 {is_it}, label %{then}, label %{other}",
        )

    # ---------------------------------------------------------------------------------- steps

    def _copy_step(self, label: str, where: Where, number: int) -> None:
        """A copy of the next step of a thread, whose ends lead to further states."""
        thread = self._threads[number]
        prefix = f"{label}.{number}."
        waiting, seen = [where[number]], {where[number]}
        while waiting:
            current = waiting.pop()
            self.lines.append(f"{_prefixed(prefix, current)}:")
            if current == where[number]:
                self.lines.append(f"  call void @{MARK}(i32 {number})")
            targets = self._copy_block(thread.blocks[current], where, number, prefix)
            more = [t for t in targets if t not in seen]
            seen.update(more)
            waiting.extend(more)

    def _copy_block(
        self, block: BlockText, where: Where, number: int, prefix: str
    ) -> tuple[str, ...]:
        """Copy a block; returns the labels of the same step to which it leads."""
        thread = self._threads[number]
        own = {m[1] for line in block.lines if (m := _DEFINED.match(line))} | thread.local
        for line in block.lines[:-1]:
            if (
                line in thread.allocas
                or _NOTHING in line
                or (_RECORD.match(line) and not _is_own(line, own))
            ):
                continue
            call = read_call(line) if " call " in line else None
            name = call.callee if call else ""
            if name == primitives.EXIT:
                self.main_may_end_first |= number == 0
                self.lines.append(f"  br label %{self._label(_moved(where, number, _ENDED))}")
                return ()
            if call is not None and name.startswith(TOUCH):
                self._touch(call, where, number, prefix)
                continue
            if call is not None and name == primitives.WAIT and self._finds_deadlocks:
                self._try(call, where, number, prefix)
                continue
            if name.startswith(MAKE):
                made = self._make(line, where, number, prefix)
                if made is None:
                    return ()
                where = made
                continue
            for each in self._special(line, where) or (line,):
                self.lines.append(_renamed(each, number, prefix, thread))
        return self._leave(block, where, number, prefix)

    def _touch(self, call: CallText, where: Where, number: int, prefix: str) -> None:
        """An access that may race: the thread may stop before it, or meet one that has stopped."""
        thread = self._threads[number]
        pointer = _renamed(argument(call.arguments[0])[1], number, prefix, thread)
        stopped = next((at for at in where if is_stopped(at)), None)
        if stopped is not None:
            self.lines += self._races.check(call.callee, mark_of(stopped), pointer, call.debug)
            return
        others = any(at != _ENDED for n, at in enumerate(where) if n != number)
        if not others or not self._races.can_stop(call.callee):
            return
        stops = self._inputs.name()
        here, on = f"{prefix}stop.{stops[1:]}", f"{prefix}go.{stops[1:]}"
        to = self._label(_moved(where, number, STOPPED + call.callee[len(TOUCH) :]))
        self.lines += self._inputs.value(stops, "i1", _CHOICE, call.debug)
        self.lines += (f"  br i1 {stops}, label %{here}, label %{on}", f"{here}:")
        self.lines.append(f"  store ptr {pointer}, ptr %{POINTER}, align 8{call.debug}")
        self.lines += (f"  br label %{to}", f"{on}:")

    def _try(self, call: CallText, where: Where, number: int, prefix: str) -> None:
        """A step that waits: if it fails it is tried again when another thread made a step."""
        thread = self._threads[number]
        condition = _renamed(argument(call.arguments[0])[1], number, prefix, thread)
        on = f"{prefix}on.{self._inputs.name()[1:]}"
        tried = (*where[:number], _TRIED + where[number], *where[number + 1 :])
        to = self._label(tried)
        self.lines += (f"  br i1 {condition}, label %{on}, label %{to}{call.debug}", f"{on}:")

    def _leave(self, block: BlockText, where: Where, number: int, prefix: str) -> tuple[str, ...]:
        last = block.lines[-1]
        if last.startswith("  ret "):
            if number:
                last = f"  br label %{self._label(_moved(where, number, _ENDED))}"
            self.lines.append(last)
            return ()
        inside = tuple(s for s in block.successors if not begins_step(s))
        for target in block.successors:
            if begins_step(target):
                to = self._label(_moved(where, number, target))
                last = re.sub(rf"label %{re.escape(target)}(?![-\w.$])", f"label %={to}", last)
        last = _renamed(last, number, prefix, self._threads[number])
        self.lines.append(last.replace("%=", "%"))
        return inside

    def _make(self, line: str, where: Where, number: int, prefix: str) -> Where | None:
        """Make a thread, if one is left: it gets its argument, its maker gets its number."""
        call = read_call(line)
        assert call is not None
        place = self._places[int(call.callee[len(MAKE) :])]
        free = [n for n in place.threads if where[n] == _NOT_MADE]
        if not free:
            self.lines += room(self._inputs, "false", _CREATES, call.debug, self._asked)
            self.lines += ("  call void @sea.stop()", "  unreachable")
            return None
        made = free[0]
        given = argument(call.arguments[0])[1]
        lines = []
        if f"{GIVEN}{made}" in {n for b in self._threads[made].blocks.values() for n in _given(b)}:
            lines.append(f"  store ptr {given}, ptr @{GIVEN}{made}, align 8{call.debug}")
        if call.result:
            lines.append(f"  {call.result} = add i32 {made}, 0{call.debug}")
        thread = self._threads[number]
        self.lines += (_renamed(each, number, prefix, thread) for each in lines)
        return _moved(where, made, self._threads[made].entry)

    def _special(self, line: str, where: Where) -> tuple[str, ...]:
        """What primitives mean in a state; () for another line."""
        call = read_call(line) if " call " in line else None
        if call is None or call.callee not in primitives.PRIMITIVES:
            return ()
        if call.callee == primitives.WAIT:
            condition = argument(call.arguments[0])[1]
            return (f"  call void @sea.assume(i1 {condition}){call.debug}",)
        if call.callee == primitives.ENDED:
            return tuple(
                self._ended(call.result, argument(call.arguments[0])[1], where, call.debug)
            )
        return ("    ; step",)

    def _ended(self, result: str | None, number: str, where: Where, debug: str) -> Iterator[str]:
        """Whether a thread has ended."""
        ended = [n for n, at in enumerate(where) if at == _ENDED]
        if number.isdigit():
            bit = str(int(number) in ended).lower()
            yield f"  {result} = or i1 {bit}, false{debug}"
            return
        bits = ["false"]
        for each in ended:
            is_it, either = self._inputs.name(), self._inputs.name()
            yield f"  {is_it} = icmp eq i32 {number}, {each}{debug}"
            yield f"  {either} = or i1 {bits[-1]}, {is_it}{debug}"
            bits.append(either)
        yield f"  {result} = or i1 {bits[-1]}, false{debug}"


def _moved(where: Where, number: int, at: str) -> Where:
    """The state behind a step of a thread: those that wait may try again."""
    others = tuple(place.removeprefix(_TRIED) for place in where)
    return (*others[:number], at, *others[number + 1 :])


def _is_quiet(name: str) -> bool:
    """Whether a call by a thread shows no error."""
    is_check = name.startswith(("sea.check", TOUCH))
    return not is_check and (name in primitives.PRIMITIVES or is_harmless(name))


def _given(block: BlockText) -> Iterator[str]:
    for line in block.lines:
        yield from _GIVEN.findall(line)


def _is_own(line: str, own: Iterable[str]) -> bool:
    return any(name in own for name in _TOKEN.findall(line.partition(", !")[0]))


def _prefixed(prefix: str, name: str) -> str:
    return f'"{prefix}{name[1:]}' if name.startswith('"') else f"{prefix}{name}"


def _renamed(line: str, number: int, prefix: str, thread: Steps) -> str:
    """A line with the names of a copy: locals are those of the thread, all others of the step."""

    def name(found: re.Match[str]) -> str:
        old = found[1]
        if old in thread.local:
            return f"%{_prefixed(f't{number}.', old)}"
        return f"%{_prefixed(prefix, old)}" if old in thread.names else found[0]

    return _GIVEN.sub(r"%\1", _TOKEN.sub(name, line))
