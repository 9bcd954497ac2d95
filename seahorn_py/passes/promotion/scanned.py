"""The bytes of an object as the program accesses them, for what can become registers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field
from itertools import pairwise

from seahorn_py.base.records import dataclass
from seahorn_py.ir.types import IntType, Type
from seahorn_py.passes.promotion.object_parts import Pointer


@dataclass
class ScannedObject:
    """What is known of one object while the program is scanned.

    `subscripts` are its accesses by variable indices with their types, `indexed` the elements of
    those to small arrays.  If `is_large`, some may be to more elements than become cells.
    """

    size: int
    constant: bool = False
    escaped: bool = False
    spans: dict[tuple[int, int], set[Type]] = field(default_factory=dict)
    cuts: set[int] = field(default_factory=set)
    indexed: set[tuple[int, int]] = field(default_factory=set)
    subscripts: dict[Pointer, set[Type]] = field(default_factory=dict)
    is_large: bool = False

    @property
    def is_mixed(self) -> bool:
        """Whether an access by a variable index may be to what is accessed as something else."""
        others = self.spans.keys() - self.indexed
        return any(
            at < other + length and other < at + size
            for at, size in self.indexed
            for other, length in others
        )


def pieces(found: ScannedObject) -> Iterable[tuple[int, int]]:
    """The intervals between neighbouring cuts that some load, store or copy covers."""
    covered_to = 0
    spans = sorted(found.spans)
    next_span = 0
    for at, end in pairwise(sorted(found.cuts)):
        while next_span < len(spans) and spans[next_span][0] <= at:
            covered_to = max(covered_to, sum(spans[next_span]))
            next_span += 1
        if end <= covered_to:
            yield at, end


def part_type(found: ScannedObject, at: int, end: int) -> Type:
    """The one type with which a part is accessed; an integer if there are several or none."""
    types = found.spans.get((at, end - at), set())
    only = next(iter(types)) if len(types) == 1 else None
    if only is None or (isinstance(only, IntType) and only.width % 8):
        return IntType(8 * (end - at))
    return only
