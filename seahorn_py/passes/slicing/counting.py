"""Loops that count to a bound and do nothing else go: the bound is reached, and nothing is left.

Slicing leaves them where a loop filled memory that no check reads, as shadow memory of bytes.  Each
is a cut with an invariant about all that lives there.  A loop goes only if it ends in every run, so
runs without end stay, and so does termination.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from dataclasses import replace

from seahorn_py.ir.graph import blocks_by_label, loop_heads, predecessors
from seahorn_py.ir.program import (
    Binary,
    BinaryOp,
    Bind,
    Block,
    Branch,
    Cast,
    CastOp,
    Compare,
    Function,
    IntConst,
    Jump,
    Operand,
    Phi,
    Predicate,
    Program,
    Register,
    Select,
    Statement,
)
from seahorn_py.ir.traverse import definitions, results, targets, uses
from seahorn_py.ir.types import IntType
from seahorn_py.passes.simplify.blocks import drop_unreachable
from seahorn_py.passes.simplify.deadcode import has_effect

Made = Mapping[Register, Phi | Statement]

_DEPTH = 6
_PURE = (Binary, Bind, Cast, Compare, Select)
_STAYS = frozenset({Predicate.ULT, Predicate.SLT, Predicate.NE})
"""Comparisons of a counter with a bound that by steps of one fail some time, wherever it begins."""


def drop_counting(program: Program) -> Program:
    """The program without such loops; the same program if it has none."""
    functions = {name: _dropped(function) for name, function in program.functions.items()}
    if all(functions[name] is function for name, function in program.functions.items()):
        return program
    return replace(program, functions=functions)


def _dropped(function: Function) -> Function:
    heads = loop_heads(function)
    if not heads:
        return function
    blocks, before = blocks_by_label(function), predecessors(function)
    made = dict(_made(function))
    exits = {}
    for head in heads:
        found = _loop(blocks, before, head)
        if found is None:
            continue
        body, out = found
        if _counts(blocks[head], body, made) and _leaves_nothing(function, blocks[head], body):
            exits[head] = out
    if not exits:
        return function
    left = (_passed(b, exits[b.label]) if b.label in exits else b for b in function.blocks)
    return drop_unreachable(replace(function, blocks=tuple(left)))


def _made(function: Function) -> Iterator[tuple[Register, Phi | Statement]]:
    for block in function.blocks:
        yield from ((phi.result, phi) for phi in block.phis)
        yield from ((r, s) for s in block.statements for r in results(s))


def _loop(
    blocks: Mapping[str, Block], before: Mapping[str, tuple[str, ...]], head: str
) -> tuple[Block, str] | None:
    """The body and the exit of a loop of two blocks that goes on where its condition holds."""
    end = blocks[head].terminator
    if not isinstance(end, Branch) or end.then == end.otherwise:
        return None
    body = blocks[end.then]
    if body.label == head or body.phis or before[body.label] != (head,):
        return None
    return (body, end.otherwise) if targets(body.terminator) == (head,) else None


def _counts(head: Block, body: Block, made: Made) -> bool:
    """Whether the loop ends after so many rounds as its bound says."""
    own = {*definitions(head), *definitions(body)}
    end = head.terminator
    asked = end.condition if isinstance(end, Branch) else None
    test = made.get(asked) if isinstance(asked, Register) else None
    if not isinstance(test, Compare) or test.right in own or not isinstance(test.left, Register):
        return False
    step, kind = _step(made.get(test.left), body.label, made), test.left.type
    if test.left not in own or not isinstance(kind, IntType) or step is None:
        return False
    if step == 1:
        return test.predicate in _STAYS
    most = _most(test.right, made, _DEPTH)
    return test.predicate is Predicate.ULT and most <= (1 << kind.width) - step


def _step(counter: Phi | Statement | None, body: str, made: Made) -> int | None:
    """How much the counter grows in a round, if that is a constant."""
    if not isinstance(counter, Phi):
        return None
    following = dict(counter.incoming).get(body)
    added = made.get(following) if isinstance(following, Register) else None
    match added:
        case Binary(op=BinaryOp.ADD, left=counter.result, right=IntConst(step)) if step > 0:
            return step
        case _:
            return None


def _most(value: Operand, made: Made, depth: int) -> int:
    """A bound of an unsigned value."""
    if isinstance(value, IntConst):
        return value.value
    assert isinstance(value.type, IntType)
    full = (1 << value.type.width) - 1
    known = made.get(value) if isinstance(value, Register) and depth > 0 else None
    match known:
        case Cast(op=CastOp.ZEXT, value=inner):
            return _most(inner, made, depth - 1)
        case Binary(op=BinaryOp.MUL, left=left, right=right):
            found = _most(left, made, depth - 1) * _most(right, made, depth - 1)
        case Binary(op=BinaryOp.ADD, left=left, right=right):
            found = _most(left, made, depth - 1) + _most(right, made, depth - 1)
        case _:
            found = full
    return min(found, full) if found <= full else full


def _leaves_nothing(function: Function, head: Block, body: Block) -> bool:
    """Whether the loop only computes, and nothing that it computes is used behind it."""
    statements = (*head.statements, *body.statements)
    if not all(isinstance(s, _PURE) and not has_effect(s) for s in statements):
        return False
    own = {*definitions(head), *definitions(body)}
    inside = {head.label, body.label}
    return not any(
        not own.isdisjoint(_read(block)) for block in function.blocks if block.label not in inside
    )


def _read(block: Block) -> Set[Register]:
    given = (value for phi in block.phis for _, value in phi.incoming)
    found = {value for value in given if isinstance(value, Register)}
    return found.union(uses(block.terminator), *(uses(s) for s in block.statements))


def _passed(head: Block, out: str) -> Block:
    """The head without the loop: what was known of the counter is lost."""
    binds = (s for s in head.statements if isinstance(s, Bind))
    return Block(
        head.label,
        (),
        tuple(replace(bind, value=None) for bind in binds),
        Jump(out, head.terminator.origin),
    )
