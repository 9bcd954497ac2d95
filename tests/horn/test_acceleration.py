"""Loops replaced by their closures: against brute force, and read back for the checkers."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product

import pytest
from horn_examples import Example, atom, counter, number, query, relation, system

from seahorn_py.engines.catalogue import engine
from seahorn_py.engines.engine import Budget
from seahorn_py.horn.checking.proofs import check_proof
from seahorn_py.horn.checking.refutations import check_refutation
from seahorn_py.horn.system import Atom, HornSystem, Model, Refutation, Rule, Step
from seahorn_py.horn.transform.acceleration.loopnest import inside_out, may_repeat
from seahorn_py.horn.transform.acceleration.polynomials import polynomial_closure
from seahorn_py.horn.transform.acceleration.reading_back import TooLong, read_model, read_refutation
from seahorn_py.horn.transform.acceleration.stages import accelerate
from seahorn_py.horn.transform.transitions import ports, transition
from seahorn_py.logic.presburger.closure import star
from seahorn_py.logic.presburger.presburger import Presburger, union
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.evaluate import compile_term
from seahorn_py.logic.terms.terms import INT, Term
from seahorn_py.options import EngineName
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Safe, Unsafe

a, b, c = (terms.symbol(f"{name}.acceleration", INT) for name in "abc")
SYMBOLS = (a, b, c)
SECONDS = 20.0

FAR = 30

BOX, FARTHEST = 2, 3
"""Loops begin and go on within the box, and an update leads at most so far out of it."""

# ------------------------------------------------------------------- random loops and brute force


def random_loop(rng: random.Random) -> tuple[int, list[Rule]]:
    """A loop of one or two paths over one to three variables that stays in a small box."""
    count = rng.randint(1, 3)
    symbols = SYMBOLS[:count]
    paths = []
    for number_ in range(rng.randint(1, 2)):
        guards = [g for s in symbols for g in (terms.le(number(-BOX), s), terms.le(s, number(BOX)))]
        guards.append(random_guard(rng, symbols))
        after = [random_update(rng, s, symbols) for s in symbols]
        body, head = atom("loop", *symbols), atom("loop", *after)
        paths.append(Rule(f"path {number_}", (body,), terms.and_(guards), head))
    return count, paths


def random_guard(rng: random.Random, symbols: tuple[Term, ...]) -> Term:
    left, right = rng.choice(symbols), rng.choice([*symbols, number(rng.randint(-3, 3))])
    parity = terms.eq(terms.mod(left, number(2)), number(rng.randint(0, 1)))
    return rng.choice([terms.lt(left, right), terms.le(left, right), terms.TRUE, parity])


def random_update(rng: random.Random, symbol: Term, symbols: tuple[Term, ...]) -> Term:
    other = rng.choice(symbols)
    return rng.choice(
        [
            symbol,
            symbol,
            terms.plus(symbol, number(rng.choice([-2, -1, 1, 2]))),
            terms.plus(symbol, number(rng.choice([-1, 1]))),
            number(rng.randint(-2, 2)),
            other,
            terms.plus(other, number(1)),
            terms.minus(number(1), symbol),
        ]
    )


def run_from(
    start: tuple[int, ...], paths: list[Rule], symbols: tuple[Term, ...]
) -> set[tuple[int, ...]]:
    """What zero or more iterations lead to from a point, while no value is beyond FAR."""
    guards = [compile_term(rule.constraint, symbols) for rule in paths]
    updates = [[compile_term(t, symbols) for t in head(rule)] for rule in paths]
    found, pending = {start}, [start]
    while pending:
        point = pending.pop()
        for guard, update in zip(guards, updates, strict=True):
            onward = tuple(int(u(point)) for u in update) if guard(point) else point
            if onward not in found and max(map(abs, onward)) <= FAR:
                found.add(onward)
                pending.append(onward)
    return found


def head(rule: Rule) -> tuple[Term, ...]:
    assert isinstance(rule.head, Atom)
    return rule.head.arguments


Holds = Callable[[Sequence[int]], object]


def closure_of(count: int, paths: list[Rule]) -> tuple[str, Holds] | None:
    """The closure of a loop as text, and which pairs of states it has; None if none is claimed."""
    arithmetic = Presburger()
    closure = star(arithmetic, union([transition(arithmetic, rule) for rule in paths]))
    if closure is None:
        return None
    after = [terms.symbol(f"after {k}.acceleration", INT) for k in range(count)]
    symbols = [*SYMBOLS[:count], *after]
    pairs = arithmetic.pairs(closure, symbols[:count], after)
    return str(closure), compile_term(pairs, symbols)


def compared(seed: int) -> bool:
    """Whether a closure is claimed; then it has exactly the pairs that are reached."""
    rng = random.Random(seed)
    count, paths = random_loop(rng)
    closed = closure_of(count, paths)
    if closed is None:
        return False
    closure, holds = closed
    around = range(-BOX - FARTHEST, BOX + FARTHEST + 1)
    for start in product(range(-BOX, BOX + 1), repeat=count):
        ends = run_from(start, paths, SYMBOLS[:count])
        claimed = {end for end in product(around, repeat=count) if holds((*start, *end))}
        assert claimed == ends, (seed, start, closure)
    return True


SOME = 12


def test_closures_are_exact_for_random_loops() -> None:
    assert sum(compared(seed) for seed in range(SOME)) > SOME * 0.7


@pytest.mark.full
def test_closures_are_exact_for_300_random_loops() -> None:
    assert sum(compared(seed) for seed in range(300)) > 210


def endless_loop(rng: random.Random) -> tuple[int, list[Rule]]:
    """A loop whose guards leave some directions open."""
    count, paths = random_loop(rng)
    symbols = SYMBOLS[:count]
    guards = [[random_guard(rng, symbols) for _ in range(2)] for _ in paths]
    return count, [
        replace(rule, constraint=terms.and_(guard))
        for rule, guard in zip(paths, guards, strict=True)
    ]


def compared_in_a_window(seed: int) -> bool:
    """The same for loops that may go on for ever: runs of up to FAR, looked at near the start."""
    rng = random.Random(seed)
    count, paths = endless_loop(rng)
    closed = closure_of(count, paths)
    if closed is None:
        return False
    closure, holds = closed
    window = list(product(range(-3, 4), repeat=count))
    for start in rng.sample(window, min(7, len(window))):
        ends = run_from(start, paths, SYMBOLS[:count])
        assert all(holds((*start, *end)) for end in ends), (seed, start, closure)
        claimed = {end for end in window if holds((*start, *end))}
        assert claimed <= ends, (seed, start, claimed - ends, closure)
    return True


@pytest.mark.full
def test_closures_are_exact_for_100_endless_loops() -> None:
    assert sum(compared_in_a_window(seed) for seed in range(100)) > 80


def test_closures_are_exact_for_endless_loops() -> None:
    assert sum(compared_in_a_window(seed) for seed in range(1000, 1010)) > 7


# ------------------------------------------------------------------------------------ polynomials


@pytest.mark.parametrize(
    ("updates", "exact"),
    [
        ((terms.plus(a, number(1)), terms.plus(b, a), c), True),
        ((terms.plus(a, number(1)), terms.plus(b, terms.times(a, a)), c), True),
        ((terms.plus(a, number(2)), terms.minus(b, a), c), True),
        ((terms.plus(a, number(1)), terms.plus(b, c), c), True),
        ((terms.plus(a, number(1)), terms.times(a, a), c), True),
        ((terms.plus(a, number(1)), terms.plus(b, b), c), None),
    ],
    ids=["sum", "sum of squares", "steps of two", "product", "set", "doubled"],
)
def test_sums_have_polynomial_closures(
    updates: tuple[Term, Term, Term], exact: bool | None
) -> None:
    """`while (a < c) (a, b, c) = updates`, compared with what its iterations give."""
    rule = Rule("sum", (atom("loop", *SYMBOLS),), terms.lt(a, c), atom("loop", *updates))
    before, after = ports("from", SYMBOLS), ports("to", SYMBOLS)
    closure = polynomial_closure(rule, before, after)
    if exact is None:
        assert closure is None
        return
    assert closure is not None
    assert not closure.exact
    local = sorted(terms.free_symbols(closure.formula) - {*before, *after}, key=str)
    holds = compile_term(closure.formula, [*before, *after, *local])
    run = [compile_term(update, SYMBOLS) for update in updates]
    for start in product((-1, 0, 1), (0, 5), (0, 3)):
        ends, point = {start}, start
        while point[0] < point[2]:
            point = tuple(int(update(point)) for update in run)  # type: ignore[assignment]
            ends.add(point)
        for end in product(range(-2, 6), range(-12, 20), (0, 3)):
            counts = range(8) if local else [0]
            found = any(holds((*start, *end, *[count] * len(local))) for count in counts)
            assert found is (end in ends), (start, end)


# -------------------------------------------------------------------------------- whole systems


def nested() -> HornSystem:
    """`for (i = 0; i < n; i++) { for (j = 0; j < m; j++) x++; x -= m; } assert(x == 0)`"""
    i, j, n, m, s = (terms.symbol(f"{name}.nested", INT) for name in "ijnms")
    one = number(1)
    return system(
        [relation("outer", *[INT] * 4), relation("inner", *[INT] * 5)],
        ((), terms.le(number(0), m), atom("outer", number(0), n, m, number(0))),
        ((atom("outer", i, n, m, s),), terms.lt(i, n), atom("inner", number(0), i, n, m, s)),
        (
            (atom("inner", j, i, n, m, s),),
            terms.lt(j, m),
            atom("inner", terms.plus(j, one), i, n, m, terms.plus(s, one)),
        ),
        (
            (atom("inner", j, i, n, m, s),),
            terms.le(m, j),
            atom("outer", terms.plus(i, one), n, m, terms.minus(s, m)),
        ),
        (
            (atom("outer", i, n, m, s),),
            terms.and_([terms.le(n, i), terms.not_(terms.eq(s, number(0)))]),
            query(),
        ),
    )


def test_inner_loops_come_first() -> None:
    assert inside_out(nested()) == ["inner", "outer"]


def test_calls_in_a_row_do_not_repeat() -> None:
    """The exit of `f` leads to its second call, but not by rules with one premise."""
    rules = (
        ((), terms.TRUE, atom("main", a)),
        ((atom("main", a),), terms.TRUE, atom("f.entry", a)),
        ((atom("f.entry", a),), terms.TRUE, atom("f.exit", a, terms.plus(a, number(1)))),
        ((atom("main", a), atom("f.exit", a, b)), terms.TRUE, atom("middle", b)),
        ((atom("middle", a),), terms.TRUE, atom("f.entry", a)),
        ((atom("middle", a), atom("f.exit", a, b)), terms.eq(a, b), query()),
    )
    names = [relation(n, INT) for n in ("main", "middle", "f.entry")]
    calls = system([*names, relation("f.exit", INT, INT)], *rules)
    assert not may_repeat(calls)
    assert may_repeat(nested())
    assert accelerate(calls, Presburger()).system is calls


def test_nested_loops_vanish_and_their_model_is_checked() -> None:
    arithmetic = Presburger()
    found = accelerate(nested(), arithmetic)
    assert (found.loops, found.system.rules) == (2, ())
    model = read_model(found, Model({}), arithmetic)
    checked = check_proof(nested(), model, finder=Solver.Z3, deadline=Deadline.after(SECONDS))
    assert checked.ok, checked.reason


def test_a_weaker_model_is_none_of_the_original() -> None:
    """The check of the model that was read back can fail."""
    checked = check_proof(nested(), Model({}), finder=Solver.Z3, deadline=Deadline.after(SECONDS))
    assert not checked.ok


def accelerated_refutation(example: HornSystem) -> tuple[HornSystem, Refutation]:
    """The accelerated system of a reachable query has nothing else: it is the refutation."""
    arithmetic = Presburger()
    found = accelerate(example, arithmetic)
    (rule,) = found.system.rules
    last = Refutation((Step(rule.name, (), ()),))
    return example, read_refutation(found, last, arithmetic, lambda *_: None)


def test_a_refutation_is_unrolled_into_iterations() -> None:
    example, refutation = accelerated_refutation(counter(10, 10))
    assert [step.rule for step in refutation.steps] == ["rule 0", *["rule 1"] * 10, "rule 2"]
    checked = check_refutation(example, refutation, Deadline.after(SECONDS))
    assert checked.ok, checked.reason


def test_too_many_iterations_are_not_written_out() -> None:
    with pytest.raises(TooLong):
        accelerated_refutation(counter(1_000_000, 1_000_000))


def doubling() -> Example:
    """No closure: the loop stays as it is."""
    twice = terms.plus(a, a)
    rules = (
        ((), terms.TRUE, atom("loop", number(1))),
        ((atom("loop", a),), terms.TRUE, atom("loop", twice)),
        ((atom("loop", a),), terms.eq(a, number(0)), query()),
    )
    return Example("doubling", system([relation("loop", INT)], *rules), True)


def test_a_loop_without_a_closure_stays() -> None:
    example = doubling().system
    assert accelerate(example, Presburger()).system is example


def sum_up_to(error_above: int) -> HornSystem:
    """`s = 0; for (i = 1; i <= n; i++) s += i;` for n up to 1000; `2 s` is not `n (n + 1)`."""
    i, n, s = (terms.symbol(f"{name}.sum", INT) for name in "ins")
    square = terms.times(n, terms.plus(n, number(1)))
    wrong = terms.not_(terms.eq(terms.times(number(2), s), square))
    return system(
        [relation("sum", INT, INT, INT)],
        ((), terms.le(n, number(1000)), atom("sum", number(1), n, number(0))),
        (
            (atom("sum", i, n, s),),
            terms.le(i, n),
            atom("sum", terms.plus(i, number(1)), n, terms.plus(s, i)),
        ),
        (
            (atom("sum", i, n, s),),
            terms.and_([terms.lt(n, i), terms.lt(number(error_above), n), wrong]),
            query(),
        ),
    )


def test_a_sum_of_any_length_is_proved_and_checked() -> None:
    example = sum_up_to(0)
    accelerated = engine(EngineName.ACCELERATED, None)
    assert accelerated is not None
    verdict = accelerated.solve(example, Budget(Deadline.after(SECONDS)))
    assert isinstance(verdict, Safe), verdict
    checked = check_proof(
        example, verdict.proof, finder=verdict.finder, deadline=Deadline.after(SECONDS)
    )
    assert checked.ok, checked.reason


def test_what_is_no_number_of_iterations_is_an_error() -> None:
    """Without a lower bound of n the sum of no iterations is wrong for n = -5."""
    example = sum_up_to(-6)
    accelerated = engine(EngineName.ACCELERATED, None)
    assert accelerated is not None
    verdict = accelerated.solve(example, Budget(Deadline.after(SECONDS)))
    assert isinstance(verdict, Unsafe), verdict
    checked = check_refutation(
        verdict.system or example, verdict.refutation, Deadline.after(SECONDS)
    )
    assert checked.ok, checked.reason
    assert verdict.system is None
