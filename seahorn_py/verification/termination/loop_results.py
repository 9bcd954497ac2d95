"""What is told of loops that have ranks."""

from __future__ import annotations

from collections.abc import Mapping

from seahorn_py.ir.graph import blocks_by_label
from seahorn_py.ir.program import Program
from seahorn_py.passes.termination.loops import head_origin
from seahorn_py.passes.termination.ranked import CALLS
from seahorn_py.result import Answer, LoopResult

ENDS = ": ends, rank "


def ranked_loops(program: Program, texts: Mapping[tuple[str, str], str]) -> tuple[LoopResult, ...]:
    """Results for loops that end, by place; `texts` has a line with the rank for each loop."""
    found = []
    for (name, label), text in texts.items():
        function = program.functions[name]
        is_loop = label != CALLS
        origin = head_origin(blocks_by_label(function)[label]) if is_loop else function.origin
        where, _, rank = text.partition(ENDS)
        found.append(LoopResult(where, origin.span, Answer.SAFE, rank, calls=origin.chain[1:]))
    return tuple(sorted(found, key=lambda loop: loop.text))
