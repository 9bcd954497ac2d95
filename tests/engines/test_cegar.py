"""Predicate abstraction with refinement: the papers' examples, strategies, domains, precision."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from pathlib import Path

import pytest
import z3
from click.testing import CliRunner
from horn_examples import (
    TRUE,
    atom,
    byte_counter,
    counter,
    even_odd,
    halving,
    mccarthy,
    number,
    query,
    relation,
    system,
    two_counters,
    variables,
    x,
    y,
)

from seahorn_py.base.errors import InputError
from seahorn_py.cli.commands.chc import chc
from seahorn_py.engines.catalogue import engine
from seahorn_py.engines.cegar import cegar_child
from seahorn_py.engines.cegar.cegar import Cegar
from seahorn_py.engines.cegar.loop import Loop
from seahorn_py.engines.conclusion import Conclusion, Limit, Proved, Reached
from seahorn_py.engines.impact.impact import Impact
from seahorn_py.engines.refinement.abstraction import Posts, State, equals, joined
from seahorn_py.engines.refinement.configuration import (
    Abstraction,
    Configuration,
    Initial,
    Order,
    Split,
    configured,
)
from seahorn_py.engines.refinement.derivation import (
    Derivation,
    DerivationStep,
    Feasibility,
    Formulas,
    derivation,
)
from seahorn_py.engines.refinement.diverging import MANY, Families
from seahorn_py.engines.refinement.horn_interpolants import HornInterpolation
from seahorn_py.engines.refinement.initial import Beginning, beginning
from seahorn_py.engines.refinement.paths import NoPath, eliminated, implicant
from seahorn_py.engines.refinement.precision import (
    Precision,
    precision_from_text,
    precision_to_text,
    read_precision,
    write_precision,
)
from seahorn_py.engines.refinement.predicates import literal, literals, pieces
from seahorn_py.engines.refinement.reachability import Node, Reachability, seen_of
from seahorn_py.engines.refinement.refinement import Lessons, NothingLearnt
from seahorn_py.engines.refinement.rounds import Round
from seahorn_py.engines.refinement.skeleton import Problem
from seahorn_py.engines.refinement.strategies.choice import strategy
from seahorn_py.engines.refinement.strategies.needed_values import NeededValues
from seahorn_py.engines.refinement.strategies.path_invariants import PathInvariants
from seahorn_py.horn.checking.proofs import check_proof
from seahorn_py.horn.checking.refutations import check_refutation
from seahorn_py.horn.system import HornSystem, Model, Obligation, OperationId, Query
from seahorn_py.horn.text.smtlib import print_horn
from seahorn_py.logic.solvers.natives import Solvers
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.logic.solvers.solvers import Status
from seahorn_py.logic.solvers.spacer.derivations import Derivations
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Term
from seahorn_py.logic.text.infix import print_infix
from seahorn_py.options import AbstractionOptions, EngineName
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Safe

SECONDS = 60.0
one, two, three, five = map(number, (1, 2, 3, 5))


def looped(
    example: HornSystem,
    choices: str = "",
    precision: Precision | None = None,
    reserve: Precision | None = None,
) -> tuple[Conclusion, Loop, list[Round]]:
    """The loop in this process; evidence convinces code that shares nothing with the engine."""
    chosen = configured(choices)
    rounds: list[Round] = []
    problem = Problem(example, Deadline.after(SECONDS))
    loop = Loop(problem, chosen, strategy(chosen, problem), rounds.append, reserve=reserve)
    outcome = loop.run(precision or Precision())
    match outcome:
        case Proved(proof, finder):
            checked = check_proof(example, proof, finder=finder, deadline=Deadline.after(SECONDS))
            assert checked.ok, checked.reason
        case Reached(refutation):
            checked = check_refutation(example, refutation, Deadline.after(SECONDS))
            assert checked.ok, checked.reason
    return outcome, loop, rounds


def texts(loop: Loop, name: str) -> set[str]:
    """The predicates of a relation, its parameters named x, y."""
    symbols = {s for p in loop.precision.of(name) for s in terms.free_symbols(p)}
    named = {s: "xyz"[int(str(s).split("#")[1][0])] for s in symbols}
    return {print_infix(p, named) for p in loop.precision.of(name)}


# ------------------------------------------------------------------------------------ path programs


def twice(limit: int) -> HornSystem:
    """`x = y = 0; while (*) x, y = x + 1, y + 2; assert(x != limit || y == 2 * limit)`.

    A second loop is not on the way.
    """
    reached = terms.and_([terms.eq(x, number(limit)), terms.not_(terms.eq(y, number(2 * limit)))])
    return system(
        [relation("loop", terms.INT, terms.INT), relation("other", terms.INT)],
        ((), TRUE, atom("loop", number(0), number(0))),
        ((atom("loop", x, y),), TRUE, atom("loop", terms.plus(x, one), terms.plus(y, two))),
        ((atom("loop", x, y),), TRUE, atom("other", x)),
        ((atom("other", x),), TRUE, atom("other", terms.times(two, x))),
        ((atom("loop", x, y),), reached, query()),
    )


def test_one_invariant_of_a_path_program_excludes_all_its_counterexamples() -> None:
    """Interpolants of each are about numbers: `x <= 49`, `x <= 48`, ... down to 0."""
    outcome, loop, rounds = looped(twice(50), "initial=none,refinement=paths")
    assert isinstance(outcome, Proved)
    assert len(rounds) == 2
    assert loop.precision.of("other") == ()


def test_a_path_program_may_have_a_real_counterexample() -> None:
    """The counter must go round five times, the first counterexample with a loop does once."""
    outcome, _, rounds = looped(counter(5, 5), "initial=none,refinement=paths")
    assert isinstance(outcome, Reached)
    assert len(outcome.refutation.steps) == 7
    assert len(rounds) == 1


def test_a_solver_that_was_interrupted_says_so_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> str:
        raise z3.Z3Exception(b"canceled")

    monkeypatch.setattr(Derivations, "_solve", interrupted)
    spacer = HornInterpolation(Formulas(lecture_001()))
    assert spacer.ask(Derivation(()), time.monotonic(), 1.0) == "Spacer: time limit"


def test_two_rules_of_one_name_are_no_formula() -> None:
    formulas = Formulas(lecture_001())
    first, other, _ = lecture_001().rules
    formulas.of(first)
    with pytest.raises(AssertionError, match="share a name"):
        formulas.of(replace(other, name=first.name))


def test_others_are_asked_in_turn_where_there_is_no_loop() -> None:
    class Silent:
        def learn(self, of: Derivation, until: float) -> Lessons:
            raise NothingLearnt(f"nothing about {len(of.steps)} steps")

    chain = Derivation((DerivationStep(Node(0, "", frozenset(), twice(50).rules[-1], ()), ()),))
    with pytest.raises(NothingLearnt, match="nothing about 1 steps; nothing about 1 steps"):
        PathInvariants(twice(50), (Silent(), Silent())).learn(chain, Deadline.after(SECONDS).at)


# ----------------------------------------------------------------------------- the papers' examples


def lecture_001() -> HornSystem:
    """`x = 0; while (x < 5) x = x + 1; assert(x <= 5)`"""
    return system(
        [relation("loop", terms.INT)],
        ((), TRUE, atom("loop", number(0))),
        ((atom("loop", x),), terms.lt(x, five), atom("loop", terms.plus(x, one))),
        ((atom("loop", x),), terms.and_([terms.le(five, x), terms.lt(five, x)]), query()),
    )


def lecture_002() -> HornSystem:
    """`x = 2; y = 2; while (y <= 2) y = y - 1; if (x == 2) error()`"""
    return system(
        [relation("loop", terms.INT, terms.INT)],
        ((), TRUE, atom("loop", two, two)),
        ((atom("loop", x, y),), terms.le(y, two), atom("loop", x, terms.minus(y, one))),
        ((atom("loop", x, y),), terms.and_([terms.lt(two, y), terms.eq(x, two)]), query()),
    )


def armc() -> HornSystem:
    """`x = y; while (x <= 10) { x = x + 1; y = y + 1; } assert(x == y)`, a location a statement."""
    ten = number(10)
    return system(
        [relation(f"l{k}", terms.INT, terms.INT) for k in (1, 2, 3, 4)],
        ((), terms.eq(x, y), atom("l1", x, y)),
        ((atom("l1", x, y),), terms.le(x, ten), atom("l2", x, y)),
        ((atom("l2", x, y),), TRUE, atom("l3", terms.plus(x, one), y)),
        ((atom("l3", x, y),), TRUE, atom("l1", x, terms.plus(y, one))),
        ((atom("l1", x, y),), terms.lt(ten, x), atom("l4", x, y)),
        ((atom("l4", x, y),), terms.not_(terms.eq(x, y)), query()),
    )


FULL = pytest.mark.full


def some(*usual: str, rarely: tuple[str, ...]) -> list[object]:
    """Values for a test, some of them for full runs only."""
    return [*usual, *(pytest.param(value, marks=FULL) for value in rarely)]


@pytest.mark.parametrize("refinement", some("tree", rarely=("wp", "cuts", "sequence", "core")))
def test_the_loop_of_lecture_001_needs_one_predicate(refinement: str) -> None:
    """The slides find `x <= 5` and `x < 5`; in one rule for the body the first is inductive."""
    outcome, loop, _ = looped(lecture_001(), f"refinement={refinement}")
    assert isinstance(outcome, Proved), outcome
    assert "x <= 5" in texts(loop, "loop")


@pytest.mark.parametrize("refinement", some("wp", rarely=("cuts", "sequence", "tree")))
@pytest.mark.parametrize("abstraction", some("boolean", rarely=("cartesian",)))
def test_the_running_example_of_lecture_002(refinement: str, abstraction: str) -> None:
    choices = f"refinement={refinement},abstraction={abstraction},split=atoms"
    outcome, loop, _ = looped(lecture_002(), choices)
    assert isinstance(outcome, Proved), outcome
    assert "y <= 2" in texts(loop, "loop")


def test_armc_finds_the_preconditions_of_its_paper() -> None:
    """Figure 6: backwards from `x != y` before the assertion, `x != y + 1` before `y = y + 1`."""
    outcome, loop, _ = looped(armc(), "refinement=wp")
    assert isinstance(outcome, Proved), outcome
    assert "x == y" in texts(loop, "l4") & texts(loop, "l1") & texts(loop, "l2")
    assert texts(loop, "l3") & {"x == (y + 1)", "y == (x + -1)"}


@pytest.mark.parametrize("refinement", some("tree", rarely=("cuts", "sequence")))
def test_interpolants_relate_the_two_variables_of_armc(refinement: str) -> None:
    outcome, _, _ = looped(armc(), f"refinement={refinement}")
    assert isinstance(outcome, Proved), outcome
    assert isinstance(outcome.proof, Model)
    at_end = outcome.proof.interpretations["l4"]
    assert terms.free_symbols(at_end) == set(armc().relations["l4"].symbols)


# --------------------------------------------------------------------------------- configurations


@pytest.mark.parametrize(
    "choices",
    some(
        "abstraction=boolean,split=atoms",
        rarely=(
            "pruning=full",
            "order=dfs",
            "order=distance,pruning=lazy",
            "domain=both",
            "split=whole",
        ),
    ),
)
def test_every_choice_answers(choices: str) -> None:
    for example, is_safe in ((two_counters(3), True), (mccarthy(91), True), (even_odd(1), False)):
        outcome, _, _ = looped(example, choices)
        assert isinstance(outcome, Proved if is_safe else Reached), (choices, outcome)


def test_values_alone_prove_what_few_values_reach() -> None:
    outcome, loop, _ = looped(byte_counter(64, 7), "domain=explicit")
    assert isinstance(outcome, Proved), outcome
    assert loop.precision.predicates == {}
    assert loop.precision.values("byte") == byte_counter(64, 7).relations["byte"].symbols


def machine(states: int, bad: int) -> HornSystem:
    """A protocol: the state goes round by input z, the second number counts rounds up to 3.

    The query asks for the last state in a round that never begins, or for `bad` as a state.
    """
    z = terms.symbol("cegar.input", terms.INT)
    steps = [
        terms.and_([terms.eq(x, number(k)), terms.eq(y, number(k + 1))]) for k in range(states - 1)
    ]
    goes = terms.and_([terms.or_(steps), terms.lt(number(0), z)])
    back = terms.and_([terms.eq(x, number(states - 1)), terms.le(z, number(0))])
    count = terms.symbol("cegar.count", terms.INT)
    other = terms.symbol("cegar.other", terms.INT)
    again = terms.ite(terms.lt(count, three), terms.plus(count, one), count)
    return system(
        [relation("at", terms.INT, terms.INT, terms.INT)],
        ((), TRUE, atom("at", number(0), z, number(0))),
        ((atom("at", x, z, count),), goes, atom("at", y, z, count)),
        ((atom("at", x, z, count),), back, atom("at", number(0), other, again)),
        ((atom("at", x, z, count),), terms.eq(x, number(bad)), query("state")),
        ((atom("at", x, z, count),), terms.lt(three, count), query("count")),
    )


@pytest.mark.full
@pytest.mark.parametrize("domain", ["explicit", "both"])
def test_values_are_followed_beside_inputs_that_may_be_anything(domain: str) -> None:
    outcome, loop, _ = looped(machine(40, 40), f"domain={domain},initial=none")
    assert isinstance(outcome, Proved), outcome
    state, _, count = machine(40, 40).relations["at"].symbols
    assert {state, count} <= set(loop.precision.values("at"))
    outcome, _, _ = looped(machine(12, 11), f"domain={domain},initial=none")
    assert isinstance(outcome, Reached), outcome


def test_values_are_followed_where_a_core_needs_them() -> None:
    """Of the state, the input and the count only what excludes the error; nothing twice."""
    example = machine(4, 4)
    state, _, count = example.relations["at"].symbols
    needed = NeededValues(Formulas(example), Solvers(Solver.Z3))
    until = Deadline.after(SECONDS).at
    posts = Posts(example, Solvers(Solver.Z3), Abstraction.CARTESIAN)
    reached = Reachability(example, posts, Order.BREADTH, until).run(Precision())
    assert reached is not None
    error = derivation(reached)
    assert error.steps[-1].rule.head == query("state")
    assert needed.ask(error, Precision(), until) == (("at", state),)
    assert needed.ask(error, Precision().following([("at", state)]), until) == ()
    outcome, _, rounds = looped(example, "domain=explicit,initial=none")
    assert isinstance(outcome, Proved), outcome
    assert [round.found for round in rounds] == [{"at": (state,)}, {"at": (count,)}]


def test_predicates_that_were_held_back_come_where_values_do_not_suffice() -> None:
    """In state 1 the input, which may be any number above 5, is said to be at most 5."""
    low = terms.le(y, five)
    enters = terms.and_([terms.eq(x, number(0)), terms.not_(low)])
    example = system(
        [relation("at", terms.INT, terms.INT)],
        ((), TRUE, atom("at", number(0), y)),
        ((atom("at", x, y),), enters, atom("at", one, y)),
        ((atom("at", x, y),), terms.and_([terms.eq(x, one), low]), query()),
    )
    state, given = example.relations["at"].symbols
    held = Precision().plus([("at", terms.le(given, five)), ("at", terms.le(given, two))])
    outcome, _, rounds = looped(example, "domain=both", reserve=held)
    assert isinstance(outcome, Proved), outcome
    assert set(rounds[0].found["at"]) <= {state, given}
    assert rounds[-1].found == {"at": held.of("at")}


def test_bits_are_proved_by_bitwuzla() -> None:
    outcome, _, _ = looped(byte_counter(2, 7))
    assert isinstance(outcome, Proved), outcome
    assert outcome.finder is Solver.BITWUZLA


def test_choices_that_do_not_exist_are_refused() -> None:
    assert configured("order=dfs,split=whole") == Configuration(
        order=Order.DEPTH, split=Split.WHOLE
    )
    assert configured(Configuration().text()) == Configuration()
    with pytest.raises(InputError, match="no choice is called 'color'"):
        configured("color=red")
    with pytest.raises(InputError, match="order is one of bfs, dfs, distance, not 'up'"):
        configured("order=up")


# --------------------------------------------------------------------------------- the abstraction


def test_cartesian_and_boolean_abstraction_of_one_rule() -> None:
    """Either x is 1 and y is 2 or the other way round: no predicate follows, two states are."""
    both = terms.or_(
        [
            terms.and_([terms.eq(x, one), terms.eq(y, two)]),
            terms.and_([terms.eq(x, two), terms.eq(y, one)]),
        ]
    )
    example = system([relation("p", terms.INT, terms.INT)], ((), both, atom("p", x, y)))
    first, second = example.relations["p"].symbols
    p, q, r = terms.le(first, one), terms.le(second, one), terms.le(first, five)
    precision = Precision().plus([("p", p), ("p", q), ("p", r)])
    rule, until = example.rules[0], Deadline.after(SECONDS).at
    cartesian = Posts(example, Solvers(Solver.Z3), Abstraction.CARTESIAN)
    assert cartesian.post(rule, [], precision, until) == (frozenset({r}),)
    boolean = Posts(example, Solvers(Solver.Z3), Abstraction.BOOLEAN)
    expected = {frozenset({p, terms.not_(q), r}), frozenset({terms.not_(p), q, r})}
    assert set(boolean.post(rule, [], precision, until)) == expected


def followed(constraint: Term, *given: Term) -> set[State]:
    """The states of p(x, y) that a rule with p(z, y) as a premise derives, with values of both."""
    z = terms.symbol("cegar.z", terms.INT)
    example = system(
        [relation("p", terms.INT, terms.INT)], ((atom("p", z, y),), constraint, atom("p", x, y))
    )
    first, second = example.relations["p"].symbols
    precision = Precision().following([("p", first), ("p", second)])
    posts = Posts(example, Solvers(Solver.Z3), Abstraction.CARTESIAN)
    premise = frozenset(terms.substitute(one, {x: first, y: second}) for one in given)
    states = posts.post(example.rules[0], [premise], precision, Deadline.after(SECONDS).at)
    return {
        frozenset(terms.substitute(one, {first: x, second: y}) for one in state) for state in states
    }


def test_values_where_they_are_few() -> None:
    """The second parameter stays as it is; the premise knows its value, or nothing."""
    below_three = terms.and_([terms.le(number(0), x), terms.lt(x, three)])
    each = [equals(x, k) for k in range(3)]
    assert followed(below_three) == {frozenset({one}) for one in each}
    fixed = equals(y, 7)
    assert followed(below_three, fixed) == {frozenset({one, fixed}) for one in each}
    assert followed(terms.le(number(0), x), fixed) == {frozenset({fixed})}
    assert followed(terms.le(number(0), x)) == {frozenset()}
    assert followed(terms.FALSE, fixed) == set()


def test_combinations_of_values_are_followed_as_far_as_they_are_few() -> None:
    """Of three parameters with four values each the first two have few combinations enough."""
    names = variables("u v w")
    some_of = [terms.or_(terms.eq(s, number(k)) for k in range(4)) for s in names]
    example = system(
        [relation("q", terms.INT, terms.INT, terms.INT)],
        ((), terms.and_(some_of), atom("q", *names)),
    )
    precision = Precision().following(("q", s) for s in example.relations["q"].symbols)
    posts = Posts(example, Solvers(Solver.Z3), Abstraction.CARTESIAN)
    states = posts.post(example.rules[0], [], precision, Deadline.after(SECONDS).at)
    assert len(states) == 16
    assert all(len(state) == 2 for state in states)


def test_cores_answer_for_other_premises() -> None:
    """That `x <= 5` excludes the query holds of every state that says so."""
    example = counter(10, 11)
    (symbol,) = example.relations["loop"].symbols
    low, other = terms.le(symbol, five), terms.le(symbol, number(9))
    posts = Posts(example, Solvers(Solver.Z3), Abstraction.CARTESIAN)
    rule, until = example.rules[2], Deadline.after(SECONDS).at
    assert posts.post(rule, [frozenset({low})], Precision(), until) == ()
    asked = posts.counts.questions
    assert posts.post(rule, [frozenset({low, other})], Precision(), until) == ()
    assert posts.counts.questions == asked


def test_cubes_are_joined_where_a_predicate_does_not_matter() -> None:
    p, q = terms.le(x, one), terms.le(y, one)
    all_ = [frozenset({a, b}) for a in (p, terms.not_(p)) for b in (q, terms.not_(q))]
    assert joined(all_) == [frozenset()]
    assert set(joined(all_[:3])) == {frozenset({p}), all_[2]}


# ------------------------------------------------------------------------------------ reachability


def test_lazy_pruning_keeps_what_lies_before() -> None:
    """Of a chain a -> b -> c the states at a stay when only b learns something."""
    names = ("a", "b", "c")
    example = system(
        [relation(n, terms.INT) for n in names],
        ((), TRUE, atom("a", number(0))),
        ((atom("a", x),), TRUE, atom("b", one)),
        ((atom("b", x),), TRUE, atom("c", terms.plus(x, one))),
        ((atom("c", x),), terms.eq(x, five), query()),
    )
    until = Deadline.after(SECONDS).at
    posts = Posts(example, Solvers(Solver.Z3), Abstraction.CARTESIAN)
    reach = Reachability(example, posts, Order.BREADTH, until)
    error = reach.run(Precision())
    assert error is not None
    chain = derivation(error)
    assert [s.node.relation for s in chain.steps] == ["a", "b", "c", ""]
    assert Feasibility(Formulas(example), Solver.Z3).ask(chain, until, SECONDS) is Status.UNSAT
    (at_b,) = example.relations["b"].symbols
    precision = Precision().plus([("b", terms.le(at_b, one))])
    weak = [s.node for s in chain.steps if s.node.seen < seen_of(precision, s.node.relation)]
    assert reach.prune(weak) == 2
    assert [n.relation for own in reach.graph.nodes.values() for n in own] == ["a"]
    again = reach.run(precision)
    assert again is not None
    assert derivation(again).steps[1].node.state == frozenset({terms.le(at_b, one)})


def test_whether_an_operation_wraps_is_asked_last() -> None:
    """It can be derived at once, and the check behind it first."""
    wraps = Query("wraps", Obligation(OperationId("f", "%1", "x + 1")))
    example = system(
        [relation("a", terms.INT), relation("b", terms.INT)],
        ((), TRUE, atom("a", number(0))),
        ((atom("a", x),), TRUE, wraps),
        ((atom("a", x),), TRUE, atom("b", x)),
        ((atom("b", x),), TRUE, query()),
    )
    until = Deadline.after(SECONDS).at
    for order in Order:
        posts = Posts(example, Solvers(Solver.Z3), Abstraction.CARTESIAN)
        error = Reachability(example, posts, order, until).run(Precision())
        assert error is not None
        assert error.rule.head == query()


def test_a_path_program_has_half_the_time_of_one_that_failed() -> None:
    strategy = PathInvariants(twice(50), (), _solved={frozenset("a"): False, frozenset("b"): True})
    budget = strategy._budget(time.monotonic() + 20)
    assert 1.5 < budget.deadline.remaining <= 2


def test_a_state_that_is_used_twice_is_unfolded() -> None:
    outcome, _, _ = looped(mccarthy(92))
    assert isinstance(outcome, Reached)
    shared = Node(0, "p", frozenset(), counter(1, 1).rules[0], ())
    both = Node(1, "", frozenset(), counter(1, 1).rules[2], (shared, shared))
    assert [s.premises for s in derivation(both).steps] == [(), (), (0, 1)]


# --------------------------------------------------------------------------------------- predicates


def test_predicates_have_one_form() -> None:
    """`x > 5`, `6 <= x`, `2 x >= 12` and `not (x <= 5)` are one literal."""
    low = terms.le(x, five)
    forms = [
        terms.lt(five, x),
        terms.le(number(6), x),
        terms.le(number(12), terms.times(two, x)),
        terms.le(number(11), terms.times(two, x)),
        terms.not_(low),
    ]
    assert {literal(form) for form in forms} == {terms.not_(low)}
    assert literal(terms.eq(terms.times(two, x), five)) is terms.FALSE
    assert literal(terms.eq(terms.minus(y, x), one)) is literal(terms.eq(x, terms.minus(y, one)))
    assert literal(terms.lt(one, two)) is TRUE


def test_pieces_of_a_formula() -> None:
    p, q = terms.le(x, one), terms.le(y, one)
    formula = terms.and_([p, terms.not_(terms.or_([q, terms.not_(p)]))])
    assert list(pieces(formula, Split.ATOMS)) == [p, q]
    assert set(pieces(formula, Split.CONJUNCTS)) == {p, q}
    assert literals(formula) == {p, terms.not_(q)}
    assert list(pieces(TRUE, Split.WHOLE)) == []


def test_a_path_through_a_formula_and_its_definitions() -> None:
    """Of `(x < 5 and y = x + 1) or x > 9` a model with x = 3 takes the first part."""
    formula = terms.or_(
        [
            terms.and_([terms.lt(x, five), terms.eq(y, terms.plus(x, one))]),
            terms.lt(number(9), x),
        ]
    )
    chosen = implicant(formula, {x: 3, y: 4})
    assert set(chosen) == {terms.lt(x, five), terms.eq(y, terms.plus(x, one))}
    assert eliminated(chosen, [y]) == [terms.le(y, five)]
    with pytest.raises(NoPath):
        implicant(formula, {x: 7, y: 8})
    with pytest.raises(NoPath):
        implicant(formula, {x: 3})
    absolute = terms.eq(y, terms.ite(terms.lt(x, number(0)), terms.minus(number(0), x), x))
    assert eliminated(implicant(absolute, {x: 3, y: 3}), [x]) == [
        terms.not_(terms.le(x, number(-1)))
    ]


# ---------------------------------------------------------------------------------------- precision


def test_a_precision_survives_as_text(tmp_path: Path) -> None:
    example = two_counters(3)
    _, loop, _ = looped(example)
    assert loop.precision.of("pair")
    text = precision_to_text(loop.precision, example, '{"bit-vectors": {"q": ["true"]}}')
    assert json.loads(text)["bit-vectors"] == {"q": ["true"]}
    assert precision_from_text(text, example) == loop.precision
    file = tmp_path / "precision.json"
    assert read_precision(file, example) == Precision()
    write_precision(file, loop.precision, example)
    outcome, again, _ = looped(example, precision=read_precision(file, example))
    assert isinstance(outcome, Proved)
    assert again.progress.rounds == 0


def test_predicates_that_do_not_fit_any_more_are_left_out() -> None:
    example = counter(10, 11)
    text = '{"integers": {"loop": ["(<= gone 5)", "(<= loop#0.Int 10)"], "lost": ["true"]}}'
    (symbol,) = example.relations["loop"].symbols
    assert precision_from_text(text, example).of("loop") == (terms.le(symbol, number(10)),)
    with pytest.raises(InputError, match="no such folder"):
        read_precision(Path("nowhere/at/all.json"), example)
    for wrong in ("[]", '{"integers": []}', '{"integers": {"loop": [1]}}', "{"):
        with pytest.raises(InputError):
            precision_from_text(wrong, example)


# ------------------------------------------------------------------------------------------- limits


def test_refinement_without_progress_is_unknown_with_the_predicates() -> None:
    """Atoms of a core need not say what the loop establishes."""
    outcome, _, _ = looped(even_odd(0), "refinement=core")
    assert isinstance(outcome, Limit)
    assert "refinement without progress" in outcome.reason
    assert "even#0.Int" in outcome.reason


def test_predicates_that_diverge_are_named() -> None:
    many, few = Families(), Families()
    many.add({"loop": [terms.le(x, number(k)) for k in range(20)]})
    assert many.diverge
    assert many.words() == (
        "; these predicates of loop diverge (20): x.Int <= 0, x.Int <= 1, x.Int <= 2, x.Int <= 3,"
        " ..., x.Int <= 19"
    )
    few.add({"loop": [terms.le(x, one), terms.le(y, one)]})
    assert not few.diverge
    assert few.words() == ""


@FULL
def test_predicates_from_elsewhere_help_where_those_found_diverge() -> None:
    """Halves of 1 stay above ever smaller numbers; that they are positive is what is needed."""
    example = halving(0)
    (symbol,) = example.relations["real"].symbols
    positive = terms.le(symbol, terms.real_const(0))
    problem, chosen = Problem(example, Deadline.after(SECONDS)), configured("initial=none")
    found = Beginning(Precision().plus([("real", positive)]))
    loop = Loop(problem, chosen, strategy(chosen, problem), rescue=lambda: found)
    assert isinstance(loop.run(Precision()), Proved)
    assert loop.progress.rounds >= MANY


def test_conditions_speak_of_one_premise() -> None:
    """Of `0 <= x`, `x < y` and `y = 2 z`, where z is no argument, the first two."""
    z = terms.symbol("cegar.z", terms.INT)
    rule = terms.and_(
        [terms.le(number(0), x), terms.lt(x, y), terms.eq(y, terms.times(two, z)), TRUE]
    )
    example = system([relation("p", terms.INT, terms.INT)], ((atom("p", x, y),), rule, query()))
    first, second = example.relations["p"].symbols
    found = beginning(example, Initial.CONDITIONS, Split.CONJUNCTS, Deadline.after(SECONDS), 4096)
    expected = (terms.le(first, number(-1)), terms.le(first, terms.plus(second, number(-1))))
    assert found.precision.of("p") == expected
    none = beginning(example, Initial.NONE, Split.CONJUNCTS, Deadline.after(SECONDS), 4096)
    assert none.precision == Precision()


def test_what_every_rule_demands_is_no_condition() -> None:
    """The range of x decides nothing; that it is at most 5 here and more there does."""
    ranged = terms.and_([terms.le(number(-128), x), terms.le(x, number(127))])
    low, high = terms.le(x, five), terms.not_(terms.le(x, five))
    example = system(
        [relation("p", terms.INT)],
        ((atom("p", x),), terms.and_([ranged, low]), atom("p", x)),
        ((atom("p", x),), terms.and_([ranged, high]), query()),
    )
    found = beginning(example, Initial.CONDITIONS, Split.CONJUNCTS, Deadline.after(SECONDS), 4096)
    assert found.precision.of("p") == (terms.le(example.relations["p"].symbols[0], five),)


def test_the_child_leaves_trace_and_precision_behind(tmp_path: Path) -> None:
    trace, precision = tmp_path / "rounds.jsonl", tmp_path / "precision.json"
    chosen, deadline = configured("initial=none"), Deadline.after(SECONDS)
    task = cegar_child.Task(chosen, trace, precision, deadline, 4096)
    verdict = cegar_child.solve(lecture_001(), task)
    assert isinstance(verdict, Safe)
    rows = list(map(json.loads, trace.read_text().splitlines()))
    assert [row["round"] for row in rows] == list(range(1, len(rows) + 1))
    assert "loop#0.Int <= 5" in {p for row in rows for p in row["predicates"]["loop"]}
    (symbol,) = lecture_001().relations["loop"].symbols
    assert terms.le(symbol, five) in read_precision(precision, lecture_001()).of("loop")


def test_horn_files_are_given_to_the_engine_that_is_asked_for(tmp_path: Path) -> None:
    file, plan = tmp_path / "counter.smt2", tmp_path / "plan.yml"
    file.write_text(print_horn(counter(3, 4)))
    plan.write_text("int: [spacer plain, cegar]\n")
    for asked in (["--engine", "cegar"], ["--schedule", str(plan)]):
        done = CliRunner().invoke(chc, [str(file), *asked])
        assert done.output.splitlines()[-1] == "sat", done.output
    refused = CliRunner().invoke(chc, [str(file), "--engine", "execute"])
    assert refused.exit_code == 2
    assert "for C programs" in refused.output


def test_engines_have_the_choices_of_the_command_line() -> None:
    files = {"trace": Path("t"), "precision": Path("p")}
    made = engine(EngineName.CEGAR, None, AbstractionOptions("order=dfs", **files))
    assert made == Cegar(Configuration(order=Order.DEPTH), **files)
    made = engine(EngineName.IMPACT, None, AbstractionOptions("", **files))
    assert made == Impact(trace=Path("t"))


def test_values_as_literals() -> None:
    b = terms.symbol("cegar.b", terms.BOOL)
    assert equals(b, False) is terms.not_(b)
    assert equals(x, 3) is terms.eq(x, number(3))
