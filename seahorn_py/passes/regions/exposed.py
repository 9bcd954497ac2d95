"""Where a run can tell how objects lie in memory.

`passes.regions.addresses` lays objects out in one way.  This is exact if no run can tell the
difference.  Harmless uses of pointers are: to follow, move and store them, to compare them for
equality while they are inside of their objects, and to order or subtract them within one object.
Parts of an address may be put together again.  Any other use of the bits of an address is a gap: an
error that is found is one, but a proof would hold for this layout alone.  `stale` looks at pointers
to locals that have ended.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from seahorn_py.ir.graph import calls
from seahorn_py.ir.program import (
    BORN,
    FORGOTTEN,
    NO_REUSE,
    NULL,
    SAME_OBJECT,
    Binary,
    BinaryOp,
    Bits,
    Block,
    Call,
    Cast,
    CastOp,
    Compare,
    FloatOp,
    Function,
    IntConst,
    Load,
    Offset,
    Operand,
    Overflow,
    Phi,
    Predicate,
    Program,
    Register,
    Return,
    Select,
    Statement,
    Store,
)
from seahorn_py.ir.traverse import results
from seahorn_py.ir.types import BOOL, IntType
from seahorn_py.passes.pointsto.bindings import Kind
from seahorn_py.passes.regions.origins import MOVES, SIGNED, Origins
from seahorn_py.passes.regions.plan import Plan
from seahorn_py.passes.regions.straying import Straying

OURS = "<"
"""Begins the names of files that are no file of the program."""

ONE_LAYOUT = "in one layout only"
"""Stands in each gap that is about where objects lie."""

ORDER = "addresses of different objects are ordered or subtracted at {}: in one layout only"
BITS = "the bits of an address are used as a number at {}: in one layout only"
MOVED = "an address outside of its object is compared with another at {}: in one layout only"
REUSED = "pointers to blocks are compared and blocks are freed: in one layout only, without reuse"
_EQUALITY = (Predicate.EQ, Predicate.NE)
_WHOLE = frozenset({False})
_SUMS = frozenset({BinaryOp.ADD, BinaryOp.SUB, BinaryOp.XOR})
_PARTS = frozenset({BinaryOp.AND, BinaryOp.SHL, BinaryOp.LSHR, BinaryOp.ASHR})


def exposures(plan: Plan) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Gaps for what the program can tell of the layout of objects that lie in regions.

    Beside them what is assumed, so that some comparisons tell nothing.
    """
    found: dict[str, None] = {}
    straying = Straying(plan.program, plan.found)
    watches = [_Watch(plan, f, straying) for f in plan.program.functions.values()]
    for watch in watches:
        found.update(dict.fromkeys(watch.run()))
    reused = frees(plan.program)
    if reused and any(watch.compares_blocks(of_births=False) for watch in watches):
        found[REUSED] = None
    is_born = reused and any(watch.compares_blocks(of_births=True) for watch in watches)
    return tuple(found), (FORGOTTEN,) if is_born else ()


def frees(program: Program) -> bool:
    """Whether the program frees blocks of the heap."""
    called = {call.callee for f in program.functions.values() for call in calls(f)}
    return NO_REUSE in program.assumptions or bool(called & {"free", "realloc"})


class _Watch:
    """The exposures of one function."""

    def __init__(self, plan: Plan, function: Function, straying: Straying) -> None:
        self._plan = plan
        self._straying = straying
        self._function = function
        self._made: dict[str, Statement | Phi] = {}
        for block in function.blocks:
            self._made.update((phi.result.name, phi) for phi in block.phis)
            for statement in block.statements:
                self._made.update((r.name, statement) for r in results(statement))
        self._origins = Origins(plan, function, self._made)

    def run(self) -> Iterator[str]:
        """The exposures of all statements."""
        for block in self._function.blocks:
            yield from self._block(block)

    def compares_blocks(self, of_births: bool) -> bool:
        """Whether pointers are compared that may lead to different blocks of the heap.

        `of_births` asks about the comparisons by which rules know objects since their births.
        """
        return any(
            isinstance(s, Compare)
            and _is_in(s, BORN) == of_births
            and not _is_in(s, SAME_OBJECT)
            and NULL not in (s.left, s.right)
            and all(self._may_be_block(side) for side in (s.left, s.right))
            and not self._origins.same_object(s.left, s.right)
            for block in self._function.blocks
            for s in block.statements
        )

    def _may_be_block(self, side: Operand) -> bool:
        node = self._plan.found.node(self._function.name, side)
        return node is not None and any(made.kind is Kind.HEAP for made, _ in node.data)

    def _block(self, block: Block) -> Iterator[str]:
        for statement in block.statements:
            text = None if _is_in(statement, SAME_OBJECT) else self._told(statement)
            if text is not None:
                yield text.format(getattr(statement, "origin", "?"))
        if isinstance(block.terminator, Return) and any(
            map(self._is_part, block.terminator.values)
        ):
            yield BITS.format("?")

    def _told(self, s: Statement) -> str | None:  # noqa: C901 - a flat match
        match s:
            case Compare():
                return self._compared(s)
            case Binary(op=BinaryOp.SUB, left=left, right=right) if self._both(left, right):
                return None if self._origins.in_order(s) else ORDER
            case Binary(op=BinaryOp.ADD | BinaryOp.SUB | BinaryOp.XOR):
                return None
            case Binary(op=BinaryOp.AND, right=IntConst(value=mask, type=IntType(width))):
                return None if _whole_bytes(mask, width) else self._used(s.left)
            case Binary(op=BinaryOp.OR, right=Register()):
                return None
            case Binary(op=BinaryOp.SHL | BinaryOp.LSHR | BinaryOp.ASHR, right=IntConst() as by):
                return None if by.value % 8 == 0 else self._used(s.left)
            case Binary(left=left, right=right) | Overflow(left=left, right=right):
                return self._used(left, right)
            case Bits() | FloatOp():
                return self._used(*s.arguments)
            case Cast(op=CastOp.TRUNC, value=value, result=result):
                return self._used(value) if result.type == BOOL else None
            case Cast(op=op, value=value) if op not in MOVES:
                return self._used(value)
            case Offset(terms=terms):
                return None if s.base == NULL else self._used(*(index for index, _ in terms))
            case Store(value=value, address=address):
                return BITS if self._is_part(value) or self._is_part(address) else None
            case Load(address=address):
                return BITS if self._is_part(address) else None
            case Call(arguments=arguments):
                return BITS if any(map(self._is_part, arguments)) else None
            case _:
                return None

    def _holds_address(self, operand: Operand) -> bool:
        return bool(self._bits(operand))

    def _is_part(self, operand: Operand) -> bool:
        """Whether a value is made from some of the bits of an address."""
        return True in self._bits(operand)

    def _is_known(self, operand: Operand) -> bool:
        """Whether points-to analysis has objects for the value."""
        return self._plan.found.cell(self._function.name, operand) is not None

    def _bits(self, operand: Operand) -> frozenset[bool]:
        """The ways a value is made from addresses: of all their bits (False), of some (True)."""
        return self._seen(operand, self._made_of_bits)

    @cached_property
    def _made_of_bits(self) -> Mapping[str, frozenset[bool]]:
        """Register -> `_bits` of it, if not empty: a fixpoint of flows."""
        found: dict[str, frozenset[bool]] = {}
        for name, made in self._made.items():
            is_pointer = isinstance(made, Cast) and made.op is CastOp.PTRTOINT
            if is_pointer or any(r.name == name and self._is_known(r) for r in _defined(made)):
                found[name] = _WHOLE
        sources = {name: self._made_from(made, False) for name, made in self._made.items()}
        changed = True
        while changed:
            changed = False
            for name, operands in sources.items():
                bits = found.get(name, frozenset()).union(
                    in_part or part
                    for operand, in_part in operands
                    for part in self._seen(operand, found)
                )
                if bits != found.get(name, frozenset()):
                    found[name] = bits
                    changed = True
        return found

    def _seen(self, operand: Operand, found: Mapping[str, frozenset[bool]]) -> frozenset[bool]:
        if isinstance(operand, Register) and operand.name in self._made:
            return found.get(operand.name, frozenset())
        return _WHOLE if self._is_known(operand) else frozenset()

    def _made_from(
        self, made: Statement | Phi | None, in_part: bool
    ) -> Sequence[tuple[Operand, bool]]:
        match made:
            case Cast(op=CastOp.TRUNC, value=value, result=result):
                return [(value, True)] if result.type != BOOL else []
            case Cast(op=op, value=value) if op in MOVES:
                return [(value, in_part)]
            case Binary(op=op, left=left) if op in _PARTS:
                return [(left, True)]
            case Binary(op=BinaryOp.SUB, left=one, right=other) if all(
                map(self._is_known, (one, other))
            ):
                return []  # a distance
            case Binary(op=op, left=left, right=right) if op in _SUMS:
                return [(left, in_part), (right, in_part)]
            case Phi(incoming=incoming):
                return [(value, in_part) for _, value in incoming]
            case Select(then=then, otherwise=otherwise):
                return [(then, in_part), (otherwise, in_part)]
            case _:
                return []

    def _both(self, left: Operand, right: Operand) -> bool:
        return self._holds_address(left) and self._holds_address(right)

    def _is_of_two(self, operand: Operand) -> bool:
        """Whether it is a sum or difference of two addresses, which is 0 if these are equal."""
        pending, seen = [operand], set[Operand]()
        while pending:
            value = pending.pop()
            if value in seen or not isinstance(value, Register):
                continue
            seen.add(value)
            made = self._made.get(value.name)
            match made:
                case Binary(op=BinaryOp.ADD | BinaryOp.XOR, left=left, right=right):
                    if self._both(left, right):
                        return True
                case _:
                    pass
            pending += [source for source, _ in self._made_from(made, False)]
        return False

    def _used(self, *operands: Operand) -> str | None:
        """The exposure by a use of operands as numbers, if some of them hold addresses."""
        used = any(isinstance(o.type, IntType) and self._holds_address(o) for o in operands)
        return BITS if used else None

    def _compared(self, s: Compare) -> str | None:
        predicate, left, right = s.predicate, s.left, s.right
        sides = (left, right)
        if any(map(self._is_part, sides)):
            return BITS
        if not any(map(self._holds_address, sides)):
            return None
        if _is_zero(left) or _is_zero(right):
            is_number = isinstance(left.type, IntType)
            tells = predicate in SIGNED or any(map(self._is_of_two, sides))
            return BITS if is_number and tells else None
        if predicate in _EQUALITY:
            numbers = isinstance(left.type, IntType) and not self._both(left, right)
            return BITS if numbers else self._met(left, right)
        return None if self._origins.in_order(s) else ORDER

    def _met(self, left: Operand, right: Operand) -> str | None:
        """The exposure if one of two addresses may stray to where the other one may be."""
        sides = (left, right)
        known = [self._plan.found.node(self._function.name, side) for side in sides]
        if any(node is None or not node.data for node in known):
            return None
        strays = any(self._straying.may_stray(self._function, side) for side in sides)
        return MOVED if strays and not self._origins.same_object(left, right) else None


def _is_in(statement: Statement, ours: str) -> bool:
    """Whether a statement comes from a function of ours."""
    origin = getattr(statement, "origin", None)
    span = origin.span if origin is not None else None
    return span is not None and span.function == ours and span.file.startswith(OURS)


def _defined(made: Statement | Phi) -> Sequence[Register]:
    return (made.result,) if isinstance(made, Phi) else tuple(results(made))


def _is_zero(operand: Operand) -> bool:
    return operand == NULL or (isinstance(operand, IntConst) and operand.value == 0)


def _whole_bytes(mask: int, width: int) -> bool:
    return all(mask >> at & 255 in (0, 255) for at in range(0, width, 8))
