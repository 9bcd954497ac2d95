"""The program with some of its checks alone, and no more of it than decides these."""

from __future__ import annotations

from collections.abc import Container, Set
from dataclasses import replace

from seahorn_py.ir.program import (
    Block,
    Branch,
    Fail,
    Function,
    Jump,
    Program,
    Stop,
    StopKind,
    Terminator,
)
from seahorn_py.passes.calls import isolate_calls
from seahorn_py.passes.simplify.blocks import drop_unreachable
from seahorn_py.passes.slicing.slicing import slice_program


def focus(program: Program, sites: Container[int], *, go_on: bool) -> Program:
    """At other checks than those of these sites a run ends, or goes on as if they held.

    If it ends there, the checks fail on the same inputs as before.  If it `goes on`, they fail on
    these and maybe more, and what only decides the other checks is gone.  The program is in
    encoding form, before and after.
    """
    functions = {name: _focused(f, sites, go_on) for name, f in program.functions.items()}
    return isolate_calls(slice_program(replace(program, functions=functions)))


def _focused(function: Function, sites: Container[int], go_on: bool) -> Function:
    others = {b.label for b in function.blocks if _is_other(b.terminator, sites)}
    if not others:
        return function
    left = others if go_on else set[str]()
    blocks = (_without(b, b.label in others, left) for b in function.blocks)
    return drop_unreachable(replace(function, blocks=tuple(blocks)))


def _is_other(end: Terminator, sites: Container[int]) -> bool:
    return isinstance(end, Fail) and end.check.number not in sites


def _without(block: Block, ends: bool, left: Set[str]) -> Block:
    """The block with the end of the run for its check, and with no branch to what is left out."""
    end = block.terminator
    if ends:
        return replace(block, terminator=Stop(StopKind.END, end.origin))
    if not isinstance(end, Branch) or (end.then in left) == (end.otherwise in left):
        return block
    target = end.otherwise if end.then in left else end.then
    return replace(block, terminator=Jump(target, end.origin))
