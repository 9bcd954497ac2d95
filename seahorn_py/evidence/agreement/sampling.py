"""Formulas with quantifiers as tests: true of a state if no instance tried is false.

A universal quantifier below conjunctions and disjunctions only may be moved to the front, so every
instance of the rest follows from the formula; one that is false refutes it.  Instances are tried
for the integers that a state mentions: the values at which a read of the formula reads an address
that was written, these addresses, the numbers of the state and their neighbours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice, product, zip_longest

from seahorn_py.base.records import dataclass
from seahorn_py.evidence.agreement.observable import FarAddress
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.binding import nodes
from seahorn_py.logic.terms.evaluate import NotEvaluable, Value, compile_term
from seahorn_py.logic.terms.linear import linear
from seahorn_py.logic.terms.terms import Term

MAX_PLACES = 6
MAX_INSTANCES = 16


def compile_sampled(term: Term, symbols: Sequence[Term]) -> Callable[[Sequence[Value]], object]:
    """A test of a formula on the values of `symbols`; NotEvaluable as `compile_term`."""
    bound: list[Term] = []
    matrix = _opened(term, bound)
    holds = compile_term(matrix, [*symbols, *bound])
    if not bound:
        return holds
    sorts = [terms.sort_of(symbol) for symbol in bound]
    if any(sort is not terms.INT and not sort.is_bv_type() for sort in sorts):
        raise NotEvaluable("a quantifier over another sort")

    reads = [_reads(matrix, variable, symbols) for variable in bound]
    each = max(2, int(MAX_INSTANCES ** (1 / len(bound))))

    def test(values: Sequence[Value]) -> object:
        choices, places = [], list(_places(values))
        for sort, own in zip(sorts, reads, strict=True):
            numbers = list(islice(dict.fromkeys(_candidates(values, places, own)), each))
            width = None if sort is terms.INT else sort.width
            choices.append(numbers if width is None else [n % (1 << width) for n in numbers])
        tried = islice(product(*choices), MAX_INSTANCES)
        return all(_not_refuted(holds, [*values, *chosen]) for chosen in tried)

    return test


def _not_refuted(holds: Callable[[Sequence[Value]], object], values: Sequence[Value]) -> object:
    try:
        return holds(values)
    except FarAddress:
        return True


@dataclass(frozen=True)
class _Read:
    """A read at `constant + sum of multiples of state values + factor * variable`."""

    factor: int
    constant: int
    summands: tuple[tuple[int, int], ...]

    def hits(self, values: Sequence[Value], place: int) -> Iterator[int]:
        """The value of the variable at which the read is at `place`."""
        distance = place - self.constant
        for position, multiple in self.summands:
            value = values[position]
            if not isinstance(value, int):
                return
            distance -= multiple * value
        if distance % self.factor == 0:
            yield distance // self.factor


def _reads(matrix: Term, variable: Term, symbols: Sequence[Term]) -> list[_Read]:
    """The reads whose index moves with the variable and is otherwise known in a state."""
    position = {symbol: number for number, symbol in enumerate(symbols)}
    found: dict[_Read, None] = {}
    for node in nodes(matrix):
        if not node.is_select() or terms.sort_of(node.arg(1)) is not terms.INT:
            continue
        form = linear(node.arg(1))
        factor = form.coefficients.get(variable, 0)
        rest = {unit: c for unit, c in form.coefficients.items() if unit is not variable}
        if factor and all(unit in position for unit in rest):
            summands = tuple((position[unit], c) for unit, c in rest.items())
            found[_Read(factor, form.constant, summands)] = None
    return list(found)


def _candidates(
    values: Sequence[Value], places: Sequence[int], reads: Sequence[_Read]
) -> Iterator[int]:
    """By turns a value that makes a read hit memory that was written, and another integer."""
    hits = (hit for place in places for read in reads for hit in read.hits(values, place))
    for pair in zip_longest(hits, _numbers(values, places)):
        yield from (number for number in pair if number is not None)


def _places(values: Sequence[Value]) -> Iterator[int]:
    """Addresses at which the memory of a state was written."""
    for value in values:
        if not isinstance(value, int) and hasattr(value, "places"):
            places: Iterable[int] = value.places()
            yield from islice(places, MAX_PLACES)


def _numbers(values: Sequence[Value], places: Sequence[int]) -> Iterator[int]:
    """The integers that a state mentions."""
    numbers = [v for v in values if isinstance(v, int)]
    yield from numbers
    for number in numbers:
        yield from (number - 1, number + 1)
    yield from places


def _opened(term: Term, bound: list[Term]) -> Term:
    """The formula without its universal quantifiers; their variables, made fresh, go to `bound`.

    What is no conjunction or disjunction stays, with the quantifiers in it.
    """
    if not terms.is_quantified(term):
        return term
    built: dict[Term, Term] = {}
    todo = [term]
    while todo:
        node = todo[-1]
        parts = node.args() if node.is_and() or node.is_or() else ()
        missing = [part for part in parts if part not in built]
        if missing:
            todo.extend(missing)
            continue
        todo.pop()
        if node.is_forall():
            fresh = {v: terms.fresh_like(v) for v in node.quantifier_vars()}
            bound.extend(fresh.values())
            built[node] = terms.substitute(node.arg(0), fresh)
        elif parts:
            join = terms.and_ if node.is_and() else terms.or_
            built[node] = join(built[part] for part in parts)
        else:
            built[node] = node
    return built[term]
