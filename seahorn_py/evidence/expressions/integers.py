"""Comparisons of unbounded integers as C expressions: linear forms, bounds, `long long`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import gcd

from seahorn_py.base.records import dataclass
from seahorn_py.evidence.expressions.lvalue import Lvalue, as_signed, as_unsigned, number
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.linear import Linear, linear
from seahorn_py.logic.terms.terms import Term

LONG = (-(1 << 63), (1 << 63) - 1)
Range = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Text:
    """An expression with the bounds of its value.

    Its type is long long if it `is_wide`; `is_unsigned` if comparing converts to an unsigned type.
    """

    text: str
    range: Range
    is_wide: bool = True
    is_unsigned: bool = False


class IntegerText:
    """Writes comparisons; the bounds that `conjuncts` give single variables are relied on.

    Whoever joins the expressions by `&&` must put those bounds first.
    """

    def __init__(self, leaves: Mapping[Term, Lvalue], conjuncts: Iterable[Term]) -> None:
        self._leaves = leaves
        self._ranges = {symbol: leaf.range for symbol, leaf in leaves.items()}
        for part in conjuncts:
            bound = self._bound(part)
            if bound is not None:
                symbol, (low, high) = bound
                known = self._ranges[symbol]
                self._ranges[symbol] = max(low, known[0]), min(high, known[1])

    def is_bound(self, term: Term) -> bool:
        """The term compares one variable with a number."""
        return self._bound(term) is not None

    def is_implied(self, term: Term) -> bool:
        """The term is a bound that another one makes superfluous."""
        bound = self._bound(term)
        if bound is None:
            return False
        symbol, (low, high) = bound
        least, most = self._ranges[symbol]
        widest = self._leaves[symbol].range
        return not (low == least > widest[0] or high == most < widest[1])

    def _bound(self, term: Term) -> tuple[Term, Range] | None:
        form = _at_most_zero(term)
        if form is None:
            return None
        least, is_equal = form
        least = _divided(least, "==" if is_equal else "<=")
        if len(least.coefficients) != 1:
            return None
        ((symbol, factor),) = least.coefficients.items()
        if symbol not in self._leaves or abs(factor) != 1:
            return None
        limit = -least.constant * factor
        low, high = self._leaves[symbol].range
        if is_equal:
            return symbol, (limit, limit)
        return symbol, ((low, limit) if factor > 0 else (limit, high))

    # --------------------------------------------------------------------------- comparisons

    def comparison(self, term: Term, positive: bool) -> str | None:
        """`term` or its negation; "" if the types alone make it true."""
        form = _at_most_zero(term if positive else terms.not_(term))
        if form is not None:
            least, is_equal = form
            return self._compared(least, "==" if is_equal else "<=")
        if term.is_equals():
            return self._compared(linear(term.arg(0)).plus(linear(term.arg(1)), -1), "!=")
        return None

    def _compared(self, form: Linear, operator: str) -> str | None:
        """`form operator 0`, with what is positive on the left."""
        divided = _divided(form, operator)
        if not divided.coefficients:
            holds = {"<=": divided.constant <= 0, "==": divided.constant == 0}
            return "" if holds.get(operator, divided.constant != 0) else "0"
        left = {u: c for u, c in divided.coefficients.items() if c > 0}
        right = {u: -c for u, c in divided.coefficients.items() if c < 0}
        constant = divided.constant
        if not left:
            return self._single(right, -constant, operator, {"<=": ">="})
        if not right:
            return self._single(left, -constant, operator, {})
        strict = operator == "<=" and constant == 1
        one = self._sum(left, 0 if strict else max(constant, 0))
        other = self._sum(right, max(-constant, 0))
        if one is None or other is None:
            return None
        return _compare(one, "<" if strict else operator, other)

    def _single(
        self,
        parts: Mapping[Term, int],
        constant: int,
        operator: str,
        flipped: Mapping[str, str],
    ) -> str | None:
        """`parts operator constant`; for `flipped`, `-parts operator constant` turned around."""
        limit = -constant if flipped else constant
        one = self._sum(parts, 0)
        if one is None:
            return None
        low, high = one.range
        sign = flipped.get(operator, operator)
        if (sign == "<=" and high <= limit and not self._is_known(parts)) or (
            sign == ">=" and low >= limit and not self._is_known(parts)
        ):
            return ""
        if _is_impossible(one.range, sign, limit):
            return "0"
        other = number(limit)
        return (
            None
            if other is None
            else _compare(one, sign, Text(other, (limit, limit), is_wide=False))
        )

    def _is_known(self, parts: Mapping[Term, int]) -> bool:
        """The bounds of a variable come from conjuncts, not from its type alone."""
        return any(u in self._leaves and self._ranges[u] != self._leaves[u].range for u in parts)

    # ------------------------------------------------------------------------------- sums

    def _sum(self, parts: Mapping[Term, int], constant: int) -> Text | None:
        """A sum with positive factors; all of it in long long unless it is one variable."""
        if len(parts) == 1 and not constant and set(parts.values()) == {1}:
            return self._unit(next(iter(parts)))
        texts, low, high = [], 0, 0
        for unit, factor in parts.items():
            found = self._unit(unit)
            wide = None if found is None else _widened(found)
            scale = number(factor)
            if found is None or wide is None or scale is None:
                return None
            texts.append(wide if factor == 1 else f"{scale} * {wide}")
            low += factor * found.range[0]
            high += factor * found.range[1]
            if not _fits((low, high)):
                return None
        last = number(constant)
        bounds = low + constant, high + constant
        if last is None or not _fits(bounds):
            return None
        return Text(" + ".join([*texts, last] if constant else texts), bounds)

    def _unit(self, unit: Term) -> Text | None:
        leaf = self._leaves.get(unit)
        if leaf is not None:
            name = as_signed(leaf) if leaf.signed else as_unsigned(leaf)
            unsigned = leaf.width >= 32 and not leaf.signed
            return None if name is None else Text(name, self._ranges[unit], False, unsigned)
        if unit.is_times():
            return self._product(unit.args())
        if unit.is_function_application() and len(unit.args()) == 2:
            return self._remainder(str(unit.function_name()), *unit.args())
        return None

    def _product(self, factors: Sequence[Term]) -> Text | None:
        texts, low, high = [], 1, 1
        for factor in factors:
            found = self._of(factor)
            wide = None if found is None else _widened(found)
            if found is None or wide is None:
                return None
            texts.append(wide)
            corners = [a * b for a in (low, high) for b in found.range]
            low, high = min(corners), max(corners)
            if not _fits((low, high)):
                return None
        return Text(f"({' * '.join(texts)})", (low, high))

    def _remainder(self, operator: str, value: Term, divisor: Term) -> Text | None:
        """Euclidean `mod` or `div` by a positive number, of what is not negative or `mod` of it."""
        found = self._of(value)
        wide = None if found is None else _widened(found)
        if found is None or wide is None or not divisor.is_int_constant():
            return None
        by = int(divisor.constant_value())
        text = number(by)
        if text is None or by <= 0 or operator not in ("mod", "div"):
            return None
        low, high = found.range
        if operator == "mod":
            plain = f"{wide} % {text}"
            if low < 0:
                plain = f"({plain} + {text}) % {text}"
            return Text(f"({plain})", (0, by - 1))
        return Text(f"({wide} / {text})", (low // by, high // by)) if low >= 0 else None

    def _of(self, term: Term) -> Text | None:
        """Any term, in parentheses unless it is one unit."""
        form = linear(term)
        if len(form.coefficients) == 1 and not form.constant:
            ((unit, factor),) = form.coefficients.items()
            if factor == 1:
                return self._unit(unit)
        if any(c < 0 for c in form.coefficients.values()):
            return self._difference(form)
        whole = self._sum(form.coefficients, form.constant)
        return None if whole is None else Text(f"({whole.text})", whole.range)

    def _difference(self, form: Linear) -> Text | None:
        one = self._sum({u: c for u, c in form.coefficients.items() if c > 0}, form.constant)
        other = self._sum({u: -c for u, c in form.coefficients.items() if c < 0}, 0)
        if one is None or other is None:
            return None
        low, high = one.range[0] - other.range[1], one.range[1] - other.range[0]
        left, right = _widened(one) if one.text else "0", _widened(other)
        if left is None or right is None or not _fits((low, high)):
            return None
        return Text(f"({left} - ({right}))", (low, high))


def _at_most_zero(term: Term) -> tuple[Linear, bool] | None:
    """The form `f` of a comparison `f <= 0`, or `f == 0` and True; None for others."""
    if term.is_not() and (term.arg(0).is_le() or term.arg(0).is_lt()):
        right, left = term.arg(0).args()
        strict = term.arg(0).is_le()
    elif term.is_le() or term.is_lt() or term.is_equals():
        left, right = term.args()
        strict = term.is_lt()
    else:
        return None
    if terms.sort_of(left) is not terms.INT:
        return None
    form = linear(left).plus(linear(right), -1)
    return Linear(form.coefficients, form.constant + strict), bool(term.is_equals())


def _divided(form: Linear, operator: str) -> Linear:
    """The form over the common factor of its coefficients; a bound is rounded."""
    common = gcd(*form.coefficients.values()) if form.coefficients else 1
    if common == 1 or (operator != "<=" and form.constant % common):
        return form
    parts = {u: c // common for u, c in form.coefficients.items()}
    # f <= 0 with f = common * g + constant means g <= -constant / common, rounded down
    return Linear(parts, -((-form.constant) // common))


def _compare(one: Text, operator: str, other: Text) -> str | None:
    """A comparison after C's conversions; sides of different signedness are widened."""
    negative = one.range[0] < 0, other.range[0] < 0
    if (one.is_unsigned and negative[1]) or (other.is_unsigned and negative[0]):
        left, right = _widened(one), _widened(other)
        return None if left is None or right is None else f"{left} {operator} {right}"
    return f"{one.text} {operator} {other.text}"


def _is_impossible(bounds: Range, operator: str, limit: int) -> bool:
    low, high = bounds
    match operator:
        case "<=":
            return low > limit
        case ">=":
            return high < limit
        case _:
            return operator == "==" and not low <= limit <= high


def _fits(bounds: Range) -> bool:
    """Values within the bounds fit a long long."""
    return LONG[0] <= bounds[0] <= bounds[1] <= LONG[1]


def _widened(found: Text) -> str | None:
    """The expression as a long long; None if its values do not fit."""
    if found.is_wide:
        return found.text
    if not _fits(found.range):
        return None
    if found.text.lstrip("-").removesuffix("LL").isdigit():
        return found.text
    return f"(long long){found.text}"
