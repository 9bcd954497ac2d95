"""What a program of `thread_programs` may do: every interleaving, one after the other.

Memory is sequentially consistent.  A data race is a pair of accesses of different threads, one a
write and not both atomic, that happens-before does not order: it is computed by vector clocks along
each interleaving (Mattern 1988; the clocks of locks and variables as in Flanagan and Freund, PLDI
2009).  A deadlock is a state in which no thread can take a step, though `main` has not returned; a
wait for a condition that nobody signals may end by itself, but need not.  Behind a call of the
error a run goes on, as it does where races and deadlocks are looked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from thread_programs import (
    REGISTERS,
    Add,
    Create,
    Down,
    Fail,
    If,
    Join,
    Load,
    Lock,
    Operation,
    Read,
    Section,
    Signal,
    Store,
    Threads,
    TryLock,
    Unlock,
    Up,
    Value,
    Wait,
    Write,
)

Clock = tuple[int, ...]


@dataclass(frozen=True)
class Waiting:
    """The second part of a wait: to be woken, and to have the mutex again."""

    mutex: int


@dataclass(frozen=True)
class Answers:
    """Whether some run calls the error, has a race, or ends in a deadlock."""

    error: bool
    race: bool
    deadlock: bool


@dataclass(frozen=True)
class Thread:
    """What a thread has left to do, and its registers."""

    left: tuple[Operation | Waiting, ...]
    registers: tuple[int, ...] = (0,) * REGISTERS


@dataclass(frozen=True)
class State:
    """One state of a run.

    `running` has the threads that were made; `holders` who holds which mutex; `waiting` who waits
    for the condition and was not woken.  Clocks: of threads, of what synchronizes (mutexes, the
    atomic variable, the semaphore, sections), of the last writes and reads of variables by thread.
    """

    threads: tuple[Thread, ...]
    running: frozenset[int]
    values: tuple[tuple[str, int], ...]
    holders: tuple[tuple[int, int], ...] = ()
    waiting: frozenset[int] = frozenset()
    semaphore: int = 0
    clocks: tuple[Clock, ...] = ()
    released: tuple[tuple[str, Clock], ...] = ()
    accesses: tuple[tuple[str, Clock], ...] = ()


class TooMany(Exception):
    """There are more states than are explored."""


def explored(program: Threads, most: int = 150_000) -> Answers:
    """What some interleaving does; TooMany."""
    return _Exploring(program, most).answers()


class _Exploring:
    def __init__(self, program: Threads, most: int) -> None:
        self._most = most
        count = len(program.threads)
        self._initial = State(
            tuple(Thread(body) for body in program.threads),
            frozenset({0}),
            (("a", 0), ("x", 0), ("y", 0)),
            clocks=tuple(tuple(int(k == own) for k in range(count)) for own in range(count)),
        )
        self._error = self._race = self._deadlock = False

    def answers(self) -> Answers:
        seen = {self._initial}
        stack = [self._initial]
        while stack:
            state = stack.pop()
            followers: list[State] = []
            is_stuck = bool(state.threads[0].left)  # else main may return, or others go on
            for thread in sorted(state.running):
                for follower, by_itself in self._steps(state, thread):
                    is_stuck = is_stuck and by_itself
                    followers.append(follower)
            self._deadlock = self._deadlock or is_stuck
            for follower in followers:
                if follower not in seen:
                    seen.add(follower)
                    stack.append(follower)
            if len(seen) > self._most:
                raise TooMany
        return Answers(self._error, self._race, self._deadlock)

    def _steps(self, state: State, own: int) -> Iterator[tuple[State, bool]]:  # noqa: C901 - flat match
        """The states after the next step of a thread; whether a wait ended without a signal."""
        thread = state.threads[own]
        if not thread.left:
            return
        first, *rest = thread.left
        after = _with_thread(state, own, replace(thread, left=tuple(rest)))
        match first:
            case Lock(mutex):
                if mutex not in dict(state.holders):
                    yield _acquired(_held(after, mutex, own), f"m{mutex}", own), False
            case Waiting(mutex):
                if mutex not in dict(state.holders):
                    by_itself = own in state.waiting
                    woken = replace(after, waiting=state.waiting - {own})
                    yield _acquired(_held(woken, mutex, own), f"m{mutex}", own), by_itself
            case Down():
                if state.semaphore > 0:
                    lower = replace(after, semaphore=state.semaphore - 1)
                    yield _acquired(lower, "s", own), False
            case Join(other):
                if other in state.running and not state.threads[other].left:
                    yield _joined(after, own, state.clocks[other]), False
            case Signal(everybody):
                for left in _left(state.waiting, everybody):
                    yield replace(after, waiting=left), False
            case Fail(register, number):
                self._error = self._error or thread.registers[register] == number
                yield after, False
            case _:
                yield self._done(after, first, own), False

    def _done(self, state: State, operation: Operation, own: int) -> State:  # noqa: C901 - flat match
        """The state after an operation that never waits; its thread has it behind it."""
        match operation:
            case Read(register, variable):
                return self._accessed(
                    _with_value(state, own, register, variable), own, variable, "r"
                )
            case Write(variable, value):
                state = _assigned(state, variable, _of(state, own, value))
                return self._accessed(state, own, variable, "w")
            case Load(register, variable):
                return _acquired(_with_value(state, own, register, variable), variable, own)
            case Store(variable, value):
                state = _assigned(state, variable, _of(state, own, value))
                return _released(state, variable, own, ())
            case Add(register, variable, number):
                state = _acquired(_with_value(state, own, register, variable), variable, own)
                state = _assigned(state, variable, dict(state.values)[variable] + number)
                return _released(state, variable, own, dict(state.released).get(variable, ()))
            case Unlock(mutex):
                state = replace(state, holders=_without(state.holders, mutex))
                return _released(state, f"m{mutex}", own, ())
            case TryLock(mutex, register, inside):
                return _tried(state, own, mutex, register, inside)
            case Wait(mutex):
                state = replace(state, waiting=state.waiting | {own})
                state = _before(state, own, (Waiting(mutex),))
                return self._done(state, Unlock(mutex), own)
            case Up():
                state = replace(state, semaphore=state.semaphore + 1)
                return _released(state, "s", own, dict(state.released).get("s", ()))
            case Create(thread):
                state = _joined(state, thread, state.clocks[own])
                return _ticked(replace(state, running=state.running | {thread}), own)
            case Section(inside):
                state = _acquired(state, "section", own)
                for each in inside:
                    state = self._done(state, each, own)
                return _released(state, "section", own, ())
            case If(register, number, inside):
                taken = state.threads[own].registers[register] == number
                return _before(state, own, inside) if taken else state
            case _:
                raise AssertionError(operation)

    def _accessed(self, state: State, own: int, variable: str, kind: str) -> State:
        """A plain access: it races with those of others that are not before it."""
        known = dict(state.accesses)
        clock = state.clocks[own]
        nothing = (0,) * len(clock)
        others = [variable + "w", variable + "r"] if kind == "w" else [variable + "w"]
        for name in others:
            if any(at > seen for at, seen in zip(known.get(name, nothing), clock, strict=True)):
                self._race = True
        last = list(known.get(variable + kind, nothing))
        last[own] = clock[own]
        known[variable + kind] = tuple(last)
        return replace(state, accesses=tuple(sorted(known.items())))


def _left(waiting: frozenset[int], everybody: bool) -> Iterator[frozenset[int]]:
    """Who still waits after a signal: at least one is woken where somebody waits."""
    if everybody or not waiting:
        yield frozenset()
        return
    threads = sorted(waiting)
    for bits in range(2 ** len(threads) - 1):
        yield frozenset(t for k, t in enumerate(threads) if bits >> k & 1)


def _tried(
    state: State, own: int, mutex: int, register: int, inside: tuple[Operation, ...]
) -> State:
    if mutex in dict(state.holders):
        return _set(state, own, register, 0)
    state = _acquired(_held(_set(state, own, register, 1), mutex, own), f"m{mutex}", own)
    return _before(state, own, inside)


def _of(state: State, own: int, value: Value) -> int:
    given = 0 if value.register is None else state.threads[own].registers[value.register]
    return given + value.number


def _with_thread(state: State, own: int, thread: Thread) -> State:
    return replace(state, threads=(*state.threads[:own], thread, *state.threads[own + 1 :]))


def _before(state: State, own: int, more: tuple[Operation | Waiting, ...]) -> State:
    thread = state.threads[own]
    return _with_thread(state, own, replace(thread, left=(*more, *thread.left)))


def _set(state: State, own: int, register: int, value: int) -> State:
    thread = state.threads[own]
    registers = tuple(value if k == register else r for k, r in enumerate(thread.registers))
    return _with_thread(state, own, replace(thread, registers=registers))


def _with_value(state: State, own: int, register: int, variable: str) -> State:
    return _set(state, own, register, dict(state.values)[variable])


def _assigned(state: State, variable: str, value: int) -> State:
    return replace(state, values=tuple((n, value if n == variable else v) for n, v in state.values))


def _held(state: State, mutex: int, own: int) -> State:
    return replace(state, holders=tuple(sorted((*state.holders, (mutex, own)))))


def _without(holders: tuple[tuple[int, int], ...], mutex: int) -> tuple[tuple[int, int], ...]:
    return tuple(pair for pair in holders if pair[0] != mutex)


def _both(one: Clock, other: Clock) -> Clock:
    return tuple(map(max, one, other)) if other else one


def _joined(state: State, own: int, other: Clock) -> State:
    clocks = list(state.clocks)
    clocks[own] = _both(clocks[own], other)
    return replace(state, clocks=tuple(clocks))


def _acquired(state: State, name: str, own: int) -> State:
    return _joined(state, own, dict(state.released).get(name, ()))


def _ticked(state: State, own: int) -> State:
    clocks = list(state.clocks)
    clocks[own] = tuple(at + (k == own) for k, at in enumerate(clocks[own]))
    return replace(state, clocks=tuple(clocks))


def _released(state: State, name: str, own: int, before: Clock) -> State:
    released = {**dict(state.released), name: _both(state.clocks[own], before)}
    return _ticked(replace(state, released=tuple(sorted(released.items()))), own)
