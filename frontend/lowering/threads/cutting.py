"""Cuts the code of a thread where others may run.

A step of a thread is what lies between two cuts: at most one instruction whose order with those of
other threads matters, and local code.  So there is a cut

- before an instruction that touches what another thread may touch, if there was one before it;
- before what may end or stop the run, as a check that fails, and before a loop without cuts, if the
  step wrote: else what others do in between would be missed;
- behind the making of a thread, since places in the product tell how many there are.

Nothing is cut inside of an atomic section, and nothing before the first thread is made.  A check
that memory is valid and the access that follows it are one instruction.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import IntEnum

from seahorn_py.base.records import dataclass
from seahorn_py.frontend.llvmtext.blocks import BlockText, split_blocks
from seahorn_py.frontend.llvmtext.debugtext import DebugText
from seahorn_py.frontend.llvmtext.lines import DEBUG, read_call
from seahorn_py.frontend.llvmtext.module import FunctionText
from seahorn_py.frontend.lowering.events import primitives
from seahorn_py.frontend.lowering.threads.accesses import MAKE, Access, Touched, end_of
from seahorn_py.frontend.lowering.threads.weak_orders import Atomic
from seahorn_py.ir.graph import strong_components
from seahorn_py.options import FrontendOptions, Property

CUT = "sea.cut."
"""Begins the label of a block that begins a step."""

HELD = "sea.cut.held."
"""The same, inside of an atomic section: no other thread runs there."""

_STEP = re.compile(r"sea\.cut\.(?:held\.)?\d+")
_ONE_STEP = {
    64: re.compile(r"i(?:[1-9]|[1-5]\d|6[0-4])|ptr|float|double|block"),
    32: re.compile(r"i(?:[1-9]|[12]\d|3[0-2])|ptr|float|double|block"),
}
"""The types that a machine of that width reads and writes at once."""

_ALIGN = re.compile(r", align (\d+)")
_PHI = re.compile(r"  \S+ = phi ")


TOUCH = "sea.product.touch."
"""Begins the name of a function whose call marks an access, with thread and number."""


@dataclass(frozen=True, slots=True)
class Touch:
    """An access by a thread that may race; in an atomic section it is atomic."""

    thread: int
    access: Access
    bases: frozenset[str]
    alignment: int
    in_section: bool

    @property
    def is_atomic(self) -> bool:
        """Whether it races only with what is not."""
        return self.in_section or self.access.order != ""


class Before(IntEnum):
    """What a step did before an instruction."""

    NOTHING = 0
    READ = 1
    WROTE = 2


@dataclass(frozen=True, slots=True)
class State:
    """What is known before an instruction: the step so far, open sections, whether threads run."""

    before: Before
    depth: int
    alone: bool

    def joined(self, other: State | None) -> State:
        """What is known where two paths meet; `depth` is to be the same."""
        if other is None:
            return self
        return State(max(self.before, other.before), self.depth, self.alone and other.alone)


class Cutting:
    """Cuts one function; `is_shared` says whether the order of an access matters to others."""

    def __init__(
        self,
        function: FunctionText,
        touched: Touched,
        is_shared: Callable[[Access], bool],
        number: int,
        debug: DebugText,
        options: FrontendOptions,
    ) -> None:
        self._bits = options.bits
        self._marks = options.wants(Property.NO_DATA_RACE)
        self._waits = options.wants(Property.NO_DEADLOCK)
        self.touches: list[Touch] = []
        self.atomics: list[Atomic] = []
        self.large: dict[str, None] = {}
        self._function = function
        self._touched = touched
        self._is_shared = is_shared
        self._number = number
        self._is_entry = number == 0
        self._debug = debug
        self._blocks = split_blocks(function.lines, "")
        self._states = self._solved()
        self._before_loops = frozenset(self._leading_to_loops())
        self._count = 0

    def cut(self) -> FunctionText:
        """The function with a block for each step."""
        lines = [line for block in self._blocks.values() for line in self._cut_block(block)]
        renamed = self._with_last_labels(lines)
        return FunctionText(
            self._function.name,
            self._function.prefix,
            (),
            self._function.group,
            "",
            tuple(renamed),
        )

    # -------------------------------------------------------------------------------- states

    def _solved(self) -> dict[str, State]:
        """The state at the begin of each block that a run may reach."""
        entry = next(iter(self._blocks))
        states = {entry: State(Before.NOTHING, 0, self._is_entry)}
        waiting = [entry]
        while waiting:
            label = waiting.pop()
            after = self._after(self._blocks[label], states[label])
            for target in self._blocks[label].successors:
                known = states.get(target)
                if known is not None and known.depth != after.depth:
                    raise self._debug.refusal(
                        "an atomic section is open on one way to here, and not on another",
                        _place(self._blocks[target].lines),
                    )
                joined = after.joined(known)
                if joined != known:
                    states[target] = joined
                    waiting.append(target)
        return states

    def _after(self, block: BlockText, state: State) -> State:
        after = state
        for _, after in self._walk(block, state):  # noqa: B007
            pass
        return after

    def _walk(self, block: BlockText, state: State) -> Iterator[tuple[tuple[str, bool], State]]:
        """Each line with whether there is a cut before it, and the state behind it."""
        valid: set[str] = set()
        for line in block.lines:
            cut, state = self._step(line, state, valid)
            yield (line, cut), state

    def _step(self, line: str, state: State, valid: set[str]) -> tuple[bool, State]:
        if line.startswith("    #") or _PHI.match(line):
            return False, state
        call = read_call(line) if " call " in line else None
        name = call.callee if call else ""
        if name.startswith(MAKE):
            return False, State(Before.WROTE, state.depth, False)
        if name in primitives.BEGINS:
            return self._begins(state)
        if name == primitives.WAIT and state.depth > 1 and self._waits:
            message = "a wait in an atomic section of the program, where deadlocks are looked for"
            raise self._debug.refusal(message, _place((line,)))
        if name in primitives.ENDS:
            if state.depth == 0:
                raise self._debug.refusal(f"{name}() without a begin", _place((line,)))
            return False, State(state.before, state.depth - 1, state.alone)
        if state.depth and self._ends(line):
            raise self._debug.refusal("a thread ends in an atomic section", _place((line,)))
        if not state.alone:
            self._refuse_odd(line)
        if state.alone or state.depth:
            return False, self._noted(line, state)
        return self._instruction(line, state, valid)

    def _begins(self, state: State) -> tuple[bool, State]:
        if state.depth or state.alone:
            return False, State(state.before, state.depth + 1, state.alone)
        cut = state.before > Before.NOTHING or self._waits
        return cut, State(Before.NOTHING, 1, False)

    def _noted(self, line: str, state: State) -> State:
        """Without a cut: what the line does to the state."""
        if state.alone:
            return state
        before = state.before
        for access in self._touched.accesses(line):
            if self._is_shared(access):
                before = max(before, Before.WROTE if access.writes else Before.READ)
        return State(before, state.depth, False)

    def _instruction(self, line: str, state: State, valid: set[str]) -> tuple[bool, State]:
        """A line outside of atomic sections, where other threads may run."""
        accesses = [*self._touched.accesses(line)]
        if self._ends(line):
            accesses.append(Access(end_of(self._number), True))
        shared = [a for a in accesses if self._is_shared(a)]
        for access in shared:
            self._refuse(access, line)
        if shared:
            is_checked = any(a.pointer in valid for a in shared)
            cut = state.before > Before.NOTHING and not is_checked
            if cut:
                valid.clear()
            if " @sea.valid." in line:
                valid.update(a.pointer for a in shared)
            writes = any(a.writes for a in shared)
            before = Before.WROTE if writes else Before.READ
            return cut, State(before if cut else max(before, state.before), 0, False)
        blocks = self._touched.may_block(line) or (self._is_entry and line.startswith("  ret "))
        if blocks and state.before is Before.WROTE:
            return True, State(Before.NOTHING, 0, False)
        return False, state

    def _refuse_odd(self, line: str) -> None:
        """Refuse what is followed where there is one thread only."""
        if self._touched.may_touch_anything(line):
            message = "a call through a pointer, or of what is not inlined, in a thread"
            raise self._debug.refusal(message, _place((line,)))
        if "@llvm.stackrestore" in line:
            message = "an array of variable length in a thread"
            raise self._debug.refusal(f"{message} is not supported", _place((line,)))

    def _refuse(self, access: Access, line: str) -> None:
        """Note what is more than one step of a processor; refuse it if its size is not known.

        Where races are looked for, that it is one step changes nothing: before a step of another
        thread that meets a part of it both are next.
        """
        if not access.type or _ONE_STEP[self._bits].fullmatch(access.type):
            return
        if access.type == "bytes" and self._marks:
            message = "several threads access a number of bytes at once that is no constant"
            raise self._debug.refusal(message, _place((line,)))
        self.large.setdefault(self._debug.place(_place((line,))))

    def _ends(self, line: str) -> bool:
        """Whether the thread ends there, while others may go on."""
        returns = line.startswith("  ret ") and not self._is_entry
        return returns or f" @{primitives.EXIT}(" in line

    def _leading_to_loops(self) -> Iterator[str]:
        """Blocks behind whose writes a loop without cuts begins: it may have no end."""
        plain = {
            label: block
            for label, block in self._blocks.items()
            if label in self._states
            and not any(cut for (_, cut), _ in self._walk(block, self._states[label]))
        }
        graph = {n: tuple(s for s in b.successors if s in plain) for n, b in plain.items()}
        for component in strong_components(graph, graph.__getitem__):
            if len(component) == 1 and component[0] not in graph[component[0]]:
                continue
            for label, state in self._states.items():
                block = self._blocks[label]
                if label not in component and not set(component).isdisjoint(block.successors):
                    after = self._after(block, state)
                    if after.before is Before.WROTE and not (after.depth or after.alone):
                        yield label

    # --------------------------------------------------------------------------------- blocks

    def _cut_block(self, block: BlockText) -> Iterator[str]:
        state = self._states.get(block.label)
        yield f"{block.label}:"
        if state is None:
            yield from block.lines
            return
        last = block.lines[-1]
        for (line, cut), after in self._walk(block, state):
            if cut or (line is last and block.label in self._before_loops):
                yield from self._begin_step(CUT)
            if not after.alone:
                self.atomics += self._atomics(line)
            if self._marks and not after.alone:
                yield from self._marked(line, after.depth > 0)
            yield line
            if f" @{MAKE}" in line:
                yield from self._begin_step(HELD if after.depth else CUT)

    def _atomics(self, line: str) -> Iterator[Atomic]:
        """The line, if it is an atomic access whose order matters to other threads."""
        found = next((a for a in self._touched.accesses(line) if a.order), None)
        if found is not None and self._is_shared(found):
            yield Atomic(line, found, self._debug.place(_place((line,))))

    def _marked(self, line: str, in_section: bool) -> Iterator[str]:
        """Marks of what the line touches, if another thread may touch it too."""
        found: dict[str, set[str]] = {}
        for access in self._touched.accesses(line):
            if access.is_plain and self._is_shared(access):
                found.setdefault(access.pointer, set()).add(access.base)
        for access in self._touched.accesses(line):
            if access.pointer in found:
                bases = frozenset(found.pop(access.pointer))
                alignment = int(m[1]) if (m := _ALIGN.search(line)) else 1
                touch = Touch(self._number, access, bases, alignment, in_section)
                mark = f"{TOUCH}{self._number}.{len(self.touches)}"
                yield f"  call void @{mark}(ptr {access.pointer}){_place((line,))}"
                self.touches.append(touch)

    def _begin_step(self, kind: str) -> Iterator[str]:
        label = f"{kind}{self._count}"
        self._count += 1
        yield f"  br label %{label}"
        yield f"{label}:"

    def _with_last_labels(self, lines: list[str]) -> list[str]:
        """Phis name the block that leads to theirs, which may be a part of one now."""
        last: dict[str, str] = {}
        whole = part = ""
        for line in lines:
            if not line.startswith(" ") and line:
                part = line.partition(":")[0]
                whole = whole if begins_step(part) else part
                last[whole] = part
        return [_relabelled(line, last) if _PHI.match(line) else line for line in lines]


def begins_step(label: str) -> bool:
    """Whether a label is that of a block that begins a step; LLVM derives other names from it."""
    return _STEP.fullmatch(label) is not None


def _relabelled(phi: str, last: Mapping[str, str]) -> str:
    return re.sub(r", %([-\w.$]+) \]", lambda m: f", %{last.get(m[1], m[1])} ]", phi)


def _place(lines: Iterable[str]) -> str:
    return next((m[0] for line in lines if (m := DEBUG.search(line))), "")
