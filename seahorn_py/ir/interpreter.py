"""Runs of a program on given inputs: bit-precise, byte-accurate and bounded.

Any stage of a `Program` runs, so every pass is tested by runs before and after it.  Inputs are fed
by site and visit (`ir.run`).  A run ends (ENDED) at a return from the entry function, at a `Stop`,
and where a real one would be killed or is undefined: a division by 0, INT_MIN / -1, a shift by the
width or more, an access that is not inside one live object, a store to a constant, a call of what
is no function or of one with other types than its own, a free of what is no heap block.  It is
REFUSED, naming the construct, where no exact answer is known: an external function, x87
arithmetic, library functions of floats, a conversion of a float that does not fit.  Memory that
the program did not write is 0.  `malloc`, `calloc`, `realloc`, `free` and `alloca` are known by
name unless the program defines them.

Activations live on a stack of their own: recursion in C is no recursion in Python.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from itertools import repeat
from typing import Protocol

from seahorn_py.base.records import dataclass
from seahorn_py.ir.floats.floats import UndefinedConversion
from seahorn_py.ir.graph import accepts
from seahorn_py.ir.memory import Interruption, Memory, image, layout_of
from seahorn_py.ir.program import SILENT, Call, Program, Site, SiteKind
from seahorn_py.ir.regions import Contents, Value
from seahorn_py.ir.run import Ending, Feed, Outcome, RunLimits, nowhere
from seahorn_py.ir.segments import CALL, NO_VALUE, Code, Step, code_of
from seahorn_py.ir.translate import Translator

Draw = Callable[[Site], int]
CLOCK_STEPS = 20_000
ACTIVATION_BYTES = 200
SLOT_BYTES = 40


class Frame(Mapping[str, int]):
    """The registers of an activation that have a value, by name; parameters are among them.

    Values are canonical unsigned integers, floats by their bits; registers that hold a region are
    in `regions` instead.  A frame is only good during the call that it was passed to.
    """

    def __init__(self, slots: Mapping[str, int], registers: list[Value]) -> None:
        self._slots = slots
        self._registers = registers

    def __getitem__(self, name: str) -> int:
        value = self._registers[self._slots[name]]
        if value == NO_VALUE or isinstance(value, Contents):
            raise KeyError(name)
        return int(value)

    def __iter__(self) -> Iterator[str]:
        return (n for n in self._slots if n in self)

    def __contains__(self, name: object) -> bool:
        slot = self._slots.get(str(name))
        value = NO_VALUE if slot is None else self._registers[slot]
        return value != NO_VALUE and not isinstance(value, Contents)

    @property
    def regions(self) -> dict[str, Contents]:
        """The registers that hold a region."""
        held = ((name, self._registers[slot]) for name, slot in self._slots.items())
        return {name: value for name, value in held if isinstance(value, Contents)}

    def __len__(self) -> int:
        return sum(1 for _ in self)


class Observer(Protocol):
    """Watches a run; an exception it raises leaves `run`."""

    def at_block(self, function: str, label: str, frame: Frame) -> None:
        """The phis of a block were evaluated; also at the start of the entry block."""

    def at_return(
        self, function: str, arguments: tuple[Value, ...], results: tuple[Value, ...]
    ) -> None:
        """A function is about to return."""


def run(
    program: Program,
    feed: Feed,
    limits: RunLimits,
    observer: Observer | None = None,
    *,
    draw: Draw | None = None,
) -> Outcome:
    """Run a program once; `Interpreter` is for many runs of one program.

    `draw` supplies the value of a visit that the feed has none for (default 0).
    """
    return Interpreter(program).run(feed, limits, observer, draw=draw)


class Interpreter:
    """A program made ready to run; what one run translates serves the next."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.layout = layout_of(program)
        self.codes = {name: code_of(function) for name, function in program.functions.items()}
        named = {site.name for site in program.sites if site.kind is SiteKind.EXTERN}
        self.shared = tuple(a for name, a in self.layout.symbols.items() if name in named)
        """The addresses of globals that no file defines: any function may use them."""
        self._translator = Translator(self.layout, program.pointer_width)
        self._images = [
            (item, image(item, self.layout.symbols, program.pointer_width))
            for item in program.globals.values()
        ]

    def run(
        self,
        feed: Feed,
        limits: RunLimits,
        observer: Observer | None = None,
        *,
        draw: Draw | None = None,
    ) -> Outcome:
        """Run the program once."""
        activity = _Run(self, feed, limits, observer, draw)
        try:
            activity.start()
            activity.loop()
        except Interruption as end:
            return Outcome(end.ending, end.check, tuple(activity.reads), end.reason)
        except UndefinedConversion as error:
            return Outcome(Ending.REFUSED, None, tuple(activity.reads), f"conversion of {error}")
        return Outcome(Ending.ENDED, None, tuple(activity.reads))

    def prepare(self, memory: Memory) -> None:
        """Put the globals into the memory of a run."""
        known = [(item, data) for item, data in self._images if data is not None]
        if len(known) < len(self._images):
            name = next(item.name for item, data in self._images if data is None)
            raise Interruption(Ending.REFUSED, f"{name} points to what is not defined")
        memory.place(known)

    def step(self, code: Code, number: int) -> Step:
        """Translate a segment that has not been run yet."""
        step = code.steps[number] = self._translator.step(code, number)
        return step


@dataclass
class _Activation:
    """A suspended caller: where it goes on, and the height of the stack of its callee."""

    code: Code
    registers: list[Value]
    segment: int
    mark: tuple[int, int]


class _Run:
    """The state of one run; the public part is `segments.State`."""

    def __init__(
        self,
        interpreter: Interpreter,
        feed: Feed,
        limits: RunLimits,
        observer: Observer | None,
        draw: Draw | None,
    ) -> None:
        self.callee: str | int = interpreter.program.entry
        self.arguments: tuple[Value, ...] = ()
        self.values: tuple[Value, ...] = ()
        self.reads: list[tuple[int, int]] = []
        self._interpreter = interpreter
        self._feed = feed
        self._visits: dict[int, int] = {}
        self._limits = limits
        self._draw = draw
        self._observer = observer
        self._memory = memory = Memory(interpreter.layout, limits.memory_mib << 20)
        self.load, self.store = memory.load, memory.store
        self.copy, self.fill = memory.copy, memory.fill
        self.alloca, self.scope, self.valid = memory.alloca, memory.scope, memory.valid
        self.expect_set = memory.expect_set
        self.load_pointer, self.made = memory.load_pointer, memory.handed.made
        self._callers: list[_Activation] = []
        self._code = interpreter.codes[interpreter.program.entry]
        self._registers: list[Value] = []
        self._deadline = time.monotonic() + limits.seconds
        self._steps_left = limits.steps

    def start(self) -> None:
        """Set up memory and the first activation."""
        self._interpreter.prepare(self._memory)
        self._registers = self._activate(self._code, ())

    def loop(self) -> None:
        """Run segment after segment until the entry function returns or an Interruption."""
        observer = self._observer
        code, registers, number, fuel = self._code, self._registers, 0, 0
        while True:
            segment = code.segments[number]
            if observer is not None and segment.label is not None:
                frame = Frame(code.slots, registers)
                observer.at_block(code.function.name, segment.label, frame)
            fuel -= segment.cost
            if fuel < 0:
                fuel = self._refuel(fuel)
            step = code.steps[number] or self._interpreter.step(code, number)
            following = step(registers, self)
            if following >= 0:
                number = following
                continue
            if following == CALL:
                number = self._call(code, registers, number, segment.call)
            elif self._callers:
                number = self._return(code, registers)
            else:
                self._tell_return(code, registers)
                return
            code, registers = self._code, self._registers

    def _refuel(self, fuel: int) -> int:
        """More steps before the clock is looked at again; `fuel` is what is owed."""
        if time.monotonic() > self._deadline:
            raise Interruption(Ending.LIMIT, "out of time")
        wanted = max(CLOCK_STEPS, -fuel)
        granted = min(wanted, self._steps_left)
        self._steps_left -= granted
        if granted + fuel < 0:
            raise Interruption(Ending.LIMIT, "out of steps")
        return granted + fuel

    # ----------------------------------------------------------------------------- calling

    def _activate(self, code: Code, arguments: tuple[Value, ...]) -> list[Value]:
        self._memory.charge(ACTIVATION_BYTES + SLOT_BYTES * len(code.slots))
        return [*arguments, *[NO_VALUE] * (len(code.slots) - len(arguments))]

    def _call(self, code: Code, registers: list[Value], number: int, call: Call | None) -> int:
        """Enter the callee, or do what a builtin does; the next segment."""
        assert call is not None
        name = self._callee_name()
        target = self._interpreter.codes.get(name)
        if target is None:
            result = self._builtin(name)
            for register in call.results:
                registers[code.slots[register.name]] = result
            return number + 1
        if not accepts(target.function, call):
            reason = f"call of {name} through a pointer of another type at {call.origin}"
            raise Interruption(Ending.ENDED, reason)
        mark = self._memory.mark()
        self._callers.append(_Activation(code, registers, number, mark))
        arguments = self.arguments[: len(target.function.parameters)]
        self._code, self._registers = target, self._activate(target, arguments)
        return 0

    def _callee_name(self) -> str:
        callee = self.callee
        if isinstance(callee, str):
            return callee
        name = self._interpreter.layout.functions.get(callee)
        if name is None:
            raise Interruption(Ending.ENDED, f"call of 0x{callee:x}, which is no function")
        return name

    def _return(self, code: Code, registers: list[Value]) -> int:
        """Go back to the caller; its next segment."""
        self._tell_return(code, registers)
        self._memory.charge(-ACTIVATION_BYTES - SLOT_BYTES * len(code.slots))
        caller = self._callers.pop()
        self._memory.release(caller.mark)
        call = caller.code.segments[caller.segment].call
        assert call is not None
        for register, value in zip(call.results, self.values, strict=False):
            caller.registers[caller.code.slots[register.name]] = value
        self._code, self._registers = caller.code, caller.registers
        return caller.segment + 1

    def _tell_return(self, code: Code, registers: list[Value]) -> None:
        if self._observer is not None:
            arguments = tuple(map(_plain, registers[: len(code.function.parameters)]))
            results = tuple(map(_plain, self.values))
            self._observer.at_return(code.function.name, arguments, results)

    def _builtin(self, name: str) -> int:  # noqa: C901 - a flat match
        """The result of a memory function; 0 for one that has none."""
        memory = self._memory
        arguments = [a for a in self.arguments if not isinstance(a, Contents)]
        match name, len(arguments):
            case "malloc", 1:
                return memory.malloc(arguments[0])
            case "calloc", 2:
                return memory.malloc(arguments[0] * arguments[1])
            case "aligned_alloc", 2:
                return memory.malloc(arguments[1], arguments[0])
            case "realloc", 2:
                return memory.realloc(arguments[0], arguments[1])
            case "free", 1:
                memory.free(arguments[0])
                return 0
            case "alloca", 1:
                return memory.alloca(arguments[0], 16)
            case "sea.reuse", 1:
                memory.reuse(bool(arguments[0]))
                return 0
            case "sea.passed", _:
                return 0
            case _ if name.startswith(SILENT):
                shared = self._interpreter.shared
                memory.handed.over(name.removeprefix(SILENT), (*arguments, *shared))
                return 0
            case "sea.astray", _:
                raise Interruption(Ending.ENDED, "call of what is no function")
            case _ if name in self._interpreter.program.globals:
                raise Interruption(Ending.ENDED, f"call of {name}, which is no function")
            case _:
                raise Interruption(Ending.REFUSED, f"call of {name}, which has no body")

    # ----------------------------------------------------------------------------------- inputs

    def read(self, site: Site, mask: int) -> int:
        """The value of this visit, cut to the bits of `mask`."""
        return self._read(site, lambda value: value & mask, self._draw)

    def read_pointer(self, site: Site, width: int) -> int:
        """The pointer of this visit: one that leads to where no object lies, or null."""
        return self._read(site, lambda value: nowhere(value, width), None)

    def _read(
        self, site: Site, cut: Callable[[int], int], draw: Callable[[Site], int] | None
    ) -> int:
        number = site.number
        visit = self._visits.get(number, 0)
        self._visits[number] = visit + 1
        values = self._feed.get(number, ())
        if visit < len(values):
            value = cut(values[visit])
        elif draw is not None:
            value = cut(draw(site))
        else:
            value = 0
        if len(self.reads) >= self._limits.reads:
            raise Interruption(Ending.LIMIT, "out of reads")
        self.reads.append((number, value))
        return value

    def havoc(self, address: int, size: int, site: Site) -> None:
        """Write one read of the site into every byte, in order."""
        if size > self._limits.reads - len(self.reads):
            raise Interruption(Ending.LIMIT, "out of reads")
        self._memory.write(address, self._bytes(size, site))

    def _bytes(self, size: int, site: Site) -> bytes:
        """The values of so many visits, which are within the limit, as `read` gives them."""
        number = site.number
        visit = self._visits.get(number, 0)
        self._visits[number] = visit + size
        given = self._feed.get(number, ())[visit : visit + size]
        missing, draw = size - len(given), self._draw
        drawn = bytes(missing) if draw is None else bytes(draw(site) & 255 for _ in range(missing))
        data = bytes(value & 255 for value in given) + drawn
        self.reads.extend(zip(repeat(number), data, strict=False))
        return data

    def havoc_region(
        self, region: Contents, address: int, size: int, site: Site, count: int
    ) -> Contents:
        """Let one read of the site be each byte of the elements, in order."""
        if size > self._limits.reads - len(self.reads):
            raise Interruption(Ending.LIMIT, "out of reads")
        data = self._bytes(size, site)
        return region.with_items(
            (address + start, int.from_bytes(data[start : start + count], "little"))
            for start in range(0, size - count + 1, count)
        )


def _plain(value: Value) -> Value:
    """Truth values are numbers for observers."""
    return value if isinstance(value, Contents) else int(value)
