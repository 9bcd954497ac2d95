"""Whether pointers in global objects lead to the blocks of the heap that live."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from seahorn_py.ir.program import FALSE, TRUE, Operand, Predicate
from seahorn_py.passes.unfolding.code import choices
from seahorn_py.passes.unfolding.code.code import Code
from seahorn_py.passes.unfolding.code.values import Choice, Piece, Pointer, Unfit, Value
from seahorn_py.passes.unfolding.state.followed import Run
from seahorn_py.passes.unfolding.state.state import offset_of
from seahorn_py.passes.unfolding.state.storage import Contents, Kind

MOST_STEPS = 4_000
"""The most steps from an object to a block that are looked at."""

Ways = Sequence[tuple[int, Operand]]
"""Blocks, each with the condition, an i1, under which a pointer leads to it."""


def none_lost(code: Code, run: Run) -> Operand:
    """Whether each block that lives is reached from global objects, as an i1.

    A pointer leads to a block if it points into it or right behind its end, and lies in a global
    object or in a block that is reached.  Raises Unfit where contents do not show their pointers.
    """
    blocks = [n for n, o in run.objects.items() if o.kind is Kind.HEAP and run.live(n) != FALSE]
    reached = _reached(code, run) if blocks else {}
    holds: Operand = TRUE
    for number in blocks:
        ended = code.negated(run.live(number))
        holds = code.both(holds, code.either(ended, reached.get(number, FALSE)))
    return holds


def _reached(code: Code, run: Run) -> dict[int, Operand]:
    """The least conditions that are closed under steps from objects that live to blocks.

    Round k has the ways of k steps; steps from a block are taken anew when its condition grew.
    """
    reached: dict[int, Operand] = {}
    ways = {number: _ways(code, run, number) for number in run.state.memory}
    grown: dict[int, Operand] = {n: TRUE for n, o in run.objects.items() if o.kind is Kind.GLOBAL}
    count = 0
    while grown:
        before = dict(reached)
        for source, condition in grown.items():
            for target, leads in ways.get(source, ()):
                count += 1
                way = code.both(condition, leads)
                reached[target] = code.either(reached.get(target, FALSE), way)
        if count > MOST_STEPS:
            raise Unfit("whether blocks can still be reached takes too many steps")
        changed = [n for n, found in reached.items() if found != before.get(n, FALSE)]
        grown = {n: code.both(reached[n], run.live(n)) for n in changed}
    return reached


def _ways(code: Code, run: Run, number: int) -> Ways:
    """The steps from a global object or a block of the heap."""
    if run.objects[number].kind is Kind.STACK or run.live(number) == FALSE:
        return ()
    contents = run.contents(number)
    if _is_hidden(contents):
        raise Unfit("whether blocks can still be reached is not followed")
    word = code.word.width // 8
    values = [slot.value for slot in contents.slots.values() if slot.size == word]
    return [way for value in values for way in _leads(code, run, value, TRUE)]


def _is_hidden(contents: Contents) -> bool:
    """Whether pointers lie in contents in pieces, or at offsets that are not known."""
    values = list(contents.values())
    if contents.log is not None:
        return any(isinstance(value, Pointer | Choice | Piece) for value in values)
    return any(isinstance(value, Piece) for value in values)


def _leads(code: Code, run: Run, value: Value, condition: Operand) -> Iterator[tuple[int, Operand]]:
    """The blocks to which a value leads under a condition."""
    match value:
        case Pointer(number) if run.objects[number].kind is Kind.HEAP:
            inside = code.compare(Predicate.ULE, offset_of(code, value), run.size(number))
            yield number, code.both(condition, inside)
        case Choice():
            for option, meant in choices.options(code, value):
                taken = code.both(condition, choices.is_option(code, value, option))
                yield from _leads(code, run, meant, taken)
        case _:
            pass
