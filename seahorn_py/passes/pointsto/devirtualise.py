"""Calls through pointers become choices between direct calls.

The targets of a pointer are found by following phis, selects and loads from constant tables to the
functions they name.  Where that fails, they are those that the points-to analysis finds, and for a
pointer that may come from outside all functions whose address is taken; of these, those that have
the types of the call: calling one through another type is undefined (ledger).  Arguments beyond the
parameters are not read.  A pointer to none of the targets ends the run; one from outside may lead
to a function that is not ours, which is a gap.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import cached_property

from seahorn_py.base.records import dataclass
from seahorn_py.ir.graph import accepts, addresses_taken
from seahorn_py.ir.program import (
    ASTRAY,
    Address,
    Block,
    Branch,
    Call,
    Compare,
    Function,
    Jump,
    Load,
    Offset,
    Operand,
    Phi,
    Predicate,
    Program,
    Register,
    Select,
    Statement,
    Stop,
    StopKind,
    Valid,
    Validity,
)
from seahorn_py.ir.traverse import definitions, results
from seahorn_py.ir.types import BOOL
from seahorn_py.passes.pointsto.pointsto import PointsTo, points_to

TYPES = "a function is called only through pointers of its own type"
CALLED = "what is called through a pointer is a function"
OUTSIDE = "a pointer from outside of the program is called: only functions of the program are tried"
MISSING = "a call through a pointer is not followed: no function of its type has its address taken"


def devirtualise(program: Program) -> Program:
    """Replace every call through a register."""
    pointers = _Pointers(program)
    rewritings = {name: _Rewriting(program, f, pointers) for name, f in program.functions.items()}
    functions = {name: rewriting.run() for name, rewriting in rewritings.items()}
    made = rewritings.values()
    assumed = [TYPES] if any(rewriting.guessed for rewriting in made) else []
    if any(rewriting.astray for rewriting in made) and not _checks_calls(program):
        assumed.append(CALLED)
    gaps = {gap: None for rewriting in made for gap in rewriting.gaps}
    return replace(
        program,
        functions=functions,
        assumptions=(*program.assumptions, *assumed),
        gaps=(*program.gaps, *gaps),
    )


class _Pointers:
    """Where pointers to functions may lead; analysed when first asked."""

    def __init__(self, program: Program) -> None:
        self._program = program

    @cached_property
    def taken(self) -> frozenset[str]:
        """The functions whose address is taken."""
        return addresses_taken(self._program)

    @cached_property
    def _found(self) -> PointsTo:
        return points_to(self._program)

    def targets(self, function: str, pointer: Register) -> frozenset[str] | None:
        """The functions that a pointer of this function may lead to; None: it is from outside, or a
        number.
        """
        node = self._found.node(function, pointer)
        if node is None or node.is_outside:
            return None
        return self._found.functions(function, pointer)


@dataclass(frozen=True)
class _Choice:
    """A target, and the bit that says whether it is the one; None for "otherwise"."""

    target: str
    condition: Operand | None


class _Rewriting:
    """Splits the blocks of one function at its calls through registers."""

    def __init__(self, program: Program, function: Function, pointers: _Pointers) -> None:
        self.guessed = self.astray = False
        self.gaps: dict[str, None] = {}
        self._program = program
        self._function = function
        self._pointers = pointers
        self._made: dict[Register, Statement | Phi] = {}
        for block in function.blocks:
            self._made.update((phi.result, phi) for phi in block.phis)
            self._made.update((r, s) for s in block.statements for r in results(s))
        self._copies: dict[tuple[int, str], int] = {}
        self._names = {r.name for b in function.blocks for r in definitions(b)}
        self._names |= {p.name for p in function.parameters}
        self._labels = {block.label for block in function.blocks}
        self._last: dict[str, str] = {}

    def run(self) -> Function:
        """The function with direct calls only."""
        blocks = [part for block in self._function.blocks for part in self._split(block)]
        if not self._last:
            return self._function
        return replace(self._function, blocks=tuple(map(self._relabelled, blocks)))

    def _has_name(self, call: Call) -> bool:
        """Whether the call names what may be a function."""
        is_named = isinstance(call.callee, str) and call.callee != ASTRAY
        return is_named and call.callee not in self._program.globals

    def _relabelled(self, block: Block) -> Block:
        """The block with its old phis told which part of a split block they come from."""
        return replace(block, phis=tuple(map(self._relabelled_phi, block.phis)))

    def _relabelled_phi(self, phi: Phi) -> Phi:
        if not isinstance(self._made.get(phi.result), Phi):
            return phi
        return replace(phi, incoming=tuple((self._last.get(b, b), v) for b, v in phi.incoming))

    def _split(self, block: Block) -> Iterator[Block]:
        label, phis, statements = block.label, block.phis, list[Statement]()
        for statement in block.statements:
            if not isinstance(statement, Call) or self._has_name(statement):
                statements.append(statement)
                continue
            after = self._fresh(self._labels, f"{block.label}.called")
            parts, phis_after = self._choose(statement, label, after, statements)
            yield replace(parts[0], phis=phis)
            yield from parts[1:]
            label, phis, statements = after, phis_after, []
        if label != block.label:
            self._last[block.label] = label
        yield Block(label, phis, tuple(statements), block.terminator)

    def _choose(
        self, call: Call, label: str, after: str, before: Sequence[Statement]
    ) -> tuple[list[Block], tuple[Phi, ...]]:
        """The blocks from `label` to `after` that call one target each, and the phis of `after`."""
        statements = list(before)
        blocks: list[Block] = []
        returned: list[tuple[str, tuple[Register, ...]]] = []
        for choice in self._choices(call):
            calling = self._fresh(self._labels, f"{label}.{choice.target}")
            own = tuple(Register(self._fresh(self._names, r.name), r.type) for r in call.results)
            returned.append((calling, own))
            direct = (self._direct(call, choice.target, own),)
            condition = choice.condition
            if condition is None:
                blocks.append(Block(label, (), tuple(statements), Jump(calling, call.origin)))
                blocks.append(Block(calling, (), direct, Jump(after, call.origin)))
                return blocks, _joined(call, returned)
            other = self._fresh(self._labels, f"{label}.other")
            if isinstance(condition, Register) and condition not in self._made:
                assert isinstance(call.callee, Register)
                address = Address(choice.target)
                statements.append(
                    Compare(condition, Predicate.EQ, call.callee, address, call.origin)
                )
            branch = Branch(condition, calling, other, call.origin)
            blocks.append(Block(label, (), tuple(statements), branch))
            blocks.append(Block(calling, (), direct, Jump(after, call.origin)))
            label, statements = other, []
        blocks.append(Block(label, (), tuple(statements), Stop(StopKind.END, call.origin)))
        return blocks, _joined(call, returned)

    def _direct(self, call: Call, target: str, results: tuple[Register, ...]) -> Call:
        """The call by name, without the arguments that the target does not read.

        Results that the call does not ask for are given anyway.
        """
        function = self._program.functions.get(target)
        if function is not None and not results:
            results = tuple(
                Register(self._fresh(self._names, f"{target}.unread"), kind)
                for kind in function.results
            )
        count = len(call.arguments if function is None else function.parameters)
        arguments = call.arguments[:count]
        return replace(call, results=results, callee=target, arguments=arguments)

    def _choices(self, call: Call) -> list[_Choice]:
        pointer = call.callee
        if isinstance(pointer, str):
            self.astray = True
            return []
        match self._made.get(pointer):
            case Select(condition=c, then=Address(str() as a, 0), otherwise=Address(str() as b, 0)):
                functions = self._program.functions
                if all(name in functions and accepts(functions[name], call) for name in (a, b)):
                    return [_Choice(a, c), _Choice(b, None)]
        found = self._targets(pointer)
        targets = self._guess(call, pointer) if found is None else self._fitting(call, found)
        return [
            _Choice(target, Register(self._fresh(self._names, f"is.{target}"), BOOL))
            for target in sorted(targets)
        ]

    def _targets(self, pointer: Register) -> set[str] | None:
        """The functions that a pointer may lead to; None if that is not known."""
        found: set[str] = set()
        leads_astray = False
        seen: set[Operand] = set()
        pending: list[Operand] = [pointer]
        while pending:
            value = pending.pop()
            if value in seen:
                continue
            seen.add(value)
            if isinstance(value, Address):
                function = self._function_at(value)
                leads_astray |= function is None
                found |= set() if function is None else {function}
                continue
            sources = self._sources(value)
            if sources is None:
                return None
            pending.extend(sources)
        self.astray |= leads_astray
        return found

    def _function_at(self, address: Address) -> str | None:
        """The function that begins at a constant address, also one that is not ours."""
        is_data = address.offset != 0 or address.symbol in self._program.globals
        return None if is_data else address.symbol

    def _sources(self, value: Operand) -> list[Operand] | None:
        match self._made.get(value) if isinstance(value, Register) else None:
            case Phi(incoming=incoming):
                return [v for _, v in incoming]
            case Select(then=then, otherwise=otherwise):
                return [then, otherwise]
            case Load(address=address):
                return self._table(address)
            case _:
                return None

    def _table(self, address: Operand) -> list[Operand] | None:
        """The pointers in the constant table that is read; an index may be anything."""
        while isinstance(address, Register):
            made = self._made.get(address)
            if not isinstance(made, Offset):
                return None
            address = made.base
        symbol = address.symbol if isinstance(address, Address) else None
        table = self._program.globals.get(symbol or "")
        if table is None or not table.constant:
            return None
        return [leaf for _, leaf in table.leaves if isinstance(leaf, Address)]

    def _fitting(self, call: Call, names: Collection[str]) -> set[str]:
        """Those among the functions that have the types of the call, or no body."""
        functions = self._program.functions
        fitting = {n for n in names if n not in functions or accepts(functions[n], call)}
        self.guessed |= len(fitting) < len(names)
        return fitting

    def _guess(self, call: Call, pointer: Register) -> set[str]:
        """Every function that the pointer may lead to and that has the types of the call."""
        targets = self._pointers.targets(self._function.name, pointer)
        fitting = self._fitting(call, self._pointers.taken if targets is None else targets)
        self.guessed = self.astray = True
        if targets is None:
            self.gaps[OUTSIDE if fitting else MISSING] = None
        return fitting

    def _fresh(self, taken: set[str], stem: str) -> str:
        number = self._copies.get((id(taken), stem), 1)
        name = stem if number == 1 else f"{stem}.{number}"
        while name in taken:
            number += 1
            name = f"{stem}.{number}"
        taken.add(name)
        self._copies[id(taken), stem] = number
        return name


def _checks_calls(program: Program) -> bool:
    """A check precedes each call through a pointer."""
    blocks = (block for function in program.functions.values() for block in function.blocks)
    statements = (s for block in blocks for s in block.statements)
    return any(isinstance(s, Valid) and s.kind is Validity.CALL for s in statements)


def _joined(call: Call, returned: list[tuple[str, tuple[Register, ...]]]) -> tuple[Phi, ...]:
    return tuple(
        Phi(result, tuple((label, own[k]) for label, own in returned))
        for k, result in enumerate(call.results)
    )
