"""The names that verifiers have for assumptions, assertions and arbitrary values.

Those of SV-COMP, SeaHorn and SMACK are this verifier's own.  The names of other verifiers are
recognised as well, and the result says which were.  Functions of theirs that give a number of a
range are models (`models/verifiers.c`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_OWN = {
    "CHECK": "__VERIFIER_assert",
    "ASSERT": "assert sassert __SMACK_assert",
    "FAIL": "__sea_assert_fail",
    "ASSUME": "assume __VERIFIER_assume __SMACK_assume",
    "MEMORY": "__VERIFIER_nondet_memory memhavoc",
    "STOP": "__builtin_trap __VERIFIER_error",
    "DROP": "__VERIFIER_atomic_begin __VERIFIER_atomic_end __VERIFIER_print_hull",
}
_OTHERS = {
    "CBMC": {
        "ASSERT": "__CPROVER_assert __CPROVER_precondition __CPROVER_postcondition",
        "ASSUME": "__CPROVER_assume",
        "MEMORY": "__CPROVER_havoc_slice",
        "DROP": "__CPROVER_cover __CPROVER_input __CPROVER_output"
        " __CPROVER_atomic_begin __CPROVER_atomic_end",
    },
    "KLEE": {
        "ASSERT": "klee_assert",
        "FAIL": "klee_report_error klee_abort",
        "ASSUME": "klee_assume",
        "MEMORY": "klee_make_symbolic",
        "STOP": "klee_silent_exit",
        "DROP": "klee_prefer_cex klee_posix_prefer_cex klee_warning klee_warning_once"
        " klee_print_expr klee_print_range klee_open_merge klee_close_merge klee_stack_trace"
        " klee_set_forking",
    },
    "ESBMC": {
        "ASSERT": "__ESBMC_assert",
        "ASSUME": "__ESBMC_assume",
        "DROP": "__ESBMC_atomic_begin __ESBMC_atomic_end __ESBMC_yield",
    },
    "LLBMC": {"ASSERT": "__llbmc_assert", "ASSUME": "__llbmc_assume"},
    "Frama-C": {"MEMORY": "Frama_C_make_unknown", "STOP": "Frama_C_abort"},
}
_MEANINGS = {
    "ASSERT": "an assertion",
    "FAIL": "a failed assertion",
    "ASSUME": "an assumption",
    "MEMORY": "arbitrary memory",
    "STOP": "the end of the run",
    "DROP": "nothing",
}
_VALUES = re.compile(
    r"(?P<cbmc>__CPROVER_nondet_)|__VERIFIER_nondet_|__SMACK_nondet"
    r"|(?:nd|nondet)(?:_|$)|__SEA_nondet"
)
_SHOWING = re.compile(r"Frama_C_show_each_")
_HEADERS = {"klee/klee.h": "KLEE", "__fc_builtin.h": "Frama-C"}


def words() -> Iterator[tuple[str, str]]:
    """All names, each with the name of the event that it means."""
    for kinds in (_OWN, *_OTHERS.values()):
        yield from ((name, event) for event, names in kinds.items() for name in names.split())


def is_value(name: str) -> bool:
    """Whether a function of that name gives an arbitrary value."""
    return _VALUES.match(name) is not None


def shows(name: str) -> bool:
    """Whether a function of that name only shows what it is given."""
    return _SHOWING.match(name) is not None


def recognised(name: str, header: str = "") -> str:
    """How a name of another verifier was understood, "" for all other names."""
    if header in _HEADERS:
        return f"{name} ({_HEADERS[header]}: an arbitrary value of a range)"
    if name.startswith("__CPROVER_nondet_"):
        return f"{name} (CBMC: an arbitrary value)"
    for tool, kinds in _OTHERS.items():
        for event, names in kinds.items():
            if name in names.split():
                return f"{name} ({tool}: {_MEANINGS[event]})"
    return f"{name} (Frama-C: nothing)" if shows(name) else ""
