"""Every transformation on random small systems: answers before and after, and what is carried back.

What holds of a system is enumerated; the transformed one is solved by Spacer, and other code checks
the models and refutations that come back.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import pytest
from small_systems import Fact, Kind, SmallSystems, exactly, facts_of

from seahorn_py.engines.engine import Budget
from seahorn_py.engines.spacer import spacer
from seahorn_py.engines.spacer.spacer import Spacer
from seahorn_py.engines.wrappers.transformed import carried
from seahorn_py.horn.checking.proofs import check_proof
from seahorn_py.horn.checking.refutations import check_refutation
from seahorn_py.horn.system import HornSystem, Model, Query, Refutation
from seahorn_py.horn.text.smtlib import read_horn
from seahorn_py.horn.transform.acceleration.arithmetic import Acceleration, LinearPart
from seahorn_py.horn.transform.arguments.arbitrary import WithoutArbitrary, without_arbitrary
from seahorn_py.horn.transform.arguments.bitnumbers import BitNumbers
from seahorn_py.horn.transform.arguments.control import Control
from seahorn_py.horn.transform.arguments.fewerarguments import FewerArguments
from seahorn_py.horn.transform.arguments.folds import Folds
from seahorn_py.horn.transform.arguments.numberbits import NumberBits
from seahorn_py.horn.transform.arguments.numberfacts import NumberFacts
from seahorn_py.horn.transform.arguments.slicing import Slicing
from seahorn_py.horn.transform.arguments.symbolicsize import SymbolicSize
from seahorn_py.horn.transform.cells.observation import Observation
from seahorn_py.horn.transform.order import ORDER, observing, transformed
from seahorn_py.horn.transform.rules.cases import Cases
from seahorn_py.horn.transform.rules.definedsymbols import Definitions
from seahorn_py.horn.transform.rules.fewerrules import FewerRules
from seahorn_py.horn.transform.rules.knownconditions import KnownConditions
from seahorn_py.horn.transform.rules.linearising import Linearising
from seahorn_py.horn.transform.rules.pruning import Pruning
from seahorn_py.horn.transform.rules.quotients import Quotients
from seahorn_py.horn.transform.rules.restriction import Restriction
from seahorn_py.horn.transform.rules.reversal import Reversal
from seahorn_py.horn.transform.rules.strengthening import Strengthening
from seahorn_py.horn.transform.rules.unfolding import Unfolding
from seahorn_py.horn.transform.transformation import (
    Back,
    Both,
    Inapplicable,
    Models,
    NotCarried,
    Refutations,
    Transformation,
)
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.logic.terms.binding import nodes
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Safe, Unsafe, Verdict

SECONDS = 3.0
SOLVING_SECONDS = 2.0
Make = Callable[[HornSystem, set[Fact]], tuple[Transformation, ...]]


@dataclass(frozen=True)
class Case:
    """Transformations of systems of a kind; so many models and refutations come back at least."""

    name: str
    kind: Kind
    make: Make
    models: int = 0
    refutations: int = 0


def fixed(*chosen: Transformation) -> Make:
    return lambda system, facts: chosen


def one_query(system: HornSystem, _: set[Fact]) -> tuple[Transformation, ...]:
    """The first query alone, and most of the other rules."""
    first = system.queries[0].name
    queries = {rule.name for rule in system.queries}
    return (Restriction(lambda rule: rule.name == first or rule.name not in {*queries, "rule 3"}),)


def known(system: HornSystem, facts: set[Fact]) -> tuple[Transformation, ...]:
    return (Strengthening(Model(exactly(system, facts))),)


def completed(system: HornSystem) -> Model | None:
    """What Spacer finds for relations that are gone."""
    found = Spacer().solve(system, Budget(Deadline.after(SOLVING_SECONDS)))
    return found.proof if isinstance(found, Safe) and isinstance(found.proof, Model) else None


NUMBERS, LARGE = Kind(products=True), Kind(large=66, pairs=False)
NAMED = Kind(free=True, top=2, named=True)
ARRAYS = Kind(arrays=True, top=2, pairs=False)
ALTERNATIVES = replace(NUMBERS, alternatives=True)
JOINT = replace(NUMBERS, joint=True)
CASES = [
    Case("restriction", NUMBERS, one_query, refutations=1),
    Case("pruning", NUMBERS, fixed(Pruning()), 3, 2),
    Case("cases", ALTERNATIVES, fixed(Cases()), 3, 2),
    Case("cases of arrays", replace(ARRAYS, alternatives=True), fixed(Cases()), 1, 1),
    Case("cases, then fewer rules", ALTERNATIVES, fixed(Cases(), Unfolding(), FewerRules()), 3, 2),
    Case("fewer rules", ALTERNATIVES, fixed(Cases(), FewerRules()), 3, 2),
    Case("unfolding", NUMBERS, fixed(Unfolding()), 3, 2),
    Case("unfolding of arrays", ARRAYS, fixed(Unfolding()), 1, 1),
    Case("unfolding, completed", NUMBERS, fixed(Unfolding(completed)), 3, 2),
    Case("fewer arguments", Kind(free=True, top=2), fixed(FewerArguments()), 2, 1),
    Case("definitions", NAMED, fixed(Definitions()), 3, 2),
    Case("known conditions", Kind(free=True, top=2), fixed(Unfolding(), KnownConditions()), 2, 1),
    Case("slicing", NAMED, fixed(Slicing()), 3, 1),
    Case("slicing of few", NAMED, fixed(Unfolding(), Slicing()), 3, 1),
    Case("fewer of few", NUMBERS, fixed(Unfolding(), FewerArguments()), 3, 2),
    Case("strengthening", NUMBERS, known, 3, 2),
    Case("linearising", JOINT, fixed(Linearising()), 2, 2),
    Case("linearising of few", JOINT, fixed(Unfolding(), Linearising()), 1, 1),
    Case("linearising of arrays", replace(ARRAYS, joint=True), fixed(Linearising())),
    Case("quotients", Kind(remainders=True), fixed(Quotients()), 3, 2),
    Case("number facts", NUMBERS, fixed(NumberFacts()), 3, 2),
    Case("number facts of few", Kind(free=True, top=2), fixed(Unfolding(), NumberFacts()), 2, 1),
    Case("without arbitrary", Kind(free=True), fixed(WithoutArbitrary()), 1),
    Case("one cell", ARRAYS, fixed(Observation()), 2),
    Case("two cells", ARRAYS, fixed(Observation(2, mixed=True)), 1),
    Case("own cells", ARRAYS, fixed(Observation(shared=False)), 2),
    Case("followed", ARRAYS, fixed(Observation(followed=True)), 1),
    Case("numbers as bits", Kind(), fixed(NumberBits()), 3, 2),
    Case("products as bits", NUMBERS, fixed(NumberBits()), 1, 1),
    Case("symbolic size", LARGE, fixed(SymbolicSize()), 2),
    Case("linear part", NUMBERS, fixed(LinearPart()), 3),
    Case("linear part of arrays", ARRAYS, fixed(LinearPart()), 1),
    Case("acceleration", Kind(), fixed(Acceleration()), 2, 1),
    Case("control", Kind(pairs=False, free=True, top=2), fixed(Control()), 1, 1),
    Case("reversal", Kind(pairs=False), fixed(Reversal()), 2, 2),
    Case("acceleration of large loops", LARGE, fixed(Acceleration()), 2, 2),
    Case(
        "all for linear",
        ARRAYS,
        fixed(*observing(Observation()), LinearPart(), Acceleration(needed=False)),
        2,
    ),
]
SEEDS = range(10)


def drawn(case: Case, seed: int) -> tuple[HornSystem, set[Fact], bool]:
    system = SmallSystems(case.kind, seed).system()
    return system, *facts_of(system, case.kind)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_what_comes_back_is_evidence_for_the_original(case: Case) -> None:
    models = refutations = others = 0
    for seed in SEEDS:
        system, facts, reached = drawn(case, seed)
        try:
            changed, ways = transformed(system, case.make(system, facts))
        except Inapplicable:
            continue
        inner = Spacer(spacer.GLOBAL).solve(changed, Budget(Deadline.after(SOLVING_SECONDS)))
        assert_derives_as_said(system, changed, ways, reached, inner)
        outer = carried(inner, changed, ways)
        confirmed = agrees(system, reached, outer, seed)
        if isinstance(inner, Safe) and all(isinstance(way, Models | Both) for way in ways):
            assert isinstance(outer, Safe) or "read back" in str(outer), (seed, outer)
        models += confirmed and isinstance(outer, Safe)
        refutations += confirmed and isinstance(outer, Unsafe) and outer.system is None
        others += changed.rules != system.rules
    assert others >= 2
    assert models >= case.models
    assert refutations >= case.refutations


def agrees(system: HornSystem, reached: bool, verdict: Verdict, seed: int) -> bool:
    """Whether other code confirms a verdict; quantifiers may take it longer than the time."""
    deadline = Deadline.after(SECONDS)
    match verdict:
        case Safe(proof):
            assert not reached, seed
            checked = check_proof(system, proof, finder=Solver.Z3, deadline=deadline)
            assert checked.ok or "time limit" in checked.reason, (seed, checked.reason)
            return checked.ok
        case Unsafe(refutation, system=derived):
            assert reached, seed
            replayed = check_refutation(derived or system, refutation, deadline)
            assert replayed.ok, (seed, replayed.reason)
            return replayed.ok
    return False


def assert_derives_as_said(
    system: HornSystem, changed: HornSystem, ways: Sequence[Back], reached: bool, inner: Verdict
) -> None:
    """The types of the ways back are right about the new system, whatever comes back."""
    loose = any(entry not in system.ledger for entry in changed.ledger)
    match inner:
        case Safe() if not any(isinstance(way, Refutations) for way in ways):
            assert not reached
        case Unsafe() if not loose and not any(isinstance(way, Models) for way in ways):
            assert reached


def test_the_order_has_each_transformation_once_and_is_kept() -> None:
    made: list[type] = []

    def noted(one: type) -> type:
        def apply(self: object, system: HornSystem) -> tuple[HornSystem, Models]:
            made.append(one)
            return system, Models(lambda model: model)

        return type(one.__name__, (one,), {"apply": apply})

    assert len(set(ORDER)) == len(ORDER)
    system = SmallSystems(Kind(), 0).system()
    with pytest.MonkeyPatch.context() as patch:
        for one in ORDER:
            patch.setattr(one, "apply", noted(one).apply)
        transformed(system, (Acceleration(), LinearPart(), Observation(), WithoutArbitrary()))
    assert made == [WithoutArbitrary, Observation, LinearPart, Acceleration]


def test_each_transformation_is_tried_on_random_systems() -> None:
    """Those of bit-vectors and of datatypes need systems of their own, in their own tests."""
    tried: set[type] = set()
    for case in CASES:
        system, facts, _ = drawn(case, 0)
        tried |= {type(one) for one in case.make(system, facts)}
    assert set(ORDER) - tried == {BitNumbers, Folds}


def test_a_proof_of_some_rules_is_none_of_all() -> None:
    """The query that is left out is met."""
    system, _, _ = next(found for seed in range(100) if (found := drawn(CASES[0], seed))[2])
    changed, ways = Restriction(lambda rule: not isinstance(rule.head, Query)).apply(system)
    assert not isinstance(carried(Safe(Model({})), changed, (ways,)), Safe)


def test_a_refutation_that_cannot_be_written_is_one_of_the_new_system() -> None:
    def refuse(_: object) -> object:
        raise NotCarried("too long")

    system = SmallSystems(Kind(), 0).system()
    way = Both(lambda model: model, refuse)  # type: ignore[arg-type]
    found = carried(Unsafe(Refutation(())), system, (way,))
    assert isinstance(found, Unsafe)
    assert found.system is system
    weaker = carried(Unsafe(Refutation(())), system, (Models(lambda model: model),))
    assert not isinstance(weaker, Unsafe)
    same = carried(Unsafe(Refutation(())), system, (Refutations(lambda r: r),))
    assert isinstance(same, Unsafe)
    assert same.system is None


def test_nothing_is_lost_with_what_is_arbitrary() -> None:
    """Not only models go back: as much is derived as before, in both systems by enumeration."""
    kind, smaller = Kind(free=True), 0
    for seed in range(30):
        system, _, reached = drawn(Case("", kind, fixed()), seed)
        left = without_arbitrary(system)
        smaller += left is not system
        assert facts_of(left, kind)[1] == reached, seed
    assert smaller > 10


def test_rules_that_derive_nothing_may_repeat() -> None:
    """What they derive has no order to be found in, so without Spacer the model stays where it is.

    `a` and `b` rest on each other until 1, 2 and 3 are seen to differ.
    """
    text = "(declare-fun a (Int) Bool)(declare-fun b (Int) Bool)(assert (a 1))"
    text += "(assert (=> (a 2) (b 2)))(assert (=> (b 3) (a 3)))"
    text += "(assert (forall ((x Int)) (=> (and (a x) (< x 0)) false)))"
    system = read_horn(text, "t.smt2")
    changed, way = Unfolding().apply(system)
    assert not changed.relations
    with pytest.raises(NotCarried, match="rests on itself"):
        way.model(Model({}))
    _, way = Unfolding(completed).apply(system)
    assert check_proof(
        system, way.model(Model({})), finder=Solver.Z3, deadline=Deadline.after(10)
    ).ok


def test_each_alternative_is_a_rule_and_a_step_of_it_one_of_the_whole() -> None:
    text = """(declare-fun r (Int) Bool)(assert (r 0))
(assert (forall ((x Int) (y Int))
  (=> (and (r x) (or (= y 1) (= y 2)) (< x 5)) (r (ite (> y x) (+ x y) 9)))))
(assert (=> (r 9) false))"""
    system = read_horn(text, "t")
    changed, back = Cases().apply(system)
    assert [rule.name for rule in changed.rules] == [
        *("line1", "line2", "line2 case 1", "line2 case 2", "line2 case 3", "line4")
    ]
    assert not any(n.is_ite() or n.is_or() for f in changed.formulas() for n in nodes(f))
    inner = Spacer().solve(changed, Budget(Deadline.after(SOLVING_SECONDS)))
    assert isinstance(inner, Unsafe)
    whole = back.refutation(inner.refutation)
    assert check_refutation(system, whole, Deadline.after(SECONDS)).ok
    assert Cases(most=3).apply(system)[0].rules == system.rules


def test_what_only_unused_arguments_are_asked_for_is_left_out() -> None:
    """Nobody asks for `p`, but that it is 1, 2 or 3, as each rule derives it; `q` rests on it."""
    text = """(declare-fun r (Int Int Int) Bool)
(assert (forall ((x Int) (p Int) (q Int)) (=> (and (= x 0) (= p 1) (= q 7)) (r x p q))))
(assert (forall ((x Int) (p Int) (q Int) (x1 Int) (p1 Int) (q1 Int)) (=>
  (and (r x p q) (or (= p 3) (= p 2) (= p 1)) (or (= p1 1) (= p1 2) (= p1 3))
    (= x1 (+ x 2)) (= q1 (+ q p))) (r x1 p1 q1))))
(assert (forall ((x Int) (p Int) (q Int)) (=> (and (r x p q) LIMIT) false)))"""
    for limit, found in (("(< x 0)", Safe), ("(= x 6)", Unsafe)):
        system = read_horn(text.replace("LIMIT", limit), "t")
        assert len(FewerArguments().apply(system)[0].relations["r"].parameters) == 3
        changed, way = Slicing().apply(system)
        assert len(changed.relations["r"].parameters) == 1
        inner = Spacer().solve(changed, Budget(Deadline.after(SOLVING_SECONDS)))
        outer = carried(inner, changed, (way,))
        assert isinstance(outer, found)
        assert agrees(system, found is Unsafe, outer, 0)


def test_a_condition_that_some_rule_does_not_derive_stays() -> None:
    """The second fact is not below 5, so the query is not met from there."""
    text = """(declare-fun r (Int Int) Bool)
(assert (r 0 1))(assert (r 0 9))
(assert (forall ((x Int) (p Int)) (=> (and (r x p) (< p 5)) (r (+ x 1) p))))
(assert (forall ((x Int) (p Int)) (=> (and (r x p) (< x 0)) false)))"""
    system = read_horn(text, "t")
    assert KnownConditions().apply(system)[0].rules == system.rules
    fewer = read_horn(text.replace("(assert (r 0 9))", "(assert (r 0 3))"), "t")
    changed, way = KnownConditions().apply(fewer)
    assert changed.rules != fewer.rules
    model = way.model(Model({"r": read_horn(text, "t").rules[3].constraint})).interpretations["r"]
    assert len(model.args()) == 2
