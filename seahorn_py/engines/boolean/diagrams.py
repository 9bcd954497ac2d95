"""Binary decision diagrams of states and transitions: the one module that knows oxidd.

Bryant: Graph-based algorithms for Boolean function manipulation, IEEE ToC 1986.

The variables lie in *columns*.  A state of a location uses column 0.  While a rule is applied,
premise k uses column k, and the head uses the last column but one.  The variables that one bit has
in all columns lie next to each other.  The last column has the predicates themselves, where bits
stand for what is known of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from oxidd.bdd import BDDFunction, BDDManager, BDDSubstitution
from oxidd.util import BooleanOperator, DDMemoryError

from seahorn_py.base.records import dataclass

Diagram: TypeAlias = BDDFunction
Renaming: TypeAlias = BDDSubstitution

NODES = 1 << 22
CACHE = 1 << 18

OutOfMemory = DDMemoryError


@dataclass(frozen=True)
class Graph:
    """A diagram as data: (bit, node if 1, node if 0) with children first, and the root.

    Nodes 0 and 1 are false and true; the first of the list is node 2.
    """

    nodes: tuple[tuple[int, int, int], ...]
    root: int


class Space:
    """Variables for states of up to `bits` bits in `columns` columns."""

    def __init__(self, bits: int, columns: int) -> None:
        self.bits, self._columns = bits, columns
        self._manager = BDDManager(NODES, CACHE, 1)
        self._manager.add_vars(bits * columns)
        self.true: Diagram = self._manager.true()
        self.false: Diagram = self._manager.false()

    def number(self, column: int, bit: int) -> int:
        """The variable of a bit in a column."""
        return bit * self._columns + column

    def variable(self, column: int, bit: int) -> Diagram:
        """The bit is 1."""
        return self._manager.var(self.number(column, bit))

    def cube(self, bits: Iterable[tuple[int, int]]) -> Diagram:
        """The conjunction of the variables of these (column, bit)."""
        found = self.true
        for column, bit in sorted(bits, key=lambda b: self.number(*b), reverse=True):
            found = self.variable(column, bit) & found
        return found

    def valuation(self, column: int, values: Mapping[int, bool]) -> Diagram:
        """The state in which bits of a column have these values."""
        found = self.true
        for bit in sorted(values, reverse=True):
            variable = self.variable(column, bit)
            found = found & (variable if values[bit] else ~variable)
        return found

    def renaming(self, pairs: Iterable[tuple[tuple[int, int], tuple[int, int]]]) -> Renaming:
        """For `rename`: what becomes what."""
        return BDDFunction.make_substitution(
            [(self.number(*old), self.variable(*new)) for old, new in pairs]
        )

    def state(self, diagram: Diagram, bits: Sequence[int]) -> list[tuple[bool, ...]] | None:
        """A solution: for each column the bits asked for, `bits[column]` of them."""
        cube = diagram.pick_cube()
        if cube is None:
            return None
        return [
            tuple(cube[self.number(column, bit)] is True for bit in range(count))
            for column, count in enumerate(bits)
        ]

    def holds(self, diagram: Diagram, state: Sequence[bool]) -> bool:
        """Whether a state in column 0 is in the set."""
        valuation = [(self.number(0, bit), value) for bit, value in enumerate(state)]
        return bool(diagram.eval(valuation))

    def graph(self, diagram: Diagram, column: int) -> Graph:
        """A set over one column, as numbers."""
        numbers: dict[Diagram, int] = {self.false: 0, self.true: 1}
        nodes: list[tuple[int, int, int]] = []
        todo = [diagram]
        while todo:
            node = todo[-1]
            if node in numbers:
                todo.pop()
                continue
            cofactors, variable = node.cofactors(), node.node_var()
            assert cofactors is not None and variable is not None
            high, low = cofactors
            waiting = [child for child in (high, low) if child not in numbers]
            if waiting:
                todo += waiting
                continue
            bit = (variable - column) // self._columns
            numbers[node] = len(nodes) + 2
            nodes.append((bit, numbers[high], numbers[low]))
        return Graph(tuple(nodes), numbers[diagram])

    def count(self, diagram: Diagram, bits: int) -> int:
        """How many states of `bits` bits are in a set over column 0."""
        variables = self._manager.num_vars()
        return int(diagram.sat_count(variables)) >> (variables - bits)


def conjoined(left: Diagram, right: Diagram, gone: Diagram) -> Diagram:
    """Both, the variables of the cube `gone` quantified."""
    return left.apply_exists(BooleanOperator.AND, right, gone)


def renamed(diagram: Diagram, renaming: Renaming) -> Diagram:
    """With other variables."""
    return diagram.substitute(renaming)
