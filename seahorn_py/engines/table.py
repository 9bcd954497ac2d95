"""The engines by name, and which of them try a Horn system in turn when none is named.

Bounded model checking comes first where integers are bit-vectors, which it is best at.  Where there
are arrays, Spacer itself gives turns to observed cells.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf

from seahorn_py.engines.arraycells import ArrayCells
from seahorn_py.engines.bmc import Bmc
from seahorn_py.engines.engine import Budget, Engine
from seahorn_py.engines.kinduction import KInduction
from seahorn_py.engines.spacer import Spacer
from seahorn_py.engines.strengthened import Strengthened
from seahorn_py.errors import Stage
from seahorn_py.horn.cells import Observation
from seahorn_py.horn.system import HornSystem
from seahorn_py.options import EngineName
from seahorn_py.result import Unknown, Verdict

SHORT = 2.0
"""Seconds of a first turn for what is shallow."""


@dataclass(frozen=True)
class Turn:
    """An engine; the share it gets of the time left when its turn comes, and the most seconds."""

    engine: Engine
    share: float = 1.0
    most: float = inf


@dataclass(frozen=True)
class InTurn:
    """Engines one after the other, until one has an answer."""

    turns: tuple[Turn, ...]

    def solve(self, system: HornSystem, budget: Budget) -> Verdict:
        """The first answer; unknown with the reasons of all."""
        reasons = []
        for turn in self.turns:
            limit = budget.deadline.share(turn.share).at_most(turn.most)
            verdict = turn.engine.solve(system, replace(budget, deadline=limit))
            if not isinstance(verdict, Unknown):
                return verdict
            reasons.append(verdict.reason)
        return Unknown(Stage.SOLVE, "; ".join(reasons))


def engine(name: EngineName, bound: int | None) -> Engine | None:
    """The engine of this name; None for the one that works on the program alone."""
    match name:
        case EngineName.EXECUTE:
            return None
        case EngineName.BMC:
            return Bmc(bound)
        case EngineName.SPACER:
            return Spacer()
        case EngineName.CELLS:
            one = ArrayCells(Spacer(), Observation(1))
            return InTurn((Turn(one, 0.5), Turn(ArrayCells(Spacer(), Observation(2)))))
        case EngineName.KINDUCTION:
            return KInduction(bound)
        case EngineName.LEMMAS:
            return Strengthened(Spacer())


def chosen(names: Sequence[EngineName], bound: int | None) -> Engine:
    """The engines named, in turn, each with an equal share of the time."""
    engines = [found for name in names if (found := engine(name, bound)) is not None]
    shares = range(len(engines), 0, -1)
    return InTurn(tuple(Turn(e, 1 / left) for e, left in zip(engines, shares, strict=True)))


def default(bits: bool, bound: int | None) -> Engine:
    """The engines that fit a system; `bits` says that its integers are bit-vectors."""
    if not bits:
        return Spacer()
    bmc = Bmc(bound)
    return InTurn((Turn(bmc, 0.5, SHORT), Turn(Spacer(), 0.4), Turn(bmc)))
