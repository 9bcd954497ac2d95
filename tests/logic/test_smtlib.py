"""SMT-LIB text of terms: golden text, exact round trips, and what solvers print."""

import pytest

from seahorn_py.base.errors import InputError
from seahorn_py.logic.terms import terms
from seahorn_py.logic.text.smtlib import parse_sort, parse_term, print_sort, print_term

X = terms.symbol("x", terms.INT)
Y = terms.symbol("y", terms.INT)
P = terms.symbol("p", terms.BOOL)
R = terms.symbol("r", terms.REAL)
V = terms.symbol("v", terms.bv_sort(32))
W = terms.symbol("w", terms.bv_sort(32))
A = terms.symbol("a", terms.array_sort(terms.INT, terms.INT))
NAMES = {s.symbol_name(): s for s in (X, Y, P, R, V, W, A)}
BV5 = terms.bv_const(5, 32)


def parse(text):
    return parse_term(text, NAMES)


GOLDEN = [
    (terms.le(X, terms.int_const(-5)), "(<= x (- 5))"),
    (terms.mod(X, terms.int_const(4)), "(mod x 4)"),
    (terms.div(X, Y), "(div x y)"),
    (terms.ite(P, X, Y), "(ite p x y)"),
    (terms.iff(P, terms.lt(X, Y)), "(= p (< x y))"),
    (terms.implies(P, terms.eq(X, Y)), "(=> p (= x y))"),
    (terms.real_const(-1, 3), "(/ (- 1.0) 3.0)"),
    (terms.real_const(7), "7.0"),
    (terms.lt(terms.to_real(X), R), "(< (to_real x) r)"),
    (terms.to_int(R), "(to_int r)"),
    (terms.bv("bvadd", V, BV5), "(bvadd v #x00000005)"),
    (terms.bv_const(5, 3), "#b101"),
    (terms.bv_extract(V, 3, 9), "((_ extract 9 3) v)"),
    (terms.bv_sext(V, 8), "((_ sign_extend 8) v)"),
    (terms.bv_zext(V, 8), "((_ zero_extend 8) v)"),
    (terms.bv_rotate(V, 3), "((_ rotate_left 3) v)"),
    (terms.bv_comp(V, W), "(bvcomp v w)"),
    (terms.select(terms.store(A, X, Y), Y), "(select (store a x y) y)"),
    (terms.const_array(terms.INT, Y), "((as const (Array Int Int)) y)"),
    (
        terms.forall([X], terms.exists([Y], terms.lt(X, Y))),
        "(forall ((x Int)) (exists ((y Int)) (< x y)))",
    ),
    (terms.real_div(R, terms.symbol("r2", terms.REAL)), "(/ r r2)"),
    (terms.symbol("main.i!2", terms.INT), "main.i!2"),
    (terms.symbol("5 odd (name)", terms.INT), "|5 odd (name)|"),
    (terms.symbol("let", terms.INT), "|let|"),
]


@pytest.mark.parametrize(("term", "text"), GOLDEN, ids=[t for _, t in GOLDEN])
def test_a_term_has_its_text_and_comes_back(term, text):
    assert print_term(term) == text
    names = NAMES | {s.symbol_name(): s for s in terms.free_symbols(term)}
    assert parse_term(text, names) is term


def test_shared_terms_are_named_once_level_by_level():
    total = terms.plus(X, Y)
    product = terms.times(total, total)
    both = terms.and_([terms.lt(product, X), terms.lt(product, Y)])
    text = "(let ((?1 (+ x y))) (let ((?2 (* ?1 ?1))) (and (< ?2 x) (< ?2 y))))"
    assert print_term(both) == text
    assert parse(text) is both


def test_let_never_leaves_the_scope_of_a_bound_variable():
    total = terms.plus(X, Y)
    body = terms.lt(terms.times(total, total), Y)
    formula = terms.and_([terms.lt(total, Y), terms.forall([X], body), terms.lt(Y, total)])
    text = print_term(formula)
    assert "(forall ((x Int)) (let ((?2 (+ x y)))" in text
    assert parse(text) is formula


def test_names_of_lets_avoid_the_symbols_of_the_term():
    odd = terms.symbol("?1", terms.INT)
    total = terms.plus(odd, X)
    term = terms.times(total, total)
    assert print_term(term) == "(let ((??1 (+ ?1 x))) (* ??1 ??1))"


def test_sharing_stays_linear():
    term = X
    for _ in range(200):
        term = terms.plus(term, term)
    text = print_term(term)
    assert len(text) < 10_000
    assert parse(text) is term


def test_deeply_nested_nodes_survive():
    term = X
    for i in range(5_000):
        term = terms.ite(terms.lt(term, Y), terms.plus(term, X), terms.int_const(i))
    nested = V
    for _ in range(10_000):
        nested = terms.bv("bvxor", terms.bv_not(nested), V)
    nested = terms.ite(P, terms.ite(terms.not_(P), nested, W), W)
    for deep in (term, nested):
        assert parse(print_term(deep)) is deep


def test_ites_nested_in_their_first_branch_have_a_width():
    term = V
    for i in range(5_000):
        term = terms.ite(terms.eq(W, terms.bv_const(i, 32)), term, W)
    assert terms.bv_width(terms.bv("bvadd", term, V)) == 32


READ = [
    ("(=> p p (< x y))", "(=> p (=> p (< x y)))"),
    ("(< x y x)", "(and (< x y) (< y x))"),
    ("(>= x y)", "(<= y x)"),
    ("(= x y x)", "(and (= x y) (= y x))"),
    ("(distinct x y)", "(not (= x y))"),
    ("(xor p p)", "(not (= p p))"),
    ("(- x)", "(* (- 1) x)"),
    ("(- x y 1)", "(- (- x y) 1)"),
    ("(- (- 5))", "5"),
    ("(+ r 1)", "(+ r 1.0)"),
    ("(<= 0 r)", "(<= 0.0 r)"),
    ("(/ 1 3)", "(/ 1.0 3.0)"),
    ("(/ r 2)", "(* r (/ 1.0 2.0))"),
    ("(abs x)", "(ite (<= 0 x) x (* (- 1) x))"),
    ("((_ divisible 3) x)", "(= (mod x 3) 0)"),
    ("(is_int r)", "(= (to_real (to_int r)) r)"),
    ("(bvadd v w v)", "(bvadd (bvadd v w) v)"),
    ("(bvuge v w)", "(bvule w v)"),
    ("(bvxnor v w)", "(bvnot (bvxor v w))"),
    ("((_ rotate_right 1) v)", "((_ rotate_left 31) v)"),
    ("((_ repeat 2) ((_ extract 0 0) v))", None),
    ("(_ bv5 32)", "#x00000005"),
    ("(let ((x y) (y x)) (< x y))", "(< y x)"),
    ("(let ((z (+ x 1))) (let ((z (+ z 1))) z))", "(+ (+ x 1) 1)"),
    ("(! (< x y) :named n)", "(< x y)"),
    ("(and)", "true"),
    ("|x|", "x"),
    ("(< x ; comment |\n y)", "(< x y)"),
]


@pytest.mark.parametrize(("text", "meaning"), READ, ids=[t for t, _ in READ])
def test_other_spellings_are_read(text, meaning):
    assert meaning is None or print_term(parse(text)) == meaning
    assert parse(text) is not None


def test_smod_is_the_definition_of_the_standard():
    import z3

    text = print_term(parse("(bvsmod v w)"))
    declarations = "(declare-const v (_ BitVec 32))(declare-const w (_ BitVec 32))"
    solver = z3.Solver()
    solver.set("timeout", 20_000)
    small = "(assert (bvult (bvadd v #x00000008) #x00000010))"
    small += "(assert (bvult (bvadd w #x00000008) #x00000010))"
    solver.from_string(f"{declarations}{small}(assert (not (= (bvsmod v w) {text})))")
    assert solver.check() == z3.unsat


def test_a_let_value_is_not_captured_by_a_quantifier():
    captured = parse("(let ((z (+ x 1))) (forall ((x Int)) (< z x)))")
    assert terms.free_symbols(captured) == {X}
    (bound,) = captured.quantifier_vars()
    assert bound is not X
    assert captured.arg(0) is terms.lt(terms.plus(X, terms.int_const(1)), bound)


def test_a_bound_variable_may_have_another_sort_than_its_name_has_elsewhere():
    formula = parse("(forall ((x Bool) (y Int)) (=> x (< y 0)))")
    assert [str(v.symbol_type()) for v in formula.quantifier_vars()] == ["Bool", "Int"]
    both = parse("(forall ((x Bool) (x!0 Bool) (x!1 Bool)) (and x x!0 x!1))")
    assert len(set(both.quantifier_vars())) == 3


def test_substitution_avoids_capture():
    formula = terms.exists([Y], terms.lt(X, Y))
    moved = terms.substitute(formula, {X: Y})
    assert terms.free_symbols(moved) == {Y}
    assert terms.substitute(formula, {Y: X}) is formula


WRONG = [
    ("(frobnicate x)", "1: unknown operator frobnicate"),
    ("(< x\n  unknown)", "1: unknown symbol unknown"),
    ("(and p\n(< x p))", "2: '<': arguments of the wrong number or sort"),
    ("(and p\n(< x p))", "2: '<': arguments of the wrong number or sort"),
    ("(< x", "1: no closing parenthesis"),
    ("(< x y))", "1: a closing parenthesis too many"),
    ("(ite p x)", "1: 'ite': 2 arguments instead of 3"),
    ("((_ extract 40 0) v)", "1: 'extract': no bits 40 to 0"),
    ("((_ int2bv 8) x)", "1: unknown operator (_ int2bv ...)"),
    ("|x", "1: no closing |"),
    ("()", "1: an empty list is no term"),
    ("x y", "1: 2 expressions instead of 1"),
    ("(exists ((x Foo)) p)", "1: unknown sort Foo"),
    ("(select x y)", "1: 'select': arguments of the wrong number or sort"),
    ("(_ bv5 0)", "1: no width of a bit-vector"),
    ("(let ((x)) x)", "1: a binding of 'let' is a name and a term"),
]


@pytest.mark.parametrize(("text", "message"), WRONG, ids=[t for t, _ in WRONG])
def test_wrong_text_is_an_input_error_with_its_line(text, message):
    with pytest.raises(InputError) as caught:
        parse_term(text, NAMES, "f.smt2")
    assert str(caught.value) == f"f.smt2:{message}"


def test_quantifiers_nested_too_deeply_are_refused():
    deep = "(forall ((x Int)) " * 500 + "p" + ")" * 500
    with pytest.raises(InputError, match="nest too deeply"):
        parse(deep)


def test_a_name_with_a_bar_is_refused():
    with pytest.raises(InputError, match="cannot be written"):
        print_term(terms.symbol("a|b", terms.INT))


@pytest.mark.parametrize("text", ["Int", "(_ BitVec 7)", "(Array Int (Array Bool Real))"])
def test_sorts_round_trip(text):
    assert print_sort(parse_sort(text)) == text


@pytest.mark.parametrize("quantify", [terms.exists, terms.forall])
def test_a_name_that_is_given_is_not_captured_by_a_bound_variable(quantify):
    bound, other = terms.symbol("c!0", terms.INT), terms.symbol("c!0!", terms.INT)
    term = quantify([bound], terms.lt(terms.plus(X, other), bound))
    text = print_term(term, {X: "c!0"})
    assert text.endswith(" ((c!0!! Int)) (< (+ c!0 c!0!) c!0!!))")
    inner = quantify([X], terms.and_([terms.lt(X, Y), terms.exists([bound], terms.lt(X, bound))]))
    assert "(exists ((c!0! Int)) (< c!0 c!0!))" in print_term(inner, {X: "c!0"})
