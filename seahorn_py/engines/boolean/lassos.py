"""LTL about Boolean programs with procedures, exactly: runs that an automaton accepts.

    J. Esparza, D. Hansel, P. Rossmanith, S. Schwoon: "Efficient algorithms for model checking
    pushdown systems", CAV 2000
    J. Esparza, S. Schwoon: "A BDD-based model checker for recursive programs", CAV 2001
    E. A. Emerson, C.-L. Lei: "Modalities for model checking", SCP 1987

The automaton becomes part of the program (`watched`): its state is in globals, and it steps before
each statement, and for ever behind the end of the program.  A run is accepted if it is in accepting
states again and again.  There is such a run if and only if path edges have a cycle, by steps, calls
and summaries, on which the automaton is in an accepting state, maybe inside of a summary: this is
what `SEEN` remembers (`Lassos`).  The cycles are found forwards: what is left of all path edges, if
only those are kept that come from accepting ones that are kept, again and again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from seahorn_py.base.records import dataclass
from seahorn_py.engines.boolean.diagrams import Diagram
from seahorn_py.engines.boolean.expressions import (
    ANYTHING,
    FALSE,
    TRUE,
    Expression,
    Name,
    conjunction,
    disjunction,
    negation,
)
from seahorn_py.engines.boolean.flow import resolved, rules_of, value_bit
from seahorn_py.engines.boolean.programs import (
    Assert,
    Assign,
    Assume,
    BooleanProgram,
    Call,
    Goto,
    Procedure,
    Return,
    Statement,
)
from seahorn_py.engines.boolean.propositions import at_place
from seahorn_py.engines.boolean.reachability import Reachability
from seahorn_py.options import Semantics

RUN = "the run"
"""The procedure in which a run with the automaton starts; names here have a space in them."""

SEEN, OWN = "seen in it", "seen here"
"""Since the entry of a procedure that has returned, and of this activation."""

_END = "at the end"


@dataclass(frozen=True)
class Automaton:
    """A Buechi automaton that is in a state while the state of the program fulfils its label.

    Labels are over the names of `propositions`.
    """

    labels: tuple[Expression, ...]
    first: tuple[int, ...]
    follow: tuple[tuple[int, ...], ...]
    accepting: frozenset[int]


def is_accepted(program: BooleanProgram, automaton: Automaton, is_over: Callable[[], bool]) -> bool:
    """Whether a run of a program, which `flow` has no error for, is accepted.

    OutOfTime, or MemoryError where the diagrams have no room.
    """
    watch = _Watch(program, automaton)
    return Lassos(watch.watched(), watch.accepting(), is_over).found()


class Lassos:
    """Accepting cycles of path edges; its diagrams live as long as it does."""

    def __init__(
        self, program: BooleanProgram, accepting: Expression, is_over: Callable[[], bool]
    ) -> None:
        self._rules = rules_of(program)
        self._search = Reachability(self._rules, Semantics.OVER, is_over)
        bits = {name: value_bit(k) for k, name in enumerate(program.globals)}
        self._accepting = self._search.where(resolved(accepting, bits))
        self._seen = self._search.where(resolved(Name(SEEN), bits))
        self._steps = [k for k, r in enumerate(self._rules.rules) if r.body and r.head is not None]

    def found(self) -> bool:
        """Whether there is a cycle."""
        self._search.run()
        kept = self._search.reached
        while True:
            fewer = self._kept(kept)
            if fewer == kept:
                return any(states.satisfiable() for states in kept)
            kept = fewer

    def _kept(self, kept: Sequence[Diagram]) -> list[Diagram]:
        """Those that come from accepting ones by way of others that are kept."""
        begun = self._images(kept, is_accepting=True)
        found = fresh = [one & inside for one, inside in zip(begun, kept, strict=True)]
        while any(states.satisfiable() for states in fresh):
            after = self._images(fresh, is_accepting=False)
            several = zip(after, kept, found, strict=True)
            fresh = [states & inside & ~known for states, inside, known in several]
            found = [one | other for one, other in zip(found, fresh, strict=True)]
        return found

    def _images(self, states: Sequence[Diagram], is_accepting: bool) -> list[Diagram]:
        """One step on from these, of all or of accepting ones, by all or by accepting summaries."""
        found = [self._search.none for _ in states]
        for number in self._steps:
            here, *summary = self._rules.rules[number].body
            head = self._rules.rules[number].head
            assert head is not None
            if not states[here].satisfiable():
                continue
            below = [self._search.reached[exit_] for exit_ in summary]
            from_here = states[here] & self._accepting if is_accepting else states[here]
            found[head] = found[head] | self._search.image(number, (from_here, *below))
            if is_accepting and below:
                seen = states[here], below[0] & self._seen
                found[head] = found[head] | self._search.image(number, seen)
        return found


class _Watch:
    """Puts an automaton into a program."""

    def __init__(self, program: BooleanProgram, automaton: Automaton) -> None:
        self._program, self._automaton = program, automaton
        states = len(automaton.labels)
        self._start = states
        size = max(1, states.bit_length())
        self._now = [f"now {bit}" for bit in range(size)]
        self._next = [f"next {bit}" for bit in range(size)]

    def watched(self) -> BooleanProgram:
        """The program with the automaton."""
        procedures = [self._procedure(p) for p in self._program.procedures]
        globals_ = (*self._program.globals, *self._now, *self._next, SEEN)
        return BooleanProgram(globals_, (*procedures, self._run()), RUN)

    def accepting(self) -> Expression:
        """The automaton is in an accepting state."""
        return disjunction(self._is(self._now, k) for k in sorted(self._automaton.accepting))

    def _run(self) -> Procedure:
        """The automaton starts, the program runs, and stays at its end."""
        entry = next(p for p in self._program.procedures if p.name == self._program.entry)
        given = tuple(f"given {name}" for name in entry.parameters)
        call = Call((), entry.name, tuple(map(Name, given)))
        body = [
            self._assign([*self._now, *self._next], self._start),
            _plain(Assign((SEEN,), (FALSE,))),
            _plain(call),
            *self._for_ever(0),
        ]
        return Procedure(RUN, (), 0, given, tuple(body), TRUE)

    def _procedure(self, procedure: Procedure) -> Procedure:
        body = [_plain(Assign((OWN,), (FALSE,)))]
        for position, statement in enumerate(procedure.body):
            step = self._step(procedure, position)
            body += [replace(step[0], labels=statement.labels), *step[1:]]
            body += self._statement(replace(statement, labels=()), position)
        body += self._step(procedure, len(procedure.body))
        last = Return(()) if procedure.results == 0 else Assume(FALSE)
        body += [*_left(), _plain(last)]
        return replace(procedure, locals=(*procedure.locals, OWN), body=tuple(body))

    def _statement(self, statement: Statement, position: int) -> Iterator[Statement]:
        """The statement, and what is remembered of accepting states around it."""
        match statement.action:
            case Assert(condition):
                holds, fails = f"holds {position}", f"fails {position}"
                yield _plain(Goto((holds, fails)))
                yield Statement(Assume(negation(condition)), (fails,))
                yield from self._for_ever(position)
                yield Statement(Assume(condition), (holds,))
            case Return():
                yield from _left()
                yield statement
            case Call():
                yield _plain(Assign((SEEN,), (FALSE,)))
                yield statement
                seen = disjunction((Name(OWN), Name(SEEN)))
                yield _plain(Assign((OWN, SEEN), (seen, FALSE)))
            case _:
                yield statement

    def _for_ever(self, number: int) -> Iterator[Statement]:
        """The state behind the end of the program, again and again."""
        first, *rest = self._step(None, 0)
        label = f"{_END} {number}"
        yield replace(first, labels=(label,))
        yield from rest
        yield _plain(Goto((label,)))

    def _step(self, procedure: Procedure | None, position: int) -> list[Statement]:
        """The automaton reads the state of the program."""
        every = tuple(ANYTHING for _ in self._next)
        labels = [
            at_place(label, self._program, procedure, position) for label in self._automaton.labels
        ]
        fits = [conjunction((self._is(self._next, k), label)) for k, label in enumerate(labels)]
        entered = [(self._start, self._automaton.first), *enumerate(self._automaton.follow)]
        goes = disjunction(
            conjunction((self._is(self._now, state), disjunction(fits[k] for k in after)))
            for state, after in entered
        )
        moved = Assign(tuple(self._now), tuple(map(Name, self._next)))
        steps: list[Statement] = [
            _plain(Assign(tuple(self._next), every)),
            _plain(Assume(goes)),
            _plain(moved),
            self._assign(self._next, self._start),
        ]
        if procedure is not None:
            seen = disjunction((Name(OWN), self.accepting()))
            steps.append(_plain(Assign((OWN,), (seen,))))
        return steps

    def _assign(self, names: Sequence[str], number: int) -> Statement:
        size = len(self._now)
        values = [TRUE if (number >> (bit % size)) & 1 else FALSE for bit in range(len(names))]
        return _plain(Assign(tuple(names), tuple(values)))

    def _is(self, names: Sequence[str], number: int) -> Expression:
        return conjunction(
            Name(name) if number >> bit & 1 else negation(Name(name))
            for bit, name in enumerate(names)
        )


def _left() -> list[Statement]:
    """Before a return: accepting states of this activation are those of the summary."""
    return [_plain(Assign((SEEN,), (Name(OWN),)))]


def _plain(action: Assign | Assume | Call | Goto | Return) -> Statement:
    return Statement(action)
