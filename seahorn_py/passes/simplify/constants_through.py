"""Registers that hold one constant, also around loops, since branches on constants go one way.

M. Wegman and K. Zadeck, "Constant propagation with conditional branches", TOPLAS 1991: a register
is taken for constant, and a block for dead, until something is seen that says otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from seahorn_py.ir.program import (
    Address,
    Block,
    Branch,
    Function,
    IntConst,
    Operand,
    Phi,
    Register,
    Statement,
)
from seahorn_py.ir.traverse import map_operands, operands, results, targets

Evaluate = Callable[[Statement], object]
"""What a statement whose operands are known is worth; an operand if it is that."""

_Constant = IntConst | Address


def constants(function: Function, evaluate: Evaluate) -> Mapping[Register, Operand]:
    """The registers that hold one constant whenever they are computed."""
    return _Propagation(function, evaluate).run()


class _Propagation:
    """The state of the two work lists; a register without value has not been computed yet."""

    def __init__(self, function: Function, evaluate: Evaluate) -> None:
        self._blocks = {block.label: block for block in function.blocks}
        self._entry = function.blocks[0].label
        self._evaluate = evaluate
        self._values: dict[Register, _Constant | None] = {}
        for register in function.parameters:
            self._values[register] = None
        self._edges: set[tuple[str, str]] = set()
        self._seen: set[str] = set()
        self._uses: dict[Register, list[tuple[str, Phi | Statement | None]]] = {}
        for block in function.blocks:
            self._note_uses(block)

    def _note_uses(self, block: Block) -> None:
        for phi in block.phis:
            self._note(block, phi, (operand for _, operand in phi.incoming))
        for statement in block.statements:
            self._note(block, statement, operands(statement))
        self._note(block, None, operands(block.terminator))

    def _note(self, block: Block, user: Phi | Statement | None, used: Iterable[Operand]) -> None:
        for operand in used:
            if isinstance(operand, Register):
                self._uses.setdefault(operand, []).append((block.label, user))

    def run(self) -> Mapping[Register, Operand]:
        flow: list[tuple[str, str]] = [("", self._entry)]
        changed: list[Register] = []
        while flow or changed:
            if flow:
                self._enter(*flow.pop(), flow, changed)
            else:
                for label, user in self._uses.get(changed.pop(), ()):
                    if label in self._seen:
                        self._visit(self._blocks[label], user, flow, changed)
        return {register: value for register, value in self._values.items() if value is not None}

    def _enter(
        self, source: str, label: str, flow: list[tuple[str, str]], changed: list[Register]
    ) -> None:
        """An edge can be taken: what meets at its end changes, and a new block is computed."""
        if (source, label) in self._edges:
            return
        self._edges.add((source, label))
        block = self._blocks[label]
        for phi in block.phis:
            self._visit(block, phi, flow, changed)
        if label not in self._seen:
            self._seen.add(label)
            for statement in block.statements:
                self._visit(block, statement, flow, changed)
            self._visit(block, None, flow, changed)

    def _visit(
        self,
        block: Block,
        user: Phi | Statement | None,
        flow: list[tuple[str, str]],
        changed: list[Register],
    ) -> None:
        """Compute a phi, a statement or, for None, where a block goes on."""
        if user is None:
            flow.extend((block.label, target) for target in self._targets(block))
        elif isinstance(user, Phi):
            self._settle(user.result, self._met(block, user), changed)
        else:
            value = self._computed(user)
            for result in results(user):
                self._settle(result, value, changed)

    def _targets(self, block: Block) -> tuple[str, ...]:
        match block.terminator:
            case Branch(condition=condition, then=then, otherwise=otherwise):
                known = self._known(condition)
                if known is _UNKNOWN:
                    return ()
                if isinstance(known, IntConst):
                    return (then if known.value else otherwise,)
        return targets(block.terminator)

    def _met(self, block: Block, phi: Phi) -> object:
        """The one value that comes in over the edges that can be taken; None for several."""
        met: object = _UNKNOWN
        for source, operand in phi.incoming:
            if (source, block.label) in self._edges:
                value = self._known(operand)
                if value is not _UNKNOWN and met is _UNKNOWN:
                    met = value
                elif value is not _UNKNOWN and value != met:
                    return None
        return met

    def _computed(self, statement: Statement) -> object:
        known = [self._known(operand) for operand in operands(statement)]
        if any(value is _UNKNOWN for value in known):
            return _UNKNOWN
        value = self._evaluate(map_operands(statement, self._replaced))
        return value if isinstance(value, _Constant) else None

    def _replaced(self, operand: Operand) -> Operand:
        value = self._values.get(operand) if isinstance(operand, Register) else None
        return operand if value is None else value

    def _known(self, operand: Operand) -> object:
        """The constant, None for what varies, or `_UNKNOWN`."""
        if isinstance(operand, Register):
            return self._values.get(operand, _UNKNOWN)
        return operand if isinstance(operand, _Constant) else None

    def _settle(self, result: Register, value: object, changed: list[Register]) -> None:
        """A register has a value for the first time, or varies after all."""
        if value is _UNKNOWN or (result in self._values and self._values[result] is None):
            return
        before = self._values.get(result, _UNKNOWN)
        if value != before:
            constant = value if isinstance(value, _Constant) else None
            self._values[result] = constant if before is _UNKNOWN else None
            changed.append(result)


_UNKNOWN = object()
