"""What is told of loops that have ranks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from seahorn_py.encode.encoding import Encoding
from seahorn_py.ir.graph import blocks_by_label
from seahorn_py.ir.program import Program, Register
from seahorn_py.passes.termination.ranked import CALLS, Measure, Rank
from seahorn_py.result import Answer, LoopResult
from seahorn_py.verification.termination.loop_places import CyclePlace, Key, title
from seahorn_py.verification.termination.wording import Words

ENDS = ": ends, rank "


def ranked_loops(programs: Sequence[Program], texts: Mapping[Key, str]) -> tuple[LoopResult, ...]:
    """Results for loops that end, by place; `texts` has the text of the rank of each loop.

    The place of a loop is that in the first of the programs that has the loop.
    """
    found = []
    for (name, label), rank in texts.items():
        functions = [program.functions[name] for program in programs]
        has_loop = (f for f in functions if label == CALLS or label in blocks_by_label(f))
        where, origin = title(next(has_loop), label)
        found.append(LoopResult(where, origin.span, Answer.SAFE, rank, calls=origin.chain[1:]))
    return tuple(sorted(found, key=lambda loop: loop.text))


def names_at(place: CyclePlace, encoding: Encoding, program: Program) -> Mapping[Register, str]:
    """What a user calls the registers at the head of a loop, or at the entry of a function."""
    name, label = place.key
    words = Words(program, program.functions[name])
    parameters = encoding.system.relations[place.cycle.head].parameters
    named = zip(place.cut.registers, parameters, strict=True)
    return {register: p.c_name or words.of(register, label) for register, p in named}


def rank_text(rank: Rank, names: Mapping[Register, str]) -> str:
    """The rank in these names."""
    return f"({', '.join(_measure(m, names) for m in rank.measures)})"


def _measure(measure: Measure, names: Mapping[Register, str]) -> str:
    """The sum, with what is subtracted at its end."""
    parts = [(s.factor, names[s.register]) for s in measure.summands]
    ordered = [*(p for p in parts if p[0] > 0), *(p for p in parts if p[0] < 0)]
    at = 0 if measure.constant > 0 and not any(f > 0 for f, _ in parts) else len(ordered)
    if measure.constant or not ordered:
        ordered.insert(at, (measure.constant, ""))
    text = ""
    for factor, name in ordered:
        size = abs(factor)
        word = name if name and size == 1 else f"{size} * {name}" if name else str(size)
        if text:
            text += f" {'-' if factor < 0 else '+'} {word}"
        else:
            text = f"-{word}" if factor < 0 else word
    return text
