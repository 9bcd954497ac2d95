"""The operations of `operations.txt`, and the C text of the cases that perform them."""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from sequences.calls import ARGUMENTS, Library

HERE = Path(__file__).parent
_NEW_GLIBC = (2, 38)


@dataclass(frozen=True, slots=True)
class Operation:
    """A way to call a function: the kinds of its arguments, and C text with them as a, b, c, d.

    `missing`: where there is no such function, `old` for an old glibc.
    """

    number: int
    function: str
    header: str
    kinds: tuple[str, ...]
    missing: frozenset[str]
    text: str

    def is_in(self, library: Library | None) -> bool:
        """Whether a library of this machine, or native runs with models, have the function."""
        if library is None:
            return "native" not in self.missing
        if library is Library.GLIBC and "old" in self.missing and _is_old():
            return False
        return library.value not in self.missing


@functools.cache
def operations() -> tuple[Operation, ...]:
    """All operations; each is at the place of its number."""
    lines = (HERE / "operations.txt").read_text().splitlines()
    return tuple(Operation(number, *parts) for number, parts in enumerate(_read(lines)))


_Parts = tuple[str, str, tuple[str, ...], frozenset[str], str]


def _read(lines: list[str]) -> Iterator[_Parts]:
    header = ""
    for line in lines:
        if line.startswith("["):
            header = line[1:-1]
        elif line and line[0] != "#":
            names, kinds, missing, text = (part.strip() for part in line.split("|", 3))
            for name in names.split():
                yield name, header, tuple(kinds.split()), frozenset(missing.split()), text


@functools.cache
def by_header() -> Mapping[str, tuple[Operation, ...]]:
    headers = dict.fromkeys(operation.header for operation in operations())
    return {h: tuple(o for o in operations() if o.header == h) for h in headers}


def program(library: Library | None) -> str:
    """`main.c` with the cases that a library has; all of them without one."""
    cases = [_case(o) for o in operations() if o.is_in(library)]
    return (HERE / "main.c").read_text().replace("    CASES\n", "".join(cases))


def _case(operation: Operation) -> str:
    text = re.sub("@", operation.function, operation.text)
    unused = "".join(f" (void){name};" for name in "abcd"[len(operation.kinds) : ARGUMENTS])
    return f"    case {operation.number}: {{{unused} {text} }} break;\n"


@functools.cache
def _is_old() -> bool:
    text = os.confstr("CS_GNU_LIBC_VERSION") or "glibc 0.0"
    return tuple(map(int, text.split()[1].split(".")[:2])) < _NEW_GLIBC
