"""`sea-py` with something planted in the place of one of its functions.

python planted.py MODULE:FUNCTION WHAT ARGUMENTS...
"""

from __future__ import annotations

import ctypes
import importlib
import sys
import time
from pathlib import Path
from typing import Any, NoReturn

from seahorn_py.cli import main as cli


def loops(*_: Any, **__: Any) -> NoReturn:
    while True:
        pass


def sleeps(*_: Any, **__: Any) -> None:
    """In C, with the lock of the interpreter: no signal handler and no other thread runs."""
    ctypes.PyDLL(None).sleep(1000)


def allocates(*_: Any, **__: Any) -> NoReturn:
    held = []
    while True:
        held.append(b"x" * (1 << 24))


def wants_too_much(*_: Any, **__: Any) -> object:
    return bytearray(1 << 36)


def has_no_memory(*_: Any, **__: Any) -> None:
    raise MemoryError


def raises(*_: Any, **__: Any) -> None:
    raise ValueError("planted")


def recurses(*_: Any, **__: Any) -> None:
    recurses()


def crashes(*_: Any, **__: Any) -> None:
    ctypes.string_at(0)


def interrupts(*_: Any, **__: Any) -> None:
    raise KeyboardInterrupt


def lacks(*_: Any, **__: Any) -> None:
    raise ModuleNotFoundError("No module named 'z3'")


def surrogate(*_: Any, **__: Any) -> str:
    return "\udcff"


if __name__ == "__main__":
    place, what, *sys.argv[1:] = sys.argv[1:]
    if place:
        module, _, name = place.partition(":")
        setattr(importlib.import_module(module), name, globals()[what])
    Path("began").write_text(str(time.monotonic()))
    cli.run()
