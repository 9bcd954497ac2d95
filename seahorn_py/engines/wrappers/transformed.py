"""Any engine on a transformed system, and what its verdict says of the given system."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import assert_never

from seahorn_py.base.errors import Stage
from seahorn_py.base.records import dataclass
from seahorn_py.engines.engine import Budget, Engine
from seahorn_py.horn.system import HornSystem, Model
from seahorn_py.horn.transform.order import transformed
from seahorn_py.horn.transform.transformation import (
    Back,
    Both,
    Inapplicable,
    Models,
    NotCarried,
    Refutations,
    Transformation,
)
from seahorn_py.result import Safe, Unknown, Unsafe, Verdict


@dataclass(frozen=True)
class Transformed:
    """`inner` decides the system that the transformations make."""

    inner: Engine
    chosen: tuple[Transformation, ...]

    def solve(self, system: HornSystem, budget: Budget) -> Verdict:
        """What goes back of the answer; unknown where a transformation has nothing to do."""
        try:
            changed, ways = transformed(system, self.chosen)
        except Inapplicable as failure:
            return Unknown(Stage.SOLVE, str(failure))
        return carried(self.inner.solve(changed, budget), changed, ways)


def carried(verdict: Verdict, changed: HornSystem, ways: Sequence[Back]) -> Verdict:
    """What an answer about a changed system says of the one it was made from.

    A refutation that could go back but cannot be written stays one of the changed system.
    """
    match verdict:
        case Safe(Model() as model):
            return _proof(verdict, model, ways)
        case Safe():
            return verdict if not ways else _unknown("only a model can be read back")
        case Unsafe():
            return _refutation(verdict, changed, ways)
        case Unknown():
            return verdict
        case _:
            assert_never(verdict)


def _proof(verdict: Safe, model: Model, ways: Sequence[Back]) -> Verdict:
    for way in reversed(ways):
        match way:
            case Models() | Both():
                try:
                    model = way.model(model)
                except NotCarried as limit:
                    return _unknown(f"the model cannot be read back: {limit}")
            case Refutations():
                return _unknown("the proof is one of some of the rules")
    return replace(verdict, proof=model)


def _refutation(verdict: Unsafe, changed: HornSystem, ways: Sequence[Back]) -> Verdict:
    if any(isinstance(way, Models) for way in ways):
        return _unknown("what is observed does not exclude the error")
    if verdict.system is not None:  # the inner engine has derived a system of its own
        return verdict
    refutation = verdict.refutation
    for way in reversed(ways):
        assert not isinstance(way, Models)
        try:
            refutation = way.refutation(refutation)
        except NotCarried:
            return replace(verdict, system=changed)
    return replace(verdict, refutation=refutation)


def _unknown(reason: str) -> Unknown:
    return Unknown(Stage.SOLVE, reason)
