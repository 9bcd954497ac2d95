"""Names of properties and of groups of them, as users and property files give them.

A `.prp` file has one formula a line, `CHECK( init(main()), LTL(...) )`, and white space means
nothing (SV-COMP rules, section "Properties").  Every formula is a property of its own.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from seahorn_py.base.errors import SeaError
from seahorn_py.base.patterns import pattern
from seahorn_py.options import MEMORY_SAFETY, FrontendOptions, Property

_PREFIX, _SUFFIX = "CHECK(init(main()),LTL(", "))"
_CHECK = pattern(r"\s*CHECK\s*\(\s*init\s*\(\s*main\s*\(\s*\)\s*\)\s*,\s*LTL\s*\((.*)\)\s*\)\s*")
_TEMPORAL = pattern(r'["()!]|&&|\|\||[-=]>|<>|\[\]|(?:^|\s)(?:[GFX]+|[URVW])\s')
"""In a formula, and in no name of a property."""

OURS = (
    Property.NULL_DEREF,
    Property.BOUNDS,
    Property.DIV_BY_ZERO,
    Property.SHIFT,
    Property.UNINIT,
    Property.UNSIGNED_OVERFLOW,
    Property.CONVERSION,
)
"""The properties that SV-COMP has no formula for: an error of that kind never happens."""

_FORMULAS = {
    "G!call(reach_error())": Property.UNREACH_CALL,
    "G!call(__VERIFIER_error())": Property.UNREACH_CALL,
    "Gvalid-deref": Property.VALID_DEREF,
    "Gvalid-free": Property.VALID_FREE,
    "Gvalid-memtrack": Property.VALID_MEMTRACK,
    "Gvalid-memcleanup": Property.VALID_MEMCLEANUP,
    "G!overflow": Property.NO_OVERFLOW,
    "G!data-race": Property.NO_DATA_RACE,
    "G!deadlock": Property.NO_DEADLOCK,
    "Fend": Property.TERMINATION,
}
_FORMULAS |= {f"G!{p.value}": p for p in OURS}
_NOT_SUPPORTED = {
    "def-behavior": "def-behavior",
    "Gdef-behavior": "def-behavior",
}
NAMED = tuple(p for p in Property if p not in (Property.RULE, Property.LTL))
"""The properties that have a name to ask for; rules of use and formulas are asked for by their own.
"""

SUPPORTED = ", ".join(p.value for p in NAMED)
MEMORY = frozenset(
    {Property.VALID_DEREF, Property.VALID_FREE, Property.NULL_DEREF, Property.BOUNDS}
)
ARITHMETIC = frozenset({Property.NO_OVERFLOW, Property.DIV_BY_ZERO, Property.SHIFT})
BY_DEFAULT = MEMORY | ARITHMETIC | {Property.UNINIT}
"""What is asked about a program in which nothing else is."""

GROUPS = {
    "default": BY_DEFAULT,
    "memory": MEMORY | {Property.VALID_MEMTRACK},
    "arithmetic": ARITHMETIC,
    "all": BY_DEFAULT | {Property.VALID_MEMTRACK, Property.UNREACH_CALL},
}
"""The groups; each property of a group has an answer of its own."""

_ALIASES = {
    "memsafety": Property.VALID_MEMSAFETY,
    "memory-safety": Property.VALID_MEMSAFETY,
    "memory-leak": Property.VALID_MEMTRACK,
    "overflow": Property.NO_OVERFLOW,
    "signed-overflow": Property.NO_OVERFLOW,
    "pointer": Property.VALID_DEREF,
    "null": Property.NULL_DEREF,
    "null-pointer": Property.NULL_DEREF,
    "array-bounds": Property.BOUNDS,
    "division-by-zero": Property.DIV_BY_ZERO,
    "undefined-shift": Property.SHIFT,
    "uninitialised": Property.UNINIT,
    "uninitialized": Property.UNINIT,
    "assertions": Property.UNREACH_CALL,
    "reach": Property.UNREACH_CALL,
    "data-race": Property.NO_DATA_RACE,
    "deadlock": Property.NO_DEADLOCK,
}


def read_properties(given: Iterable[str | Path]) -> frozenset[Property]:
    """The properties that names and files stand for; SeaError for one that is none.

    A path, and a name that ends with `.prp`, is that of a file.  Other texts are names of
    properties or groups, with commas between them, or a formula, which stands for `Property.LTL`.
    """
    found: set[Property] = set()
    for name in given:
        if isinstance(name, Path) or name.endswith(".prp"):
            found.update(_of_file(Path(name)))
        elif is_temporal(name):
            found.add(Property.LTL)
        else:
            found.update(*map(_of_name, name.split(",")))
    return frozenset(found)


def formula_of(given: Iterable[str | Path]) -> str:
    """The temporal formula among what is given, "" if there is none; SeaError for several."""
    found: list[str] = []
    for name in given:
        if isinstance(name, Path) or name.endswith(".prp"):
            found += filter(None, map(_temporal, _lines(Path(name))))
        elif is_temporal(name):
            found.append(name.strip())
    if len(found) > 1:
        raise SeaError(f"one temporal formula at a time, not {len(found)}: {', '.join(found)}")
    return "".join(found)


def is_temporal(text: str) -> bool:
    """Whether a text is a formula, and no name."""
    return _TEMPORAL.search(text) is not None


def _temporal(line: str) -> str:
    """The formula of a line with quoted atoms, which is no other property; "" without any."""
    found = _CHECK.fullmatch(line)
    return found[1].strip() if found and '"' in found[1] else ""


def asks_each(given: Iterable[str | Path]) -> bool:
    """Whether each property is to have an answer of its own, since a group of them is asked for."""
    texts = (text for text in given if isinstance(text, str))
    return any(name.strip() in GROUPS for text in texts for name in text.split(","))


def check_together(options: FrontendOptions, each: bool) -> None:
    """Raises SeaError if what is no check is asked about together with properties that are."""
    properties = options.properties
    if Property.TERMINATION in properties and len(properties) > 1 and not each:
        raise SeaError("the property termination is asked for alone")
    if Property.LTL in properties and (len(properties) > 1 or options.rules):
        raise SeaError("a temporal formula is asked for alone")
    if Property.LTL in properties and (options.error_functions or options.error_labels):
        raise SeaError("beside a temporal formula no functions or labels are errors")


def of_entries(properties: frozenset[Property], by_group: bool) -> frozenset[Property]:
    """The properties that can be asked about functions, whose callers free blocks.

    What is named itself, not `by_group`, stays, and is refused later.  If none can be asked, all
    stay: to ask about nothing would be another question.
    """
    asked, left_out = properties, {Property.VALID_MEMTRACK} if by_group else set[Property]()
    if Property.VALID_MEMSAFETY in properties:
        asked |= {Property.VALID_DEREF, Property.VALID_FREE}
        left_out = {Property.VALID_MEMSAFETY, Property.VALID_MEMTRACK}
    return asked - left_out or properties


def unchecked(options: FrontendOptions, checked: frozenset[str]) -> tuple[str, ...]:
    """The names of the properties asked for that are not among those that checks are about."""
    asked = options.properties or {Property.UNREACH_CALL}
    wanted = (p for p in Property if p in asked)
    return tuple(p.value for p in wanted if checked.isdisjoint(q.value for q in _parts(p)))


def _parts(property_: Property) -> frozenset[Property]:
    return MEMORY_SAFETY if property_ is Property.VALID_MEMSAFETY else frozenset({property_})


def _of_name(given: str) -> frozenset[Property]:
    name = given.strip()
    if name in GROUPS:
        return GROUPS[name]
    if name in _ALIASES:
        return frozenset({_ALIASES[name]})
    found = next((p for p in NAMED if p.value == name), None)
    if found is None:
        raise _refusal(name, "")
    return frozenset({found})


def _of_file(file: Path) -> list[Property]:
    formulas = [line for line in _lines(file) if line.strip()]
    if not formulas:
        raise SeaError(f"{file}: no property in this file")
    return [
        Property.LTL if _temporal(line) else _of_formula(file, "".join(line.split()))
        for line in formulas
    ]


def _lines(file: Path) -> list[str]:
    try:
        return file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "not a text file"
        raise SeaError(f"{file}: cannot read the property: {why}") from None


def formula_property(text: str, origin: str) -> Property:
    """The property that a formula without white space means, alone or in a CHECK; or SeaError."""
    inner = text[len(_PREFIX) : -len(_SUFFIX)] if _is_check(text) else text
    if inner in _FORMULAS:
        return _FORMULAS[inner]
    raise _refusal(inner, origin)


def _of_formula(file: Path, text: str) -> Property:
    if _is_check(text):
        return formula_property(text, str(file))
    raise _refusal(text, str(file))


def _is_check(text: str) -> bool:
    return text.startswith(_PREFIX) and text.endswith(_SUFFIX)


def _refusal(name: str, origin: str) -> SeaError:
    known = _NOT_SUPPORTED.get(name)
    if name == Property.RULE.value:
        return SeaError("rules of use are asked for by --rule NAME; `sea-py rules` lists them")
    what = f"the property {known} is not supported" if known else f"unknown property {name}"
    where = f"{origin}: " if origin else ""
    names = [*(p.value for p in NAMED), *GROUPS, *_ALIASES]
    near = "" if known or origin else nearest(name, names)
    return SeaError(f"{where}{what}{near}; supported: {SUPPORTED}")


def nearest(name: str, known: Iterable[str]) -> str:
    """What may have been meant by a misspelt name, as the rest of a sentence; "" for nothing."""
    import difflib  # costs start-up time

    near = difflib.get_close_matches(name, list(known), 1)
    return f", did you mean {near[0]}?" if near else ""
