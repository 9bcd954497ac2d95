"""The engines by name, and the schedules: which of them try a Horn system, in which order.

A schedule says what a system of a certain look needs.  Bounded model checking comes first where
integers are bit-vectors, which it is best at.  Where there are arrays, Spacer itself gives turns to
observed cells; what loops do to a cell of its own is asked with their closures.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import assert_never

from seahorn_py.engines.bmc.bmc import Bmc
from seahorn_py.engines.boolean.boolean import BooleanPrograms
from seahorn_py.engines.cegar.cegar import Cegar
from seahorn_py.engines.engine import Engine
from seahorn_py.engines.features import Features
from seahorn_py.engines.imc.imc import Imc
from seahorn_py.engines.impact.impact import Impact
from seahorn_py.engines.kinduction.kinduction import KInduction
from seahorn_py.engines.linear.linear import Linear
from seahorn_py.engines.portfolio import Portfolio, Turn
from seahorn_py.engines.refinement.configuration import configured
from seahorn_py.engines.spacer.spacer import (
    ARRAY_CONFIGURATIONS,
    BRIEFLY,
    DEEP,
    GLOBAL,
    PLAIN,
    SYMBOLIC,
    Configuration,
    Spacer,
)
from seahorn_py.engines.wrappers.accelerated import Accelerated
from seahorn_py.engines.wrappers.arraycells import ArrayCells
from seahorn_py.engines.wrappers.strengthened import Strengthened
from seahorn_py.errors import SeaError
from seahorn_py.horn.transform.observation import Observation
from seahorn_py.options import AbstractionOptions, EngineName, Planned

CONFIGURATIONS = (PLAIN, *ARRAY_CONFIGURATIONS, GLOBAL, SYMBOLIC, DEEP)
"""Of Spacer, in the order of their turns."""

ALONE = 0.6
"""What is left of the share of a turn where engines work one at a time."""

SHORT = 2.0
"""Seconds of a first turn for what is shallow."""

LEAST_TURN = 0.4
"""Seconds that a turn takes before anything comes of it."""

MOST_BRIEFLY = 1.0
"""Seconds of the second configuration of Spacer, before other engines have had their turns."""

MANY_BLOCKS = 24
"""Basic blocks of one step of programs that are about control; in a loop of numbers there are few.

Closures of loops see no such step through, and following values does best.
"""

CLOSURES = 5.0
"""Seconds for engines that close loops, which succeed soon or not at all."""


def engine(  # noqa: C901 - a flat match
    name: EngineName, bound: int | None, abstraction: AbstractionOptions | None = None
) -> Engine | None:
    """The engine of this name; None for the one that works on the program alone."""
    abstract = abstraction or AbstractionOptions()
    match name:
        case EngineName.EXECUTE:
            return None
        case EngineName.BMC:
            return Bmc(bound)
        case EngineName.SPACER:
            return Portfolio(spacers(CONFIGURATIONS))
        case EngineName.CELLS:
            one, two = (ArrayCells(Spacer(GLOBAL), Observation(count)) for count in (1, 2))
            return Portfolio((Turn("one cell", one, 0.5), Turn("two cells", two)))
        case EngineName.KINDUCTION:
            return KInduction(bound)
        case EngineName.LEMMAS:
            return Strengthened(Spacer(GLOBAL))
        case EngineName.IMC:
            return Imc(most=bound)
        case EngineName.LINEAR:
            return Linear()
        case EngineName.ACCELERATED:
            return Portfolio((Turn("accelerated", _accelerated()),))
        case EngineName.CEGAR:
            return Cegar(configured(abstract.choices), abstract.trace, abstract.precision)
        case EngineName.IMPACT:
            return Impact(trace=abstract.trace)
        case EngineName.BOOLEAN:
            initial = configured(abstract.choices).initial
            return BooleanPrograms(
                abstract.semantics,
                initial,
                abstract.precision,
                abstract.program,
                abstract.trace,
            )
        case _:
            assert_never(name)


def _accelerated() -> Engine:
    """In a turn of its own: isl works in the process that asks."""
    return Accelerated(Spacer(GLOBAL))


def spacers(configurations: Iterable[Configuration]) -> tuple[Turn, ...]:
    """Turns of Spacer in these configurations."""
    return tuple(Turn(f"spacer {c.name}", Spacer(c), c.share) for c in configurations)


def named(
    names: Sequence[EngineName],
    jobs: int,
    bound: int | None,
    abstraction: AbstractionOptions | None = None,
) -> tuple[Turn, ...]:
    """The engines named, each with an equal share of the time of all jobs."""
    if tuple(names) == (EngineName.SPACER,):
        return spacers(CONFIGURATIONS)
    made = ((name, engine(name, bound, abstraction)) for name in names)
    found = [(name, one) for name, one in made if one is not None]
    left = range(len(found), 0, -1)
    return tuple(
        Turn(name.value, one, min(1.0, jobs / n))
        for (name, one), n in zip(found, left, strict=True)
    )


def planned(plan: Iterable[Planned], bound: int | None) -> tuple[Turn, ...]:
    """The turns of a plan that was given; SeaError where there is no such configuration."""
    return tuple(turn for one in plan for turn in _planned(one, bound))


def _planned(one: Planned, bound: int | None) -> tuple[Turn, ...]:
    name = f"{one.engine.value} {one.configuration}".strip()
    if not one.configuration:
        made = engine(one.engine, bound)
        return () if made is None else (Turn(name, made, one.share, one.seconds),)
    for configuration in CONFIGURATIONS if one.engine is EngineName.SPACER else ():
        if configuration.name == one.configuration:
            return (Turn(name, Spacer(configuration), one.share, one.seconds),)
    known = ", ".join(c.name for c in CONFIGURATIONS)
    raise SeaError(f"no engine is called {name}; configurations of spacer: {known}")


def schedule(look: Features, bits: bool, bound: int | None) -> tuple[Turn, ...]:
    """The turns for a system of this look; `bits` says that its integers are bit-vectors."""
    if bits:
        return _for_bits(look, bound)
    if look.arrays:
        plain, *cells = spacers(CONFIGURATIONS)
        cell = ArrayCells(_accelerated(), Observation(followed=True))
        return (plain, Turn("accelerated cell", cell, 0.4, CLOSURES), *cells)
    lemmas = Turn("lemmas", Strengthened(Spacer(GLOBAL)), 0.6)
    induction = Turn("kinduction", KInduction(bound), 0.7)
    linear = Turn("linear", Linear(), 0.4, CLOSURES)
    abstraction = Turn("cegar", Cegar(), 0.5)
    values = Turn("cegar", Cegar(configured("domain=both")), 0.5)
    if not look.loops:
        plain, other = spacers((PLAIN, GLOBAL))
        return (plain, other) if look.linear else (plain, linear, other)
    if not look.linear:
        plain, other = spacers((PLAIN, GLOBAL))
        last = (replace(induction, share=0.4), lemmas, values, *spacers((DEEP,)))
        return (plain, linear, other, *last)
    later = spacers((GLOBAL, SYMBOLIC, DEEP))
    if look.blocks >= MANY_BLOCKS:
        first = (*spacers((replace(PLAIN, share=0.4),)), replace(values, share=0.85))
        return (*first, induction, lemmas, *later)
    briefly = Turn("spacer global briefly", Spacer(GLOBAL), BRIEFLY, MOST_BRIEFLY)
    closures = Turn("accelerated", _accelerated(), 0.6, CLOSURES)
    first = (*spacers((PLAIN,)), briefly, closures, linear)
    return (*first, induction, lemmas, abstraction, *later)


def shortened(turns: Iterable[Turn]) -> tuple[Turn, ...]:
    """Turns of a schedule when none works beside another."""
    return tuple(replace(turn, share=turn.share * ALONE) for turn in turns)


def affordable(turns: Sequence[Turn], seconds: float) -> tuple[Turn, ...]:
    """The first turns of a schedule, as many as find something in so much time of all jobs."""
    return tuple(turns[: max(1, int(seconds / LEAST_TURN))])


def _for_bits(look: Features, bound: int | None) -> tuple[Turn, ...]:
    bmc = Bmc(bound)
    if not look.loops:
        return (Turn("bmc", bmc, 0.6), *spacers((PLAIN,)))
    first, again = Turn("bmc", bmc, 0.5, SHORT), Turn("bmc again", bmc)
    if look.arrays:
        return (first, Turn("spacer", Portfolio(spacers(CONFIGURATIONS)), 0.4), again)
    spacer = spacers((replace(PLAIN, share=0.3), replace(GLOBAL, share=0.2)))
    if not look.linear:
        return (first, *spacer, again)
    imc, induction = Turn("imc", Imc(), 0.1), Turn("kinduction", KInduction(bound), 0.3)
    if look.products:  # which induction sees through at once, or nobody soon
        return (first, replace(induction, share=0.5), imc, *spacer, again)
    return (first, imc, induction, *spacer, again)
