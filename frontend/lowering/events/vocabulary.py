"""The names that verifiers have for assumptions, assertions, arbitrary values and valid memory.

Those of SV-COMP, SeaHorn and SMACK are this verifier's own.  The names of other verifiers are
recognised as well, and the result says which were.  Functions of theirs that give a number of a
range are models (`models/verifiers.c`).
"""

from __future__ import annotations

from collections.abc import Iterator

from seahorn_py.base.patterns import pattern

_OWN = {
    "CHECK": "__VERIFIER_assert",
    "ASSERT": "assert sassert __SMACK_assert __SEA_assert",
    "FAIL": "__sea_assert_fail",
    "ASSUME": "assume __VERIFIER_assume __SMACK_assume __SEA_assume",
    "MEMORY": "__VERIFIER_nondet_memory memhavoc __SEA_nondet_memory",
    "VALID": "sea_is_dereferenceable",
    "STOP": "__builtin_trap __VERIFIER_error",
    "DROP": "__VERIFIER_atomic_begin __VERIFIER_atomic_end __VERIFIER_print_hull sea_printf",
    "REFUSE": "sea_is_modified sea_reset_modified sea_tracking_on sea_tracking_off sea_is_alloc"
    " sea_is_deref sea_assert_if sea_set_shadowmem sea_get_shadowmem",
}
_OTHERS = {
    "CBMC": {
        "ASSERT": "__CPROVER_assert __CPROVER_precondition __CPROVER_postcondition",
        "ASSUME": "__CPROVER_assume",
        "MEMORY": "__CPROVER_havoc_slice",
        "VALID": "__CPROVER_r_ok",
        "WRITABLE": "__CPROVER_w_ok __CPROVER_rw_ok",
        "DROP": "__CPROVER_cover __CPROVER_input __CPROVER_output"
        " __CPROVER_atomic_begin __CPROVER_atomic_end",
        "REFUSE": "__CPROVER_OBJECT_SIZE __CPROVER_POINTER_OFFSET __CPROVER_POINTER_OBJECT"
        " __CPROVER_havoc_object __CPROVER_is_freeable __CPROVER_was_freed"
        " __CPROVER_is_fresh __CPROVER_old __CPROVER_DYNAMIC_OBJECT __CPROVER_allocate"
        " __CPROVER_loop_entry __CPROVER_pointer_in_range __CPROVER_get_must __CPROVER_set_must"
        " __CPROVER_get_may __CPROVER_set_may __CPROVER_array_set __CPROVER_array_copy"
        " __CPROVER_array_equal __CPROVER_array_replace",
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
    "VALID": "whether memory is valid",
    "WRITABLE": "whether memory is valid and no constant",
    "REFUSE": "not supported",
    "STOP": "the end of the run",
    "DROP": "nothing",
}
_VALUES = pattern(
    r"(?P<cbmc>__CPROVER_nondet_)|__VERIFIER_nondet_|__SMACK_nondet"
    r"|(?:nd|nondet)(?:_|$)|__SEA_nondet"
)
_SHOWING = pattern(r"Frama_C_show_each_")
_RESERVED = pattern(r"__CPROVER_(?!uninterpreted_)|__ESBMC_|__llbmc_")
_OF_HEADERS = {
    "klee/klee.h": "KLEE: an arbitrary value of a range",
    "__fc_builtin.h": "Frama-C: an arbitrary value of a range",
    "proof_allocators.h": "proofs of aws-c-common: an allocation",
}


def words() -> Iterator[tuple[str, str]]:
    """All names, each with the name of the event that it means."""
    for kinds in (_OWN, *_OTHERS.values()):
        yield from ((name, event) for event, names in kinds.items() for name in names.split())


def validity_names() -> frozenset[str]:
    """The functions that say whether memory is valid."""
    return frozenset(name for name, event in words() if event in ("VALID", "WRITABLE"))


def is_value(name: str) -> bool:
    """Whether a function of that name gives an arbitrary value."""
    return _VALUES.match(name) is not None


def is_uninterpreted(name: str) -> bool:
    """Whether it is a function of its arguments alone, of which nothing else is known."""
    return name.startswith("__CPROVER_uninterpreted_")


def is_reserved(name: str) -> bool:
    """Whether the name can only be one of a verifier: it means something, whatever that is."""
    return _RESERVED.match(name) is not None


def shows(name: str) -> bool:
    """Whether a function of that name only shows what it is given."""
    return _SHOWING.match(name) is not None


def recognised(name: str, header: str = "") -> str:
    """How a name of another verifier was understood, "" for all other names."""
    if header in _OF_HEADERS:
        return f"{name} ({_OF_HEADERS[header]})"
    if name.startswith("__CPROVER_nondet_"):
        return f"{name} (CBMC: an arbitrary value)"
    for tool, kinds in _OTHERS.items():
        for event, names in kinds.items():
            if name in names.split():
                return f"{name} ({tool}: {_MEANINGS[event]})"
    return f"{name} (Frama-C: nothing)" if shows(name) else ""
