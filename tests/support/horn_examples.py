"""Small Horn systems with known answers, written out clause by clause, for every engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from seahorn_py.base.errors import NOWHERE
from seahorn_py.horn.system import (
    Atom,
    Check,
    CheckId,
    HornSystem,
    Parameter,
    Query,
    Relation,
    Rule,
)
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import BOOL, INT, REAL, Sort, Term, array_sort, bv_sort

BYTE = bv_sort(8)
ARRAY = array_sort(INT, INT)


@dataclass(frozen=True)
class Example:
    name: str
    system: HornSystem
    safe: bool


def number(value: int) -> Term:
    return terms.int_const(value)


def variables(names: str, sort: Sort = INT) -> list[Term]:
    """`e.i`-like names: one name has one sort in a process."""
    return [terms.symbol(f"{name}.{sort}", sort) for name in names.split()]


def relation(name: str, *sorts: Sort) -> Relation:
    return Relation(
        name,
        tuple(Parameter(terms.symbol(f"{name}#{i}.{s}", s)) for i, s in enumerate(sorts)),
    )


def query(name: str = "error") -> Query:
    return Query(name, Check(CheckId("unreach-call", name, NOWHERE), 0))


def system(
    relations: Sequence[Relation], *rules: tuple[Sequence[Atom], Term, Atom | Query]
) -> HornSystem:
    return HornSystem(
        {r.name: r for r in relations},
        tuple(
            Rule(f"rule {position}", tuple(body), constraint, head)
            for position, (body, constraint, head) in enumerate(rules)
        ),
    )


def atom(name: str, *arguments: Term) -> Atom:
    return Atom(name, arguments)


x, y, z, u, v = variables("x y z u v")
TRUE = terms.TRUE


def counter(limit: int, error_at: int) -> HornSystem:
    """`for (x = 0; x < limit; x++); assert(x != error_at)`"""
    return system(
        [relation("loop", INT)],
        ((), TRUE, atom("loop", number(0))),
        (
            (atom("loop", x),),
            terms.lt(x, number(limit)),
            atom("loop", terms.plus(x, number(1))),
        ),
        ((atom("loop", x),), terms.eq(x, number(error_at)), query()),
    )


def even_odd(start: int) -> HornSystem:
    """Two relations that feed each other; the query asks for an even number that is odd."""
    after = terms.plus(x, number(1))
    return system(
        [relation("even", INT), relation("odd", INT)],
        ((), TRUE, atom("even", number(start))),
        ((atom("even", x),), TRUE, atom("odd", after)),
        ((atom("odd", x),), TRUE, atom("even", after)),
        (
            (atom("even", x),),
            terms.eq(terms.mod(x, number(2)), number(1)),
            query(),
        ),
    )


def mccarthy(error_result: int) -> HornSystem:
    """The 91 function as summary edges; the query asks for a result at an argument below 102."""
    return system(
        [relation("m.entry", INT), relation("m.exit", INT, INT)],
        ((), terms.le(x, number(101)), atom("m.entry", x)),
        (
            (atom("m.entry", x),),
            terms.lt(number(100), x),
            atom("m.exit", x, terms.minus(x, number(10))),
        ),
        (
            (atom("m.entry", x),),
            terms.le(x, number(100)),
            atom("m.entry", terms.plus(x, number(11))),
        ),
        (
            (atom("m.entry", x), atom("m.exit", terms.plus(x, number(11)), y)),
            terms.le(x, number(100)),
            atom("m.entry", y),
        ),
        (
            (
                atom("m.entry", x),
                atom("m.exit", terms.plus(x, number(11)), y),
                atom("m.exit", y, z),
            ),
            terms.le(x, number(100)),
            atom("m.exit", x, z),
        ),
        (
            (atom("m.exit", x, y),),
            terms.and_([terms.le(x, number(101)), terms.not_(terms.eq(y, number(error_result)))]),
            query(),
        ),
    )


def fibonacci(argument: int, error_result: int) -> HornSystem:
    """`assert(fib(argument) != error_result)`: the derivation shares its subproblems."""
    two_less = terms.minus(x, number(2))
    one_less = terms.minus(x, number(1))
    return system(
        [relation("fib", INT, INT)],
        ((), terms.eq(x, number(0)), atom("fib", x, number(0))),
        ((), terms.eq(x, number(1)), atom("fib", x, number(1))),
        (
            (atom("fib", one_less, u), atom("fib", two_less, v)),
            terms.lt(number(1), x),
            atom("fib", x, terms.plus(u, v)),
        ),
        (
            (atom("fib", number(argument), y),),
            terms.eq(y, number(error_result)),
            query(),
        ),
    )


def calls_in_a_row(calls: int) -> HornSystem:
    """`while (x < calls) { y = f(y); x++; }` with `f(n) = 2 n + 1`, and an error behind it."""
    twice = terms.plus(x, x, number(1))
    goes_on = terms.lt(x, number(calls))
    return system(
        [relation("main", INT, INT), relation("f.entry", INT), relation("f.exit", INT, INT)],
        ((), TRUE, atom("main", number(0), number(0))),
        ((atom("main", x, y),), goes_on, atom("f.entry", y)),
        ((atom("f.entry", x),), TRUE, atom("f.exit", x, twice)),
        (
            (atom("main", x, y), atom("f.exit", y, z)),
            goes_on,
            atom("main", terms.plus(x, number(1)), z),
        ),
        ((atom("main", x, y),), terms.le(number(calls), x), query()),
    )


def two_counters(error_difference: int) -> HornSystem:
    """`x` and `y` grow together from any equal start: the invariant relates them."""
    one = number(1)
    return system(
        [relation("pair", INT, INT)],
        ((), terms.le(number(0), x), atom("pair", x, x)),
        ((atom("pair", x, y),), TRUE, atom("pair", terms.plus(x, one), terms.plus(y, one))),
        (
            (atom("pair", x, y),),
            terms.eq(terms.minus(x, y), number(error_difference)),
            query(),
        ),
    )


def array_initialisation(wrong_value: int) -> HornSystem:
    """`for (i = 0; i < n; i++) a[i] = 7; assert(a[k] != wrong_value)` for any `n` and `k < n`."""
    a = terms.symbol("a.array", ARRAY)
    return system(
        [relation("fill", INT, INT, ARRAY)],
        ((), terms.le(number(0), y), atom("fill", number(0), y, a)),
        (
            (atom("fill", x, y, a),),
            terms.lt(x, y),
            atom("fill", terms.plus(x, number(1)), y, terms.store(a, x, number(7))),
        ),
        (
            (atom("fill", x, y, a),),
            terms.and_(
                [
                    terms.le(y, x),
                    terms.le(number(0), z),
                    terms.lt(z, y),
                    terms.eq(terms.select(a, z), number(wrong_value)),
                ]
            ),
            query(),
        ),
    )


def byte_counter(step: int, error_at: int) -> HornSystem:
    """An 8-bit counter from 0 that wraps around."""
    b = terms.symbol("b.byte", BYTE)
    return system(
        [relation("byte", BYTE)],
        ((), TRUE, atom("byte", terms.bv_const(0, 8))),
        ((atom("byte", b),), TRUE, atom("byte", terms.bv("bvadd", b, terms.bv_const(step, 8)))),
        ((atom("byte", b),), terms.eq(b, terms.bv_const(error_at, 8)), query()),
    )


def halving(error_below: int) -> HornSystem:
    """A real number that is halved and stays positive."""
    r, s = variables("r s", REAL)
    half = terms.eq(terms.plus(s, s), r)
    return system(
        [relation("real", REAL)],
        ((), TRUE, atom("real", terms.real_const(1))),
        ((atom("real", r),), half, atom("real", s)),
        ((atom("real", r),), terms.le(r, terms.real_const(error_below, 3)), query()),
    )


def switch(error_when: bool) -> HornSystem:
    """A Boolean that stays what it was at the start."""
    p = terms.symbol("p.bool", BOOL)
    error = p if error_when else terms.not_(p)
    return system(
        [relation("flag", BOOL)],
        ((), TRUE, atom("flag", terms.bool_const(True))),
        ((atom("flag", p),), TRUE, atom("flag", p)),
        ((atom("flag", p),), error, query()),
    )


def nothing_derives() -> HornSystem:
    """`ghost` has no facts, and what rests on it must not be taken for reachable."""
    return system(
        [relation("ghost", INT), relation("next", INT)],
        ((atom("ghost", x),), TRUE, atom("ghost", terms.plus(x, number(1)))),
        ((atom("ghost", x),), TRUE, atom("next", x)),
        ((), TRUE, atom("next", number(0))),
        ((atom("next", x),), terms.eq(x, number(5)), query()),
    )


def irrelevant_arguments() -> HornSystem:
    """`y` and `z` never matter; a refutation must still give them values."""
    return system(
        [relation("wide", INT, INT, ARRAY)],
        ((), TRUE, atom("wide", number(0), y, terms.symbol("a.array", ARRAY))),
        (
            (atom("wide", x, y, terms.symbol("a.array", ARRAY)),),
            TRUE,
            atom("wide", terms.plus(x, number(1)), z, terms.symbol("a.array", ARRAY)),
        ),
        (
            (atom("wide", x, y, terms.symbol("a.array", ARRAY)),),
            terms.eq(x, number(2)),
            query(),
        ),
    )


def twice_in_a_body() -> HornSystem:
    """The same relation twice in a body, once with the same arguments and once swapped."""
    return system(
        [relation("edge", INT, INT), relation("both", INT)],
        ((), TRUE, atom("edge", number(1), number(2))),
        ((), TRUE, atom("edge", number(2), number(1))),
        ((atom("edge", x, y), atom("edge", y, x)), terms.lt(x, y), atom("both", x)),
        ((atom("both", x), atom("both", x)), terms.eq(x, number(1)), query()),
    )


EXAMPLES = (
    Example("no rules", system([]), True),
    Example("no query", system([relation("loop", INT)], ((), TRUE, atom("loop", x))), True),
    Example("query as a fact", system([], ((), TRUE, query())), False),
    Example("query with an unsatisfiable guard", system([], ((), terms.FALSE, query())), True),
    Example("query guarded by inputs", system([], ((), terms.lt(x, y), query())), False),
    Example("relation without facts", nothing_derives(), True),
    Example("bounded counter", counter(10, 11), True),
    Example("bounded counter, reached", counter(10, 10), False),
    Example("even and odd", even_odd(0), True),
    Example("even and odd, wrong start", even_odd(1), False),
    Example("McCarthy 91", mccarthy(91), True),
    Example("McCarthy 91, wrong result", mccarthy(92), False),
    Example("Fibonacci, reached", fibonacci(6, 8), False),
    Example("calls in a row", calls_in_a_row(3), False),
    Example("two counters", two_counters(3), True),
    Example("two counters, reached", two_counters(0), False),
    Example("byte counter by two", byte_counter(2, 7), True),
    Example("byte counter wraps", byte_counter(100, 44), False),
    Example("halving", halving(0), True),
    Example("halving, reached", halving(1), False),
    Example("flag", switch(False), True),
    Example("flag, reached", switch(True), False),
    Example("irrelevant arguments", irrelevant_arguments(), False),
    Example("twice in a body", twice_in_a_body(), False),
)

HARD_EXAMPLES = (
    Example("array initialisation", array_initialisation(8), True),
    Example("array initialisation, reached", array_initialisation(7), False),
    Example("counter, 100 steps deep", counter(100, 100), False),
)
"""Not every engine answers these in time; an answer is checked all the same."""
