"""The model checker accepts what proves a system and nothing else."""

from itertools import pairwise

import pytest

from seahorn_py.base.errors import NOWHERE
from seahorn_py.horn.checking.arraykeys import over_keys
from seahorn_py.horn.checking.implications import goals, verification_condition
from seahorn_py.horn.checking.proofs import check_proof
from seahorn_py.horn.system import (
    Atom,
    Check,
    CheckId,
    HornSystem,
    KInductive,
    Model,
    Parameter,
    Query,
    Relation,
    Rule,
)
from seahorn_py.horn.text.smtlib import read_horn
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.logic.solvers.solvers import Status, check_scripts
from seahorn_py.logic.terms import terms
from seahorn_py.logic.text.smtlib import parse_term
from seahorn_py.processes.deadline import Deadline


def check(system, proof, finder=Solver.Z3, seconds=60):
    return check_proof(system, proof, finder=finder, deadline=Deadline.after(seconds))


def model(system, **formulas):
    return Model({n: parse_term(f, _names(system.relations[n])) for n, f in formulas.items()})


def _names(relation):
    return {s.symbol_name(): s for s in relation.symbols}


COUNTER = read_horn(
    """(declare-fun inv (Int Int) Bool)
(assert (forall ((x Int)) (=> (= x 0) (inv x x))))
(assert (forall ((x Int) (y Int)) (=> (and (inv x y) (< x 10)) (inv (+ x 1) (+ y 2)))))
(assert (forall ((x Int) (y Int)) (=> (and (inv x y) (> y 20)) false)))""",
    "counter",
)
GOOD = "(and (= |inv.1| (* 2 |inv.0|)) (<= |inv.0| 10))"


def test_an_inductive_invariant_is_accepted_by_another_solver():
    proof = model(COUNTER, inv=GOOD)
    checked = check(COUNTER, proof)
    assert checked.ok
    assert checked.solver == "cvc5"
    assert check(COUNTER, proof, finder=Solver.CVC5).solver == "z3"
    assert check(COUNTER, KInductive(1, proof)).ok


@pytest.mark.parametrize(
    ("formula", "rule"),
    [
        ("false", "line2"),
        ("true", "line4"),
        ("(= |inv.1| (* 2 |inv.0|))", "line4"),
        ("(<= |inv.1| 20)", "line3"),
    ],
)
def test_what_is_no_inductive_invariant_names_the_rule(formula, rule):
    checked = check(COUNTER, model(COUNTER, inv=formula))
    assert not checked.ok
    assert checked.reason == f"cvc5: rule {rule} is not valid under the model"


STRIDES = read_horn(
    """(declare-fun at (Int Int) Bool)
(assert (forall ((k Int)) (=> (and (<= 1 k) (<= k 10)) (at k 0))))
(assert (forall ((k Int) (i Int)) (=> (and (at k i) (< i (* 1000000 k))) (at k (+ i k)))))
(assert (forall ((k Int) (i Int))
  (=> (and (at k i) (>= i (* 1000000 k)) (not (= i (* 1000000 k)))) false)))""",
    "strides",
)


def by_stride(most):
    cases = (
        f"(and (= |at.0| {k}) (= (mod |at.1| {k}) 0) (<= 0 |at.1| {most * k}))"
        for k in range(1, 11)
    )
    return f"(or {' '.join(cases)})"


def test_what_is_too_hard_as_a_whole_is_proved_by_the_cases_of_a_premise():
    """cvc5 does not see at once that multiples of k stay multiples of it."""
    assert check(STRIDES, model(STRIDES, at=by_stride(1_000_000)), seconds=15).ok
    checked = check(STRIDES, model(STRIDES, at=by_stride(999_999)))
    assert (checked.ok, checked.solver) == (False, "cvc5")
    assert "is not valid under the model" in checked.reason


def test_a_missing_interpretation_is_true():
    assert "line4 is not valid" in check(COUNTER, Model({})).reason


def test_models_that_are_none_of_the_system_are_refused():
    stray = terms.symbol("stray", terms.BOOL)
    assert "no relation" in check(COUNTER, Model({"other": terms.TRUE})).reason
    assert "uses stray" in check(COUNTER, Model({"inv": stray})).reason
    assert "no formula" in check(COUNTER, Model({"inv": terms.int_const(1)})).reason


def test_an_inductive_model_is_inductive_in_more_steps():
    assert check(COUNTER, KInductive(2, model(COUNTER, inv=GOOD))).ok


def test_pure_bit_vectors_go_to_bitwuzla():
    system = read_horn(
        """(declare-fun even ((_ BitVec 32)) Bool)
(assert (even #x00000000))
(assert (forall ((x (_ BitVec 32))) (=> (even x) (even (bvadd x #x00000002)))))
(assert (forall ((x (_ BitVec 32))) (=> (and (even x) (= x #x00000007)) false)))""",
        "bits",
    )
    checked = check(system, model(system, even="(= ((_ extract 0 0) even.0) #b0)"))
    assert checked.ok
    assert checked.solver == "bitwuzla"
    assert not check(system, model(system, even="(bvult even.0 #x00000007)")).ok


def test_quantified_array_invariants():
    system = read_horn(
        """(declare-fun a (Int Int (Array Int Int)) Bool)
(assert (forall ((n Int) (m (Array Int Int))) (a 0 n m)))
(assert (forall ((i Int) (n Int) (m (Array Int Int)))
  (=> (and (a i n m) (< i n)) (a (+ i 1) n (store m i 7)))))
(assert (forall ((i Int) (n Int) (k Int) (m (Array Int Int)))
  (=> (and (a i n m) (>= i n) (<= 0 k) (< k n) (not (= (select m k) 7))) false)))""",
        "arrays",
    )
    filled = "(forall ((k Int)) (=> (and (<= 0 k) (< k |a.0|)) (= (select |a.2| k) 7)))"
    assert check(system, model(system, a=f"(and (<= 0 |a.0|) {filled})")).ok
    assert not check(system, model(system, a=filled.replace("7", "8"))).ok


def test_a_bound_variable_of_an_interpretation_captures_nothing():
    """p(x) := exists k. k > x, used in a rule whose own variable is k; p(x) is always true."""
    k, x = terms.symbol("k", terms.INT), terms.symbol("p's x", terms.INT)
    relation = Relation("p", (Parameter(x),))
    query = Query("q", Check(CheckId("t", "t", NOWHERE), 0))
    rules = (
        Rule("fact", (), terms.lt(k, k), Atom("p", (k,))),
        Rule("bad", (Atom("p", (k,)),), terms.TRUE, query),
    )
    system = HornSystem({"p": relation}, rules)
    above = terms.exists([k], terms.lt(x, k))
    assert "rule bad is not valid" in check(system, Model({"p": above})).reason
    below = terms.and_([above, terms.lt(x, x)])
    assert check(system, Model({"p": below})).ok


def test_conditions_are_readable():
    script = verification_condition(
        COUNTER, model(COUNTER, inv="(<= |inv.1| 20)"), COUNTER.rules[2]
    )
    assert script.splitlines() == [
        "(define-fun R!0 ((p!0 Int) (p!1 Int)) Bool (<= p!1 20))",
        "(declare-const c!0 Int)",
        "(declare-const c!1 Int)",
        "(assert (R!0 c!0 c!1))",
        "(assert (< 20 c!1))",
    ]


def test_division_by_zero_is_open_to_the_solvers():
    """x div 0 may be anything, so that this model is no proof."""
    system = read_horn(
        """(declare-fun divided (Int) Bool)
(assert (forall ((x Int)) (=> (= x 1) (divided (div x 0)))))
(assert (forall ((x Int)) (=> (and (divided x) (not (= x 0))) false)))""",
        "division",
    )
    assert not check(system, model(system, divided="(= |divided.0| 0)")).ok


def test_five_hundred_rules_are_checked_in_one_batch():
    x = terms.symbol("chain.x", terms.INT)
    names = [f"r{i}" for i in range(500)]
    relations = {n: Relation(n, (Parameter(terms.symbol(f"{n}.x", terms.INT)),)) for n in names}
    step = (terms.plus(x, terms.int_const(1)),)
    rules = [Rule("first", (), terms.le(terms.int_const(0), x), Atom("r0", (x,)))]
    for before, after in pairwise(names):
        rules.append(Rule(after, (Atom(before, (x,)),), terms.TRUE, Atom(after, step)))
    query = Query("q", Check(CheckId("t", "t", NOWHERE), 0))
    rules.append(Rule("last", (Atom(names[-1], (x,)),), terms.lt(x, terms.int_const(0)), query))
    positive = {
        n: terms.le(terms.int_const(0), r.parameters[0].symbol) for n, r in relations.items()
    }
    assert check(HornSystem(relations, tuple(rules)), Model(positive)).ok


def test_a_bound_variable_captures_no_name_of_a_script() -> None:
    """`c!0` stands for `x` in the script, and `x + 1 = 4` has a solution."""
    text = "(declare-fun p (Int) Bool)(assert (forall ((x Int)) (=> "
    text += "(exists ((|c!0| Int)) (and (= |c!0| (+ x 1)) (= |c!0| 4))) (p x))))"
    asked = read_horn(text, "t.smt2")
    model = Model({"p": terms.FALSE})
    assert not check_proof(asked, model, finder=Solver.Z3, deadline=Deadline.after(10)).ok


def test_a_condition_is_split_by_the_conjuncts_of_its_head() -> None:
    """Each goal is unsatisfiable where its conjunct holds, and one is satisfiable where not."""
    text = "(declare-fun splitting (Int Int) Bool)(assert (forall ((x Int) (y Int))"
    asked = read_horn(text + " (=> (and (< 0 x) (< x y)) (splitting x y))))", "t.smt2")
    head = "(and (< 0 splitting.0) (and (< 0 splitting.1) (< BOUND splitting.1)))"
    for bound, expected in (("1", {Status.UNSAT}), ("2", {Status.UNSAT, Status.SAT})):
        claimed = model(asked, splitting=head.replace("BOUND", bound))
        found = goals(asked, claimed, asked.rules[0], Deadline.after(10))
        answers = check_scripts(found.scripts, Solver.CVC5, Deadline.after(10))
        assert len(found.scripts) == 3
        assert {answer.status for answer in answers} == expected
        assert found.expected is (bound == "1")


def test_a_goal_has_the_conjuncts_of_premises_that_it_needs() -> None:
    """One number says nothing of the other; a query has one goal, which needs one of the two."""
    text = "(declare-fun apart (Int Int) Bool)(assert (forall ((x Int) (y Int))"
    text += " (=> (apart x y) (apart (+ x 1) (+ y 1)))))"
    text += "(assert (forall ((x Int) (y Int)) (=> (and (apart x y) (< x 0)) false)))"
    asked = read_horn(text, "t.smt2")
    claimed = model(asked, apart="(and (< 0 apart.0) (< 0 apart.1))")
    for rule, defined in zip(asked.rules, ([2, 2], [1]), strict=True):
        found = goals(asked, claimed, rule, Deadline.after(10))
        assert [script.count("define-fun") for script in found.scripts] == defined
        answers = check_scripts(found.scripts, Solver.CVC5, Deadline.after(10))
        assert {answer.status for answer in answers} == {Status.UNSAT}


def test_arrays_that_are_indexed_by_arrays_are_checked_over_keys() -> None:
    """cvc5 reads no such arrays; that different indices have different keys is not known."""
    table = "(Array (Array Int Int) Int)"
    text = f"(declare-fun hashed ({table} (Array Int Int)) Bool)"
    text += (
        f"(assert (forall ((t {table}) (a (Array Int Int))) (=> (= (select t a) 1) (hashed t a))))"
    )
    text += f"(assert (forall ((t {table}) (a (Array Int Int)) (b (Array Int Int)))"
    text += " (=> (and (hashed t a) (= a b) (not (= (select t b) 1))) false)))"
    asked = read_horn(text, "t.smt2")
    good = {s.symbol_name(): s for s in asked.relations["hashed"].symbols}
    proof = Model({"hashed": parse_term("(= (select hashed.0 hashed.1) 1)", good)})
    assert check(asked, proof).ok
    wrong = Model({"hashed": parse_term("(<= 1 (select hashed.0 hashed.1))", good)})
    assert not check(asked, wrong).ok
    system, said = over_keys(asked, proof)
    assert str(said.interpretations["hashed"]).count("key of") == 1
    assert over_keys(COUNTER, model(COUNTER, inv=GOOD)) is None
    script = verification_condition(system, said, system.rules[0])
    assert "(declare-sort Key" in script
