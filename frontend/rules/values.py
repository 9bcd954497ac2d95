"""How values are handed to an automaton, and which addresses are known before a run."""

from __future__ import annotations

from collections.abc import Mapping

from seahorn_py.base.errors import InputError
from seahorn_py.base.patterns import pattern
from seahorn_py.frontend.llvmtext.lines import SYMBOL
from seahorn_py.frontend.llvmtext.module import ModuleText
from seahorn_py.frontend.rules.monitor import Value

_INTEGER = pattern(r"i(\d+)$")
_FLOATING = frozenset({"float", "double"})
_PLAIN_POINTEE = frozenset({"char", "int", "short", "long", "long long"})
_OWN = ("internal global ", "dso_local global ", "global ")
"""Begins the definition of an object that no other file defines."""


def is_own_global(operand: str, parts: ModuleText) -> bool:
    """Whether an operand is an address in a global that the module defines, the same in a run."""
    names = SYMBOL.findall(operand)
    if len(names) != 1 or operand.startswith("%") or names[0] not in parts.globals:
        return False
    definition = parts.globals[names[0]]
    return definition.startswith(_OWN) and "thread_local" not in definition


def value_of(
    position: int,
    name: str,
    given: Mapping[int, tuple[str, str]],
    types: Mapping[int, tuple[str, bool | None]],
) -> Value:
    """How a value is handed over: as a pointer, a double or the widest integer."""
    if position not in given:
        raise InputError(f"{name}(): a rule binds a value that a call of it does not have")
    kind = given[position][0]
    text, signed = types.get(position, ("", None))
    if kind == "ptr":
        pointee = text.rstrip("*").strip().removeprefix("const ").removeprefix("unsigned ")
        plain = text.count("*") == 1 and pointee in _PLAIN_POINTEE
        return Value(text if plain else "void *", "void *")
    if kind in _FLOATING:
        return Value(kind, "double")
    if not _INTEGER.match(kind) or int(kind[1:]) > 64:
        raise InputError(f"{name}(): a rule binds a value of the type {text or kind}")
    whole = "long long" if signed is not False else "unsigned long long"
    return Value(scalar(text, whole), whole)


def scalar(text: str, widest: str) -> str:
    """The type of a value without qualifiers; of one that is not known the widest."""
    words = [word for word in text.split() if word not in ("const", "volatile", "_Atomic")]
    known = {"_Bool", "char", "short", "int", "long", "signed", "unsigned"}
    return " ".join(words) if words and known.issuperset(words) else widest
