"""Loads of memory whose contents the text shows become choices among values.

A region that begins with one value everywhere, and into which a few values are stored at constant
addresses, is a table: what lies at an address is a chain of comparisons.  So walks along lists that
nothing changes need no arrays in their proofs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from seahorn_py.base.records import dataclass
from seahorn_py.ir.program import (
    Address,
    Compare,
    Function,
    Operand,
    Predicate,
    Program,
    RegionFill,
    RegionLoad,
    RegionStore,
    Register,
    Select,
    Statement,
)
from seahorn_py.ir.traverse import definitions, results
from seahorn_py.ir.types import BOOL
from seahorn_py.passes.promotion.access import Names

MOST_STORES = 12
"""Of a region with more stores loads stay as they are."""


@dataclass(frozen=True)
class _Table:
    """What is stored where, the last store first, and what lies everywhere else."""

    stores: tuple[tuple[Operand, Operand], ...]
    value: Operand


def with_known_loads(program: Program) -> Program:
    """The program, which is in encoding form, with such loads replaced."""
    functions = {name: _with_known_loads(f) for name, f in program.functions.items()}
    return replace(program, functions=functions)


def _with_known_loads(function: Function) -> Function:
    made = {r: s for b in function.blocks for s in b.statements for r in results(s)}
    taken = [r.name for b in function.blocks for r in definitions(b)]
    names = Names([*taken, *(p.name for p in function.parameters)])
    blocks = []
    for block in function.blocks:
        body: list[Statement] = []
        for statement in block.statements:
            table = _table(statement.region, made) if isinstance(statement, RegionLoad) else None
            if isinstance(statement, RegionLoad) and table is not None:
                body += _chosen(statement, table, names)
            else:
                body.append(statement)
        blocks.append(replace(block, statements=tuple(body)))
    return replace(function, blocks=tuple(blocks))


def _table(region: Operand, made: Mapping[Register, Statement]) -> _Table | None:
    """What the region holds, if it has few stores, and begins with one value everywhere."""
    stores: list[tuple[Operand, Operand]] = []
    while isinstance(region, Register) and len(stores) <= MOST_STORES:
        match made.get(region):
            case RegionStore(region=older, address=Address() as address, value=value):
                stores.append((address, value))
                region = older
            case RegionFill(value=value) if stores:
                return _Table(tuple(stores), value)
            case _:
                return None
    return None


def _chosen(load: RegionLoad, table: _Table, names: Names) -> list[Statement]:
    """The statements that choose what lies at the address."""
    made: list[Statement] = []
    found = table.value
    for number, (address, value) in enumerate(reversed(table.stores), 1):
        same = names.fresh("same", BOOL)
        is_last = number == len(table.stores)
        result = load.result if is_last else names.fresh("known", load.result.type)
        made.append(Compare(same, Predicate.EQ, load.address, address))
        made.append(Select(result, same, value, found))
        found = result
    return made
