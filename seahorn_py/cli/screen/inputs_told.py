"""The inputs of a violating run, as a caller of the program would say them.

The models of the C library draw several values for one call: whether the stream ends, then the
character.  People see what the call returned; `--json` has every value that was drawn.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from seahorn_py.cli.screen.words import where
from seahorn_py.evidence.runs.inputs import SHIFTS
from seahorn_py.evidence.trace.notation import READS_CHARACTER, escaped
from seahorn_py.frontend.compiling.arbitrary import PREFIX
from seahorn_py.frontend.library.contracts import contract_of
from seahorn_py.ir.operands import SiteKind
from seahorn_py.result import InputValue, Violation

MOST_LINES, MOST_VALUES, MOST_CHARACTERS = 20, 24, 200
ARGUMENT_COUNT, ARGUMENT_LENGTH, ARGUMENT_BYTES = "argc", "length of an argument", "argv"
"""Names of what is drawn for the arguments of `main`."""

_ADDRESS = "(void *)0x"
_DECIDED = frozenset({"string.h", "strings.h", "ctype.h"})
"""Headers whose functions have no input: arguments decide what they return."""


def lines(violation: Violation) -> Iterator[str]:
    """A line for each input, those of one call place together."""
    told = list(_told(violation))
    yield from (f"input: {line}" for line in told[:MOST_LINES])
    if len(told) > MOST_LINES:
        yield f"input: ... {len(told) - MOST_LINES} more (all of them with --json)"


def _told(violation: Violation) -> Iterator[str]:
    yield from _arguments(violation.inputs)
    results = _results(violation)
    others = [i for i in violation.inputs if not _is_argument(i) and _is_told(i)]
    others.sort(key=lambda i: i.kind in _ADDED)  # what a caller chooses comes first
    seen: set[_Call] = set()
    for call, together in groupby(others, _call):
        values = list(together)
        place = where(values[0].place) if values[0].place is not None else "at the start"
        if values[0].kind == SiteKind.NONDET.value:
            yield from (f"{place}: {v.name} = {v.value}" for v in values)
        elif call not in results:
            drawn = _listed([str(v.value) for v in values])
            yield f"{place}: {values[0].name} = {drawn}{_ADDED.get(values[0].kind, '')}"
        elif call not in seen:
            seen.add(call)
            yield from _returned(place, f"{values[0].name}()", results[call])
        if call in results and _fills(values[0]):
            yield f"{place}: {values[0].name} reads {_listed([str(v.value) for v in values])}"
    for call, returned in results.items() if not violation.inputs else ():
        if READS_CHARACTER.fullmatch(f"{call[0]}()") or call[0].startswith("__VERIFIER_nondet_"):
            yield from _returned(f"{call[1]}:{call[2]}", f"{call[0]}()", returned)


_ADDED = {SiteKind.UNINIT.value: ", never set"}
_Call = tuple[str, str, int]
"""The name of what is called, the file and the line."""


def _is_told(value: InputValue) -> bool:
    """Whether people can do something with it: it has a name, and nothing else decides it.

    Shifts have an input that all runs read as 0.  What an entry is called with is told as a call.
    """
    if value.kind != SiteKind.EXTERN.value:
        return bool(value.name) and not value.name.startswith(PREFIX)
    contract = contract_of(value.name)
    is_decided = contract is not None and contract.header in _DECIDED
    return not is_decided and value.name not in SHIFTS


def _fills(value: InputValue) -> bool:
    """Whether a call puts what it reads into memory of the program."""
    if value.kind != SiteKind.EXTERN.value or READS_CHARACTER.fullmatch(f"{value.name}()"):
        return False
    contract = contract_of(value.name)
    return contract is not None and contract.has_pointers and contract.header == "stdio.h"


def _call(value: InputValue) -> _Call:
    place = value.place
    return (value.name, place.file, place.line) if place is not None else (value.name, "", 0)


def _results(violation: Violation) -> dict[_Call, list[str]]:
    """What each call of the run returned, as far as its steps were kept."""
    found: dict[_Call, list[str]] = {}
    for step in violation.trace:
        for change in step.changes:
            if change.name.endswith("()"):
                key = (change.name.removesuffix("()"), step.place.file, step.place.line)
                found.setdefault(key, []).append(change.value)
    return found


def _returned(place: str, call: str, values: Sequence[str]) -> Iterator[str]:
    """What the calls at a place returned; an address of memory that there is says nothing."""
    shown = [value for value in values if not value.startswith(_ADDRESS)]
    if shown:
        yield f"{place}: {call} = {_listed(shown)}"


def _listed(values: Sequence[str]) -> str:
    """The values, with a number for many equal ones in a row."""
    more = len(values) - MOST_VALUES
    alike = ((value, len(list(group))) for value, group in groupby(values[:MOST_VALUES]))
    told = (f"{v} ({n} times)" if n > 2 else ", ".join([v] * n) for v, n in alike)
    return ", ".join(told) + (f", ... {more} more" if more > 0 else "")


# ------------------------------------------------------------------------------------- arguments


def _is_argument(value: InputValue) -> bool:
    names = (ARGUMENT_COUNT, ARGUMENT_LENGTH, ARGUMENT_BYTES)
    return value.place is None and value.name in names


def _arguments(inputs: Sequence[InputValue]) -> Iterator[str]:
    """The count of arguments, and the strings, as far as the run depends on them."""
    count, strings = 0, list[tuple[int, list[int]]]()
    for value in filter(_is_argument, inputs):
        if value.name == ARGUMENT_COUNT:
            count = value.value
            yield f"argc = {count}"
        elif value.name == ARGUMENT_LENGTH:
            strings.append((value.value, []))
        elif strings:
            strings[-1][1].append(value.value)
    for number, (length, codes) in enumerate(strings[:count]):
        if number or codes:  # the name of the program matters to few
            yield f"argv[{number}] = {_string(length, codes)}"


def _string(length: int, codes: Sequence[int]) -> str:
    if len(codes) != length:
        return f"any string of {length} characters"
    shown = '"' + "".join(escaped(code & 255) for code in codes[:MOST_CHARACTERS]) + '"'
    more = length - MOST_CHARACTERS
    return shown + (f" ... {more} more characters (all of them with --json)" if more > 0 else "")
