"""What a branch tells about registers: the values they can have where a condition holds.

`learn(condition, truth, look_up, definitions)` follows conjunctions, disjunctions and negations to
comparisons, refines their sides, and goes from a side back through extensions and additions of
constants to the register they were made from.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from seahorn_py.ir.program import (
    FALSE,
    TRUE,
    Binary,
    BinaryOp,
    Cast,
    CastOp,
    Compare,
    IntConst,
    Operand,
    Predicate,
    Register,
    Select,
    Statement,
)
from seahorn_py.ir.types import BOOL, IntType
from seahorn_py.passes.ranges.intervals import (
    Range,
    assume,
    exactly,
    meet,
    moved,
    reduced,
)

Definitions = Mapping[Register, Statement]
LookUp = Callable[[Operand], Range | None]
MAX_FACTS = 64


class _Contradiction(Exception):
    """No values satisfy the condition."""


def learn(
    condition: Operand, truth: bool, look_up: LookUp, definitions: Definitions
) -> dict[Register, Range] | None:
    """The registers whose ranges are smaller where the condition is `truth`, with those ranges.

    None if the condition cannot be `truth`.
    """
    lesson = _Lesson(look_up, definitions)
    try:
        lesson.condition(condition, truth)
    except _Contradiction:
        return None
    return lesson.facts


class _Lesson:
    """Collects facts; later comparisons profit from earlier ones."""

    def __init__(self, look_up: LookUp, definitions: Definitions) -> None:
        self.facts: dict[Register, Range] = {}
        self._look_up = look_up
        self._definitions = definitions

    def condition(self, condition: Operand, truth: bool) -> None:
        """Learn from a condition and from what it is made of."""
        pending = [(condition, truth)]
        budget = MAX_FACTS
        while pending and budget:
            operand, value = pending.pop()
            budget -= 1
            self._narrow(operand, exactly(1, int(value)))
            made = self._definitions.get(operand) if isinstance(operand, Register) else None
            if isinstance(made, Compare):
                self._compare(made.predicate if value else made.predicate.negated, made)
            elif isinstance(made, Binary | Select):
                pending.extend(_implied(made, value))

    def _compare(self, predicate: Predicate, statement: Compare) -> None:
        if not isinstance(statement.left.type, IntType):
            return
        left, right = self._known(statement.left), self._known(statement.right)
        if left is None or right is None:
            raise _Contradiction
        sides = assume(predicate, left, right)
        if sides is None:
            raise _Contradiction
        self._narrow(statement.left, sides[0])
        self._narrow(statement.right, sides[1])

    def _known(self, operand: Operand) -> Range | None:
        if isinstance(operand, Register) and operand in self.facts:
            return self.facts[operand]
        return self._look_up(operand)

    def _narrow(self, operand: Operand, to: Range) -> None:
        """The operand lies in `to`, and so do the registers it was made from, accordingly."""
        while True:
            before = self._known(operand)
            now = None if before is None else meet(before, to)
            if now is None:
                raise _Contradiction
            if not isinstance(operand, Register) or now == before:
                return
            self.facts[operand] = now
            source = _source(self._definitions.get(operand), now)
            if source is None:
                return
            operand, to = source


def _implied(made: Binary | Select, value: bool) -> list[tuple[Operand, bool]]:
    """What must hold for a Boolean combination to have the value."""
    match made:
        case Binary(op=BinaryOp.AND, left=a, right=b) if value and a.type == BOOL:
            return [(a, True), (b, True)]
        case Binary(op=BinaryOp.OR, left=a, right=b) if not value and a.type == BOOL:
            return [(a, False), (b, False)]
        case Binary(op=BinaryOp.XOR, left=a, right=b) if b == TRUE:
            return [(a, not value)]
        case Select(condition=c, then=a, otherwise=b) if b == FALSE and value:
            return [(c, True), (a, True)]
        case Select(condition=c, then=a, otherwise=b) if a == TRUE and not value:
            return [(c, False), (b, False)]
        case _:
            return []


def _source(made: Statement | None, result: Range) -> tuple[Operand, Range] | None:
    """The operand of an extension or of the addition of a constant, from the result's range."""
    match made:
        case Cast(op=CastOp.ZEXT | CastOp.SEXT as op, value=value):
            if not isinstance(value.type, IntType):
                return None
            narrow = _unextended(op, value.type.width, result)
            return None if narrow is None else (value, narrow)
        case Binary(op=BinaryOp.ADD, left=left, right=IntConst(value=number)):
            return left, moved(result, -number)
        case Binary(op=BinaryOp.SUB, left=left, right=IntConst(value=number)):
            return left, moved(result, number)
        case _:
            return None


def _unextended(op: CastOp, width: int, result: Range) -> Range | None:
    bounds = result.unsigned if op is CastOp.ZEXT else result.signed
    half, size = 1 << width - 1, 1 << width
    if op is CastOp.ZEXT:
        return reduced(width, (max(bounds[0], 0), min(bounds[1], size - 1)), (-half, half - 1))
    return reduced(width, (0, size - 1), (max(bounds[0], -half), min(bounds[1], half - 1)))
