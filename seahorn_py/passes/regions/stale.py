"""Comparisons with stale pointers are gaps: their results depend on the layout of memory.

A pointer to a local is *stale* when the life of the local has ended.  In a real layout a later
local may have the same address, but `addresses` gives each object addresses of its own.  So a
comparison can tell the difference if it is of two pointers to locals, one of which may be stale.

A pointer may become stale if it is stored where it outlives the local, returned, passed on, or
carried round a loop in which the local ends; or if it is compared where the local is dead.  What
`main` is given begins before all locals and never ends, so no local has an address of it.  A mark
that ends null means that locals without marks may have ended.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from seahorn_py.ir.graph import call_graph, predecessors, recursive_functions, successors
from seahorn_py.ir.program import (
    NULL,
    OF_ARGV,
    Alloca,
    Block,
    Call,
    Compare,
    Function,
    IntConst,
    Lifetime,
    Operand,
    Phi,
    Program,
    Register,
    Return,
    Statement,
    Store,
    Valid,
)
from seahorn_py.ir.types import BOOL
from seahorn_py.passes.meeting import (
    APART,
    comparisons,
    definitions,
    is_of_globals,
    literals,
    meet,
    meeting,
)
from seahorn_py.passes.pointsto.bindings import Kind, Object
from seahorn_py.passes.pointsto.pointsto import PointsTo, points_to
from seahorn_py.passes.regions.addresses import called_once
from seahorn_py.passes.regions.hidden import hidden

STALE = "pointers to locals are compared at {}, one of which may have ended: in one layout only"


def tell_stale(program: Program) -> Program:
    """The program with gaps for such comparisons, without the marks that nothing else needs.

    So are those of objects that may lie where other ones lie.
    """
    found = dict.fromkeys(_stale(program)) if _has_locals(program) else {}
    asks = any(isinstance(s, Valid) for _, _, _, s in _statements(program))
    functions = program.functions
    if not asks:
        functions = {name: _without_marks(f) for name, f in functions.items()}
    found.update(dict.fromkeys(comparisons(program)))
    assumed = (APART,) if _may_meet(program) else ()
    return replace(
        program,
        functions=functions,
        gaps=(*program.gaps, *found),
        assumptions=(*program.assumptions, *assumed),
    )


Placed = tuple[Function, Block, int, object]


def _statements(program: Program) -> Iterator[Placed]:
    for function in program.functions.values():
        for block in function.blocks:
            for at, statement in enumerate(block.statements):
                yield function, block, at, statement


def _has_locals(program: Program) -> bool:
    """Whether some address of a local is stored or returned, and some addresses are compared."""
    kinds = {Alloca: False, Compare: False}
    for _, _, _, s in _statements(program):
        kinds[Alloca] |= isinstance(s, Alloca)
        kinds[Compare] |= isinstance(s, Compare) and _is_of_two(s)
    return all(kinds.values())


def _may_meet(program: Program) -> bool:
    """Whether pointers are compared that may lead to two objects of which one may be the other."""
    globals_ = meeting(program)
    compared = [(f, s) for f, _, _, s in _statements(program) if isinstance(s, Compare)]
    compared = [(f, s) for f, s in compared if _is_of_two(s)]
    if not globals_ or not compared:
        return False
    found = points_to(program)

    def symbols(function: Function, operand: Operand) -> frozenset[str]:
        node = found.node(function.name, operand)
        data = () if node is None else node.data
        return frozenset(o.name for o, _ in data if o.kind is Kind.GLOBAL)

    return any(
        meet(program, globals_, symbols(f, s.left), symbols(f, s.right)) for f, s in compared
    )


def _is_of_two(s: Compare) -> bool:
    """Whether neither side is a constant, so that both may be addresses."""
    sides = (s.left, s.right)
    return (
        s.left.type != BOOL
        and NULL not in sides
        and not any(isinstance(o, IntConst) for o in sides)
    )


def _stale(program: Program) -> Iterator[str]:
    lives = _Lives(program, points_to(program))
    for function, block, at, s in _statements(program):
        if isinstance(s, Compare) and _is_of_two(s):
            sides = [lives.locals(function, side) for side in (s.left, s.right)]
            if all(sides) and (
                lives.are_cut(sides[0] | sides[1])
                or any(lives.may_be_left(o, function, block, at) for o in (*sides[0], *sides[1]))
            ):
                yield STALE.format(s.origin)


def _without_marks(function: Function) -> Function:
    def left(block: Block) -> Block:
        statements = [s for s in block.statements if not isinstance(s, Lifetime)]
        return replace(block, statements=tuple(statements))

    return replace(function, blocks=tuple(map(left, function.blocks)))


class _Lives:
    """Where the lives of locals end, and which pointers to them may be stale."""

    def __init__(self, program: Program, found: PointsTo) -> None:
        self._program = program
        self._found = found
        self._graph = call_graph(program)
        self._once = called_once(program, recursive_functions(program))
        self._ways: dict[tuple[str, str], frozenset[str]] = {}
        self._without: dict[str, frozenset[str]] = {}
        self._definitions: dict[str, Mapping[str, Statement | Phi]] = {}

    def locals(self, function: Function, operand: Operand) -> frozenset[Object]:
        """The locals that a value may lead to."""
        node = self._found.node(function.name, operand)
        if node is None or is_of_globals(operand, self._made(function)):
            return frozenset()
        return self._by_node[node.number]

    def _made(self, function: Function) -> Mapping[str, Statement | Phi]:
        if function.name not in self._definitions:
            self._definitions[function.name] = definitions(function)
        return self._definitions[function.name]

    @cached_property
    def _by_node(self) -> Mapping[int, frozenset[Object]]:
        without = hidden(self._program)
        return {
            number: frozenset(
                o
                for o, _ in node.data
                if o.kind is Kind.STACK
                and (o.function, o.name) not in without
                and not o.name.endswith(OF_ARGV)
            )
            for number, node in self._found.nodes.items()
        }

    def may_be_left(self, local: Object, function: Function, block: Block, at: int) -> bool:
        """Whether a value at a statement may lead to an instance of a local that has ended."""
        if self._may_be_dead(local, function, block, at):
            return True
        return local in self._kept and self._ended_before(local, function, block, at)

    def are_cut(self, locals_: frozenset[Object]) -> bool:
        """Whether one of the locals may have ended without a mark before another one began.

        The other one may be the same compound literal in a later round of a loop.
        """
        unseen = (o.function in self._cutting and o not in self._marks for o in locals_)
        literals = [o for o in locals_ if o in self._literals]
        if len(locals_) > 1:
            return bool(literals) or any(unseen)
        return any(map(self._is_made_again, literals))

    def _is_made_again(self, local: Object) -> bool:
        """Whether a run may come to the place of a local twice while its function is active."""
        follow = self._follow.get(local.function or "", {})
        return any(label in _reached(follow[label], follow) for label in follow)

    @cached_property
    def _literals(self) -> frozenset[Object]:
        """The locals that are compound literals, whose marks are not those of C."""
        found = literals(self._program)
        placed = frozenset().union(*self._by_node.values()) if found else frozenset[Object]()
        return frozenset(o for o in placed if (o.function, o.name) in found)

    # ----------------------------------------------------------------------------------- ends

    @cached_property
    def _cutting(self) -> frozenset[str]:
        """The functions in which locals without marks end."""
        return frozenset(
            function.name
            for function, _, _, s in _statements(self._program)
            if isinstance(s, Lifetime) and s.address == NULL
        )

    @cached_property
    def _marks(self) -> Mapping[Object, Mapping[str, list[tuple[int, bool]]]]:
        """Local -> block -> its marks: the position, and whether the local lives from there on."""
        marks: dict[Object, dict[str, list[tuple[int, bool]]]] = {}
        for function, block, at, s in _statements(self._program):
            if isinstance(s, Lifetime):
                for local in self._marked(function, s):
                    places = marks.setdefault(local, {}).setdefault(block.label, [])
                    places.append((at, s.live))
        return marks

    def _marked(self, function: Function, mark: Lifetime) -> Iterable[Object]:
        """The local of a mark; if its name does not tell, all locals that an end may mean."""
        own = [o for o in self.locals(function, mark.address) if o.function == function.name]
        name = mark.address.name if isinstance(mark.address, Register) else None
        named = [local for local in own if local.name == name]
        return named or ([] if mark.live else own)

    def _ends(self, local: Object) -> list[tuple[str, int]]:
        """The blocks and positions at which marks end the local."""
        marks = self._marks.get(local, {})
        return [(label, at) for label, places in marks.items() for at, live in places if not live]

    def _may_be_dead(self, local: Object, function: Function, block: Block, at: int) -> bool:
        """Whether the last mark on some path to a statement ends the local."""
        if local.function != function.name or not self._ends(local):
            return False
        before = self._before[function.name]
        marks = self._marks[local]
        here = [live for place, live in marks.get(block.label, ()) if place < at]
        pending, seen = [] if here else list(before[block.label]), set[str]()
        while pending:
            label = pending.pop()
            if label not in seen:
                seen.add(label)
                if label in marks and not marks[label][-1][1]:
                    return True
                pending += () if label in marks else before[label]
        return bool(here) and not here[-1]

    @cached_property
    def _plain(self) -> frozenset[tuple[str, str]]:
        """The locals of constant size that are made in the first block of their function."""
        return frozenset(
            (function.name, s.result.name)
            for function in self._program.functions.values()
            for s in function.entry.statements
            if isinstance(s, Alloca) and isinstance(s.size, IntConst)
        )

    def _ended_before(self, local: Object, function: Function, block: Block, at: int) -> bool:
        """Whether some instance of the local may have ended before a run comes to a statement."""
        home = local.function or ""
        if (home, local.name) not in self._plain or home not in self._once:
            return True
        ends = self._ends(local)
        if home != function.name:
            return bool(ends) or function.name in self._reached_without(home)
        return any(
            (end == block.label and there < at) or block.label in self._after(function, end)
            for end, there in ends
        )

    def _after(self, function: Function, label: str) -> frozenset[str]:
        """The blocks to which control may come from the end of a block."""
        key = (function.name, label)
        if key not in self._ways:
            follow = self._follow[function.name]
            self._ways[key] = _reached(follow[label], follow)
        return self._ways[key]

    @cached_property
    def _before(self) -> Mapping[str, Mapping[str, Sequence[str]]]:
        return {name: predecessors(f) for name, f in self._program.functions.items()}

    @cached_property
    def _follow(self) -> Mapping[str, Mapping[str, tuple[str, ...]]]:
        return {name: successors(f) for name, f in self._program.functions.items()}

    def _reached_without(self, home: str) -> frozenset[str]:
        """The functions that may be active while function `home` is not."""
        if home not in self._without:
            graph = {
                name: [c for c in callees if c != home] for name, callees in self._graph.items()
            }
            starts = [self._program.entry] if self._program.entry != home else []
            self._without[home] = _reached(starts, graph)
        return self._without[home]

    # ----------------------------------------------------------------------------------- kept

    @cached_property
    def _kept(self) -> frozenset[Object]:
        """The locals whose address may be read after they have ended."""
        found: set[Object] = set()
        for function in self._program.functions.values():
            for block in function.blocks:
                found.update(self._carried(function, block))
                for at, s in enumerate(block.statements):
                    if isinstance(s, Store):
                        found.update(self._stored(function, s))
                    elif isinstance(s, Call):
                        found.update(self._passed(function, block, at, s))
                if isinstance(block.terminator, Return):
                    for value in block.terminator.values:
                        found.update(self.locals(function, value))
        return frozenset(found)

    def _passed(self, function: Function, block: Block, at: int, s: Call) -> Iterator[Object]:
        """The locals whose address is passed to a function when they may have ended."""
        for value in s.arguments:
            for local in self.locals(function, value):
                if self._may_be_dead(local, function, block, at):
                    yield local

    def _stored(self, function: Function, s: Store) -> Iterator[Object]:
        given = self.locals(function, s.value)
        if not given:
            return
        node = self._found.node(function.name, s.address)
        targets = () if node is None else [o for o, _ in node.data]
        for local in given:
            if not targets or not all(self._ends_with(o, local) for o in targets):
                yield local

    def _ends_with(self, target: Object, local: Object) -> bool:
        """Whether the contents of the target cannot be read once the local has ended."""
        if target == local:
            return True
        is_beside = target.kind is Kind.STACK and target.function == local.function
        return is_beside and self._blocks_of(target) == self._blocks_of(local)

    def _blocks_of(self, local: Object) -> frozenset[str] | None:
        """The blocks in which marks end the local."""
        if (local.function, local.name) not in self._plain:
            return None
        return frozenset(label for label, _ in self._ends(local))

    def _carried(self, function: Function, block: Block) -> Iterator[Object]:
        """The locals that phis carry from where they may have ended."""
        by_label = {b.label: b for b in function.blocks} if block.phis else {}
        for phi in block.phis:
            for label, value in phi.incoming:
                last = by_label[label]
                for local in self.locals(function, value):
                    is_own = local.function == function.name
                    if is_own and self._ended_before(local, function, last, len(last.statements)):
                        yield local


def _reached(starts: Iterable[str], follow: Mapping[str, Sequence[str]]) -> frozenset[str]:
    """The starts and all that they lead to."""
    seen: dict[str, None] = {}
    pending = list(starts)
    while pending:
        name = pending.pop()
        if name not in seen:
            seen[name] = None
            pending += follow[name]
    return frozenset(seen)
