"""The product of threads: one function that runs their steps in all orders.

A state of the product says where each thread is: not made, at the begin of a step, or at its end.
Each state that may be reached has a block, in which an input chooses the thread that makes its
next step, and a copy of the step for each thread that can make one.  So where threads are is
control, and only what they know is data.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from seahorn_py.frontend.llvmtext.blocks import BlockText
from seahorn_py.frontend.llvmtext.lines import CallText, argument, read_call
from seahorn_py.frontend.lowering.events import primitives
from seahorn_py.frontend.lowering.library.claims import room
from seahorn_py.frontend.lowering.threads.accesses import MAKE
from seahorn_py.frontend.lowering.threads.copies import GIVEN
from seahorn_py.frontend.lowering.threads.cutting import HELD, TOUCH, begins_step
from seahorn_py.frontend.lowering.threads.races import POINTER, STOPPED, is_stopped, mark_of
from seahorn_py.frontend.lowering.threads.steps import (
    CHOICE,
    CREATES,
    DEADLOCK,
    LINES,
    STOP,
    Parts,
    first_slots,
    is_left_out,
    own_names,
    prefixed,
    primitives_from,
    renamed,
    to_other_steps,
)
from seahorn_py.options import Property

_NOT_MADE = ""
_ENDED = "sea.ended"
_TRIED = "sea.tried."
"""Begins the place of a thread that waits, and was not able to go on since any thread was."""

Where = tuple[str, ...]
"""Where each thread is: the label of its next step, or one of the two marks above."""


class Product:
    """Makes the product of threads by their numbers; the first is that of `main`."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._known: dict[Where, str] = {}
        self._waiting: list[Where] = []
        self.lines: list[str] = []
        self.main_may_end_first = False

    def body(self) -> tuple[str, ...] | None:
        """The lines of the function; None if there are too many orders."""
        self.lines = list(first_slots(self._parts.threads))
        first = (self._parts.threads[0].entry, *(_NOT_MADE for _ in self._parts.threads[1:]))
        self.lines.append(f"  br label %{self._label(first)}")
        while self._waiting:
            if len(self.lines) > LINES:
                return None
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
        running = list(self._parts.chooser.chosen(where, able))
        if not running and self._parts.finds_deadlocks and self._is_stuck(where, alive):
            debug = self._waiting_at(where, alive)
            self.lines += self._parts.inputs.check("false", DEADLOCK, debug, Property.NO_DEADLOCK)
        if not running:
            self.lines += STOP
            return
        self._choose(label, where, running)
        for number in running:
            self._copy_step(label, where, number)

    def _is_stuck(self, where: Where, alive: Sequence[int]) -> bool:
        """Whether threads are left, of which none stopped to meet a race: that one might go on."""
        return bool(alive) and not any(is_stopped(where[n]) for n in alive)

    def _waits(self, number: int, where: Where) -> bool:
        """Whether the next step of a thread waits for the end of one that has not ended."""
        false = {"false"}
        for call in primitives_from(self._parts.threads[number], where[number]):
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
            for call in primitives_from(
                self._parts.threads[number], where[number].removeprefix(_TRIED)
            ):
                if call.callee == primitives.WAIT:
                    return call.debug
        return ""

    def _choose(self, label: str, where: Where, running: list[int]) -> None:
        """Jump to the step of a thread, which an input chooses if there are several."""
        steps = {n: prefixed(f"{label}.{n}.", where[n]) for n in running}
        if len(running) == 1:
            self.lines.append(f"  br label %{steps[running[0]]}")
            return
        chosen = self._parts.inputs.name()
        self.lines += self._parts.inputs.value(chosen, "i8", CHOICE, "")
        for number in running[:-2]:
            self._test(chosen, number, steps[number], f"{label}.not.{number}")
            self.lines.append(f"{label}.not.{number}:")
        self._test(chosen, running[-2], steps[running[-2]], steps[running[-1]])

    def _test(self, chosen: str, number: int, then: str, other: str) -> None:
        is_it = self._parts.inputs.name()
        self.lines += (
            f"  {is_it} = icmp eq i8 {chosen}, {number}",
            f"  br i1 {is_it}, label %{then}, label %{other}",
        )

    # ---------------------------------------------------------------------------------- steps

    def _copy_step(self, label: str, where: Where, number: int) -> None:
        """A copy of the next step of a thread, whose ends lead to further states."""
        thread = self._parts.threads[number]
        prefix = f"{label}.{number}."
        waiting, seen = [where[number]], {where[number]}
        while waiting:
            current = waiting.pop()
            self.lines.append(f"{prefixed(prefix, current)}:")
            if current == where[number]:
                self.lines.append(self._parts.mark(number, current))
            targets = self._copy_block(thread.blocks[current], where, number, prefix)
            more = [t for t in targets if t not in seen]
            seen.update(more)
            waiting.extend(more)

    def _copy_block(
        self, block: BlockText, where: Where, number: int, prefix: str
    ) -> tuple[str, ...]:
        """Copy a block; returns the labels of the same step to which it leads."""
        thread = self._parts.threads[number]
        own = own_names(block, thread)
        for line in block.lines[:-1]:
            if is_left_out(line, thread, own):
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
            if call is not None and name == primitives.WAIT and self._parts.finds_deadlocks:
                self._try(call, where, number, prefix)
                continue
            if name.startswith(MAKE):
                made = self._make(line, where, number, prefix)
                if made is None:
                    return ()
                where = made
                continue
            for each in self._special(line, where) or (line,):
                self.lines.append(renamed(each, number, prefix, thread))
        return self._leave(block, where, number, prefix)

    def _touch(self, call: CallText, where: Where, number: int, prefix: str) -> None:
        """An access that may race: the thread may stop before it, or meet one that has stopped."""
        thread = self._parts.threads[number]
        pointer = renamed(argument(call.arguments[0])[1], number, prefix, thread)
        stopped = next((at for at in where if is_stopped(at)), None)
        if stopped is not None:
            self.lines += self._parts.races.check(
                call.callee, mark_of(stopped), pointer, call.debug
            )
            return
        others = any(at != _ENDED for n, at in enumerate(where) if n != number)
        if not others or not self._parts.races.can_stop(call.callee):
            return
        stops = self._parts.inputs.name()
        here, on = f"{prefix}stop.{stops[1:]}", f"{prefix}go.{stops[1:]}"
        to = self._label(_moved(where, number, STOPPED + call.callee[len(TOUCH) :]))
        self.lines += self._parts.inputs.value(stops, "i1", CHOICE, call.debug)
        self.lines += (f"  br i1 {stops}, label %{here}, label %{on}", f"{here}:")
        self.lines.append(f"  store ptr {pointer}, ptr %{POINTER}, align 8{call.debug}")
        self.lines += (f"  br label %{to}", f"{on}:")

    def _try(self, call: CallText, where: Where, number: int, prefix: str) -> None:
        """A step that waits: if it fails it is tried again when another thread made a step."""
        thread = self._parts.threads[number]
        condition = renamed(argument(call.arguments[0])[1], number, prefix, thread)
        on = f"{prefix}on.{self._parts.inputs.name()[1:]}"
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
        last = to_other_steps(block, lambda at: self._label(_moved(where, number, at)))
        last = renamed(last, number, prefix, self._parts.threads[number])
        self.lines.append(last.replace("%=", "%"))
        return inside

    def _make(self, line: str, where: Where, number: int, prefix: str) -> Where | None:
        """Make a thread, if one is left: it gets its argument, its maker gets its number."""
        call = read_call(line)
        assert call is not None
        place = self._parts.places[int(call.callee[len(MAKE) :])]
        free = [n for n in place.threads if where[n] == _NOT_MADE]
        if not free:
            self.lines += room(self._parts.inputs, "false", CREATES, call.debug, self._parts.asked)
            self.lines += STOP
            return None
        made = free[0]
        given = argument(call.arguments[0])[1]
        lines = []
        if self._parts.takes_argument(made):
            lines.append(f"  store ptr {given}, ptr @{GIVEN}{made}, align 8{call.debug}")
        if call.result:
            lines.append(f"  {call.result} = add i32 {made}, 0{call.debug}")
        thread = self._parts.threads[number]
        self.lines += (renamed(each, number, prefix, thread) for each in lines)
        return _moved(where, made, self._parts.threads[made].entry)

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
            is_it, either = self._parts.inputs.name(), self._parts.inputs.name()
            yield f"  {is_it} = icmp eq i32 {number}, {each}{debug}"
            yield f"  {either} = or i1 {bits[-1]}, {is_it}{debug}"
            bits.append(either)
        yield f"  {result} = or i1 {bits[-1]}, false{debug}"


def _moved(where: Where, number: int, at: str) -> Where:
    """The state behind a step of a thread: those that wait may try again."""
    others = tuple(place.removeprefix(_TRIED) for place in where)
    return (*others[:number], at, *others[number + 1 :])
