"""Invariants that one process has proved serve the others."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from array_programs import horn_system

from seahorn_py.engines.engine import Budget
from seahorn_py.engines.kinduction.kinduction import KInduction
from seahorn_py.horn.system import HornSystem, Model
from seahorn_py.horn.text.wire import system_to_text
from seahorn_py.invariants import generation
from seahorn_py.invariants.generation import Generator, improving
from seahorn_py.invariants.pool import Pool
from seahorn_py.logic.terms import terms
from seahorn_py.processes.child import Fork
from seahorn_py.processes.deadline import Deadline

SECONDS = 20.0
SYMBOL = terms.symbol("x", terms.INT)


@pytest.fixture
def pool() -> Iterator[Pool]:
    made = Pool.new()
    yield made
    made.close()


def counter(error: str) -> HornSystem:
    return horn_system(
        f"""
        loop i n
        : (<= 0 n) --> (loop 0 n)
        : (loop i n) (< i n) --> (loop (+ i 1) n)
        : (loop i n) {error} --> false
        """
    )


OPEN = counter("(= (+ (* i i) 7) (* 11 n))")
"""Reached in 13 steps only, so no level excludes the query: all are tried."""


def test_what_a_copy_proves_its_parent_need_not(
    pool: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def prove() -> str:
        return str(list(improving(OPEN, Deadline.after(SECONDS), pool=pool))[-1].model)

    with Fork(prove, Deadline.after(SECONDS)) as copy:
        proved = copy.result()
    monkeypatch.setattr(generation.child, "start", None)  # nothing is left to be proved
    assert [str(f.model) for f in improving(OPEN, Deadline.after(SECONDS), pool=pool)] == [proved]


def test_the_strongest_model_is_that_of_the_highest_level(pool: Pool) -> None:
    text = system_to_text(OPEN)
    for level, bound in ((2, 5), (1, 3), (3, 7)):
        pool.put(text, level, Model({"loop": terms.le(terms.int_const(bound), SYMBOL)}))
    level, model = pool.strongest(text) or (0, generation.NOTHING)
    assert (level, str(model.interpretations["loop"])) == (3, "(7 <= x)")
    assert pool.strongest(text, beyond=3) is None


def test_a_system_gets_no_invariants_of_another(pool: Pool) -> None:
    list(improving(OPEN, Deadline.after(SECONDS), pool=pool))
    assert pool.strongest(system_to_text(counter("(= i (* 8 n n))"))) is None


def test_what_was_given_is_there_at_once(pool: Pool) -> None:
    list(improving(OPEN, Deadline.after(SECONDS), pool=pool))
    with Generator(OPEN, Deadline.after(SECONDS), pool=pool) as generator:
        assert not generator.done
        given = generator.poll()
        assert given is not None and given.model.interpretations
        assert generator.done


def test_k_induction_leaves_what_it_proves(pool: Pool) -> None:
    """It has a process of its own, as in the portfolio."""

    def prove() -> str:
        budget = Budget(Deadline.after(SECONDS), disposable=True, pool=pool)
        return type(KInduction(2).solve(OPEN, budget)).__name__

    with Fork(prove, Deadline.after(SECONDS)) as copy:
        assert copy.result() == "Unknown"
    assert pool.strongest(system_to_text(OPEN)) is not None
