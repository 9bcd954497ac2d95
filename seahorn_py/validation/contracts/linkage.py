"""Refuses programs in which a name has two meanings or a thing two names: contracts go by name."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set

from seahorn_py.base.errors import UnsupportedError
from seahorn_py.base.patterns import pattern
from seahorn_py.validation.contracts.compiled import Compiled
from seahorn_py.validation.contracts.project import Unit

_LABEL = pattern(
    rb"([;{}]|^)(?P<before>[^;{}]*?(?:\)|\w))\s*\b(?:__asm__|__asm|asm)\s*"
    rb"\((?P<label>(?:\s*\"[^\"\n]*\")+)\s*\)"
)
_CALLED = pattern(rb"(\w+)\s*\(")
_STATEMENT = pattern(rb"\b(?:register|volatile|else|do|if|while|for|switch)\b")
_PRAGMA = pattern(rb"^[ \t]*#[ \t]*pragma[ \t]+redefine_extname\b", re.MULTILINE)


def check_names(units: Sequence[Unit], compiled: Compiled) -> None:
    """Raises UnsupportedError for weak names, aliases, labels, and names that two files define."""
    defined = {name.encode() for unit in units for name in unit.functions}
    for unit in units:
        renamed = _renamed(unit.plain, defined)
        if renamed:
            raise UnsupportedError(
                f"{unit.path}: {renamed}: contracts need names that are their own"
            )
    seen: set[str] = set()
    for number, unit in enumerate(units):
        for name in compiled.weak(number):
            raise UnsupportedError(f"{unit.path}: {name}: contracts beside weak names or aliases")
        linked = compiled.linked(number)
        if linked & seen:
            raise UnsupportedError(f"{min(linked & seen)}: several files define it")
        seen |= linked


def _renamed(text: bytes, defined: Set[bytes]) -> str:
    """A name that the text changes for the linker; "" if it changes none that matters."""
    if _PRAGMA.search(text):
        return "redefine_extname"
    for found in _LABEL.finditer(text):
        before, label = found["before"], b"".join(re.findall(rb'"([^"]*)"', found["label"]))
        if _STATEMENT.search(before):
            continue
        names = _CALLED.findall(before)
        if not before.endswith(b")") or label in defined or not defined.isdisjoint(names):
            return label.decode("utf-8", "replace")
    return ""
