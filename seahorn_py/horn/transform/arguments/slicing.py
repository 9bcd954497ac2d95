"""Arguments that say nothing of the queries are left out, with what only they are asked for.

`FewerArguments` keeps an argument that a rule compares with itself, as in `y = x + 1` where nobody
asks for `y`, or `1 <= x and x <= 5` where each rule derives it so.  So definitions are resolved
and conditions that are known are left out before; what then is unused makes other arguments unused,
so all is repeated, as in program slicing (Weiser, ICSE 1981) over a system of rules.

Where no more arguments go than without all that, rules stay as they are.
"""

from __future__ import annotations

from collections.abc import Sequence

from seahorn_py.base.records import dataclass
from seahorn_py.horn.system import HornSystem, Model, Refutation
from seahorn_py.horn.transform.arguments.fewerarguments import FewerArguments
from seahorn_py.horn.transform.rules.definedsymbols import Definitions
from seahorn_py.horn.transform.rules.knownconditions import KnownConditions
from seahorn_py.horn.transform.transformation import Both


@dataclass(frozen=True)
class Slicing:
    """Constant, equal and unused arguments are left out, and what only they are asked for."""

    def apply(self, system: HornSystem) -> tuple[HornSystem, Both]:
        """The system over what is left; it may stay what it is."""
        plain, way = FewerArguments().apply(system)
        sliced, ways = _sliced(system)
        if _arguments(sliced) == _arguments(plain):
            return plain, way
        return sliced, _composed(ways)


def _sliced(system: HornSystem) -> tuple[HornSystem, Sequence[Both]]:
    """The system after as many rounds as leave arguments out, and the ways back."""
    ways: list[Both] = []
    while True:
        changed, found = system, list[Both]()
        for one in (Definitions(), KnownConditions(), FewerArguments()):
            changed, way = one.apply(changed)
            found.append(way)
        if _arguments(changed) == _arguments(system):
            return system, ways
        system = changed
        ways += found


def _arguments(system: HornSystem) -> int:
    return sum(len(relation.parameters) for relation in system.relations.values())


def _composed(ways: Sequence[Both]) -> Both:
    """The way back over all of these, of which the last is taken first."""

    def model(found: Model) -> Model:
        for way in reversed(ways):
            found = way.model(found)
        return found

    def refutation(found: Refutation) -> Refutation:
        for way in reversed(ways):
            found = way.refutation(found)
        return found

    return Both(model, refutation)
