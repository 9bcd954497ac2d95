"""Any engine on a system over arrays, by way of a few observed cells (`horn.transform.cells`)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from seahorn_py.engines.engine import Budget, Engine
from seahorn_py.errors import Stage
from seahorn_py.horn.system import HornSystem, Model
from seahorn_py.horn.transform.cells import Back, Observation, observe
from seahorn_py.result import Safe, Unknown, Unsafe, Verdict


@dataclass(frozen=True)
class ArrayCells:
    """`inner` decides the system over observed cells; only its proofs count."""

    inner: Engine
    observation: Observation

    def solve(self, system: HornSystem, budget: Budget) -> Verdict:
        """Safe with a quantified model, or unknown."""
        observed, back = observe(system, self.observation)
        return through(self.inner.solve(observed, budget), back)


def through(verdict: Verdict, back: Back) -> Verdict:
    """What an answer about a weaker system says of the one that it was made from."""
    match verdict:
        case Safe(Model() as model):
            return replace(verdict, proof=back(model))
        case Safe():
            return Unknown(Stage.SOLVE, "only a model can be read back")
        case Unsafe():
            return Unknown(Stage.SOLVE, "what is observed does not exclude the error")
        case Unknown():
            return verdict
