"""CTL about Boolean programs with procedures, exactly.

    E. A. Emerson, E. M. Clarke: "Using branching time temporal logic to synthesize
    synchronization skeletons", SCP 1982 (the fixpoints)
    R. Alur, S. Chaudhuri, P. Madhusudan: "A fixpoint calculus for local and global program
    flows", POPL 2006 (what holds behind a return is an argument of what holds in a procedure)

Whether a formula holds in a state depends on the stack of calls below it in one way only: on which
states behind the return of the procedure fulfil it.  This set, one for each temporal formula, is
the *context* of an activation.

    states of a procedure in a context that fulfil a formula    `Branching._values`
    fixpoints over all contexts that are met at once            `Branching._solve`
    one step back, through calls and returns                    `Branching._before`, `_call`
    contexts of a call: the locals of the caller, by what
    they make of states behind it                               `Branching._contexts`

There are finitely many contexts, so it ends with recursion of any depth, too.  A fixpoint grows (or
shrinks) with its context, so what was found for a context stays right while contexts change.

Only runs that go on for ever count; the state behind the end of a program, after a return from its
first procedure or a failed assertion, is its own successor.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from seahorn_py.base.records import dataclass
from seahorn_py.engines.boolean.ctl import (
    Atom,
    Conjunction,
    Formula,
    Negation,
    SomeAlways,
    SomeNext,
    SomeUntil,
    Temporal,
    temporal,
)
from seahorn_py.engines.boolean.diagrams import Diagram, Renaming, Space, conjoined, renamed
from seahorn_py.engines.boolean.expressions import TRUE, Expression
from seahorn_py.engines.boolean.flow import resolved
from seahorn_py.engines.boolean.programs import (
    Assert,
    Assign,
    Assume,
    BooleanProgram,
    Call,
    Goto,
    Procedure,
    Return,
    Skip,
)
from seahorn_py.engines.boolean.propositions import at_place
from seahorn_py.engines.boolean.semantics import Meaning, Pair
from seahorn_py.options import Semantics
from seahorn_py.processes.deadline import OutOfTime

_LIVE = SomeAlways(Atom(TRUE))
"""Where some run goes on for ever."""

_NOW, _NEXT = 0, 1
"""The columns of a state and of the one after it; results lie behind the globals of the latter."""

Context = tuple[Diagram, ...]
"""For the first temporal formulas: the states behind the return, in the column `_NEXT`."""

Key = tuple[str, Context]
Values = list[Diagram]
"""Of a procedure: for each place the states that are meant."""


@dataclass(frozen=True)
class Branched:
    """Whether all first states fulfil a formula, and whether any run goes on for ever at all."""

    holds: bool
    runs: bool
    contexts: int


def branched(program: BooleanProgram, formula: Formula, is_over: Callable[[], bool]) -> Branched:
    """Whether a program, which `flow` has no error for, fulfils a formula.

    OutOfTime, or MemoryError where the diagrams have no room.
    """
    return Branching(program, formula, is_over).answer()


class _Frame:
    """A procedure, and where its variables are in a state: globals first, at the same places."""

    def __init__(self, program: BooleanProgram, procedure: Procedure) -> None:
        self.procedure = procedure
        own = (*procedure.parameters, *procedure.locals)
        self.bits = {name: bit for bit, name in enumerate((*program.globals, *own))}
        self.own = [self.bits[name] for name in own]
        self.locals = [self.bits[name] for name in procedure.locals]
        self.labels = {label: place for place, s in enumerate(procedure.body) for label in s.labels}


class Branching:
    """One question; its diagrams live as long as it does."""

    def __init__(
        self, program: BooleanProgram, formula: Formula, is_over: Callable[[], bool]
    ) -> None:
        self._program, self._formula, self._is_over = program, formula, is_over
        self._frames = {p.name: _Frame(program, p) for p in program.procedures}
        self._globals = len(program.globals)
        results = max(p.results for p in program.procedures)
        sizes = (len(frame.bits) for frame in self._frames.values())
        self._space = Space(max(*sizes, self._globals + results, 1), 2)
        self._meaning = Meaning(self._space, Semantics.OVER)
        self._temporal = list(dict.fromkeys((_LIVE, *temporal(formula))))
        self._ends = [self._at_end(one) for one in self._temporal]
        self._tables: list[dict[Key, Values]] = [{} for _ in self._temporal]
        self._pairs: dict[tuple[str, Expression], Pair] = {}

    def answer(self) -> Branched:
        """Whether the formula holds in all states in which a run begins."""
        shifted = self._moves([(bit, bit) for bit in range(self._globals)], _NOW, _NEXT)
        bottom = tuple(renamed(end, shifted) if self._globals else end for end in self._ends)
        key = (self._program.entry, bottom)
        live = self._values(_LIVE, key)[0]
        wrong = live & ~self._values(self._formula, key)[0]
        contexts = len({key for table in self._tables for key in table})
        return Branched(not wrong.satisfiable(), live.satisfiable(), contexts)

    # ------------------------------------------------------------------------------------- formulas

    def _values(self, formula: Formula, key: Key) -> Values:
        """Where the formula holds in an activation, of states in which some run goes on."""
        match formula:
            case Atom(expression):
                return self._atom(expression, self._frames[key[0]])
            case Negation(inner):
                return [~value for value in self._values(inner, key)]
            case Conjunction(left, right):
                return _both(self._values(left, key), self._values(right, key))
            case _:
                number = self._temporal.index(formula)
                return self._solve(number, (key[0], key[1][: number + 1]))

    def _atom(self, expression: Expression, frame: _Frame) -> Values:
        places = range(len(frame.procedure.body) + 1)
        seen = (at_place(expression, self._program, frame.procedure, place) for place in places)
        return [self._pair(one, frame).true for one in seen]

    def _at_end(self, formula: Formula) -> Diagram:
        """Where the formula holds behind the end of the program, over globals."""
        match formula:
            case Atom(expression):
                seen = at_place(expression, self._program, None)
                globals_ = {name: bit for bit, name in enumerate(self._program.globals)}
                return self._meaning.pair(resolved(seen, globals_)).true
            case Negation(inner):
                return ~self._at_end(inner)
            case Conjunction(left, right):
                return self._at_end(left) & self._at_end(right)
            case SomeUntil(_, inner) | SomeNext(inner) | SomeAlways(inner):
                return self._at_end(inner)

    def _carried(self, number: int, key: Key) -> Values:
        """What is asked of the state behind a step, so that the formula holds before it."""
        formula = self._temporal[number]
        if isinstance(formula, SomeNext):
            return self._inside(formula.inner, key)
        return self._solve(number, key)

    def _inside(self, formula: Formula, key: Key) -> Values:
        """Where the formula holds and some run goes on."""
        return _both(self._values(formula, key), self._values(_LIVE, key))

    # ------------------------------------------------------------------------------------ fixpoints

    def _solve(self, number: int, key: Key) -> Values:
        """Rounds over the activation and all that it calls, until nothing changes.

        While they go on, this is the value that is known so far.
        """
        table = self._tables[number]
        if key in table:
            return table[key]
        begun = len(table)
        self._begin(number, key)
        is_changed = True
        while is_changed:
            is_changed = False
            for one in list(table)[begun:]:
                before, count = table[one], len(table)
                table[one] = self._round(number, one)
                is_changed |= table[one] != before or len(table) > count
        return table[key]

    def _begin(self, number: int, key: Key) -> Values:
        """The value of an activation that was not met before: all states of EG, none of E U."""
        table = self._tables[number]
        if key not in table:
            is_least = not isinstance(self._temporal[number], SomeAlways)
            first = self._space.false if is_least else self._space.true
            table[key] = [first] * (len(self._frames[key[0]].procedure.body) + 1)
        return table[key]

    def _round(self, number: int, key: Key) -> Values:
        """The values of a formula in an activation, by those of the states behind each step.

        A context that is new is not known to hold what an earlier one did.  So a set that grows
        keeps what it has, and one that shrinks does not get back what it lost.
        """
        frame, formula = self._frames[key[0]], self._temporal[number]
        after = list(self._carried(number, key))
        now, known = self._now(formula, key), list(self._tables[number][key])
        for place in reversed(range(len(after))):
            if self._is_over():
                raise OutOfTime
            before = self._before(number, key, place, after) & self._enforced(frame)
            known[place] = now(place, before, known[place])
            if not isinstance(formula, SomeNext):
                after[place] = known[place]
        return known

    def _now(self, formula: Temporal, key: Key) -> Callable[[int, Diagram, Diagram], Diagram]:
        """The value at a place by that of a step back into the places behind it, and the last."""
        if formula == _LIVE:
            return lambda _, before, known: known & before
        match formula:
            case SomeNext():
                live = self._values(_LIVE, key)
                return lambda place, before, _: live[place] & before
            case SomeAlways(inner):
                held = self._inside(inner, key)
                return lambda place, before, known: known & held[place] & before
            case SomeUntil(left, right):
                one, other = self._inside(left, key), self._inside(right, key)
                return lambda place, before, known: known | other[place] | (one[place] & before)

    # ---------------------------------------------------------------------------------------- steps

    def _before(self, number: int, key: Key, place: int, after: Values) -> Diagram:
        """The states at a place with a step into `after`."""
        frame = self._frames[key[0]]
        if place == len(frame.procedure.body):
            is_return = frame.procedure.results == 0
            return self._returned(key[1][number], (), frame) if is_return else self._space.false
        match frame.procedure.body[place].action:
            case Skip():
                return after[place + 1]
            case Assume(condition):
                return self._pair(condition, frame).true & after[place + 1]
            case Assert(condition):
                pair = self._pair(condition, frame)
                return (pair.true & after[place + 1]) | (pair.false & self._ends[number])
            case Goto(labels):
                return _any(self._space, [after[frame.labels[label]] for label in labels])
            case Assign(names, values):
                return self._assigned(after[place + 1], names, values, frame)
            case Return(values):
                return self._returned(key[1][number], values, frame)
            case Call() as call:
                return self._called(number, key, place, call)

    def _assigned(
        self, after: Diagram, names: Sequence[str], values: Sequence[Expression], frame: _Frame
    ) -> Diagram:
        bits = [frame.bits[name] for name in names]
        moved = renamed(after, self._moves([(bit, bit) for bit in bits], _NOW, _NEXT))
        return self._chosen(moved, bits, values, frame)

    def _returned(self, behind: Diagram, values: Sequence[Expression], frame: _Frame) -> Diagram:
        results = range(self._globals, self._globals + len(values))
        found = self._chosen(behind, results, values, frame)
        pairs = [(bit, bit) for bit in range(self._globals)]
        return renamed(found, self._moves(pairs, _NEXT, _NOW)) if pairs else found

    def _called(self, number: int, key: Key, place: int, call: Call) -> Diagram:
        """Into the first place of the procedure, with any locals, in the context of the call."""
        callee, frame = self._frames[call.procedure], self._frames[key[0]]
        gone = self._space.cube((_NOW, bit) for bit in callee.locals)
        given = [callee.bits[name] for name in callee.procedure.parameters]
        moved = self._moves([(bit, bit) for bit in given], _NOW, _NEXT)
        found = self._space.false
        for where, context in self._contexts(number, key, place, call):
            first = self._first(number, (call.procedure, context)).exists(gone)
            entered = renamed(first, moved) if given else first
            found = found | (where & self._chosen(entered, given, call.arguments, frame))
        return found

    def _first(self, number: int, key: Key) -> Diagram:
        """What is asked of the first place of a procedure that is called."""
        formula = self._temporal[number]
        if isinstance(formula, SomeNext):
            return self._inside(formula.inner, key)[0]
        return self._begin(number, key)[0]

    def _contexts(
        self, number: int, key: Key, place: int, call: Call
    ) -> Iterator[tuple[Diagram, Context]]:
        """For each context of the call the states of the caller that give it."""
        frame = self._frames[key[0]]
        pairs = {bit: bit for bit in range(self._globals)}
        pairs |= {frame.bits[name]: self._globals + k for k, name in enumerate(call.names)}
        kept = [bit for bit in frame.own if bit not in pairs]
        moved = self._moves(list(pairs.items()), _NOW, _NEXT)
        behind = [self._carried(n, (key[0], key[1][: n + 1]))[place + 1] for n in range(number + 1)]
        asked = [renamed(values, moved) if pairs else values for values in behind]
        yield from self._alike(asked, kept)

    def _alike(
        self, asked: Sequence[Diagram], kept: Sequence[int]
    ) -> Iterator[tuple[Diagram, Context]]:
        """Values of the bits `kept`, by what they leave of the sets that are asked."""
        every = self._space.cube((_NEXT, bit) for bit in range(self._space.bits))
        now = self._space.cube((_NOW, bit) for bit in kept)
        left = self._space.true
        while left.satisfiable():
            states = self._space.state(left, [self._space.bits])
            assert states is not None
            chosen = self._space.valuation(_NOW, {bit: states[0][bit] for bit in kept})
            context = tuple((one & chosen).exists(now) for one in asked)
            where = left
            for one, other in zip(asked, context, strict=True):
                where = where & one.equiv(other).forall(every)
            yield where, context
            left = left & ~where

    # ---------------------------------------------------------------------------------------- parts

    def _chosen(
        self, found: Diagram, bits: Sequence[int], values: Sequence[Expression], frame: _Frame
    ) -> Diagram:
        """Where these values for bits of the next state lead into a set."""
        for bit, value in zip(bits, values, strict=True):
            pair = self._pair(value, frame)
            new = self._space.variable(_NEXT, bit)
            gone = self._space.cube([(_NEXT, bit)])
            found = conjoined(found, new.ite(pair.true, pair.false), gone)
        return found

    def _moves(self, pairs: Sequence[tuple[int, int]], old: int, new: int) -> Renaming:
        return self._space.renaming([((old, one), (new, other)) for one, other in pairs])

    def _pair(self, expression: Expression, frame: _Frame) -> Pair:
        known = (frame.procedure.name, expression)
        if known not in self._pairs:
            self._pairs[known] = self._meaning.pair(resolved(expression, frame.bits))
        return self._pairs[known]

    def _enforced(self, frame: _Frame) -> Diagram:
        return self._pair(frame.procedure.enforce, frame).true


def _both(left: Values, right: Values) -> Values:
    return [one & other for one, other in zip(left, right, strict=True)]


def _any(space: Space, sets: Sequence[Diagram]) -> Diagram:
    found = space.false
    for one in sets:
        found = found | one
    return found
