"""Atomic accesses that are weaker than seq_cst: no proof where C has more runs.

Store buffering, message passing, load buffering, independent reads of independent writes
(J. Alglave, L. Maranget, M. Tautschnig: "Herding cats", TOPLAS 2014).
"""

from __future__ import annotations

from pathlib import Path

import pytest

import seahorn_py
from seahorn_py.frontend.lowering.threads.accesses import Called, Touched
from seahorn_py.frontend.lowering.threads.weak_orders import Atomic, without_meaning
from seahorn_py.result import Answer

HEAD = """#include <pthread.h>
#include <stdatomic.h>
extern void reach_error(void);
atomic_int x, y; int d, a, b, c, e;
"""
STORE = "atomic_store_explicit(&{}, 1, memory_order_{});"
LOAD = "{} = atomic_load_explicit(&{}, memory_order_{});"
RELAXED, ACQUIRE = ("relaxed", "relaxed"), ("release", "acquire")
CONSUME, SEQUENTIAL = ("release", "consume"), ("seq_cst", "seq_cst")
ORDERS = (RELAXED, ACQUIRE, CONSUME, SEQUENTIAL)


def st(variable: str, orders: tuple[str, str]) -> str:
    return STORE.format(variable, orders[0])


def ld(to: str, variable: str, orders: tuple[str, str]) -> str:
    return LOAD.format(to, variable, orders[1])


def threads(*bodies: str, error: str) -> str:
    made = "".join(f"void *t{k}(void *p) {{ {body} return 0; }}\n" for k, body in enumerate(bodies))
    numbers = range(len(bodies))
    create = " ".join(f"pthread_create(&t[{k}], 0, t{k}, 0);" for k in numbers)
    join = " ".join(f"pthread_join(t[{k}], 0);" for k in numbers)
    main = f"pthread_t t[{len(bodies)}]; {create} {join} if ({error}) reach_error();"
    return f"{HEAD}{made}int main(void) {{ {main} }}\n"


def store_buffering(o: tuple[str, str]) -> str:
    return threads(
        st("x", o) + ld("a", "y", o), st("y", o) + ld("b", "x", o), error="a == 0 && b == 0"
    )


def load_buffering(o: tuple[str, str]) -> str:
    return threads(ld("a", "x", o) + st("y", o), ld("b", "y", o) + st("x", o), error="a && b")


def message_passing(o: tuple[str, str]) -> str:
    reads = f"{ld('int seen', 'x', o)} a = seen ? d : 1;"
    return threads(f"d = 1; {st('x', o)}", reads, error="a != 1")


def independent_reads(o: tuple[str, str]) -> str:
    readers = ld("a", "x", o) + ld("b", "y", o), ld("c", "y", o) + ld("e", "x", o)
    return threads(st("x", o), st("y", o), *readers, error="a && !b && c && !e")


def ask(text: str, place: Path, asked: str = "unreach-call", seconds: float = 60.0) -> Answer:
    file = place / "threads.c"
    file.write_text(text)
    return seahorn_py.verify(file, property=asked, timeout=seconds).answer


@pytest.mark.parametrize("orders", ORDERS, ids=lambda orders: orders[1])
def test_message_passing(orders: tuple[str, str], tmp_path: Path) -> None:
    expected = Answer.UNKNOWN if orders is RELAXED else Answer.SAFE
    assert ask(message_passing(orders), tmp_path) is expected


@pytest.mark.full
@pytest.mark.parametrize("orders", ORDERS, ids=lambda orders: orders[1])
@pytest.mark.parametrize("program", [store_buffering, load_buffering])
def test_two_objects(program, orders: tuple[str, str], tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    if orders is SEQUENTIAL:
        assert ask(program(orders), tmp_path) is Answer.SAFE
    else:
        assert ask(program(orders), tmp_path, seconds=10) is Answer.UNKNOWN


@pytest.mark.full
@pytest.mark.parametrize("orders", [RELAXED, ACQUIRE, CONSUME], ids=lambda orders: orders[1])
def test_independent_reads(orders: tuple[str, str], tmp_path: Path) -> None:
    assert ask(independent_reads(orders), tmp_path, seconds=10) is Answer.UNKNOWN


@pytest.mark.parametrize("asked", ["unreach-call", "no-data-race"])
def test_an_error_stands_in_whatever_order(asked: str, tmp_path: Path) -> None:
    """Each sequentially consistent run is a run."""
    text = threads(
        "d++; atomic_fetch_add_explicit(&x, 1, memory_order_relaxed);", "d++;", error="x == 1"
    )
    assert ask(text, tmp_path, asked) is Answer.UNSAFE


@pytest.mark.full
@pytest.mark.parametrize(
    ("take", "free", "expected"),
    [
        ("__sync_lock_test_and_set(&d, 1)", "__sync_lock_release(&d)", Answer.SAFE),
        ("atomic_exchange_explicit(&x, 1, memory_order_acquire)", "x = 0", Answer.UNKNOWN),
    ],
)
def test_a_lock_that_spins(take: str, free: str, expected: Answer, tmp_path: Path) -> None:
    """A change that does not release orders nothing for who reads what it wrote."""
    body = f"while ({take}) {{}} a++; {free};"
    assert ask(threads(body, body, error="a != 2"), tmp_path) is expected


LINES = {
    "  %r = load atomic i32, ptr @x seq_cst, align 4": (True, True),
    "  %r = load atomic i32, ptr @x acquire, align 4": (False, True),
    "  %r = load atomic i32, ptr @x monotonic, align 4": (False, False),
    "  store atomic i32 1, ptr @x release, align 4": (False, True),
    "  store atomic i32 1, ptr @x monotonic, align 4": (False, False),
    "  %r = atomicrmw add ptr @x, i32 1 acq_rel, align 4": (False, True),
    "  %r = atomicrmw add ptr @x, i32 1 acquire, align 4": (False, False),
    "  %r = cmpxchg ptr @x, i32 1, i32 %n seq_cst seq_cst, align 4": (True, True),
    "  %r = cmpxchg ptr @x, i32 1, i32 %n acq_rel acquire, align 4": (False, True),
    "  %r = cmpxchg ptr @x, i32 1, i32 %n acq_rel monotonic, align 4": (False, False),
    "  %r = cmpxchg ptr @x, i32 1, i32 %n acquire acquire, align 4": (False, False),
}


def atomic(line: str) -> Atomic:
    return Atomic(line, next(Touched([line], Called()).accesses(line)), "here")


@pytest.mark.parametrize("line", LINES)
def test_the_order_of_an_access(line: str) -> None:
    assert (atomic(line).is_sequential, atomic(line).is_strong) == LINES[line]


def test_a_second_object_takes_the_meaning() -> None:
    of_x, of_y = "  %r = load atomic i32, ptr @x acquire", "  %s = load atomic i32, ptr @y seq_cst"
    assert without_meaning([atomic(of_x)]) == ""
    assert without_meaning([atomic(of_x), atomic(of_y)]) == "here"
    assert without_meaning([atomic(of_y), atomic(of_y.replace("@y", "@z"))]) == ""
    assert without_meaning([atomic(of_x.replace("@x", "%p"))]) == "here"
