"""The contracts as text: a table for a terminal, a page for the documentation."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from seahorn_py.frontend.library.contracts import Contract, Kind, contracts

_HEADINGS = ("function", "header", "kind", "source", "errno", "promise")


def table() -> str:
    """A line for each function, in columns."""
    rows = [_HEADINGS, *(_row(contract) for contract in contracts().values())]
    widths = [max(len(row[k]) for row in rows) for k in range(4)]
    return "\n".join(_aligned(row, widths) for row in rows)


def _row(contract: Contract) -> tuple[str, ...]:
    choice = f"; assumed: {contract.assumed}" if contract.assumed else ""
    errno = ",".join(contract.errno) or "-"
    kind, source = contract.kind.value, contract.source.value
    return (contract.name, contract.header, kind, source, errno, contract.promise + choice)


def _aligned(row: tuple[str, ...], widths: list[int]) -> str:
    columns = [text.ljust(width) for text, width in zip(row, widths, strict=False)]
    return " ".join([*columns, *row[len(widths) :]])


def page() -> str:
    """The page `docs/reference/library.md`."""
    return "\n".join([*_INTRODUCTION, *_promises(), *_refusals()]) + "\n"


_INTRODUCTION = """\
# The C library

What an answer may rest on, for each function of the C library that is known: C17, POSIX and what
glibc declares. `sea-py inspect --library` prints the same as a table. `scripts/library` makes this
page of `frontend/library/contracts.txt`, from which the code that recognises functions by name has
its knowledge.

| kind | meaning |
|---|---|
| exact | the one outcome that every conforming library has |
| relational | each outcome that is allowed: result, errno, memory written, state of the stream |
| fixed | one of these, with an `assumed` entry in the ledger, so that `--strict` gives unknown |
| refused, stop | no program that can call it is answered for |
| refused, unknown | any result, any effect on memory that it can reach; no error rests on it |

Most functions have a model. Others are taken from the sources of musl that come with the compiler.
`--libc models` takes none of these, so that such a function is unknown. `--libc real` takes them,
and what the compiler has in Zig instead, wherever there are any of an exact function with a model;
that is an `assumed` entry in the ledger. It is there to compare the two.

A function that a program defines is the program's. One that it declares with other types than the
library's has no model: it is unknown like those below, or, where it cannot be the library's, taken
for a function of somebody else, which the ledger says.
""".splitlines()
_COLUMNS = ("", "| functions | kind | promise | errno |", "|---|---|---|---|")


def _promises() -> Iterator[str]:
    kept = [c for c in contracts().values() if c.kind is not Kind.REFUSED]
    for header, found in groupby(kept, lambda contract: contract.header):
        yield from ("", f"## {header}", *_COLUMNS)
        for _, group in groupby(found, lambda c: (c.kind, c.source, c.promise, c.assumed)):
            yield _entry(list(group))


def _entry(group: list[Contract]) -> str:
    first = group[0]
    promise = f"{first.promise}; assumed: {first.assumed}" if first.assumed else first.promise
    names = " ".join(f"`{contract.name}`" for contract in group)
    return f"| {names} | {first.kind.value} | {promise} | {' '.join(first.errno)} |"


def _refusals() -> Iterator[str]:
    yield from ("", "## Refused", "", "| header | functions | how | why |", "|---|---|---|---|")
    refused = [c for c in contracts().values() if c.kind is Kind.REFUSED]
    for (header, source, why), group in groupby(
        refused, lambda c: (c.header, c.source.value, c.promise)
    ):
        names = " ".join(f"`{contract.name}`" for contract in group)
        yield f"| {header} | {names} | {source} | {why} |"
