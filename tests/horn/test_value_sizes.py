"""Sizes of values of datatypes: what rules say of them, and models that use them."""

from __future__ import annotations

import random
from dataclasses import dataclass

import pytest
import z3
from horn_examples import atom, number, query, relation, system, variables
from small_systems import Kind, facts_of

from seahorn_py.engines.engine import Budget
from seahorn_py.engines.spacer import spacer
from seahorn_py.engines.spacer.spacer import Spacer
from seahorn_py.engines.wrappers.strengthened import Strengthened
from seahorn_py.engines.wrappers.transformed import Transformed
from seahorn_py.horn.checking.evidence import check
from seahorn_py.horn.system import HornSystem, Model, Rule
from seahorn_py.horn.text.smtlib import print_horn, print_model, read_horn
from seahorn_py.horn.text.wire import model_from_text, model_to_text
from seahorn_py.horn.transform.arguments.folds import Folds
from seahorn_py.horn.transform.transformation import Inapplicable
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.logic.solvers.solvers import Status, check_unsat, script_of
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.datatypes import FoldKind, fold_of
from seahorn_py.logic.terms.terms import TRUE, Term
from seahorn_py.logic.text.smtlib import parse_term
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Safe, Unsafe

SECONDS = 20.0
DECLARED = """(declare-datatypes ((sz_list 0) (sz_tree 0)) (
  ((sz_nil) (sz_cons (sz_head Int) (sz_tail sz_list)))
  ((sz_leaf) (sz_node (sz_left sz_tree) (sz_values sz_list) (sz_right sz_tree)))))
"""
TOGETHER = (
    DECLARED
    + """(declare-fun app (sz_list sz_list sz_list) Bool)
(declare-fun len (sz_list Int) Bool)
(assert (forall ((sz_y sz_list)) (app sz_nil sz_y sz_y)))
(assert (forall ((sz_x sz_list) (sz_y sz_list) (sz_z sz_list) (h Int))
  (=> (app sz_x sz_y sz_z) (app (sz_cons h sz_x) sz_y (sz_cons h sz_z)))))
(assert (len sz_nil 0))
(assert (forall ((sz_x sz_list) (n Int))
  (=> (and ((_ is sz_cons) sz_x) (len (sz_tail sz_x) n)) (len sz_x (+ n 1)))))
(assert (forall ((sz_x sz_list) (sz_y sz_list) (sz_z sz_list) (k Int) (n Int) (m Int))
  (=> (and (app sz_x sz_y sz_z) (len sz_x k) (len sz_y n) (len sz_z m) (ERROR)) false)))
"""
)
SAFE = TOGETHER.replace("(ERROR)", "(not (= m (+ k n)))")
UNSAFE = TOGETHER.replace("(ERROR)", "(= m 2)")


MIRRORED = """(declare-datatypes ((sz_bin 0)) (
  ((sz_tip) (sz_fork (sz_l sz_bin) (sz_at Int) (sz_r sz_bin)))))
(declare-fun mirror (sz_bin sz_bin) Bool)
(declare-fun deep (sz_bin Int) Bool)
(assert (mirror sz_tip sz_tip))
(assert (forall ((l sz_bin) (r sz_bin) (v Int) (m sz_bin) (n sz_bin))
  (=> (and (mirror l m) (mirror r n)) (mirror (sz_fork l v r) (sz_fork n v m)))))
(assert (deep sz_tip 1))
(assert (forall ((l sz_bin) (r sz_bin) (v Int) (m Int) (n Int))
  (=> (and (deep l m) (deep r n)) (deep (sz_fork l v r) (+ 1 (ite (< m n) n m))))))
(assert (forall ((x sz_bin) (y sz_bin) (m Int) (n Int))
  (=> (and (mirror x y) (deep x m) (deep y n) (ERROR)) false)))
"""
SUMMED = TOGETHER.replace("(len sz_x (+ n 1))", "(len sz_x (+ n (sz_head sz_x)))")
FOLDED = {
    FoldKind.DEPTH: MIRRORED.replace("(ERROR)", "(not (= m n))"),
    FoldKind.SUM: SUMMED.replace("(ERROR)", "(not (= m (+ k n)))"),
}
"""Systems whose proofs are about a fold."""


def lemmas() -> Strengthened:
    return Strengthened(Spacer(spacer.GLOBAL))


def solved(of: HornSystem, values: bool, seconds: float = SECONDS) -> object:
    inner = Spacer(spacer.GLOBAL) if values else lemmas()
    return Transformed(inner, (Folds(values=values),)).solve(of, Budget(Deadline.after(seconds)))


def test_lengths_of_lists_that_are_put_together_add_up() -> None:
    of = read_horn(SAFE, "sizes.smt2")
    verdict = solved(of, values=False)
    assert isinstance(verdict, Safe), verdict
    assert isinstance(verdict.proof, Model)
    checked = check(of, verdict.proof, SECONDS)
    assert checked.ok, checked.reason
    text = print_model(of, verdict.proof)
    assert text.startswith("(define-funs-rec ((|size of sz_list| ((x! sz_list)) Int))")


@pytest.mark.parametrize("kind", [FoldKind.DEPTH, FoldKind.SUM])
def test_depths_and_sums_of_any_value(kind: FoldKind) -> None:
    of = read_horn(FOLDED[kind], "folds.smt2")
    engine = Transformed(lemmas(), (Folds((kind,), values=False),))
    verdict = engine.solve(of, Budget(Deadline.after(SECONDS)))
    assert isinstance(verdict, Safe), verdict
    assert isinstance(verdict.proof, Model)
    checked = check(of, verdict.proof, SECONDS)
    assert checked.ok, checked.reason
    assert f"|{kind.value} of sz_" in print_model(of, verdict.proof)


@pytest.mark.parametrize("solver", [Solver.CVC5, Solver.Z3])
@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("(= (|depth of sz_tree| (sz_node sz_leaf sz_nil sz_leaf)) 2)", True),
        (
            "(= (|depth of sz_tree| (sz_node sz_leaf (sz_cons 1 (sz_cons 2 sz_nil)) sz_leaf)) 4)",
            True,
        ),
        ("(= (|depth of sz_list| (sz_cons 3 x)) (+ 1 (|depth of sz_list| x)))", True),
        ("(= (|sum of sz_list| (sz_cons 3 x)) (+ 3 (|sum of sz_list| x)))", True),
        ("(= (|sum of sz_list| sz_nil) 0)", True),
        ("(<= 0 (|sum of sz_list| x))", False),
    ],
)
def test_what_is_true_of_folds_is_known(solver: Solver, text: str, holds: bool) -> None:
    of = read_horn(SAFE, "sizes.smt2")
    x, *_ = of.relations["app"].symbols
    script = script_of([terms.not_(parse_term(text, {"x": x}))])
    answer = check_unsat(script, solver, Deadline.after(2 if not holds else SECONDS))
    assert (answer.status is Status.UNSAT) is holds, text


def test_definitions_of_folds_are_read_by_z3() -> None:
    of = read_horn(SAFE + "(declare-fun t (sz_tree) Bool)\n", "sizes.smt2")
    (x,) = of.relations["t"].symbols
    depth, total = (fold_of(k, x) for k in (FoldKind.DEPTH, FoldKind.SUM))
    assert depth is not None and total is not None
    lines = print_model(of, Model({"t": terms.le(depth, total)})).splitlines()
    wrong = """(declare-const t1 sz_tree)
    (assert (= t1 (sz_node sz_leaf (sz_cons 7 (sz_cons 4 sz_nil)) sz_leaf)))
    (assert (not (and (= (|depth of sz_tree| t1) 4) (= (|sum of sz_tree| t1) 11))))"""
    solver = z3.Solver()
    solver.add(z3.parse_smt2_string(DECLARED + lines[0] + wrong))
    assert solver.check() == z3.unsat


def test_a_model_with_sizes_crosses_to_other_processes() -> None:
    of = read_horn(SAFE, "sizes.smt2")
    (x, *_), size = (
        of.relations["len"].symbols,
        fold_of(FoldKind.SIZE, of.relations["len"].symbols[0]),
    )
    assert size is not None
    said = Model({"len": terms.le(number(1), size)})
    assert model_from_text(model_to_text(said)) == said
    assert terms.free_symbols(said.interpretations["len"]) == {x}


def test_a_wrong_model_with_sizes_is_refused() -> None:
    of = read_horn(SAFE, "sizes.smt2")
    x, n = of.relations["len"].symbols
    size = fold_of(FoldKind.SIZE, x)
    assert size is not None
    assert not check(of, Model({"len": terms.eq(size, n)}), SECONDS).ok


def test_definitions_of_sizes_are_read_by_z3() -> None:
    """What is asserted of sizes when a proof is checked follows from what they are defined as."""
    of = read_horn(SAFE + "(declare-fun t (sz_tree) Bool)\n", "sizes.smt2")
    (x,) = of.relations["t"].symbols
    size = fold_of(FoldKind.SIZE, x)
    assert size is not None
    lines = print_model(of, Model({"t": terms.le(number(0), size)})).splitlines()
    wrong = """(declare-const t1 sz_tree)
    (assert (= t1 (sz_node sz_leaf (sz_cons 7 sz_nil) sz_leaf)))
    (assert (not (= (|size of sz_tree| t1) 5)))"""
    solver = z3.Solver()
    solver.add(z3.parse_smt2_string(DECLARED + lines[0] + wrong))
    assert solver.check() == z3.unsat


def test_files_know_no_sizes() -> None:
    text = SAFE.replace("(= m (+ k n))", "(= m (|size of sz_list| sz_x))")
    with pytest.raises(Exception, match="size of sz_list"):
        read_horn(text, "sizes.smt2")


@pytest.mark.parametrize("solver", [Solver.CVC5, Solver.Z3])
def test_what_is_true_of_sizes_is_known_to_solvers(solver: Solver) -> None:
    of = read_horn(SAFE, "sizes.smt2")
    x, y, _ = of.relations["app"].symbols
    names = {"x": x, "y": y}
    for text, holds in (
        ("(= (|size of sz_list| (sz_cons 3 x)) (+ 1 (|size of sz_list| x)))", True),
        ("(<= 2 (|size of sz_list| (sz_cons 3 x)))", True),
        ("(=> (= (|size of sz_list| x) 1) (= x sz_nil))", True),
        ("(=> (= x y) (= (|size of sz_list| x) (|size of sz_list| y)))", True),
    ):
        script = script_of([terms.not_(parse_term(text, names))])
        answer = check_unsat(script, solver, Deadline.after(SECONDS))
        assert (answer.status is Status.UNSAT) is holds, text


def test_a_refutation_goes_back_without_sizes() -> None:
    of = read_horn(UNSAFE, "sizes.smt2")
    verdict = solved(of, values=True)
    assert isinstance(verdict, Unsafe), verdict
    assert verdict.system is None
    assert check(of, verdict.refutation, SECONDS).ok


def test_what_is_abstract_refutes_nothing() -> None:
    of = read_horn(TOGETHER.replace("(ERROR)", "(= sz_x (sz_cons 1 sz_x))"), "sizes.smt2")
    verdict = solved(of, values=False)
    assert not isinstance(verdict, Unsafe)


def test_without_values_there_is_nothing_to_count() -> None:
    (x,) = variables("x")
    of = system([relation("r", terms.INT)], ((), TRUE, atom("r", x)))
    with pytest.raises(Inapplicable, match="no argument"):
        Folds().apply(of)


# ----------------------------------------------------------------------------------- random systems


@dataclass(frozen=True)
class Twins:
    """A system over small numbers, and the same with lists of that length in their places."""

    numbers: HornSystem
    lists: HornSystem


X, Y = variables("x y")
KIND = Kind(top=3)


def twins(seed: int) -> Twins:
    """Two parameters count up and down between 0 and 3, by random rules."""
    chosen = random.Random(seed)
    sort = terms.sort_of(parse_term("sz_nil", {}))
    (a,), (b,) = variables("sz_a", sort), variables("sz_b", sort)
    rules: list[tuple[Rule, Rule]] = []

    def both(body: bool, guards: list[Term], values: list[Term], like: list[Term]) -> None:
        name = f"rule {len(rules)}"
        at = ((atom("r", X, Y),), (atom("r", a, b),)) if body else ((), ())
        head = query(name), query(name)
        if values:
            head = atom("r", *values), atom("r", *like)  # type: ignore[assignment]
        rules.append(
            (
                Rule(name, at[0], terms.and_(guards[::2]), head[0]),
                Rule(name, at[1], terms.and_(guards[1::2]), head[1]),
            )
        )

    def of(length: int) -> Term:
        text = "sz_nil"
        for _ in range(length):
            text = f"(sz_cons 0 {text})"
        return parse_term(text, {})

    start = chosen.randint(0, 2)
    both(False, [], [number(0), number(start)], [of(0), of(start)])
    for _ in range(chosen.randint(2, 4)):
        x, t = chosen.choice([(X, a), (Y, b)])
        k = chosen.randint(0, 3)
        same = [terms.eq(X, number(k)), terms.eq(a, of(k))]
        if chosen.random() < 0.6:
            same = [terms.not_(g) for g in same]
        if chosen.random() < 0.5:
            more = parse_term("(sz_cons 0 t)", {"t": t})
            guards = [terms.lt(x, number(3)), terms.not_(terms.eq(t, of(3)))]
            new = {x: terms.plus(x, number(1)), t: more}
        else:
            guards = [terms.lt(number(0), x), parse_term("((_ is sz_cons) t)", {"t": t})]
            new = {x: terms.minus(x, number(1)), t: parse_term("(sz_tail t)", {"t": t})}
        both(True, [*guards, *same], [new.get(X, X), new.get(Y, Y)], [new.get(a, a), new.get(b, b)])
    k, m = chosen.randint(0, 3), chosen.randint(0, 3)
    wrong = [terms.eq(X, number(k)), terms.eq(a, of(k)), terms.eq(Y, number(m)), terms.eq(b, of(m))]
    both(True, wrong, [], [])
    first, second = zip(*rules, strict=True)
    numbers = HornSystem({"r": relation("r", terms.INT, terms.INT)}, tuple(first))
    return Twins(numbers, HornSystem({"r": relation("r", sort, sort)}, tuple(second)))


@pytest.mark.parametrize("values", [True, False])
def test_random_systems_have_the_answers_that_enumeration_has(values: bool) -> None:
    read_horn(SAFE, "sizes.smt2")  # declares the lists
    answers: list[bool] = []
    for seed in range(8):
        pair = twins(seed)
        _, reached = facts_of(pair.numbers, KIND)
        verdict = solved(pair.lists, values, 4)
        if isinstance(verdict, Safe | Unsafe):
            assert isinstance(verdict, Unsafe) is reached, seed
            evidence = verdict.proof if isinstance(verdict, Safe) else verdict.refutation
            checked = check(pair.lists, evidence, SECONDS)
            assert checked.ok, (seed, checked.reason)
            answers.append(reached)
    assert len(answers) >= 3
    assert values is (True in answers)
    assert read_horn(print_horn(twins(0).lists), "t.smt2").relations.keys() == {"r"}
