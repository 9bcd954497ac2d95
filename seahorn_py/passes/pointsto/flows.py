"""The rules of points-to analysis: which cells each statement unifies.

Most rules unify at once.  What depends on whether a value carries an address at all (sums and
differences of integers, indices, calls through pointers) waits and is looked at again until nothing
changes: an index is not mixed up with the array it selects from unless it may be a pointer itself.

- `a + b`: if `a` carries an address, so does the sum, moved by a multiple of what divides `b`;
- `a - b`: if both do, it is a distance; if only `a` does, it is an address;
- bits cut out of an address, or addresses put together from pieces: somewhere in that node;
- products, remainders and the like (`laundered`): no address any more.  Only an integer of unknown
  origin that is made a pointer may lead back to those objects.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from seahorn_py.ir.graph import reverse_postorder
from seahorn_py.ir.program import (
    PASSED,
    Address,
    Alloca,
    Binary,
    BinaryOp,
    Bits,
    Block,
    Bytes,
    Call,
    Cast,
    CastOp,
    FloatOp,
    Function,
    Havoc,
    Input,
    IntConst,
    Load,
    MemoryCopy,
    MemorySet,
    Offset,
    Operand,
    Overflow,
    Register,
    Return,
    Select,
    SiteKind,
    Statement,
    Store,
)
from seahorn_py.ir.types import BOOL, PointerType
from seahorn_py.passes.environment import ALLOCATION, ESCAPED
from seahorn_py.passes.pointsto.bindings import Bindings, Kind, Object, constant_of
from seahorn_py.passes.pointsto.multiples import Multiples
from seahorn_py.passes.pointsto.nodes import Cell
from seahorn_py.passes.promotion.constants import copied_leaves


class Rules(Bindings):
    """Walks over a program and unifies; the results are the public attributes."""

    # -------------------------------------------------------------------------------- solving

    def solve(self) -> None:
        """Unify all that the program says."""
        for item in self.program.globals.values():
            for offset, leaf in item.leaves:
                if not isinstance(leaf, Bytes):
                    self._stored(self.symbols[item.name].moved(offset), leaf)
        for function in self.program.functions.values():
            self._function(function)
        self._settle()

    def _settle(self) -> None:
        """Look again at what waits until nothing changes, each kind after those before it."""
        graph = self.graph
        while True:
            before = graph.version
            self._waiting = [rule for rule in self._waiting if rule()]
            if graph.version != before:
                continue
            self._differences = [rule for rule in self._differences if rule()]
            if graph.version == before:
                self._join_overlapping()
            if graph.version == before:
                self._lead_back()
            if graph.version == before:
                return

    def _join_overlapping(self) -> None:
        """Pointers that are read or written in pieces: the pieces lead to the same."""
        graph = self.graph
        ranges: dict[int, set[tuple[int, int]]] = {}
        for access in self.accesses:
            if access.type is not None and access.size:
                node, offset = graph.find(access.cell)
                ranges.setdefault(node, set()).add((offset, access.size))
        for node, found in ranges.items():
            links = graph.links(Cell(node, 0))
            if len(links) > 1 and any(graph.is_full(link) for link in links.values()):
                for a, b in _overlapping(found, graph.stride(Cell(node, 0))):
                    first, second = graph.link(Cell(node, a)), graph.link(Cell(node, b))
                    graph.unify(first, second)
                    graph.restride(first, 1)

    # ------------------------------------------------------------------------------- functions

    def _function(self, function: Function) -> None:
        self._name = function.name
        self._here = self.registers.setdefault(function.name, {})
        self._multiples = Multiples(function.blocks)
        blocks = {block.label: block for block in function.blocks}
        for label in reverse_postorder(function):
            self._block(blocks[label])

    def _block(self, block: Block) -> None:
        for phi in block.phis:
            for _, value in phi.incoming:
                self._same(phi.result, value)
        for statement in block.statements:
            self._statement(statement)
        if isinstance(block.terminator, Return):
            for k, value in enumerate(block.terminator.values):
                self._flow(value, self._returned(self._name, k))

    # ------------------------------------------------------------------------------ statements

    def _statement(self, statement: Statement) -> None:  # noqa: C901 - a flat match
        match statement:
            case Binary():
                self._binary(statement)
            case Cast():
                self._cast(statement)
            case Select(result=result, then=then, otherwise=otherwise):
                self._same(result, then)
                self._same(result, otherwise)
            case Bits() | FloatOp():
                self._launder(statement.arguments)
            case Overflow(left=left, right=right):
                self._launder((left, right))
            case Offset():
                self._offset(statement)
            case Alloca(result=result, size=size):
                self._allocated(Kind.STACK, result, constant_of(size))
            case Load(result=result, address=address, volatile=volatile):
                self._load(result, address, volatile)
            case Store(value=value, address=address, volatile=volatile):
                self._store(value, address, volatile)
            case MemoryCopy():
                self._copy(statement)
            case MemorySet(target=target, length=length):
                self._span(target, length)
            case Havoc(address=target, size=length, site=site):
                self._span(target, length)
                if site.kind is SiteKind.EXTERN:
                    self._foreign_memory(target)
            case Input(result=result, site=site):
                self._input(result, site.kind)
            case Call():
                self._call(statement)
            case _:
                return

    def _binary(self, s: Binary) -> None:
        match s.op, s.left, s.right:
            case BinaryOp.ADD, Register(), IntConst(value, type_):
                self._same(s.result, s.left, _signed(value, type_.width))
            case BinaryOp.SUB, Register(), IntConst(value, type_):
                self._same(s.result, s.left, -_signed(value, type_.width))
            case BinaryOp.ADD, _, _:
                self._follow(s.result, s.left, self._multiples.of(s.right))
                self._follow(s.result, s.right, self._multiples.of(s.left))
            case BinaryOp.SUB, _, _:
                self._differ(s)
            case _ if self._multiples.keeps_address(s):
                self._follow(s.result, s.left, 1)
                self._follow(s.result, s.right, 1)
            case _:
                self._launder((s.left, s.right))

    def _follow(self, result: Register, source: Operand, step: int) -> None:
        """If the source carries an address, the result does, at a distance of many `step`s."""
        origin = self.cell(source)
        target = self.cell(result)
        if origin is None or target is None:
            return
        graph = self.graph

        def rule() -> bool:
            if not graph.is_full(origin):
                return True
            graph.unify(target, origin)
            graph.restride(target, step)
            return False

        if rule():
            self._waiting.append(rule)

    def _differ(self, s: Binary) -> None:
        left, right, target = self.cell(s.left), self.cell(s.right), self.cell(s.result)
        if left is None or target is None:
            self._launder((s.right,))
            return
        graph, step = self.graph, self._multiples.of(s.right)

        def rule() -> bool:
            if not graph.is_full(left):
                return True
            if right is not None and graph.is_full(right):
                if graph.find(left).node != graph.find(right).node:
                    graph.unify(left, right)
                return False
            if not graph.is_full(target):
                graph.unify(target, left)
                graph.restride(target, step)
            return True

        self._differences.append(rule)

    def _launder(self, values: Iterable[Operand]) -> None:
        for value in values:
            cell = self.cell(value)
            if cell is not None and isinstance(value, Register):
                self.laundered.append(cell)

    def _cast(self, s: Cast) -> None:
        match s.op:
            case CastOp.PTRTOINT | CastOp.ZEXT | CastOp.SEXT | CastOp.TRUNC | CastOp.BITCAST:
                self._same(s.result, s.value)
            case CastOp.INTTOPTR:
                self._same(s.result, s.value)
                if isinstance(s.value, Register):
                    self._made.append(self._register(self._here, s.result.name))
            case _:
                self._launder((s.value,))

    def _lead_back(self) -> None:
        """Pointers made from integers that carry no address may lead to what was lost."""
        graph = self.graph
        empty = [pointer for pointer in self._made if not graph.is_full(pointer)]
        if not empty:
            return
        lost = [cell for cell in (*self.laundered, self.outside) if graph.is_full(cell)]
        for pointer in empty if lost else ():
            for cell in lost:
                graph.unify(pointer, cell)
                graph.restride(pointer, 1)

    def _offset(self, s: Offset) -> None:
        self._same(s.result, s.base, s.constant)
        if not s.terms:
            return
        cell = self._register(self._here, s.result.name)
        for index, scale in s.terms:
            if isinstance(index, Register):
                self.graph.restride(cell, scale * self._multiples.power(index))
                self._follow(s.result, index, 1)

    def _allocated(
        self, kind: Kind, result: Register, size: int | None, is_zeroed: bool = False
    ) -> None:
        made = Object(kind, result.name, self._name, size, is_zeroed)
        self.graph.unify(self._register(self._here, result.name), self._object(made))

    def _load(self, result: Register, address: Operand, volatile: bool) -> None:
        cell = self.cell(address)
        if cell is None:
            return
        self._access(cell, result.type, volatile)
        if result.type != BOOL:
            self.graph.unify(self.graph.link(cell), self._register(self._here, result.name))

    def _store(self, value: Operand, address: Operand, volatile: bool) -> None:
        cell = self.cell(address)
        if address == Address(ESCAPED):
            self._exchange(value)
        elif cell is not None:
            self._access(cell, value.type, volatile)
            self._stored(cell, value)

    def _copy(self, copy: MemoryCopy) -> None:
        target, source = self.cell(copy.target), self.cell(copy.source)
        if target is None or source is None:
            return
        self._span(copy.target, copy.length)
        leaves = copied_leaves(self.program, copy)
        if leaves is not None:
            for offset, leaf in leaves.items():
                self._stored(target.moved(offset), leaf)
            return
        self._span(copy.source, copy.length)
        self.graph.unify(target, source)

    def _foreign_memory(self, address: Operand) -> None:
        """Bytes from outside: pointers in them lead there, or to what was given away."""
        cell, graph = self.cell(address), self.graph
        if cell is None:
            return

        def rule() -> bool:
            for link in list(graph.links(cell).values()):
                if graph.is_full(link) or graph.is_full(self.outside):
                    graph.unify(link, self.outside)
            return True

        self._waiting.append(rule)

    def _input(self, result: Register, kind: SiteKind) -> None:
        """What a pointer from outside leads to is not the program's, but may be used alike."""
        if kind not in (SiteKind.EXTERN, SiteKind.NONDET):
            return
        if kind is SiteKind.EXTERN or isinstance(result.type, PointerType):
            self._exchange(result)

    def _exchange(self, value: Operand) -> None:
        """A value that external code knows; an integer counts only where it is an address."""
        cell, graph = self.cell(value), self.graph
        if cell is None:
            return

        def rule() -> bool:
            if not (graph.is_full(cell) or isinstance(value.type, PointerType)):
                return True
            graph.unify(cell, self.outside)
            return False

        if rule():
            self._waiting.append(rule)

    # ------------------------------------------------------------------------------------ calls

    def _call(self, call: Call) -> None:
        if not isinstance(call.callee, str):
            self._call_through(call, call.callee)
        elif call.callee in self.program.functions:
            self._bind(self._here, call, call.callee)
        elif call.callee in ALLOCATION:
            self._allocation(call, call.callee)
        else:
            self._unknown(call)

    def _unknown(self, call: Call) -> None:
        """A function without body, or what is passed beyond the parameters of one with a body."""
        for argument in call.arguments:
            self._exchange(argument)
        if call.callee != PASSED:
            for result in call.results:
                self._input(result, SiteKind.EXTERN)

    def _allocation(self, call: Call, name: str) -> None:
        if not call.results:
            return
        sizes = {"malloc": (0,), "calloc": (0, 1), "realloc": (1,), "aligned_alloc": (1,)}
        size: int | None = 1
        for position in sizes.get(name, (0,)):
            factor = constant_of(call.arguments[position])
            size = None if size is None or factor is None else size * factor
        kind = Kind.STACK if name == "alloca" else Kind.HEAP
        self._allocated(kind, call.results[0], size, name == "calloc")
        if name == "realloc":
            self._same(call.results[0], call.arguments[0])


def _overlapping(ranges: set[tuple[int, int]], stride: int) -> Iterable[tuple[int, int]]:
    """Pairs of offsets of ranges that share bytes, enough to connect all such."""
    if stride == 0:
        end, start = None, 0
        for offset, size in sorted(ranges):
            if end is not None and offset < end and offset != start:
                yield start, offset
            if end is None or offset + size > end:
                end, start = offset + size, offset
        return
    offsets = sorted({offset for offset, _ in ranges})
    longest = {offset: max(s for o, s in ranges if o == offset) for offset in offsets}
    circle = [*offsets, *(offset + stride for offset in offsets)]
    for a, b in pairwise(circle):
        if a + longest[a % stride] > b and a % stride != b % stride:
            yield a % stride, b % stride


def _signed(value: int, width: int) -> int:
    return value - (1 << width) if value >> (width - 1) else value
