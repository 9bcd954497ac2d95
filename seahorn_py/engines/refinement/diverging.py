"""Which predicates diverge: those that differ in numbers only, and become ever more."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field

from seahorn_py.base.patterns import pattern
from seahorn_py.base.records import dataclass
from seahorn_py.engines.refinement.precision import Precision
from seahorn_py.logic.terms.terms import Term
from seahorn_py.logic.text.infix import print_infix

MANY = 6
"""From so many on, predicates that differ in numbers only count as diverging."""

MOST_SHOWN = 4

_NUMBER = pattern(r"(?<![\w.])\d+")


@dataclass
class Families:
    """The predicates found so far, as texts, by relation and by what they are without numbers."""

    _texts: dict[tuple[str, str], list[str]] = field(default_factory=dict)

    def add(self, found: Mapping[str, Iterable[Term]]) -> None:
        """More predicates."""
        for name, predicates in found.items():
            for text in (print_infix(predicate, {}) for predicate in predicates):
                self._texts.setdefault((name, _NUMBER.sub("#", text)), []).append(text)

    @property
    def diverge(self) -> bool:
        """Whether a family is large."""
        return any(len(texts) >= MANY for texts in self._texts.values())

    def words(self, also: Iterable[Term] = ()) -> str:
        """The largest family that diverges as text, or these others; "" when there are none."""
        if self.diverge:
            (name, _), texts = max(self._texts.items(), key=lambda item: len(item[1]))
            return f"; these predicates of {name} diverge ({len(texts)}): {_shown(texts)}"
        others = [print_infix(p, {}) for p in also]
        return f"; predicates: {_shown(others)}" if others else ""


def diverging(precision: Precision, also: Iterable[Term] = ()) -> str:
    """The same of all predicates of a precision."""
    families = Families()
    families.add(precision.predicates)
    return families.words(also)


def _shown(texts: list[str]) -> str:
    last = texts[-1:] if len(texts) > MOST_SHOWN else []
    return ", ".join(texts[:MOST_SHOWN]) + "".join(f", ..., {text}" for text in last)
