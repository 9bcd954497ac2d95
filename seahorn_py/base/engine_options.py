"""Options about engines: their names, what they abstract, and when each has its turn.

Each is checked when it is made, as in `seahorn_py.options`.
"""

from __future__ import annotations

from enum import Enum
from math import inf
from pathlib import Path

from seahorn_py.base import option_values as values
from seahorn_py.base.plugins import Kind, PlugIn, find
from seahorn_py.base.records import dataclass


class EngineName(Enum):
    """EXECUTE: native runs.  BMC: bounded model checking.  SPACER: Z3's Spacer.

    CELLS: Spacer on observed cells of arrays.  KINDUCTION: k-induction with generated invariants.
    LEMMAS: Spacer on the system strengthened by generated invariants.
    LINEAR: path edges and summary edges as integer polyhedra.  ACCELERATED: Spacer on the system
    with loops replaced by their closures.
    IMC: interpolation-based model checking.  PDKIND: property-directed k-induction.
    PDR: property-directed reachability.
    TPA: transition power abstraction.  STATES: all states, one by one.
    HEAP: facts about all blocks of the heap, for lists of any length.
    ELEMENTS: facts about the elements of arrays of any size.
    POLYNOMIALS: equations between polynomials and bounds, guessed from runs.
    TUPLES: which values of two or three parameters occur together.
    CEGAR: predicate abstraction with refinement.
    IMPACT: lazy abstraction with interpolants.  BOOLEAN: Boolean programs.
    """

    EXECUTE = "execute"
    BMC = "bmc"
    SPACER = "spacer"
    CELLS = "cells"
    KINDUCTION = "kinduction"
    LEMMAS = "lemmas"
    LINEAR = "linear"
    ACCELERATED = "accelerated"
    IMC = "imc"
    PDKIND = "pdkind"
    PDR = "pdr"
    TPA = "tpa"
    STATES = "states"
    TUPLES = "tuples"
    HEAP = "heap"
    ELEMENTS = "elements"
    POLYNOMIALS = "polynomials"
    CEGAR = "cegar"
    IMPACT = "impact"
    BOOLEAN = "boolean"


def engine_of(value: object) -> object:
    """An engine, by its name too; a plug-in where we have none of that name."""
    if isinstance(value, str) and value not in [one.value for one in EngineName]:
        value = find(Kind.ENGINE, value) or find(Kind.DOMAIN, value) or value
    return value if isinstance(value, PlugIn) else values.member(EngineName)(value)


class Semantics(Enum):
    """What unknown means in a Boolean program: either value, the end of the run, or a value."""

    OVER = "over"
    UNDER = "under"
    BELNAP = "belnap"


@dataclass(frozen=True)
class AbstractionOptions:
    """Options of the engines that abstract: cegar, impact and boolean.

    `choices` of cegar are written `name=value,...`; "" stands for the default ones. Each round of
    cegar and impact is appended to the file `trace`. The file `precision` has the predicates that
    cegar and boolean begin with, if it is there, and then those they ended with. `semantics` is
    that of boolean, whose last program is appended to the file `program`.
    """

    choices: str = ""
    trace: Path | None = None
    precision: Path | None = None
    semantics: Semantics = Semantics.OVER
    program: Path | None = None

    def __post_init__(self) -> None:
        """Check the values but for `choices`, which the engine knows."""
        file = values.optional(values.path)
        values.settle(
            self,
            choices=values.text,
            trace=file,
            precision=file,
            semantics=values.member(Semantics),
            program=file,
        )


@dataclass(frozen=True)
class Planned:
    """A turn of an engine: its share of the time left when it begins, and the most seconds.

    It may take more seconds if they are within the share `of_run` of the time limit of the run.
    `configuration` is one of the engine, "" for what it does by itself; the turn is called `name`,
    or like the engine.
    """

    engine: EngineName | PlugIn
    configuration: str = ""
    share: float = 1.0
    seconds: float = inf
    name: str = ""
    of_run: float = 0.0

    def __post_init__(self) -> None:
        """Check the values but for the name of a configuration, which the engine knows."""
        values.settle(
            self,
            engine=engine_of,
            configuration=values.text,
            share=values.number(0, 1, is_open=True),
            seconds=values.number(0, inf, is_open=True),
            name=values.text,
            of_run=values.number(0, 1),
        )


@dataclass(frozen=True)
class Schedule:
    """The turns in integers and in bit-vectors; None leaves the choice to the program."""

    int: tuple[Planned, ...] | None = None
    bv: tuple[Planned, ...] | None = None

    def __post_init__(self) -> None:
        """Check the values."""
        plan = values.optional(values.tuple_of(values.instance(Planned), "Planned"))
        values.settle(self, int=plan, bv=plan)
