"""Models of the C library that may give more than their functions do.

A relational summary of a function over-approximates it (Dor, Rodeh, Sagiv: "CSSV: towards a
realistic tool for statically detecting all buffer overflows in C", PLDI 2003, whose contracts tell
where in a string a function may end).  The models have such a summary beside the exact meaning of
some functions that walk through texts, and read the global `LOOSE` to choose.  It is 0 in the
program as it was read, and so in all its runs.
"""

from __future__ import annotations

from dataclasses import replace

from seahorn_py.ir.program import IntConst, Program
from seahorn_py.ir.types import IntType

LOOSE = "sea.loose"
"""The global of one byte that models read."""


def loosely(program: Program) -> Program:
    """The program as it was read with summaries in the place of exact models.

    It is the same program if none of these is called.  It has all failing runs of the old one and
    more: a proof of it is one of the old program, and an error in it may be none.
    """
    known = program.globals.get(LOOSE)
    if known is None:
        return program
    is_loose = replace(known, leaves=((0, IntConst(1, IntType(8))),))
    return replace(program, globals={**program.globals, LOOSE: is_loose})
