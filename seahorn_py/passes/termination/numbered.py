"""Loops whose rounds are numbered, so that a rank may say how many of them are left.

The head of a loop gets a register: the number of rounds that the run has made since it entered the
loop.  If a loop makes at most `n` rounds, for whatever reason, `n - rounds` is a rank of it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from seahorn_py.ir.graph import blocks_by_label, predecessors
from seahorn_py.ir.program import Binary, BinaryOp, Function, IntConst, Phi, Program, Register
from seahorn_py.ir.traverse import definitions
from seahorn_py.ir.types import IntType
from seahorn_py.passes.promotion.access import Names
from seahorn_py.passes.termination.loops import natural_loops

NUMBER = IntType(32)
ROUNDS = "rounds"
"""What the registers are called, with a number behind it if need be."""

Heads = Collection[tuple[str, str]]
"""(function, head of a loop)"""


def numbered(program: Program, heads: Heads) -> tuple[Program, Mapping[tuple[str, str], Register]]:
    """The program in which the rounds of these loops are numbered, and their registers.

    The program is in encoding form.  Raises Irreducible if a function with such a loop has a cycle
    without a head.
    """
    functions = dict(program.functions)
    registers: dict[tuple[str, str], Register] = {}
    for name in dict.fromkeys(name for name, _ in heads):
        mine = {label for at, label in heads if at == name}
        functions[name], added = _numbered(functions[name], mine)
        registers |= {(name, label): register for label, register in added.items()}
    return replace(program, functions=functions), registers


def _numbered(function: Function, heads: Collection[str]) -> tuple[Function, dict[str, Register]]:
    blocks, before = blocks_by_label(function), predecessors(function)
    taken = [r.name for b in function.blocks for r in definitions(b)]
    names = Names([*taken, *(p.name for p in function.parameters)])
    added: dict[str, Register] = {}
    for loop in natural_loops(function):
        if loop.head not in heads:
            continue
        number, later = names.fresh(ROUNDS, NUMBER), names.fresh(ROUNDS, NUMBER)
        incoming = (
            (at, later if at in loop.body else IntConst(0, NUMBER)) for at in before[loop.head]
        )
        head = blocks[loop.head]
        counting = Binary(later, BinaryOp.ADD, number, IntConst(1, NUMBER))
        blocks[loop.head] = replace(
            head,
            phis=(*head.phis, Phi(number, tuple(incoming))),
            statements=(*head.statements, counting),
        )
        added[loop.head] = number
    return replace(function, blocks=tuple(blocks.values())), added
