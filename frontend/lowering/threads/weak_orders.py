"""Atomic accesses that are weaker than sequentially consistent ones (C17, 7.17.3).

Each run of the product is a run in C, whatever the orders are: so errors stand.  Proofs do not,
with one exception.  If all atomic accesses are of one object, each load acquires, each store
releases and each change does both, then a program without data races has sequentially consistent
runs only.  For let events be related if one happens before the other, or if they are accesses of
that object and the second one sees or replaces what is no later than the first.  By coherence the
modification order of the object never falls along either relation.  So a cycle would have to stay
at one write and what reads it, and a read would happen before the write that it reads.  Accesses of
other objects that do not commute are ordered by happens-before, as there are no races.  That races
are looked for between neighbours in sequentially consistent runs is enough, since whoever reads a
value of the object synchronises with its writer (O. Lahav, V. Vafeiadis, J. Kang, C.-K. Hur,
D. Dreyer: "Repairing sequential consistency in C/C++11", PLDI 2017, for the model).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from seahorn_py.base.records import dataclass
from seahorn_py.frontend.llvmtext.tokens import NAME
from seahorn_py.frontend.lowering.threads.accesses import ORDER, Access

_STRONG = {
    "load": frozenset({"acquire", "seq_cst"}),
    "store": frozenset({"release", "seq_cst"}),
    "atomicrmw": frozenset({"acq_rel", "seq_cst"}),
    "cmpxchg": frozenset({"acq_rel", "seq_cst", "acquire"}),
}
_KIND = re.compile(rf"  (?:%{NAME} = )?(\w+)")


@dataclass(frozen=True, slots=True)
class Atomic:
    """An atomic instruction whose order matters to other threads, and its place in words."""

    line: str
    access: Access
    place: str

    @property
    def _orders(self) -> list[str]:
        """One, or that of success and that of failure."""
        return ORDER.findall(self.line.partition(", !")[0])

    @property
    def is_sequential(self) -> bool:
        """Whether it is in the one order of all such accesses."""
        return all(order == "seq_cst" for order in self._orders)

    @property
    def is_strong(self) -> bool:
        """Whether it synchronises with whoever it reads from, and whoever reads from it."""
        found = _KIND.match(self.line)
        allowed = _STRONG[found[1]] if found else frozenset()
        first, *failing = self._orders
        return (
            first in allowed and (first != "acquire" or not failing) and allowed.issuperset(failing)
        )


def without_meaning(atomics: Sequence[Atomic]) -> str:
    """The place of an access for which sequentially consistent runs are not all; "" if all are."""
    weak = next((each for each in atomics if not each.is_sequential), None)
    if weak is None:
        return ""
    places = {(each.access.pointer, each.access.type) for each in atomics}
    is_one = len(places) == 1 and weak.access.pointer.startswith("@")
    return "" if is_one and all(each.is_strong for each in atomics) else weak.place
