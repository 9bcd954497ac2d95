"""The loops of a program, and its functions that call themselves, as cycles of cut points."""

from __future__ import annotations

from collections.abc import Collection

from seahorn_py.base.errors import Origin
from seahorn_py.base.records import dataclass
from seahorn_py.encode.encoding import Cut, CutKind, Encoding
from seahorn_py.engines.termination.cycles import Cycle, Inner
from seahorn_py.ir.graph import (
    blocks_by_label,
    call_graph,
    reverse_postorder,
    strong_components,
)
from seahorn_py.ir.program import Function, Program
from seahorn_py.ir.traverse import definitions
from seahorn_py.passes.termination.loops import Loop, head_origin, natural_loops
from seahorn_py.passes.termination.ranked import CALLS

Key = tuple[str, str]
"""(function, head of a loop, or CALLS), as in `Ranks`."""


class NoRank(Exception):
    """Some loop or recursion has no rank; the text says which and why."""


@dataclass(frozen=True)
class CyclePlace:
    """A loop, or the calls of a function by itself, with the relation at its head."""

    key: Key
    text: str
    cycle: Cycle
    cut: Cut

    @property
    def keys(self) -> set[Key]:
        """Its own alone."""
        return {self.key}

    @property
    def called(self) -> str:
        """It in a sentence."""
        return f"the {self.text}"


@dataclass(frozen=True)
class Circle:
    """Functions that call each other, each as a place of its own."""

    members: tuple[CyclePlace, ...]

    @property
    def keys(self) -> set[Key]:
        """Those of its members."""
        return {one.key for one in self.members}

    @property
    def called(self) -> str:
        """It in a sentence."""
        return f"{' and '.join(one.key[0] for one in self.members)}, which call each other"


def places(program: Program, encoding: Encoding) -> list[CyclePlace]:
    """All loops, and functions that call themselves; Irreducible, NoRank where there are others."""
    found = []
    for one in all_places(program, encoding):
        if isinstance(one, Circle):
            raise NoRank(f"no rank of {one.called}")
        found.append(one)
    return found


def all_places(program: Program, encoding: Encoding) -> list[CyclePlace | Circle]:
    """All loops, functions that call themselves, and circles of functions.  Raises Irreducible."""
    graph = call_graph(program)
    found: list[CyclePlace | Circle] = []
    for part in strong_components(graph, graph.__getitem__):
        members: list[CyclePlace] = []
        for name in sorted(part):
            is_recursive = len(part) > 1 or name in graph[name]
            for place in _places(program.functions[name], encoding, is_recursive):
                is_member = len(part) > 1 and place.key[1] == CALLS
                if is_member:
                    members.append(place)
                else:
                    found.append(place)
        found += [Circle(tuple(members))] if members else []
    return found


def title(function: Function, label: str) -> tuple[str, Origin]:
    """What the loop with this head, or the recursion (CALLS), is called, and where it is."""
    if label == CALLS:
        return f"recursion of {function.name}", function.origin
    origin = head_origin(blocks_by_label(function)[label])
    text = f"loop at {origin}" if origin.span else f"loop {label} of {function.name}"
    return text, origin


def _places(function: Function, encoding: Encoding, is_recursive: bool) -> list[CyclePlace]:
    """Those of one function."""
    at = {cut.label: name for name, cut in _cuts(encoding, function, CutKind.BLOCK)}
    loops = {loop.head: loop for loop in natural_loops(function)}
    order = [label for label in reverse_postorder(function) if label in at]

    def points(inside: Collection[str]) -> tuple[Inner, ...]:
        return tuple(point(label) for label in order if label in inside)

    def point(label: str) -> Inner:
        loop = loops.get(label)
        if loop is None:
            return Inner(at[label])
        kept = _unchanged(function, at[label], loop, encoding)
        return Inner(at[label], kept, points(loop.body - {label}))

    found = []
    for label, loop in loops.items():
        text, _ = title(function, label)
        cycle = Cycle(at[label], points(loop.body - {label}))
        found.append(CyclePlace((function.name, label), text, cycle, encoding.cuts[at[label]]))
    if is_recursive:
        ((entry, cut),) = _cuts(encoding, function, CutKind.ENTRY)
        text, _ = title(function, CALLS)
        found.append(CyclePlace((function.name, CALLS), text, Cycle(entry, points(order)), cut))
    return found


def _cuts(encoding: Encoding, function: Function, kind: CutKind) -> list[tuple[str, Cut]]:
    """The cuts of one kind in one function, by the names of their relations."""
    cuts = encoding.cuts.items()
    return [(n, cut) for n, cut in cuts if cut.kind is kind and cut.function == function.name]


def _unchanged(function: Function, name: str, loop: Loop, encoding: Encoding) -> frozenset[int]:
    """The coordinates at the head of a loop that the loop does not change."""
    blocks = blocks_by_label(function)
    changed = {r for label in loop.body for r in definitions(blocks[label])}
    registers = encoding.cuts[name].registers
    return frozenset(k for k, r in enumerate(registers) if r not in changed)
