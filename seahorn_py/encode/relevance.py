"""Which registers the encoding needs: those that can decide which way a run goes.

The search goes backwards, from branch conditions and operands of partial operations, through the
operands that the encoding of an operation reads, across calls and returns.  It stops at loads from
memory that has not become a region, and at floats unless these are encoded by their bits: both are
arbitrary in the encoding.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import assert_never

from seahorn_py.base.records import dataclass
from seahorn_py.ir import semantics
from seahorn_py.ir.program import (
    Alloca,
    Binary,
    Bind,
    Bits,
    Branch,
    Call,
    Cast,
    Compare,
    FloatOp,
    Function,
    Havoc,
    Input,
    Lifetime,
    Load,
    MemoryCopy,
    MemorySet,
    Offset,
    Operand,
    Overflow,
    Phi,
    Predicate,
    Program,
    RegionFill,
    RegionHavoc,
    RegionLoad,
    RegionStore,
    Register,
    Return,
    Select,
    Statement,
    Store,
    Valid,
)
from seahorn_py.ir.types import FloatType, PointerType

Result = tuple[str, int]
"""A function and the number of one of its results."""


@dataclass(frozen=True)
class Relevance:
    """`registers` by function; `results` as (function, number of the result).

    `floats`: the encoding gives them values.
    """

    registers: Mapping[str, frozenset[Register]]
    results: frozenset[Result]
    floats: bool

    def needs(self, function: str, register: Register) -> bool:
        """The encoding gives the register a value."""
        return register in self.registers[function]

    def returns(self, function: Function) -> tuple[int, ...]:
        """The numbers of the results that are passed on."""
        numbers = range(len(function.results))
        return tuple(k for k in numbers if (function.name, k) in self.results)


def demands(  # noqa: C901 - a flat match
    statement: Statement, floats: bool = True
) -> tuple[Operand, ...]:
    """The operands whose values the encoding of the statement's result reads."""
    match statement:
        case Binary() | Overflow():
            return (statement.left, statement.right)
        case Compare():
            unknown = is_pointer(statement.left) and statement.predicate in _SIGNED
            return () if unknown else (statement.left, statement.right)
        case Cast():
            return (statement.value,) if floats or not converts_floats(statement) else ()
        case Select():
            return (statement.condition, statement.then, statement.otherwise)
        case Bits():
            return statement.arguments
        case Offset():
            return (statement.base, *(index for index, _ in statement.terms))
        case RegionLoad():
            is_known = floats or not isinstance(statement.result.type, FloatType)
            return (statement.region, statement.address) if is_known else ()
        case RegionStore():
            return (statement.region, statement.address, statement.value)
        case RegionFill():
            return (statement.value,)
        case RegionHavoc():
            kept = () if statement.whole else (statement.region,)
            return (*kept, *extent(statement))
        case FloatOp():
            return statement.arguments if floats else ()
        case Alloca() | Load() | Input() | Call() | Valid():
            return ()
        case Store() | MemoryCopy() | MemorySet() | Havoc() | Lifetime() | Bind():
            return ()
        case _:
            assert_never(statement)


def is_pointer(operand: Operand) -> bool:
    """The operand is an address."""
    return isinstance(operand.type, PointerType)


def extent(statement: RegionHavoc) -> tuple[Operand, ...]:
    """What says where arbitrary contents lie, and so how many values are read."""
    return (statement.address, statement.size)


def converts_floats(cast: Cast) -> bool:
    """The cast is from or to a float."""
    return isinstance(cast.value.type, FloatType) or isinstance(cast.result.type, FloatType)


def is_partial(statement: Statement) -> bool:
    """The run may end at the statement, depending on its operands."""
    return isinstance(statement, Binary) and semantics.partial(statement.op)


_SIGNED = frozenset({Predicate.SGT, Predicate.SGE, Predicate.SLT, Predicate.SLE})

_Node = tuple[str, Register] | Result


class _Search:
    """The work list; `reach` adds what a node needs."""

    def __init__(self, program: Program, floats: bool) -> None:
        self.program = program
        self.floats = floats
        self.seen: set[_Node] = set()
        self.pending: list[_Node] = []
        self.definitions: dict[tuple[str, Register], Statement | Phi] = {}
        self.calls: dict[str, list[tuple[str, Call]]] = {}
        self.returns: dict[str, list[Return]] = {}
        for function in program.functions.values():
            self._index(function)

    def _index(self, function: Function) -> None:
        name = function.name
        for block in function.blocks:
            for phi in block.phis:
                self.definitions[name, phi.result] = phi
            for statement in block.statements:
                if isinstance(statement, Call):
                    self._index_call(name, statement)
                elif result := getattr(statement, "result", None):
                    self.definitions[name, result] = statement
                if is_partial(statement):
                    self.demand(name, demands(statement))
                if isinstance(statement, RegionHavoc):
                    self.demand(name, extent(statement))
            if isinstance(block.terminator, Return):
                self.returns.setdefault(name, []).append(block.terminator)
            if isinstance(block.terminator, Branch):
                self.demand(name, (block.terminator.condition,))

    def _index_call(self, name: str, call: Call) -> None:
        for result in call.results:
            self.definitions[name, result] = call
        if isinstance(call.callee, str):
            self.calls.setdefault(call.callee, []).append((name, call))

    def demand(self, function: str, operands: tuple[Operand, ...]) -> None:
        """The function needs these operands."""
        for operand in operands:
            known = self.floats or not isinstance(operand.type, FloatType)
            if isinstance(operand, Register) and known:
                self.add((function, operand))

    def add(self, node: _Node) -> None:
        """The node is needed."""
        if node not in self.seen:
            self.seen.add(node)
            self.pending.append(node)

    def follow(self, node: _Node) -> None:
        """What the node needs is needed."""
        name, item = node
        if isinstance(item, int):
            for returned in self.returns.get(name, ()):
                self.demand(name, (returned.values[item],))
            return
        definition = self.definitions.get((name, item))
        match definition:
            case None:
                self._parameter(name, item)
            case Phi():
                self.demand(name, tuple(value for _, value in definition.incoming))
            case Call():
                if definition.callee in self.program.functions:
                    self.add((str(definition.callee), definition.results.index(item)))
            case _:
                self.demand(name, demands(definition, self.floats))

    def _parameter(self, name: str, register: Register) -> None:
        position = self.program.functions[name].parameters.index(register)
        for caller, call in self.calls.get(name, ()):
            self.demand(caller, (call.arguments[position],))


def relevance(program: Program, floats: bool = False) -> Relevance:
    """What the encoding of the program needs; `floats`: it gives them values."""
    search = _Search(program, floats)
    while search.pending:
        search.follow(search.pending.pop())
    registers: dict[str, set[Register]] = {name: set() for name in program.functions}
    results: set[Result] = set()
    for name, item in search.seen:
        if isinstance(item, int):
            results.add((name, item))
        else:
            registers[name].add(item)
    needed = {name: frozenset(found) for name, found in registers.items()}
    return Relevance(needed, frozenset(results), floats)
