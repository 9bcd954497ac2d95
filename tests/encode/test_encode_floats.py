"""Float operations of the bit-vector encoding against the interpreter, and what is recorded.

A program reads floats, computes a value and loops with it: the rule to the loop's head must allow
the value that the interpreter computes and, unless an approximation is recorded, no other.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

import pytest
import z3
from programs import FAIL, I32, I64, bit, block, compare, function, phi, program, read, reg

from seahorn_py.encode.encoder import encode
from seahorn_py.encode.encoding import Arithmetic, EncodeOptions, Encoding
from seahorn_py.horn.ledger import Approximation
from seahorn_py.horn.system import Atom, Rule
from seahorn_py.ir.floats.concrete import SOFT
from seahorn_py.ir.floats.floats import DOUBLE as DOUBLES
from seahorn_py.ir.floats.floats import SINGLE as SINGLES
from seahorn_py.ir.interpreter import Interpreter
from seahorn_py.ir.program import (
    Branch,
    Cast,
    CastOp,
    FloatConst,
    FloatOp,
    IntConst,
    Jump,
    Operand,
    Predicate,
    Program,
    Register,
    Statement,
)
from seahorn_py.ir.run import RunLimits
from seahorn_py.ir.types import BOOL, FloatKind, FloatType, IntType, Type
from seahorn_py.logic.solvers.solvers import script_of
from seahorn_py.logic.terms import terms

BV, INT = EncodeOptions(Arithmetic.BV), EncodeOptions()
SINGLE, DOUBLE, X87 = (FloatType(kind) for kind in FloatKind)
X, Y, Z = (Register(name, DOUBLE) for name in "xyz")


def looping(inputs: Sequence[Register], statements: Sequence[Statement], value: Operand) -> Program:
    """Read the inputs, run the statements, and loop as long as the value is what it is."""
    reads = [read(register.name, k, register.type) for k, register in enumerate(inputs)]
    out = Register("out", value.type)
    again = (
        FloatOp(bit("stop"), "fcmp oeq", (out, out))
        if isinstance(value.type, FloatType)
        else compare("stop", Predicate.EQ, out, out)
    )
    return program(
        function(
            "main",
            block("entry", *reads, *statements, Jump("out")),
            block("out", phi("out", ("entry", value), ("again", out)), again, BACK),
            block("again", Jump("out")),
            block("bad", FAIL),
        ),
        width=32,
    )


BACK = Branch(bit("stop"), "bad", "again")


class Reached(Exception):
    """The run is at `out`."""


class Watch:
    def at_block(self, function: str, label: str, frame: dict[str, int]) -> None:
        if label == "out":
            raise Reached(frame["out"])

    def at_return(self, *_: object) -> None:
        pass


class Case:
    """The rule to the loop's head, asked about inputs."""

    def __init__(self, made: Program) -> None:
        encoding = encode(made, BV)
        self.recorded = recorded(encoding)
        self.runner = Interpreter(made)
        self.type = next(iter(made.functions.values())).blocks[1].phis[0].result.type
        rule = step(encoding)
        assert isinstance(rule.head, Atom)
        sort = terms.sort_of(rule.head.arguments[0])
        out = terms.symbol(f"case.out.{sort}", sort)
        equation = terms.eq(out, rule.head.arguments[0])
        self.facts = z3.parse_smt2_string(script_of([rule.constraint, equation]))
        self.inputs = [read.symbol.symbol_name() for read in rule.inputs]
        self.out = out.symbol_name()
        self.width = 1 if sort is terms.BOOL else sort.width

    def computed(self, values: Sequence[int]) -> int:
        """What the interpreter has at the loop's head, one NaN for all."""
        try:
            self.runner.run(
                {k: (value,) for k, value in enumerate(values)}, RunLimits(seconds=5.0), Watch()
            )
        except Reached as found:
            value = int(found.args[0])
            is_float = isinstance(self.type, FloatType)
            return SOFT.one_of_each(self.type.kind, value) if is_float else value
        raise AssertionError("the run does not reach the loop")

    def answer(self, values: Sequence[int], widths: Sequence[int], *more: z3.BoolRef) -> bool:
        given = [
            (z3.Bool(name) == bool(value)) if width == 1 else (z3.BitVec(name, width) == value)
            for name, width, value in zip(self.inputs, widths, values, strict=True)
        ]
        solver = z3.Then("simplify", "propagate-values", "solve-eqs", "smt").solver()
        solver.add(*self.facts, *given, *more)
        found = solver.check()
        assert found != z3.unknown
        return bool(found == z3.sat)

    def agrees(self, values: Sequence[int], widths: Sequence[int]) -> bool:
        expected = self.computed(values)
        out = z3.Bool(self.out) if self.width == 1 else z3.BitVec(self.out, self.width)
        same = out == (bool(expected) if self.width == 1 else expected)
        exact = bool(self.recorded) or not self.answer(values, widths, z3.Not(same))
        return self.answer(values, widths, same) and exact


def step(encoding: Encoding) -> Rule:
    return next(r for r in encoding.system.rules if r.name == "main.entry -> main.out")


def recorded(encoding: Encoding) -> list[str]:
    return [e.text for e in encoding.system.ledger if e.kind is Approximation.OVER]


TRIED = {SINGLE: 4, DOUBLE: 2, X87: 1}
WIDTHS = {SINGLE: 32, DOUBLE: 64, X87: 80}
SPECIAL = (0.0, -0.0, 1.0, -1.5, 3.0, 0.1, 1e300, 5e-324, 1e-310, math.inf, math.nan, 2.0**31)


def operands(type_: FloatType, draw: random.Random) -> int:
    bits = DOUBLES.encode(draw.choice(SPECIAL))
    if draw.random() < 0.3:
        bits = draw.getrandbits(64)
    return {
        SINGLE: lambda: SINGLES.encode(DOUBLES.decode(bits)),
        DOUBLE: lambda: bits,
        X87: lambda: (SOFT.conversion(CastOp.FPEXT, DOUBLE, X87, bits) or (True, 0))[1] ^ 1,
    }[type_]()


OPERATIONS = {
    **dict.fromkeys(["fadd", "fsub", "fmul", "fdiv", "fcmp olt", "fcmp ueq"], 2),
    **dict.fromkeys(["fneg", "llvm.fabs", "llvm.sqrt", "llvm.floor", "llvm.round"], 1),
    **dict.fromkeys(["llvm.minimum", "llvm.minnum", "llvm.copysign"], 2),
    "llvm.fma": 3,
}
LOOSE = {"llvm.minnum": "sign of a zero by llvm.minnum", "llvm.copysign": "sign of a NaN"}


@pytest.mark.parametrize("type_", [SINGLE, DOUBLE, X87], ids=str)
def test_operations_are_the_interpreters(type_: FloatType) -> None:
    draw = random.Random(1)
    for op, count in OPERATIONS.items():
        names = [Register(f"a{k}", type_) for k in range(count)]
        result = Register("r", BOOL if op.startswith("fcmp") else type_)
        case = Case(looping(names, [FloatOp(result, op, tuple(names))], result))
        assert case.recorded == ([LOOSE[op]] if op in LOOSE else []), op
        for _ in range(TRIED[type_]):
            values = [operands(type_, draw) for _ in range(count)]
            assert case.agrees(values, [WIDTHS[type_]] * count), (op, values)


CASTS: list[tuple[CastOp, Type, Type]] = [
    (CastOp.FPEXT, SINGLE, DOUBLE),
    (CastOp.FPTRUNC, DOUBLE, SINGLE),
    (CastOp.FPTRUNC, X87, SINGLE),
    (CastOp.SITOFP, I32, SINGLE),
    (CastOp.UITOFP, BOOL, DOUBLE),
    (CastOp.UITOFP, I64, DOUBLE),
    (CastOp.FPTOSI_SAT, DOUBLE, I32),
    (CastOp.FPTOUI_SAT, SINGLE, I64),
    (CastOp.BITCAST, I64, DOUBLE),
]


@pytest.mark.parametrize(("op", "source", "target"), CASTS)
def test_conversions_are_the_interpreters(op: CastOp, source: Type, target: Type) -> None:
    draw, value, result = random.Random(2), Register("a", source), Register("r", target)
    case = Case(looping([value], [Cast(result, op, value)], result))
    to_integer = isinstance(source, FloatType) and isinstance(target, IntType)
    assert case.recorded == (["conversion of a float that does not fit"] if to_integer else [])
    for _ in range(6):
        is_float = isinstance(source, FloatType)
        width = WIDTHS[source] if is_float else source.width  # type: ignore[index,union-attr]
        given = operands(source, draw) if is_float else draw.getrandbits(width)  # type: ignore[arg-type]
        assert case.agrees([given], [width]), given


# ------------------------------------------------------------------------------- what is recorded


def only(statement: Statement, *inputs: Register) -> Case:
    result = statement.result  # type: ignore[union-attr]
    return Case(looping(inputs, [statement], result))


def test_a_conversion_that_does_not_fit_is_any_number() -> None:
    case = only(Cast(reg("r"), CastOp.FPTOSI_SAT, X), X)
    assert case.recorded == ["conversion of a float that does not fit"]
    fits, big = DOUBLES.encode(-7.9), DOUBLES.encode(1e10)
    out = z3.BitVec(case.out, 32)
    assert not case.answer([fits], [64], out != -7)
    assert case.answer([big], [64], out == 5) and case.answer([big], [64], out == 6)


def test_the_bits_of_a_nan_are_those_of_some_nan() -> None:
    case = only(Cast(reg("r", I64), CastOp.BITCAST, X), X)
    assert case.recorded == ["bits of a NaN"]
    nan, out = DOUBLES.encode(math.nan), z3.BitVec(case.out, 64)
    assert case.answer([nan], [64], out == 0x7FF0_0000_0000_0001)
    assert not case.answer([nan], [64], out == 0x7FF0_0000_0000_0000)
    assert not case.answer([DOUBLES.encode(1.5)], [64], out != DOUBLES.encode(1.5))


def test_a_remainder_is_bounded_and_that_of_constants_exact() -> None:
    case = only(FloatOp(Z, "frem", (X, Y)), X, Y)
    assert case.recorded == ["remainder of floats"]
    out = z3.fpBVToFP(z3.BitVec(case.out, 64), z3.Float64())
    ten, three, nan = (DOUBLES.encode(v) for v in (-10.0, 3.0, math.nan))
    assert case.answer([ten, three], [64, 64], out == -1.0)
    assert not case.answer([ten, three], [64, 64], out <= -3.0)
    assert not case.answer([ten, three], [64, 64], out > 0.0)
    assert not case.answer([three, ten], [64, 64], out != 3.0)
    assert not case.answer([nan, ten], [64, 64], z3.Not(z3.fpIsNaN(out)))
    constants = tuple(FloatConst(bits, DOUBLE) for bits in (ten, three))
    exact = only(FloatOp(Z, "frem", constants), X)
    assert exact.recorded == []
    assert not exact.answer([0], [64], out != -1.0)


def test_whether_a_nan_signals_is_not_known() -> None:
    for mask, texts in ((0b01, ["kind of a NaN"]), (0b11, []), (1 << 8, [])):
        operands_ = (X, IntConst(mask, I32))
        case = only(FloatOp(bit("r"), "llvm.is.fpclass", operands_), X)
        assert case.recorded == texts


def test_what_has_no_circuit_is_any_float() -> None:
    case = only(FloatOp(Y, "llvm.sin", (X,)), X)
    assert case.recorded == ["result of llvm.sin"]


def test_constants_are_worked_out() -> None:
    operands_ = tuple(FloatConst(DOUBLES.encode(v), DOUBLE) for v in (0.1, 0.2))
    encoding = encode(looping([X], [FloatOp(Y, "fadd", operands_)], Y), BV)
    head = step(encoding).head
    assert isinstance(head, Atom)
    assert head.arguments[0] is terms.bv_const(DOUBLES.encode(0.1 + 0.2), 64)


def test_floats_are_arbitrary_in_the_integer_encoding() -> None:
    statements = [
        FloatOp(Y, "fadd", (X, X)),
        FloatOp(bit("r"), "fcmp olt", (Y, X)),
        Cast(reg("n"), CastOp.FPTOSI_SAT, Y),
        Cast(Z, CastOp.SITOFP, reg("n")),
    ]
    encoding = encode(looping([X], statements, bit("r")), INT)
    assert recorded(encoding) == ["result of fcmp olt"]
    assert recorded(encode(looping([X], statements, reg("n")), INT)) == ["result of fptosi.sat"]
