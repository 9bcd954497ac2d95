"""Options of a verification, as small frozen dataclasses; the command line derives from them.

Each is checked when it is made: a ValueError names the option, the value and what is expected.
Strings are taken for members of enumerations and for paths, lists for tuples.
"""

from __future__ import annotations

from dataclasses import field
from enum import Enum
from pathlib import Path

from seahorn_py.base import option_values as values
from seahorn_py.base.engine_options import (
    AbstractionOptions,
    EngineName,
    Planned,
    Schedule,
    Semantics,
    engine_of,
)
from seahorn_py.base.plugins import PlugIn
from seahorn_py.base.records import dataclass

__all__ = [
    "LEAST_MEMORY_MIB",
    "MEMORY_SAFETY",
    "AbstractionOptions",
    "Encodings",
    "EngineName",
    "FrontendOptions",
    "Inlining",
    "Libc",
    "Order",
    "Overflow",
    "Planned",
    "Property",
    "Schedule",
    "Semantics",
    "Step",
    "Track",
    "VerifyOptions",
    "Volatile",
]


class Property(Enum):
    """What is checked, with the names of SV-COMP where it has one.

    VALID_MEMSAFETY stands for VALID_DEREF, VALID_FREE and VALID_MEMTRACK together.
    """

    UNREACH_CALL = "unreach-call"
    VALID_MEMSAFETY = "valid-memsafety"
    VALID_DEREF = "valid-deref"
    VALID_FREE = "valid-free"
    VALID_MEMTRACK = "valid-memtrack"
    VALID_MEMCLEANUP = "valid-memcleanup"
    NO_OVERFLOW = "no-overflow"
    NULL_DEREF = "null-deref"
    BOUNDS = "bounds"
    DIV_BY_ZERO = "div-by-zero"
    SHIFT = "shift"
    UNINIT = "uninit"
    UNSIGNED_OVERFLOW = "unsigned-overflow"
    CONVERSION = "conversion"
    NO_DATA_RACE = "no-data-race"
    NO_DEADLOCK = "no-deadlock"
    TERMINATION = "termination"
    RULE = "rule"
    LTL = "ltl"


LEAST_MEMORY_MIB = 256
MEMORY_SAFETY = frozenset({Property.VALID_DEREF, Property.VALID_FREE, Property.VALID_MEMTRACK})


class Inlining(Enum):
    """AUTO: functions that are small and not recursive.  NONE: nothing.  ALL: all but recursion."""

    AUTO = "auto"
    NONE = "none"
    ALL = "all"


class Order(Enum):
    """The order of evaluation where C leaves it open: CLANG, which the ledger says, or ALL."""

    CLANG = "clang"
    ALL = "all"


class Libc(Enum):
    """Whose code the functions of the C library are.

    AUTO: our models, and for functions without one the sources that come with the compiler.
    MODELS: our models alone; other functions are unknown.  REAL: these sources wherever there are
    any of an exact function.
    """

    AUTO = "auto"
    MODELS = "models"
    REAL = "real"


class Overflow(Enum):
    """WRAP: two's complement.  ASSUME: runs that have one do not count.  CHECK: it is an error."""

    WRAP = "wrap"
    ASSUME = "assume"
    CHECK = "check"


class Volatile(Enum):
    """What a read of a volatile object gives.

    AUTO: proofs hold for any value, runs read what was stored.  ANY: any value.  STORED: what was
    stored last.
    """

    AUTO = "auto"
    ANY = "any"
    STORED = "stored"


_OF_C = ("malloc_may_fail", "assume_initialised", "may_alias", "any_globals", "driven")


_MEANINGS = {
    "order": values.member(Order),
    "libc": values.member(Libc),
    "overflow": values.member(Overflow),
    "volatile": values.member(Volatile),
}


@dataclass(frozen=True)
class FrontendOptions:
    """From C text to a program.

    `bits` is 32 or 64. Without `properties` every error call and assertion is checked. `clang`
    names a compiler that takes the place of the bundled one. Calls of `error_functions` and places
    with `error_labels` are errors too. With `malloc_may_fail` every allocation may return null.
    `order` is the order of evaluation where C leaves it open. A read that no check of `uninit`
    looks at is a gap; with `assume_initialised` it is assumed to be of something initialised.
    `libc` says whose code the functions of the C library are, `overflow` what signed overflow
    means, `volatile` what reads of volatile objects give. `mmio` are areas of registers with any
    contents, each by its address and its size in bytes. Lines of text that functions of the library
    read, and arguments of `main`, have any length, or at most `line_length` characters. `edited`
    has the text that is compiled in the place of a file; line markers in it lead back to the file.
    `flags` are more flags of the compiler, `flags_of` those of single files.

    With `entries` the program begins with a call of one of these functions in the place of `main`,
    with any arguments. Pointers lead to fresh objects, `pointer_depth` levels deep; with
    `may_alias` one may be equal to another. Arrays have any size, or at most `array_size` elements.
    With `any_globals` globals have any value too. `driven` entries are objects that hold functions,
    called in any order.

    `rules` are names of rules of use, or files that have some; each has an answer of its own. An
    automaton of a rule knows at most `rule_places` objects at a time; 0 stands for as many as it
    needs. `library_models` are plug-ins that have models of further functions. `formula` is of LTL;
    `fuel` says how its automaton becomes code (`frontend.temporal.product.Fuel`), "" both ways.
    Runs are looked at where atoms of the formula `looked_at` may change; "" stands for `formula`.
    `choices` are the numbers that inputs are, by the order of the text, from any moment on
    (`frontend.temporal.choosing`); "" stands for any.
    """

    bits: int = 64
    include_dirs: tuple[Path, ...] = ()
    defines: tuple[str, ...] = ()
    clang: Path | None = None
    properties: frozenset[Property] = frozenset()
    inlining: Inlining = Inlining.AUTO
    error_functions: tuple[str, ...] = ()
    error_labels: tuple[str, ...] = ()
    malloc_may_fail: bool = False
    order: Order = Order.CLANG
    assume_initialised: bool = False
    libc: Libc = Libc.AUTO
    overflow: Overflow = Overflow.WRAP
    volatile: Volatile = Volatile.AUTO
    mmio: tuple[tuple[int, int], ...] = ()
    edited: tuple[tuple[Path, bytes], ...] = ()
    flags: tuple[str, ...] = ()
    flags_of: tuple[tuple[Path, tuple[str, ...]], ...] = ()
    entries: tuple[str, ...] = ()
    pointer_depth: int = 3
    array_size: int = 0
    line_length: int = 0
    may_alias: bool = False
    any_globals: bool = False
    driven: bool = False
    rules: tuple[str, ...] = ()
    rule_places: int = 0
    library_models: tuple[str, ...] = ()
    formula: str = ""
    fuel: str = ""
    looked_at: str = ""
    choices: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Check the values."""
        names = values.tuple_of(values.matching(values.NAME, "names of C"), "names")
        macro = values.matching(values.DEFINITION, "macros, NAME or NAME=VALUE")
        values.settle(
            self,
            bits=values.one_of(32, 64),
            include_dirs=values.tuple_of(values.path, "paths"),
            defines=values.tuple_of(macro, "macros"),
            clang=values.optional(values.path),
            properties=values.members(Property),
            inlining=values.member(Inlining),
            error_functions=names,
            error_labels=names,
            **dict.fromkeys(_OF_C, values.flag),
            **_MEANINGS,
            mmio=values.tuple_of(values.area, "pairs of an address and a size in bytes"),
            edited=values.tuple_of(values.edit, "pairs of a path and bytes"),
            flags=values.tuple_of(values.text, "flags of the compiler"),
            entries=names,
            pointer_depth=values.whole(0),
            array_size=values.whole(0),
            line_length=values.whole(0),
            rules=values.tuple_of(values.text, "rules"),
            rule_places=values.whole(0),
            library_models=values.tuple_of(values.text, "names of plug-ins"),
            formula=values.text,
            fuel=values.text,
            looked_at=values.text,
            choices=values.tuple_of(values.matching(values.CHOICE, "numbers"), "numbers"),
        )

    @property
    def is_of_automata(self) -> bool:
        """Whether automata of rules or of a formula are to become code of the program."""
        return bool((self.rules and not self.rule_places) or (self.formula and not self.fuel))

    def wants(self, property_: Property) -> bool:
        """Whether the property is checked."""
        grouped = property_ in MEMORY_SAFETY and Property.VALID_MEMSAFETY in self.properties
        is_safety = Property.TERMINATION not in self.properties
        by_choice = self.overflow is Overflow.CHECK and property_ is Property.NO_OVERFLOW
        return grouped or (by_choice and is_safety) or property_ in self.properties

    @property
    def wants_error_calls(self) -> bool:
        """Whether calls of error functions are checked: when asked for, and when nothing is."""
        return not self.properties or Property.UNREACH_CALL in self.properties


class Encodings(Enum):
    """INT: unbounded integers with wrap obligations.  BV: bit-vectors.  AUTO: both."""

    AUTO = "auto"
    INT = "int"
    BV = "bv"


class Track(Enum):
    """What is modelled.  REG: registers only.  PTR: pointers too.  MEM: what memory holds too."""

    REG = "reg"
    PTR = "ptr"
    MEM = "mem"


class Step(Enum):
    """What a Horn rule spans.  LARGE: a loop-free region between cut points.  SMALL: a block."""

    LARGE = "large"
    SMALL = "small"


_FLAGS = (
    "strict",
    "every_check",
    "each_property",
    "ask_default",
    "witness",
    "certificate",
    "native",
    "bounds",
)


@dataclass(frozen=True)
class VerifyOptions:
    """A verification.

    It has `timeout` wall seconds, `memory_mib` for all processes together, and `jobs` processes.
    `strict` turns an answer that rests on any ledger entry into unknown. `executions` is the time
    in seconds for runs on random and boundary inputs. Without `native` nothing of the program is
    built or executed: the interpreter makes these runs and replays (ledger). A run that is shown is
    made shorter and its inputs smaller for at most `minimise` seconds.

    `engines` are tried in turn; without any the program decides which are. A `schedule` takes the
    place of ours. `bound` limits how often bounded model checking unwinds a loop. `passes` are
    names of plug-ins that change the program, in this order, before ours do.

    With `every_check` each check gets an answer of its own, with `each_property` each property.
    With `ask_default` a program that asks about nothing, and of which nothing is asked, is asked
    about the properties that every program should have. With `certificate` an answer is written
    down for a checker that stands alone; with `witness` a proof says in C what holds at the heads
    of loops and of functions. With `bounds` it says of termination how often loops go round.
    """

    frontend: FrontendOptions = field(default_factory=FrontendOptions)
    encoding: Encodings = Encodings.AUTO
    timeout: float = 60.0
    memory_mib: int = 4096
    jobs: int = 2
    strict: bool = False
    track: Track = Track.MEM
    step: Step = Step.LARGE
    executions: float = 0.2
    minimise: float = 0.3
    engines: tuple[EngineName | PlugIn, ...] = ()
    bound: int | None = None
    every_check: bool = False
    each_property: bool = False
    ask_default: bool = False
    schedule: Schedule = Schedule()
    witness: bool = False
    certificate: bool = False
    abstraction: AbstractionOptions = AbstractionOptions()
    native: bool = True
    bounds: bool = False
    passes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Check the values."""
        spent = values.number(0, values.MOST_SECONDS)
        values.settle(
            self,
            frontend=values.instance(FrontendOptions),
            encoding=values.member(Encodings),
            timeout=values.SECONDS,
            memory_mib=values.whole(LEAST_MEMORY_MIB, values.MOST_MEMORY_MIB),
            jobs=values.whole(1),
            track=values.member(Track),
            step=values.member(Step),
            executions=spent,
            minimise=spent,
            engines=values.tuple_of(engine_of, "engines"),
            passes=values.tuple_of(values.text, "names of plug-ins"),
            bound=values.optional(values.whole(0)),
            schedule=values.instance(Schedule),
            abstraction=values.instance(AbstractionOptions),
            **dict.fromkeys(_FLAGS, values.flag),
        )
