"""Which threads need to be tried in a state of the product: often one stands for all.

Persistent sets (P. Godefroid: "Partial-Order Methods for the Verification of Concurrent Systems",
LNCS 1032, 1996, chapter 4), with one thread each: its next step may come first if nothing that
others may ever do before it touches what it touches.  What is missed are orders that lead to the
same states.  A step that may wait, or end the program, is never taken alone, since the run would
miss what others do; nor is one that a loop may come back to, so that no cycle of states puts others
off for ever.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from seahorn_py.base.records import dataclass
from seahorn_py.frontend.llvmtext.blocks import BlockText, split_blocks
from seahorn_py.frontend.llvmtext.lines import read_call
from seahorn_py.frontend.llvmtext.module import FunctionText
from seahorn_py.frontend.lowering.events import primitives
from seahorn_py.frontend.lowering.threads.accesses import MAKE, Access, Touched, conflict, end_of
from seahorn_py.frontend.lowering.threads.copies import Place
from seahorn_py.frontend.lowering.threads.cutting import begins_step

Key = tuple[int, str]
"""A step: the number of its thread, and its label."""


@dataclass(frozen=True, slots=True)
class Step:
    """What a step touches, where it leads, which threads it makes, whether it is never alone."""

    accesses: frozenset[Access]
    next: tuple[str, ...]
    makes: tuple[int, ...]
    may_block: bool


class Reduction:
    """Chooses threads for states, by the steps of all threads."""

    def __init__(
        self, steps: Mapping[Key, Step], first: Mapping[int, str], escaped: frozenset[str]
    ):
        self._steps = steps
        self._first = first
        self._escaped = escaped
        self._heads = _heads(steps, first)
        self._futures: dict[Key, frozenset[Access]] = {}
        self._known: dict[tuple[Key, Key], bool] = {}

    def chosen(self, where: Sequence[str], running: Sequence[int]) -> Sequence[int]:
        """The threads that are to be tried: one of those that can run, or all."""
        others = [(n, at) for n, at in enumerate(where) if (n, at) in self._steps]
        for number in running:
            key = (number, where[number])
            if self._steps[key].may_block or key in self._heads:
                continue
            if not any(self._disturbs(key, other) for other in others if other != key):
                return (number,)
        return running

    def is_undisturbed(self, key: Key) -> bool:
        """Whether a step may come at once, wherever the other threads are."""
        if self._steps[key].may_block or key in self._heads:
            return False
        others = ((n, label) for n, label in self._first.items() if n != key[0])
        return not any(self._disturbs(key, other) for other in others)

    def _disturbs(self, key: Key, other: Key) -> bool:
        """Whether the order of a step and of what follows another matters."""
        if (key, other) not in self._known:
            future = self._future(other)
            self._known[key, other] = any(
                conflict(one, two, self._escaped)
                for one in self._steps[key].accesses
                for two in future
            )
        return self._known[key, other]

    def _future(self, key: Key) -> frozenset[Access]:
        """All that a thread may touch from a step on, with the threads that it may make."""
        if key not in self._futures:
            seen, waiting = {key}, [key]
            while waiting:
                number, label = waiting.pop()
                step = self._steps[number, label]
                more = [(number, each) for each in step.next]
                more += [(made, self._first[made]) for made in step.makes]
                fresh = [each for each in more if each not in seen]
                seen.update(fresh)
                waiting.extend(fresh)
            found = frozenset(a for each in seen for a in self._steps[each].accesses)
            self._futures[key] = found
        return self._futures[key]


def steps_in(
    function: FunctionText, number: int, touched: Touched, places: Mapping[int, Place]
) -> dict[Key, Step]:
    """The steps of a function that is cut."""
    blocks = split_blocks(function.lines, "")
    starts = [next(iter(blocks)), *(label for label in blocks if begins_step(label))]
    return {(number, s): _step(s, blocks, number, touched, places) for s in starts}


def _step(
    start: str,
    blocks: Mapping[str, BlockText],
    number: int,
    touched: Touched,
    places: Mapping[int, Place],
) -> Step:
    accesses, following, makes = set[Access](), dict[str, None](), list[int]()
    may_block = False
    seen, waiting = {start}, [start]
    while waiting:
        block = blocks[waiting.pop()]
        for line in block.lines:
            accesses.update(touched.accesses(line))
            may_block = may_block or touched.may_block(line)
            call = read_call(line) if " call " in line else None
            name = call.callee if call else ""
            if name.startswith(MAKE):
                makes += places[int(name[len(MAKE) :])].threads
            if name == primitives.EXIT or (number and line.startswith("  ret ")):
                accesses.add(Access(end_of(number), True))
            elif line.startswith("  ret "):
                may_block = True
        following.update((s, None) for s in block.successors if begins_step(s))
        more = [s for s in block.successors if not begins_step(s) and s not in seen]
        seen.update(more)
        waiting.extend(more)
    loops = len(seen) > 1 and _has_cycle(seen, blocks)
    return Step(frozenset(accesses), tuple(following), tuple(makes), may_block or loops)


def _has_cycle(labels: Iterable[str], blocks: Mapping[str, BlockText]) -> bool:
    """Whether a step has a loop in it, which may have no end."""
    left = set(labels)
    while True:
        ends = {
            n
            for n in left
            if not any(s in left for s in blocks[n].successors if not begins_step(s))
        }
        if not ends:
            return bool(left)
        left -= ends


def _heads(steps: Mapping[Key, Step], first: Mapping[int, str]) -> frozenset[Key]:
    """Steps that a later one leads back to: each cycle of steps of a thread has one."""
    found: set[Key] = set()
    for number, start in first.items():
        path, done = [start], set[str]()
        on_path = {start}
        stack = [iter(steps[number, start].next)]
        while stack:
            label = next(stack[-1], None)
            if label is None:
                stack.pop()
                done.add(path[-1])
                on_path.discard(path.pop())
            elif label in on_path:
                found.add((number, label))
            elif label not in done:
                path.append(label)
                on_path.add(label)
                stack.append(iter(steps[number, label].next))
    return frozenset(found)
