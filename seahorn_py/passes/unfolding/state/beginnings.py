"""Functions and globals as unfolding finds them when it begins."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from seahorn_py.base.records import dataclass
from seahorn_py.ir.graph import blocks_by_label, live_after_phis
from seahorn_py.ir.memory import bytes_of
from seahorn_py.ir.program import Address, Block, Bytes, Function, Global, IntConst, Program
from seahorn_py.ir.types import IntType
from seahorn_py.passes.meeting import meeting
from seahorn_py.passes.unfolding.code.values import Pointer
from seahorn_py.passes.unfolding.state.followed import Run
from seahorn_py.passes.unfolding.state.order import Order, order_of
from seahorn_py.passes.unfolding.state.storage import Contents, Kind, Object, Slot


@dataclass(frozen=True)
class Body:
    """A function with facts that are asked for often."""

    function: Function

    @cached_property
    def blocks(self) -> Mapping[str, Block]:
        """Its blocks by label."""
        return blocks_by_label(self.function)

    @cached_property
    def order(self) -> Order:
        """The order of its blocks."""
        return order_of(self.function)

    @cached_property
    def live(self) -> Mapping[str, frozenset[str]]:
        """Block -> registers whose values are needed after its phis."""
        found = live_after_phis(self.function)
        return {label: frozenset(r.name for r in registers) for label, registers in found.items()}


def place_globals(program: Program, run: Run) -> Mapping[str, Pointer]:
    """Put the globals into memory; gives the pointer to each, by name."""
    word = IntType(program.pointer_width)
    named: dict[str, Pointer] = {}
    shared = meeting(program)
    for name, item in program.globals.items():
        number = len(run.objects)
        size, align = IntConst(item.size, word), max(item.align, 1)
        run.objects[number] = Object(
            number, Kind.GLOBAL, size, align, not item.constant, may_meet=name in shared
        )
        named[name] = Pointer(number, 0)
    for name, pointer in named.items():
        run.state.memory[pointer.object] = _contents(program.globals[name], named, word)
    return named


def _contents(item: Global, named: Mapping[str, Pointer], word: IntType) -> Contents:
    """What a global holds at the start."""
    data = bytearray()
    slots: dict[int, Slot] = {}
    for offset, leaf in item.leaves:
        match leaf:
            case Bytes():
                data.extend(bytes(max(0, offset - len(data))))
                data[offset:] = leaf.data
            case Address(str() as symbol, moved) if symbol in named:
                slots[offset] = Slot(word.width // 8, named[symbol].moved(moved))
            case _:
                slots[offset] = Slot(bytes_of(leaf.type, word.width), leaf)
    return Contents(bytes(data), slots)
