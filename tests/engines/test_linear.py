"""The engine `linear`: the examples of the eureka paper, edges written out, answers checked."""

from __future__ import annotations

from dataclasses import replace

import pytest
from horn_examples import EXAMPLES, array_initialisation, atom, number, query, relation, system
from test_engine_contract import assert_checked

from seahorn_py.engines.engine import Budget
from seahorn_py.engines.linear.derivation import Derivation
from seahorn_py.engines.linear.edges import Search, Unfinished, join, summary_join
from seahorn_py.engines.linear.linear import Linear
from seahorn_py.horn.checking.refutations import check_refutation
from seahorn_py.horn.system import HornSystem, Obligation, OperationId, Query
from seahorn_py.horn.transform.acceleration.linearpart import ARBITRARY
from seahorn_py.logic.presburger.presburger import Map, Presburger, Set
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import INT, Term
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Safe, Unknown, Unsafe

SECONDS = 30.0
x, e, f, s, i = (terms.symbol(f"{name}.linear", INT) for name in "xefsi")
ONE = number(1)


def parity(argument: int | None, wrong: int) -> HornSystem:
    """The paper's figure 1: `parity(x)` flips `even` on its way back from `even = 1` at 0.

    The check is that `even` is not `wrong` after `parity(argument)`; None is any argument.
    """
    value = x if argument is None else number(argument)
    start = terms.le(number(0), x) if argument is None else terms.TRUE
    return system(
        [relation("main", INT), relation("parity.entry", INT), relation("parity.exit", INT, INT)],
        ((), start, atom("main", value)),
        ((atom("main", x),), terms.TRUE, atom("parity.entry", x)),
        ((atom("parity.entry", x),), terms.eq(x, number(0)), atom("parity.exit", x, ONE)),
        (
            (atom("parity.entry", x),),
            terms.not_(terms.eq(x, number(0))),
            atom("parity.entry", terms.minus(x, ONE)),
        ),
        (
            (atom("parity.entry", x), atom("parity.exit", terms.minus(x, ONE), e)),
            terms.not_(terms.eq(x, number(0))),
            atom("parity.exit", x, terms.minus(ONE, e)),
        ),
        (
            (atom("main", x), atom("parity.exit", x, e)),
            terms.eq(e, number(wrong)) if argument is not None else odd(e, wrong),
            query(),
        ),
    )


def odd(even: Term, wrong: int) -> Term:
    """`even == wrong` for an even argument."""
    return terms.and_([terms.eq(even, number(wrong)), terms.eq(terms.mod(x, number(2)), number(0))])


def sum_to(limit: int, wrong: int) -> HornSystem:
    """The paper's figure 3: `i = s = 0; while (i < limit) { i++; s += i; }`, `s` is not `wrong`."""
    return system(
        [relation("loop", INT, INT)],
        ((), terms.TRUE, atom("loop", number(0), number(0))),
        (
            (atom("loop", i, s),),
            terms.lt(i, number(limit)),
            atom("loop", terms.plus(i, ONE), terms.plus(s, i, ONE)),
        ),
        (
            (atom("loop", i, s),),
            terms.and_([terms.le(number(limit), i), terms.eq(s, number(wrong))]),
            query(),
        ),
    )


def texts(edges: dict[str, Set]) -> dict[str, str]:
    return {name: str(found) for name, found in edges.items()}


def test_path_edges_and_summary_edges_literally() -> None:
    search = Search(parity(2, 0), Presburger())
    assert search.run() is None
    assert texts(search.P) == {"main": "{ [2] }", "parity.entry": "{ [i0] : 0 <= i0 <= 2 }"}
    assert search.summaries == {"parity.exit"}
    expected = Set.read_from_str(search.arithmetic.context, "{[0, 1]; [1, 0]; [2, 1]}")
    assert search.S["parity.exit"].is_equal(expected)


def test_a_failing_check_is_vertex_0() -> None:
    search = Search(parity(3, 0), Presburger())
    failed = search.run()
    assert failed is not None
    found = Derivation(search, written_out=True).of(failed)
    assert len(found.steps) == 1 + 4 + 4 + 1  # main, contexts, summaries, the query
    checked = check_refutation(search.system, found, Deadline.after(SECONDS))
    assert checked.ok, checked.reason


def test_sum_of_3() -> None:
    search = Search(sum_to(3, 7), Presburger())
    assert search.run() is None
    expected = Set.read_from_str(search.arithmetic.context, "{[0, 0]; [1, 1]; [2, 3]; [3, 6]}")
    assert search.P["loop"].is_equal(expected)
    failing = Search(sum_to(3, 6), Presburger())
    assert failing.run() is not None


def test_join_and_summary_join() -> None:
    arithmetic = Presburger()

    def found(text: str) -> Set:
        return Set.read_from_str(arithmetic.context, text)

    tau = Map.read_from_str(arithmetic.context, "{[a, b] -> [a, b + 1] : b < 5}")
    assert join(found("{[1, 4]; [1, 5]}"), tau).is_equal(found("{[1, 5]}"))
    called = Map.read_from_str(arithmetic.context, "{[a, b, b, c] -> [a, c]}")
    edges = summary_join(found("{[1, 4]; [2, 9]}"), [found("{[4, 7]}")], called)
    assert edges.is_equal(found("{[1, 7]}"))


@pytest.mark.parametrize(
    ("example", "safe"),
    [
        (parity(10, 0), True),
        (parity(1_000_000, 0), True),
        (parity(None, 0), True),
        (parity(11, 0), False),
        (parity(None, 1), False),
        (sum_to(3, 7), True),
        (sum_to(3, 6), False),
    ],
    ids=["parity 10", "parity 10^6", "any parity", "wrong parity", "wrong", "sum", "wrong sum"],
)
def test_answers_are_checked(example: HornSystem, safe: bool) -> None:
    verdict = Linear().solve(example, Budget(Deadline.after(SECONDS)))
    assert isinstance(verdict, Safe if safe else Unsafe), verdict
    assert_checked(example, verdict)


def test_a_long_refutation_is_one_of_a_derived_system() -> None:
    example = parity(999_999, 0)
    verdict = Linear().solve(example, Budget(Deadline.after(SECONDS)))
    assert isinstance(verdict, Unsafe)
    assert verdict.system is not None
    assert len(verdict.refutation.steps) < 10
    deadline = Deadline.after(SECONDS)
    checked = check_refutation(verdict.system, verdict.refutation, deadline)
    assert checked.ok, checked.reason
    assert not check_refutation(example, verdict.refutation, deadline).ok


def test_other_numbers_are_declined_with_the_reason() -> None:
    example = next(one for one in EXAMPLES if one.name == "halving")
    verdict = Linear().solve(example.system, Budget(Deadline.after(SECONDS)))
    assert isinstance(verdict, Unknown)
    assert "no integer" in verdict.reason


def test_a_search_ends_in_time() -> None:
    with pytest.raises(Unfinished, match="time limit"):
        Search(sum_to(1000, 7), Presburger(), Deadline.after(0.05)).run()


def filling(limit: int, error_above: int) -> HornSystem:
    """`i = 0; while (i < limit) { a[i] = a[i] * a[i]; i++; }`, `i` is not above `error_above`."""
    array = terms.array_sort(INT, INT)
    a = terms.symbol("a.linear", array)
    square = terms.times(terms.select(a, i), terms.select(a, i))
    return system(
        [relation("fill", INT, array)],
        ((), terms.TRUE, atom("fill", number(0), a)),
        (
            (atom("fill", i, a),),
            terms.lt(i, number(limit)),
            atom("fill", terms.plus(i, ONE), terms.store(a, i, square)),
        ),
        ((atom("fill", i, a),), terms.lt(number(error_above), i), query()),
    )


def test_arrays_and_products_around_the_linear_part() -> None:
    example = filling(1_000_000, 1_000_000)
    verdict = Linear().solve(example, Budget(Deadline.after(SECONDS)))
    assert isinstance(verdict, Safe), verdict
    assert_checked(example, verdict)


def test_contents_of_arrays_by_an_observed_cell() -> None:
    example = array_initialisation(8)
    verdict = Linear().solve(example, Budget(Deadline.after(SECONDS)))
    assert isinstance(verdict, Safe), verdict
    assert_checked(example, verdict)


def test_an_obligation_that_the_linear_part_leaves_open_is_not_refuted() -> None:
    example = filling(10, 9)
    *rules, last = example.rules
    assert isinstance(last.head, Query)
    operation = OperationId("main", "x", "signed mul")
    owed = replace(last, head=replace(last.head, kind=Obligation(operation)))
    verdict = Linear().solve(
        replace(example, rules=(*rules, owed)), Budget(Deadline.after(SECONDS))
    )
    assert isinstance(verdict, Unknown)
    assert "may wrap" in verdict.reason


def test_a_refutation_of_the_linear_part_is_none_of_the_system() -> None:
    for example in (array_initialisation(7), filling(10, 9)):
        verdict = Linear().solve(example, Budget(Deadline.after(SECONDS)))
        assert isinstance(verdict, Unsafe)
        assert verdict.system is not None
        assert [entry.text for entry in verdict.system.ledger] == [ARBITRARY]
        deadline = Deadline.after(SECONDS)
        assert not check_refutation(example, verdict.refutation, deadline).ok
        checked = check_refutation(verdict.system, verdict.refutation, deadline)
        assert checked.ok, checked.reason


def test_mccarthy_without_acceleration_of_the_system() -> None:
    """Summaries of summaries are closed inside the search."""
    example = next(one for one in EXAMPLES if one.name == "McCarthy 91")
    search = Search(example.system, Presburger())
    assert search.run() is None
    assert search.S["m.exit"].is_subset(
        Set.read_from_str(search.arithmetic.context, "{[n, 91] : n <= 101; [n, n - 10] : n > 100}")
    )
