"""The values among which a symbol is chosen that nothing gives a value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import lcm

from seahorn_py.base.records import dataclass
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.binding import nodes
from seahorn_py.logic.terms.evaluate import Value
from seahorn_py.logic.terms.maps import Everywhere
from seahorn_py.logic.terms.terms import Term

MOST_CHOSEN = 24
"""Values of one number."""


MOST_DRAWN = 2
"""Constants that a number is compared with, where only some of its values are tried."""


DISTANCES = (*range(13), 16, 20, 25, 32, 40, 50, 64, 80, 100)
"""How far numbers are from those that a spread is around."""


class TooMany(Exception):
    """A symbol that may have too many values, or a term that cannot be computed."""


ANY: tuple[Value, ...] = ()
"""The values of a symbol that is only handed on."""


def representatives(symbol: Term, parts: Sequence[Term], head: Sequence[Term]) -> tuple[Value, ...]:
    """Values that stand for all that make the conjuncts true; TooMany where they are many."""
    low, high = _bounds(symbol, parts)
    uses = [use for whole in (*parts, *head) if whole is not symbol for use in _uses(symbol, whole)]
    if not uses and (terms.sort_of(symbol) is terms.BOOL or low < high):
        return ANY
    if terms.sort_of(symbol) is terms.BOOL:
        return (True, False)
    if terms.sort_of(symbol) is not terms.INT:
        raise TooMany(f"{symbol} may have any value")
    periods = {use.period for use in uses}
    if symbol not in head and periods == {0}:
        found = _between(low, high, {use.constant for use in uses})
    elif symbol not in head and not periods & {0, 1} and high - low >= lcm(*periods):
        found = tuple(range(low, min(high, low + lcm(*periods) - 1, low + MOST_CHOSEN) + 1))
    else:
        found = tuple(range(low, min(high, low + MOST_CHOSEN) + 1))
    if len(found) > MOST_CHOSEN:
        raise TooMany(f"{symbol} may have too many values")
    return found


def drawn(symbol: Term, parts: Sequence[Term], head: Sequence[Term]) -> tuple[Value, ...]:
    """A few of the values: the number nearest to 0, and those that it is compared with.

    TooMany where the symbol is no number, no truth value and no array of numbers.
    """
    sort = terms.sort_of(symbol)
    if sort is terms.BOOL:
        return (False, True)
    if sort.is_array_type() and sort.elem_type is terms.INT:
        return (Everywhere(0),)
    if sort is not terms.INT:
        raise TooMany(f"{symbol} is no number")
    low, high = _bounds(symbol, parts)
    uses = [use for whole in (*parts, *head) if whole is not symbol for use in _uses(symbol, whole)]
    compared = [use.constant for use in uses if use.period == 0]
    found = dict.fromkeys((max(low, min(high, 0)), *compared[:MOST_DRAWN]))
    return tuple(number for number in found if low <= number <= high)


def spread(symbol: Term, parts: Sequence[Term], head: Sequence[Term]) -> tuple[Value, ...]:
    """Numbers near 0, near the ends of the range and near those that the symbol is compared with.

    TooMany where the symbol is neither a number nor a truth value.
    """
    if terms.sort_of(symbol) is terms.BOOL:
        return (False, True)
    if terms.sort_of(symbol).is_bv_type():
        return _spread_of_bits(terms.bv_width(symbol), (*parts, *head))
    if terms.sort_of(symbol) is not terms.INT:
        raise TooMany(f"{symbol} is no number")
    low, high = _bounds(symbol, parts)
    uses = [use for whole in (*parts, *head) if whole is not symbol for use in _uses(symbol, whole)]
    middles = {max(low, min(high, 0)), *(use.constant for use in uses if use.period == 0)}
    near = {middle + sign * k for middle in middles for k in DISTANCES for sign in (1, -1)}
    return tuple(number for number in sorted(near) if low <= number <= high)


def _spread_of_bits(width: int, used: Iterable[Term]) -> tuple[Value, ...]:
    """Bits of numbers near 0, and near constants of that width."""
    constants = {node for whole in used for node in nodes(whole) if node.is_bv_constant()}
    middles = {0, *(terms.number(c) for c in constants if terms.bv_width(c) == width)}
    near = {middle + sign * k for middle in middles for k in DISTANCES for sign in (1, -1)}
    return tuple(sorted({number % (1 << width) for number in near}))


def _between(low: int, high: int, constants: Iterable[int]) -> tuple[Value, ...]:
    """Constants, and a number from each gap between them."""
    inside = sorted(k for k in constants if low <= k <= high)
    found = dict.fromkeys(k for at in (low, *inside, high) for k in (at, at + 1))
    return tuple(k for k in found if low <= k <= high)


@dataclass(frozen=True)
class _Use:
    """A number is compared with a constant, or divided by a `period`, which is 1 for other uses."""

    period: int = 0
    constant: int = 0


_ENDLESS = 1 << 200


def _bounds(symbol: Term, parts: Iterable[Term]) -> tuple[int, int]:
    """The range that conjuncts give a number."""
    low, high = -_ENDLESS, _ENDLESS
    for part in parts:
        if part.is_le():
            one, other = part.args()
            if one is symbol and other.is_constant():
                high = min(high, terms.number(other))
            elif other is symbol and one.is_constant():
                low = max(low, terms.number(one))
    return low, high


def _uses(symbol: Term, whole: Term) -> Iterator[_Use]:
    """How a term uses a symbol; a conjunct that is a bound does not."""
    if whole.is_le() and symbol in whole.args() and any(a.is_constant() for a in whole.args()):
        return
    for node in nodes(whole):
        if symbol not in node.args():
            continue
        other = next((a for a in node.args() if a is not symbol), None)
        if other is None or not other.is_int_constant():
            yield _Use(1)
        elif node.is_equals() or node.is_le() or node.is_lt():
            yield _Use(0, terms.number(other))
        else:
            is_rest = node.is_function_application() and node.function_name().symbol_name() == "mod"
            yield _Use(max(1, abs(terms.number(other)))) if is_rest else _Use(1)
