"""Arrays of symbolic size: observed cells, quantified models and their re-proof."""

from __future__ import annotations

import re

import pytest
from array_programs import PROGRAMS, array_program, horn_system

from seahorn_py.engines.catalogue import scheduled
from seahorn_py.engines.engine import Budget
from seahorn_py.engines.portfolio import Portfolio, Turn
from seahorn_py.engines.spacer import spacer
from seahorn_py.engines.spacer.spacer import Spacer
from seahorn_py.engines.wrappers.accelerated import Accelerated
from seahorn_py.engines.wrappers.arraycells import ArrayCells
from seahorn_py.horn.checking.instances import (
    Choice,
    NotInstantiable,
    instance_condition,
    instantiate,
)
from seahorn_py.horn.checking.proofs import check_proof
from seahorn_py.horn.checking.refutations import check_refutation
from seahorn_py.horn.system import HornSystem, Model
from seahorn_py.horn.text.smtlib import print_horn
from seahorn_py.horn.transform.arguments.arbitrary import without_arbitrary
from seahorn_py.horn.transform.cells.numbering import numberings
from seahorn_py.horn.transform.cells.observation import Observation, has_arrays
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.logic.solvers.solvers import Status, check_scripts, script_of
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.linear import equal, linear
from seahorn_py.logic.terms.terms import INT, TRUE, Term
from seahorn_py.logic.text.smtlib import print_term
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Safe, Unknown, Unsafe, Verdict

ONE = Observation(1)
TWO = Observation(2)
OWN = Observation(1, shared=False)

NEEDS_TWO = ("reverse", "reverse in place", "prefix sums")
"""One shared cell does not prove these."""


def cells(observation: Observation) -> ArrayCells:
    return ArrayCells(Spacer(spacer.GLOBAL), observation)


def answer(system: HornSystem, observation: Observation, seconds: float = 20) -> Verdict:
    return cells(observation).solve(system, Budget(Deadline.after(seconds)))


def assert_proved(system: HornSystem, verdict: Verdict) -> None:
    assert isinstance(verdict, Safe), verdict
    deadline = Deadline.after(20)
    checked = check_proof(system, verdict.proof, finder=Solver.Z3, deadline=deadline)
    assert checked.ok, checked.reason


def plain_names(text: str) -> str:
    """Without the numbers that make symbols fresh."""
    return re.sub(r"(![0-9]+)+", "", text)


# ------------------------------------------------------------------------------------- proofs


SOME = [
    pytest.param(name, marks=() if number % 2 else (pytest.mark.full,))
    for number, name in enumerate(PROGRAMS)
]
"""Every second program in an ordinary run, all with `--full`."""


@pytest.mark.parametrize("name", SOME)
def test_array_programs_are_proved_for_every_size(name: str) -> None:
    system = array_program(name)
    verdict = answer(system, TWO if name in NEEDS_TWO else ONE)
    assert_proved(system, verdict)


@pytest.mark.parametrize("name", SOME)
def test_planted_bugs_are_refuted_and_never_proved(name: str) -> None:
    system = array_program(name, wrong=True)
    assert isinstance(answer(system, ONE), Unknown)
    verdict = Portfolio(scheduled("spacer", None)).solve(system, Budget(Deadline.after(20)))
    assert isinstance(verdict, Unsafe), verdict
    assert check_refutation(system, verdict.refutation, Deadline.after(10)).ok


def test_each_array_may_have_a_cell_of_its_own() -> None:
    system = array_program("reverse")
    assert_proved(system, answer(system, OWN))


def test_quantified_lemmas_prove_without_cells() -> None:
    system = array_program("initialisation")
    verdict = Spacer(spacer.QUANTIFIED).solve(system, Budget(Deadline.after(20)))
    assert_proved(system, verdict)
    assert isinstance(verdict, Safe)
    assert isinstance(verdict.proof, Model)
    assert any(map(terms.is_quantified, verdict.proof.interpretations.values()))


COPY = """
    first i a b
    second i a b
    third i a b
    : true --> (first 0 a b)
    : (first i a b) (< i 100000) (<= 0 x) (<= x 9) --> (first (+ i 1) (store a i x) b)
    : (first i a b) (>= i 100000) --> (second 0 a b)
    : (second i a b) (< i 100000) (= x (select a i)) --> (second (+ i 1) a (store b i x))
    : (second i a b) (>= i 100000) --> (third 0 a b)
    : (third i a b) (< i 100000) (= (select a i) (select b i)) --> (third (+ i 1) a b)
    : (third i a b) (< i 100000) (not (= (select a i) (select b i))) --> false
"""


def test_what_nothing_is_said_of_is_left_out() -> None:
    left = without_arbitrary(horn_system(COPY))
    arity = {name: len(relation.parameters) for name, relation in left.relations.items()}
    assert arity == {"first": 2, "second": 3, "third": 3}
    assert left.rules[2].body[0].arguments == left.rules[1].body[0].arguments
    kept = """
    one i j
    two i j
    : (= i 0) --> (one i j)
    : true --> (two j j)
    : (one i j) (< j 5) --> (one (+ i 1) k)
    : (one i j) --> (two 0 j)
    : (two i j) (= i j) (> i 7) --> false
    """
    left = without_arbitrary(horn_system(kept))
    assert {n: len(r.parameters) for n, r in left.relations.items()} == {"one": 1, "two": 2}


def test_a_cell_that_is_followed_by_itself_is_a_chain_of_facts() -> None:
    system = horn_system(COPY)
    observed, _ = Observation(followed=True).apply(system)
    assert observed.linear
    assert not ONE.apply(system)[0].linear
    closures = ArrayCells(Accelerated(Spacer(spacer.GLOBAL)), Observation(followed=True))
    portfolio = Portfolio((Turn("closures", closures),))
    assert_proved(system, portfolio.solve(system, Budget(Deadline.after(20))))


def test_what_one_cell_cannot_tell_is_unknown() -> None:
    verdict = answer(array_program("prefix sums"), ONE)
    assert isinstance(verdict, Unknown)
    assert "observed" in verdict.reason


# ----------------------------------------------------------------------------- the new systems


def test_initialisation_over_one_cell() -> None:
    observed, _ = ONE.apply(array_program("initialisation"))
    assert not has_arrays(observed)
    rules = [r for r in plain_names(print_horn(observed)).splitlines() if "assert" in r]
    assert rules == [
        "(assert (forall ((loop.cell Int) (a.at Int) (n Int)) "
        "(=> (<= 0 n) (loop loop.cell a.at 0 n))))",
        "(assert (forall ((loop.cell Int) (a.at Int) (i Int) (n Int)) "
        "(=> (and (loop loop.cell a.at i n) (< i n)) "
        "(loop loop.cell (ite (= loop.cell i) 7 a.at) (+ i 1) n))))",
        "(assert (forall ((z Int) (a.at Int) (i Int) (n Int)) "
        "(=> (and (loop z a.at i n) (and (<= n i) (<= 0 z) (< z n) (not (= a.at 7)))) false)))",
    ]


def test_the_quantified_model_reads_at_addresses() -> None:
    system = array_program("initialisation")
    observed, back = ONE.apply(system)
    (relation,) = observed.relations.values()
    index, content, i, _ = relation.symbols
    formula = terms.and_([terms.le(terms.int_const(0), i), terms.le(index, content)])
    found = back.model(Model({"loop": formula})).interpretations["loop"]
    assert plain_names(print_term(found)) == (
        "(and (<= 0 loop.0) (forall ((loop.cell Int)) "
        "(<= loop.cell (select loop.2 (+ (* 4 loop.cell) 4096)))))"
    )


def test_equal_cells_have_equal_contents() -> None:
    system = horn_system(
        """
        start a
        : true --> (start a)
        : (start a) (= x z) (not (= (select a x) (select a z))) --> false
        """
    )
    assert_proved(system, answer(system, ONE))


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("(= b (store a 3 5)) (not (= (select b 3) 5))", True),
        ("(= b (store a 3 5)) (not (= (select b 4) (select a 4)))", True),
        ("(= b (store a 3 5)) (not (= (select b x) (select a x)))", False),
        ("(= (store b 1 0) (store a 2 0)) (not (= (select b x) (select a x))) (< 2 x)", True),
        ("(not (= a b)) (= b (store a 1 (select a 1)))", True),
        ("(not (= a b)) (= b (store a 1 2)) (= (select a 1) 2)", True),
        ("(not (= a b)) (= b (store a 1 2)) (= (select a 1) 3)", False),
        ("(= c (= a b)) c (not (= (select a x) (select b x)))", True),
        ("(= d (ite c a b)) (= (select a x) 1) (= (select b x) 1) (< (select d x) 1)", True),
        ("(= d (ite c a b)) (= (select a x) 1) (< (select d x) 1)", False),
        ("(= b ((as const (Array Int Int)) 4)) (< (select b x) 4)", True),
        ("(< (select (store ((as const (Array Int Int)) 4) x 3) z) 3)", True),
        ("(= (select a (select a x)) 1) (= (select a x) z) (= (select a z) 2)", True),
        ("(= (select (store a x (select a z)) x) 1) (= (select a z) 2)", True),
    ],
)
def test_equations_stores_and_conditions(text: str, safe: bool) -> None:
    system = horn_system(
        f"""
        start a b
        : true --> (start a b)
        : (start a b) {text} --> false
        """
    )
    verdict = answer(system, ONE)
    assert isinstance(verdict, Safe if safe else Unknown), verdict
    if safe:
        assert_proved(system, verdict)


@pytest.mark.parametrize("observation", [ONE, TWO, OWN])
def test_arguments_that_are_no_symbols(observation: Observation) -> None:
    """A body atom about a store, the same array twice, and a constant array as a fact."""
    system = horn_system(
        """
        pair a b x
        : true --> (pair ((as const (Array Int Int)) 0) ((as const (Array Int Int)) 0) 7)
        : (pair (store a 1 5) a x) --> (pair a a (+ x 1))
        : (pair a b x) (< (select a z) 0) --> false
        : (pair a a x) (< x 7) --> false
        """
    )
    assert_proved(system, answer(system, observation))


def test_cells_of_other_sorts() -> None:
    """Elements that are Booleans or arrays, indices that are bit-vectors."""
    systems = (
        horn_system(
            """
            fill i a
            : true --> (fill 0 a)
            : (fill i a) --> (fill (+ i 1) (store a i true))
            : (fill i a) (<= 0 z) (< z i) (not (select a z)) --> false
            """,
            array="(Array Int Bool)",
        ),
        horn_system(
            """
            fill i a
            : true --> (fill 0 a)
            : (fill i a) --> (fill (+ i 1) (store a i (store (select a i) 3 7)))
            : (fill i a) (<= 0 z) (< z i) (not (= (select (select a z) 3) 7)) --> false
            """,
            array="(Array Int (Array Int Int))",
        ),
        horn_system(
            """
            same a b
            : true --> (same a a)
            : (same a b) --> (same (store a #b01 #xf) (store b #b01 #xf))
            : (same a b) (not (= (select a #b10) (select b #b10))) --> false
            """,
            array="(Array (_ BitVec 2) (_ BitVec 4))",
        ),
    )
    for system in systems:
        assert_proved(system, answer(system, ONE))


# ------------------------------------------------------------------------------------ numberings


def shown_numberings(system: HornSystem) -> dict[str, str]:
    return {
        f"{name}.{number}": plain_names(f"{print_term(frame.base.term())} + {frame.stride} k")
        for (name, number), frame in numberings(system).items()
    }


def test_numberings_of_global_arrays_and_blocks() -> None:
    assert shown_numberings(array_program("copy")) == {
        "loop.2": "4096 + 4 k",
        "loop.3": "8192 + 4 k",
        "check.2": "4096 + 4 k",
        "check.3": "8192 + 4 k",
    }
    assert shown_numberings(array_program("a copy from block to block")) == {
        "loop.4": "loop.2 + 4 k",
        "loop.5": "loop.3 + 4 k",
    }


def test_arrays_that_start_alike_have_numberings_of_their_own() -> None:
    system = horn_system(
        """
        loop i a b
        : true --> (loop 0 ((as const (Array Int Int)) 0) ((as const (Array Int Int)) 0))
        : (loop i a b) --> (loop (+ i 1) (store a (* 4 i) 1) (store b (+ 80 (* 8 i)) 1))
        """
    )
    assert shown_numberings(system) == {"loop.1": "0 + 4 k", "loop.2": "80 + 8 k"}


def test_indices_that_are_no_addresses_are_their_own_numbers() -> None:
    system = horn_system(
        """
        loop i n a
        : true --> (loop 0 n a)
        : (loop i n a) --> (loop (+ i 1) n (store a (- i n) 0))
        """
    )
    assert shown_numberings(system) == {"loop.2": "0 + 1 k"}


def test_a_frame_reaches_relations_without_accesses() -> None:
    system = horn_system(
        """
        first a p
        second x p a
        : true --> (first a p)
        : (first a p) --> (second 0 p a)
        : (second x p a) --> (second (+ x 1) p (store a (+ p (* 8 x)) 0))
        """
    )
    assert shown_numberings(system) == {"first.0": "first.1 + 8 k", "second.2": "second.1 + 8 k"}


def test_definitions_of_addresses_are_seen_through() -> None:
    system = horn_system(
        """
        loop i a
        : true --> (loop 0 a)
        : (loop i a) (= x (* 4 i)) --> (loop (+ i 1) (store a (+ x 8) 1))
        : (loop i a) (= x (+ y 8)) (= (* 4 z) y) (<= 0 z) (< z i) (not (= (select a x) 1)) --> false
        """
    )
    assert shown_numberings(system) == {"loop.1": "8 + 4 k"}
    assert_proved(system, answer(system, ONE))


# ---------------------------------------------------------------------------------- linear forms


def test_linear_forms() -> None:
    x, y = terms.symbol("x.linear", INT), terms.symbol("y.linear", INT)
    four = terms.int_const(4)
    form = linear(terms.plus(terms.times(four, terms.minus(x, y)), y, terms.int_const(8)))
    assert form.coefficients == {x: 4, y: -3}
    assert form.constant == 8
    assert form.over(4) is None
    assert linear(terms.times(four, x)).over(4) == linear(x)
    assert linear(terms.minus(x, x)).coefficients == {}
    assert linear(terms.times(x, y)).coefficients == {terms.times(x, y): 1}


def test_equality_of_forms() -> None:
    x, y = terms.symbol("x.linear", INT), terms.symbol("y.linear", INT)

    def address(index: Term, base: int) -> Term:
        return terms.plus(terms.times(terms.int_const(4), index), terms.int_const(base))

    assert equal(linear(address(x, 96)), linear(address(y, 96))) is terms.eq(x, y)
    assert equal(linear(address(x, 96)), linear(address(y, 98))) is terms.FALSE
    assert equal(linear(address(x, 96)), linear(address(x, 96))) is TRUE
    assert equal(linear(address(x, 96)), linear(address(x, 100))) is terms.FALSE


# ------------------------------------------------------------------------------------- instances


def status_of_instances(assertions: list[Term]) -> Status:
    script = script_of(instantiate(assertions))
    (found,) = check_scripts([script], Solver.Z3, Deadline.after(10))
    return found.status


def test_instances_at_the_cells_that_occur() -> None:
    """`forall k. k <= a[4 k + 8]`; the cell at `4 i` is that of `i - 2`."""
    array = terms.symbol("a.instances", terms.array_sort(INT, INT))
    i, k = terms.symbol("i.instances", INT), terms.symbol("k.instances", INT)
    address = terms.plus(terms.times(terms.int_const(4), k), terms.int_const(8))
    every = terms.forall([k], terms.le(k, terms.select(array, address)))
    there = terms.select(array, terms.times(terms.int_const(4), i))
    too_low = terms.lt(there, terms.plus(i, terms.int_const(-2)))
    low = terms.lt(there, terms.plus(i, terms.int_const(-1)))
    assert status_of_instances([every, too_low]) is Status.UNSAT
    assert status_of_instances([every, low]) is Status.SAT
    assert status_of_instances([every, terms.not_(every)]) is Status.UNSAT
    assert status_of_instances([terms.or_([every, low]), low]) is Status.SAT
    assert status_of_instances([terms.exists([k], terms.not_(every)), every]) is Status.UNSAT


def test_wide_instances_at_the_cells_of_other_arrays() -> None:
    """The cell of `i` occurs in `b` only, at another address than the one in `a`."""
    array = terms.symbol("a.instances", terms.array_sort(INT, INT))
    other = terms.symbol("b.instances", terms.array_sort(INT, INT))
    i, k = terms.symbol("i.instances", INT), terms.symbol("k.instances", INT)

    def element(of: Term, index: Term, base: int) -> Term:
        scaled = terms.times(terms.int_const(4), index)
        return terms.select(of, terms.plus(scaled, terms.int_const(base)))

    zero = terms.int_const(0)
    every = terms.forall([k], terms.and_([terms.le(element(array, k, 96), k), terms.le(zero, k)]))
    there = terms.and_([terms.lt(i, zero), terms.eq(element(other, i, 800), zero)])
    assert status_of_instances([every, there]) is Status.SAT
    script = script_of(instantiate([every, there], Choice.NUMBERED))
    (found,) = check_scripts([script], Solver.Z3, Deadline.after(10))
    assert found.status is Status.UNSAT


def test_instances_lead_to_instances() -> None:
    """`next` leads from a block to one of which nothing but that is known; a second step is one."""
    next_, live = (terms.symbol(n, terms.array_sort(INT, INT)) for n in ("next", "live"))
    i, k = terms.symbol("i.instances", INT), terms.symbol("k.instances", INT)
    one = terms.int_const(1)

    def is_live(block: Term) -> Term:
        return terms.eq(terms.select(live, terms.plus(block, one)), one)

    every = terms.forall([k], terms.implies(is_live(k), is_live(terms.select(next_, k))))
    far = terms.select(next_, terms.select(next_, i))
    dead = terms.not_(terms.eq(terms.select(live, terms.plus(far, one)), one))
    for start, expected in ((is_live(i), Status.UNSAT), (is_live(k), Status.SAT)):
        script = script_of(instantiate([every, start, dead], Choice.LED_TO))
        (found,) = check_scripts([script], Solver.Z3, Deadline.after(10))
        assert found.status is expected


def test_a_quantifier_of_unknown_polarity_stays() -> None:
    array = terms.symbol("a.instances", terms.array_sort(INT, INT))
    k = terms.symbol("k.instances", INT)
    flag = terms.symbol("c.instances", terms.BOOL)
    every = terms.forall([k], terms.le(k, terms.select(array, k)))
    with pytest.raises(NotInstantiable):
        instantiate([terms.iff(flag, every)])


def test_wrong_quantified_models_are_not_confirmed() -> None:
    system = array_program("initialisation")
    loop = system.relations["loop"]
    i, n, array = loop.symbols
    k = terms.symbol("k.instances", INT)
    address = terms.plus(terms.times(terms.int_const(4), k), terms.int_const(4096))
    seven = terms.eq(terms.select(array, address), terms.int_const(7))
    inside = [terms.le(terms.int_const(0), k), terms.lt(k, i)]
    beyond = [terms.le(terms.int_const(0), k), terms.le(k, i)]

    def confirmed(guard: list[Term]) -> bool:
        model = Model({"loop": terms.forall([k], terms.implies(terms.and_(guard), seven))})
        assert instance_condition(system, model, system.rules[0]) is not None
        return check_proof(system, model, finder=Solver.Z3, deadline=Deadline.after(4)).ok

    assert confirmed(inside)
    assert not confirmed(beyond)
    assert n is loop.symbols[1]
