"""Where objects lie: the fixed addresses of globals and functions, those of the interpreter.

Fixed places are exact as long as no address is exposed: as long as pointers are compared within
their objects, or for equality.
"""

from __future__ import annotations

from collections.abc import Mapping

from seahorn_py.base.records import dataclass
from seahorn_py.ir.memory import layout_of
from seahorn_py.ir.program import Address, Predicate, Program


@dataclass(frozen=True)
class Layout:
    """Places of globals and functions, and the sizes of these objects in bytes."""

    places: Mapping[str, int]
    sizes: Mapping[str, int]

    def value(self, address: Address) -> int | None:
        """The fixed address; None for an object that has no place."""
        place = 0 if address.symbol is None else self.places.get(address.symbol)
        return None if place is None else place + address.offset

    def tells(self, predicate: Predicate, one: Address, other: Address) -> bool:
        """The fixed places decide the comparison as every layout would.

        Addresses in different objects differ, but the end of one may be the start of another, and
        their order is open.
        """
        if one.symbol == other.symbol:
            return True
        equality = predicate in (Predicate.EQ, Predicate.NE)
        return equality and self._inside(one) and self._inside(other)

    def _inside(self, address: Address) -> bool:
        if address.symbol is None:
            return address.offset == 0
        return 0 <= address.offset < self.sizes.get(address.symbol, 0)


def layout(program: Program) -> Layout:
    """The places; objects beyond the address space have none."""
    places = layout_of(program).symbols
    sizes = {name: max(1, item.size) for name, item in program.globals.items()}
    sizes |= {name: 1 for name in program.functions}
    end = 1 << program.pointer_width
    return Layout({n: p for n, p in places.items() if p + sizes[n] < end}, sizes)
