"""One arbitrary round stands for all rounds of a loop that goes on for as long as inputs come.

This is the usual abstraction of loops in verification conditions (Barnett, Leino:
"Weakest-precondition of unstructured programs", PASTE 2005), with the invariant *true*.  Where the
loop begins, all that it changes becomes arbitrary; a run that comes back there ends.  Each round of
the old program is a round of the new one, from the same state.  So is the run behind the loop.

The new program has all failing runs of the old one and more: a proof of it is one of the old
program, and an error in it may be none.  Bounded loops stay as they are, also inside of such a
loop, so that the program can be unfolded.

A loop is not cut open if it changes memory without a name (blocks of the heap, locals of callers),
if pointers go from round to round in registers, or if it makes or frees blocks of the heap.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from seahorn_py.base.records import dataclass
from seahorn_py.ir.graph import (
    blocks_by_label,
    call_graph,
    dominator_tree,
    loop_heads,
    predecessors,
    recursive_functions,
)
from seahorn_py.ir.program import (
    ENDLESS,
    Address,
    Alloca,
    Binary,
    BinaryOp,
    Block,
    Branch,
    Call,
    Compare,
    Function,
    Havoc,
    Input,
    IntConst,
    Jump,
    Lifetime,
    MemoryCopy,
    MemorySet,
    Operand,
    Phi,
    Program,
    Register,
    Site,
    SiteKind,
    Statement,
    Stop,
    StopKind,
    Store,
    Valid,
    Validity,
)
from seahorn_py.ir.traverse import retarget, targets, uses
from seahorn_py.ir.types import IntType, PointerType, Type
from seahorn_py.passes.environment import ALLOCATION
from seahorn_py.passes.pointsto.bindings import Kind, Object
from seahorn_py.passes.pointsto.pointsto import PointsTo, points_to
from seahorn_py.passes.unfolding.state.order import order_of

_BYTE = IntType(8)


@dataclass(frozen=True)
class _Loop:
    """An outermost loop of a function: its head and all its blocks, by label."""

    function: Function
    head: str
    labels: frozenset[str]

    @property
    def blocks(self) -> Iterator[Block]:
        return (block for block in self.function.blocks if block.label in self.labels)


@dataclass(frozen=True)
class _Changes:
    """What a loop changes: addresses, with sizes in bytes.

    `objects` become arbitrary where the loop begins; `locals` of the loop's blocks, where their
    lives begin.
    """

    objects: Mapping[Operand, int]
    locals: Mapping[Operand, int]


def one_round(program: Program) -> Program:
    """The program with every such loop cut open; the same program if there is none.

    It is the same too if the property asks for blocks that are lost in runs without end, since the
    new program has no such runs.
    """
    if ENDLESS in program.gaps:
        return program
    rounds = _Rounds(program)
    functions = {name: rounds.function(f) for name, f in program.functions.items()}
    if not rounds.sites:
        return program
    return replace(program, functions=functions, sites=(*program.sites, *rounds.sites))


class _Rounds:
    def __init__(self, program: Program) -> None:
        self._program = program
        self._next_site = 1 + max((site.number for site in program.sites), default=0)
        self._graph = call_graph(program)
        self._recursive = recursive_functions(program)
        self._points: PointsTo | None = None
        self._asks = any(
            isinstance(s, Valid) and s.kind in (Validity.ACCESS, Validity.WRITE)
            for f in program.functions.values()
            for b in f.blocks
            for s in b.statements
        )
        self.sites: list[Site] = []

    def function(self, function: Function) -> Function:
        """The function with its loops cut open."""
        if function.name in self._recursive:
            return function
        for loop in _loops(function):
            changes = self._changes(loop) if self._is_endless(loop) else None
            if changes is not None:
                function = self._cut(function, loop, changes)
        return function

    def _is_endless(self, loop: _Loop) -> bool:
        """Whether it reads inputs, has loops inside, and no counter of its rounds ends it.

        For a loop without loops inside, induction proves as much at less cost.
        """
        statements = list(self._statements(loop))
        reads = any(isinstance(s, Input) for _, s in statements)
        called = {name for name, _ in statements} - {loop.function.name}
        loops = any(loop_heads(self._program.functions[name]) for name in called)
        return reads and not _counts(loop) and (loops or _has_loops(loop))

    def _statements(self, loop: _Loop) -> Iterator[tuple[str, Statement]]:
        """All statements of a loop and of what it calls, with the names of their functions."""
        name, pending = loop.function.name, list[str]()
        seen: set[str] = set()
        for block in loop.blocks:
            for statement in block.statements:
                yield name, statement
                if isinstance(statement, Call):
                    pending += self._callees(name, statement)
        while pending:
            callee = pending.pop()
            if callee in seen or callee not in self._program.functions:
                continue
            seen.add(callee)
            pending += self._graph[callee]
            for block in self._program.functions[callee].blocks:
                for statement in block.statements:
                    yield callee, statement

    def _callees(self, name: str, call: Call) -> tuple[str, ...]:
        return (call.callee,) if isinstance(call.callee, str) else self._graph[name]

    # ------------------------------------------------------------------------------- what changes

    def _changes(self, loop: _Loop) -> _Changes | None:
        """What the rounds of a loop change; None if some of it has no name."""
        head = next(block for block in loop.blocks if block.label == loop.head)
        if any(not isinstance(phi.result.type, IntType) for phi in head.phis):
            return None
        if not _begins_at_head(loop):
            return None
        statements = list(self._statements(loop))
        if any(isinstance(s, Call) and _is_opaque(s) for _, s in statements):
            return None
        locals_ = _locals(loop)
        scoped = {
            s.address: locals_.get(s.address)
            for block in loop.blocks
            for s in block.statements
            if isinstance(s, Lifetime)
        }
        sizes = {address: size for address, size in scoped.items() if size is not None}
        if len(sizes) < len(scoped):
            return None
        found: dict[Operand, int] = {}
        for object_ in self._written(statements):
            if object_ is None or not self._add(object_, loop, locals_, found):
                return None
        return _Changes({a: n for a, n in found.items() if a not in sizes}, sizes)

    def _written(self, statements: Iterable[tuple[str, Statement]]) -> Iterator[Object | None]:
        """The objects that the statements may write; None among them for unknown memory."""
        if self._points is None:
            self._points = points_to(self._program)
        seen: set[int] = set()
        for name, statement in statements:
            address = _target(statement)
            if address is None:
                continue
            node = self._points.node(name, address)
            if node is None or node.is_outside:
                yield None
            elif node.number not in seen:
                seen.add(node.number)
                yield from (object_ for object_, _ in node.data)

    def _add(
        self, object_: Object, loop: _Loop, locals_: Mapping[Operand, int], to: dict[Operand, int]
    ) -> bool:
        """Note an object in `to` with its address at the head; False if it has none there."""
        match object_.kind:
            case Kind.GLOBAL:
                known = self._program.globals[object_.name]
                if not known.constant:
                    to[Address(object_.name)] = known.size
                return True
            case Kind.STACK if object_.function == loop.function.name:
                register = Register(object_.name, PointerType())
                if register in locals_:
                    to[register] = locals_[register]
                    return True
                return _is_made_inside(register, loop)
            case Kind.STACK:
                return object_.function is not None and self._is_called(loop, object_.function)
            case _:
                return False

    def _is_called(self, loop: _Loop, function: str) -> bool:
        """Whether the loop calls the function, so that its locals live within a round."""
        return any(name == function for name, _ in self._statements(loop))

    # ------------------------------------------------------------------------------- cutting open

    def _cut(self, function: Function, loop: _Loop, changes: _Changes) -> Function:
        blocks = blocks_by_label(function)
        head = blocks[loop.head]
        begin, end = f"{loop.head}.any", f"{loop.head}.again"
        origin = head.terminator.origin
        statements: list[Statement] = []
        for address, size in changes.objects.items():
            statements.append(self._havoc(address, size))
        # Which locals live depends on the round.  Checks of accesses may fail, so locals are dead
        # for them; without such checks accesses may go on, so locals live.
        statements += [Lifetime(address, not self._asks) for address in changes.locals]
        statements += [Input(phi.result, self._site(phi.result.type)) for phi in head.phis]
        made = [
            Block(begin, (), tuple(statements), Jump(loop.head, origin)),
            Block(end, (), (), Stop(StopKind.END, origin)),
        ]
        rest = [
            self._inside(block, loop, changes, end)
            if block.label in loop.labels
            else replace(block, terminator=retarget(block.terminator, {loop.head: begin}))
            for block in function.blocks
        ]
        return replace(function, blocks=(rest[0], *rest[1:], *made))

    def _inside(self, block: Block, loop: _Loop, changes: _Changes, end: str) -> Block:
        phis = () if block.label == loop.head else block.phis
        statements: list[Statement] = []
        for statement in block.statements:
            statements.append(statement)
            if isinstance(statement, Lifetime) and statement.live:
                address = statement.address
                statements.append(self._havoc(address, changes.locals[address]))
        terminator = retarget(block.terminator, {loop.head: end})
        return Block(block.label, phis, tuple(statements), terminator)

    def _havoc(self, address: Operand, size: int) -> Havoc:
        word = IntType(self._program.pointer_width)
        return Havoc(address, IntConst(size, word), self._site(_BYTE))

    def _site(self, kind: Type) -> Site:
        origin = self._program.functions[self._program.entry].origin
        site = Site(
            self._next_site, SiteKind.HAVOC, kind, "any round", str(kind), origin, native=False
        )
        self._next_site += 1
        self.sites.append(site)
        return site


# --------------------------------------------------------------------------------------- loops


def _loops(function: Function) -> list[_Loop]:
    """The outermost loops of a function."""
    order = order_of(function)
    members: dict[str, set[str]] = {}
    for label, around in order.heads.items():
        if around:
            members.setdefault(around[0], set()).add(label)
    return [_Loop(function, head, frozenset(labels)) for head, labels in members.items()]


def _has_loops(loop: _Loop) -> bool:
    """Whether there are loops inside of the loop."""
    around = order_of(loop.function).heads
    return any(len(around[label]) > 1 for label in loop.labels)


def _begins_at_head(loop: _Loop) -> bool:
    """Whether every way into the loop leads to its head."""
    before = predecessors(loop.function)
    return all(loop.labels.issuperset(before[label]) for label in loop.labels if label != loop.head)


def _counts(loop: _Loop) -> bool:
    """Whether a branch out of the loop compares a number to which each round adds a constant."""
    head = next(block for block in loop.blocks if block.label == loop.head)
    counted = {phi.result for phi in head.phis if _steps(phi, loop)}
    compared: set[Register] = set()
    for block in loop.blocks:
        if isinstance(block.terminator, Branch) and not loop.labels.issuperset(
            targets(block.terminator)
        ):
            compared |= _read_by(block.terminator.condition, loop)
    return not counted.isdisjoint(compared)


def _definitions(loop: _Loop) -> dict[Register, Statement]:
    return {
        s.result: s
        for block in loop.blocks
        for s in block.statements
        if isinstance(s, (Binary, Compare))
    }


def _steps(phi: Phi, loop: _Loop) -> bool:
    made = _definitions(loop)
    for label, value in phi.incoming:
        if label in loop.labels:
            step = made.get(value) if isinstance(value, Register) else None
            if not isinstance(step, Binary) or step.op not in (BinaryOp.ADD, BinaryOp.SUB):
                return False
            if step.left != phi.result or not isinstance(step.right, IntConst):
                return False
    return True


def _read_by(condition: Operand, loop: _Loop) -> set[Register]:
    """The registers of the sums and comparisons that a condition is made of."""
    made, found = _definitions(loop), set[Register]()
    pending = [condition]
    while pending:
        operand = pending.pop()
        if isinstance(operand, Register) and operand not in found:
            found.add(operand)
            if operand in made:
                pending += uses(made[operand])
    return found


def _locals(loop: _Loop) -> dict[Operand, int]:
    """Address -> size of the locals that exist, once each, whenever the loop begins."""
    tree, around = dominator_tree(loop.function), order_of(loop.function).heads
    return {
        s.result: s.size.value
        for block in loop.function.blocks
        if around.get(block.label) == () and tree.dominates(block.label, loop.head)
        for s in block.statements
        if isinstance(s, Alloca) and isinstance(s.size, IntConst)
    }


def _is_made_inside(register: Register, loop: _Loop) -> bool:
    made = (s for block in loop.blocks for s in block.statements)
    return any(isinstance(s, Alloca) and s.result == register for s in made)


def _is_opaque(call: Call) -> bool:
    """Whether the call makes or frees blocks of the heap, or leads to an unknown function."""
    return not isinstance(call.callee, str) or call.callee in ALLOCATION


def _target(statement: Statement) -> Operand | None:
    """The address that a statement writes to."""
    match statement:
        case Store(address=address) | Havoc(address=address):
            return address
        case MemoryCopy(target=target) | MemorySet(target=target):
            return target
        case _:
            return None
