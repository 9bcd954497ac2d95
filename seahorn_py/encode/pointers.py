"""Pointers as far as they are encoded: null, fixed addresses of globals, unknown ones.

Equality of pointers is encoded; every other use of an address is a fresh value.  Objects lie at
distinct fixed places, which is exact as long as addresses are only compared for equality and lie
within their objects: what can be observed then is the same under every layout.  Results of pointer
arithmetic, loads and conversions, and addresses outside of their objects are fresh values, so they
may be equal to anything.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from seahorn_py.ir.program import Address, Program

_FIRST = 1 << 12
_GAP = 64


@dataclass(frozen=True)
class Layout:
    """Places of globals and functions, and the sizes of these objects in bytes."""

    places: Mapping[str, int]
    sizes: Mapping[str, int]

    def value(self, address: Address) -> int | None:
        """The fixed address; None when it is not within an object."""
        if address.symbol is None:
            return 0 if address.offset == 0 else None
        place = self.places.get(address.symbol)
        inside = place is not None and 0 <= address.offset < self.sizes[address.symbol]
        return place + address.offset if inside and place is not None else None


def layout(program: Program) -> Layout:
    """Places one after the other; objects beyond the address space have none."""
    sizes = {name: max(1, item.size) for name, item in program.globals.items()}
    sizes |= {name: 1 for name in program.functions}
    places: dict[str, int] = {}
    place = _FIRST
    for name, size in sizes.items():
        if place + size < 1 << program.pointer_width:
            places[name] = place
            place += -(-size // _GAP) * _GAP + _GAP
    return Layout(places, sizes)
