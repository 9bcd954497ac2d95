"""Systems as logic programs and as facts for ARMC; one clause for each case of a rule."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from command import EXAMPLES, sea_py

from seahorn_py import FrontendOptions, VerifyOptions, verify
from seahorn_py.base.errors import NOWHERE, UnsupportedError
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
from seahorn_py.horn.text.clp import print_armc, print_clp
from seahorn_py.horn.text.clp_cases import cases
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import BOOL, INT, Term
from seahorn_py.options import Property, Step

X, N = terms.symbol("clp.x", INT), terms.symbol("clp.n", INT)
B, C = terms.symbol("clp.b", BOOL), terms.symbol("clp.c", BOOL)
QUERY = Query("q", Check(CheckId("unreach-call", "reach_error()", NOWHERE), 0))
ZERO, ONE = terms.int_const(0), terms.int_const(1)


def system(constraint: Term, derived: Term = X) -> HornSystem:
    loop = Relation("f.loop", (Parameter(X),))
    return HornSystem(
        {"f.loop": loop},
        (
            Rule("init", (), terms.TRUE, Atom("f.loop", (ZERO,))),
            Rule("step", (Atom("f.loop", (X,)),), constraint, Atom("f.loop", (derived,))),
            Rule("bad", (Atom("f.loop", (X,)),), terms.lt(X, ZERO), QUERY),
        ),
    )


def clauses_of(constraint: Term, derived: Term = X) -> list[str]:
    lines = print_clp(system(constraint, derived)).splitlines()
    return lines[lines.index("% step") + 1 : lines.index("% bad")]


def test_a_system_as_clauses() -> None:
    assert print_clp(system(terms.lt(X, terms.int_const(9)), terms.plus(X, ONE))).splitlines() == [
        "% init",
        "'f.loop'(0).",
        "% step",
        "'f.loop'(P0) :- P0 = (Clp_x + 1), Clp_x < 9, 'f.loop'(Clp_x).",
        "% bad",
        "false :- Clp_x < 0, 'f.loop'(Clp_x).",
    ]


def test_a_system_as_facts_of_armc() -> None:
    assert print_armc(system(terms.lt(X, terms.int_const(9)), terms.plus(X, ONE))).splitlines() == [
        "start(ctrl(start)).",
        "error(ctrl(error)).",
        "trans(s(ctrl(start), data(_)), s(ctrl('f.loop'), data(0)), (1=1), stmt_0).",
        "trans(s(ctrl('f.loop'), data(Clp_x)), s(ctrl('f.loop'), data(P0)), "
        "(P0 = (Clp_x + 1), Clp_x < 9), stmt_1).",
        "trans(s(ctrl('f.loop'), data(Clp_x)), s(ctrl(error), data(_)), (Clp_x < 0), stmt_2).",
    ]


def test_a_disjunction_becomes_clauses() -> None:
    either = terms.or_([terms.lt(X, ZERO), terms.eq(X, ONE)])
    assert sorted(clauses_of(either)) == [
        "'f.loop'(Clp_x) :- Clp_x < 0, 'f.loop'(Clp_x).",
        "'f.loop'(Clp_x) :- Clp_x = 1, 'f.loop'(Clp_x).",
    ]


def test_a_choice_inside_of_a_term_becomes_clauses() -> None:
    chosen = terms.ite(terms.lt(X, ZERO), ZERO, ONE)
    assert sorted(clauses_of(terms.TRUE, chosen)) == [
        "'f.loop'(P0) :- P0 = 0, Clp_x < 0, 'f.loop'(Clp_x).",
        "'f.loop'(P0) :- P0 = 1, Clp_x >= 0, 'f.loop'(Clp_x).",
    ]


def test_a_division_is_told_by_its_quotient_and_rest() -> None:
    (clause,) = clauses_of(terms.eq(terms.mod(X, terms.int_const(3)), ONE))
    assert clause == ("'f.loop'(Clp_x) :- Clp_x = 3*Q + R, R >= 0, R < 3, R = 1, 'f.loop'(Clp_x).")


def test_booleans_that_are_decided_choose_the_case() -> None:
    chain = terms.and_(
        [B, terms.implies(B, C), terms.or_([terms.not_(C), terms.lt(X, ZERO)]), terms.iff(B, C)]
    )
    (case,) = cases(chain)
    assert case.values == {B: True, C: True}
    assert case.literals == [(terms.lt(X, ZERO), True)]
    assert not list(cases(terms.and_([B, terms.implies(B, C), terms.not_(C)])))


def test_calls_and_bit_vectors_are_refused() -> None:
    pair = (Atom("f.loop", (X,)), Atom("f.loop", (N,)))
    joined = Rule("join", pair, terms.TRUE, QUERY)
    calls = HornSystem(system(terms.TRUE).relations, (joined,))
    with pytest.raises(UnsupportedError, match="have no calls"):
        print_armc(calls)
    bits = terms.symbol("clp.w", terms.bv_sort(8))
    with pytest.raises(UnsupportedError, match="no comparison of integers"):
        print_clp(system(terms.bv("bvult", bits, bits)))
    done = sea_py("clp", "--encoding=bv", EXAMPLES / "counter_safe.c")
    assert done.returncode == 2 and "over integers" in done.stderr


def test_programs_as_logic_programs_and_as_clauses_of_blocks() -> None:
    program = EXAMPLES / "counter_safe.c"
    done = sea_py("clp", program)
    assert done.returncode == 0
    assert re.search(
        r"^false :- .*'sea\.main\.\w+'\(Main_n, Main_i\)\.$", done.stdout, re.MULTILINE
    )
    small = sea_py("lfe-smt", program).stdout
    assert small.count("(declare-fun") > sea_py("smt", program).stdout.count("(declare-fun")


@pytest.mark.full
@pytest.mark.parametrize("name", ["counter_safe", "mccarthy91_safe"])
def test_a_rule_for_each_block_gives_the_same_verdict(name: str) -> None:
    options = VerifyOptions(step=Step.SMALL, executions=0.05)
    assert verify(EXAMPLES / f"{name}.c", options).answer.value == "safe"


@pytest.mark.full
@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.c")), ids=lambda p: p.stem)
def test_small_steps_keep_every_verdict(path: Path) -> None:
    text = path.read_text()
    bits = re.search(r"bits: (\d+)", text)
    asked = re.search(r"property: ([\w-]+)", text)
    properties = frozenset() if asked is None else frozenset({Property(asked[1])})
    frontend = FrontendOptions(bits=int(bits[1]) if bits else 64, properties=properties)
    expected = re.search(r"expected: (safe|unsafe)", text)
    assert expected is not None
    assert verify(path, VerifyOptions(frontend, step=Step.SMALL)).answer.value == expected[1]
