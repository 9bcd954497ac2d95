"""Rules as data: an automaton with ghost variables that watches events of a program.

A rule has one automaton for the whole program, or one for each object that a name `per` is bound to
(typestate, Strom and Yemini 1986).  The rules of SLAM (Ball and Rajamani, SPIN 2001) and the
automata of BLAST's query language (Beyer et al., SAS 2004) are of the first kind.
"""

from __future__ import annotations

from enum import Enum
from fnmatch import fnmatchcase

from seahorn_py.base.records import dataclass

VIOLATED = "__SEA_rule_violated"
"""The function that the code of a rule calls with the message of an error."""

RULES = "sea.rule."
"""Begins the names of the functions of rules that are called where events happen."""

OTHERS = "..."
"""In the place of parameters: there may be more."""

NOT_BOUND = "_"


class When(Enum):
    """What happens: a call begins or has returned, a global is read or written, the program ends.

    The program ends where `main` returns and where `exit` is called.
    """

    ENTER = "enter"
    RETURN = "return"
    READ = "read"
    WRITE = "write"
    END = "end"


@dataclass(frozen=True, slots=True)
class Event:
    """An event, and the names that are bound to its values.

    `name` is a pattern (`*`, `?`, `[...]`) of names of functions, or the name of a global; "" for
    the end. `parameters` are bound to the arguments, `_` to none; `result` to what is returned,
    read or written.
    """

    when: When
    name: str = ""
    parameters: tuple[str, ...] = ()
    result: str = ""

    def matches(self, when: When, name: str) -> bool:
        """Whether this is such an event of a function or global."""
        return self.when is when and fnmatchcase(name, self.name)

    @property
    def bound(self) -> frozenset[str]:
        """The names that have a value when the event happens."""
        given = {*self.parameters, self.result} - {"", NOT_BOUND, OTHERS}
        return frozenset(given)


@dataclass(frozen=True, slots=True)
class Transition:
    """What an event does in some states: the first transition that fits is taken.

    `guard` is an expression of C, "" for true; `actions` are statements of C over ghost variables.
    `target` "" is to stay. An `error` is the message of a violation. `blocks` ends the run as one
    that is not looked at. `is_birth` says that the object is new with this event: what was before
    was another one. `is_choice` lets a run take a later transition instead, if one fits.
    """

    event: Event
    sources: tuple[str, ...] = ()
    """The states in which it can be taken; none stands for all."""
    guard: str = ""
    actions: tuple[str, ...] = ()
    target: str = ""
    error: str = ""
    blocks: bool = False
    is_birth: bool = False
    is_choice: bool = False
    place: str = ""
    """Where it is written, `file:line` or `file: item N`."""


@dataclass(frozen=True, slots=True)
class Ghost:
    """A variable of the automaton: its C type and first value, or a set of addresses or numbers."""

    name: str
    type: str
    initial: str = "0"
    is_set: bool = False


@dataclass(frozen=True, slots=True)
class Automaton:
    """One automaton of a rule; the first of its states is where it begins.

    With `per` there is one for each object, other than null, that events bind this name to; where
    objects are numbers, `nothing` is the one that stands for none.
    `reads_expressions` says that arguments have the values of the caller's expressions, before they
    are converted to the types of parameters. `constants` are lists of enumerators of C, whose names
    guards and actions may use.
    """

    name: str
    states: tuple[str, ...]
    transitions: tuple[Transition, ...]
    ghosts: tuple[Ghost, ...] = ()
    per: str = ""
    nothing: int = 0
    reads_expressions: bool = False
    constants: tuple[str, ...] = ()

    @property
    def tells_objects_apart(self) -> bool:
        """Whether addresses matter: there are sets, or what is known belongs to an object."""
        return bool(self.per) or any(ghost.is_set for ghost in self.ghosts)

    @property
    def has_births(self) -> bool:
        """Whether objects are known from the event on that makes them."""
        return any(transition.is_birth for transition in self.transitions)

    @property
    def is_of_single_objects(self) -> bool:
        """Whether what is known of an object depends on no other, and no call makes objects."""
        has_sets = any(ghost.is_set for ghost in self.ghosts)
        return bool(self.per) and not self.has_births and not has_sets


@dataclass(frozen=True, slots=True)
class Rule:
    """A named rule; `about` is a line, `page` the text that explains it; `origin` is its file."""

    name: str
    about: str
    automata: tuple[Automaton, ...]
    page: str = ""
    origin: str = ""


def matching(automaton: Automaton, when: When, name: str) -> list[Transition]:
    """The transitions that an event of a function or global can be, in their order."""
    return [t for t in automaton.transitions if t.event.matches(when, name)]
