"""Cheap local simplification: constants, copies, trivial phis, dead code, straight-line blocks.

Each function is rewritten in rounds until a round changes nothing, at most `MAX_ROUNDS`.  A round
visits the blocks in reverse postorder, so that values are known before their uses except around
loops.  A phi whose operands are one value (besides itself) is that value (M. Braun et al.: "Simple
and efficient construction of static single assignment form", CC 2013, section 2.2).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import TypeGuard

from seahorn_py.ir.graph import reverse_postorder
from seahorn_py.ir.program import (
    Address,
    Binary,
    Bind,
    Block,
    Branch,
    Cast,
    Compare,
    Function,
    IntConst,
    Jump,
    Load,
    Offset,
    Operand,
    Phi,
    Predicate,
    Program,
    RegionLoad,
    RegionStore,
    Register,
    Select,
    Statement,
    Stop,
    StopKind,
    Store,
    Terminator,
)
from seahorn_py.ir.traverse import map_operands, map_terminator, mentions, results
from seahorn_py.ir.types import BOOL
from seahorn_py.passes.meeting import meeting
from seahorn_py.passes.simplify.blocks import drop_unreachable, merge_lines, skip_empty, substituted
from seahorn_py.passes.simplify.constants_through import constants
from seahorn_py.passes.simplify.deadcode import drop_dead_code
from seahorn_py.passes.simplify.folding import Folded, fold

MAX_ROUNDS = 8
_FOLDED = (Binary, Compare, Cast, Select, Offset, RegionLoad, RegionStore)
NULL_PAGE = 4096
"""Bytes at null that no object overlaps."""


def simplify(program: Program, before: Program | None = None) -> Program:
    """Simplify every function; runs end as before, or later where a dead load was invalid.

    Those that are as they were in `before` are simple already.
    """
    simple = before.functions if before is not None else {}
    objects = program.globals.keys() - meeting(program)
    functions = {
        name: f if simple.get(name) == f else simplify_function(f, objects)
        for name, f in program.functions.items()
    }
    return replace(program, functions=functions)


def simplify_function(function: Function, objects: Collection[str] = ()) -> Function:
    """Simplify one function; no two of the `objects` begin at one address."""
    function, is_clean = _with_constants(drop_unreachable(function), objects), False
    for _ in range(MAX_ROUNDS):
        folded = drop_unreachable(_Folding(function, objects).run())
        nothing_folded = folded == function
        if nothing_folded and is_clean:
            break
        swept = drop_dead_code(folded)
        function = merge_lines(skip_empty(swept))
        # that code is dead makes no value known: only another shape asks for another round
        is_clean = len(function.blocks) == len(swept.blocks)
        if nothing_folded and is_clean:
            break
    return function


def _with_constants(function: Function, objects: Collection[str]) -> Function:
    """The function with the constants that hold around its loops as well."""
    if not any(block.phis for block in function.blocks):
        return function

    def worth(statement: Statement) -> Folded:
        folded = fold(statement, {})
        if isinstance(statement, Compare) and folded is None:
            return apart(statement, objects)
        return folded

    return substituted(function, constants(function, worth))


class _Folding:
    """One round over one function; `_values` maps registers to what they are known to be."""

    def __init__(self, function: Function, objects: Collection[str]) -> None:
        self._function = function
        self._objects = objects
        self._values: dict[Register, Operand] = {}
        self._definitions: dict[Register, Statement] = {}

    def run(self) -> Function:
        blocks = {block.label: block for block in self._function.blocks}
        for label in reverse_postorder(self._function):
            blocks[label] = self._block(blocks[label])
        # values of phis around loops were not yet known at their first uses
        values = {register: self._lookup(register) for register in self._values}
        return substituted(replace(self._function, blocks=tuple(blocks.values())), values)

    def _lookup(self, operand: Operand) -> Operand:
        while isinstance(operand, Register) and operand in self._values:
            operand = self._values[operand]
        return operand

    def _block(self, block: Block) -> Block:
        phis = tuple(phi for phi in block.phis if not self._is_trivial(phi))
        statements: list[Statement] = []
        for statement in block.statements:
            kept = self._statement(statement)
            if kept is None:
                continue
            if _is_null_access(kept):
                end = Stop(StopKind.END, kept.origin)
                return Block(block.label, phis, tuple(statements), end)
            statements.append(kept)
        terminator = self._terminator(block.terminator)
        return Block(block.label, phis, tuple(statements), terminator)

    def _is_trivial(self, phi: Phi) -> bool:
        values = {self._lookup(value) for _, value in phi.incoming} - {phi.result}
        if len(values) != 1:
            return False
        self._values[phi.result] = values.pop()
        return True

    def _mentions_known(self, node: Statement | Terminator) -> bool:
        return mentions(node, self._values)

    def _statement(self, statement: Statement) -> Statement | None:
        """The statement with known operands, folded; None if it is only another name."""
        if self._mentions_known(statement):
            statement = map_operands(statement, self._lookup)
        if isinstance(statement, Bind):
            return statement
        folded: Folded = fold(statement, self._definitions)
        if isinstance(statement, Compare) and folded is None:
            folded = apart(statement, self._objects)
        while isinstance(folded, _FOLDED):
            statement, folded = folded, fold(folded, self._definitions)
        made = results(statement)
        if folded is not None:
            self._values[made[0]] = folded
            return None
        for result in made:
            self._definitions[result] = statement
        return statement

    def _terminator(self, terminator: Terminator) -> Terminator:
        if self._mentions_known(terminator):
            terminator = map_terminator(terminator, self._lookup)
        match terminator:
            case Branch(condition=IntConst(value=value), then=then, otherwise=otherwise):
                return Jump(then if value else otherwise, terminator.origin)
            case Branch(then=then, otherwise=otherwise) if then == otherwise:
                return Jump(then, terminator.origin)
            case _:
                return terminator


def apart(statement: Compare, objects: Collection[str]) -> Operand | None:
    """Whether the beginnings of two different objects are equal, as far as these are known."""
    match statement.left, statement.right:
        case Address(symbol=str() as one, offset=0), Address(symbol=str() as other, offset=0):
            is_known = one != other and one in objects and other in objects
            if is_known and statement.predicate in (Predicate.EQ, Predicate.NE):
                return IntConst(int(statement.predicate is Predicate.NE), BOOL)
    return None


def _is_null_access(statement: Statement) -> TypeGuard[Load | Store]:
    """A load or store on the page at null, where the run ends."""
    match statement:
        case Load(address=Address(symbol=None, offset=offset)):
            return 0 <= offset < NULL_PAGE
        case Store(address=Address(symbol=None, offset=offset)):
            return 0 <= offset < NULL_PAGE
        case _:
            return False
