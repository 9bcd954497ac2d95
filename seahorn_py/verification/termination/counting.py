"""How many rounds a loop makes at most, in terms of values at its entry.

A measure that falls by at least `step` in each round, and is at least `low` before it, bounds the
rounds (`engines.termination.rates`).  This bound is a guess.  It becomes a check on a counter of
rounds (`passes.termination.counted`), which is proved like any check, and by a second solver again.
A bound without a proof is not told.

A bound holds each time that the loop is entered.  The bound *in all* holds for one call of the
function: it is the product of the bounds of the loop and of the loops around it.  It is told if all
factors rest on values that are known before the outermost of these loops.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import prod

from seahorn_py.base.records import dataclass
from seahorn_py.encode.encoding import Arithmetic, Encoding, Wrapping
from seahorn_py.encode.signedness import wrapping_sums
from seahorn_py.engines.termination.rates import Falling, falling
from seahorn_py.frontend.llvmtext.stored import Named
from seahorn_py.horn.system import Model
from seahorn_py.ir.graph import blocks_by_label
from seahorn_py.ir.program import Function, IntConst, Program
from seahorn_py.ir.traverse import definitions
from seahorn_py.ir.types import IntType
from seahorn_py.ir.verifier import check
from seahorn_py.passes.calls import isolate_calls
from seahorn_py.passes.simplify.simplify import simplify
from seahorn_py.passes.slicing.slicing import slice_program
from seahorn_py.passes.termination.counted import Bound, Entered, counted, leaves_first
from seahorn_py.passes.termination.loops import Loop, is_parted, natural_loops
from seahorn_py.passes.termination.numbered import numbered
from seahorn_py.passes.termination.ranked import TooWide
from seahorn_py.policy.policy import policy
from seahorn_py.processes.child import ChildError, Fork
from seahorn_py.result import Answer
from seahorn_py.verification.encodings.one_encoding import COUNTED, Task, answer_by_one
from seahorn_py.verification.termination.entry_names import Names
from seahorn_py.verification.termination.loop_places import CyclePlace, Key
from seahorn_py.verification.termination.rounds_seen import rounds_seen

LARGEST = 1 << 62
"""A greater number of rounds tells a user nothing."""


@dataclass(frozen=True)
class RoundBounds:
    """Proved bounds of a loop as C expressions; "" if there is none.

    `each` holds each time that the loop is entered, `in_all` for one call of the function.
    """

    each: str
    in_all: str = ""
    needs_no_overflow: bool = False


@dataclass(frozen=True)
class _Proved:
    loop: Loop
    bound: Bound
    text: str
    needs_no_overflow: bool


def bounds(
    task: Task,
    readings: Sequence[Wrapping],
    encoding: Encoding,
    places: Sequence[CyclePlace],
    knowledge: Iterator[Model],
    once: frozenset[Named],
) -> Mapping[Key, RoundBounds]:
    """Loop -> its bounds, found and proved under each reading of overflow.

    The relations of `encoding` have numeric parameters alone.  `knowledge` has models of its
    system, and `once` the variables into which is stored once.
    """
    found: dict[Key, _Proved] = {}
    program = task.subject.program
    open_ = [place for place in places if _is_of_c(program, place)]
    for known in knowledge:
        for number, place in enumerate(open_):
            share = task.deadline.share(1 / (len(open_) - number))
            bounding = _Bounding(replace(task, deadline=share), readings, encoding, place, once)
            proved = bounding.proved(known)
            if proved is not None:
                found[place.key] = proved
        open_ = [place for place in open_ if place.key not in found]
        if not open_ or task.deadline.remaining == 0:
            break
    for place in open_:
        constant = _Bounding(task, readings, encoding, place, once).constant()
        found |= {} if constant is None else {place.key: constant}
    return {key: _told(program, key, found, once) for key in found}


def _is_of_c(program: Program, place: CyclePlace) -> bool:
    """Whether the place is a loop, and a loop of the C text."""
    name, head = place.key
    loops = natural_loops(program.functions[name])
    return any(loop.head == head and not is_parted(program.functions[name], loop) for loop in loops)


def _told(
    program: Program, key: Key, found: Mapping[Key, _Proved], once: frozenset[Named]
) -> RoundBounds:
    one = found[key]
    in_all = _in_all(program, key, found, once)
    others = (f for (name, _), f in found.items() if in_all and name == key[0])
    needs = any(f.needs_no_overflow for f in (one, *others))
    return RoundBounds(one.text, in_all, needs)


@dataclass(frozen=True)
class _Bounding:
    """The search for the bound of one loop."""

    task: Task
    readings: Sequence[Wrapping]
    encoding: Encoding
    place: CyclePlace
    once: frozenset[Named]

    def proved(self, known: Model) -> _Proved | None:
        """The first candidate for a bound that is proved; None if there is none."""
        function = self.task.subject.program.functions[self.place.key[0]]
        loop = next(o for o in natural_loops(function) if o.head == self.place.key[1])
        found = self._falling(known)
        if found is None:
            return None
        names = Names(function, loop, self.once)
        for bound in _candidates(found, self._summands(found, names), function, loop):
            text = written(bound, names)
            proof = self._proof(loop, bound, text) if text else None
            if proof is not None:
                return _Proved(loop, bound, text, proof.needs_no_overflow)
        return None

    def constant(self) -> _Proved | None:
        """The most rounds that runs show, if that is proved to be a bound."""
        program, (name, head) = self.task.subject.program, self.place.key
        loop = next(o for o in natural_loops(program.functions[name]) if o.head == head)
        numbers, words = numbered(program, [self.place.key]), self.task.subject.execution().words
        seen = rounds_seen(*numbers, words, self.task.deadline)
        if seen is None:
            return None
        most = seen[self.place.key] + (not leaves_first(program.functions[name], loop))
        task = replace(self.task, unreplayed=COUNTED)
        bound = Bound((), 0, 1, most)
        found = replace(self, task=task)._proof(loop, bound, str(most))
        return None if found is None else _Proved(loop, bound, str(most), found.needs_no_overflow)

    def _falling(self, known: Model) -> Falling | None:
        registers, deadline = self.place.cut.registers, self.task.deadline
        usable = [k for k, r in enumerate(registers) if isinstance(r.type, IntType)]
        limit = deadline.at_most(policy().termination.rank_seconds)
        work = partial(falling, self.place.cycle, self.encoding.system, known, usable, limit)
        try:
            with Fork(work, limit, self.task.options.memory_mib) as fork:
                found = fork.result()
        except ChildError:
            return None
        assert found is None or isinstance(found, Falling)
        return found

    def _summands(self, found: Falling, names: Names) -> tuple[Entered, ...]:
        parameters = self.encoding.system.relations[self.place.cycle.head].parameters
        rows = zip(found.measure.coefficients, self.place.cut.registers, parameters, strict=True)
        return tuple(Entered(f, names.entered(r, p.signed), p.signed) for f, r, p in rows if f)

    def _proof(self, loop: Loop, bound: Bound, text: str) -> Proof | None:
        """The proof of the program in which the counter is checked."""
        program, (name, _) = self.task.subject.program, self.place.key
        try:
            return proof(self.task, self.readings, counted(program, name, loop, bound, text))
        except TooWide:
            return None


@dataclass(frozen=True)
class Proof:
    """That the checks of a program hold, perhaps only in runs without signed overflow."""

    needs_no_overflow: bool


def proof(task: Task, readings: Sequence[Wrapping], program: Program) -> Proof | None:
    """A proof of the program under each reading of overflow, or else for runs without overflow.

    None if there is neither.  Runs without overflow do not suffice if unsigned sums of C are among
    those that would be taken not to wrap.
    """
    if all(holds(replace(task, reading=one), program) for one in readings):
        return Proof(Wrapping.ASSUME in readings)
    if Wrapping.WRAP not in readings or wrapping_sums(prepared(program)):
        return None
    return Proof(True) if holds(replace(task, reading=Wrapping.ASSUME), program) else None


def prepared(program: Program) -> Program:
    """The part of a program that its checks depend on, in encoding form."""
    for step in (simplify, slice_program, isolate_calls):
        program = check(step(program), step.__name__)
    return program


def holds(task: Task, program: Program) -> bool:
    """Whether the checks of a program are proved, in integers or else in bit-vectors."""
    subject = replace(task.subject, program=prepared(program))
    asked = replace(task, subject=subject, replays=False)
    seconds = policy().termination.bound_seconds
    prompt = replace(asked, deadline=task.deadline.at_most(seconds))
    if answer_by_one(prompt).answer is Answer.SAFE:
        return True
    if task.ideal or task.deadline.remaining == 0:
        return False
    bits = replace(asked, arithmetic=Arithmetic.BV, deadline=task.deadline.at_most(seconds))
    return answer_by_one(bits).answer is Answer.SAFE


def _candidates(
    found: Falling, summands: tuple[Entered, ...], function: Function, loop: Loop
) -> Iterator[Bound]:
    """Bounds, the tightest first: a round that begins need not be made to its end."""
    numbers = [s for s in summands if isinstance(s.value, IntConst)]
    kept = tuple(s for s in summands if s not in numbers)
    constant = found.measure.constant - found.low + found.step
    constant += sum(s.factor * _number(s) for s in numbers)
    for least in (0, 1) if leaves_first(function, loop) else (1,):
        yield Bound(kept, constant, found.step, least)


def _number(summand: Entered) -> int:
    assert isinstance(summand.value, IntConst)
    width, value = summand.value.type.width, summand.value.value
    return value - (1 << width) if summand.signed and value >> (width - 1) else value


def written(bound: Bound, names: Names) -> str:
    """The bound as a C expression over mathematical integers; "" if C has no name for a value."""
    total, step = bound.constant + bound.least * bound.step, bound.step
    if not bound.summands:
        number = max(bound.least, total // step)
        return str(number) if number < LARGEST else ""
    text, used = "", set[str]()
    for summand in sorted(bound.summands, key=lambda s: s.factor < 0):
        name = names.of(summand.value, summand.signed)
        if not name or name in used:
            return ""
        used.add(name)
        size = "" if abs(summand.factor) == 1 else f"{abs(summand.factor)} * "
        sign = "-" if summand.factor < 0 else "+"
        text += f" {sign} {size}{name}" if text else f"{'-' if sign == '-' else ''}{size}{name}"
    if total:
        text += f" {'-' if total < 0 else '+'} {abs(total)}"
    if step > 1:
        text = f"({text}) / {step}" if " " in text else f"{text} / {step}"
    return f"max({bound.least}, {text})"


def _in_all(
    program: Program, key: Key, found: Mapping[Key, _Proved], once: frozenset[Named]
) -> str:
    """The product of the bounds of a loop and of the loops around it; "" if it is no bound.

    A round of a loop enters each loop just inside of it at most once.  If a run came to the inner
    loop twice in one round, there would be a third loop between the two.
    """
    name, head = key
    function = program.functions[name]
    loops = [loop for loop in natural_loops(function) if head in loop.body and loop.head != head]
    around = sorted(loops, key=lambda loop: -len(loop.body))
    if not around:
        return ""
    factors = [found.get((name, loop.head)) for loop in around]
    proved = [one for one in (*factors, found[key]) if one is not None]
    blocks = blocks_by_label(function)
    changing = {r for label in around[0].body for r in definitions(blocks[label])}
    changes = any(s.value in changing for one in proved[1:] for s in one.bound.summands)
    names = Names(function, around[0], once)
    texts = [written(one.bound, names) for one in proved]
    if None in factors or changes or not all(texts):
        return ""
    named = [text for text in texts if not text.isdigit()]
    number = prod(int(text) for text in texts if text.isdigit())
    return " * ".join([*([str(number)] if number != 1 or not named else []), *named])
