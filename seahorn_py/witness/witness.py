"""What a witness says, apart from its format: readers return these data, and writers take them.

A violation witness is a sequence of segments (YAML 2.0; Ayaziova, Beyer, Lingsch-Rosenfeld,
Spiessl, Strejcek 2024): a run follows it if it can be cut into parts, one for each segment, such
that each part passes none of its `avoid` waypoints, and ends with its `follow` waypoint, which must
hold at the first time that it is evaluated in the part.  Of a run without end (YAML 2.1) the last
segments are a cycle: the run can be cut into parts for the others and then, without end, into parts
for those of the cycle.  A path of a GraphML automaton (format 1.0;
Beyer, Dangl, Dietsch, Heizmann, Lemberger, Tautschnig 2022) is such a sequence of which only lines
are told; the automaton itself (`witness.graphml.automaton`) is read for itself, since its edges may
branch and say things that no run has to pass.
"""

from __future__ import annotations

from dataclasses import dataclass

from seahorn_py.base.errors import InputError
from seahorn_py.options import Property


class WitnessError(InputError):
    """A file that is no witness in a known format; the message names it and says why."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a waypoint or an invariant is: in lines `line` to `last` of a file.

    Without a column it is the leftmost place of its kind in these lines.  `file` is "" where the
    witness does not name one.  `function` is the function around it, if that is told.
    """

    file: str
    line: int
    last: int
    column: int | None = None
    function: str = ""

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}" if self.file else f"line {self.line}"
        return where if self.column is None else f"{where}:{self.column}"


@dataclass(frozen=True, slots=True)
class Assumption:
    """The C expressions hold just before the statement at the place, or somewhere in its lines."""

    place: Place
    facts: tuple[str, ...]

    @property
    def expression(self) -> str:
        """All of them in one."""
        return conjunction(self.facts)


@dataclass(frozen=True, slots=True)
class Branching:
    """The controlling expression is `true` or `false`; in a `switch`, a constant or `default`."""

    place: Place
    value: str


@dataclass(frozen=True, slots=True)
class Entered:
    """The function whose call ends at the place is entered."""

    place: Place


@dataclass(frozen=True, slots=True)
class Returned:
    """The call that ends at the place has returned, and a condition on its result holds.

    With `callee`, a call of this function in the lines of the place is meant.
    """

    place: Place
    condition: str
    callee: str = ""


@dataclass(frozen=True, slots=True)
class Target:
    """The statement at the place violates the property, as a call of `callee` if that is told."""

    place: Place
    callee: str = ""


Waypoint = Assumption | Branching | Entered | Returned


@dataclass(frozen=True, slots=True)
class Segment:
    """What a part of the run avoids, and the waypoint at its end."""

    avoid: tuple[Waypoint, ...]
    follow: Waypoint | Target


@dataclass(frozen=True, slots=True)
class Invariant:
    """A C expression that holds whenever a run comes to the place.

    For a loop: each time before its condition is evaluated; else before the statement there.
    `is_exact` says that the format tells this place and not only a line near it.
    """

    place: Place
    expression: str
    loop: bool
    is_exact: bool = True


@dataclass(frozen=True, slots=True)
class Transition:
    r"""A relation between two visits of the loop at the place, as a C expression.

    Visits are those of one execution of the loop, each before its condition is evaluated.  It holds
    of the variables now, and `\at(x, AnyPrev)` is what `x` was at any visit before.
    """

    place: Place
    expression: str


@dataclass(frozen=True, slots=True)
class About:
    """The task that a witness was made for.

    `hashes` are pairs of a file's name and its SHA-256: of all files, unless
    `only_first` is told.  `properties` are those of the specification, `bits` is 32 or 64.
    """

    hashes: tuple[tuple[str, str], ...]
    properties: frozenset[Property]
    bits: int
    only_first: bool = False


@dataclass(frozen=True, slots=True)
class Producer:
    """What writes a witness, by which command and when: readers do not look at that."""

    name: str
    version: str
    command: str
    time: str


@dataclass(frozen=True, slots=True)
class ViolationWitness:
    """A path to a violation, which ends in a target or has a cycle that is passed without end.

    It `is_whole` if no other path of the witness was left out.  If it is not `is_dense`, steps
    between the waypoints were, and of their places only lines are told.
    """

    about: About
    segments: tuple[Segment, ...]
    is_whole: bool = True
    is_dense: bool = True
    cycle: tuple[Segment, ...] = ()


@dataclass(frozen=True, slots=True)
class CorrectnessWitness:
    """Invariants of a program without violation."""

    about: About
    invariants: tuple[Invariant, ...]
    transitions: tuple[Transition, ...] = ()


Witness = ViolationWitness | CorrectnessWitness


def conjunction(facts: tuple[str, ...]) -> str:
    """C expressions in one; whatever a single one is, it stays an operand."""
    return facts[0] if len(facts) == 1 else " && ".join(f"({fact})" for fact in facts)
