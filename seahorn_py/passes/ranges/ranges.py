"""Value ranges: intervals that hold in every run, by abstract interpretation.

P. Cousot, R. Cousot: "Abstract interpretation" (POPL 1977) with widening at loop heads, parameters
and results of calls, thresholds from the constants that the program compares with, and two
descending passes; conditional constant propagation after Wegman and Zadeck (TOPLAS 13(2), 1991):
edges that cannot be taken contribute nothing.  Interprocedural and context-insensitive: parameters
join the arguments of all calls, results those of all returns.

A condition is known to hold in the blocks that its edge dominates.  In SSA that is sound even in
loops: no path leads from a new definition of a register to such a block except through the edge.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from seahorn_py.base.records import dataclass
from seahorn_py.ir.graph import call_graph, strong_components
from seahorn_py.ir.program import IntConst, Operand, Program, Register
from seahorn_py.ir.types import IntType
from seahorn_py.passes.ranges.intervals import Bounds, Range, exactly, full, join
from seahorn_py.passes.ranges.walk import Walk

MAX_WALKS = 400
WALKS_A_FUNCTION = 20
DESCENTS = 2


@dataclass(frozen=True)
class Ranges:
    """The ranges of a program; registers that no run assigns have any."""

    _known: Mapping[str, Mapping[Register, Range]]
    _facts: Mapping[str, Mapping[str, Mapping[Register, Range]]]
    _above: Mapping[str, Mapping[str, str]]

    def signed(self, function: str, register: Register) -> Bounds | None:
        """Inclusive bounds of the two's complement number; None if the register is no integer."""
        found = self.range(function, register)
        return None if found is None else found.signed

    def unsigned(self, function: str, register: Register) -> Bounds | None:
        """Inclusive bounds of the natural number; None if the register is no integer."""
        found = self.range(function, register)
        return None if found is None else found.unsigned

    def range(self, function: str, operand: Operand) -> Range | None:
        """Where an operand lies in every run; None if it is no integer."""
        if isinstance(operand, IntConst):
            return exactly(operand.type.width, operand.value)
        if not isinstance(operand, Register) or not isinstance(operand.type, IntType):
            return None
        return self._known.get(function, {}).get(operand) or full(operand.type.width)

    def at(self, function: str, label: str, operand: Operand) -> Range | None:
        """Where an operand lies in the statements of a block, by the branches that lead there."""
        facts = self._facts.get(function, {})
        above = self._above.get(function, {})
        here: str | None = label
        while isinstance(operand, Register) and here is not None:
            if operand in facts.get(here, {}):
                return facts[here][operand]
            here = above.get(here)
        return self.range(function, operand)


def value_ranges(program: Program) -> Ranges:
    """The value ranges of a program in encoding form."""
    analysis = _Analysis(program)
    if not analysis.ascend():
        return Ranges({}, {}, {})
    for _ in range(DESCENTS):
        analysis.descend()
    walks = analysis.walks
    return Ranges(
        {name: walk.known for name, walk in walks.items()},
        {name: walk.facts for name, walk in walks.items()},
        {name: walk.above for name, walk in walks.items()},
    )


class _Analysis:
    """The functions' walks, and what flows between them."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self.walks = {
            name: Walk(function, program.functions.keys(), self)
            for name, function in program.functions.items()
        }
        graph = call_graph(program)
        components = strong_components(graph, graph.__getitem__)
        self._order = [name for component in components[::-1] for name in component]
        self._callers: dict[str, set[str]] = {name: set() for name in graph}
        for caller, callees in graph.items():
            for callee in callees:
                self._callers[callee].add(caller)
        self._arguments: dict[str, dict[tuple[str, str, int], tuple[Range | None, ...]]] = {}
        self._returns: dict[str, dict[str, tuple[Range | None, ...]]] = {}
        self._pending: dict[str, None] = {}

    def ascend(self) -> bool:
        """Iterate with widening until nothing grows; False if that takes too long."""
        self._pending = {self._program.entry: None}
        budget = MAX_WALKS + WALKS_A_FUNCTION * len(self._order)
        while self._pending and budget > 0:
            # callers first, each at most once in a sweep: not anew for every callee that returns
            for name in self._order:
                if name in self._pending:
                    del self._pending[name]
                    budget -= 1
                    while self.walks[name].run(growing=True) and budget > 0:
                        budget -= 1
        return not self._pending and budget > 0

    def descend(self) -> None:
        """One pass over everything without widening: sound ranges in, sound ranges out."""
        for name in self._order:
            if self.is_called(name):
                self.walks[name].run(growing=False)

    def is_called(self, name: str) -> bool:
        """Some run may enter the function."""
        return name == self._program.entry or name in self._arguments

    def parameters(self, name: str) -> tuple[Range | None, ...]:
        """The join of the arguments of all calls."""
        return _joined(self._arguments.get(name, {}).values())

    def results(self, name: str, count: int) -> tuple[Range | None, ...]:
        """The join of what all returns give; None for each result if there is no return yet."""
        return _joined(self._returns.get(name, {}).values()) or (None,) * count

    def called(
        self, callee: str, site: tuple[str, str, int], arguments: tuple[Range | None, ...]
    ) -> None:
        """A call passes these arguments."""
        sites = self._arguments.setdefault(callee, {})
        if sites.get(site) != arguments or site not in sites:
            sites[site] = arguments
            self._pending[callee] = None

    def returned(self, name: str, label: str, values: tuple[Range | None, ...]) -> None:
        """A function returns these values at the end of a block."""
        ends = self._returns.setdefault(name, {})
        if ends.get(label) != values or label not in ends:
            ends[label] = values
            self._pending.update(dict.fromkeys(self._callers[name]))


def _joined(rows: Iterable[tuple[Range | None, ...]]) -> tuple[Range | None, ...]:
    total: tuple[Range | None, ...] = ()
    for row in rows:
        total = tuple(join(a, b) for a, b in zip(total, row, strict=True)) if total else row
    return total
