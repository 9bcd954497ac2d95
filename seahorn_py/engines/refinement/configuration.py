"""What can be chosen about the loop, in the manner of CPAchecker and Theta."""

from __future__ import annotations

from dataclasses import asdict, fields, replace
from enum import Enum
from typing import Any

from seahorn_py.base.errors import InputError
from seahorn_py.base.records import dataclass


class Domain(Enum):
    """What an abstract state says: which predicates hold, which values parameters have, or both."""

    PREDICATES = "predicates"
    EXPLICIT = "explicit"
    BOTH = "both"


class Abstraction(Enum):
    """CARTESIAN: the predicates that follow, each by itself.  BOOLEAN: all their combinations."""

    CARTESIAN = "cartesian"
    BOOLEAN = "boolean"


class Refinement(Enum):
    """Where new predicates come from.

    WP: weakest preconditions along the counterexample (ARMC, SLAM).  CUTS: an interpolant for each
    cut (BLAST).  SEQUENCE: a sequence of interpolants where the derivation is a path.  TREE: one
    for each step of a derivation of any shape.  CORE: atoms of an unsatisfiable core (Newton).
    PATHS: invariants of path programs; where there is none TREE, and where that fails CORE.
    DISJUNCTIVE: for all derivations at once that the states of the counterexample have; where there
    is nothing TREE (Eldarica).
    """

    WP = "wp"
    CUTS = "cuts"
    SEQUENCE = "sequence"
    TREE = "tree"
    CORE = "core"
    PATHS = "paths"
    DISJUNCTIVE = "disjunctive"


class Order(Enum):
    """Which rule is applied next: the oldest, the newest, or one near to a query."""

    BREADTH = "bfs"
    DEPTH = "dfs"
    DISTANCE = "distance"


class Initial(Enum):
    """The first predicates: none, the comparisons of the rules, or generated invariants too.

    DEMAND: comparisons, and invariants only when the predicates that are found diverge; where
    values are followed, comparisons only when values do not suffice.
    """

    NONE = "none"
    CONDITIONS = "conditions"
    INVARIANTS = "invariants"
    DEMAND = "on-demand"


class Pruning(Enum):
    """What a refinement takes back: everything, or only what lies behind new predicates (BLAST)."""

    FULL = "full"
    LAZY = "lazy"


class Split(Enum):
    """What of an interpolant becomes a predicate: the whole, its conjuncts, or its atoms."""

    WHOLE = "whole"
    CONJUNCTS = "conjuncts"
    ATOMS = "atoms"


@dataclass(frozen=True)
class Configuration:
    """One combination."""

    domain: Domain = Domain.PREDICATES
    abstraction: Abstraction = Abstraction.CARTESIAN
    refinement: Refinement = Refinement.TREE
    order: Order = Order.BREADTH
    initial: Initial = Initial.DEMAND
    pruning: Pruning = Pruning.LAZY
    split: Split = Split.CONJUNCTS

    def text(self) -> str:
        """All choices, as `configured` reads them."""
        return ",".join(f"{name}={choice.value}" for name, choice in asdict(self).items())


def configured(text: str, base: Configuration | None = None) -> Configuration:
    """The configuration of `name=value,...`; InputError where there is no such choice."""
    base = base or Configuration()
    chosen: dict[str, Any] = {}
    known = {field.name: type(getattr(base, field.name)) for field in fields(base)}
    for part in filter(None, text.split(",")):
        name, _, value = part.partition("=")
        if name not in known:
            raise InputError(f"--cegar: no choice is called {name!r}; there are {', '.join(known)}")
        values = [member.value for member in known[name]]
        if value not in values:
            raise InputError(f"--cegar: {name} is one of {', '.join(values)}, not {value!r}")
        chosen[name] = known[name](value)
    return replace(base, **chosen)
