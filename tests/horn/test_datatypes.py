"""Algebraic data types: declared, read, printed, solved, checked; what is beyond is refused."""

from __future__ import annotations

import pytest

from seahorn_py.base.errors import InputError
from seahorn_py.engines.engine import Budget
from seahorn_py.engines.prepared import Prepared
from seahorn_py.engines.profile import profile_of
from seahorn_py.engines.spacer.spacer import Spacer
from seahorn_py.horn.checking.evidence import check
from seahorn_py.horn.system import HornSystem, Refutation, Step
from seahorn_py.horn.text.fixedpoint import print_fixedpoint
from seahorn_py.horn.text.smtlib import print_horn, read_horn
from seahorn_py.horn.text.wire import system_from_text, system_to_text
from seahorn_py.horn.transform.arguments.bitnumbers import BitNumbers
from seahorn_py.horn.transform.transformation import Inapplicable
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.constants import any_value
from seahorn_py.logic.text.smtlib import parse_term, print_term
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Safe, Unsafe
from seahorn_py.verification.solutions import _scheduled

LIST = "(declare-datatypes ((list 0)) (((dt_nil) (dt_cons (dt_head Int) (dt_tail list)))))\n"
LENGTH = (
    LIST
    + """(declare-datatype pair ((dt_mk (dt_first list) (dt_second Int))))
(declare-fun length (list Int) Bool)
(declare-fun both (pair) Bool)
(assert (length dt_nil 0))
(assert (forall ((dt_x list) (n Int) (h Int))
  (=> (length dt_x n) (length (dt_cons h dt_x) (+ n 1)))))
(assert (forall ((dt_x list) (n Int)) (=> (length dt_x n) (both (dt_mk dt_x n)))))
"""
)
SAFE = """(assert (forall ((dt_p pair))
  (=> (and (both dt_p) ((_ is dt_cons) (dt_first dt_p)) (< (dt_second dt_p) 1)) false)))"""
UNSAFE = """(assert (forall ((dt_p pair))
  (=> (and (both dt_p) (is-dt_cons (dt_first dt_p)) (= (dt_head (dt_first dt_p)) 7)
    (= (dt_second dt_p) 2)) false)))"""


def solved(text: str) -> tuple[HornSystem, Safe | Unsafe]:
    system = read_horn(text, "t.smt2")
    verdict = Spacer().solve(system, Budget(Deadline.after(10)))
    assert isinstance(verdict, Safe | Unsafe), verdict
    return system, verdict


def test_a_solution_is_found_and_proved_again() -> None:
    system, verdict = solved(LENGTH + SAFE)
    assert isinstance(verdict, Safe)
    assert check(system, verdict.proof).ok


def test_a_refutation_is_found_and_checked() -> None:
    system, verdict = solved(LENGTH + UNSAFE)
    assert isinstance(verdict, Unsafe)
    assert check(system, verdict.refutation).ok


def test_a_selector_of_another_constructor_refutes_nothing() -> None:
    """SMT-LIB leaves open what `(dt_head dt_nil)` is, so no step may rest on a choice of it."""
    system = read_horn(LIST + "(assert (=> (= (dt_head dt_nil) 7) false))", "t.smt2")
    refutation = Refutation((Step(system.rules[0].name, (), ()),))
    assert not check(system, refutation).ok
    true = read_horn(LIST + "(assert (=> (= (dt_head (dt_cons 7 dt_nil)) 7) false))", "t.smt2")
    assert check(true, Refutation((Step(true.rules[0].name, (), ()),))).ok


@pytest.mark.parametrize("printed", [print_horn, print_fixedpoint])
def test_what_is_printed_is_read_again(printed: object) -> None:
    system = read_horn(LENGTH + SAFE, "t.smt2")
    assert callable(printed)
    text = printed(system)
    constraints = {rule.constraint for rule in system.rules}
    assert constraints <= {rule.constraint for rule in read_horn(text, "t.smt2").rules}
    assert text.count("declare-datatypes") == 2


def test_systems_cross_to_other_processes() -> None:
    system = read_horn(LENGTH + SAFE, "t.smt2")
    assert system_from_text(system_to_text(system)) == system


def test_two_files_may_give_one_name_two_meanings() -> None:
    first = read_horn(LIST + "(declare-fun p (list) Bool)", "a.smt2")
    other = LIST.replace("(dt_head Int)", "(dt_head Bool)") + "(declare-fun p (list) Bool)"
    second = read_horn(other, "b.smt2")
    sorts = {str(s.relations["p"].parameters[0].sort) for s in (first, second)}
    assert len(sorts) == 2
    again = read_horn(LIST + "(declare-fun p (list) Bool)", "c.smt2")
    assert again.relations["p"].parameters[0].sort == first.relations["p"].parameters[0].sort


def test_names_that_scripts_of_ours_use_are_no_clash() -> None:
    text = "(declare-datatype v!0 ((c!0 (p!0 Int)) (|R!0 x|)))(declare-fun r (v!0) Bool)"
    text += "(assert (r (c!0 3)))(assert (forall ((dt_v v!0)) "
    text += "(=> (and (r dt_v) ((_ is c!0) dt_v) (= (p!0 dt_v) 4)) false)))"
    system, verdict = solved(text)
    assert isinstance(verdict, Safe)
    assert check(system, verdict.proof).ok


def test_terms_are_read_back_as_they_were() -> None:
    system = read_horn(LENGTH + SAFE, "t.smt2")
    for formula in system.formulas():
        names = {s.symbol_name(): s for s in terms.free_symbols(formula)}
        assert parse_term(print_term(formula), names) is formula


def test_each_datatype_has_a_value() -> None:
    text = "(declare-datatypes ((dt_tree 0) (dt_twigs 0))"
    text += " (((dt_node (dt_own dt_twigs))) ((dt_more (dt_t dt_tree) (dt_r dt_twigs)) (dt_no))))"
    system = read_horn(text + "(declare-fun p (dt_tree (Array Int dt_tree)) Bool)", "t.smt2")
    for parameter in system.relations["p"].parameters:
        assert terms.sort_of(any_value(parameter.sort)) == parameter.sort


def test_the_profile_says_so() -> None:
    assert profile_of(read_horn(LENGTH + SAFE, "t.smt2")).datatypes
    assert not profile_of(read_horn("(declare-fun p (Int) Bool)", "t.smt2")).datatypes


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(declare-datatypes ((l 1)) ((par (T) ((n)))))", "the datatype l has parameters"),
        ("(declare-datatype l ((c (h l))))", "the datatype l has no value"),
        ("(declare-datatype l ((c (h (Array Int l)))))", "the datatype l has no value"),
        ("(declare-datatype l ((c) (c)))", "c is declared twice"),
        ("(declare-datatype Int ((c)))", "Int means something in SMT-LIB"),
        ("(declare-datatype l ((c (h other))))", "unknown sort other"),
        ("(declare-datatype l ((and)))", "and means something in SMT-LIB"),
        ("(declare-codatatypes ((l 0)) (((c (h l)))))", "declare-codatatypes is not supported"),
        ("(declare-sort U 0)", "the sort U has no interpretation"),
    ],
)
def test_what_is_not_supported_is_refused_with_its_line(text: str, message: str) -> None:
    with pytest.raises(InputError, match=r"t\.smt2:2: ") as refused:
        read_horn(f"\n{text}", "t.smt2")
    assert message in str(refused.value)


def test_constructors_may_be_called_as_symbols_of_other_texts_are() -> None:
    """A constructor `s1` is no symbol number 1 of a system that crosses to another process."""
    text = "(declare-datatype wire ((s0) (s1) (s2) (s3)))(declare-fun r (wire) Bool)"
    text += "(assert (forall ((w wire)) (=> (= w s0) (r w))))"
    text += "(assert (forall ((w wire)) (=> (and (r w) (= w s1)) false)))"
    system = read_horn(text, "t.smt2")
    assert system_from_text(system_to_text(system)) == system


def test_functions_of_datatypes_are_no_bits() -> None:
    """Without a symbol of the datatype, too."""
    text = "(declare-datatype word ((word_of (bits_of (_ BitVec 2)))))"
    text += "(declare-fun r ((_ BitVec 2)) Bool)(assert (forall ((x (_ BitVec 2)))"
    text += " (=> (= (bits_of (word_of #b01)) #b01) (r x))))"
    system = read_horn(text, "t.smt2")
    assert not profile_of(system).bits
    with pytest.raises(Inapplicable, match="no operation on bits"):
        BitNumbers().apply(system)


def test_systems_over_datatypes_are_also_solved_as_they_are_written() -> None:
    """The relation between the fact and the query goes when the system is prepared."""
    text = "(declare-datatype one ((only)))(declare-fun r (one) Bool)(declare-fun s (one) Bool)"
    text += "(assert (r only))(assert (forall ((x one)) (=> (r x) (s x))))"
    text += "(assert (forall ((x one)) (=> (s x) (s x))))"
    text += "(assert (forall ((x one)) (=> (and (s x) (not (= x only))) false)))"
    turns = _scheduled(read_horn(text, "t.smt2"))
    assert [turn.name for turn in turns[:2]] == ["spacer plain", "spacer plain as written"]
    assert [isinstance(turn.engine, Prepared) for turn in turns[:2]] == [True, False]
    text = text.replace("(declare-datatype one ((only)))", "")
    numbers = read_horn(text.replace("only", "0").replace("one", "Int"), "t.smt2")
    assert not any("as written" in turn.name for turn in _scheduled(numbers))


def test_systems_over_real_numbers_are_too() -> None:
    text = "(declare-fun r (Real Real) Bool)(assert (forall ((x Real)) (=> (= x 0.0) (r x x))))"
    text += "(assert (forall ((x Real) (y Real)) (=> (r x y) (r (+ x 1.0) (- y 1.0)))))"
    text += "(assert (forall ((x Real) (y Real)) (=> (and (r x y) (< x 0.0)) false)))"
    turns = _scheduled(read_horn(text, "t.smt2"))
    assert [turn.name for turn in turns[:2]] == ["pdr", "pdr as written"]
    assert [isinstance(turn.engine, Prepared) for turn in turns[:2]] == [True, False]
