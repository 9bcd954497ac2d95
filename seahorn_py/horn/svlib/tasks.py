"""What an SV-LIB script asks: procedures as lists of instructions, and a call of one of them.

    (verify-call p (t ...))   do all annotations hold in all runs of `p` that begin in this way?

Beyer, Ernst, Jonas, Lingsch-Rosenfeld: "SV-LIB 1.0: A Standard Exchange Format for
Software-Verification Tasks" (technical report, 2025).  Instructions are executed one after the
other; places are their numbers.  Annotations are `Check`s.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from seahorn_py.base.records import dataclass
from seahorn_py.logic.terms.terms import Sort, Term, sort_of


@dataclass(frozen=True)
class Variable:
    """A variable of a procedure or of the script; `symbol` is its value in terms."""

    name: str
    symbol: Term

    @property
    def sort(self) -> Sort:
        """The sort of its values."""
        return sort_of(self.symbol)


@dataclass(frozen=True)
class Annotation:
    """What is promised at a statement: `kind` as it is written (`:ensures`), and its text.

    `tag` is a name of the statement, empty if it has none.
    """

    tag: str
    kind: str
    text: str
    line: int


@dataclass(frozen=True)
class Assume:
    """Runs in which the condition does not hold end here, and violate nothing."""

    condition: Term


@dataclass(frozen=True)
class Assign:
    """Symbols of variables get the values of terms, all at once."""

    values: Mapping[Term, Term]


@dataclass(frozen=True)
class Havoc:
    """Variables get any values."""

    variables: tuple[Variable, ...]


@dataclass(frozen=True)
class Call:
    """A call, after which the results are in these symbols."""

    procedure: str
    arguments: tuple[Term, ...]
    results: tuple[Term, ...]
    line: int


@dataclass(frozen=True)
class Check:
    """The run ends, and violates the annotation, unless the condition holds."""

    condition: Term
    annotation: Annotation


@dataclass(frozen=True)
class Branch:
    """Goes on at `then` if the condition holds, otherwise at `otherwise`."""

    condition: Term
    then: int
    otherwise: int


@dataclass(frozen=True)
class Jump:
    """Goes on at any of the places; a run says at which if there are several."""

    places: tuple[int, ...]


Instruction: TypeAlias = Assume | Assign | Havoc | Call | Check | Branch | Jump


@dataclass(frozen=True)
class Procedure:
    """A procedure; it returns behind the last instruction.

    `ghosts` hold what annotations remember.  `heads` has the place of each loop and label that has
    a tag, `tags` those of the whole body.
    """

    name: str
    inputs: tuple[Variable, ...]
    outputs: tuple[Variable, ...]
    locals: tuple[Variable, ...]
    ghosts: tuple[Variable, ...]
    code: tuple[Instruction, ...]
    heads: Mapping[str, int]
    tags: tuple[str, ...]
    line: int

    @property
    def fresh(self) -> tuple[Variable, ...]:
        """The variables that have any value at first."""
        return (*self.outputs, *self.locals)


@dataclass(frozen=True)
class Task:
    """A `verify-call`, with all that stands before it.

    `axioms` restrict the constants.  `open` has the annotations that nothing here decides.
    """

    source: str
    line: int
    constants: tuple[Variable, ...]
    globals: tuple[Variable, ...]
    axioms: Term
    procedures: Mapping[str, Procedure]
    entry: str
    arguments: tuple[Term, ...]
    open: tuple[Annotation, ...]

    def changed(self) -> frozenset[Term]:
        """The symbols that some instruction gives a value."""
        return frozenset(
            symbol
            for procedure in self.procedures.values()
            for instruction in procedure.code
            for symbol in written(instruction)
        )


def written(instruction: Instruction) -> Iterator[Term]:
    """The symbols that get values, apart from globals that a callee changes."""
    match instruction:
        case Assign(values):
            yield from values
        case Havoc(variables):
            yield from (variable.symbol for variable in variables)
        case Call(_, _, results):
            yield from results
        case _:
            return


def successors(place: int, instruction: Instruction) -> tuple[int, ...]:
    """Where a run may go on."""
    match instruction:
        case Branch(_, then, otherwise):
            return (then, otherwise)
        case Jump(places):
            return places
        case _:
            return (place + 1,)
