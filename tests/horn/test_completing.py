"""Relations that were resolved away come back: in groups, and with those that need others."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from horn_examples import atom, number, query, relation, variables

from seahorn_py.engines.engine import Budget
from seahorn_py.engines.spacer.spacer import Spacer
from seahorn_py.horn.checking.proofs import check_model
from seahorn_py.horn.system import HornSystem, Model, Rule
from seahorn_py.horn.transform.rules import completing
from seahorn_py.horn.transform.rules.unfolding import Unfolding
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.binding import is_quantified
from seahorn_py.logic.terms.terms import INT
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Safe

X, Y, N = variables("x y n")


def chain(length: int) -> HornSystem:
    """A loop whose body is a chain of places; each adds one to x, and some fork and join."""
    names = [f"p{k}" for k in range(length)]
    rules = [Rule("start", (), terms.TRUE, atom("p0", number(0), N))]
    for k, (here, there) in enumerate(zip(names, [*names[1:], "p0"], strict=True)):
        more = terms.plus(X, number(1))
        guard = terms.lt(X, Y) if k % 3 == 0 else terms.TRUE
        rules.append(Rule(f"go {k}", (atom(here, X, Y),), guard, atom(there, more, Y)))
        if k % 3 == 0:
            other = terms.not_(guard)
            rules.append(Rule(f"or {k}", (atom(here, X, Y),), other, atom(there, more, Y)))
    wrong = terms.lt(X, number(0))
    rules.append(Rule("error", (atom(names[-1], X, Y),), wrong, query("error")))
    return HornSystem({name: relation(name, INT, INT) for name in names}, tuple(rules))


def squares() -> HornSystem:
    """A relation that is used twice in one rule, and one behind it."""
    more, twice = terms.plus(X, number(1)), terms.plus(X, Y)
    rules = (
        Rule("one", (), terms.le(number(1), X), atom("a", X)),
        Rule("two", (atom("a", X),), terms.TRUE, atom("b", more)),
        Rule("sum", (atom("b", X), atom("b", Y)), terms.TRUE, atom("c", twice)),
        Rule("error", (atom("c", X),), terms.lt(X, number(4)), query("error")),
    )
    return HornSystem({name: relation(name, INT) for name in "abc"}, rules)


def unused() -> HornSystem:
    """A definition that no value meets, beside one that leaves the argument open."""
    never = terms.lt(X, X)
    rules = (
        Rule("never", (), never, atom("a", X)),
        Rule("any", (), terms.TRUE, atom("b", X)),
        Rule("both", (atom("a", X), atom("b", Y)), terms.TRUE, query("error")),
    )
    return HornSystem({name: relation(name, INT) for name in "ab"}, rules)


def by_spacer(system: HornSystem) -> Model | None:
    found = Spacer(checked=False).solve(system, Budget(Deadline.after(5)))
    return found.proof if isinstance(found, Safe) and isinstance(found.proof, Model) else None


@pytest.mark.parametrize(
    "make", [lambda: chain(7), squares, unused], ids=["chain", "twice", "none"]
)
@pytest.mark.parametrize("at_once", [1, 3])
def test_the_whole_model_holds(
    make: Callable[[], HornSystem], at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(completing, "AT_ONCE", at_once)
    system = make()
    changed, back = Unfolding(by_spacer).apply(system)
    assert len(changed.relations) < len(system.relations)
    found = by_spacer(changed)
    assert found is not None
    model = back.model(found)
    assert not any(is_quantified(formula) for formula in model.interpretations.values())
    checked = check_model(system, model, finder=Solver.Z3, deadline=Deadline.after(10))
    assert checked.ok, checked.reason


def test_what_is_not_found_is_what_definitions_derive() -> None:
    system = squares()
    changed, back = Unfolding(lambda system: None).apply(system)
    found = by_spacer(changed)
    assert found is not None
    model = back.model(found)
    assert any(is_quantified(formula) for formula in model.interpretations.values())
