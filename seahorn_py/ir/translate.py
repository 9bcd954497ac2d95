"""Segments as Python functions, translated one by one when a run first gets there.

The text is made of the templates of `ir.source`, slot numbers and numbers of the program; no name
of the program gets into it.
"""

from __future__ import annotations

from typing import assert_never

from seahorn_py.ir import semantics
from seahorn_py.ir.algebra import Algebra
from seahorn_py.ir.floats import floats
from seahorn_py.ir.handed import OF_NULL
from seahorn_py.ir.memory import Interruption, Layout, bytes_of, constant
from seahorn_py.ir.program import (
    Address,
    Alloca,
    Binary,
    Bind,
    Bits,
    Branch,
    Call,
    Cast,
    CastOp,
    Compare,
    Fail,
    FloatOp,
    Havoc,
    Input,
    Jump,
    Lifetime,
    Load,
    MemoryCopy,
    MemorySet,
    Offset,
    Operand,
    Overflow,
    RegionFill,
    RegionHavoc,
    RegionLoad,
    RegionStore,
    Register,
    Return,
    Select,
    Statement,
    Stop,
    StopKind,
    Store,
    Terminator,
    Valid,
)
from seahorn_py.ir.regions import Contents
from seahorn_py.ir.run import Ending
from seahorn_py.ir.segments import CALL, RETURN, Code, Step
from seahorn_py.ir.source import HELPERS, Source
from seahorn_py.ir.types import FloatKind, FloatType, IntType, PointerType, RegionType, Type


class Translator:
    """Translates segments of one program; the text's constants live in one namespace."""

    def __init__(self, layout: Layout, pointer_width: int) -> None:
        self._layout = layout
        self._pointer_width = pointer_width
        self._namespace: dict[str, object] = {
            "__builtins__": {},
            "Interruption": Interruption,
            "Contents": Contents,
            **HELPERS,
        }

    def step(self, code: Code, number: int) -> Step:
        """The Python function of segment `number`."""
        writer = _Writer(code, self._layout, self._pointer_width, self._namespace)
        segment = code.segments[number]
        for statement in segment.statements:
            writer.statement(statement)
        if segment.call is not None:
            writer.call(segment.call)
        else:
            writer.terminator(segment.block.label, segment.block.terminator)
        body = "\n ".join(writer.source.lines)
        local: dict[str, Step] = {}
        exec(compile(f"def step(r, s):\n {body}\n", "<segment>", "exec"), self._namespace, local)
        return local["step"]


class _Writer:
    """Writes the text of one segment."""

    def __init__(
        self, code: Code, layout: Layout, pointer_width: int, namespace: dict[str, object]
    ) -> None:
        self.source = Source(namespace)
        self._algebra: Algebra[str, str] = self.source
        self._code = code
        self._layout = layout
        self._pointer_width = pointer_width
        self._known: dict[str, str] = {}

    # ------------------------------------------------------------------------------- operands

    def width(self, type_: Type) -> int:
        """The width of a register that holds an integer, a pointer or a float's bits."""
        match type_:
            case IntType():
                return type_.width
            case FloatType():
                return {FloatKind.SINGLE: 32, FloatKind.DOUBLE: 64, FloatKind.X87: 80}[type_.kind]
            case _:
                return self._pointer_width

    def value(self, operand: Operand) -> str:
        """The text of an operand."""
        if isinstance(operand, Register):
            known = self._known.get(operand.name)
            return known or f"r[{self._code.slots[operand.name]}]"
        value = constant(operand, self._layout.symbols, self._pointer_width)
        if value is not None:
            return str(value)
        symbol = operand.symbol if isinstance(operand, Address) else ""
        self._interrupt(Ending.REFUSED, f"address of {symbol}, which is not defined")
        return "0"

    def _interrupt(self, ending: Ending, reason: str, check: int | None = None) -> None:
        arguments = self.source.name((ending, reason, check))
        self.source.lines.append(f"raise Interruption(*{arguments})")

    def _assign(self, register: Register, text: str) -> None:
        """Bind the register, in its slot and in a local variable for the rest of the segment."""
        slot = self._code.slots[register.name]
        lines = self.source.lines
        if text[0] == "t" and lines[-1].startswith(f"{text} = "):
            text = lines.pop()[len(text) + 3 :]
        lines.append(f"v{slot} = r[{slot}] = {text}")
        self._known[register.name] = f"v{slot}"

    # ----------------------------------------------------------------------------- statements

    def statement(self, statement: Statement) -> None:  # noqa: C901 - a flat match
        """Write one statement other than a call."""
        match statement:
            case Binary():
                self._binary(statement)
            case Compare() | Overflow():
                self._test(statement)
            case Cast():
                self._cast(statement)
            case Select():
                self._select(statement)
            case Bits():
                self._bits(statement)
            case FloatOp():
                self._float(statement)
            case Offset():
                self._offset(statement)
            case Load():
                self._load(statement)
            case Alloca() | Valid():
                self._ask(statement)
            case Store() | MemoryCopy() | MemorySet() | Havoc() | Lifetime():
                self._effect(statement)
            case RegionLoad() | RegionStore() | RegionFill() | RegionHavoc():
                self._region(statement)
            case Input():
                self._input(statement)
            case Call() | Bind():
                return
            case _:
                assert_never(statement)

    def _binary(self, statement: Binary) -> None:
        left, right = self.value(statement.left), self.value(statement.right)
        width, op = self.width(statement.result.type), statement.op
        if semantics.partial(op):
            holds = semantics.defined(self._algebra, op, width, left, right)
            reason = f"{op.value} is undefined at {statement.origin}"
            arguments = self.source.name((Ending.ENDED, reason))
            self.source.lines.append(f"if not {holds}: raise Interruption(*{arguments})")
        result = semantics.binary(self._algebra, op, width, left, right)
        self._assign(statement.result, result)

    def _test(self, statement: Compare | Overflow) -> None:
        left, right = self.value(statement.left), self.value(statement.right)
        width = self.width(statement.left.type)
        match statement:
            case Compare():
                holds = semantics.compare(self._algebra, statement.predicate, width, left, right)
            case Overflow():
                holds = semantics.overflow(self._algebra, statement.op, width, left, right)
            case _:
                assert_never(statement)
        self._assign(statement.result, self._algebra.of_bool(holds))

    def _bits(self, statement: Bits) -> None:
        arguments = tuple(self.value(a) for a in statement.arguments)
        width = self.width(statement.result.type)
        result = semantics.bits(self._algebra, statement.op, width, arguments)
        self._assign(statement.result, result)

    def _cast(self, statement: Cast) -> None:
        source, target = statement.value.type, statement.result.type
        value = self.value(statement.value)
        convert = floats.conversion(statement.op, source, target)
        if convert is not None:
            self._apply(statement.result, convert, (value,))
        elif _converts_floats(statement):
            self._interrupt(Ending.REFUSED, f"{statement.op.value} from {source} to {target}")
        else:
            widths = self.width(source), self.width(target)
            result = semantics.cast(self._algebra, statement.op, *widths, value)
            made = f"s.made({result})" if statement.op is CastOp.INTTOPTR else result
            self._assign(statement.result, made)

    def _select(self, statement: Select) -> None:
        condition = self.value(statement.condition)
        then, otherwise = self.value(statement.then), self.value(statement.otherwise)
        width = self.width(statement.result.type)
        self._assign(statement.result, self._algebra.ite(width, condition, then, otherwise))

    def _float(self, statement: FloatOp) -> None:
        arguments = tuple(self.value(a) for a in statement.arguments)
        compute = floats.operation(statement.op, statement.arguments[0].type, statement.result.type)
        if compute is None:
            kinds = ", ".join(str(a.type) for a in statement.arguments)
            self._interrupt(Ending.REFUSED, f"{statement.op} of {kinds}")
        else:
            self._apply(statement.result, compute, arguments)

    def _apply(
        self, result: Register, compute: floats.Operation, arguments: tuple[str, ...]
    ) -> None:
        self._assign(result, f"{self.source.name(compute)}({', '.join(arguments)})")

    def _offset(self, statement: Offset) -> None:
        width = self._pointer_width
        total = self._algebra.add(
            width, self.value(statement.base), str(statement.constant % (1 << width))
        )
        for index, scale in statement.terms:
            text, own = self.value(index), self.width(index.type)
            if own < width:
                extended = semantics.cast(self._algebra, CastOp.SEXT, own, width, text)
            else:
                extended = text
            part = self._algebra.mul(width, extended, str(scale % (1 << width)))
            total = self._algebra.add(width, total, part)
        self._assign(statement.result, total)

    def _load(self, statement: Load) -> None:
        type_ = statement.result.type
        address, size = self.value(statement.address), bytes_of(type_, self._pointer_width)
        mask = "" if self.width(type_) == 8 * size else f" & {(1 << self.width(type_)) - 1}"
        load = "load_pointer" if isinstance(type_, PointerType) else "load"
        self._assign(statement.result, f"s.{load}({address}, {size}){mask}")

    def _ask(self, s: Alloca | Valid) -> None:
        """What memory gives a value for."""
        match s:
            case Alloca():
                text = f"s.alloca({self.value(s.size)}, {s.align})"
            case Valid():
                address, size = self.value(s.address), self.value(s.size)
                text = f"s.valid({self.source.name(s.kind)}, {address}, {size})"
            case _:
                assert_never(s)
        self._assign(s.result, text)

    def _effect(self, s: Store | MemoryCopy | MemorySet | Havoc | Lifetime) -> None:
        """What only changes memory."""
        match s:
            case Store():
                value, address = self.value(s.value), self.value(s.address)
                text = f"s.store({address}, {bytes_of(s.value.type, self._pointer_width)}, {value})"
            case MemoryCopy():
                target, source, length = map(self.value, (s.target, s.source, s.length))
                text = f"s.copy({target}, {source}, {length})"
            case MemorySet():
                target, byte, length = map(self.value, (s.target, s.byte, s.length))
                text = f"s.fill({target}, {byte}, {length})"
            case Havoc():
                address, size = self.value(s.address), self.value(s.size)
                text = f"s.havoc({address}, {size}, {self.source.name(s.site)})"
            case Lifetime():
                text = f"s.scope({self.value(s.address)}, {s.live})"
            case _:
                assert_never(s)
        self.source.lines.append(text)

    def _region(self, s: RegionLoad | RegionStore | RegionFill | RegionHavoc) -> None:
        match s:
            case RegionLoad():
                text = f"{self.value(s.region)}.load({self.value(s.address)})"
            case RegionStore():
                address, value = self.value(s.address), self.value(s.value)
                text = f"{self.value(s.region)}.store({address}, {value})"
            case RegionFill():
                text = f"Contents({self.value(s.value)})"
            case RegionHavoc():
                region, address, size = map(self.value, (s.region, s.address, s.size))
                site, count = self.source.name(s.site), self._element_size(s.result)
                text = f"s.havoc_region({region}, {address}, {size}, {site}, {count})"
            case _:
                assert_never(s)
        self._assign(s.result, text)

    def _element_size(self, region: Register) -> int:
        assert isinstance(region.type, RegionType)
        return bytes_of(region.type.element, self._pointer_width)

    def _input(self, statement: Input) -> None:
        type_ = statement.result.type
        if isinstance(type_, RegionType):
            self._assign(statement.result, "Contents()")
            return
        site, width = self.source.name(statement.site), self.width(type_)
        is_value = isinstance(type_, IntType | FloatType)
        read = (
            f"s.read({site}, {(1 << width) - 1})"
            if is_value
            else f"s.read_pointer({site}, {width})"
        )
        self._assign(statement.result, read)

    # ---------------------------------------------------------------------------- what is next

    def call(self, call: Call) -> None:
        """Hand a call to the run."""
        if isinstance(call.callee, str):
            callee = self.source.name(call.callee)
        else:
            callee = self.value(call.callee)
        arguments = self._tuple(call.arguments)
        self.source.lines.append(f"s.callee = {callee}")
        self.source.lines.append(f"s.arguments = {arguments}")
        self.source.lines.append(f"return {CALL}")

    def _tuple(self, operands: tuple[Operand, ...]) -> str:
        return "(" + "".join(f"{self.value(operand)}, " for operand in operands) + ")"

    def terminator(self, label: str, terminator: Terminator) -> None:
        """Write the end of a block."""
        lines = self.source.lines
        match terminator:
            case Jump():
                lines.extend(self._edge(label, terminator.target))
            case Branch():
                condition = self.value(terminator.condition)
                then = self._edge(label, terminator.then)
                lines.append(f"if {condition}:")
                lines.extend(f" {line}" for line in then)
                lines.extend(self._edge(label, terminator.otherwise))
            case Return():
                lines.append(f"s.values = {self._tuple(terminator.values)}")
                lines.append(f"return {RETURN}")
            case Stop():
                blocked = terminator.kind is StopKind.BLOCKED
                self._interrupt(Ending.BLOCKED if blocked else Ending.ENDED, "")
            case Fail():
                if terminator.check.property == OF_NULL:
                    lines.append("s.expect_set()")
                self._interrupt(Ending.FAILED, "", terminator.check.number)
            case _:
                assert_never(terminator)

    def _edge(self, label: str, target: str) -> list[str]:
        """Assign the phis of the target together and go there."""
        start = self._code.starts[target]
        phis = self._code.segments[start].block.phis
        slots = [f"r[{self._code.slots[phi.result.name]}]" for phi in phis]
        values = [self.value(choice[label]) for choice in self._code.incoming(target)]
        lines = [f"{', '.join(slots)} = {', '.join(values)}"] if phis else []
        return [*lines, f"return {start}"]


def _converts_floats(statement: Cast) -> bool:
    op = CastOp
    return statement.op not in (op.ZEXT, op.SEXT, op.TRUNC, op.PTRTOINT, op.INTTOPTR, op.BITCAST)
