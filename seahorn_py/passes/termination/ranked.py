"""Ranks as checks: a program whose checks hold if each loop decreases its rank in each round.

A rank is a tuple of measures, linear expressions over what is known at the head of a loop.  Of a
measure `m` the natural number `max(m, 0)` counts.  The tuple must decrease in the lexicographic
order from one visit of the head to the next: some number is less than before, and no number in
front of that one is greater.  This order has no infinite descent, so a run makes finitely many
rounds (A. Turing: "Checking a large routine", 1949; Bradley, Manna, Sipma: "Linear ranking with
reachability", CAV 2005; the natural numbers of phases: Leike, Heizmann: "Ranking templates for
linear loops", TACAS 2014).

The same holds of calls of a function by itself, with its arguments in the place of its parameters,
and of functions that call each other: then a call decreases the rank of the function that calls to
that of the one that is called, both of as many measures.

If all loops and calls are ranked, all runs end.  A run without end would stay in some loop for
ever; take the innermost one.  The run would pass its head without end, which its rank forbids.

The checks are computed in so many bits that nothing wraps.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace

from seahorn_py.base.errors import InternalError
from seahorn_py.base.records import dataclass
from seahorn_py.ir.graph import blocks_by_label, call_graph, predecessors, strong_components
from seahorn_py.ir.program import (
    FALSE,
    TRUE,
    Binary,
    BinaryOp,
    Block,
    Branch,
    Call,
    Cast,
    CastOp,
    CheckSite,
    Compare,
    Fail,
    Function,
    IntConst,
    Operand,
    Phi,
    Predicate,
    Program,
    Register,
    Select,
    Statement,
    Stop,
    StopKind,
)
from seahorn_py.ir.traverse import definitions, relabelled, retarget, targets
from seahorn_py.ir.typerules import MAX_WIDTH
from seahorn_py.ir.types import BOOL, IntType
from seahorn_py.passes.termination.loops import Loop, head_origin, natural_loops

PROPERTY = "termination"


@dataclass(frozen=True, slots=True)
class Summand:
    """`factor` times a register, read as a signed or as an unsigned number."""

    factor: int
    register: Register
    signed: bool


@dataclass(frozen=True, slots=True)
class Measure:
    """A sum of registers that are known at the head of a loop, and a constant."""

    summands: tuple[Summand, ...]
    constant: int

    @property
    def width(self) -> int:
        """The number of bits in which the sum does not wrap."""
        widest = max((_width(s.register) for s in self.summands), default=1)
        total = sum(abs(s.factor) for s in self.summands) + abs(self.constant) + 1
        return widest + total.bit_length() + 2


@dataclass(frozen=True)
class Rank:
    """Measures in their order.

    If the rank `lags`, the last round of a loop need not decrease it: a round is checked when the
    round after it ends.
    """

    measures: tuple[Measure, ...]
    lags: bool = False


def rounds_left(most: int, number: Register) -> Rank:
    """The rank of a loop of at most so many rounds, of which a register holds the number."""
    return Rank((Measure((Summand(-1, number, False),), most),))


CALLS = ""
"""The label under which a function has the rank of its calls of itself, or in a circle."""

Ranks = Mapping[tuple[str, str], Rank]
"""(function, head of a loop, or CALLS) -> its rank."""


class TooWide(Exception):
    """A rank needs wider integers than there are."""


def without_checks(program: Program) -> Program:
    """The program in which a run just ends where a check fails."""
    functions = {name: _ending(f) for name, f in program.functions.items()}
    return replace(program, functions=functions, checks=())


def _ending(function: Function) -> Function:
    blocks = (
        replace(b, terminator=Stop(StopKind.END, b.terminator.origin))
        if isinstance(b.terminator, Fail)
        else b
        for b in function.blocks
    )
    return replace(function, blocks=tuple(blocks))


def ranked(program: Program, ranks: Ranks, texts: Mapping[tuple[str, str], str]) -> Program:
    """The program with the checks of the ranks, whose texts are `texts`.

    The program is in encoding form and has no checks of its own.  There is a check for each edge
    back to the head of a ranked loop, and for each call of a ranked function by itself, or by a
    function that it calls again.  Raises TooWide, and Irreducible if a function with ranks has a
    cycle without a head.
    """
    sites: list[CheckSite] = []
    functions = {}
    for name, function in program.functions.items():
        mine = {head: rank for (at, head), rank in ranks.items() if at == name}
        called = _called(program, name, ranks) if CALLS in mine else {}
        writer = _Writer(function, mine, called, texts, sites)
        functions[name] = writer.run() if mine else function
    return replace(program, functions=functions, checks=tuple(sites))


def _called(program: Program, name: str, ranks: Ranks) -> dict[str, tuple[Function, Rank]]:
    """The functions of a circle of calls, which must all have ranks of one length."""
    graph = call_graph(program)
    parts = strong_components(graph, graph.__getitem__)
    circle = next(part for part in parts if name in part)
    found = {one: (program.functions[one], ranks.get((one, CALLS), Rank(()))) for one in circle}
    if len({len(rank.measures) for _, rank in found.values()}) > 1:
        raise InternalError(f"ranks of several lengths in the circle of {name}")
    return found


@dataclass
class _Writer:
    """Writes the checks of one function; the functions that are `called` are in its circle."""

    function: Function
    ranks: Mapping[str, Rank]
    called: Mapping[str, tuple[Function, Rank]]
    texts: Mapping[tuple[str, str], str]
    sites: list[CheckSite]
    blocks: dict[str, Block] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)
    count: int = 0

    def run(self) -> Function:
        """The function with checks."""
        self.blocks = blocks_by_label(self.function)
        self.taken = {r.name for b in self.function.blocks for r in definitions(b)}
        self.taken |= {r.name for r in self.function.parameters} | set(self.blocks)
        for loop in natural_loops(self.function):
            if loop.head in self.ranks:
                self._loop(loop, self.ranks[loop.head])
        if CALLS in self.ranks:
            for block in list(self.blocks.values()):
                first = block.statements[0] if block.statements else None
                if isinstance(first, Call) and first.callee in self.called:
                    self._call(block, first, *self.called[str(first.callee)])
        return replace(self.function, blocks=tuple(self.blocks.values()))

    def _loop(self, loop: Loop, rank: Rank) -> None:
        """Put a check on each edge back to the head."""
        head = self.blocks[loop.head]
        held = Register(self._name("held"), BOOL)
        incoming = dict.fromkeys(predecessors(self.function)[loop.head], TRUE)
        kept: dict[str, Operand] = dict(incoming)
        phis = head.phis
        for latch in loop.latches:
            label = self._name("rank")
            arriving = {phi.result: dict(phi.incoming)[latch] for phi in phis}
            body: list[Statement] = []
            decreased = self._decreased(rank, rank, arriving, body)
            asked = held if rank.lags else decreased
            self._check(label, loop.head, body, asked, loop.head)
            source = self.blocks[latch]
            end = retarget(source.terminator, {loop.head: label})
            self.blocks[latch] = replace(source, terminator=end)
            head = relabelled(head, {latch: label})
            del kept[latch]
            kept[label] = decreased
        if rank.lags:
            head = replace(head, phis=(*head.phis, Phi(held, tuple(kept.items()))))
        self.blocks[loop.head] = replace(self.blocks[loop.head], phis=head.phis)

    def _call(self, block: Block, call: Call, callee: Function, rank: Rank) -> None:
        """Put a check before a call of a function in the circle."""
        pairs = zip(callee.parameters, call.arguments, strict=True)
        body: list[Statement] = []
        decreased = self._decreased(self.ranks[CALLS], rank, dict(pairs), body)
        after = self._name(f"{block.label}.ranked")
        self._check(block.label, after, body, decreased, CALLS)
        self.blocks[after] = replace(block, label=after)
        for label in targets(block.terminator):
            self.blocks[label] = relabelled(self.blocks[label], {block.label: after})

    def _check(
        self, label: str, target: str, body: list[Statement], asked: Operand, key: str
    ) -> None:
        """Add a block that goes on at the target if `asked` holds, and fails otherwise."""
        failing = self._name("rank.fails")
        origin = self.function.origin if key == CALLS else head_origin(self.blocks[key])
        text = self.texts[self.function.name, key]
        site = CheckSite(len(self.sites), PROPERTY, text, origin)
        self.sites.append(site)
        end = Branch(asked, target, failing, origin)
        self.blocks[label] = Block(label, (), tuple(body), end)
        self.blocks[failing] = Block(failing, (), (), Fail(site, origin))

    def _decreased(
        self, held: Rank, to: Rank, arriving: Mapping[Register, Operand], body: list[Statement]
    ) -> Operand:
        """The condition that the arriving values have a lower rank than those at the head."""
        measures = [*held.measures, *to.measures]
        width = max((measure.width for measure in measures), default=1)
        if width > MAX_WIDTH:
            raise TooWide(f"a rank needs {width} bits")
        found: Operand | None = None
        pairs = zip(reversed(held.measures), reversed(to.measures), strict=True)
        for before, after in pairs:
            old = self._natural(before, {}, width, body)
            new = self._natural(after, arriving, width, body)
            less = self._compare(Predicate.SLT, new, old, body)
            if found is None:
                found = less
                continue
            kept = self._compare(Predicate.SLE, new, old, body)
            later = self._binary(BinaryOp.AND, kept, found, BOOL, body)
            found = self._binary(BinaryOp.OR, less, later, BOOL, body)
        return FALSE if found is None else found

    def _natural(
        self,
        measure: Measure,
        arriving: Mapping[Register, Operand],
        width: int,
        body: list[Statement],
    ) -> Operand:
        """`max(measure, 0)`."""
        kind = IntType(width)
        total: Operand = _constant(measure.constant, kind)
        for summand in measure.summands:
            value = arriving.get(summand.register, summand.register)
            wide = self._widened(value, summand, kind, body)
            factor = _constant(summand.factor, kind)
            product = (
                wide
                if summand.factor == 1
                else self._binary(BinaryOp.MUL, wide, factor, kind, body)
            )
            total = self._binary(BinaryOp.ADD, total, product, kind, body)
        zero = _constant(0, kind)
        negative = self._compare(Predicate.SLT, total, zero, body)
        result = Register(self._name("natural"), kind)
        body.append(Select(result, negative, zero, total))
        return result

    def _widened(
        self, value: Operand, summand: Summand, kind: IntType, body: list[Statement]
    ) -> Operand:
        if isinstance(value, IntConst):
            width, number = value.type.width, value.value
            if summand.signed and width > 1 and number >> (width - 1):
                number -= 1 << width
            return _constant(number, kind)
        result = Register(self._name("wide"), kind)
        op = CastOp.SEXT if summand.signed and _width(summand.register) > 1 else CastOp.ZEXT
        body.append(Cast(result, op, value))
        return result

    def _binary(
        self, op: BinaryOp, left: Operand, right: Operand, kind: IntType, body: list[Statement]
    ) -> Operand:
        result = Register(self._name("rank"), kind)
        body.append(Binary(result, op, left, right))
        return result

    def _compare(
        self, predicate: Predicate, left: Operand, right: Operand, body: list[Statement]
    ) -> Operand:
        result = Register(self._name("less"), BOOL)
        body.append(Compare(result, predicate, left, right))
        return result

    def _name(self, stem: str) -> str:
        while True:
            self.count += 1
            name = f"{stem}.{self.count}"
            if name not in self.taken:
                self.taken.add(name)
                return name


def _width(register: Register) -> int:
    assert isinstance(register.type, IntType)
    return register.type.width


def _constant(value: int, kind: IntType) -> IntConst:
    return IntConst(value % (1 << kind.width), kind)
