"""The product of threads as one loop, in which the place of each thread is data.

`product` has a block for each state, and states multiply.  Here an input chooses a thread, and a
`switch` leads to its next step; each block of a thread is there once, so sizes add up.  A step that
no other thread ever disturbs follows the one before at once (`Reduction.is_undisturbed`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from seahorn_py.base.errors import UnsupportedError
from seahorn_py.frontend.llvmtext.blocks import BlockText
from seahorn_py.frontend.llvmtext.lines import CallText, argument, read_call
from seahorn_py.frontend.lowering.events import primitives
from seahorn_py.frontend.lowering.library.claims import room
from seahorn_py.frontend.lowering.threads.accesses import MAKE
from seahorn_py.frontend.lowering.threads.copies import GIVEN
from seahorn_py.frontend.lowering.threads.cutting import HELD, TOUCH, begins_step
from seahorn_py.frontend.lowering.threads.races import POINTER
from seahorn_py.frontend.lowering.threads.steps import (
    CHOICE,
    CREATES,
    DEADLOCK,
    LINES,
    STOP,
    Parts,
    Steps,
    first_slots,
    is_left_out,
    own_names,
    prefixed,
    primitives_from,
    renamed,
    to_other_steps,
)
from seahorn_py.options import Property

_NOT_MADE, _ENDED, _STOPPED, _FIRST = range(4)
"""Places of threads; from the last one on they are steps."""

_NEXT, _STAY, _STUCK = "sea.next", "sea.stay", "sea.stuck"
_MARKED = "%sea.stopped.mark"
"""The variable with the number of the access before which a thread stands, and 0 if none does."""


class Scheduler:
    """Makes the loop of threads by their numbers; the first is that of `main`."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._numbers = [_numbers(thread) for thread in parts.threads]
        self._marks = {mark: 1 + k for k, mark in enumerate(parts.races.marks)}
        self.lines: list[str] = []
        self.main_may_end_first = False

    def body(self) -> tuple[str, ...]:
        """The lines of the function; UnsupportedError if they are too many."""
        self._begin()
        self._choose()
        for number, thread in enumerate(self._parts.threads):
            self._dispatch(number)
            for block in thread.blocks.values():
                self._block(number, block)
            for label in self._numbers[number]:
                self._arrive(number, label)
            self._end(number)
        self.lines += (f"{_STAY}:", *STOP)
        if len(self.lines) > LINES:
            raise UnsupportedError("threads have too many steps")
        return tuple(self.lines)

    def _begin(self) -> None:
        """The variables of the loop."""
        numbers = range(len(self._parts.threads))
        self.lines += (f"  %sea.place.{n} = alloca i32, align 4" for n in numbers)
        self.lines += (f"  %sea.tried.{n} = alloca i1, align 1" for n in numbers)
        self.lines += (f"  %sea.made.{place} = alloca i32, align 4" for place in self._parts.places)
        self.lines.append(f"  {_MARKED} = alloca i32, align 4")
        self.lines += first_slots(self._parts.threads)
        self.lines.append(f"  store i32 0, ptr {_MARKED}, align 4")
        for n in numbers:
            place = _NOT_MADE if n else _FIRST
            self.lines.append(f"  store i32 {place}, ptr %sea.place.{n}, align 4")
        self.lines += (f"  store i1 false, ptr %sea.tried.{n}, align 1" for n in numbers)
        self.lines.append(f"  br label %{_block_of(0, self._parts.threads[0].entry)}")

    # -------------------------------------------------------------------------------- the loop

    def _choose(self) -> None:
        """The head of the loop, where an input chooses a thread."""
        self.lines.append(f"{_NEXT}:")
        if self._parts.finds_deadlocks:
            self._look_for_deadlock()
        chosen = self._parts.inputs.name()
        self.lines += self._parts.inputs.value(chosen, "i8", CHOICE, "")
        cases = " ".join(f"i8 {n}, label %sea.run.{n}" for n in range(len(self._parts.threads)))
        self.lines.append(f"  switch i8 {chosen}, label %{_STAY} [ {cases} ]")

    def _look_for_deadlock(self) -> None:
        """A check that fails if threads are left, and each of them waits."""
        some, every = "false", "true"
        lives: list[str] = []
        for number in range(len(self._parts.threads)):
            place, tried, ended, settled, each, one = (self._parts.inputs.name() for _ in range(6))
            lives.append(self._parts.inputs.name())
            self.lines += (
                f"  {place} = load i32, ptr %sea.place.{number}, align 4",
                f"  {tried} = load i1, ptr %sea.tried.{number}, align 1",
                f"  {ended} = icmp ule i32 {place}, {_ENDED}",
                f"  {lives[-1]} = xor i1 {ended}, true",
                f"  {settled} = or i1 {ended}, {tried}",
                f"  {each} = and i1 {every}, {settled}",
                f"  {one} = or i1 {some}, {lives[-1]}",
            )
            some, every = one, each
        stuck = self._parts.inputs.name()
        self.lines.append(f"  {stuck} = and i1 {some}, {every}")
        self.lines.append(f"  br i1 {stuck}, label %{_STUCK}.0, label %sea.choose")
        for number, live in enumerate(lives):
            self._stuck(number, live)
        self.lines += (f"{_STUCK}.{len(lives)}:", *STOP, "sea.choose:")

    def _stuck(self, number: int, live: str) -> None:
        """The check fails where the first of the threads waits."""
        here = f"{_STUCK}.{number}"
        self.lines.append(f"{here}:")
        self.lines.append(f"  br i1 {live}, label %{here}.at, label %{_STUCK}.{number + 1}")
        waits = {
            place: call.debug
            for label, place in self._numbers[number].items()
            for call in primitives_from(self._parts.threads[number], label)
            if call.callee == primitives.WAIT
        }
        place = self._parts.inputs.name()
        cases = " ".join(f"i32 {at}, label %{here}.at.{at}" for at in waits)
        self.lines.append(f"{here}.at:")
        self.lines.append(f"  {place} = load i32, ptr %sea.place.{number}, align 4")
        self.lines.append(f"  switch i32 {place}, label %{here}.else [ {cases} ]")
        for end, debug in [(f"at.{at}", debug) for at, debug in waits.items()] + [("else", "")]:
            self.lines.append(f"{here}.{end}:")
            self.lines += self._parts.inputs.check("false", DEADLOCK, debug, Property.NO_DEADLOCK)
            self.lines += STOP

    def _dispatch(self, number: int) -> None:
        """From the place of a thread to its next step."""
        self.lines.append(f"sea.run.{number}:")
        if self._parts.finds_deadlocks:
            tried = self._parts.inputs.name()
            self.lines.append(f"  {tried} = load i1, ptr %sea.tried.{number}, align 1")
            self.lines.append(f"  br i1 {tried}, label %{_STAY}, label %sea.go.{number}")
            self.lines.append(f"sea.go.{number}:")
        place, steps = self._parts.inputs.name(), self._numbers[number]
        cases = " ".join(f"i32 {at}, label %{_block_of(number, n)}" for n, at in steps.items())
        self.lines.append(f"  {place} = load i32, ptr %sea.place.{number}, align 4")
        self.lines.append(f"  switch i32 {place}, label %{_STAY} [ {cases} ]")

    def _arrive(self, number: int, label: str) -> None:
        """A thread has come to the begin of a step, by one of its own."""
        self.lines.append(f"{_arrival(number, label)}:")
        self._move(number, self._numbers[number][label])
        follows = self._parts.chooser.is_undisturbed((number, label))
        to = _block_of(number, label) if follows else _NEXT
        self.lines.append(f"  br label %{to}")

    def _end(self, number: int) -> None:
        """A thread has ended."""
        self.lines.append(f"{_arrival(number, '')}:")
        self._move(number, _ENDED)
        self.lines.append(f"  br label %{_NEXT}")

    def _move(self, number: int, place: int) -> None:
        """The place behind a step: those that wait may try again."""
        self.lines.append(f"  store i32 {place}, ptr %sea.place.{number}, align 4")
        if self._parts.finds_deadlocks:
            numbers = range(len(self._parts.threads))
            self.lines += (f"  store i1 false, ptr %sea.tried.{n}, align 1" for n in numbers)

    # ---------------------------------------------------------------------------------- blocks

    def _block(self, number: int, block: BlockText) -> None:
        thread = self._parts.threads[number]
        prefix = _prefix(number)
        own = own_names(block, thread)
        self.lines.append(f"{_block_of(number, block.label)}:")
        if begins_step(block.label) or block.label == thread.entry:
            self.lines.append(self._parts.mark(number, block.label))
        for line in block.lines[:-1]:
            if is_left_out(line, thread, own):
                continue
            call = read_call(line) if " call " in line else None
            if call is not None and call.callee == primitives.EXIT:
                self.main_may_end_first |= number == 0
                self.lines.append(f"  br label %{_arrival(number, '')}")
                return
            each = None if call is None else self._special(call, number)
            self.lines += (
                renamed(text, number, prefix, thread)
                for text in ((line,) if each is None else each)
            )
        self._leave(block, number)

    def _leave(self, block: BlockText, number: int) -> None:
        last = block.lines[-1]
        if last.startswith("  ret "):
            self.lines.append(f"  br label %{_arrival(number, '')}" if number else last)
            return
        last = to_other_steps(block, lambda label: _target(number, label))
        last = renamed(last, number, _prefix(number), self._parts.threads[number])
        self.lines.append(last.replace("%=", "%"))

    def _special(self, call: CallText, number: int) -> Sequence[str] | None:
        """The lines in the place of a call that is about threads; None for another call."""
        if call.callee.startswith(TOUCH):
            return tuple(self._touch(call, number))
        if call.callee.startswith(MAKE):
            return tuple(self._make(call))
        if call.callee not in primitives.PRIMITIVES:
            return None
        first = argument(call.arguments[0])[1] if call.arguments else ""
        if call.callee == primitives.WAIT and self._parts.finds_deadlocks:
            return tuple(self._try(first, number, call.debug))
        if call.callee == primitives.WAIT:
            return (f"  call void @sea.assume(i1 {first}){call.debug}",)
        if call.callee == primitives.ENDED:
            return tuple(self._ended(str(call.result), first, call.debug))
        return ()

    def _try(self, condition: str, number: int, debug: str) -> Iterator[str]:
        """A step that waits: if it fails it is tried again when another thread made a step."""
        on, failed = (self._parts.inputs.name()[1:] for _ in range(2))
        yield f"  br i1 {condition}, label %{on}, label %{failed}{debug}"
        yield f"{failed}:"
        yield f"  store i1 true, ptr %sea.tried.{number}, align 1"
        yield f"  br label %{_NEXT}"
        yield f"{on}:"

    def _ended(self, result: str, number: str, debug: str) -> Iterator[str]:
        """Whether a thread has ended."""
        bits = ["false"]
        for each in range(len(self._parts.threads)):
            if number.isdigit() and int(number) != each:
                continue
            place, ended, is_it, both, either = (self._parts.inputs.name() for _ in range(5))
            yield f"  {place} = load i32, ptr %sea.place.{each}, align 4"
            yield f"  {ended} = icmp eq i32 {place}, {_ENDED}{debug}"
            yield f"  {is_it} = icmp eq i32 {number}, {each}{debug}"
            yield f"  {both} = and i1 {is_it}, {ended}{debug}"
            yield f"  {either} = or i1 {bits[-1]}, {both}{debug}"
            bits.append(either)
        yield f"  {result} = or i1 {bits[-1]}, false{debug}"

    def _make(self, call: CallText) -> Iterator[str]:
        """Make a thread, if one is left: it gets its argument, its maker gets its number."""
        number = int(call.callee[len(MAKE) :])
        given = argument(call.arguments[0])[1]
        done = self._parts.inputs.name()[1:]
        for made in self._parts.places[number].threads:
            place, is_free = self._parts.inputs.name(), self._parts.inputs.name()
            here, other = (self._parts.inputs.name()[1:] for _ in range(2))
            yield f"  {place} = load i32, ptr %sea.place.{made}, align 4"
            yield f"  {is_free} = icmp eq i32 {place}, {_NOT_MADE}"
            yield f"  br i1 {is_free}, label %{here}, label %{other}"
            yield f"{here}:"
            if self._parts.takes_argument(made):
                yield f"  store ptr {given}, ptr @{GIVEN}{made}, align 8{call.debug}"
            yield f"  store i32 {_FIRST}, ptr %sea.place.{made}, align 4"
            yield f"  store i32 {made}, ptr %sea.made.{number}, align 4"
            yield f"  br label %{done}"
            yield f"{other}:"
        yield from room(self._parts.inputs, "false", CREATES, call.debug, self._parts.asked)
        yield from STOP
        yield f"{done}:"
        if call.result:
            yield f"  {call.result} = load i32, ptr %sea.made.{number}, align 4"

    # ----------------------------------------------------------------------------------- races

    def _touch(self, call: CallText, number: int) -> Iterator[str]:
        """An access that may race: the thread may stop before it, or meet one that has stopped."""
        pointer = argument(call.arguments[0])[1]
        stopped = self._parts.inputs.name()
        yield f"  {stopped} = load i32, ptr {_MARKED}, align 4"
        for other, at in self._marks.items():
            for lines, apart, text in self._parts.races.meeting(
                call.callee, other, pointer, call.debug
            ):
                elsewhere, held = self._parts.inputs.name(), self._parts.inputs.name()
                yield from lines
                yield f"  {elsewhere} = icmp ne i32 {stopped}, {at}{call.debug}"
                yield f"  {held} = or i1 {elsewhere}, {apart}{call.debug}"
                yield from self._parts.inputs.check(held, text, call.debug, Property.NO_DATA_RACE)
        if self._parts.races.can_stop(call.callee):
            yield from self._stop(call, number, stopped, pointer)

    def _stop(self, call: CallText, number: int, stopped: str, pointer: str) -> Iterator[str]:
        free, wants, stops = (self._parts.inputs.name() for _ in range(3))
        here, on = (self._parts.inputs.name()[1:] for _ in range(2))
        yield from self._parts.inputs.value(wants, "i1", CHOICE, call.debug)
        yield f"  {free} = icmp eq i32 {stopped}, 0"
        yield f"  {stops} = and i1 {free}, {wants}"
        yield f"  br i1 {stops}, label %{here}, label %{on}"
        yield f"{here}:"
        yield f"  store ptr {pointer}, ptr %{POINTER}, align 8{call.debug}"
        yield f"  store i32 {self._marks[call.callee]}, ptr {_MARKED}, align 4"
        yield f"  store i32 {_STOPPED}, ptr %sea.place.{number}, align 4"
        yield f"  br label %{_NEXT}"
        yield f"{on}:"


def _numbers(thread: Steps) -> dict[str, int]:
    """The places of a thread at which others may run, by the labels of its steps."""
    labels = [thread.entry, *(label for label in thread.blocks if begins_step(label))]
    free = dict.fromkeys(label for label in labels if not label.startswith(HELD))
    return {label: _FIRST + k for k, label in enumerate(free)}


def _prefix(number: int) -> str:
    return f"sea.of.{number}."


def _block_of(number: int, label: str) -> str:
    return prefixed(_prefix(number), label)


def _arrival(number: int, label: str) -> str:
    return prefixed(f"sea.to.{number}.", label) if label else f"sea.over.{number}"


def _target(number: int, label: str) -> str:
    """Where a jump to the begin of a step leads; inside of an atomic section nobody else runs."""
    return _block_of(number, label) if label.startswith(HELD) else _arrival(number, label)
