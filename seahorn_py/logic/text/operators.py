"""The operators of SMT-LIB's theories as constructors of terms, for readers.

What a printer of ours writes is rebuilt exactly, node for node; what the term language lacks
(`distinct`, `abs`, `bvsmod`, `bvnand`, ...) is written out by its definition in the standard.
Integers among reals are converted, as every solver does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import reduce
from itertools import combinations, pairwise

from pysmt import operators as op
from pysmt.environment import get_env

from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import BOOL, INT, REAL, Sort, Term

Arguments = Sequence[Term]
Constructor = Callable[[Arguments], Term]

_manager = get_env().formula_manager


class Malformed(Exception):
    """An operator with the wrong number or sort of arguments; the text says what is wrong."""


# ------------------------------------------------------------------------------------- the tables


def plain(name: str) -> Constructor | None:
    """The constructor of an operator without indices, None for an unknown one."""
    return _PLAIN.get(name)


def indexed(name: str, indices: Sequence[int]) -> Constructor | None:
    """The constructor of `(_ name indices)`, None for an unknown one."""
    if (name, len(indices)) not in _INDEXED:
        return None
    make = _INDEXED[name, len(indices)]
    return lambda arguments: make(_only(arguments), *indices)


def const_array(sort: Sort) -> Constructor:
    """The constructor of `(as const sort)`."""
    if not sort.is_array_type():
        raise Malformed("'as const' needs an array sort")
    return lambda arguments: terms.const_array(sort.index_type, _only(arguments))


# ---------------------------------------------------------------------------------------- shapes


def _only(arguments: Arguments) -> Term:
    if len(arguments) != 1:
        raise Malformed(f"{len(arguments)} arguments instead of 1")
    return arguments[0]


def _two(make: Callable[[Term, Term], Term]) -> Constructor:
    def build(arguments: Arguments) -> Term:
        if len(arguments) != 2:
            raise Malformed(f"{len(arguments)} arguments instead of 2")
        return make(*arguments)

    return build


def _three(make: Callable[[Term, Term, Term], Term]) -> Constructor:
    def build(arguments: Arguments) -> Term:
        if len(arguments) != 3:
            raise Malformed(f"{len(arguments)} arguments instead of 3")
        return make(*arguments)

    return build


def _one(make: Callable[[Term], Term]) -> Constructor:
    return lambda arguments: make(_only(arguments))


def _left(make: Callable[[Term, Term], Term]) -> Constructor:
    def build(arguments: Arguments) -> Term:
        if len(arguments) < 2:
            raise Malformed("less than 2 arguments")
        return reduce(make, arguments)

    return build


def _right(make: Callable[[Term, Term], Term]) -> Constructor:
    def build(arguments: Arguments) -> Term:
        if len(arguments) < 2:
            raise Malformed("less than 2 arguments")
        return reduce(lambda later, earlier: make(earlier, later), reversed(arguments))

    return build


def _chain(make: Callable[[Term, Term], Term]) -> Constructor:
    def build(arguments: Arguments) -> Term:
        if len(arguments) < 2:
            raise Malformed("less than 2 arguments")
        return _manager.And([make(a, b) for a, b in pairwise(_same_numbers(arguments))])

    return build


def _same_numbers(arguments: Arguments) -> Arguments:
    """Integers become reals when a real is among the arguments."""
    if len(arguments) == 2 and terms.sort_of(arguments[0]) is terms.sort_of(arguments[1]):
        return arguments
    sorts = {terms.sort_of(a) for a in arguments}
    return [terms.to_real(a) for a in arguments] if sorts == {INT, REAL} else arguments


# ----------------------------------------------------------------------------------- core, numbers


def _equal(left: Term, right: Term) -> Term:
    kind = op.IFF if terms.sort_of(left) is BOOL else op.EQUALS
    return _manager.create_node(kind, (left, right))


def _distinct(arguments: Arguments) -> Term:
    pairs = combinations(_same_numbers(arguments), 2)
    return _manager.And([_manager.Not(_equal(a, b)) for a, b in pairs])


def _xor(left: Term, right: Term) -> Term:
    return _manager.Not(_manager.Iff(left, right))


def _ite(condition: Term, then: Term, otherwise: Term) -> Term:
    return _manager.Ite(condition, *_same_numbers([then, otherwise]))


def _plus(arguments: Arguments) -> Term:
    return _manager.Plus(_same_numbers(arguments))


def _times(arguments: Arguments) -> Term:
    return _manager.Times(_same_numbers(arguments))


def _minus(arguments: Arguments) -> Term:
    if len(arguments) != 1:
        return _left(_manager.Minus)(_same_numbers(arguments))
    term = arguments[0]
    if term.is_int_constant():
        return terms.int_const(-terms.number(term))
    if term.is_real_constant():
        return _manager.Real(-Fraction(term.constant_value()))
    minus_one = terms.int_const(-1) if terms.sort_of(term) is INT else terms.real_const(-1)
    return _manager.Times(minus_one, term)


def _quotient(left: Term, right: Term) -> Term:
    left, right = terms.to_real(left), terms.to_real(right)
    if left.is_real_constant() and right.is_real_constant() and right.constant_value():
        return _manager.Real(Fraction(left.constant_value()) / right.constant_value())
    return terms.real_div(left, right)


def _integers(name: str) -> Callable[[Term, Term], Term]:
    function = _manager.Symbol(name, terms.RESERVED[name])
    return lambda a, b: _manager.Function(function, (a, b))


def _abs(term: Term) -> Term:
    return _manager.Ite(_manager.LE(_zero_like(term), term), term, _minus([term]))


def _zero_like(term: Term) -> Term:
    return terms.int_const(0) if terms.sort_of(term) is INT else terms.real_const(0)


def _is_int(term: Term) -> Term:
    return _manager.Equals(terms.to_real(terms.to_int(term)), term)


def _divisible(term: Term, divisor: int) -> Term:
    if divisor <= 0:
        raise Malformed("'divisible' needs a positive index")
    return _manager.Equals(terms.mod(term, terms.int_const(divisor)), terms.int_const(0))


# ------------------------------------------------------------------------------------ bit-vectors


def _bv(name: str) -> Callable[[Term, Term], Term]:
    return lambda a, b: terms.bv(name, a, b)


def _bv_negated(name: str) -> Callable[[Term, Term], Term]:
    return lambda a, b: terms.bv_not(terms.bv(name, a, b))


def _bv_flipped(name: str) -> Callable[[Term, Term], Term]:
    return lambda a, b: terms.bv(name, b, a)


def _smod(left: Term, right: Term) -> Term:
    """SMT-LIB's definition: the sign follows the divisor."""
    zero = terms.bv_const(0, terms.bv_width(left))
    low, negative = terms.bv("bvslt", left, zero), terms.bv("bvslt", right, zero)
    size = terms.ite(low, terms.bv_neg(left), left)
    by = terms.ite(negative, terms.bv_neg(right), right)
    rest = terms.bv("bvurem", size, by)
    same_sign = terms.ite(low, terms.bv_neg(rest), rest)
    moved = terms.bv("bvadd", same_sign, right)
    keep = terms.or_([terms.eq(rest, zero), terms.iff(low, negative)])
    return terms.ite(keep, same_sign, moved)


def _signed_value(term: Term) -> Term:
    width = terms.bv_width(term)
    plain_value = terms.bv_to_int(term)
    below = terms.bv("bvslt", term, terms.bv_const(0, width))
    return terms.ite(below, terms.minus(plain_value, terms.int_const(1 << width)), plain_value)


def _extract(term: Term, high: int, low: int) -> Term:
    if not 0 <= low <= high < terms.bv_width(term):
        raise Malformed(f"no bits {high} to {low}")
    return terms.bv_extract(term, low, high)


def _extend(kind: int) -> Callable[[Term, int], Term]:
    def make(term: Term, by: int) -> Term:
        return _manager.create_node(kind, (term,), (terms.bv_width(term) + by, by))

    return make


def _rotate_right(term: Term, by: int) -> Term:
    return terms.bv_rotate(term, -by)


def _repeat(term: Term, count: int) -> Term:
    if count < 1:
        raise Malformed("'repeat' needs a positive index")
    return reduce(_bv("concat"), [term] * count)


_PLAIN: dict[str, Constructor] = {
    "not": _one(_manager.Not),
    "and": _manager.And,
    "or": _manager.Or,
    "=>": _right(_manager.Implies),
    "implies": _right(_manager.Implies),
    "xor": _left(_xor),
    "=": _chain(_equal),
    "iff": _chain(_equal),
    "distinct": _distinct,
    "ite": _three(_ite),
    "if": _three(_ite),
    "+": _plus,
    "-": _minus,
    "*": _times,
    "/": _left(_quotient),
    "div": _left(_integers("div")),
    "mod": _two(_integers("mod")),
    "abs": _one(_abs),
    "<=": _chain(_manager.LE),
    "<": _chain(_manager.LT),
    ">=": _chain(_manager.GE),
    ">": _chain(_manager.GT),
    "to_real": _one(terms.to_real),
    "to_int": _one(terms.to_int),
    "is_int": _one(_is_int),
    "select": _two(terms.select),
    "store": _three(terms.store),
    "concat": _left(_bv("concat")),
    "bvnot": _one(terms.bv_not),
    "bvneg": _one(terms.bv_neg),
    "bvcomp": _two(terms.bv_comp),
    "bvnand": _two(_bv_negated("bvand")),
    "bvnor": _two(_bv_negated("bvor")),
    "bvxnor": _two(_bv_negated("bvxor")),
    "bvsmod": _two(_smod),
    "bvugt": _two(_bv_flipped("bvult")),
    "bvuge": _two(_bv_flipped("bvule")),
    "bvsgt": _two(_bv_flipped("bvslt")),
    "bvsge": _two(_bv_flipped("bvsle")),
    "bv2nat": _one(terms.bv_to_int),
    "ubv_to_int": _one(terms.bv_to_int),
    "sbv_to_int": _one(_signed_value),
    **{n: _left(_bv(n)) for n in ("bvadd", "bvmul", "bvand", "bvor", "bvxor", "bvsub")},
    **{n: _two(_bv(n)) for n in ("bvudiv", "bvurem", "bvsdiv", "bvsrem")},
    **{n: _two(_bv(n)) for n in ("bvshl", "bvlshr", "bvashr")},
    **{n: _two(_bv(n)) for n in ("bvult", "bvule", "bvslt", "bvsle")},
}

_INDEXED: dict[tuple[str, int], Callable[..., Term]] = {
    ("extract", 2): _extract,
    ("zero_extend", 1): _extend(op.BV_ZEXT),
    ("sign_extend", 1): _extend(op.BV_SEXT),
    ("rotate_left", 1): terms.bv_rotate,
    ("rotate_right", 1): _rotate_right,
    ("repeat", 1): _repeat,
    ("divisible", 1): _divisible,
}
