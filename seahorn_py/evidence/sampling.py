"""Formulas with quantifiers as tests: true of a state if no instance tried is false.

A universal quantifier below conjunctions and disjunctions only may be moved to the front, so every
instance of the rest follows from the formula; one that is false refutes it.  Instances are tried
for the integers that a state mentions: its numbers, their neighbours, and the addresses at which
its memory was written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice, product

from seahorn_py.logic import terms
from seahorn_py.logic.evaluate import NotEvaluable, Value, compile_term
from seahorn_py.logic.terms import Term

MAX_PLACES = 12
MAX_NUMBERS = 24
MAX_INSTANCES = 200


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

    def test(values: Sequence[Value]) -> object:
        numbers = list(islice(dict.fromkeys(_numbers(values)), MAX_NUMBERS))
        choices = [
            numbers if sort is terms.INT else [n % (1 << sort.width) for n in numbers]
            for sort in sorts
        ]
        tried = islice(product(*choices), MAX_INSTANCES)
        return all(holds([*values, *chosen]) for chosen in tried)

    return test


def _numbers(values: Sequence[Value]) -> Iterator[int]:
    """The integers that a state mentions, those of its memory first."""
    for value in values:
        if not isinstance(value, int) and hasattr(value, "places"):
            places: Iterable[int] = value.places()
            yield from islice(places, MAX_PLACES)
    numbers = [v for v in values if isinstance(v, int)]
    yield from numbers
    for number in numbers:
        yield from (number - 1, number + 1)


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
