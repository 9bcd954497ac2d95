"""The checker of bounds: what rules share, and ends that are asked for one by one."""

from __future__ import annotations

import pytest
from horn_examples import atom, number, query, relation, system, x, y, z

from seahorn_py.horn.checking import unrolling
from seahorn_py.horn.checking.unrolling import confirm
from seahorn_py.horn.system import HornSystem, Unrolling
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.logic.solvers.solvers import Answer, Status
from seahorn_py.logic.terms import terms
from seahorn_py.processes.deadline import Deadline


def confirmed(example: HornSystem, bounds: dict[str, int]) -> str:
    return confirm(example, Unrolling(bounds), Solver.BITWUZLA, Deadline.after(20)).solver


def chosen(*wrong: int) -> HornSystem:
    """From one state `z` goes to 1 or to 2; it must be none of the wrong numbers."""
    steps = [
        ((atom("s", x),), terms.and_([terms.eq(y, number(k)), terms.eq(z, y)]), atom("t", z))
        for k in (1, 2)
    ]
    queries = [((atom("t", x),), terms.eq(x, number(k)), query(f"error{k}")) for k in wrong]
    relations = [relation("s", terms.INT), relation("t", terms.INT)]
    return system(relations, ((), terms.eq(x, number(0)), atom("s", x)), *steps, *queries)


def summed(wrong: int) -> HornSystem:
    """Two rounds that each add 0 or 1."""
    step = terms.and_(
        [
            terms.lt(x, number(2)),
            terms.le(number(0), z),
            terms.le(z, number(1)),
        ]
    )
    return system(
        [relation("loop", terms.INT, terms.INT)],
        ((), terms.TRUE, atom("loop", number(0), number(0))),
        ((atom("loop", x, y),), step, atom("loop", terms.plus(x, number(1)), terms.plus(y, z))),
        ((atom("loop", x, y),), terms.eq(y, number(wrong)), query()),
    )


@pytest.mark.parametrize("wrong", [(1,), (2,), (3, 2)])
def test_what_rules_share_excludes_no_run(wrong: tuple[int, ...]) -> None:
    assert not confirmed(chosen(*wrong), {})


def test_each_round_has_symbols_of_its_own() -> None:
    assert not confirmed(summed(1), {"loop": 2}), "0 and then 1"
    assert confirmed(summed(3), {"loop": 2})
    assert not confirmed(summed(3), {"loop": 1})


@pytest.mark.parametrize("example", [chosen(3, 4), chosen(4, 2)])
def test_ends_are_asked_one_by_one_where_all_together_take_long(
    example: HornSystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = confirmed(example, {})
    undecided = None, Answer(Status.UNKNOWN, "time limit")
    monkeypatch.setattr(unrolling, "check_side_by_side", lambda *_: undecided)
    assert bool(confirmed(example, {})) == bool(expected)
