"""Names of properties, as users and property files give them.

A `.prp` file has one formula a line, `CHECK( init(main()), LTL(...) )`, and white space means
nothing (SV-COMP rules, section "Properties").  Every formula is a property of its own.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from seahorn_py.base.errors import SeaError
from seahorn_py.options import MEMORY_SAFETY, FrontendOptions, Property

_PREFIX, _SUFFIX = "CHECK(init(main()),LTL(", "))"
_FORMULAS = {
    "G!call(reach_error())": Property.UNREACH_CALL,
    "G!call(__VERIFIER_error())": Property.UNREACH_CALL,
    "Gvalid-deref": Property.VALID_DEREF,
    "Gvalid-free": Property.VALID_FREE,
    "Gvalid-memtrack": Property.VALID_MEMTRACK,
    "Gvalid-memcleanup": Property.VALID_MEMCLEANUP,
    "G!overflow": Property.NO_OVERFLOW,
}
_NOT_SUPPORTED = {
    "termination": "termination",
    "no-data-race": "no-data-race",
    "def-behavior": "def-behavior",
    "Fend": "termination",
    "G!data-race": "no-data-race",
    "Gdef-behavior": "def-behavior",
}
SUPPORTED = ", ".join(p.value for p in Property)


def read_properties(given: Iterable[str | Path]) -> frozenset[Property]:
    """The properties that names and files stand for; SeaError for one that is none.

    A path, and a name that ends with `.prp`, is that of a file.
    """
    found: set[Property] = set()
    for name in given:
        if isinstance(name, Path) or name.endswith(".prp"):
            found.update(_of_file(Path(name)))
        else:
            found.add(_of_name(name))
    return frozenset(found)


def unchecked(options: FrontendOptions, checked: frozenset[str]) -> tuple[str, ...]:
    """The names of the properties asked for that are not among those that checks are about."""
    asked = options.properties or {Property.UNREACH_CALL}
    wanted = (p for p in Property if p in asked)
    return tuple(p.value for p in wanted if checked.isdisjoint(q.value for q in _parts(p)))


def _parts(property_: Property) -> frozenset[Property]:
    return MEMORY_SAFETY if property_ is Property.VALID_MEMSAFETY else frozenset({property_})


def _of_name(name: str) -> Property:
    try:
        return Property(name)
    except ValueError:
        raise _refusal(name, "") from None


def _of_file(file: Path) -> list[Property]:
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "not a text file"
        raise SeaError(f"{file}: cannot read the property: {why}") from None
    formulas = [text for line in lines if (text := "".join(line.split()))]
    if not formulas:
        raise SeaError(f"{file}: no property in this file")
    return [_of_formula(file, text) for text in formulas]


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
    what = f"the property {known} is not supported" if known else f"unknown property {name}"
    where = f"{origin}: " if origin else ""
    return SeaError(f"{where}{what}; supported: {SUPPORTED}")
