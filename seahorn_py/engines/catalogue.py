"""The engines by name, and the schedules: which of them try a Horn system, in which order.

A system's profile decides which schedule it has.  The schedules themselves are in the policy, with
what each is for.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import assert_never

from seahorn_py.base.errors import SeaError
from seahorn_py.base.plugins import PlugIn
from seahorn_py.engines.bmc.bmc import Bmc
from seahorn_py.engines.boolean.boolean import BooleanPrograms
from seahorn_py.engines.cegar.cegar import Cegar
from seahorn_py.engines.elements.all_elements import Elements
from seahorn_py.engines.engine import Engine
from seahorn_py.engines.heap.heap import Heap
from seahorn_py.engines.imc.imc import Imc
from seahorn_py.engines.impact.impact import Impact
from seahorn_py.engines.kinduction.kinduction import KInduction
from seahorn_py.engines.linear.linear import Linear
from seahorn_py.engines.pdkind.pdkind import PdKind
from seahorn_py.engines.pdr.pdr import Pdr
from seahorn_py.engines.polynomials.polynomial_guesses import Polynomials
from seahorn_py.engines.portfolio import Portfolio, Turn
from seahorn_py.engines.profile import Profile
from seahorn_py.engines.refinement.configuration import configured
from seahorn_py.engines.schedules import plan_of
from seahorn_py.engines.spacer.spacer import CONFIGURATIONS, GLOBAL, Spacer
from seahorn_py.engines.states.states import States
from seahorn_py.engines.tpa.tpa import Tpa
from seahorn_py.engines.tuples.tuples import Tuples
from seahorn_py.engines.wrappers.accelerated import Accelerated
from seahorn_py.engines.wrappers.arraycells import ArrayCells
from seahorn_py.engines.wrappers.strengthened import Strengthened
from seahorn_py.engines.wrappers.transformed import Transformed
from seahorn_py.horn.transform.acceleration.arithmetic import LinearPart
from seahorn_py.horn.transform.arguments.control import Control
from seahorn_py.horn.transform.arguments.folds import Folds
from seahorn_py.horn.transform.arguments.numberbits import NumberBits
from seahorn_py.horn.transform.arguments.numberfacts import NumberFacts
from seahorn_py.horn.transform.cells.observation import Observation
from seahorn_py.horn.transform.rules.linearising import Linearising
from seahorn_py.horn.transform.rules.quotients import Quotients
from seahorn_py.horn.transform.rules.reversal import Reversal
from seahorn_py.horn.transform.rules.unfolding import Unfolding
from seahorn_py.logic.terms.datatypes import FoldKind
from seahorn_py.options import AbstractionOptions, EngineName, Planned
from seahorn_py.policy.policy import policy
from seahorn_py.policy.sections import limited


def engine(  # noqa: C901 - a flat match
    name: EngineName | PlugIn, bound: int | None, abstraction: AbstractionOptions | None = None
) -> Engine | None:
    """The engine of this name; None for the one that works on the program alone.

    SeaError for a plug-in that cannot be loaded.
    """
    abstract = abstraction or AbstractionOptions()
    match name:
        case PlugIn():
            from seahorn_py.engines.plugged import plugged  # costs start-up time

            return plugged(name)
        case EngineName.EXECUTE:
            return None
        case EngineName.BMC:
            return Bmc(bound)
        case EngineName.SPACER:
            return Portfolio(scheduled("spacer", bound))
        case EngineName.CELLS:
            return Portfolio(scheduled("cells", bound))
        case EngineName.KINDUCTION:
            return KInduction(bound)
        case EngineName.LEMMAS:
            return Strengthened(Spacer(GLOBAL))
        case EngineName.IMC:
            return Imc(most=bound)
        case EngineName.PDKIND:
            return PdKind()
        case EngineName.PDR:
            return Pdr()
        case EngineName.TPA:
            return Tpa()
        case EngineName.STATES:
            return States()
        case EngineName.TUPLES:
            return Tuples()
        case EngineName.HEAP:
            return Heap()
        case EngineName.ELEMENTS:
            return Elements()
        case EngineName.POLYNOMIALS:
            return Polynomials()
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


def named(
    names: Sequence[EngineName | PlugIn],
    jobs: int,
    bound: int | None,
    abstraction: AbstractionOptions | None = None,
) -> tuple[Turn, ...]:
    """The engines named, each with an equal share of the time of all jobs."""
    if tuple(names) == (EngineName.SPACER,):
        return scheduled("spacer", bound)
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
    name = one.name or f"{one.engine.value} {one.configuration}".strip()
    made = _configured(one, bound) if one.configuration else _alone(one.engine, bound)
    return () if made is None else (Turn(name, made, one.share, limited(one.seconds, one.of_run)),)


def _alone(name: EngineName | PlugIn, bound: int | None) -> Engine | None:
    """The engine that has a turn for itself."""
    return _accelerated() if name is EngineName.ACCELERATED else engine(name, bound)


def _folded(kinds: tuple[FoldKind, ...]) -> Engine:
    """Folds instead of values, with generated invariants."""
    return Transformed(Strengthened(Spacer(GLOBAL)), (Folds(kinds, values=False),))


def _configured(one: Planned, bound: int | None) -> Engine:  # noqa: C901 - a flat match
    """The engine in a configuration of this name."""
    known: dict[str, Engine]
    match one.engine:
        case EngineName.SPACER:
            known = {made.name: Spacer(made) for made in CONFIGURATIONS}
            known["control"] = Transformed(Spacer(), (Control(), Unfolding()))
            known["linearised"] = Transformed(Spacer(), (Linearising(),))
            known["quotients"] = Transformed(Spacer(), (Quotients(),))
            known["facts"] = Transformed(Spacer(), (NumberFacts(),))
            known["backwards"] = Transformed(Spacer(), (Reversal(),))
            known["bits"] = Transformed(Spacer(), (NumberBits(),))
            known["sizes"] = Transformed(Spacer(), (Folds(),))
        case EngineName.LEMMAS:
            known = {
                "sizes": _folded((FoldKind.SIZE,)),
                "folds": _folded(tuple(FoldKind)),
            }
        case EngineName.CELLS:
            known = {
                "one": ArrayCells(Spacer(GLOBAL), Observation(1)),
                "two": ArrayCells(Spacer(GLOBAL), Observation(2)),
                "followed": ArrayCells(_accelerated(), Observation(followed=True)),
            }
        case EngineName.CEGAR:
            known = {"values": Cegar(configured("domain=both"))}
        case EngineName.IMC:
            known = {"unbounded": Imc(), "bits": Transformed(Imc(), (NumberBits(),))}
        case EngineName.KINDUCTION:
            known = {
                "bits": Transformed(KInduction(), (NumberBits(),)),
                "linearised": Transformed(KInduction(), (Linearising(),)),
            }
        case EngineName.TPA:
            known = {"split": Tpa(split=True)}
        case EngineName.STATES:
            known = {"some": States(some=True)}
        case EngineName.TUPLES:
            places = Tuples(places=policy().choosing.many_values)
            known = {"places": Transformed(places, (LinearPart(),))}
        case _:
            known = {}
    if one.configuration not in known:
        name = f"{one.engine.value} {one.configuration}"
        some = f"configurations of {one.engine.value}: {', '.join(known)}"
        raise SeaError(f"no engine is called {name}; {some if known else 'it has one form only'}")
    return known[one.configuration]


def schedule(look: Profile, bits: bool, bound: int | None) -> tuple[Turn, ...]:
    """The turns for a system of this look; `bits` says that its integers are bit-vectors."""
    turns = scheduled(_of_bits(look) if bits else _of_integers(look), bound)
    has_places = look.linear and look.loops and look.places >= policy().choosing.many_places
    return turns if bits or not has_places else (*scheduled("states", bound), *turns)


def schedule_of_file(look: Profile, bits: bool) -> tuple[Turn, ...]:
    """The same for a system that comes as a file, which has turns of its own after the first."""
    turns, more = schedule(look, bits, None), _OF_FILES.get((_of_integers(look), look.linear))
    if bits or more is None:
        return turns
    return (turns[0], *scheduled(more, None), *turns[1:])


_OF_FILES = {
    ("int", True): "files",
    ("int_control", True): "files",
    ("int_calls", False): "files_of_calls",
    ("int_arrays", True): "files_of_arrays",
    ("int_arrays", False): "files_of_threads",
}
"""The schedules that have such turns, and where these are."""


def scheduled(name: str, bound: int | None) -> tuple[Turn, ...]:
    """The turns of a schedule of the policy."""
    return planned(plan_of(getattr(policy().schedules, name), f"policy: schedules.{name}"), bound)


def _of_integers(look: Profile) -> str:
    """The name of the schedule for a system over integers."""
    if look.datatypes:
        return "datatypes"
    if look.arrays:
        return "int_arrays"
    if look.reals and look.linear:
        return "real"
    if not look.loops:
        return "int_straight" if look.linear else "int_straight_calls"
    if not look.linear:
        return "int_calls"
    if look.products:
        return "int_products"
    return "int_control" if look.blocks >= policy().choosing.many_blocks else "int"


def _of_bits(look: Profile) -> str:
    """The name of the schedule for a system over bit-vectors."""
    if not look.loops:
        return "bv_straight"
    if look.arrays:
        return "bv_arrays"
    if not look.linear:
        return "bv_calls"
    return "bv_products" if look.products else "bv"


def shortened(turns: Iterable[Turn]) -> tuple[Turn, ...]:
    """Turns of a schedule when none works beside another."""
    return tuple(replace(turn, share=turn.share * policy().choosing.alone_share) for turn in turns)


def affordable(turns: Sequence[Turn], seconds: float) -> tuple[Turn, ...]:
    """The first turns of a schedule: as many as can find something in the time of all jobs."""
    return tuple(turns[: max(1, int(seconds / policy().choosing.least_turn_seconds))])
