"""Reads of regions that are known: what was stored there before, past stores to other addresses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from seahorn_py.ir.program import (
    Address,
    Offset,
    Operand,
    RegionFill,
    RegionLoad,
    RegionStore,
    Register,
    Statement,
)

MAX_OFFSETS = 8
MAX_STORES = 64
"""How many stores a read is followed through."""

Definitions = Mapping[Register, Statement]


def folded_load(load: RegionLoad, definitions: Definitions) -> Operand | RegionLoad | None:
    """The element if it is known, or the same read of an older version of the region."""
    region, wanted = load.region, _sum(load.address, definitions)
    for _ in range(MAX_STORES):
        made = definitions.get(region) if isinstance(region, Register) else None
        if isinstance(made, RegionFill):
            return made.value
        if not isinstance(made, RegionStore):
            break
        written = _sum(made.address, definitions)
        if written == wanted:
            return made.value
        if written[0] != wanted[0]:
            break
        region = made.region
    return None if region == load.region else replace(load, region=region)


def folded_store(store: RegionStore, definitions: Definitions) -> Operand | RegionStore | None:
    """A store to the address that was written last replaces what was written there."""
    below = definitions.get(store.region) if isinstance(store.region, Register) else None
    match below:
        case RegionStore() if _same(below.address, store.address, definitions):
            return replace(store, region=below.region)
        case RegionFill() if below.value == store.value:
            return store.region
        case _:
            return None


def _same(one: Operand, other: Operand, definitions: Definitions) -> bool:
    return one == other or _sum(one, definitions) == _sum(other, definitions)


def _sum(address: Operand, definitions: Definitions) -> tuple[object, int]:
    """What an address is a constant distance from, and that distance."""
    terms: tuple[tuple[Operand, int], ...] = ()
    distance = 0
    for _ in range(MAX_OFFSETS):
        made = definitions.get(address) if isinstance(address, Register) else None
        if not isinstance(made, Offset):
            break
        terms, distance, address = (*made.terms, *terms), distance + made.constant, made.base
    if isinstance(address, Address):
        return (address.symbol, terms), distance + address.offset
    return (address, terms), distance
