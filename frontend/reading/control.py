"""Terminators, and the graph of a function once all its blocks are read."""

from __future__ import annotations

from collections.abc import Mapping

from seahorn_py.base.errors import InternalError
from seahorn_py.frontend.llvmtext.layout import VOID
from seahorn_py.frontend.llvmtext.tokens import Cursor, local_name
from seahorn_py.frontend.reading import folds
from seahorn_py.frontend.reading.body import BlockDraft, Body, PhiDraft
from seahorn_py.frontend.reading.scalar import Reader
from seahorn_py.ir.program import (
    Block,
    Branch,
    Fail,
    Jump,
    Operand,
    Phi,
    Predicate,
    Return,
    Stop,
    StopKind,
    Terminator,
)
from seahorn_py.ir.types import BOOL


def read_br(body: Body, cursor: Cursor, _result: str) -> None:
    """`br label %a` or `br i1 %c, label %a, label %b`."""
    if cursor.peek() == "label":
        body.finish(Jump(_label(cursor), body.origin))
        return
    condition = body.typed_operand(cursor)
    cursor.expect(",")
    then = _label(cursor)
    cursor.expect(",")
    body.branch(condition, then, _label(cursor))


def read_switch(body: Body, cursor: Cursor, _result: str) -> None:
    """`switch i32 %v, label %default [ i32 1, label %a ... ]` as a chain of comparisons."""
    kind = body.types.read_scalar(cursor)
    value = body.operand(kind, cursor)
    cursor.expect(",")
    default = _label(cursor)
    cursor.expect("[")
    cases: list[tuple[Operand, str]] = []
    while not cursor.accept("]"):
        case = body.typed_operand(cursor)
        cursor.expect(",")
        cases.append((case, _label(cursor)))
    for number, (case, target) in enumerate(cases):
        name = body.temporary(BOOL).name
        folds.compare(body, name, Predicate.EQ, value, case)
        equal = body.use(body.lookup(name, BOOL))
        body.choose(equal, target, default if number + 1 == len(cases) else None)
    if not cases:
        body.finish(Jump(default, body.origin))


def _label(cursor: Cursor) -> str:
    cursor.expect("label")
    return local_name(cursor.next())


def read_ret(body: Body, cursor: Cursor, _result: str) -> None:
    """`ret void`, or `ret T %v` as its leaves."""
    kind = body.types.read(cursor)
    values = [] if kind == VOID else body.values(kind, cursor)
    body.finish(Return(tuple(body.use(v) for v in values), body.origin))


def read_unreachable(body: Body, _cursor: Cursor, _result: str) -> None:
    """The run is over: nothing returns to this place."""
    body.finish(Stop(StopKind.END, body.origin))


CONTROL: Mapping[str, Reader] = {
    "br": read_br,
    "switch": read_switch,
    "ret": read_ret,
    "unreachable": read_unreachable,
}

# ------------------------------------------------------------------------------ the whole graph


def successors(terminator: Terminator) -> tuple[str, ...]:
    """The labels that a terminator leads to."""
    match terminator:
        case Jump(target):
            return (target,)
        case Branch(_, then, otherwise):
            return (then, otherwise)
        case Return() | Stop() | Fail():
            return ()


def completed(body: Body) -> tuple[Block, ...]:
    """The blocks that the entry reaches, with their phis resolved."""
    drafts = _reachable(body.drafts)
    predecessors: dict[tuple[str, str], list[BlockDraft]] = {}
    for draft in drafts.values():
        for target in successors(_end(draft)):
            predecessors.setdefault((draft.source, target), []).append(draft)
    phis = {
        label: tuple(_phi(body, phi, label, predecessors) for phi in draft.phis)
        for label, draft in drafts.items()
    }
    return tuple(
        Block(label, phis[label], tuple(draft.statements), _end(draft))
        for label, draft in drafts.items()
    )


def _reachable(drafts: list[BlockDraft]) -> dict[str, BlockDraft]:
    by_label = {draft.label: draft for draft in drafts}
    seen = {drafts[0].label}
    work = [drafts[0]]
    while work:
        for target in successors(_end(work.pop())):
            if target not in seen:
                seen.add(target)
                work.append(by_label[target])
    return {label: draft for label, draft in by_label.items() if label in seen}


def _phi(
    body: Body,
    phi: PhiDraft,
    label: str,
    predecessors: Mapping[tuple[str, str], list[BlockDraft]],
) -> Phi:
    """Values that must be computed are, at the end of the predecessor they come from."""
    incoming: dict[str, Operand] = {}
    for source, value in phi.incoming:
        for draft in predecessors.get((source, label), ()):
            if draft.label not in incoming:
                known = body.lookup(value, phi.result.type) if isinstance(value, str) else value
                body.origin = _end(draft).origin
                incoming[draft.label] = body.materialise(known, draft)
    return Phi(phi.result, tuple(incoming.items()))


def _end(draft: BlockDraft) -> Terminator:
    if draft.terminator is None:
        raise InternalError(f"block {draft.label} has no end")
    return draft.terminator
