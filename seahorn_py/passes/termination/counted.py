"""A counter of the rounds of a loop, with a check that they are no more than a bound.

A *round* of a loop begins each time that a run comes to the head.  One kind of visit begins none:
the head leaves the loop before it gives a variable a value.  So the body of a `while` or `for` is
run at most once a round, and so is that of a `do`.

A bound is `max(least, (E + least * step) / step)`, where `E` is a linear expression over values
that are known when the loop is entered.  The check in front of a round is `count <= least or
count * step <= E + least * step`, in so many bits that nothing wraps.
"""

from __future__ import annotations

from dataclasses import replace

from seahorn_py.base.records import dataclass
from seahorn_py.ir.graph import blocks_by_label, predecessors
from seahorn_py.ir.program import (
    Binary,
    BinaryOp,
    Bind,
    Block,
    Branch,
    Cast,
    CastOp,
    CheckSite,
    Compare,
    Fail,
    Function,
    Input,
    IntConst,
    Operand,
    Phi,
    Predicate,
    Program,
    Register,
    Statement,
)
from seahorn_py.ir.traverse import definitions, relabelled, retarget, targets
from seahorn_py.ir.typerules import MAX_WIDTH
from seahorn_py.ir.types import BOOL, IntType
from seahorn_py.passes.termination.loops import Loop, head_origin
from seahorn_py.passes.termination.ranked import PROPERTY, TooWide

_PURE = (Binary, Compare, Cast, Input)


@dataclass(frozen=True, slots=True)
class Entered:
    """`factor` times the value at the entry of the loop, which is read as signed or unsigned."""

    factor: int
    value: Operand
    signed: bool


@dataclass(frozen=True, slots=True)
class Bound:
    """`max(least, (sum + constant + least * step) / step)`."""

    summands: tuple[Entered, ...]
    constant: int
    step: int
    least: int

    @property
    def width(self) -> int:
        """The number of bits in which the check of the bound does not wrap."""
        widths = [s.value.type.width for s in self.summands if isinstance(s.value.type, IntType)]
        size = sum(abs(s.factor) for s in self.summands) + abs(self.constant)
        size += (self.least + 1) * self.step
        return max(widths, default=1) + size.bit_length() + self.step.bit_length() + 3


def leaves_first(function: Function, loop: Loop) -> bool:
    """Whether the head may leave the loop before it gives a variable a value."""
    head = blocks_by_label(function)[loop.head]
    own = {phi.result for phi in head.phis}
    for statement in head.statements:
        is_record = isinstance(statement, Bind) and _is_old(statement, own, head)
        if not is_record and not isinstance(statement, _PURE):
            return False
    inside = [label for label in targets(head.terminator) if label in loop.body]
    leaves = len(set(targets(head.terminator))) == 2 and len(inside) == 1
    return leaves and inside[0] != loop.head


def _is_old(record: Bind, own: set[Register], head: Block) -> bool:
    """Whether the value that the record gives a variable is not computed by the head."""
    computed = {r for r in definitions(head) if r not in own}
    return record.value not in computed


def counted(program: Program, name: str, loop: Loop, bound: Bound, text: str) -> Program:
    """The program with the check of the bound, whose text is `text`.

    The program is in encoding form and has no checks of its own.  The values of the bound are known
    at the head; the result of a phi of the head stands for its value at the entry of the loop.
    Raises TooWide if the check needs more than MAX_WIDTH bits.
    """
    if bound.width > MAX_WIDTH:
        raise TooWide(f"a bound needs {bound.width} bits")
    function = program.functions[name]
    site = CheckSite(0, PROPERTY, text, head_origin(blocks_by_label(function)[loop.head]))
    changed = _Counter(function, loop, bound, site).run()
    return replace(program, functions={**program.functions, name: changed}, checks=(site,))


class _Counter:
    """Writes the counter of one loop."""

    def __init__(self, function: Function, loop: Loop, bound: Bound, site: CheckSite) -> None:
        self._function, self._loop, self._bound, self._site = function, loop, bound, site
        self._kind = IntType(bound.width)
        self._blocks = blocks_by_label(function)
        self._taken = {r.name for b in function.blocks for r in definitions(b)}
        self._taken |= {r.name for r in function.parameters} | set(self._blocks)
        self._count = Register(self._name("rounds"), self._kind)
        self._next = Register(self._name("rounds"), self._kind)
        self._entering: dict[Register, Register] = {}

    def run(self) -> Function:
        """The function with the counter and its check."""
        body: list[Statement] = []
        ok = self._asked(body)
        failing, label = self._name("bound.fails"), self._name("bound")
        origin = self._site.origin
        self._blocks[failing] = Block(failing, (), (), Fail(self._site, origin))
        place = self._on_the_edge if leaves_first(self._function, self._loop) else self._in_head
        place(label, tuple(body), ok, failing)
        self._count_up()
        return replace(self._function, blocks=tuple(self._blocks.values()))

    def _on_the_edge(
        self, label: str, body: tuple[Statement, ...], ok: Operand, failing: str
    ) -> None:
        """Put the check on the edge from the head into the loop."""
        head = self._blocks[self._loop.head]
        (inside,) = [one for one in targets(head.terminator) if one in self._loop.body]
        end = Branch(ok, inside, failing, self._site.origin)
        self._blocks[label] = Block(label, (), body, end)
        self._blocks[head.label] = replace(
            head, terminator=retarget(head.terminator, {inside: label})
        )
        self._renamed(inside, head.label, label)

    def _in_head(self, label: str, body: tuple[Statement, ...], ok: Operand, failing: str) -> None:
        """Put the check just after the phis of the head."""
        head = self._blocks[self._loop.head]
        end = Branch(ok, label, failing, self._site.origin)
        self._blocks[label] = replace(head, label=label, phis=())
        self._blocks[head.label] = replace(head, statements=body, terminator=end)
        for target in targets(head.terminator):
            self._renamed(target, head.label, label)

    def _renamed(self, at: str, before: str, after: str) -> None:
        """Let the phis of a block name another predecessor."""
        self._blocks[at] = relabelled(self._blocks[at], {before: after})

    def _count_up(self) -> None:
        """Add the phi of the counter, and phis that keep the values at the entry."""
        now = replace(self._function, blocks=tuple(self._blocks.values()))
        head, old = self._blocks[self._loop.head], blocks_by_label(self._function)
        outside = {p for p in old if p not in self._loop.body}
        arriving = predecessors(now)[head.label]
        zero = IntConst(0, self._kind)
        counts = tuple((p, zero if p in outside else self._next) for p in arriving)
        added = [Phi(self._count, counts)]
        for phi in head.phis:
            if phi.result in self._entering:
                held = self._entering[phi.result]
                incoming = ((p, v if p in outside else held) for p, v in phi.incoming)
                added.append(Phi(held, tuple(incoming)))
        self._blocks[head.label] = replace(head, phis=(*head.phis, *added))

    def _asked(self, body: list[Statement]) -> Register:
        """The condition under which one round more keeps to the bound."""
        bound = self._bound
        one, step = IntConst(1, self._kind), IntConst(bound.step, self._kind)
        body.append(Binary(self._next, BinaryOp.ADD, self._count, one))
        most: Operand = _constant(bound.constant + bound.least * bound.step, self._kind)
        for summand in bound.summands:
            value = self._wide(self._entered(summand.value), summand.signed, body)
            factor = _constant(summand.factor, self._kind)
            product = self._binary(BinaryOp.MUL, value, factor, body)
            most = self._binary(BinaryOp.ADD, most, product, body)
        spent = self._binary(BinaryOp.MUL, self._next, step, body)
        fits = self._compare(spent, most, body)
        few = self._compare(self._next, _constant(bound.least, self._kind), body)
        result = Register(self._name("bound"), BOOL)
        body.append(Binary(result, BinaryOp.OR, few, fits))
        return result

    def _entered(self, value: Operand) -> Operand:
        """The value at the entry of the loop."""
        chosen = {phi.result for phi in self._blocks[self._loop.head].phis}
        if not isinstance(value, Register) or value not in chosen:
            return value
        if value not in self._entering:
            self._entering[value] = Register(self._name(f"{value.name}.entered"), value.type)
        return self._entering[value]

    def _wide(self, value: Operand, signed: bool, body: list[Statement]) -> Operand:
        if isinstance(value, IntConst):
            number = value.value
            if signed and value.type.width > 1 and number >> (value.type.width - 1):
                number -= 1 << value.type.width
            return _constant(number, self._kind)
        assert isinstance(value.type, IntType)
        result = Register(self._name("wide"), self._kind)
        op = CastOp.SEXT if signed and value.type.width > 1 else CastOp.ZEXT
        body.append(Cast(result, op, value))
        return result

    def _binary(
        self, op: BinaryOp, left: Operand, right: Operand, body: list[Statement]
    ) -> Operand:
        if op is BinaryOp.MUL and right == IntConst(1, self._kind):
            return left
        result = Register(self._name("bound"), self._kind)
        body.append(Binary(result, op, left, right))
        return result

    def _compare(self, left: Operand, right: Operand, body: list[Statement]) -> Operand:
        result = Register(self._name("fits"), BOOL)
        body.append(Compare(result, Predicate.SLE, left, right))
        return result

    def _name(self, stem: str) -> str:
        number = 1
        while f"{stem}.{number}" in self._taken:
            number += 1
        name = f"{stem}.{number}"
        self._taken.add(name)
        return name


def _constant(value: int, kind: IntType) -> IntConst:
    return IntConst(value % (1 << kind.width), kind)
