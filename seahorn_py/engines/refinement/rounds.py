"""What an observer is told of each round of the loop."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from seahorn_py.base.records import dataclass
from seahorn_py.engines.refinement.derivation import Derivation
from seahorn_py.logic.terms.terms import Term


@dataclass(frozen=True)
class Round:
    """A round that ended in a refinement.

    `why` says in words why the counterexample was spurious, `found` is what is new for each
    relation, `states` were there before and `kept` after the refinement.
    """

    number: int
    counterexample: Derivation
    why: str
    found: Mapping[str, tuple[Term, ...]]
    states: int
    kept: int


Observer = Callable[[Round], None]
Show = Callable[[Term], str]


def nobody(_: Round) -> None:
    """Watches nothing."""


def breaking(lessons: Mapping[int, tuple[Term, ...]], of: Derivation, show: Show) -> str:
    """Where a counterexample breaks: what holds of the last fact of which something is known."""
    for number in sorted(lessons, reverse=True):
        said = [formula for formula in lessons[number] if not formula.is_true()]
        if said:
            relation = of.steps[number].node.relation
            text = " and ".join(show(formula) for formula in said)
            return f"after step {number + 1} of {len(of.steps)}, {relation} satisfies {text}"
    return "its steps exclude each other"
