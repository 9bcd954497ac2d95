"""All transformations of Horn systems, in the one order in which they are made."""

from __future__ import annotations

from collections.abc import Iterable

from seahorn_py.horn.system import HornSystem
from seahorn_py.horn.transform.acceleration.arithmetic import Acceleration, LinearPart
from seahorn_py.horn.transform.arguments.arbitrary import WithoutArbitrary
from seahorn_py.horn.transform.arguments.bitnumbers import BitNumbers
from seahorn_py.horn.transform.arguments.control import Control
from seahorn_py.horn.transform.arguments.fewerarguments import FewerArguments
from seahorn_py.horn.transform.arguments.folds import Folds
from seahorn_py.horn.transform.arguments.numberbits import NumberBits
from seahorn_py.horn.transform.arguments.numberfacts import NumberFacts
from seahorn_py.horn.transform.arguments.slicing import Slicing
from seahorn_py.horn.transform.arguments.symbolicsize import SymbolicSize
from seahorn_py.horn.transform.cells.observation import Observation
from seahorn_py.horn.transform.rules.cases import Cases
from seahorn_py.horn.transform.rules.definedsymbols import Definitions
from seahorn_py.horn.transform.rules.fewerrules import FewerRules
from seahorn_py.horn.transform.rules.knownconditions import KnownConditions
from seahorn_py.horn.transform.rules.linearising import Linearising
from seahorn_py.horn.transform.rules.pruning import Pruning
from seahorn_py.horn.transform.rules.quotients import Quotients
from seahorn_py.horn.transform.rules.restriction import Restriction
from seahorn_py.horn.transform.rules.reversal import Reversal
from seahorn_py.horn.transform.rules.strengthening import Strengthening
from seahorn_py.horn.transform.rules.unfolding import Unfolding
from seahorn_py.horn.transform.transformation import Back, Transformation

ORDER = (
    Restriction,  # fewer rules are less work for all that follows
    Cases,  # what a case fixes may be control
    Control,  # chains of rules between places can be resolved
    Unfolding,  # and so are fewer relations
    FewerRules,  # where it has put together the same
    Linearising,  # of few relations few products are made
    Quotients,  # what divisions define is seen, too
    Definitions,  # what a rule computes is seen
    KnownConditions,  # and what it asks in vain
    FewerArguments,  # of what is left
    Slicing,  # the last three by turns
    Pruning,  # a rule whose condition has become false may have been the only one of its kind
    Folds,  # integers beside values
    BitNumbers,  # what follows is about integers
    NumberBits,  # what intervals bound is seen in the rules as they are
    NumberFacts,  # they are about numbers, and about arguments that are left
    Strengthening,  # invariants speak of the relations as they are
    WithoutArbitrary,  # an array that nothing is known of is not worth a cell
    Observation,
    SymbolicSize,  # for what has no arrays any more
    LinearPart,  # what is left of arrays becomes arbitrary, so that loops have closures
    Acceleration,
    Reversal,  # the others look for loops and invariants forwards
)
"""A system is transformed by some of these; what comes first is made first."""


def transformed(
    system: HornSystem, chosen: Iterable[Transformation]
) -> tuple[HornSystem, tuple[Back, ...]]:
    """The system after the transformations in their order, and the ways back, the first one first.

    Inapplicable where one of them is.
    """
    ways: list[Back] = []
    for one in sorted(chosen, key=lambda one: ORDER.index(type(one))):
        system, back = one.apply(system)
        ways.append(back)
    return system, tuple(ways)


def observing(observation: Observation) -> tuple[Transformation, ...]:
    """What makes a system over a few cells of one over arrays."""
    return (WithoutArbitrary(), observation)
