"""What points-to analysis knows while it looks at a program: cells of values, objects, accesses."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum

from seahorn_py.base.records import dataclass
from seahorn_py.ir.memory import bytes_of
from seahorn_py.ir.program import Address, Call, IntConst, Operand, Program, Register
from seahorn_py.ir.types import BOOL, RegionType, Type
from seahorn_py.passes.environment import ESCAPED
from seahorn_py.passes.pointsto.multiples import Multiples
from seahorn_py.passes.pointsto.nodes import Cell, Graph


class Kind(Enum):
    """What an object is."""

    GLOBAL = "global"
    STACK = "stack"
    HEAP = "heap"
    FUNCTION = "function"


@dataclass(frozen=True, slots=True)
class Object:
    """A global, a function, or all objects made by one `Alloca` or allocation of a function.

    `name` is the symbol, or the register that takes the address; `size` in bytes if constant.
    If `is_zeroed`, every new one holds zeros.
    """

    kind: Kind
    name: str
    function: str | None = None
    size: int | None = None
    is_zeroed: bool = False

    def __str__(self) -> str:
        where = "" if self.function is None else f"{self.function}."
        return f"{where}{self.name}"


@dataclass(frozen=True, slots=True)
class Access:
    """A load or store of a scalar, or (type None) the range of a copy, fill or havoc.

    `size` is in bytes, None if it is not constant.
    """

    cell: Cell
    size: int | None
    type: Type | None
    volatile: bool = False


Rule = Callable[[], bool]
"""Applied as long as it is true: it waits."""


class Bindings:
    """The cells of a program's registers, symbols and results, and how values flow into them."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.graph = Graph()
        self.registers: dict[str, dict[str, Cell]] = {}
        self.symbols: dict[str, Cell] = {}
        self.objects: list[tuple[Object, Cell]] = []
        self.accesses: list[Access] = []
        self.outside = self.graph.node()
        self.laundered: list[Cell] = []
        self._width = program.pointer_width
        self._here: dict[str, Cell] = {}
        self._name = ""
        self._multiples = Multiples(())
        self._returns: dict[tuple[str, int], Cell] = {}
        self._waiting: list[Rule] = []
        self._differences: list[Rule] = []
        self._made: list[Cell] = []
        self._targets: tuple[int, dict[int, list[str]]] = (-1, {})
        self._start()

    def _start(self) -> None:
        graph = self.graph
        graph.restride(self.outside, 1)
        graph.unify(graph.link(self.outside), self.outside)
        for name in self.program.functions:
            self.symbols[name] = self._object(Object(Kind.FUNCTION, name))
        for name, item in self.program.globals.items():
            self.symbols[name] = self._object(Object(Kind.GLOBAL, name, None, item.size))
        if ESCAPED in self.symbols:
            graph.unify(graph.link(self.symbols[ESCAPED]), self.outside)

    def _object(self, made: Object) -> Cell:
        cell = self.graph.node()
        self.graph.fill(cell)
        self.objects.append((made, cell))
        return cell

    def _returned(self, function: str, position: int) -> Cell:
        key = function, position
        if key not in self._returns:
            self._returns[key] = self.graph.node()
        return self._returns[key]

    def cell(self, operand: Operand) -> Cell | None:
        """The cell of an operand of the function at hand; None for what carries no address."""
        match operand:
            case Register(name=name, type=type_):
                if type_ == BOOL or isinstance(type_, RegionType):
                    return None
                return self._register(self._here, name)
            case Address(symbol=str() as symbol, offset=offset):
                if symbol not in self.symbols:
                    self.symbols[symbol] = self._object(Object(Kind.FUNCTION, symbol))
                return self.symbols[symbol].moved(offset)
            case _:
                return None

    def _register(self, registers: dict[str, Cell], name: str) -> Cell:
        found = registers.get(name)
        if found is None:
            found = registers[name] = self.graph.node()
        return found

    def _same(self, result: Register, value: Operand, distance: int = 0) -> None:
        """The result is the value, moved."""
        cell = self.cell(value)
        if cell is None or result.type == BOOL:
            return
        if result.name in self._here:
            self.graph.unify(self._here[result.name], cell.moved(distance))
        else:
            self._here[result.name] = cell.moved(distance)

    def _flow(self, value: Operand, target: Cell) -> None:
        cell = self.cell(value)
        if cell is not None:
            self.graph.unify(cell, target)

    def _stored(self, address: Cell, value: Operand) -> None:
        cell = self.cell(value)
        if cell is not None:
            self.graph.unify(self.graph.link(address), cell)

    def _access(self, cell: Cell, type_: Type, volatile: bool = False) -> None:
        self.accesses.append(Access(cell, bytes_of(type_, self._width), type_, volatile))

    def _span(self, address: Operand, length: Operand) -> None:
        cell = self.cell(address)
        if cell is not None:
            self.accesses.append(Access(cell, constant_of(length), None))

    def _bind(self, caller: dict[str, Cell], call: Call, name: str) -> None:
        """Arguments become parameters, returned values results."""
        callee = self.program.functions[name]
        inside = self.registers.setdefault(name, {})
        for parameter, argument in zip(callee.parameters, call.arguments, strict=False):
            if parameter.type != BOOL and not isinstance(parameter.type, RegionType):
                self._flow(argument, self._register(inside, parameter.name))
        for k, result in enumerate(call.results):
            if result.type != BOOL and not isinstance(result.type, RegionType):
                self.graph.unify(self._register(caller, result.name), self._returned(name, k))

    def _call_through(self, call: Call, pointer: Register) -> None:
        """A call of whatever functions the pointer turns out to lead to."""
        graph, caller = self.graph, self._here
        cell = self._register(caller, pointer.name)
        done: set[str] = set()

        def rule() -> bool:
            self._here = caller
            for name in self._functions_at(cell):
                if name not in done and name in self.program.functions:
                    self._bind(caller, call, name)
                    graph.version += 1
                done.add(name)
            return True

        self._waiting.append(rule)

    def _functions_at(self, cell: Cell) -> list[str]:
        graph = self.graph
        if self._targets[0] != graph.version:
            found: dict[int, list[str]] = {}
            for made, home in self.objects:
                if made.kind is Kind.FUNCTION:
                    found.setdefault(graph.find(home).node, []).append(made.name)
            self._targets = graph.version, found
        return self._targets[1].get(graph.find(cell).node, [])


def constant_of(operand: Operand) -> int | None:
    """The number that a constant operand is."""
    return operand.value if isinstance(operand, IntConst) else None
