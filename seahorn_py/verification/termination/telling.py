"""Ranks for witnesses: over the C variables that hold the registers at the head of a loop."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from seahorn_py.base.errors import Origin
from seahorn_py.csource.types import integer_type
from seahorn_py.evidence.expressions.heads import Loops, is_near
from seahorn_py.evidence.expressions.variables import Held
from seahorn_py.ir.graph import blocks_by_label
from seahorn_py.ir.program import Program, Register
from seahorn_py.ir.types import IntType
from seahorn_py.passes.termination.loops import head_origin
from seahorn_py.passes.termination.ranked import CALLS, Measure, Rank, Ranks, Summand
from seahorn_py.result import LoopHead, LoopRank, RankMeasure, RankTerm

_Named = Mapping[Register, tuple[Held, ...]]


def told(program: Program, ranks: Ranks) -> tuple[LoopRank, ...]:
    """The ranks in C; if C has no words for a rank, or it is one of calls, that it is left out."""
    return tuple(_told(program, ranks))


def _told(program: Program, ranks: Ranks) -> Iterator[LoopRank]:
    loops = {name: Loops(function) for name, function in program.functions.items()}
    for (name, label), rank in ranks.items():
        function = program.functions[name]
        if label == CALLS:
            recursion = f"the rank of the recursion of {name}"
            yield LoopRank(LoopHead(function.origin, (), (recursion,)), ())
            continue
        origin = head_origin(blocks_by_label(function)[label])
        measures = _measures(rank, loops[name].held.get(label, {}), origin, program.pointer_width)
        head = LoopHead(origin, (), (), loops[name].is_regular(label))
        yield LoopRank(head, measures, rank.lags)


def _measures(rank: Rank, named: _Named, origin: Origin, bits: int) -> tuple[RankMeasure, ...]:
    """The measures in C; none at all if a register of them is held by no variable."""
    found = []
    for measure in rank.measures:
        terms = [_term(summand, named, origin, bits) for summand in measure.summands]
        known = tuple(term for term in terms if term is not None)
        if len(known) < len(terms):
            return ()
        found.append(_measure(measure, known))
    return tuple(found)


def _measure(measure: Measure, terms: tuple[RankTerm, ...]) -> RankMeasure:
    return RankMeasure(terms, measure.constant, measure.width)


def _term(summand: Summand, named: _Named, origin: Origin, bits: int) -> RankTerm | None:
    register = summand.register
    assert isinstance(register.type, IntType)
    for held in named.get(register, ()):
        variable = held.variable
        kind = integer_type(variable.c_type, bits)
        is_plain = str(variable) == variable.name and variable.name.isidentifier()
        if not is_plain or variable.signed is None or not is_near(held, origin):
            continue
        if kind is None or kind.truth or kind.width == register.type.width:
            signed = variable.signed
            width = register.type.width
            return RankTerm(
                summand.factor, variable.name, variable.span, width, summand.signed, signed
            )
    return None
