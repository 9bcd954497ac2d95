"""Some rules of a system alone: one query of several, or the rules of a path program."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from seahorn_py.base.records import dataclass
from seahorn_py.horn.system import HornSystem, Rule
from seahorn_py.horn.transform.transformation import Refutations, same_refutation


@dataclass(frozen=True)
class Restriction:
    """The rules of which `keeps` is true; what they derive, all rules derive."""

    keeps: Callable[[Rule], bool]

    def apply(self, system: HornSystem) -> tuple[HornSystem, Refutations]:
        """The system of these rules, with the same refutations."""
        rules = tuple(filter(self.keeps, system.rules))
        return replace(system, rules=rules), Refutations(same_refutation)
