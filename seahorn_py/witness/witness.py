"""What a witness says, apart from its format: readers return these data, and writers take them.

A violation witness is a sequence of segments (YAML 2.0; Ayaziova, Beyer, Lingsch-Rosenfeld,
Spiessl, Strejcek 2024).  A run follows it if the run can be cut into parts, one for each segment.
A part passes none of the `avoid` waypoints of its segment.  It ends with the `follow` waypoint,
which must hold when it is evaluated for the first time in the part.

The last segments of a witness of a run without end (YAML 2.1) are a cycle.  After the parts for the
other segments, the run can be cut into parts for the segments of the cycle, again and again.

A path of a GraphML automaton (format 1.0; Beyer, Dangl, Dietsch, Heizmann, Lemberger, Tautschnig
2022) is a sequence of segments whose places are lines.  The automaton as a whole has a model of its
own (`witness.graphml.automaton`), since its edges may branch.
"""

from __future__ import annotations

from seahorn_py.base.errors import InputError
from seahorn_py.base.records import dataclass
from seahorn_py.options import Property


class WitnessError(InputError):
    """The file is no witness in a known format; the message says why."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a waypoint or an invariant is: in lines `line` to `last` of a file, from 1.

    Without a column, the leftmost place of its kind in these lines is meant.  `file` is "" if the
    witness names no file.  `function` is the function around the place, or "".
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
        """The conjunction of all facts."""
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
    `is_exact` says that the format tells this place, and not only a line near the place.
    """

    place: Place
    expression: str
    loop: bool
    is_exact: bool = True


@dataclass(frozen=True, slots=True)
class Transition:
    r"""A relation between two visits of the loop at the place, as a C expression.

    Visits belong to one execution of the loop, each before its condition is evaluated.  Variables
    have their values now, and `\at(x, AnyPrev)` is the value of `x` at any earlier visit.
    """

    place: Place
    expression: str


@dataclass(frozen=True, slots=True)
class About:
    """The task that a witness was made for.

    `hashes` are pairs of a file's name and its SHA-256: of all files, or the first alone if
    `only_first`.  `properties` are those of the specification, `rules` the names of its rules of
    use; `bits` is 32 or 64.
    """

    hashes: tuple[tuple[str, str], ...]
    properties: frozenset[Property]
    bits: int
    only_first: bool = False
    rules: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Producer:
    """The program that writes a witness, its command and the time; readers do not use these."""

    name: str
    version: str
    command: str
    time: str


@dataclass(frozen=True, slots=True)
class ViolationWitness:
    """A path to a violation, which ends in a target or has a cycle that is passed without end.

    It `is_whole` if no other path of the witness was left out.  If it is not `is_dense`, steps
    between the waypoints were left out, and the places are lines alone.
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
    """The conjunction of C expressions, each in parentheses if there are several."""
    return facts[0] if len(facts) == 1 else " && ".join(f"({fact})" for fact in facts)
