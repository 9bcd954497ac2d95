"""Many ways into one instance, merged at once instead of pair by pair.

A loop with a symbolic end is left after any of its iterations, each time with a memory that has one
element more.  Merging pair by pair makes a term for each element and each exit.  Here an element
becomes one case distinction between its different values.  The condition of a value is the
disjunction of the guards under which the element has it; for consecutive exits that is an interval
(`bmc.bounds`).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import pairwise

from seahorn_py.engines.bmc.symbolic import MERGED, Memory, Value, Values
from seahorn_py.logic.solvers.construction.protocol import Constant
from seahorn_py.logic.terms.terms import Sort


class Merger:
    """Merges states under guards of which at most one holds."""

    def __init__(self, values: Values, guards: Sequence[Value]) -> None:
        self._values = values
        self._guards = guards
        self._ranges: dict[tuple[int, int], Value] = {}

    def merged(self, options: Sequence[Value], sort: Sort) -> Value:
        """The option whose guard holds."""
        memories = [option for option in options if isinstance(option, Memory)]
        if len(memories) == len(options) and len({id(m) for m in memories}) > 1:
            return self._merged_memories(memories)
        groups: dict[Hashable, list[int]] = {}
        for number, option in enumerate(options):
            groups.setdefault(option, []).append(number)
        *others, (last, *_) = groups.values()
        result = options[last]
        for numbers in reversed(others):
            result = self._values.ite(self._any(numbers), options[numbers[0]], result, sort)
        return result

    def _merged_memories(self, options: Sequence[Memory]) -> Value:
        first = options[0]
        positions = self._positions(options)
        if positions is None:
            result: Value = options[-1]
            for guard, option in reversed([*zip(self._guards, options, strict=True)][:-1]):
                result = self._values.ite(guard, option, result, first.sort)
            return result
        elements = dict(first.elements)
        for position in positions:
            found = [self._values.select(option, position) for option in options]
            elements[position] = self.merged(found, first.sort.elem_type)
        return Memory(first.sort, first.base, elements, everywhere=first.everywhere)

    def _positions(self, options: Sequence[Memory]) -> list[Constant] | None:
        """Where the memories differ; None where they are not to be merged by elements."""
        if not all(one.alike(other) for one, other in pairwise(options)):
            return None
        known = sorted({position for option in options for position in option.elements})
        differing = [p for p in known if len({option.elements.get(p) for option in options}) > 1]
        return differing if len(differing) <= MERGED else None

    def _any(self, numbers: Sequence[int]) -> Value:
        """Some guard of these holds."""
        parts = []
        start = previous = numbers[0]
        for number in numbers[1:]:
            if number != previous + 1:
                parts.append(self._range(start, previous))
                start = number
            previous = number
        return self._values.or_([*parts, self._range(start, previous)])

    def _range(self, start: int, end: int) -> Value:
        """Some guard from one number to another holds."""
        at = end
        while at > start and (start, at) not in self._ranges:
            at -= 1
        value = self._ranges.setdefault((start, at), self._guards[start])
        for number in range(at + 1, end + 1):
            value = self._values.or_([value, self._guards[number]])
            self._ranges[start, number] = value
        return value
