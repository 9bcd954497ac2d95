"""The checker of k-inductive models accepts what proves a system and nothing else."""

import pytest

from seahorn_py.horn.checking.induction import conditions
from seahorn_py.horn.checking.proofs import check_proof
from seahorn_py.horn.system import KInductive, Model
from seahorn_py.horn.text.smtlib import read_horn
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.logic.text.smtlib import parse_term
from seahorn_py.processes.deadline import Deadline


def check(system, k, finder=Solver.Z3, **formulas):
    return check_proof(
        system, KInductive(k, model(system, **formulas)), finder=finder, deadline=Deadline.after(60)
    )


def model(system, **formulas):
    names = {n: {s.symbol_name(): s for s in r.symbols} for n, r in system.relations.items()}
    return Model({n: parse_term(f, names[n]) for n, f in formulas.items()})


# (m1, m2, m3) is rotated: that m1 is not 3 is 3-inductive, and not 2-inductive
ROTATION = read_horn(
    """(declare-fun p (Int Int Int) Bool)
(assert (p 0 1 2))
(assert (forall ((m1 Int) (m2 Int) (m3 Int)) (=> (p m1 m2 m3) (p m2 m3 m1))))
(assert (forall ((m1 Int) (m2 Int) (m3 Int)) (=> (and (p m1 m2 m3) (= m1 3)) false)))""",
    "rotation",
)
NOT_3 = "(not (= |p.0| 3))"


def test_a_model_that_needs_three_steps():
    checked = check(ROTATION, 3, p=NOT_3)
    assert checked.ok
    assert checked.solver == "cvc5"
    assert check(ROTATION, 3, finder=Solver.CVC5, p=NOT_3).solver == "z3"
    assert check(ROTATION, 7, p=NOT_3).ok


@pytest.mark.parametrize("k", [1, 2])
def test_fewer_steps_do_not_prove_it(k):
    reason = check(ROTATION, k, p=NOT_3).reason
    assert reason.startswith("cvc5: rule line3")


@pytest.mark.parametrize(
    ("formula", "reason"),
    [
        ("true", "rule line4 after 3 states is"),
        ("(not (= |p.0| 1))", "rule line3 after 1 states from a fact is"),
        ("(= |p.0| 7)", "rule line2 after 0 states from a fact is"),
    ],
)
def test_what_is_not_inductive_names_the_rule(formula, reason):
    checked = check(ROTATION, 3, p=formula)
    assert not checked.ok
    assert reason in checked.reason


def test_a_query_that_only_the_beginning_meets():
    """Every step leaves 0 for good, but the third state of the only run is 2."""
    system = read_horn(
        """(declare-fun p (Int) Bool)
(assert (p 0))
(assert (forall ((x Int)) (=> (and (p x) (< x 5)) (p (+ x 1)))))
(assert (forall ((x Int)) (=> (and (p x) (= x 2)) false)))""",
        "beginning",
    )
    for k in (2, 3, 4, 8):
        assert not check(system, k, p="(or (> |p.0| 2) (<= |p.0| 1))").ok
        assert not check(system, k, p="true").ok


# two loops, the second one entered from the first
TWO_LOOPS = read_horn(
    """(declare-fun f (Int Int) Bool)
(declare-fun g (Int Int) Bool)
(assert (f 0 1))
(assert (forall ((x Int) (y Int)) (=> (f x y) (f y x))))
(assert (forall ((x Int) (y Int)) (=> (f x y) (g x (- y)))))
(assert (forall ((x Int) (y Int)) (=> (g x y) (g (- y) (- x)))))
(assert (forall ((x Int) (y Int)) (=> (and (g x y) (> x 1)) false)))""",
    "loops",
)


def test_states_of_several_relations():
    first, second = "(<= |f.0| 1)", "(<= |g.0| 1)"
    assert not check(TWO_LOOPS, 1, f=first, g=second).ok
    assert not check(TWO_LOOPS, 2, f=first, g=second).ok  # from f to g to g: f's y is unknown
    assert check(TWO_LOOPS, 3, f=first, g=second).ok
    assert not check(TWO_LOOPS, 3, f=first).ok
    assert not check(TWO_LOOPS, 3, f="(<= |f.0| 0)", g=second).ok
    assert not check(TWO_LOOPS, 3, g=second).ok


# 1 and 2 in turn, 3 after 2; nothing leads there from 0
TURNS = read_horn(
    """(declare-fun p (Int) Bool)
(assert (p 0))
(assert (forall ((x Int)) (=> (and (p x) (= x 1)) (p 2))))
(assert (forall ((x Int)) (=> (and (p x) (= x 2)) (p 1))))
(assert (forall ((x Int)) (=> (and (p x) (= x 2)) (p 3))))
(assert (forall ((x Int)) (=> (and (p x) (= x 3)) false)))""",
    "turns",
)


def test_runs_through_different_states_only():
    """After 1 and 2 there is no third state to avoid 3 in; 2 and 1 in turn avoid it for ever."""
    not_3 = model(TURNS, p="(not (= |p.0| 3))")
    for k, simple, expected in [(3, False, False), (7, False, False), (2, True, False)]:
        proof = KInductive(k, not_3, simple)
        found = check_proof(TURNS, proof, finder=Solver.Z3, deadline=Deadline.after(60))
        assert found.ok is expected
    proof = KInductive(3, not_3, True)
    assert check_proof(TURNS, proof, finder=Solver.Z3, deadline=Deadline.after(60)).ok
    weak = KInductive(3, model(TURNS, p="true"), True)
    assert not check_proof(TURNS, weak, finder=Solver.Z3, deadline=Deadline.after(60)).ok


def test_the_beginning_is_checked_for_simple_proofs_too():
    """From 0 it goes to 2 at once: 3 is reached in a run that no longer one contains."""
    text = """(declare-fun p (Int) Bool)
(assert (p 2))
(assert (forall ((x Int)) (=> (and (p x) (= x 2)) (p 3))))
(assert (forall ((x Int)) (=> (and (p x) (= x 3)) false)))"""
    system = read_horn(text, "short")
    proof = KInductive(4, model(system, p="(not (= |p.0| 3))"), True)
    assert not check_proof(system, proof, finder=Solver.Z3, deadline=Deadline.after(60)).ok


def test_bit_vectors_and_inputs():
    """A rule with symbols of its own; the value two steps ago is what is added."""
    system = read_horn(
        """(declare-fun w ((_ BitVec 8) (_ BitVec 8)) Bool)
(assert (forall ((i (_ BitVec 8))) (=> (= i #x02) (w i #x04))))
(assert (forall ((x (_ BitVec 8)) (y (_ BitVec 8)) (i (_ BitVec 8)))
  (=> (and (w x y) (= i (bvadd x x))) (w y i))))
(assert (forall ((x (_ BitVec 8)) (y (_ BitVec 8))) (=> (and (w x y) (= x #x07)) false)))""",
        "bits",
    )
    even = "(= ((_ extract 0 0) w.0) #b0)"
    assert not check(system, 1, w=even).ok
    checked = check(system, 2, w=even)
    assert (checked.ok, checked.solver) == (True, "bitwuzla")
    assert not check(system, 2, w="(bvult w.0 #x80)").ok


def test_relations_without_parameters():
    system = read_horn(
        """(declare-fun p () Bool)
(declare-fun q () Bool)
(assert p)
(assert (=> p p))
(assert (=> q q))
(assert (=> q false))""",
        "propositions",
    )
    assert check(system, 2, p="true", q="false").ok
    assert not check(system, 2, p="false", q="false").ok
    assert not check(system, 2, p="true", q="true").ok


def test_what_is_not_linear_is_refused():
    system = read_horn(
        """(declare-fun p (Int) Bool)
(assert (p 0))
(assert (forall ((x Int) (y Int)) (=> (and (p x) (p y)) (p (+ x y)))))
(assert (forall ((x Int)) (=> (and (p x) (= x 1)) false)))""",
        "sums",
    )
    assert check(system, 1, p="(= |p.0| 0)").ok
    assert "no checker for 2-inductive" in check(system, 2, p="(= |p.0| 0)").reason
    assert "no checker for 0-inductive" in check(ROTATION, 0, p=NOT_3).reason


def test_models_that_are_none_of_the_system_are_refused():
    assert "is no formula" in check(ROTATION, 2, p="|p.0|").reason


def test_conditions_grow_linearly_with_the_steps():
    """Two rules lead from p to p: 2^20 paths."""
    system = read_horn(
        """(declare-fun p (Int) Bool)
(assert (p 0))
(assert (forall ((x Int)) (=> (p x) (p (+ x 2)))))
(assert (forall ((x Int)) (=> (p x) (p (- x 2)))))
(assert (forall ((x Int)) (=> (and (p x) (= x 1)) false)))""",
        "paths",
    )
    proof = KInductive(20, model(system, p="(not (= |p.0| 1))"))
    sizes = [len(c.script) for c in conditions(system, proof) if "from a fact" not in c.name]
    assert max(sizes) < 20_000
