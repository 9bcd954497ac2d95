"""Random programs of two or three threads, as data and as C text.

`main` makes the other threads, works beside them and may wait for their end.  There are no loops:
each thread takes 12 visible steps at most.  `thread_exploring` says what such a program may do,
from the data alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

MOST_STEPS = 12
REGISTERS = 2


@dataclass(frozen=True)
class Value:
    """A register plus a number, or a number alone."""

    register: int | None
    number: int

    def text(self) -> str:
        return str(self.number) if self.register is None else f"r{self.register} + {self.number}"


@dataclass(frozen=True)
class Read:
    register: int
    variable: str


@dataclass(frozen=True)
class Write:
    variable: str
    value: Value


@dataclass(frozen=True)
class Load:
    """Of an atomic variable."""

    register: int
    variable: str


@dataclass(frozen=True)
class Store:
    variable: str
    value: Value


@dataclass(frozen=True)
class Add:
    """To an atomic variable; the register gets what it was."""

    register: int
    variable: str
    number: int


@dataclass(frozen=True)
class Lock:
    mutex: int


@dataclass(frozen=True)
class Unlock:
    mutex: int


@dataclass(frozen=True)
class TryLock:
    """The register is 1 where it locks the mutex, and then the operations run and unlock it."""

    mutex: int
    register: int
    inside: tuple[Operation, ...]


@dataclass(frozen=True)
class Wait:
    """For the condition; the mutex is held."""

    mutex: int


@dataclass(frozen=True)
class Signal:
    everybody: bool


@dataclass(frozen=True)
class Down:
    """Of the semaphore."""


@dataclass(frozen=True)
class Up:
    pass


@dataclass(frozen=True)
class Create:
    thread: int


@dataclass(frozen=True)
class Join:
    thread: int


@dataclass(frozen=True)
class Section:
    """What no other thread interrupts."""

    inside: tuple[Operation, ...]


@dataclass(frozen=True)
class If:
    register: int
    number: int
    inside: tuple[Operation, ...]


@dataclass(frozen=True)
class Fail:
    """The error, where the register has the value."""

    register: int
    number: int


Operation = (
    Read | Write | Load | Store | Add | Lock | Unlock | TryLock | Wait | Signal | Down | Up
    | Create | Join | Section | If | Fail
)  # fmt: skip


@dataclass(frozen=True)
class Threads:
    """The operations of each thread; the first is `main`."""

    threads: tuple[tuple[Operation, ...], ...]

    def text(self) -> str:
        """The program in C."""
        bodies = [
            f"static void *t{k}(void *given) {{\n{_registers()}{_text(body)}  return 0;\n}}\n"
            for k, body in enumerate(self.threads)
            if k > 0
        ]
        main = (
            f"int main(void) {{\n{_INITIAL}{_registers()}{_text(self.threads[0])}  return 0;\n}}\n"
        )
        return _HEAD + "".join(bodies) + main


_HEAD = """\
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
extern void reach_error(void);
extern void __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void);
static int x, y;
static atomic_int a;
static pthread_mutex_t m[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static sem_t s;
static pthread_t t[3];
"""
_INITIAL = "  sem_init(&s, 0, 0);\n"


def _registers() -> str:
    return "".join(f"  int r{k} = 0;\n" for k in range(REGISTERS))


def _text(body: tuple[Operation, ...], indent: str = "  ") -> str:
    return "".join(indent + _line(operation, indent) + "\n" for operation in body)


def _line(operation: Operation, indent: str) -> str:  # noqa: C901 - flat match
    match operation:
        case Read(register, variable):
            return f"r{register} = {variable};"
        case Load(register, variable):
            return f"r{register} = atomic_load(&{variable});"
        case Write(variable, value):
            return f"{variable} = {value.text()};"
        case Store(variable, value):
            return f"atomic_store(&{variable}, {value.text()});"
        case Add(register, variable, number):
            return f"r{register} = atomic_fetch_add(&{variable}, {number});"
        case Lock(mutex):
            return f"pthread_mutex_lock(&m[{mutex}]);"
        case Unlock(mutex):
            return f"pthread_mutex_unlock(&m[{mutex}]);"
        case TryLock(mutex, register, inside):
            head = f"r{register} = !pthread_mutex_trylock(&m[{mutex}]);\n{indent}if (r{register}) "
            return head + _block(inside, indent)
        case Wait(mutex):
            return f"pthread_cond_wait(&c, &m[{mutex}]);"
        case Signal(everybody):
            return f"pthread_cond_{'broadcast' if everybody else 'signal'}(&c);"
        case Down():
            return "sem_wait(&s);"
        case Up():
            return "sem_post(&s);"
        case Create(thread):
            return f"pthread_create(&t[{thread}], 0, t{thread}, 0);"
        case Join(thread):
            return f"pthread_join(t[{thread}], 0);"
        case Section(inside):
            lines = _text(inside, indent)
            return f"__VERIFIER_atomic_begin();\n{lines}{indent}__VERIFIER_atomic_end();"
        case If(register, number, inside):
            return f"if (r{register} == {number}) {_block(inside, indent)}"
        case Fail(register, number):
            return f"if (r{register} == {number}) reach_error();"


def _block(inside: tuple[Operation, ...], indent: str) -> str:
    return f"{{\n{_text(inside, indent + '  ')}{indent}}}"


# ------------------------------------------------------------------------------ drawing programs


def program(seed: int) -> Threads:
    """The program of that number."""
    random = Random(seed)
    count = random.choice((2, 2, 3))
    draw = _Draw(random)
    others = [draw.body(random.randint(2, MOST_STEPS // (count - 1) + 2)) for _ in range(count - 1)]
    makes = [Create(k) for k in range(1, count)]
    joins = [Join(k) for k in range(1, count) if random.random() < 0.8]
    before = draw.body(random.choice((0, 0, 1, 2)))
    between = draw.body(random.randint(0, 4))
    at_end = draw.body(random.choice((1, 2)))
    return Threads(((*before, *makes, *between, *joins, *at_end), *others))


class _Draw:
    """Draws the operations of one program, which has habits: what it uses often, whether it is
    careful, so that it touches variables under one mutex alone.
    """

    def __init__(self, random: Random) -> None:
        self._random = random
        self._is_careful = random.random() < 0.5
        kinds = ["atomic", "locked", "locked", "if", "fail", "fail"]
        kinds += [] if self._is_careful else ["plain", "plain"]
        kinds += random.sample(["locked", "nested", "section", "condition", "semaphore", "try"], 3)
        self._kinds = kinds

    def body(self, steps: int) -> tuple[Operation, ...]:
        """Operations of so many visible steps at most."""
        found: list[Operation] = []
        steps = min(steps, MOST_STEPS)
        while steps > 0:
            part = self._part(steps)
            found += part
            steps -= max(1, sum(map(visible, part)))
        return tuple(found)

    def _part(self, steps: int) -> list[Operation]:  # noqa: C901 - flat match
        random = self._random
        few = ("atomic", "atomic") if self._is_careful else ("plain", "fail")
        kind = random.choice(self._kinds if steps >= 3 else few)
        mutex = random.randrange(2) if random.random() < 0.3 and not self._is_careful else 0
        inside = min(steps - 2, random.randint(1, 3))
        register = random.randrange(REGISTERS)
        match kind:
            case "locked":
                return [Lock(mutex), *self._simple(inside), Unlock(mutex)]
            case "nested" if steps >= 5:
                if random.random() < 0.3:
                    mutex = 1 - mutex
                inner = [Lock(1 - mutex), *self._simple(1), Unlock(1 - mutex)]
                return [Lock(mutex), *inner, Unlock(mutex)]
            case "section":
                return [Section(tuple(self._simple(inside)))]
            case "condition" if steps >= 4:
                if random.random() < 0.5:
                    return [Signal(random.random() < 0.3)]
                return [Lock(mutex), Wait(mutex), *self._simple(1), Unlock(mutex)]
            case "semaphore":
                return [Up() if random.random() < 0.6 else Down()]
            case "try":
                return [TryLock(mutex, register, (*self._simple(1), Unlock(mutex)))]
            case "if":
                return [If(register, random.randrange(3), tuple(self._alone(self._simple(inside))))]
            case "fail":
                read = self._read()
                return [*self._alone([read]), Fail(read.register, random.randint(1, 4))]
            case "atomic":
                return self._atomic()
        return self._alone(self._simple(1))

    def _alone(self, inside: list[Operation]) -> list[Operation]:
        """The operations under a mutex where the program is careful."""
        return [Lock(0), *inside, Unlock(0)] if self._is_careful else inside

    def _simple(self, count: int) -> list[Operation]:
        return [self._access() for _ in range(count)]

    def _value(self) -> Value:
        register = self._random.choice((None, *range(REGISTERS)))
        return Value(register, self._random.randrange(3))

    def _access(self) -> Operation:
        variable = self._random.choice("xxy")
        if self._random.random() < 0.5:
            return Read(self._random.randrange(REGISTERS), variable)
        return Write(variable, self._value())

    def _read(self) -> Read | Load:
        register = self._random.randrange(REGISTERS)
        if self._random.random() < 0.3:
            return Load(register, "a")
        return Read(register, self._random.choice("xxy"))

    def _atomic(self) -> list[Operation]:
        register = self._random.randrange(REGISTERS)
        choices = (Load(register, "a"), Store("a", self._value()), Add(register, "a", 1))
        return [self._random.choice(choices)]


def visible(operation: Operation) -> int:
    """How many steps others may see, at most."""
    match operation:
        case Fail():
            return 0
        case If(_, _, inside):
            return sum(map(visible, inside))
        case TryLock(_, _, inside) | Section(inside):
            return 1 + sum(map(visible, inside))
        case Wait():
            return 2
    return 1
