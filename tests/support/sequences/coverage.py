"""How often each function of the library is called by the sequences of a seed, or why it is not."""

from __future__ import annotations

from collections import Counter

from seahorn_py.frontend.library.contracts import Contract, Kind, Source, contracts
from sequences.generate import sequences
from sequences.operations import operations

SEED, COUNT = 1, 2000
"""Of the sample that the tests run."""

_HEADERS = {
    "__fc_builtin.h": "no library has it: a function of Frama-C",
    "proof_allocators.h": "no library has it: an allocator of proofs",
    "klee/klee.h": "no library has it: a function of KLEE",
    "assert.h": "ends the run",
    **dict.fromkeys(
        ("pthread.h", "semaphore.h", "threads.h"),
        "about threads; tests/frontend/test_thread_models.py has no real library beside it",
    ),
}
_NAMES = {
    "pause": "waits for ever",
    "cfree": "libraries of today do not have it",
    "getumask": "libraries of today do not have it",
    "pclose": "called with popen",
    "__sigsetjmp": "called as sigsetjmp, a macro for it",
    **dict.fromkeys(("isfinite", "isnormal", "signbit"), "a macro in libraries"),
}
_WHERE = {
    "native": "no native run has it; the interpreter is compared in tests/libc",
    "old": "not in a glibc before 2.38",
    "glibc": "not in glibc",
    "musl": "not in musl, or otherwise than the standard has it",
}


def coverage() -> str:
    """A line for each function that is not refused: its name, kind, number of calls or a reason."""
    calls = Counter(
        operations()[call.operation].function
        for sequence in sequences(SEED, COUNT)
        for call in sequence.calls
    )
    kept = [c for c in contracts().values() if c.kind is not Kind.REFUSED]
    return "".join(f"{_line(contract, calls)}\n" for contract in kept)


def _line(contract: Contract, calls: Counter[str]) -> str:
    name = contract.name
    missing = {word for o in operations() if o.function == name for word in o.missing}
    everywhere = any(o.function == name and not o.missing for o in operations())
    where = "" if everywhere else "; ".join(_WHERE[word] for word in sorted(missing))
    found = f"{calls[name]} calls" if calls[name] else _reason(contract)
    return " | ".join(part for part in (name, contract.kind.value, found, where) if part)


def _reason(contract: Contract) -> str:
    if contract.source is Source.END:
        return "ends the run"
    if contract.source is Source.LIBC:
        return "the source of a real library, which no operation calls yet"
    reason = _NAMES.get(contract.name) or _HEADERS.get(contract.header)
    return reason or "no operation calls it yet"
