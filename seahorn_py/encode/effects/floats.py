"""Float operations and conversions, where the encoding of machine integers is by bits.

A float register holds the bits of its float, one NaN standing for all (`ir.floats.softfloat`).
Compilers and processors differ in the bits and the sign of a NaN, in whether it signals, and in
which of two zeros is the lesser.  Where a program asks for these, the result is arbitrary and
recorded.  So is the result of a conversion that does not fit, and of an operation that has no
circuit.
"""

from __future__ import annotations

from typing import TypeVar

from seahorn_py.encode.builder import Builder
from seahorn_py.ir.floats import floats as concrete
from seahorn_py.ir.floats.format import FORMATS
from seahorn_py.ir.floats.softfloat import NAN_CLASSES, SoftFloat, extreme
from seahorn_py.ir.program import Cast, CastOp, FloatOp, IntConst, Operand, Register
from seahorn_py.ir.types import FloatKind, FloatType, IntType
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Term

V = TypeVar("V")

_UNSATURATED = {CastOp.FPTOSI_SAT: CastOp.FPTOSI, CastOp.FPTOUI_SAT: CastOp.FPTOUI}
_EXTREMES = frozenset({"llvm.minnum", "llvm.maxnum", "llvm.minimumnum", "llvm.maximumnum"})


def operate(builder: Builder[V], statement: FloatOp) -> None:
    """The result of an operation."""
    algebra = builder.whole.machine.floats()
    first = statement.arguments[0]
    if algebra is None or not isinstance(first.type, FloatType):
        _arbitrary(builder, statement.result, statement.op)
        return
    value = _operation(builder, SoftFloat(algebra, canonical=True), first.type.kind, statement)
    if value is None:
        _arbitrary(builder, statement.result, statement.op)
    else:
        _give(builder, statement.result, value)


def convert(builder: Builder[V], statement: Cast) -> None:
    """The result of a conversion from or to a float."""
    algebra = builder.whole.machine.floats()
    if algebra is None:
        _arbitrary(builder, statement.result, statement.op.value)
        return
    soft, value = SoftFloat(algebra, canonical=True), builder.read(statement.value)
    if statement.op is CastOp.BITCAST:
        _reinterpret(builder, soft, statement, value)
        return
    # C does not define what does not fit: the saturation of native runs is one possibility
    op = _UNSATURATED.get(statement.op, statement.op)
    found = soft.conversion(op, statement.value.type, statement.result.type, value)
    if found is None:
        _arbitrary(builder, statement.result, statement.op.value)
    else:
        _give(builder, statement.result, _fitting(builder, statement.result, *found))


def canonical(builder: Builder[V], register: Register) -> None:
    """A register that holds any bits, an input or an element of memory, becomes a float."""
    algebra, kind = builder.whole.machine.floats(), register.type
    if algebra is not None and isinstance(kind, FloatType):
        bits = builder.read(register)
        builder.alias(register, SoftFloat(algebra).one_of_each(kind.kind, bits), (register,))


# ----------------------------------------------------------------------------------- operations


def _operation(
    builder: Builder[V], soft: SoftFloat[V, Term], kind: FloatKind, statement: FloatOp
) -> V | None:
    values = tuple(builder.read(a) for a in statement.arguments)
    match statement.op:
        case "llvm.is.fpclass":
            return _classified(builder, soft, kind, values[0], statement.arguments[1])
        case "llvm.copysign":
            return _with_sign(builder, soft, kind, values)
        case "frem":
            known = _known_remainder(builder, soft, kind, values)
            return _remainder(builder, soft, kind, values) if known is None else known
        case op if op in _EXTREMES:
            return _extreme(builder, soft, kind, op, values)
        case op if isinstance(statement.result.type, IntType) and not op.startswith("fcmp"):
            found = soft.nearest_integer(op, kind, statement.result.type.width, values[0])
            return None if found is None else _fitting(builder, statement.result, *found)
        case op:
            return soft.operation(op, kind, values)


def _classified(
    builder: Builder[V], soft: SoftFloat[V, Term], kind: FloatKind, value: V, mask: Operand
) -> V | None:
    """Whether a NaN signals is not known."""
    if not isinstance(mask, IntConst):
        return None
    holds, nan = soft.has_class(kind, mask.value, value), soft.is_nan(kind, value)
    if mask.value & NAN_CLASSES not in (0, NAN_CLASSES) and nan is not terms.FALSE:
        holds = terms.or_([holds, terms.and_([nan, _undetermined(builder, "kind of a NaN")])])
    return soft.algebra.of_bool(holds)


def _with_sign(
    builder: Builder[V], soft: SoftFloat[V, Term], kind: FloatKind, values: tuple[V, ...]
) -> V | None:
    """`copysign`; the sign of a NaN is not known."""
    nan = soft.is_nan(kind, values[1])
    if nan is terms.FALSE:
        return soft.operation("llvm.copysign", kind, values)
    zero = soft.algebra.const(FORMATS[kind].stored, 0)
    either = soft.algebra.ite(
        FORMATS[kind].stored,
        _undetermined(builder, "sign of a NaN"),
        zero,
        soft.operation("fneg", kind, (zero,)) or zero,
    )
    sign = soft.algebra.ite(FORMATS[kind].stored, nan, either, values[1])
    return soft.operation("llvm.copysign", kind, (values[0], sign))


def _extreme(
    builder: Builder[V],
    soft: SoftFloat[V, Term],
    kind: FloatKind,
    op: str,
    values: tuple[V, ...],
) -> V | None:
    """Of zeros either is the lesser."""
    floats = soft.floats(kind)
    x, y = (floats.read(value) for value in values)
    zeros = terms.and_([floats.is_zero(x), floats.is_zero(y)])
    result = extreme(floats, op.startswith("llvm.max"), False, x, y)
    if zeros is not terms.FALSE:
        either = floats.choose(_undetermined(builder, f"sign of a zero by {op}"), x, y)
        result = floats.choose(zeros, either, result)
    return floats.write(result)


def _known_remainder(
    builder: Builder[V], soft: SoftFloat[V, Term], kind: FloatKind, values: tuple[V, ...]
) -> V | None:
    """The remainder of constants."""
    operands = [builder.whole.machine.plain(value) for value in values]
    compute = concrete.operation("frem", FloatType(kind), FloatType(kind))
    if compute is None or not all(operand.is_bv_constant() for operand in operands):
        return None
    bits = compute(*(int(operand.constant_value()) for operand in operands))
    form = FORMATS[kind]
    return SoftFloat(soft.algebra).one_of_each(kind, soft.algebra.const(form.stored, bits))


def _remainder(
    builder: Builder[V], soft: SoftFloat[V, Term], kind: FloatKind, values: tuple[V, ...]
) -> V | None:
    """C's `fmod` where it is one of its arguments or NaN; otherwise what bounds it."""
    floats = soft.floats(kind)
    x, y = (floats.read(value) for value in values)
    a, b = floats.parts(x), floats.parts(y)
    smaller = floats.ult(floats.magnitude(x), floats.magnitude(y))
    kept = terms.or_([smaller, a.zero, b.infinite])
    nan = terms.or_([a.nan, b.nan, a.infinite, b.zero])
    fresh = floats.read(_unknown(builder, kind))
    magnitude = floats.magnitude(fresh)
    if kept is not terms.TRUE:
        builder.approximate("remainder of floats")
    builder.facts.append(
        terms.or_([kept, nan, terms.and_([floats.ult(magnitude, floats.magnitude(y))])])
    )
    rest = floats.choose(kept, x, floats.signed(a.negative, magnitude))
    return floats.write(floats.choose(nan, floats.not_a_number(), rest))


# ---------------------------------------------------------------------------------- conversions


def _reinterpret(builder: Builder[V], soft: SoftFloat[V, Term], statement: Cast, value: V) -> None:
    """The same bits in another register; those of a NaN are some NaN's."""
    source, target = statement.value.type, statement.result.type
    match source, target:
        case FloatType(kind=old), FloatType(kind=new) if old is new:
            builder.alias(statement.result, value, (statement.value,))
        case IntType(), FloatType():
            _give(
                builder, statement.result, SoftFloat(soft.algebra).one_of_each(target.kind, value)
            )
        case FloatType(), IntType() if source.kind is not FloatKind.X87:
            _give(builder, statement.result, _bits(builder, soft, source.kind, value))
        case _:
            _arbitrary(builder, statement.result, statement.op.value)


def _bits(builder: Builder[V], soft: SoftFloat[V, Term], kind: FloatKind, value: V) -> V:
    nan = soft.is_nan(kind, value)
    if nan is terms.FALSE:
        return value
    width = FORMATS[kind].width
    builder.approximate("bits of a NaN")
    some = builder.unknown(Register(f"sea.bits.{width}", IntType(width)))
    builder.facts.append(SoftFloat(soft.algebra).is_nan(kind, some))
    return soft.algebra.ite(width, nan, some, value)


def _fitting(builder: Builder[V], result: Register, fits: Term, value: V) -> V:
    """The value if it fits, an arbitrary one otherwise."""
    if fits is terms.TRUE:
        return value
    builder.approximate("conversion of a float that does not fit")
    width = builder.whole.width(result.type)
    return builder.algebra.ite(width, fits, value, builder.unknown(result))


# -------------------------------------------------------------------------------------- results


def _give(builder: Builder[V], result: Register, value: V) -> None:
    """The result has the value of a circuit, which gets a symbol of its own."""
    machine = builder.whole.machine
    term = machine.plain(value)
    if term.is_constant() or term.is_symbol():
        builder.alias(result, value)
        return
    symbol = builder.local(result)
    builder.facts.append(terms.eq(symbol, term))
    builder.hold(result, symbol)


def _arbitrary(builder: Builder[V], result: Register, what: str) -> None:
    builder.approximate(f"result of {what}")
    builder.hold(result, builder.local(result))
    canonical(builder, result)


def _undetermined(builder: Builder[V], what: str) -> Term:
    """An arbitrary truth value, recorded."""
    builder.approximate(what)
    return builder.fresh(terms.BOOL)


def _unknown(builder: Builder[V], kind: FloatKind) -> V:
    """Arbitrary bits as wide as a float."""
    return builder.unknown(Register(f"sea.{kind.value}", FloatType(kind)))
