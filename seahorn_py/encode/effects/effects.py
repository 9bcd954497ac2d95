"""The values of statements: one case for each kind, from the table in `ir.semantics`."""

from __future__ import annotations

from typing import TypeVar, assert_never

from seahorn_py.base.errors import InternalError
from seahorn_py.encode.builder import Builder
from seahorn_py.encode.effects import addresses, contents, floats
from seahorn_py.encode.machine import WRAPPING
from seahorn_py.encode.relevance import converts_floats, demands
from seahorn_py.horn.ledger import Approximation
from seahorn_py.ir import semantics
from seahorn_py.ir.program import (
    Address,
    Alloca,
    Binary,
    Bind,
    Bits,
    Call,
    Cast,
    CastOp,
    Compare,
    FloatOp,
    Havoc,
    Input,
    Lifetime,
    Load,
    MemoryCopy,
    MemorySet,
    Offset,
    Overflow,
    RegionFill,
    RegionHavoc,
    RegionLoad,
    RegionStore,
    Register,
    Select,
    Site,
    SiteKind,
    Statement,
    Store,
    Valid,
)
from seahorn_py.ir.types import IntType, PointerType, RegionType
from seahorn_py.logic.terms import terms

V = TypeVar("V")

_NONNULL = frozenset({"malloc", "calloc", "alloca", "aligned_alloc", "memalign"})


def translate(builder: Builder[V], statement: Statement) -> None:  # noqa: C901 - a flat match
    """Give the statement's result its value in the rule."""
    builder.at(statement)
    match statement:
        case Binary():
            _binary(builder, statement)
        case Compare():
            _compare(builder, statement)
        case Cast():
            _cast(builder, statement)
        case Select():
            _select(builder, statement)
        case Bits():
            _bits(builder, statement)
        case Overflow():
            _overflow(builder, statement)
        case Load():
            _arbitrary(builder, statement.result, "value of memory")
        case FloatOp():
            floats.operate(builder, statement)
        case Valid():
            _arbitrary(builder, statement.result, f"validity of memory ({statement.kind.value})")
        case RegionLoad():
            _region_load(builder, statement)
        case RegionStore():
            contents.store(builder, statement)
        case RegionFill():
            contents.fill(builder, statement)
        case Offset():
            addresses.offset(builder, statement)
        case Alloca():
            _allocated(builder, statement.result)
        case Call():
            _allocation(builder, statement)
        case Input() | RegionHavoc() | Store() | MemoryCopy() | MemorySet() | Havoc():
            raise InternalError("the statement has no value to translate")
        case Lifetime() | Bind():
            raise InternalError("the statement has no value to translate")
        case _:
            assert_never(statement)


def read_input(builder: Builder[V], statement: Input) -> None:
    """An arbitrary value; listed whether it is needed or not, so that visits can be counted."""
    builder.at(statement)
    symbol = builder.local(statement.result)
    builder.hold(statement.result, symbol)
    floats.canonical(builder, statement.result)
    if isinstance(statement.result.type, IntType):
        shape = builder.shape(statement.result)
        builder.facts.append(builder.whole.machine.given(symbol, shape))
    if not isinstance(statement.result.type, RegionType):
        builder.reads(symbol, statement.site.number)
    if statement.site.kind is SiteKind.ALLOC:
        _not_null(builder, statement.result)
    _note_site(builder, statement.site)


def havoc_region(builder: Builder[V], statement: RegionHavoc, needed: bool) -> None:
    """Arbitrary elements; listed whether they are needed or not."""
    builder.at(statement)
    contents.havoc(builder, statement, needed)
    _note_site(builder, statement.site)


def _note_site(builder: Builder[V], site: Site) -> None:
    if site.kind is SiteKind.HAVOC:
        text = f"arbitrary value {site.name}".rstrip()
        builder.record(Approximation.OVER, text, site.origin)


def defined(builder: Builder[V], statement: Binary) -> None:
    """The run goes on only where the operation is defined."""
    builder.at(statement)
    width = builder.shape(statement.result).width
    left, right = builder.read(statement.left), builder.read(statement.right)
    builder.assume(semantics.defined(builder.algebra, statement.op, width, left, right))


def _binary(builder: Builder[V], statement: Binary) -> None:
    shape = builder.shape(statement.result)
    left, right = builder.read(statement.left), builder.read(statement.right)
    if statement.op in WRAPPING and shape.width > 1:
        machine = builder.whole.machine
        value = machine.arithmetic(builder, statement, shape, left, right)
    else:
        value = semantics.binary(builder.algebra, statement.op, shape.width, left, right)
    builder.alias(statement.result, value, demands(statement))


def _compare(builder: Builder[V], statement: Compare) -> None:
    if isinstance(statement.left.type, PointerType):
        _compare_pointers(builder, statement)
        return
    width = builder.whole.width(statement.left.type)
    left, right = builder.read(statement.left), builder.read(statement.right)
    truth = semantics.compare(builder.algebra, statement.predicate, width, left, right)
    builder.alias(statement.result, builder.algebra.of_bool(truth), demands(statement))


def _compare_pointers(builder: Builder[V], statement: Compare) -> None:
    """Equality and order of addresses, as far as the places of objects do not matter."""
    predicate, sides = statement.predicate, (statement.left, statement.right)
    match sides:
        case Address() as one, Address() as other:
            known = builder.whole.layout.tells(predicate, one, other)
        case _:
            known = bool(demands(statement))
    truth = addresses.order(builder, predicate, *sides) if known else None
    if truth is None:
        _arbitrary(builder, statement.result, "comparison of pointers")
        return
    builder.alias(statement.result, builder.algebra.of_bool(truth), demands(statement))


def _cast(builder: Builder[V], statement: Cast) -> None:
    if statement.op in (CastOp.PTRTOINT, CastOp.INTTOPTR):
        addresses.convert(builder, statement)
        return
    if converts_floats(statement):
        floats.convert(builder, statement)
        return
    width = builder.whole.width(statement.value.type)
    to = builder.whole.width(statement.result.type)
    value = semantics.cast(builder.algebra, statement.op, width, to, builder.read(statement.value))
    builder.alias(statement.result, value, demands(statement))


def _select(builder: Builder[V], statement: Select) -> None:
    shape = builder.shape(statement.result)
    if shape.addresses is not None:
        sides = (builder.region(side) for side in (statement.then, statement.otherwise))
        chosen = terms.ite(builder.truth(statement.condition), *sides)
        builder.fill(statement.result, chosen, demands(statement))
        return
    machine = builder.whole.machine
    then, otherwise = (
        machine.keep(builder.read(side), shape) for side in (statement.then, statement.otherwise)
    )
    condition = builder.truth(statement.condition)
    value = builder.algebra.ite(shape.width, condition, then, otherwise)
    builder.alias(statement.result, value, demands(statement))


def _bits(builder: Builder[V], statement: Bits) -> None:
    width = builder.whole.width(statement.result.type)
    arguments = tuple(builder.read(argument) for argument in statement.arguments)
    value = semantics.bits(builder.algebra, statement.op, width, arguments)
    builder.alias(statement.result, value, demands(statement))


def _overflow(builder: Builder[V], statement: Overflow) -> None:
    width = builder.whole.width(statement.left.type)
    left, right = builder.read(statement.left), builder.read(statement.right)
    truth = semantics.overflow(builder.algebra, statement.op, width, left, right)
    builder.alias(statement.result, builder.algebra.of_bool(truth), demands(statement))


def _region_load(builder: Builder[V], statement: RegionLoad) -> None:
    if demands(statement, builder.whole.relevance.floats):
        contents.load(builder, statement)
        floats.canonical(builder, statement.result)
    else:
        _arbitrary(builder, statement.result, "value of memory")


def _arbitrary(builder: Builder[V], result: Register, why: str) -> None:
    """What memory holds that has not become registers is any value of its type, and recorded."""
    builder.approximate(why)
    builder.hold(result, builder.local(result))
    floats.canonical(builder, result)


def _allocated(builder: Builder[V], result: Register) -> None:
    """The address of an object: unknown, but not null."""
    builder.hold(result, builder.local(result))
    _not_null(builder, result)


def _not_null(builder: Builder[V], register: Register) -> None:
    null = builder.algebra.const(builder.whole.program.pointer_width, 0)
    is_null = builder.whole.machine.same_address(builder.read(register), null)
    builder.assume(terms.not_(is_null))


def _allocation(builder: Builder[V], call: Call) -> None:
    """The C library's allocation functions do not run out of memory."""
    for result in call.results:
        if call.callee in _NONNULL and isinstance(result.type, PointerType):
            text = "heap exhaustion does not happen"
            builder.record(Approximation.ASSUMED, text, call.origin)
            _allocated(builder, result)
        else:
            _arbitrary(builder, result, f"result of {call.callee}")
