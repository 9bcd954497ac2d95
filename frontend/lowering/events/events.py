"""What a call of a function by name means to verification.

Names are those of verifiers (`vocabulary`) and of the C library (`frontend.library`).  A definition
in the program wins over every meaning but three: the bodies of `__VERIFIER_nondet_*`,
`__VERIFIER_assume` and the error functions are dropped, since the call is the event.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from enum import Enum, auto

from seahorn_py.base.patterns import pattern
from seahorn_py.frontend.library.contracts import Contract, Source, contract_of, contracts
from seahorn_py.frontend.llvmtext.module import FunctionText, ModuleText
from seahorn_py.frontend.lowering.events import vocabulary
from seahorn_py.frontend.lowering.events.jumpnames import JUMPS
from seahorn_py.frontend.lowering.events.primitives import PRIMITIVES, is_threaded
from seahorn_py.frontend.lowering.library.libcalls import ANY
from seahorn_py.frontend.rules.automaton import VIOLATED
from seahorn_py.frontend.rules.known import watches
from seahorn_py.options import MEMORY_SAFETY, FrontendOptions, Property


class Event(Enum):
    """ERROR: the call is an error.  FAIL: an assertion failed; CHECK, ASSERT: fails if 0.

    ASSERT and FAIL are errors only where the property says so; CHECK always is.  NONDET and EXTERN
    return arbitrary values, MEMORY fills a block; MODEL is either, in a model of the C library.
    RULE is an error that the code of a rule tells.
    VALID and WRITABLE say whether bytes lie in a live object.
    STOP ends the run.  COPY is its first argument, ZERO is 0, SIZE an unknown object size.  DROP
    has no effect.  REFUSE is not supported.
    """

    ERROR = auto()
    CHECK = auto()
    ASSERT = auto()
    FAIL = auto()
    ASSUME = auto()
    NONDET = auto()
    EXTERN = auto()
    MEMORY = auto()
    VALID = auto()
    WRITABLE = auto()
    MODEL = auto()
    RULE = auto()
    STOP = auto()
    COPY = auto()
    ZERO = auto()
    SIZE = auto()
    DROP = auto()
    REFUSE = auto()


FREEING = frozenset({"free", "cfree"})
ERROR_CALLS = frozenset({"reach_error", "__VERIFIER_error"})

_OF_SOURCE = {
    Source.END: Event.STOP,
    Source.STOP: Event.REFUSE,
    Source.VALUE: Event.EXTERN,
}
_ASSERTIONS = "assert.h"


@functools.cache
def _events() -> Mapping[str, Event]:
    """The events by name, of verifiers and of the C library."""
    found = {name: Event[event] for name, event in vocabulary.words()}
    for name, contract in contracts().items():
        event = _OF_SOURCE.get(contract.source)
        if contract.is_output:
            event = Event.EXTERN
        elif name in FREEING:
            event = Event.DROP
        elif contract.header == _ASSERTIONS:
            event = Event.FAIL
        if event is not None:
            found[name] = event
    return {**found, **dict.fromkeys(JUMPS, Event.REFUSE)}


_CHECKING = frozenset({Event.CHECK, Event.ASSERT, Event.FAIL})

_INTRINSICS: tuple[tuple[Event, str], ...] = (
    (Event.ASSUME, "assume"),
    (Event.STOP, "trap debugtrap ubsantrap"),
    (Event.COPY, "expect ssa.copy launder.invariant.group strip.invariant.group"),
    (Event.COPY, "threadlocal.address annotation ptr.annotation"),
    (Event.ZERO, "is.constant"),
    (Event.SIZE, "objectsize"),
    (Event.DROP, "var.annotation donothing sideeffect pseudoprobe prefetch codeview.annotation"),
    (Event.DROP, "experimental.noalias.scope.decl invariant.end"),
    (Event.REFUSE, "eh.sjlj.setjmp eh.sjlj.longjmp"),
)
_OF_INTRINSIC = {name: event for event, names in _INTRINSICS for name in names.split()}


@functools.cache
def ending_names() -> frozenset[str]:
    """The functions in which runs end."""
    names = {name for name, event in _events().items() if event in (Event.STOP, Event.FAIL)}
    return frozenset(names) | {
        f"llvm.{name}" for name, event in _OF_INTRINSIC.items() if event is Event.STOP
    }


@functools.cache
def asserting_names() -> frozenset[str]:
    """The functions in which runs end unless their first argument holds."""
    events = _events().items()
    return frozenset(name for name, event in events if event in (Event.ASSERT, Event.CHECK))


_OF_MEMORY = (*MEMORY_SAFETY, Property.VALID_MEMCLEANUP)
_COMPARED = pattern(r" = (?:icmp (?:eq|ne) ptr [^,]*, (?!null)|ptrtoint )")
_ONLY_READS = pattern(r" memory\((?:none|read)\)")
_OF_COMPILER = pattern(r"__[a-z]+[sdtxh][ifc][2345]$|__builtin_\w+$")
"""The compiler's own functions: they have no value that we know, and not just any either."""


def is_output(name: str) -> bool:
    """Whether the function writes, and returns how that went."""
    contract = contracts().get(name)
    return contract is not None and contract.is_output


def error_names(options: FrontendOptions) -> frozenset[str]:
    """The functions whose call can be an error."""
    checking = {name for name, event in _events().items() if event in _CHECKING}
    return ERROR_CALLS | checking | set(options.error_functions)


class Meaning:
    """The events of one module under the options of one verification."""

    def __init__(self, module: ModuleText, options: FrontendOptions) -> None:
        self._module = module
        self.calls_are_errors = options.wants_error_calls
        self._errors = set(options.error_functions)
        if self.calls_are_errors:
            self._errors |= ERROR_CALLS
        if options.wants(Property.TERMINATION):
            self._errors |= ERROR_CALLS - set(module.functions)  # a run ends there
        mentioned = any(module.signature(name) for name in ERROR_CALLS)
        self.asserts_are_errors = self.calls_are_errors and not (options.properties and mentioned)
        of_memory = any(map(options.wants, _OF_MEMORY)) or asks_validity(module)
        self.reuses = not of_memory and _compares_addresses(module)
        self._frees = of_memory or self.reuses
        self._error_names = error_names(options)
        self._rules = options.rules
        self._has_automata = bool(options.rules or options.formula)
        self._is_threaded = is_threaded(module)
        self._known: dict[str, Event | None] = {}

    def of(self, name: str) -> Event | None:
        """The event of calling a function; None for an ordinary call."""
        if name not in self._known:
            is_step = name in PRIMITIVES and self._is_threaded
            self._known[name] = None if is_step else self._classify(name)
        return self._known[name]

    def mentions_errors(self) -> bool:
        """Whether the program refers to anything whose call can be an error."""
        if not self._error_names.isdisjoint(self._module.declarations):
            return True
        defined = [f"@{name}" for name in self._error_names if name in self._module.functions]
        lines = (line for f in self._module.functions.values() for line in f.lines)
        return bool(defined) and any(name in line for line in lines for name in defined)

    def leaves_memory_alone(self, name: str) -> bool:
        """Whether a function changes nothing even if it is given pointers."""
        is_value = is_output(name) or name.startswith("__VERIFIER_nondet_")
        return is_value or self.stands_for(name) or vocabulary.is_uninterpreted(name)

    def stands_alone(self, name: str) -> bool:
        """Whether a function is an event whatever it is given."""
        event = self.of(name)
        is_any = event in (None, Event.EXTERN, Event.NONDET)
        return not is_any or (event is not None and self.leaves_memory_alone(name))

    def is_outside(self, name: str) -> bool:
        """Whether nothing is known of a function without body: no verifier's, not the library's."""
        contract = contract_of(name)
        is_event = name in _events() or vocabulary.is_value(name)
        is_known = contract is not None and not is_another(contract)
        if is_event or is_known or vocabulary.is_uninterpreted(name):
            return False
        return not (self._only_reads(name) or self.leaves_memory_alone(name))

    def may_do_nothing(self, name: str) -> bool:
        """Whether a function without body may also return without any effect."""
        is_ours = _OF_COMPILER.match(name) or name.startswith(("sea.", "__sea_", "llvm."))
        is_known = contract_of(name) is not None or is_ours or name in self._module.functions
        return not is_known and self.of(name) is None and self.is_outside(name)

    def _only_reads(self, name: str) -> bool:
        """Whether a declaration says so of its function (GNU: `pure` and `const`)."""
        declared = self._module.declarations.get(name)
        words = declared.group.split() if declared is not None else []
        return any(
            group.startswith(f"attributes {word} =") and _ONLY_READS.search(group)
            for word in words
            for group in self._module.groups
        )

    def stands_for(self, name: str) -> bool:
        """Whether a rule of use says all that is known of a function without body.

        So it is for functions it watches, and for those that are none of the library's.
        """
        contract = contract_of(name)
        if not self._rules or name in self._module.functions:
            return False
        return contract is None or (
            contract.source is Source.UNKNOWN and watches(self._rules, name)
        )

    def _classify(self, name: str) -> Event | None:
        if name in self._errors:
            return Event.ERROR
        if name.startswith("__VERIFIER_nondet_"):
            return _events().get(name, Event.NONDET)
        if name == "__VERIFIER_assume":
            return Event.ASSUME
        if name == VIOLATED and self._has_automata:
            return Event.RULE
        if name.startswith("llvm."):
            return _intrinsic(name[len("llvm.") :])
        if name.startswith(ANY):
            return Event.MODEL
        if name in self._module.functions or name in self._module.aliases:
            return None
        if name.startswith("sea."):
            return None
        if name == "free" and self._frees:
            return None
        return _events().get(name) or self._external(name)

    def _external(self, name: str) -> Event | None:
        if vocabulary.is_value(name):
            return Event.NONDET
        if vocabulary.shows(name):
            return Event.DROP
        if vocabulary.is_reserved(name):
            return Event.REFUSE
        declared = self._module.declarations.get(name)
        if declared is None or _OF_COMPILER.match(name):
            return None
        is_value = vocabulary.is_uninterpreted(name) and declared.result != "ptr"
        if is_value or self.stands_for(name):
            return Event.EXTERN
        if not _only_scalars(declared):
            return None
        contract = contract_of(name)
        return Event.EXTERN if contract is None or is_another(contract) else None


def _compares_addresses(module: ModuleText) -> bool:
    """A run may tell whether a block has the address of one that was freed before."""
    lines = (line for f in module.functions.values() for line in f.lines)
    return "free" in module.declarations and any(map(_COMPARED.search, lines))


def asks_validity(module: ModuleText) -> bool:
    """Whether the program itself asks if memory is valid."""
    return not vocabulary.validity_names().isdisjoint(module.declarations)


def is_another(contract: Contract) -> bool:
    """Whether a function that is declared without pointers cannot be the library's.

    If it has a model, its type is compared with the declared one: without a model the function is
    unknown.
    """
    return contract.source is Source.UNKNOWN and contract.has_pointers


def _only_scalars(declared: FunctionText) -> bool:
    return "ptr" not in declared.parameter_types and declared.result != "ptr"


def _intrinsic(name: str) -> Event | None:
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        event = _OF_INTRINSIC.get(".".join(parts[:length]))
        if event is not None:
            return event
    return None
