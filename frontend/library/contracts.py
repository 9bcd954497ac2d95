"""The contract of each function of the C library that is known, as `contracts.txt` has it.

What recognises functions by name takes them from here, so that there is no second list.  A function
that is not in the table is none of the library's.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from enum import Enum
from pathlib import Path
from typing import NamedTuple

from seahorn_py.base.patterns import pattern


class Kind(Enum):
    """What an answer may rest on.

    EXACT: the one outcome that every conforming library has.  RELATIONAL: each outcome that the
    standard or POSIX allows.  FIXED: one of these, with an entry in the ledger.  REFUSED: none.
    """

    EXACT = "exact"
    RELATIONAL = "relational"
    FIXED = "fixed"
    REFUSED = "refused"


class Source(Enum):
    """Where the meaning comes from.

    MODEL: C text under `models/`.  LIBC: the source of a real library.  REWRITTEN: calls become
    calls of models of their parts.  OPERATION: an operation of programs.  HEAP: every stage knows
    it.  END: the run ends.  VALUE: any value of the type of the result.  UNKNOWN: any result and
    any effect on memory that it can reach, in proofs; no error rests on it.  STOP: a program that
    can call it is refused.
    """

    MODEL = "model"
    LIBC = "libc"
    REWRITTEN = "rewritten"
    OPERATION = "operation"
    HEAP = "heap"
    END = "end"
    VALUE = "value"
    UNKNOWN = "unknown"
    STOP = "stop"


class Contract(NamedTuple):
    """What is promised of a function, or why it is refused.

    A tuple, since every run makes 1,700 of them: dataclasses take ten times as long.

    `errno` has the names of all reasons that it may set.  `assumed` is the entry in the ledger for
    a choice that was made.  A function `has_pointers` if it takes or gives some, `leaves_block` if
    its caller has to free what it gives, and `is_output` if it only writes out what it is given.
    """

    name: str
    header: str
    kind: Kind
    source: Source
    errno: tuple[str, ...]
    promise: str
    assumed: str
    has_pointers: bool
    leaves_block: bool
    is_output: bool


_VARIANT = pattern(r"__(?:isoc\d\d_)?(?P<checked>\w+?)(?:_chk)?$|(?P<wide>\w+?)64(?P<end>_r)?$")


@functools.cache
def contracts() -> Mapping[str, Contract]:
    """All contracts by the name of the function; ValueError where the table is wrong."""
    text = Path(__file__).with_name("contracts.txt").read_text()
    found: dict[str, Contract] = {}
    for contract in _read(text):
        if contract.name in found:
            raise ValueError(f"{contract.name} has two contracts")
        found[contract.name] = contract
    return found


def contract_of(name: str) -> Contract | None:
    """The contract of a function, or of the one that it is a variant of; None if it has none."""
    return contracts().get(name) or contracts().get(plain_name(name))


def plain_name(name: str) -> str:
    """The name under which the headers declare a variant: checked, of a standard, for large files.

    `__sprintf_chk` and `__isoc99_sscanf` are `sprintf` and `sscanf`, `stat64` is `stat`.
    """
    found = _VARIANT.match(name) if name not in contracts() else None
    if found is None:
        return name
    return found["checked"] or found["wide"] + (found["end"] or "")


def names_of(source: Source) -> frozenset[str]:
    """The functions whose meaning comes from there."""
    return frozenset(c.name for c in contracts().values() if c.source is source)


def _read(text: str) -> Iterator[Contract]:
    header = ""
    for line in text.splitlines():
        if line.startswith("["):
            header = line[1:-1]
        elif line and line[0] != "#":
            yield from _entry(header, [part.strip() for part in line.split("|")])


def _entry(header: str, parts: list[str]) -> Iterator[Contract]:
    """One line; ValueError if a part is missing, or a choice is not said."""
    head, names, errno, promise, *assumed = parts
    kind, source = _heads(head)
    if (kind is Kind.FIXED) != bool(assumed) or not promise:
        raise ValueError(f"{names}: {head}")
    reasons = tuple(errno.split())
    for name in names.split(" "):
        yield Contract(
            name.rstrip("^*>"),
            header,
            kind,
            source,
            reasons,
            promise,
            "".join(assumed),
            "^" in name,
            "*" in name,
            ">" in name,
        )


@functools.cache
def _heads(head: str) -> tuple[Kind, Source]:
    kind, source = head.split(" ")
    return Kind(kind), Source(source)
