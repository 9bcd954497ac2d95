"""Fields that both formats of witnesses have."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from datetime import UTC, datetime

from seahorn_py.base.errors import SeaError
from seahorn_py.base.patterns import pattern
from seahorn_py.base.version import VERSION
from seahorn_py.options import Property
from seahorn_py.properties import OURS, formula_property
from seahorn_py.witness.witness import Producer, WitnessError

_RULE = pattern(r"(?:CHECK\(init\(main\(\)\),LTL\()?G!violates\(([^()]+)\)(?:\)\))?")
_FORMULAS = {
    Property.UNREACH_CALL: "G ! call(reach_error())",
    Property.NO_OVERFLOW: "G ! overflow",
    Property.VALID_FREE: "G valid-free",
    Property.VALID_DEREF: "G valid-deref",
    Property.VALID_MEMTRACK: "G valid-memtrack",
    Property.VALID_MEMCLEANUP: "G valid-memcleanup",
    Property.NO_DATA_RACE: "G ! data-race",
    Property.NO_DEADLOCK: "G ! deadlock",
    Property.TERMINATION: "F end",
    **{property_: f"G ! {property_.value}" for property_ in OURS},
}
_PARTS = frozenset({Property.VALID_FREE, Property.VALID_DEREF, Property.VALID_MEMTRACK})


def specification(properties: frozenset[Property], rules: Iterable[str] = ()) -> str:
    """The lines of a property file for these properties; calls of errors if there are none.

    A rule of use has a formula of ours: no step violates the rule of that name.
    """
    wanted = properties or {Property.UNREACH_CALL}
    if Property.VALID_MEMSAFETY in wanted:
        wanted |= _PARTS
    formulas = [formula for property_, formula in _FORMULAS.items() if property_ in wanted]
    formulas += (f"G ! violates({rule})" for rule in rules)
    return "\n".join(f"CHECK( init(main()), LTL({formula}) )" for formula in formulas)


def specified(text: str) -> tuple[frozenset[Property], tuple[str, ...]]:
    """The properties and rules of a specification, one formula a line, with or without `CHECK`."""
    found: set[Property] = set()
    rules: list[str] = []
    for line in filter(None, ("".join(line.split()) for line in text.splitlines())):
        rule = _RULE.fullmatch(line)
        if rule:
            found.add(Property.RULE)
            rules.append(rule[1])
            continue
        try:
            found.add(formula_property(line, "the specification"))
        except SeaError as error:
            raise WitnessError(str(error)) from None
    if not found:
        raise WitnessError("it has no specification")
    return frozenset(found), tuple(rules)


def positive(text: str, what: str) -> int:
    """A line or column."""
    if not (text.isascii() and text.isdigit() and len(text) < 10 and int(text) > 0):
        raise WitnessError(f"{what} is no positive number: {text[:40]!r}")
    return int(text)


def this_producer() -> Producer:
    """The producer that is running: its command line, and the time, UTC, as in ISO 8601."""
    command = " ".join(["sea-py", *sys.argv[1:]])
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return Producer("sea-py", VERSION, command, now)
