"""Terms as people read them."""

from seahorn_py.logic.terms import terms as t
from seahorn_py.logic.text.infix import print_infix

X, Y = t.symbol("f.x", t.INT), t.symbol("f.y", t.INT)
NAMES = {X: "x", Y: "y"}


def test_comparisons_and_sums() -> None:
    term = t.and_([t.le(X, Y), t.not_(t.eq(X, t.plus(Y, t.int_const(-3))))])
    assert print_infix(term, NAMES) == "(x <= y) && (x != (y + -3))"


def test_a_negated_comparison_flips() -> None:
    assert print_infix(t.not_(t.lt(X, Y)), NAMES) == "x >= y"


def test_functions_without_an_operator_keep_their_name() -> None:
    assert print_infix(t.eq(t.mod(X, t.int_const(4)), Y), NAMES) == "mod(x, 4) == y"


def test_bit_vectors_are_shown_signed() -> None:
    b = t.symbol("f.b", t.bv_sort(8))
    assert print_infix(t.bv("bvsle", b, t.bv_const(255, 8)), {b: "b"}) == "b <= -1"


def test_a_deep_term_prints() -> None:
    term = X
    for i in range(5_000):
        term = t.times(t.plus(term, t.int_const(1)), Y) if i % 2 else t.plus(term, Y)
    assert print_infix(term, NAMES).endswith("* y")


def test_indices_of_bit_vector_operators_are_shown() -> None:
    b = t.symbol("f.b", t.bv_sort(8))
    low, high = t.bv_extract(b, 0, 3), t.bv_extract(b, 4, 7)
    assert print_infix(t.eq(low, high), {b: "b"}) == "bv_extract(b, 3, 0) == bv_extract(b, 7, 4)"
    assert print_infix(t.bv_zext(b, 8), {b: "b"}) == "bv_zext(b, 8)"
    assert print_infix(t.bv_sext(b, 24), {b: "b"}) == "bv_sext(b, 24)"


def test_what_shares_its_parts_is_cut_short() -> None:
    term = X
    for _ in range(200):
        term = t.plus(term, t.mod(term, t.int_const(7)))
    text = print_infix(t.and_([t.le(X, Y), t.le(term, Y)]), NAMES)
    assert text == "(x <= y) && (... <= y)"
