"""Statements without a use go, by mark and sweep, so that dead cycles of phis go too.

What stays whatever its result: memory that is written, calls, and operations that may end the run.
A load that nobody uses goes: at an invalid address it would have ended the run, so dropping it only
allows more runs.  Inputs may go because they are fed by site and visit; several inputs of one site
(the bytes of an object) stay or go together, or the visits would be counted wrongly.
A `Bind` keeps nothing alive; when its value goes it says "unknown".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import replace

from seahorn_py.ir.program import (
    Alloca,
    Binary,
    Bind,
    Bits,
    Block,
    Cast,
    Compare,
    FloatOp,
    Function,
    Input,
    Load,
    Offset,
    Overflow,
    RegionFill,
    RegionHavoc,
    RegionLoad,
    RegionStore,
    Register,
    Select,
    Statement,
    Valid,
)
from seahorn_py.ir.traverse import results, uses
from seahorn_py.passes.simplify.folding import always_defined


def drop_dead_code(function: Function) -> Function:
    """Drop the phis and statements on which nothing that a run does depends."""
    effects = [s for block in function.blocks for s in block.statements if has_effect(s)]
    ends = (block.terminator for block in function.blocks)
    live = live_registers(function, [register for n in (*effects, *ends) for register in uses(n)])
    given = {register for statement in effects for register in results(statement)}
    kept = live.union(function.parameters, given)
    blocks = tuple(sweep(block, kept, has_effect) for block in function.blocks)
    return replace(function, blocks=blocks)


def live_registers(function: Function, roots: Iterable[Register]) -> frozenset[Register]:
    """The registers on which the roots depend through phis and statements without effect."""
    needed = needs(function)
    twins = siblings(function)
    live: set[Register] = set()
    pending = list(roots)
    while pending:
        register = pending.pop()
        if register not in live:
            live.add(register)
            pending.extend(needed.get(register, ()))
            if register in twins:
                pending.append(twins[register])
    return frozenset(live)


def needs(function: Function) -> dict[Register, tuple[Register, ...]]:
    """What each phi and each statement without effect reads, by its result."""
    needs: dict[Register, tuple[Register, ...]] = {}
    for block in function.blocks:
        for phi in block.phis:
            values = (value for _, value in phi.incoming)
            needs[phi.result] = tuple(v for v in values if isinstance(v, Register))
        for statement in block.statements:
            made = results(statement)
            if made and not has_effect(statement):
                needs.update(dict.fromkeys(made, uses(statement)))
    return needs


def siblings(function: Function) -> Mapping[Register, Register]:
    """For each input that shares its site with others, the next of them, around a circle."""
    by_site: dict[int, list[Register]] = {}
    for block in function.blocks:
        for statement in block.statements:
            if isinstance(statement, Input | RegionHavoc):
                by_site.setdefault(statement.site.number, []).append(statement.result)
    groups = [group for group in by_site.values() if len(group) > 1]
    return {r: following for g in groups for r, following in zip(g, (*g[1:], g[0]), strict=True)}


def has_effect(statement: Statement) -> bool:
    """The statement does more than give its results: it stays even if nobody uses them."""
    match statement:
        case Binary():
            return not always_defined(statement)
        case Compare() | Cast() | Select() | Bits() | Overflow() | FloatOp() | Offset():
            return False
        case Alloca() | Input() | Bind() | Valid():
            return False
        case RegionLoad() | RegionStore() | RegionFill() | RegionHavoc():
            return False
        case Load(volatile=volatile):
            return volatile
        case _:
            return True


def sweep(block: Block, live: Set[Register], stays: Callable[[Statement], bool]) -> Block:
    """The block without what is neither live nor stays for its own sake."""
    phis = tuple(phi for phi in block.phis if phi.result in live)
    statements: list[Statement] = []
    for statement in block.statements:
        if isinstance(statement, Bind):
            lost = isinstance(statement.value, Register) and statement.value not in live
            statements.append(replace(statement, value=None) if lost else statement)
        elif not live.isdisjoint(results(statement)) or stays(statement):
            statements.append(statement)
    if len(phis) == len(block.phis) and tuple(statements) == block.statements:
        return block
    return replace(block, phis=phis, statements=tuple(statements))
