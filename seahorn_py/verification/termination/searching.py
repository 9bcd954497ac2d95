"""The search for the rank of one loop: in a process of its own, since isl may take any time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from seahorn_py.encode.encoding import Cut, Encoding
from seahorn_py.engines.termination.cycles import repeated
from seahorn_py.engines.termination.drawn import Rounded
from seahorn_py.engines.termination.ranking import Linear
from seahorn_py.engines.termination.searches import BEYOND, inside, of_all, of_calls, of_drawn
from seahorn_py.horn.system import HornSystem, Parameter
from seahorn_py.horn.transform.acceleration.arithmetic import LinearPart
from seahorn_py.horn.transform.transformation import Inapplicable
from seahorn_py.ir.program import Register
from seahorn_py.ir.types import IntType
from seahorn_py.logic.terms import terms
from seahorn_py.passes.termination.ranked import Measure, Rank, Summand
from seahorn_py.policy.policy import policy
from seahorn_py.processes.child import ChildError, Fork
from seahorn_py.processes.deadline import Deadline
from seahorn_py.verification.encodings.one_encoding import Task
from seahorn_py.verification.termination.lemmas import Between
from seahorn_py.verification.termination.loop_places import Circle, CyclePlace

RankSearch = Callable[[Sequence[int], Deadline], tuple[Linear, ...] | None]
"""Looks for the measures of a rank: over the parameters with these numbers, until the deadline."""


def numeric(encoding: Encoding) -> Encoding:
    """The encoding with numeric parameters alone: its rules on cycles, without the others."""
    sorts = {p.sort for r in encoding.system.relations.values() for p in r.parameters}
    if sorts <= {terms.INT, terms.BOOL}:
        return encoding
    try:
        system, _ = LinearPart().apply(repeated(encoding.system))
    except Inapplicable:
        return encoding
    cuts = {name: _kept(cut, encoding.system, system, name) for name, cut in encoding.cuts.items()}
    return replace(encoding, system=system, cuts=cuts)


def _kept(cut: Cut, before: HornSystem, after: HornSystem, name: str) -> Cut:
    """The cut with the registers of the parameters that are left."""
    left = set(after.relations[name].symbols)
    pairs = zip(cut.registers, before.relations[name].symbols, strict=True)
    return replace(cut, registers=tuple(r for r, symbol in pairs if symbol in left))


def rank_of(
    place: CyclePlace, system: HornSystem, search: RankSearch, task: Task, lags: bool = False
) -> Rank | None:
    """The rank of one loop or None, found in a process of its own, since isl may take any time."""
    try:
        found = _found(place, search, task, policy().termination.rank_seconds)
    except ChildError:
        return None
    return None if found is None else _as_rank(found, place, system, lags)


def rank_and_loop(
    place: CyclePlace, loop: Rounded, task: Task, lags: bool
) -> tuple[Rank, Rounded | None] | None:
    """A rank, and what is known of the loop for it, if isl can work with that.

    From all rounds of the loop where isl has them soon, or else from some that are drawn.
    """
    limits = policy().termination
    has_inner = any(inner.kept is not None for inner in place.cycle.inside)
    for asked in (loop, replace(loop, drifts=True)) if has_inner else (loop,):
        try:
            found = _found(place, partial(of_all, asked, lags), task, limits.rounds_seconds)
        except ChildError:
            found = BEYOND
        if found == BEYOND and asked is loop:
            found = _drawn(place, loop, task, lags)
            return None if found is None else (_as_rank(found, place, loop.system, lags), None)
        if found is not None and found != BEYOND:
            return _as_rank(found, place, loop.system, lags), asked
    return None


def ranks_of_circle(circle: Circle, loops: Sequence[Rounded], task: Task) -> tuple[Rank, ...]:
    """A rank for each function of a circle; none where none are found."""
    usable = [_usable(one) for one in circle.members]
    limit = task.deadline.at_most(policy().termination.drawn_seconds)
    try:
        with Fork(partial(of_calls, loops, usable, limit), limit, task.options.memory_mib) as fork:
            found = fork.result()
    except ChildError:
        return ()
    if found is None:
        return ()
    assert isinstance(found, tuple)
    pairs = zip(found, circle.members, loops, strict=True)
    return tuple(_as_rank(one, place, loop.system, False) for one, place, loop in pairs)


def _usable(place: CyclePlace) -> list[int]:
    """The parameters that a measure may have."""
    registers = place.cut.registers
    return [k for k, register in enumerate(registers) if isinstance(register.type, IntType)]


def _drawn(place: CyclePlace, loop: Rounded, task: Task, lags: bool) -> tuple[Linear, ...] | None:
    limit = policy().termination.drawn_seconds
    try:
        return _found(place, partial(of_drawn, loop, lags), task, limit)
    except ChildError:
        return None


def held_inside(
    place: CyclePlace, loop: Rounded | None, rank: Rank, encoding: Encoding, task: Task
) -> list[Between]:
    """What holds between the head of a loop that is ranked and the cut points inside."""
    if loop is None or not place.cycle.inside:
        return []
    ranked = {summand.register for measure in rank.measures for summand in measure.summands}
    registers = place.cut.registers
    used = frozenset(k for k, register in enumerate(registers) if register in ranked)
    limit = task.deadline.at_most(policy().termination.rounds_seconds)
    try:
        with Fork(partial(inside, loop, used), limit, task.options.memory_mib) as fork:
            found = fork.result()
    except ChildError:
        return []
    assert isinstance(found, dict)
    names = {n: (*registers, *encoding.cuts[n].registers) for n in found}
    return [
        Between(n, tuple(r.name for r in names[n]), polyhedra) for n, polyhedra in found.items()
    ]


def _found(
    place: CyclePlace, search: RankSearch, task: Task, seconds: float
) -> tuple[Linear, ...] | None:
    """What a search finds in time; ChildError otherwise."""
    limit = task.deadline.at_most(seconds)
    with Fork(partial(search, _usable(place), limit), limit, task.options.memory_mib) as fork:
        found = fork.result()
    assert found is None or isinstance(found, tuple)
    return found


def _as_rank(found: tuple[Linear, ...], place: CyclePlace, system: HornSystem, lags: bool) -> Rank:
    parameters = system.relations[place.cycle.head].parameters
    return Rank(tuple(measured(one, place.cut.registers, parameters) for one in found), lags)


def measured(
    found: Linear, registers: Sequence[Register], parameters: Sequence[Parameter]
) -> Measure:
    """An expression over the parameters of a relation as one over the registers they hold."""
    rows = zip(found.coefficients, registers, parameters, strict=True)
    summands = tuple(Summand(factor, register, p.signed) for factor, register, p in rows if factor)
    return Measure(summands, found.constant)
