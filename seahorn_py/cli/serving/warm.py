"""Load what answers need, so that copies of this process need not.

What is loaded is code alone: nothing is read that a command could have in another way, and nothing
is started.  `Stamps` tell later whether the files are still those that were loaded.
"""

from __future__ import annotations

import contextlib
import gc
import os
import pkgutil
import sys
from collections.abc import Iterator
from importlib import import_module

import seahorn_py
from seahorn_py.base import patterns, records

ROOMS = (
    *("csource", "encode", "engines", "evidence", "frontend", "horn", "invariants", "ir"),
    *("logic", "passes", "policy", "processes", "properties", "result", "validation"),
    *(
        "verification",
        "witness",
        "cli.main",
        "cli.answers.printed",
        "cli.answers.report",
        "cli.answers.written_files",
    ),
    *("cli.screen", "cli.messages"),
)
"""What commands that answer import, all of them sooner or later."""

LIBRARIES = ("llvmlite.binding", "cvc5", "bitwuzla", "yaml", "subprocess", "shutil", "threading")
"""What is imported in the middle of work; z3 has a context of its own."""

Stamps = dict[str, tuple[int, int]]
"""Path of a file -> when it was changed, its size."""


def load(*, is_thorough: bool = False) -> None:
    """Import everything; the copies of this process share it.

    To be thorough takes as long again, and saves each copy a tenth of what it takes.
    """
    for room in ROOMS:
        for name in _modules(f"seahorn_py.{room}"):
            with contextlib.suppress(ImportError):  # what an extra brings may be missing
                import_module(name)
    for name in LIBRARIES:
        import_module(name)
    import_module("seahorn_py.logic.solvers.solvers").warm_up()
    if is_thorough:
        patterns.compile_all()
        records.generate_all()
    gc.collect()
    gc.freeze()


def _modules(name: str) -> Iterator[str]:
    yield name
    package = import_module(name)
    if hasattr(package, "__path__"):
        for found in pkgutil.iter_modules(package.__path__, f"{name}."):
            if not found.name.endswith("__main__"):
                yield from _modules(found.name)


def stamps() -> Stamps:
    """Those of all modules that are loaded, and of the numbers that steer the search."""
    files = {getattr(module, "__file__", None) for module in list(sys.modules.values())}
    policy = os.path.join(os.path.dirname(seahorn_py.__file__), "policy", "policy.json")
    return {file: found for file in (*files, policy) if file and (found := _stamp(file))}


def changed(known: Stamps) -> bool:
    """Whether a file is another one now."""
    return any(_stamp(file) != stamp for file, stamp in known.items())


def _stamp(file: str) -> tuple[int, int] | None:
    try:
        found = os.stat(file)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size
