"""The program that comes out: blocks that are being written, and what is known of its registers.

Every method that computes gives an operand, and writes a statement only where the operand is no
constant and no register that is there already.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from seahorn_py.errors import NOWHERE, Origin
from seahorn_py.ir.floats import floats
from seahorn_py.ir.program import (
    NULL,
    TRUE,
    Address,
    Binary,
    BinaryOp,
    Bits,
    Block,
    Cast,
    CastOp,
    Compare,
    FloatConst,
    FloatOp,
    Input,
    IntConst,
    Operand,
    Overflow,
    Phi,
    Predicate,
    Register,
    Select,
    Site,
    Statement,
    Terminator,
)
from seahorn_py.ir.types import BOOL, POINTER, FloatType, IntType, PointerType, Type
from seahorn_py.passes.ranges import intervals
from seahorn_py.passes.ranges.intervals import Range, exactly, full, join
from seahorn_py.passes.simplify.folding import always_defined, fold
from seahorn_py.passes.unfolding.values import Unfit

Facts = Mapping[Register, Range]
Computed = Binary | Compare | Cast | Select | Bits | Overflow | FloatOp


@dataclass
class Draft:
    """A block that is being written."""

    label: str
    phis: list[Phi] = field(default_factory=list)
    statements: list[Statement] = field(default_factory=list)
    terminator: Terminator | None = None

    def block(self) -> Block:
        """The block, once it has an end."""
        assert self.terminator is not None
        return Block(self.label, tuple(self.phis), tuple(self.statements), self.terminator)


class Code:
    """All drafts, and the draft and the facts of the run that is followed at the moment."""

    def __init__(self, width: int, most: int) -> None:
        self.word = IntType(width)
        self.drafts: list[Draft] = []
        self.draft = self.begun()
        self.facts: Facts = {}
        self.origin: Origin = NOWHERE
        self.definitions: dict[Register, Statement] = {}
        self.inputs: dict[Register, Site] = {}
        self._ranges: dict[Register, Range] = {}
        self._most = most
        self._size = 0
        self._names = 0

    # ----------------------------------------------------------------------------------- blocks

    def begun(self) -> Draft:
        """A new block."""
        draft = Draft(f"b{len(self.drafts)}")
        self.drafts.append(draft)
        return draft

    def fresh(self, type_: Type) -> Register:
        """A new register."""
        self._names += 1
        return Register(f"u{self._names}", type_)

    def write(self, statement: Statement) -> None:
        """Put a statement at the end of the block."""
        self._size += 1
        if self._size > self._most:
            raise Unfit(f"more than {self._most} statements")
        self.draft.statements.append(statement)

    def read(self, type_: Type, site: Site) -> Register:
        """An input."""
        result = self.fresh(type_)
        self.write(Input(result, site))
        self.inputs[result] = site
        return result

    def phi(self, incoming: Sequence[tuple[Draft, Operand]]) -> Operand:
        """The value that belongs to the edge taken, at the head of the present block."""
        values = {value for _, value in incoming}
        if len(values) == 1:
            return values.pop()
        result = self.fresh(incoming[0][1].type)
        self._size += 1
        self.draft.phis.append(Phi(result, tuple((d.label, value) for d, value in incoming)))
        return result

    # ----------------------------------------------------------------------------------- ranges

    def range(self, operand: Operand, facts: Facts | None = None) -> Range | None:
        """The values that an integer may have in the run followed, or where other facts hold."""
        if isinstance(operand, IntConst):
            return exactly(operand.type.width, operand.value)
        if not isinstance(operand, Register) or not isinstance(operand.type, IntType):
            return None
        found = (self.facts if facts is None else facts).get(operand) or self._ranges.get(operand)
        return found or full(operand.type.width)

    def note(self, register: Register, range_: Range | None) -> None:
        """The register has such values wherever it has one."""
        if range_ is not None:
            self._ranges[register] = range_

    def joined(self, parts: Sequence[tuple[Operand, Facts]]) -> Range | None:
        """The values of a choice among operands, each under its facts."""
        found: Range | None = None
        for operand, facts in parts:
            part = self.range(operand, facts)
            if part is None:
                return None
            found = part if found is None else join(found, part)
        return found

    # ------------------------------------------------------------------------------- computation

    def compute(self, statement: Computed) -> Operand:
        """The result of a statement whose operands are those of the new program."""
        while True:
            folded = fold(statement, self.definitions)
            match folded:
                case None:
                    break
                case Binary() | Compare() | Cast() | Select():
                    statement = folded
                case Register() | IntConst() | FloatConst() | Address():
                    return folded
                case _:
                    break
        known = _constant(statement)
        if known is not None:
            return known
        range_ = self._result(statement)
        if range_ is not None and range_.value is not None and not _may_end(statement):
            return IntConst(range_.value, IntType(range_.width))
        result = self.fresh(statement.result.type)
        self.write(_named(statement, result))
        self.definitions[result] = statement
        self.note(result, range_)
        return result

    def _result(self, statement: Computed) -> Range | None:
        """The range of the result."""
        match statement:
            case Binary(op=op, left=left, right=right):
                a, b = self.range(left), self.range(right)
                return None if a is None or b is None else intervals.binary(op, a, b)
            case Compare(predicate=predicate, left=left, right=right):
                a, b = self.range(left), self.range(right)
                decided = None if a is None or b is None else intervals.decide(predicate, a, b)
                return None if decided is None else exactly(1, int(decided))
            case Cast(op=op, value=value, result=result) if isinstance(result.type, IntType):
                a = self.range(value)
                return None if a is None else intervals.cast(op, a, result.type.width)
            case Select(then=then, otherwise=otherwise):
                return self.joined(((then, self.facts), (otherwise, self.facts)))
            case Bits(op=op, arguments=arguments):
                ranges = [r for r in map(self.range, arguments) if r is not None]
                return intervals.bits(op, ranges) if len(ranges) == len(arguments) else None
            case _:
                return None

    def binary(self, op: BinaryOp, left: Operand, right: Operand) -> Operand:
        """`left op right`."""
        return self.compute(Binary(Register("", left.type), op, left, right, self.origin))

    def compare(self, predicate: Predicate, left: Operand, right: Operand) -> Operand:
        """`left predicate right`."""
        return self.compute(Compare(Register("", BOOL), predicate, left, right, self.origin))

    def select(self, condition: Operand, then: Operand, otherwise: Operand) -> Operand:
        """`condition ? then : otherwise`."""
        result = Register("", then.type)
        return self.compute(Select(result, condition, then, otherwise, self.origin))

    def add(self, left: Operand, right: Operand) -> Operand:
        """Their sum."""
        return self.binary(BinaryOp.ADD, left, right)

    def multiply(self, left: Operand, right: Operand) -> Operand:
        """Their product."""
        return self.binary(BinaryOp.MUL, left, right)

    def difference(self, left: Operand, right: Operand) -> Operand:
        """Their difference."""
        return self.binary(BinaryOp.SUB, left, right)

    def shifted(self, value: Operand, bits: int) -> Operand:
        """The value without its lowest bits, logically."""
        assert isinstance(value.type, IntType)
        return self.binary(BinaryOp.LSHR, value, IntConst(bits, value.type))

    def both(self, left: Operand, right: Operand) -> Operand:
        """The conjunction of two i1."""
        return self.binary(BinaryOp.AND, left, right)

    def either(self, left: Operand, right: Operand) -> Operand:
        """The disjunction of two i1."""
        return self.binary(BinaryOp.OR, left, right)

    def negated(self, condition: Operand) -> Operand:
        """The negation of an i1."""
        return self.binary(BinaryOp.XOR, condition, TRUE)

    def resized(self, value: Operand, to: IntType, sign: bool = False) -> Operand:
        """An integer cut or extended to a width."""
        assert isinstance(value.type, IntType)
        width = value.type.width
        if width == to.width:
            return value
        longer = CastOp.SEXT if sign else CastOp.ZEXT
        op = CastOp.TRUNC if to.width < width else longer
        return self.compute(Cast(Register("", to), op, value, self.origin))

    def converted(self, value: Operand, to: Type) -> Operand:
        """The bits of a value as another type of as many bits, or of fewer than those of a byte."""
        if value.type == to:
            return value
        match value, to:
            case IntConst(bits, _), FloatType():
                return FloatConst(bits, to)
            case FloatConst(bits, _), IntType():
                return IntConst(bits, to)
            case IntConst(bits, _), PointerType():
                return Address(None, bits) if bits else NULL
            case Address(None, offset), IntType():
                return IntConst(offset % (1 << to.width), to)
        if isinstance(value.type, IntType) and isinstance(to, IntType):
            return self.resized(value, to)
        op = CastOp.BITCAST
        if POINTER in (to, value.type):
            op = CastOp.INTTOPTR if to == POINTER else CastOp.PTRTOINT
            if not isinstance(value.type if to == POINTER else to, IntType):
                raise Unfit("a pointer is read as a float, or a float as a pointer")
        return self.compute(Cast(Register("", to), op, value, self.origin))


def _may_end(statement: Computed) -> bool:
    return isinstance(statement, Binary) and not always_defined(statement)


def _constant(statement: Computed) -> Operand | None:
    """The result of a float operation on constants, unless it is no number: which, is open."""
    match statement:
        case FloatOp(op=op, arguments=arguments):
            operation = floats.operation(op, arguments[0].type, statement.result.type)
            values = arguments
        case Cast(op=op, value=value):
            operation = floats.conversion(op, value.type, statement.result.type)
            values = (value,)
        case _:
            return None
    bits = [_bits_of(value) for value in values]
    if operation is None or None in bits:
        return None
    try:
        found = int(operation(*bits))
    except floats.UndefinedConversion:
        return None
    match statement.result.type:
        case IntType() as type_:
            return IntConst(found, type_)
        case FloatType() as type_:
            form = floats.format_of(type_)
            return None if form is None or form.is_nan(found) else FloatConst(found, type_)
        case _:
            return None


def _bits_of(value: Operand) -> int | None:
    match value:
        case IntConst():
            return value.value
        case FloatConst():
            return value.bits
        case _:
            return None


def _named(statement: Computed, result: Register) -> Computed:
    """The statement with another result."""
    match statement:
        case Binary(_, op, left, right, origin):
            return Binary(result, op, left, right, origin)
        case Compare(_, predicate, left, right, origin):
            return Compare(result, predicate, left, right, origin)
        case Cast(_, op, value, origin):
            return Cast(result, op, value, origin)
        case Select(_, condition, then, otherwise, origin):
            return Select(result, condition, then, otherwise, origin)
        case Bits(_, op, arguments, origin):
            return Bits(result, op, arguments, origin)
        case Overflow(_, op, left, right, origin):
            return Overflow(result, op, left, right, origin)
        case FloatOp(_, op, arguments, origin):
            return FloatOp(result, op, arguments, origin)
