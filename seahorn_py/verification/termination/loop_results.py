"""What is told of loops that have ranks."""

from __future__ import annotations

from collections.abc import Mapping

from seahorn_py.encode.encoding import Encoding
from seahorn_py.ir.graph import blocks_by_label
from seahorn_py.ir.program import Program, Register
from seahorn_py.passes.termination.loops import head_origin
from seahorn_py.passes.termination.ranked import CALLS, Measure, Rank
from seahorn_py.result import Answer, LoopResult
from seahorn_py.verification.termination.loop_places import CyclePlace

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


def rank_text(rank: Rank, encoding: Encoding, place: CyclePlace) -> str:
    """The rank in the names of C."""
    parameters = encoding.system.relations[place.cycle.head].parameters
    named = zip(place.cut.registers, parameters, strict=True)
    names = {register: p.c_name or f"%{register.name}" for register, p in named}
    return f"({', '.join(_measure(m, names) for m in rank.measures)})"


def _measure(measure: Measure, names: Mapping[Register, str]) -> str:
    text = ""
    for summand in measure.summands:
        factor, name = summand.factor, names[summand.register]
        sign = "-" if factor < 0 else "+"
        size = "" if abs(factor) == 1 else f"{abs(factor)} * "
        text += f" {sign} {size}{name}" if text else f"{'-' if factor < 0 else ''}{size}{name}"
    if measure.constant or not text:
        number = measure.constant
        text += f" {'-' if number < 0 else '+'} {abs(number)}" if text else str(number)
    return text
