"""Evidence about memory: inputs that fill arrays, models over arrays against runs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from programs import (
    END,
    FAIL,
    I8,
    I32,
    I64,
    Address,
    BinaryOp,
    Branch,
    Global,
    Input,
    Jump,
    Offset,
    Operand,
    Predicate,
    Program,
    Statement,
    add,
    binary,
    bit,
    block,
    compare,
    const,
    function,
    phi,
    program,
    ptr,
    read,
    reg,
    site,
    variable,
)

from seahorn_py.encode.encoder import encode
from seahorn_py.encode.encoding import Arithmetic, CutKind, EncodeOptions, Encoding
from seahorn_py.evidence.agreement.agreement import Agreement, Disagreement, agree
from seahorn_py.evidence.expressions.invariants import show
from seahorn_py.evidence.replay.replay import feed_from
from seahorn_py.evidence.runs.execution import Execution
from seahorn_py.horn.system import Model, Refutation, Step
from seahorn_py.ir import interpreter
from seahorn_py.ir.program import (
    RegionFill,
    RegionHavoc,
    RegionLoad,
    RegionStore,
    Register,
    SiteKind,
)
from seahorn_py.ir.run import Ending, Outcome, RunLimits
from seahorn_py.ir.types import IntType, RegionType
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Term
from seahorn_py.options import VerifyOptions
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Answer
from seahorn_py.verification.pipeline import verify

A = Global("a", 64, 4, False, ())
START = 0x1020
"""The address of `a`."""
BOTH = [EncodeOptions(arithmetic) for arithmetic in Arithmetic]


def mem(name: str, element: IntType = I32) -> Register:
    return Register(name, RegionType(element))


def filled(size: Operand, element: IntType, whole: bool, *start: Statement) -> Program:
    """`size` bytes from &a[1] are read from site 9, then 4 more; two elements are compared."""
    uninit, value = site(9, SiteKind.UNINIT, I8), 0x11223344 % (1 << element.width)
    made = program(
        function(
            "main",
            block(
                "start",
                *start,
                RegionFill(mem("m0", element), const(0, element)),
                RegionHavoc(
                    mem("m1", element), mem("m0", element), Address("a", 4), size, uninit, whole
                ),
                RegionLoad(reg("x", element), mem("m1", element), Address("a", 8)),
                RegionHavoc(
                    mem("m2", element),
                    mem("m1", element),
                    Address("a", 4),
                    const(4, I64),
                    uninit,
                    True,
                ),
                RegionLoad(reg("y", element), mem("m2", element), Address("a", 4)),
                compare("first", Predicate.EQ, reg("x", element), const(value, element)),
                compare("second", Predicate.EQ, reg("y", element), const(5, element)),
                binary("both", BinaryOp.AND, bit("first"), bit("second")),
                Branch(bit("both"), "bad", "end"),
            ),
            block("bad", FAIL),
            block("end", END),
        ),
        globals_=[A],
    )
    return Program(made.functions, made.globals, made.entry, 64, (*made.sites, uninit), made.checks)


def refuted(encoding: Encoding) -> Refutation:
    """The start, then the check."""
    names = ("start", "main.entry -> check 0 at bad")
    return Refutation((Step(names[0], (), ()), Step(names[1], (), (0,))))


def reached(made: Program, options: EncodeOptions) -> dict[int, tuple[int, ...]]:
    """The feed that replay finds, which must lead to the check."""
    encoding = encode(made, options)
    feed = feed_from(encoding, refuted(encoding), Deadline.after(30))
    assert interpreter.run(made, feed, RunLimits()).ending is Ending.FAILED
    return dict(feed)


@pytest.mark.parametrize("options", BOTH)
@pytest.mark.parametrize("whole", [True, False])
def test_the_bytes_of_elements_are_fed_in_order(options: EncodeOptions, whole: bool) -> None:
    values = reached(filled(const(12, I64), I32, whole), options)[9]
    assert len(values) == 16
    assert values[4:8] == (0x44, 0x33, 0x22, 0x11)
    assert values[12:] == (5, 0, 0, 0)


@pytest.mark.parametrize("options", BOTH)
def test_bytes_are_elements_too(options: EncodeOptions) -> None:
    values = reached(filled(const(6, I64), I8, True), options)[9]
    assert (len(values), values[4], values[6]) == (10, 0x44, 5)


@pytest.mark.parametrize("options", BOTH)
def test_a_size_that_is_an_input_is_read_off_the_solution_first(options: EncodeOptions) -> None:
    start = (
        read("n", 3, I64),
        binary("wide", BinaryOp.OR, reg("n", I64), const(8, I64)),
        binary("size", BinaryOp.AND, reg("wide", I64), const(24, I64)),
    )
    feed = reached(filled(reg("size", I64), I32, True, *start), options)
    size = (feed[3][0] | 8) & 24
    assert len(feed[9]) == size + 4


def filling() -> Program:
    """a[i] = -i for i = 0, 1, ... below the input."""
    return program(
        function(
            "main",
            block("start", RegionFill(mem("m0"), const(0)), read("n", 1, I64), Jump("loop")),
            block(
                "loop",
                phi("i", ("start", const(0, I64)), ("body", reg("j", I64))),
                phi("m", ("start", mem("m0")), ("body", mem("m1"))),
                Offset(ptr("p"), Address("a"), 0, ((reg("i", I64), 4),)),
                compare("more", Predicate.SLT, reg("i", I64), reg("n", I64)),
                Branch(bit("more"), "body", "done"),
            ),
            block(
                "body",
                Input(reg("v"), site(2)),
                RegionStore(mem("m1"), mem("m"), ptr("p"), reg("v")),
                add("j", reg("i", I64), const(1, I64)),
                Jump("loop"),
            ),
            block(
                "done",
                RegionLoad(reg("x"), mem("m"), Address("a")),
                compare("low", Predicate.SLT, reg("x"), const(-100)),
                Branch(bit("low"), "bad", "end"),
            ),
            block("bad", FAIL),
            block("end", END),
        ),
        globals_=[A],
    )


THREE = Outcome(Ending.ENDED, None, ((1, 3), (2, 7), (2, 2**32 - 8), (2, 9)))
"""a[0] = 7, a[1] = -8, a[2] = 9."""


@pytest.fixture(scope="module")
def encoding() -> Encoding:
    return encode(filling(), EncodeOptions())


def said(encoding: Encoding, make: Callable[[Term, Term], Term]) -> Model:
    """The model that says `make(a, i)` at the loop."""
    (name,) = (n for n, cut in encoding.cuts.items() if cut.kind is CutKind.BLOCK)
    symbols = encoding.system.relations[name].symbols
    named = {r.name: s for r, s in zip(encoding.cuts[name].registers, symbols, strict=True)}
    return Model({name: make(named["m"], named["i"])})


def element(array: Term, index: Term) -> Term:
    four = terms.times(terms.int_const(4), index)
    return terms.select(array, terms.plus(four, terms.int_const(START)))


def number(value: int) -> Term:
    return terms.int_const(value)


K = terms.symbol("cell", terms.INT)
TRUE_OF_THE_RUN = [
    lambda a, i: terms.le(number(-8), element(a, number(1))),
    lambda a, i: terms.eq(a, terms.store(a, number(START + 40), number(0))),
    lambda a, i: terms.forall([K], terms.le(number(-8), terms.select(a, K))),
]
FALSE_OF_THE_RUN = [
    lambda a, i: terms.le(number(-7), element(a, number(1))),
    lambda a, i: terms.eq(a, terms.store(a, number(START + 8), number(0))),
    lambda a, i: terms.eq(a, terms.const_array(terms.INT, number(0))),
    lambda a, i: terms.forall([K], terms.le(terms.select(a, K), number(8))),
    lambda a, i: terms.or_(
        [terms.lt(i, number(2)), terms.forall([K], terms.le(number(-7), terms.select(a, K)))]
    ),
]


def compared(encoding: Encoding, make: Callable[[Term, Term], Term]) -> Agreement:
    model, execution = said(encoding, make), Execution(None, "", (THREE,))
    return agree(encoding, model, execution, Deadline.after(20))


@pytest.mark.parametrize("make", TRUE_OF_THE_RUN)
def test_a_model_over_memory_that_holds(
    encoding: Encoding, make: Callable[[Term, Term], Term]
) -> None:
    assert compared(encoding, make) == Agreement(1, 4)


@pytest.mark.parametrize("make", FALSE_OF_THE_RUN)
def test_a_model_over_memory_that_a_run_contradicts(
    encoding: Encoding, make: Callable[[Term, Term], Term]
) -> None:
    with pytest.raises(Disagreement, match=r"main\.loop excludes"):
        compared(encoding, make)


def test_what_is_not_below_conjunctions_is_not_compared(encoding: Encoding) -> None:
    no_zero = terms.not_(terms.forall([K], terms.eq(terms.select(encoding_array(), K), K)))
    assert compared(encoding, lambda a, i: terms.substitute(no_zero, {encoding_array(): a})) == (
        Agreement(1, 0)
    )


def encoding_array() -> Term:
    return terms.symbol("any.array", terms.array_sort(terms.INT, terms.INT))


def test_elements_are_shown_by_the_object_they_lie_in() -> None:
    named = Global("a", 64, 4, False, (), {0: variable("a")})
    made = filling()
    shown = encode(
        Program(made.functions, {"a": named}, "main", 64, made.sites, made.checks), EncodeOptions()
    )
    before = terms.int_const(-1)
    model = said(shown, lambda a, i: terms.lt(element(a, terms.plus(i, before)), number(3)))
    (invariant,) = show(shown, model)
    assert invariant.text == "a[%i - 1] < 3"


C_PROGRAMS = {
    "an array without initial values": (
        "int main(void) { int a[40]; int i = __VERIFIER_nondet_int();"
        " if (i < 0 || i > 39) return 0;"
        " if (a[i] == 1234567 && a[0] == 42) reach_error(); return 0; }",
        Answer.UNSAFE,
    ),
    "what an external function may change": (
        "void f(void *); int g[2]; int main(void) { f(g); if (g[0]) reach_error(); return 0; }",
        Answer.UNKNOWN,
    ),
    "a global array after a loop": (
        "int a[40]; int main(void) { int k = __VERIFIER_nondet_int();"
        " for (int i = 0; i < 40; i++) a[i] = 7;"
        " if (k >= 0 && k < 40 && a[k] > 7) reach_error(); return 0; }",
        Answer.SAFE,
    ),
}


@pytest.mark.full
@pytest.mark.parametrize("name", C_PROGRAMS)
def test_from_c_to_evidence(name: str, tmp_path: Path) -> None:
    text, expected = C_PROGRAMS[name]
    file = tmp_path / "memory.c"
    file.write_text(f"void reach_error(void); int __VERIFIER_nondet_int(void);\n{text}\n")
    result = verify(file, VerifyOptions(timeout=40))
    assert result.answer is expected, result
