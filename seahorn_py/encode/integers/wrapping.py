"""Which operations may simply be taken not to wrap until a query says otherwise.

Plain arithmetic with an obligation is the default.  Cases are written out for the operations that
the options name, and for operations of a constant and a value that nothing bounds: no range is
known for it, and no branch that dominates the operation mentions it.  Two kinds of values count.
One is an input as it was read; to compare it with constants for equality does not bound it.  The
other is a variable that a loop steps.  No branch that leads back to the head of the loop may
mention it, and no branch that dominates the step may mention another computed variable of the loop:
two counters that step together are bounded together, by a relation that is lost when one of them is
split.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from seahorn_py.base.errors import Origin
from seahorn_py.encode.encoding import EncodeOptions, Wrapping
from seahorn_py.encode.integers.guarded import guarded
from seahorn_py.encode.integers.intvalue import representation
from seahorn_py.encode.machine import Mode, Shape
from seahorn_py.encode.signedness import Value
from seahorn_py.horn.system import OperationId
from seahorn_py.ir.graph import dominator_tree, predecessors
from seahorn_py.ir.program import (
    Binary,
    BinaryOp,
    Branch,
    Cast,
    Compare,
    Function,
    Input,
    IntConst,
    Operand,
    Phi,
    Predicate,
    Register,
    Select,
    Statement,
)
from seahorn_py.ir.types import BOOL

Definitions = Mapping[Register, Statement | Phi]
Mentions = Mapping[Register, Sequence[str]]

_SIGN = {
    BinaryOp.ADD: "+",
    BinaryOp.SUB: "-",
    BinaryOp.MUL: "*",
    BinaryOp.SHL: "<<",
}


def operation_id(function: str, statement: Binary, left: str, right: str) -> OperationId:
    """The operation as the user sees it; `left` and `right` are the texts of its operands."""
    text = f"{left} {_SIGN.get(statement.op, statement.op.value)} {right}"
    return OperationId(function, statement.result.name, text, statement.origin)


class WrapPolicy:
    """Decides how the operations of one function wrap."""

    def __init__(
        self, function: Function, options: EncodeOptions, wrapping: frozenset[Value]
    ) -> None:
        """Nothing is assumed of the sums that are `wrapping`."""
        self._options = options
        self._wrapping = wrapping
        self._guarded = guarded(function)
        self._definitions = _definitions(function)
        self._tree = dominator_tree(function)
        self._before = predecessors(function)
        self._heads = {phi.result: b.label for b in function.blocks for phi in b.phis}
        self._phis = {b.label: tuple(phi.result for phi in b.phis) for b in function.blocks}
        self._mentions = self._mentioned(function, equality=True)
        self._ordered = self._mentioned(function, equality=False)
        self._split = {(o.function, o.register) for o in options.split}
        self._name = function.name
        self._modes: dict[str, Mode] = {}

    def mode(self, label: str, statement: Binary, shape: Shape, operand: Shape | None) -> Mode:
        """The mode of a wrapping operation in block `label`; `operand` is the left one's shape."""
        name = statement.result.name
        if name not in self._modes:
            self._modes[name] = self._decide(label, statement, shape, operand)
        return self._modes[name]

    def _decide(self, label: str, statement: Binary, shape: Shape, operand: Shape | None) -> Mode:
        if self._guarded.get(statement.result) is shape.signed:
            return Mode.GUARDED
        is_sure = (self._name, statement.result.name) not in self._wrapping
        if self._options.wrapping is Wrapping.ASSUME and shape.signed and is_sure:
            return Mode.ASSUMED
        named = (self._name, statement.result.name) in self._split
        if named or self._options.split_all or self._is_unbounded(label, statement, operand):
            return Mode.SPLIT
        return Mode.OBLIGATION

    def _is_unbounded(self, label: str, statement: Binary, shape: Shape | None) -> bool:
        operand = statement.left
        if not isinstance(statement.right, IntConst) or not isinstance(operand, Register):
            return False
        if shape is None or shape.bounds != representation(shape.width, shape.signed):
            return False
        same, made = self._origins(operand)
        if all(isinstance(maker, Input) for maker in made):
            return not any(self._bounded(label, r, self._ordered) for r in same)
        return statement.op in (BinaryOp.ADD, BinaryOp.SUB) and not (
            any(self._bounded(label, r, self._mentions) for r in self._stepping_with(operand))
            or self._leads_back(operand, statement.result)
        )

    def _origins(self, operand: Operand) -> tuple[Collection[Register], Sequence[Statement | None]]:
        """The registers through which a value comes as it is, and what made it, but constants."""
        seen: dict[Register, None] = {}
        made: list[Statement | None] = []
        pending = [operand]
        while pending:
            register = pending.pop()
            if not isinstance(register, Register) or register in seen:
                continue
            seen[register] = None
            match self._definitions.get(register):
                case Phi(incoming=incoming):
                    pending += (value for _, value in incoming)
                case Select(then=then, otherwise=otherwise):
                    pending += (then, otherwise)
                case statement:
                    made.append(statement)
        return seen, made

    def _bounded(self, label: str, register: Register, mentions: Mentions) -> bool:
        """A branch that dominates the block mentions the register."""
        dominating = mentions.get(register, ())
        return any(at != label and self._tree.dominates(at, label) for at in dominating)

    def _leads_back(self, operand: Register, result: Register) -> bool:
        """A branch back to the head of the operand's loop mentions what steps."""
        head = self._heads.get(operand)
        back = self._before.get(head, ()) if head is not None else ()
        around = (*self._mentions.get(operand, ()), *self._mentions.get(result, ()))
        return any(at in back for at in around)

    def _stepping_with(self, operand: Register) -> tuple[Register, ...]:
        """The operand and, as a bound of one counter bounds the others, those of its loop."""
        head = self._heads.get(operand)
        others = () if head is None else self._phis[head]
        return (operand, *(phi for phi in others if self._is_computed(phi)))

    def _is_computed(self, phi: Register) -> bool:
        """The variable is not only set to constants and inputs."""
        return not all(isinstance(statement, Input) for statement in self._origins(phi)[1])

    def _mentioned(self, function: Function, equality: bool) -> Mentions:
        """Register -> the blocks that end in a branch on it.

        Without `equality` comparisons with constants for equality do not count.
        """
        found: dict[Register, list[str]] = {}
        for block in function.blocks:
            if isinstance(block.terminator, Branch):
                for register in self._behind(block.terminator.condition, equality):
                    found.setdefault(register, []).append(block.label)
        return found

    def _behind(self, condition: Operand, equality: bool) -> Iterable[Register]:
        """The registers that a condition compares, seen through casts and constant steps."""
        seen: dict[Register, None] = {}
        pending: list[Operand] = [condition]
        while pending:
            operand = pending.pop()
            if isinstance(operand, Register) and operand not in seen:
                seen[operand] = None
                definition = self._definitions.get(operand)
                if equality or not _is_equality(definition):
                    pending.extend(_compared(definition))
        return seen


def _definitions(function: Function) -> Definitions:
    found: dict[Register, Statement | Phi] = {}
    for block in function.blocks:
        found.update((phi.result, phi) for phi in block.phis)
        for statement in block.statements:
            if isinstance(statement, Binary | Cast | Compare | Input | Select):
                found[statement.result] = statement
    return found


def _is_equality(definition: Statement | Phi | None) -> bool:
    """A comparison with a constant for equality."""
    if not isinstance(definition, Compare) or not isinstance(definition.right, IntConst):
        return False
    return definition.predicate in (Predicate.EQ, Predicate.NE)


def _compared(definition: Statement | Phi | None) -> tuple[Operand, ...]:
    match definition:
        case Compare():
            return (definition.left, definition.right)
        case Cast():
            return (definition.value,)
        case Select() if definition.result.type == BOOL:
            return (definition.condition, definition.then, definition.otherwise)
        case Binary() if definition.result.type == BOOL or isinstance(definition.right, IntConst):
            return (definition.left, definition.right)
        case _:
            return ()


def assumed_text(statement: Binary) -> str:
    """The ledger's words for an operation that is assumed not to wrap."""
    return f"signed {statement.op.value} does not overflow"


def where(origin: Origin) -> Origin:
    """The place itself, without the calls it was inlined through."""
    return Origin(origin.chain[:1])
