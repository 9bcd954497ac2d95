"""Horn files in and out: CHC-COMP files, z3's rules, and formulas that must be taken apart."""

import json
import subprocess
import sys

import pytest

from seahorn_py.base.errors import InputError
from seahorn_py.horn.system import Model, Query
from seahorn_py.horn.text.smtlib import print_horn, print_model, read_horn
from seahorn_py.logic.terms import terms
from seahorn_py.logic.text.smtlib import print_term


def clauses(text):
    """Each rule as `body & constraint -> head`, readable."""

    def shown(atom):
        return f"{atom.relation}({', '.join(map(print_term, atom.arguments))})"

    found = []
    for rule in read_horn(text, "t.smt2").rules:
        body = [*map(shown, rule.body), print_term(rule.constraint)]
        head = "false" if isinstance(rule.head, Query) else shown(rule.head)
        found.append(f"{' & '.join(body)} -> {head}")
    return found


COUNTER = """(set-logic HORN)
(declare-fun |inv 1| (Int Bool) Bool)
(assert (forall ((x Int)) (=> (= x 0) (|inv 1| x false))))
(assert (forall ((x Int) (up Bool)) (=> (and (|inv 1| x up) (< x 10)) (|inv 1| (+ x 1) (not up)))))
(assert (forall ((x Int) (up Bool))
  (=> (and (|inv 1| x up) (> x 10)) false)))
(check-sat)
"""


def test_a_file_of_clauses():
    assert clauses(COUNTER) == [
        "(= x 0) -> inv 1(x, false)",
        "inv 1(x, up) & (< x 10) -> inv 1((+ x 1), (not up))",
        "inv 1(x, up) & (< 10 x) -> false",
    ]
    rules = read_horn(COUNTER, "t.smt2").rules
    assert [r.name for r in rules] == ["line3", "line4", "line5"]
    assert str(rules[2].origin) == "t.smt2:5:1"


def test_the_rule_format_of_z3():
    text = """(declare-rel p (Int)) (declare-rel bad ())
(declare-var x Int) (declare-var y Int)
(rule (=> (= x 0) (p x)) start)
(rule (=> (and (p x) (= y (+ x 1))) (p y)))
(rule (=> (and (p x) (< x 0)) bad))
(query bad)"""
    assert clauses(text) == [
        "(= x 0) -> p(x)",
        "p(x) & (= y (+ x 1)) -> p(y)",
        "p(x) & (< x 0) -> bad()",
        "bad() & true -> false",
    ]
    assert read_horn(text, "t").rules[0].name == "start"


P_AND_Q = "(declare-fun p (Int) Bool) (declare-fun q (Int) Bool) (declare-fun r () Bool)\n"


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("(p 0)", ["true -> p(0)"]),
        ("r", ["true -> r()"]),
        ("(not r)", ["r() & true -> false"]),
        ("(=> r false)", ["r() & true -> false"]),
        ("true", []),
        ("(forall ((x Int)) (=> (p x) (q x)))", ["p(x) & true -> q(x)"]),
        ("(forall ((x Int)) (or (not (p x)) (< x 5) (q x)))", ["p(x) & (not (< x 5)) -> q(x)"]),
        (
            "(not (exists ((x Int)) (and (p x) (q (+ x 1)) (< x 0))))",
            ["p(x) & q((+ x 1)) & (< x 0) -> false"],
        ),
        ("(forall ((x Int)) (=> (p x) (=> (< x 0) (q x))))", ["p(x) & (< x 0) -> q(x)"]),
        (
            "(forall ((x Int)) (=> (p x) (and (q x) (q 0) (< x 3))))",
            ["p(x) & true -> q(x)", "p(x) & true -> q(0)", "p(x) & (not (< x 3)) -> false"],
        ),
        (
            "(forall ((x Int)) (=> (or (p x) (and (q x) (< x 1))) r))",
            ["p(x) & true -> r()", "q(x) & (< x 1) -> r()"],
        ),
        (
            "(forall ((x Int)) (let ((a (p x)) (y (+ x 1))) (=> (and a (< y 0)) (q y))))",
            ["p(x) & (< (+ x 1) 0) -> q((+ x 1))"],
        ),
        (
            "(forall ((x Int)) (=> (ite (< x 0) (p x) (q x)) r))",
            ["p(x) & (< x 0) -> r()", "q(x) & (not (< x 0)) -> r()"],
        ),
        (
            "(forall ((x Int)) (=> (p x) (exists ((y Int)) (< y x))))",
            ["p(x) & (not (exists ((y Int)) (< y x))) -> false"],
        ),
        ("(forall ((x Int)) (= r (p x)))", ["r() & true -> p(x)", "p(x) & true -> r()"]),
    ],
)
def test_formulas_become_clauses(formula, expected):
    assert clauses(f"{P_AND_Q}(assert {formula})") == expected


def test_inner_variables_are_renamed_apart():
    inner = "(forall ((x Int)) (=> (and (p x) (exists ((x Int)) (q x))) (p (+ x 1))))"
    (rule,) = read_horn(f"{P_AND_Q}(assert {inner})", "t").rules
    (x,), (other,) = (atom.arguments for atom in rule.body)
    assert x is not other
    assert rule.head.arguments == (terms.plus(x, terms.int_const(1)),)


def test_macros_sorts_and_coercions():
    text = """(define-sort Word () (_ BitVec 8))
(declare-fun p (Word Real) Bool)
(define-fun next ((x Word) (y Word)) Word (bvadd x y #x01))
(define-fun low ((x Word)) Bool (exists ((y Word)) (and (bvult x y) (bvult y #x10))))
(assert (forall ((y Word)) (=> (low y) (p (next y y) 1))))"""
    (rule,) = read_horn(text, "t").rules
    moved, one = rule.head.arguments
    (y,) = terms.free_symbols(moved)
    assert len(terms.free_symbols(rule.constraint)) == 2  # the y of the macro is another one
    assert moved is terms.bv("bvadd", terms.bv("bvadd", y, y), terms.bv_const(1, 8))
    assert one is terms.real_const(1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "(declare-codatatypes ((L 0)) (((nil))))",
            "1: the command declare-codatatypes is not supported in this form",
        ),
        ("\n(declare-fun f (Int) Int)", "2: only predicates (functions to Bool) can be declared"),
        ("(declare-fun p () Bool)(assert (or p q))", "1: unknown symbol q"),
        (
            "(declare-fun p () Bool)(declare-fun q () Bool)\n(assert (or p q))",
            "2: no Horn clause: a clause has more than one head: p, q",
        ),
        (
            "(declare-fun p (Int) Bool)(assert (exists ((x Int)) (p x)))",
            "1: no Horn clause: a predicate stands under a quantifier that no clause can have",
        ),
        (
            "(declare-fun p (Bool) Bool)(assert (p (p true)))",
            "1: no Horn clause: a predicate stands in an argument",
        ),
        ("(declare-fun p (Int) Bool)(assert (p true))", "1: 'p': an argument of another sort"),
        ("(declare-fun p (Int) Bool)(assert (p))", "1: 'p': 0 arguments instead of 1"),
        (
            "(declare-fun p () Bool)\n(declare-fun p () Bool)",
            "2: p is declared twice or means something in SMT-LIB",
        ),
        ("(push -1)", "1: push is followed by a number of levels"),
        ("(push 10001)", "1: push of more levels than are allowed"),
        ("(push)(pop 2)", "1: pop of more levels than are begun"),
        (
            "(push)(assert false)(pop)",
            "1: pop takes clauses back, so that this is no single system",
        ),
        ("(declare-fun p (Int) Bool", "1: no closing parenthesis"),
        ("hello", "1: hello stands where a command is expected"),
        ("(assert 5)", "1: what is asserted is no formula"),
    ],
)
def test_what_cannot_be_read_names_its_line(text, message):
    with pytest.raises(InputError) as caught:
        read_horn(text, "bad.smt2")
    assert str(caught.value) == f"bad.smt2:{message}"


def test_too_many_cases_are_refused():
    either = "".join("(or (p 0) (q 0))" for _ in range(20))
    with pytest.raises(InputError, match="too many cases"):
        read_horn(f"{P_AND_Q}(assert (=> (and {either}) false))", "t")


def test_a_wide_clause_takes_linear_time():
    wide = " ".join(f"(< x {k}) (p x)" for k in range(5_000))
    (rule,) = read_horn(f"{P_AND_Q}(assert (forall ((x Int)) (=> (and {wide}) r)))", "t").rules
    assert len(rule.body) == 5_000


def test_printed_clauses_read_back_the_same():
    system = read_horn(COUNTER, "t.smt2")
    printed = print_horn(system)
    assert "(declare-fun |inv 1| (Int Bool) Bool)" in printed
    assert "(assert (forall ((x Int)) (=> (= x 0) (|inv 1| x false))))" in printed
    again = read_horn(printed, "t.smt2")
    assert [(r.body, r.constraint) for r in again.rules] == [
        (r.body, r.constraint) for r in system.rules
    ]


def test_names_that_collide_or_cannot_be_written_are_changed():
    text = "(declare-fun x (Int) Bool)(declare-fun |a!b| () Bool)"
    system = read_horn(f"{text}(assert (forall ((x Int)) (=> |a!b| (and (x x) (x 1)))))", "t")
    again = read_horn(print_horn(system), "t")
    assert [len(r.body) for r in again.rules] == [1, 1]
    assert "(forall ((x! Int)) (=> a!b (x x!)))" in print_horn(system)


def test_models_are_printed_as_definitions():
    system = read_horn(COUNTER, "t.smt2")
    x = system.relations["inv 1"].symbols[0]
    model = Model({"inv 1": terms.le(x, terms.int_const(10))})
    assert print_model(system, model) == (
        "(define-fun |inv 1| ((|inv 1.0| Int) (|inv 1.1| Bool)) Bool (<= |inv 1.0| 10))"
    )


HALF = COUNTER.replace("> x 10", "> x 9")
WORDS = """(set-logic HORN)(declare-fun p ((_ BitVec 4) (Array Int Bool)) Bool)
(assert (forall ((x (_ BitVec 4)) (a (Array Int Bool))) (=> (bvult x #x3) (p x (store a 0 true)))))
(assert (forall ((x (_ BitVec 4)) (a (Array Int Bool))) (=> (and (p x a) (BAD)) false)))
(check-sat)"""
STATUS = [
    ("sat", COUNTER),
    ("unsat", HALF),
    ("sat", WORDS.replace("BAD", "bvugt x #x7")),
    ("unsat", WORDS.replace("BAD", "select a 0")),
]
Z3 = """
import json, sys, z3
texts = json.load(sys.stdin)
contexts = [z3.Context() for _ in texts]
answers = [z3.Z3_eval_smtlib2_string(c.ref(), t) for c, t in zip(contexts, texts)]
print(json.dumps([a.split() for a in answers]))
"""


def test_z3_answers_the_printed_text_as_it_answers_the_original():
    texts = [text for _, text in STATUS]
    texts += [print_horn(read_horn(text, "t")) for text in texts]
    argv = [sys.executable, "-c", Z3]
    done = subprocess.run(argv, input=json.dumps(texts), capture_output=True, text=True, timeout=60)
    expected = [[status] for status, _ in STATUS] * 2
    assert json.loads(done.stdout) == expected


def test_what_exists_in_a_body_is_a_variable_of_the_clause() -> None:
    text = """(declare-fun p (Int) Bool)(assert (p 0))
(assert (forall ((x Int)) (=> (and (p x) (exists ((x Int) (z Int)) (< x z 4))) (p (+ x 1)))))
(assert (forall ((x Int)) (=> (and (p x) (not (forall ((z Int)) (< z x)))) false)))"""
    system = read_horn(text, "t")
    assert not any(terms.is_quantified(formula) for formula in system.formulas())
    body = system.rules[1].body[0].arguments
    bound = terms.free_symbols(system.rules[1].constraint)
    assert body[0] not in bound  # the inner x is another one


def test_what_exists_beside_other_conditions_is_a_variable_too() -> None:
    text = """(declare-fun p (Int) Bool)
(assert (forall ((x Int)) (=> (and (= x 1) (exists ((x Int)) (= x 0))) (p x))))
(assert (forall ((x Int))
  (=> (or (exists ((y Int)) (= x y 4)) (exists ((y Int)) (= x y 5))) (p x))))
(assert (forall ((x Int)) (=> (and (p x) (= x 0)) false)))"""
    system = read_horn(text, "t")
    assert not any(terms.is_quantified(formula) for formula in system.formulas())
    assert [len(rule.body) for rule in system.rules] == [0, 0, 0, 1]
