"""What models of threads are made of: calls that the product of threads gives a meaning.

`__VERIFIER_atomic_begin`, the names of other verifiers for it, and functions whose names begin with
`__VERIFIER_atomic_` make steps that no other thread interrupts.
"""

from __future__ import annotations

import re

from seahorn_py.base.patterns import pattern
from seahorn_py.frontend.llvmtext.module import ModuleText
from seahorn_py.options import FrontendOptions, Property

CREATE = "__sea_thread_create"
SELF = "__sea_thread_self"
ENDED = "__sea_thread_ended"
EXIT = "__sea_thread_exit"
WAIT = "__sea_thread_wait"
BEGIN = "__sea_atomic_begin"
END = "__sea_atomic_end"
SYNCHRONIZES = "__sea_synchronizes"

_OWN = frozenset({CREATE, SELF, ENDED, EXIT, WAIT, BEGIN, END, SYNCHRONIZES})
_VERIFIERS = ("__VERIFIER", "__CPROVER", "__ESBMC")
BEGINS = frozenset({BEGIN, *(f"{name}_atomic_begin" for name in _VERIFIERS)})
ENDS = frozenset({END, *(f"{name}_atomic_end" for name in _VERIFIERS)})
PRIMITIVES = _OWN | BEGINS | ENDS
_ATOMIC = "__VERIFIER_atomic_"


_CALLED = pattern(rf" @(?:{'|'.join(map(re.escape, sorted(PRIMITIVES)))})\(")


_SECTION = pattern(rf" call .*@(?:{'|'.join(sorted(BEGINS - _OWN))})\(|^define .*@{_ATOMIC}")


def has_sections(text: str) -> bool:
    """Whether the program itself has atomic sections."""
    return any(_SECTION.search(line) for line in text.split("\n") if "@__" in line)


def is_left(text: str) -> bool:
    """Whether a text calls a primitive, so that no meaning was given to it."""
    return any(_CALLED.search(line) for line in text.split("\n") if " call " in line)


def is_threaded(module: ModuleText) -> bool:
    """Whether a program has threads, or models that say what one thread does to others."""
    return not _OWN.isdisjoint(module.declarations)


def is_interleaved(module: ModuleText, options: FrontendOptions) -> bool:
    """Whether there may be threads beside that of `main`, or what is asked is about threads."""
    asked = options.wants(Property.NO_DATA_RACE) or options.wants(Property.NO_DEADLOCK)
    return is_threaded(module) and (asked or not {CREATE, EXIT}.isdisjoint(module.declarations))


def is_atomic(name: str) -> bool:
    """Whether all that a function of the program does is one step."""
    return name.startswith(_ATOMIC) and name not in PRIMITIVES
