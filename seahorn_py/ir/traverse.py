"""What statements and terminators read, write and lead to, and how to replace it.

One `match` per question, so that passes need not know every statement.  `operands` and
`map_operands` agree in order and include the callee of a call through a register; the value of a
`Bind` is an operand, but `uses` leaves it out: a debug record keeps nothing alive.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import replace
from typing import assert_never

from seahorn_py.ir.program import (
    ASTRAY,
    Address,
    Alloca,
    Binary,
    Bind,
    Bits,
    Block,
    Branch,
    Call,
    Cast,
    Compare,
    Fail,
    FloatOp,
    Function,
    Havoc,
    Input,
    Jump,
    Lifetime,
    Load,
    MemoryCopy,
    MemorySet,
    Offset,
    Operand,
    Overflow,
    Phi,
    RegionFill,
    RegionHavoc,
    RegionLoad,
    RegionStore,
    Register,
    Return,
    Select,
    Statement,
    Stop,
    Store,
    Terminator,
    Valid,
)

Renaming = Callable[[Operand], Operand]


def operands(node: Statement | Terminator) -> tuple[Operand, ...]:  # noqa: C901 - a flat match
    """Everything the statement or terminator reads, in order."""
    match node:  # the frequent ones first
        case Binary() | Compare():
            return (node.left, node.right)
        case Cast():
            return (node.value,)
        case Bind():
            return () if node.value is None else (node.value,)
        case Branch():
            return (node.condition,)
        case Jump() | Input() | Stop() | Fail():
            return ()
        case Overflow():
            return (node.left, node.right)
        case Select():
            return (node.condition, node.then, node.otherwise)
        case Bits() | FloatOp():
            return node.arguments
        case Offset():
            return (node.base, *(index for index, _ in node.terms))
        case Alloca():
            return (node.size,)
        case Load() | Lifetime():
            return (node.address,)
        case Store():
            return (node.value, node.address)
        case MemoryCopy():
            return (node.target, node.source, node.length)
        case MemorySet():
            return (node.target, node.byte, node.length)
        case Havoc() | Valid():
            return (node.address, node.size)
        case RegionLoad():
            return (node.region, node.address)
        case RegionStore():
            return (node.region, node.address, node.value)
        case RegionFill():
            return (node.value,)
        case RegionHavoc():
            return (node.region, node.address, node.size)
        case Call():
            through = () if isinstance(node.callee, str) else (node.callee,)
            return (*through, *node.arguments)
        case Return():
            return node.values
        case _:
            assert_never(node)


def uses(node: Statement | Terminator) -> tuple[Register, ...]:
    """The registers whose values matter to a run here."""
    if isinstance(node, Bind):
        return ()
    return tuple([o for o in operands(node) if isinstance(o, Register)])


def mentions(node: Statement | Terminator, registers: Container[Register]) -> bool:
    """The statement or terminator reads one of the registers."""
    for operand in operands(node):  # noqa: SIM110 - the innermost loop of many passes
        if isinstance(operand, Register) and operand in registers:
            return True
    return False


def results(statement: Statement) -> tuple[Register, ...]:
    """The registers the statement assigns."""
    match statement:
        case Binary() | Cast() | Compare():  # the frequent ones first
            return (statement.result,)
        case Bind() | Store() | Lifetime():
            return ()
        case Select() | Bits() | Overflow() | FloatOp() | Offset() | Alloca() | Load() | Input():
            return (statement.result,)
        case RegionLoad() | RegionStore() | RegionFill() | RegionHavoc() | Valid():
            return (statement.result,)
        case Call():
            return statement.results
        case MemoryCopy() | MemorySet() | Havoc():
            return ()
        case _:
            assert_never(statement)


def targets(terminator: Terminator) -> tuple[str, ...]:
    """The labels that may come next, without repetition."""
    match terminator:
        case Jump():
            return (terminator.target,)
        case Branch():
            if terminator.then == terminator.otherwise:
                return (terminator.then,)
            return (terminator.then, terminator.otherwise)
        case Return() | Stop() | Fail():
            return ()
        case _:
            assert_never(terminator)


def definitions(block: Block) -> Iterator[Register]:
    """The registers a block assigns, phis first."""
    for phi in block.phis:
        yield phi.result
    for statement in block.statements:
        yield from results(statement)


def map_operands(statement: Statement, rename: Renaming) -> Statement:  # noqa: C901 - a flat match
    """The statement with `rename` applied to every operand.

    A call through a register whose operand becomes the address of a function becomes a call by
    name, and one of `ASTRAY` if it becomes another constant.
    """
    match statement:
        case Binary() | Compare() | Overflow():
            left, right = rename(statement.left), rename(statement.right)
            return replace(statement, left=left, right=right)
        case Cast():
            return replace(statement, value=rename(statement.value))
        case Select():
            condition = rename(statement.condition)
            then, otherwise = rename(statement.then), rename(statement.otherwise)
            return replace(statement, condition=condition, then=then, otherwise=otherwise)
        case Bits() | FloatOp():
            return replace(statement, arguments=_mapped(statement.arguments, rename))
        case Offset():
            terms = tuple((rename(index), scale) for index, scale in statement.terms)
            return replace(statement, base=rename(statement.base), terms=terms)
        case Alloca():
            return replace(statement, size=rename(statement.size))
        case Load() | Lifetime():
            return replace(statement, address=rename(statement.address))
        case Store():
            value, address = rename(statement.value), rename(statement.address)
            return replace(statement, value=value, address=address)
        case MemoryCopy():
            target, source = rename(statement.target), rename(statement.source)
            length = rename(statement.length)
            return replace(statement, target=target, source=source, length=length)
        case MemorySet():
            target, byte = rename(statement.target), rename(statement.byte)
            return replace(statement, target=target, byte=byte, length=rename(statement.length))
        case Havoc() | Valid():
            address, size = rename(statement.address), rename(statement.size)
            return replace(statement, address=address, size=size)
        case RegionLoad():
            region, address = rename(statement.region), rename(statement.address)
            return replace(statement, region=region, address=address)
        case RegionStore():
            region, address = rename(statement.region), rename(statement.address)
            return replace(statement, region=region, address=address, value=rename(statement.value))
        case RegionFill():
            return replace(statement, value=rename(statement.value))
        case RegionHavoc():
            region, address = rename(statement.region), rename(statement.address)
            return replace(statement, region=region, address=address, size=rename(statement.size))
        case Input():
            return statement
        case Call():
            callee = _callee(statement.callee, rename)
            return replace(statement, callee=callee, arguments=_mapped(statement.arguments, rename))
        case Bind():
            bound = None if statement.value is None else rename(statement.value)
            return replace(statement, value=bound)
        case _:
            assert_never(statement)


def _mapped(values: tuple[Operand, ...], rename: Renaming) -> tuple[Operand, ...]:
    return tuple(rename(value) for value in values)


def _callee(callee: str | Register, rename: Renaming) -> str | Register:
    if isinstance(callee, str):
        return callee
    match rename(callee):
        case Register() as register:
            return register
        case Address(str() as symbol, 0):
            return symbol
        case _:
            return ASTRAY


def map_results(statement: Statement, rename: Callable[[Register], Register]) -> Statement:
    """The statement with `rename` applied to every register it assigns."""
    match statement:
        case Binary() | Compare() | Cast() | Select() | Bits() | Overflow() | FloatOp():
            return replace(statement, result=rename(statement.result))
        case Offset() | Alloca() | Load() | Input() | Valid():
            return replace(statement, result=rename(statement.result))
        case RegionLoad() | RegionStore() | RegionFill() | RegionHavoc():
            return replace(statement, result=rename(statement.result))
        case Call():
            return replace(statement, results=tuple(rename(r) for r in statement.results))
        case Store() | MemoryCopy() | MemorySet() | Havoc() | Lifetime() | Bind():
            return statement
        case _:
            assert_never(statement)


def map_terminator(terminator: Terminator, rename: Renaming) -> Terminator:
    """The terminator with `rename` applied to every operand."""
    match terminator:
        case Branch():
            return replace(terminator, condition=rename(terminator.condition))
        case Return():
            return replace(terminator, values=_mapped(terminator.values, rename))
        case Jump() | Stop() | Fail():
            return terminator
        case _:
            assert_never(terminator)


def map_phi(phi: Phi, rename: Renaming) -> Phi:
    """The phi with `rename` applied to every incoming operand."""
    return replace(phi, incoming=tuple((label, rename(value)) for label, value in phi.incoming))


def relabelled(block: Block, labels: Mapping[str, str]) -> Block:
    """The block with the predecessors in its phis renamed where `labels` names them."""
    phis = tuple(
        replace(phi, incoming=tuple((labels.get(at, at), v) for at, v in phi.incoming))
        for phi in block.phis
    )
    return replace(block, phis=phis) if phis else block


def retarget(terminator: Terminator, labels: Mapping[str, str]) -> Terminator:
    """The terminator with its targets renamed where `labels` names them."""
    match terminator:
        case Jump():
            return replace(terminator, target=labels.get(terminator.target, terminator.target))
        case Branch():
            then = labels.get(terminator.then, terminator.then)
            otherwise = labels.get(terminator.otherwise, terminator.otherwise)
            return replace(terminator, then=then, otherwise=otherwise)
        case Return() | Stop() | Fail():
            return terminator
        case _:
            assert_never(terminator)


def map_block(block: Block, rename: Renaming) -> Block:
    """The block with `rename` applied to every operand in it."""
    return replace(
        block,
        phis=tuple(map_phi(phi, rename) for phi in block.phis),
        statements=tuple(map_operands(statement, rename) for statement in block.statements),
        terminator=map_terminator(block.terminator, rename),
    )


def substitute(function: Function, values: Mapping[Register, Operand]) -> Function:
    """The function with registers replaced by values (one step: values are not looked up again)."""

    def rename(operand: Operand) -> Operand:
        return values.get(operand, operand) if isinstance(operand, Register) else operand

    return replace(function, blocks=tuple(map_block(block, rename) for block in function.blocks))
