"""The ends of runs before errors, each begun at a place that all of its runs pass.

Most of what an unfolded program does before an error says nothing about it but in which intervals a
few numbers lie.  So runs begin at a join in front of the error (`_beginning`), with any numbers in
the intervals that unfolding knew of there: a cut with an interval invariant, as in the
verification conditions of Barnett and Leino (PASTE 2005), whose invariants abstract interpretation
gives.  The intervals come from the analysis that leaves out branches during unfolding, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from seahorn_py.ir.graph import DominatorTree, blocks_by_label, dominator_tree
from seahorn_py.ir.program import (
    Block,
    Branch,
    Compare,
    Fail,
    Function,
    Input,
    IntConst,
    Jump,
    Operand,
    Predicate,
    Program,
    Register,
    Site,
    SiteKind,
    Statement,
    Stop,
    StopKind,
)
from seahorn_py.ir.traverse import definitions, retarget, targets, uses
from seahorn_py.ir.types import IntType
from seahorn_py.passes.ranges.intervals import Range, full

Known = Mapping[str, Mapping[Register, Range]]
"""By the label of a join: the intervals of registers there."""

SHARE = 4
"""What begins at a join is at most this part of the program: with more of it little is gained."""

BEGIN, END = "begin", "behind"
"""Labels of new blocks begin with the first, or are the second."""


def localised(program: Program, known: Known) -> Program:
    """The program with runs that begin at joins; the same program if some error has none.

    The program is one function without calls, memory and loops.  The new one has all its failing
    runs and more: a proof of it is one of the old program, an error in it may be none.
    """
    function = program.functions[program.entry]
    blocks, tree = blocks_by_label(function), dominator_tree(function)
    begins = list(_beginnings(function, tree, known))
    if not begins or None in begins:
        return program
    chosen = [label for label in dict.fromkeys(begins) if label is not None]
    regions = {label: [blocks[inner] for inner in _region(tree, label)] for label in chosen}
    needed = {label: _needed(region) for label, region in regions.items()}
    registers = list(dict.fromkeys(r for several in needed.values() for r in several))
    if not all(isinstance(register.type, IntType) for register in registers):
        return program
    made = _Made(program, function)
    inputs = [made.arbitrary(register) for register in registers]
    for label in chosen:
        made.begin(label, inputs, {r: known[label].get(r) for r in needed[label]})
        inputs = []
    made.take(block for region in regions.values() for block in region)
    return made.program()


def _beginnings(function: Function, tree: DominatorTree, known: Known) -> Iterator[str | None]:
    """For each error the first join that all its runs pass and behind which little lies."""
    most = len(tree.preorder) // SHARE
    joins = [label for label in tree.preorder if label in known and label != function.entry.label]
    few = [label for label in joins if len(_region(tree, label)) <= most]
    for block in function.blocks:
        if isinstance(block.terminator, Fail):
            yield next((label for label in few if tree.dominates(label, block.label)), None)


def _region(tree: DominatorTree, label: str) -> Sequence[str]:
    """The blocks that only runs reach which pass `label`."""
    return tree.preorder[tree.first[label] : tree.last[label] + 1]


def _needed(region: Sequence[Block]) -> list[Register]:
    """The registers that have their values where the region begins; its first block is the head."""
    head, *rest = region
    made = {result for block in rest for result in definitions(block)}
    made |= {result for statement in head.statements for result in _results(statement)}
    read = [r for block in region for r in (*_read(block.statements), *uses(block.terminator))]
    read += [v for b in rest for phi in b.phis for _, v in phi.incoming if isinstance(v, Register)]
    return list(dict.fromkeys(register for register in read if register not in made))


def _results(statement: Statement) -> Iterator[Register]:
    return definitions(Block("", (), (statement,), Stop(StopKind.END)))


def _read(statements: Sequence[Statement]) -> Iterator[Register]:
    return (register for statement in statements for register in uses(statement))


class _Made:
    """The new program, as far as it is made."""

    def __init__(self, program: Program, function: Function) -> None:
        self._old, self._function = program, function
        self._next = 1 + max((site.number for site in program.sites), default=0)
        self._sites: list[Site] = []
        self._blocks: list[Block] = []
        self._numbers, self._other = 0, BEGIN

    def arbitrary(self, register: Register) -> Input:
        """A statement that gives the register any value."""
        kind = register.type
        place = self._function.origin
        name = "any run that comes here"
        site = Site(self._next, SiteKind.HAVOC, kind, name, str(kind), place, native=False)
        self._next += 1
        self._sites.append(site)
        return Input(register, site)

    def begin(
        self, label: str, inputs: Sequence[Input], ranges: Mapping[Register, Range | None]
    ) -> None:
        """Runs that begin at a join where registers lie in these ranges; then come other runs."""
        choice, at, here = self._fresh(), self._other, f"{self._other}.here"
        self._other = f"{BEGIN}.{len(self._blocks)}"
        origin = self._function.origin
        first = (*inputs, self.arbitrary(choice))
        self._blocks.append(Block(at, (), first, Branch(choice, here, self._other, origin)))
        held: list[Statement] = []
        conditions = [c for r, range_ in ranges.items() for c in self._inside(r, range_, held)]
        for place, condition in enumerate(conditions):
            after = f"{at}.here.{place}"
            self._blocks.append(Block(here, (), tuple(held), Branch(condition, after, END, origin)))
            here, held = after, []
        self._blocks.append(Block(here, (), (), Jump(label, origin)))

    def _inside(
        self, register: Register, range_: Range | None, to: list[Statement]
    ) -> Iterator[Register]:
        """Conditions for a register to lie in a range, which statements in `to` make."""
        assert isinstance(register.type, IntType)
        if range_ is None:
            return
        whole = full(register.type.width)
        bounds = [(Predicate.SGE, Predicate.SLE, range_.signed, whole.signed)]
        if range_.signed[0] < 0:  # otherwise both say the same
            bounds.append((Predicate.UGE, Predicate.ULE, range_.unsigned, whole.unsigned))
        for least, most, (low, high), (lowest, highest) in bounds:
            if low > lowest:
                yield self._compared(least, register, low, to)
            if high < highest:
                yield self._compared(most, register, high, to)

    def _compared(
        self, predicate: Predicate, left: Register, number: int, to: list[Statement]
    ) -> Register:
        assert isinstance(left.type, IntType)
        result = self._fresh()
        right: Operand = IntConst(number % (1 << left.type.width), left.type)
        to.append(Compare(result, predicate, left, right))
        return result

    def _fresh(self) -> Register:
        self._numbers += 1
        return Register(f"{BEGIN}.{self._numbers}", IntType(1))

    def take(self, blocks: Iterable[Block]) -> None:
        """Take blocks as they are, up to where they lead out of what is taken."""
        taken = list(blocks)
        inside = {block.label for block in taken}
        heads = {t for block in self._blocks for t in targets(block.terminator)}
        self._blocks.append(Block(self._other, (), (), Jump(END, self._function.origin)))
        for block in taken:
            out = {t: END for t in targets(block.terminator) if t not in inside}
            phis = () if block.label in heads else block.phis
            end = retarget(block.terminator, out)
            self._blocks.append(replace(block, phis=phis, terminator=end))
        self._blocks.append(Block(END, (), (), Stop(StopKind.END, self._function.origin)))

    def program(self) -> Program:
        """The whole."""
        function = replace(self._function, blocks=tuple(self._blocks))
        old, sites = self._old, (*self._old.sites, *self._sites)
        return replace(old, functions={function.name: function}, sites=sites)
