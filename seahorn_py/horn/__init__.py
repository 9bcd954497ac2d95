"""Horn systems: how they are made, read, written and checked.

from seahorn_py import solve
from seahorn_py.horn import Clauses, check, instances, read_horn
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from seahorn_py.horn.checking.evidence import check
    from seahorn_py.horn.python_clauses import Clauses, in_pysmt, in_z3, model_of, system_of
    from seahorn_py.horn.system import (
        Atom,
        HornSystem,
        KInductive,
        Model,
        Query,
        Refutation,
        Relation,
        Rule,
        Step,
        Unrolling,
    )
    from seahorn_py.horn.text.fixedpoint import print_fixedpoint
    from seahorn_py.horn.text.smtlib import print_horn, read_horn
    from seahorn_py.horn.walking import Instance, instances

__all__ = [
    "Atom",
    "Clauses",
    "HornSystem",
    "Instance",
    "KInductive",
    "Model",
    "Query",
    "Refutation",
    "Relation",
    "Rule",
    "Step",
    "Unrolling",
    "check",
    "in_pysmt",
    "in_z3",
    "instances",
    "model_of",
    "print_fixedpoint",
    "print_horn",
    "read_horn",
    "system_of",
]

_HOMES = {
    "python_clauses": ("Clauses", "in_pysmt", "in_z3", "model_of", "system_of"),
    "checking.evidence": ("check",),
    "walking": ("Instance", "instances"),
    "system": (
        *("Atom", "HornSystem", "KInductive", "Model", "Query"),
        *("Refutation", "Relation", "Rule", "Step", "Unrolling"),
    ),
    "text.fixedpoint": ("print_fixedpoint",),
    "text.smtlib": ("print_horn", "read_horn"),
}


def __getattr__(name: str) -> Any:
    """Import the public names on first use, as the package itself does."""
    from importlib import import_module

    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{home}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """The public names too, before they are used."""
    return sorted({*globals(), *__all__})
