"""One pass of the range analysis over one function, along its dominator tree.

The walk visits a block after its dominator and keeps the facts of the branches that dominate the
current block in scope, so that looking a register up takes constant time.
"""

from __future__ import annotations

from collections.abc import Container
from typing import Protocol

from seahorn_py.ir.graph import (
    blocks_by_label,
    dominator_tree,
    immediate_dominators,
    loop_heads,
    predecessors,
)
from seahorn_py.ir.program import (
    Binary,
    Bits,
    Block,
    Branch,
    Call,
    Cast,
    Compare,
    Function,
    IntConst,
    Operand,
    Register,
    Return,
    Select,
    Statement,
)
from seahorn_py.ir.traverse import operands, results, targets
from seahorn_py.ir.types import IntType
from seahorn_py.passes.ranges import intervals
from seahorn_py.passes.ranges.conditions import learn
from seahorn_py.passes.ranges.intervals import BIT, Range, exactly, full, join, meet, widen

PATIENCE = 2
HASTE = 8


class Calls(Protocol):
    """What flows in and out of a function."""

    def parameters(self, name: str) -> tuple[Range | None, ...]:
        """The ranges of the parameters."""

    def results(self, name: str, count: int) -> tuple[Range | None, ...]:
        """The ranges of what a function returns."""

    def called(
        self, callee: str, site: tuple[str, str, int], arguments: tuple[Range | None, ...]
    ) -> None:
        """A call passes these arguments."""

    def returned(self, name: str, label: str, values: tuple[Range | None, ...]) -> None:
        """The function returns these values."""


Row = tuple[Range | None, ...]


class Walk:
    """The state of the analysis of one function: what is known, and what each edge carries."""

    def __init__(self, function: Function, defined: Container[str], calls: Calls) -> None:
        self.known: dict[Register, Range] = {}
        self.facts: dict[str, dict[Register, Range]] = {}
        self.above = immediate_dominators(function)
        self._function = function
        self._defined = defined
        self._calls = calls
        self._blocks = blocks_by_label(function)
        self._tree = dominator_tree(function)
        self._before = predecessors(function)
        self._heads = frozenset(loop_heads(function))
        self._definitions = {
            result: statement
            for block in function.blocks
            for statement in block.statements
            for result in results(statement)
        }
        self._thresholds = _thresholds(function)
        self._incoming = _incoming(function)
        self._edges: dict[tuple[str, str], Row] = {}
        self._edge_facts: dict[tuple[str, str], dict[Register, Range]] = {}
        self._scope: dict[Register, Range] = {}
        self._growth: dict[Register, int] = {}
        self._computed: dict[Register, tuple[Row, Range]] = {}
        self._growing = True
        self._changed = False

    def run(self, growing: bool) -> bool:
        """Visit all blocks once; True if anything changed."""
        self._growing, self._changed = growing, False
        given = self._calls.parameters(self._function.name)
        for parameter, value in zip(self._function.parameters, given, strict=False):
            self._assign(parameter, value, widening=True)
        self._scope = {}
        scopes: list[tuple[str, dict[Register, Range | None]]] = []
        for label in self._tree.preorder:
            while scopes and not self._tree.dominates(scopes[-1][0], label):
                self._leave(scopes.pop()[1])
            scopes.append((label, self._enter(label)))
            if self._is_reached(label):
                self._block(self._blocks[label])
            else:
                self._unreached(self._blocks[label])
        return self._changed

    def _enter(self, label: str) -> dict[Register, Range | None]:
        """Put what the only edge into a block tells into scope; gives what it hides."""
        before = self._before[label]
        facts = self._edge_facts.get((before[0], label), {}) if len(before) == 1 else {}
        self.facts[label] = facts
        hidden: dict[Register, Range | None] = {r: self._scope.get(r) for r in facts}
        self._scope.update(facts)
        return hidden

    def _leave(self, hidden: dict[Register, Range | None]) -> None:
        for register, value in hidden.items():
            if value is None:
                del self._scope[register]
            else:
                self._scope[register] = value

    def _is_reached(self, label: str) -> bool:
        if label == self._function.entry.label:
            return True
        return any((p, label) in self._edges for p in self._before[label])

    def _unreached(self, block: Block) -> None:
        for target in targets(block.terminator):
            self._edges.pop((block.label, target), None)

    def look_up(self, operand: Operand) -> Range | None:
        """The range of an integer operand here; None if no value has reached it yet."""
        match operand:
            case IntConst(value=value, type=type_):
                return exactly(type_.width, value)
            case Register(type=IntType()):
                return self._scope.get(operand) or self.known.get(operand)
            case _:
                return BIT

    def _block(self, block: Block) -> None:
        rows = [
            row for p in self._before[block.label] if (row := self._edges.get((p, block.label)))
        ]
        for k, phi in enumerate(block.phis):
            value: Range | None = None
            for row in rows:
                value = join(value, row[k])
            self._assign(phi.result, value, widening=block.label in self._heads)
        for index, statement in enumerate(block.statements):
            if isinstance(statement, Call):
                self._call(statement, (self._function.name, block.label, index))
            else:
                for result in results(statement):
                    self._assign(result, self._result(statement, result))
        self._leave_block(block)

    def _assign(self, register: Register, value: Range | None, widening: bool = False) -> None:
        if value is None or not isinstance(register.type, IntType):
            return
        old = self.known.get(register)
        if not self._growing:
            self.known[register] = value if old is None else meet(old, value) or old
            return
        new = join(old, value)
        if new is None or new == old:
            return
        if widening and old is not None:
            new = self._widened(register, old, new)
        self.known[register] = new
        self._changed = True

    def _widened(self, register: Register, old: Range, new: Range) -> Range:
        growth = self._growth[register] = self._growth.get(register, 0) + 1
        if growth <= PATIENCE:
            return new
        return widen(old, new, self._thresholds if growth <= HASTE else ())

    def _call(self, call: Call, site: tuple[str, str, int]) -> None:
        if isinstance(call.callee, str) and call.callee in self._defined:
            self._calls.called(call.callee, site, tuple(map(self.look_up, call.arguments)))
            given = self._calls.results(call.callee, len(call.results))
            for result, value in zip(call.results, given, strict=True):
                self._assign(result, value, widening=True)
        else:
            for result in call.results:
                if isinstance(result.type, IntType):
                    self._assign(result, full(result.type.width))

    def _result(self, statement: Statement, result: Register) -> Range | None:
        """The range of a result; computed anew only if an operand's has changed."""
        if not isinstance(result.type, IntType):
            return None
        given = self._given(statement)
        if None in given:
            return None
        computed = self._computed.get(result)
        if computed is None or computed[0] != given:
            known = [value for value in given if value is not None]
            computed = self._computed[result] = (given, _value(statement, result.type.width, known))
        return computed[1]

    def _given(self, statement: Statement) -> Row:
        """The ranges of the operands; of what a choice compares, those where it is chosen."""
        if not isinstance(statement, Select):
            return tuple(map(self.look_up, operands(statement)))
        condition = self.look_up(statement.condition)
        then = self._chosen(statement.condition, True, statement.then)
        otherwise = self._chosen(statement.condition, False, statement.otherwise)
        return condition, then, otherwise

    def _chosen(self, condition: Operand, truth: bool, arm: Operand) -> Range | None:
        made = self._definitions.get(condition) if isinstance(condition, Register) else None
        if isinstance(arm, Register) and isinstance(made, Compare) and arm in operands(made):
            facts = learn(condition, truth, self.look_up, self._definitions) or {}
            return facts.get(arm) or self.look_up(arm)
        return self.look_up(arm)

    def _leave_block(self, block: Block) -> None:
        terminator = block.terminator
        if isinstance(terminator, Return):
            values = tuple(map(self.look_up, terminator.values))
            self._calls.returned(self._function.name, block.label, values)
        for target in targets(terminator):
            facts: dict[Register, Range] | None = {}
            if isinstance(terminator, Branch) and terminator.then != terminator.otherwise:
                truth = target == terminator.then
                facts = learn(terminator.condition, truth, self.look_up, self._definitions)
            self._edge((block.label, target), facts)

    def _edge(self, edge: tuple[str, str], facts: dict[Register, Range] | None) -> None:
        """Record what an edge carries to the phis of its target; None: it cannot be taken."""
        if facts is None:
            self._changed |= self._edges.pop(edge, None) is not None
            return
        row = tuple(
            (facts.get(value) if isinstance(value, Register) else None) or self.look_up(value)
            for value in self._incoming.get(edge, ())
        )
        if self._edges.get(edge) != row or edge not in self._edges:
            self._edges[edge] = row
            self._changed = True
        if self._edge_facts.get(edge) != facts:
            self._edge_facts[edge] = facts
            self._changed = True


def _value(statement: Statement, width: int, given: list[Range]) -> Range:
    """The range of the result of an operation on integers; of anything else, everything."""
    match statement:
        case Binary(op=op):
            return intervals.binary(op, given[0], given[1])
        case Compare(predicate=predicate, left=left) if isinstance(left.type, IntType):
            answer = intervals.decide(predicate, given[0], given[1])
            return BIT if answer is None else exactly(1, int(answer))
        case Cast(op=op, value=value) if isinstance(value.type, IntType):
            return intervals.cast(op, given[0], width)
        case Select():
            if given[0].value is not None:
                return given[1] if given[0].value else given[2]
            return join(given[1], given[2]) or full(width)
        case Bits(op=op):
            return intervals.bits(op, given)
        case _:
            return full(width)


def _incoming(function: Function) -> dict[tuple[str, str], list[Operand]]:
    """What the phis of an edge's target read along it."""
    found: dict[tuple[str, str], list[Operand]] = {}
    for block in function.blocks:
        for phi in block.phis:
            for source, value in phi.incoming:
                found.setdefault((source, block.label), []).append(value)
    return found


def _thresholds(function: Function) -> tuple[int, ...]:
    """The constants that the function compares with, in both views, and their neighbours."""
    found = {0}
    for block in function.blocks:
        for statement in block.statements:
            if isinstance(statement, Compare):
                for side in (statement.left, statement.right):
                    if isinstance(side, IntConst):
                        range_ = exactly(side.type.width, side.value)
                        for number in (range_.unsigned[0], range_.signed[0]):
                            found |= {number - 1, number, number + 1}
    return tuple(sorted(found))
