"""Models are compared with runs: what is wrong somewhere is found, what is right everywhere not."""

from __future__ import annotations

import pytest
from programs import (
    END,
    FAIL,
    Branch,
    Jump,
    Predicate,
    Program,
    add,
    bit,
    block,
    compare,
    const,
    function,
    phi,
    program,
    read,
    reg,
)

from seahorn_py.encode.encoder import encode
from seahorn_py.encode.encoding import CutKind, EncodeOptions, Encoding
from seahorn_py.evidence.agreement.agreement import Agreement, Disagreement, agree
from seahorn_py.evidence.agreement.observable import FarAddress, Observable
from seahorn_py.evidence.agreement.sampling import compile_sampled
from seahorn_py.evidence.runs.execution import Execution
from seahorn_py.horn.system import Model, Parameter
from seahorn_py.ir.regions import Contents
from seahorn_py.ir.run import Ending, Outcome
from seahorn_py.ir.types import IntType, RegionType
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.evaluate import compile_term
from seahorn_py.logic.terms.terms import INT, Term
from seahorn_py.processes.deadline import Deadline

TEN_TURNS = Execution(None, "", (Outcome(Ending.ENDED, None, ((1, 10),)),))
NO_RUN = Execution(None, "refused", words=(1001,))


def counter() -> Program:
    """n = nondet(); for (i = 0; i < n; i++) if (i == 1000) reach_error();"""
    return program(
        function(
            "main",
            block("start", read("n", 1), Jump("loop")),
            block(
                "loop",
                phi("i", ("start", const(0)), ("next", reg("j"))),
                compare("more", Predicate.SLT, reg("i"), reg("n")),
                Branch(bit("more"), "body", "end"),
            ),
            block(
                "body",
                compare("bad", Predicate.EQ, reg("i"), const(1000)),
                Branch(bit("bad"), "fail", "next"),
            ),
            block("next", add("j", reg("i"), const(1)), Jump("loop")),
            block("fail", FAIL),
            block("end", END),
        )
    )


@pytest.fixture(scope="module")
def encoding() -> Encoding:
    return encode(counter(), EncodeOptions())


def at_loop(encoding: Encoding, make: object) -> Model:
    """The model that says `make(i, n)` of the loop."""
    (name,) = (n for n, cut in encoding.cuts.items() if cut.kind is CutKind.BLOCK)
    symbols = encoding.system.relations[name].symbols
    named = {r.name: s for r, s in zip(encoding.cuts[name].registers, symbols, strict=True)}
    assert callable(make)
    return Model({name: make(named["i"], named["n"])})


def compared(encoding: Encoding, make: object, execution: Execution = TEN_TURNS) -> Agreement:
    return agree(encoding, at_loop(encoding, make), execution, Deadline.after(20))


def at_most(value: Term, bound: int) -> Term:
    return terms.le(value, terms.int_const(bound))


def unevaluable(i: Term) -> Term:
    k = terms.symbol("k", terms.INT)
    return terms.exists([k], terms.lt(i, k))


def test_every_state_of_a_run_is_compared(encoding: Encoding) -> None:
    assert compared(encoding, lambda i, n: at_most(i, 10)) == Agreement(1, 11)


def test_the_first_state_that_a_model_excludes_is_named(encoding: Encoding) -> None:
    with pytest.raises(Disagreement, match=r"main\.loop.* excludes i=8$"):
        compared(encoding, lambda i, n: at_most(i, 7))


def test_what_cannot_be_evaluated_does_not_hide_the_rest(encoding: Encoding) -> None:
    with pytest.raises(Disagreement, match="excludes i=8"):
        compared(encoding, lambda i, n: terms.and_([unevaluable(i), at_most(i, 7)]))
    assert compared(encoding, lambda i, n: unevaluable(i)).states == 0


def test_without_native_runs_inputs_are_drawn(encoding: Encoding) -> None:
    with pytest.raises(Disagreement, match="excludes i=") as found:
        compared(encoding, lambda i, n: at_most(i, 7), NO_RUN)
    ((site, value),) = found.value.run.reads
    assert site == 1
    assert 8 <= value < 1 << 31


def test_a_check_that_fails_in_a_run_is_a_contradiction(encoding: Encoding) -> None:
    with pytest.raises(Disagreement, match="check 0 fails"):
        compared(encoding, lambda i, n: at_most(i, 1000), NO_RUN)


def test_a_native_run_that_ended_reads_nothing_more(encoding: Encoding) -> None:
    unread = Execution(None, "", (Outcome(Ending.ENDED),))
    with pytest.raises(Disagreement, match="input 1 is read more often"):
        compared(encoding, lambda i, n: at_most(i, 0), unread)


@pytest.mark.parametrize(("address", "known"), [(4, True), (-4, False), (1 << 32, False)])
def test_integers_that_are_no_addresses_are_not_read(address: int, known: bool) -> None:
    """4294967296 is none, though a run would read at 0 there."""
    sort = terms.array_sort(INT, INT)
    parameter = Parameter(terms.variable("a.agreement", sort), width=32, signed=True)
    region = Observable(parameter, RegionType(IntType(32)), 32)
    state = [region.value(Contents().store(4, 5).store(0, 7))]
    symbol = parameter.symbol
    if known:
        element = compile_term(terms.select(symbol, terms.int_const(address)), [symbol])
        assert element(state) == 5
    index = terms.variable("k.agreement", INT)
    here = terms.eq(index, terms.int_const(address))
    five = terms.eq(terms.select(symbol, index), terms.int_const(5))
    holds = compile_sampled(terms.forall([index], terms.or_([terms.not_(here), five])), [symbol])
    assert holds(state)
    if not known:
        with pytest.raises(FarAddress):
            compile_term(terms.select(symbol, terms.int_const(address)), [symbol])(state)


def test_beyond_what_a_native_run_could_record_it_read_0(encoding: Encoding) -> None:
    cut_short = Execution(None, "", (Outcome(Ending.ENDED, all_read=False),))
    assert compared(encoding, lambda i, n: at_most(i, 0), cut_short) == Agreement(1, 1)


@pytest.mark.parametrize(
    ("agreement", "text"),
    [
        (Agreement(2, 7), ("the invariants hold in 7 states of 2 native runs",)),
        (Agreement(1, 0, native=False), ("no check fails in 1 interpreted run",)),
        (Agreement(0, 0), ()),
    ],
)
def test_only_what_was_compared_is_evidence(agreement: Agreement, text: tuple[str, ...]) -> None:
    assert agreement.evidence == text
