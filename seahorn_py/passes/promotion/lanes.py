"""Lanes: integers that are only a packing of smaller ones are taken apart.

The 64-bit ABI passes small structs as one integer, built by `or(zext a, shl(zext b, 32))` and read
by `trunc(lshr(x, 32))`; bit-fields are packed alike.  An extraction (bits `low .. low + width - 1`
of a register) is pushed through shifts, masks, extensions and `or` to the value that was put there.
Phis and selects are split into one for each lane that is extracted, if all that is made of them is
extracted again (`_packings`), so that loops carry the lanes and not the packing.

New statements stand right after the register that they take apart, so every use is dominated.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from dataclasses import field, replace

from seahorn_py.base.records import dataclass
from seahorn_py.ir.program import (
    Binary,
    BinaryOp,
    Block,
    Cast,
    CastOp,
    Function,
    IntConst,
    Operand,
    Phi,
    Program,
    Register,
    Select,
    Statement,
)
from seahorn_py.ir.traverse import definitions, results, uses
from seahorn_py.ir.types import IntType
from seahorn_py.passes.simplify.blocks import resolved, substituted

MAX_DEPTH = 48


def split_lanes(program: Program) -> Program:
    """Replace extractions from packed integers by the values packed there."""
    functions = {name: _Splitting(f).run() for name, f in program.functions.items()}
    return replace(program, functions=functions)


@dataclass(frozen=True)
class _Lane:
    """The bits `low .. low + width - 1` of a register."""

    register: Register
    low: int
    width: int


@dataclass
class _Additions:
    """What is new behind the definition of a register."""

    phis: list[Phi] = field(default_factory=list)
    statements: list[Statement] = field(default_factory=list)


class _Splitting:
    """Rewrites one function."""

    def __init__(self, function: Function) -> None:
        self._function = function
        self._made: dict[Register, Statement | Phi] = {}
        for block in function.blocks:
            self._made.update((phi.result, phi) for phi in block.phis)
            self._made.update((r, s) for s in block.statements for r in results(s))
        self._names = {r.name for b in function.blocks for r in definitions(b)}
        self._names |= {p.name for p in function.parameters}
        self._known: dict[_Lane, Operand | None] = {}
        self._added: dict[Register, _Additions] = {}
        self._packings = _packings(function, self._made)

    def run(self) -> Function:
        """The function with extractions replaced; what is unused now is left to `simplify`."""
        values: dict[Register, Operand] = {}
        for statement in [s for block in self._function.blocks for s in block.statements]:
            lane = self._extracted(statement)
            found = None if lane is None else self._lane(lane, 0)
            if found is not None:
                result = results(statement)[0]
                values[result] = self._extended(lane, found, result)
        if not values:
            return self._function
        blocks = tuple(map(self._block, self._function.blocks))
        return substituted(replace(self._function, blocks=blocks), resolved(values))

    def _extracted(self, statement: Statement) -> _Lane | None:
        """The lane that a truncation or a mask of low bits reads."""
        match statement:
            case Cast(result=Register(type=IntType(width)), op=CastOp.TRUNC, value=value):
                pass
            case Binary(op=BinaryOp.AND, left=value, right=IntConst(value=mask)) if _is_low(mask):
                width = mask.bit_length()
            case _:
                return None
        low = 0
        match self._made.get(value) if isinstance(value, Register) else None:
            case Binary(op=BinaryOp.LSHR, left=inner, right=IntConst(value=low)):
                value = inner
        if not isinstance(value, Register) or low + width > _width(value):
            return None
        return _Lane(value, low, width)

    def _extended(self, lane: _Lane | None, found: Operand, result: Register) -> Operand:
        """The value of the lane in the width of the result."""
        assert lane is not None and isinstance(result.type, IntType)
        if result.type.width == lane.width:
            return found
        if isinstance(found, IntConst):
            return IntConst(found.value, result.type)
        return self._after(
            lane.register, "lane", result.type, lambda r: Cast(r, CastOp.ZEXT, found)
        )

    def _lane(self, lane: _Lane, depth: int) -> Operand | None:
        """The value of a lane as another operand; None if nothing simpler is known."""
        if lane.low == 0 and lane.width == _width(lane.register):
            return lane.register
        if lane not in self._known:
            made = self._made.get(lane.register)
            if depth > MAX_DEPTH:
                return None
            if isinstance(made, Phi | Select):
                if lane.register not in self._packings:
                    return None
                return self._split(lane, made, depth)
            self._known[lane] = None if made is None else self._through(lane, made, depth)
        return self._known[lane]

    def _split(self, lane: _Lane, made: Phi | Select, depth: int) -> Operand:
        """A phi or select of one lane; known before its operands are, for they may lead back."""
        type_ = IntType(lane.width)
        result = self._fresh(f"{lane.register.name}.{lane.low}", type_)
        self._known[lane] = result
        behind = self._added.setdefault(lane.register, _Additions())
        if isinstance(made, Phi):
            parts = [(b, self._forced(v, lane.low, lane.width, depth)) for b, v in made.incoming]
            behind.phis.append(Phi(result, tuple(parts)))
        else:
            then, otherwise = (
                self._forced(v, lane.low, lane.width, depth) for v in (made.then, made.otherwise)
            )
            behind.statements.append(Select(result, made.condition, then, otherwise, made.origin))
        return result

    def _through(self, lane: _Lane, made: Statement, depth: int) -> Operand | None:
        """Push the extraction through the operation that made the register."""
        low, width, end = lane.low, lane.width, lane.low + lane.width
        zero = IntConst(0, IntType(width))
        match made:
            case Cast(op=CastOp.ZEXT, value=value):
                source = _width(value)
                if low >= source:
                    return zero
                return self._forced(value, low, width, depth) if end <= source else None
            case Cast(op=CastOp.TRUNC, value=value):
                return self._part(value, low, width, depth)
            case Binary(op=BinaryOp.SHL, left=left, right=IntConst(value=by)):
                if end <= by:
                    return zero
                return self._forced(left, low - by, width, depth) if low >= by else None
            case Binary(op=BinaryOp.LSHR, left=left, right=IntConst(value=by)):
                inside = end + by <= _width(left)
                return self._part(left, low + by, width, depth) if inside else None
            case Binary(op=BinaryOp.AND, left=left, right=IntConst(value=mask)):
                bits = mask >> low & (1 << width) - 1
                if bits == 0:
                    return zero
                is_whole = bits == (1 << width) - 1
                return self._forced(left, low, width, depth) if is_whole else None
            case Binary(op=BinaryOp.OR, left=left, right=right):
                return self._union(lane, left, right, depth)
            case _:
                return None

    def _union(self, lane: _Lane, left: Operand, right: Operand, depth: int) -> Operand | None:
        a = self._part(left, lane.low, lane.width, depth)
        b = self._part(right, lane.low, lane.width, depth)
        if a is None and b is None:
            return None
        a = a or self._forced(left, lane.low, lane.width, depth)
        b = b or self._forced(right, lane.low, lane.width, depth)
        if a == IntConst(0, IntType(lane.width)):
            return b
        if b == IntConst(0, IntType(lane.width)):
            return a
        type_ = IntType(lane.width)
        return self._after(lane.register, "lane", type_, lambda r: Binary(r, BinaryOp.OR, a, b))

    def _part(self, value: Operand, low: int, width: int, depth: int) -> Operand | None:
        match value:
            case IntConst(value=number):
                return IntConst(number >> low & (1 << width) - 1, IntType(width))
            case Register():
                return self._lane(_Lane(value, low, width), depth + 1)
            case _:
                return None

    def _forced(self, value: Operand, low: int, width: int, depth: int) -> Operand:
        """A lane of a value, by a shift and a truncation if nothing simpler is known."""
        found = self._part(value, low, width, depth)
        if found is not None:
            return found
        assert isinstance(value, Register) and isinstance(value.type, IntType)
        lane, type_ = _Lane(value, low, width), value.type
        moved: Operand = value
        if low:
            by = IntConst(low, type_)
            moved = self._after(value, "lane", type_, lambda r: Binary(r, BinaryOp.LSHR, value, by))
        cut = self._after(value, "lane", IntType(width), lambda r: Cast(r, CastOp.TRUNC, moved))
        self._known[lane] = cut
        return cut

    def _after(
        self, register: Register, stem: str, type_: IntType, make: Callable[[Register], Statement]
    ) -> Register:
        """A new statement right behind the definition of the register; gives its result."""
        result = self._fresh(stem, type_)
        self._added.setdefault(register, _Additions()).statements.append(make(result))
        return result

    def _fresh(self, stem: str, type_: IntType) -> Register:
        name, number = stem, 2
        while name in self._names:
            name, number = f"{stem}.{number}", number + 1
        self._names.add(name)
        return Register(name, type_)

    def _block(self, block: Block) -> Block:
        phis, statements = list(block.phis), list[Statement]()
        if block is self._function.entry:
            statements.extend(self._behind(self._function.parameters))
        for phi in block.phis:
            phis.extend(self._added.get(phi.result, _Additions()).phis)
        statements.extend(self._behind(phi.result for phi in block.phis))
        for statement in block.statements:
            statements.append(statement)
            statements.extend(self._behind(results(statement)))
        return replace(block, phis=tuple(phis), statements=tuple(statements))

    def _behind(self, registers: Iterable[Register]) -> list[Statement]:
        return [s for r in registers for s in self._added.get(r, _Additions()).statements]


def _width(value: Operand) -> int:
    return value.type.width if isinstance(value.type, IntType) else 0


def _is_low(mask: int) -> bool:
    return mask > 0 and mask & (mask + 1) == 0


def _packings(function: Function, made: dict[Register, Statement | Phi]) -> frozenset[Register]:
    """The phis and selects from which only lanes are read, directly or through more of them."""
    users: dict[Register, list[Statement | Phi | None]] = {}
    for block in function.blocks:
        for phi in block.phis:
            for value in {v for _, v in phi.incoming if isinstance(v, Register)}:
                users.setdefault(value, []).append(phi)
        for statement in block.statements:
            for register in uses(statement):
                users.setdefault(register, []).append(statement)
        for register in uses(block.terminator):
            users.setdefault(register, []).append(None)
    packed = {r for r in made if isinstance(r.type, IntType) and r.type.width >= 8}
    pending = list(packed)
    while pending:
        register = pending.pop()
        if register in packed and not all(
            _reads_lanes(user, register, packed, users) for user in users.get(register, ())
        ):
            packed.discard(register)
            pending.extend(_operands(made[register]))
    return frozenset(r for r in packed if isinstance(made[r], Phi | Select))


def _operands(node: Statement | Phi) -> list[Register]:
    if isinstance(node, Phi):
        return [value for _, value in node.incoming if isinstance(value, Register)]
    return list(uses(node))


def _reads_lanes(
    user: Statement | Phi | None,
    register: Register,
    packed: Container[Register],
    users: dict[Register, list[Statement | Phi | None]],
) -> bool:
    match user:
        case Phi(result=result):
            return result in packed
        case Select(result=result, condition=condition):
            return condition != register and result in packed
        case Binary(op=BinaryOp.OR, result=result):
            return result in packed
        case Binary(op=BinaryOp.LSHR, result=result, right=IntConst()):
            return all(_extracts(reader) for reader in users.get(result, ()))
        case Binary(op=BinaryOp.AND, result=result, right=IntConst()):
            return _extracts(user) or result in packed
        case _:
            return _extracts(user)


def _extracts(user: Statement | Phi | None) -> bool:
    match user:
        case Cast(op=CastOp.TRUNC):
            return True
        case Binary(op=BinaryOp.AND, right=IntConst(value=mask)):
            return _is_low(mask)
        case _:
            return False
