"""The environment: what functions without a body may do.

Allocation functions stay: the interpreter runs them, the encoder reads their result as an unknown
address.  That runs may use a freed block again goes: no later pass gives an address twice.  Any
other call becomes inputs of kind EXTERN, one for each scalar it returns.  Pointers it is given are
stored into a global of ours, `sea.escaped`, which is how "whatever can be reached from here may
change at any time" is written in the program: no later pass makes registers of such an object.
So are the globals that no file defines: such a function may use them by their names.  What the
function is trusted not to do goes to the ledger.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from seahorn_py.base.errors import UnsupportedError
from seahorn_py.ir.operands import OUTSIDE
from seahorn_py.ir.program import (
    PASSED,
    REUSE,
    SILENT,
    Address,
    Bytes,
    Call,
    Function,
    Global,
    Input,
    Leaf,
    Operand,
    Program,
    Register,
    Select,
    Site,
    SiteKind,
    Statement,
    Store,
)
from seahorn_py.ir.traverse import map_block
from seahorn_py.ir.types import IntType, PointerType

ALLOCATION = frozenset({"malloc", "calloc", "realloc", "alloca", "aligned_alloc", "free"})
ESCAPED = "sea.escaped"


def model_environment(program: Program) -> Program:
    """Replace calls of functions without a body by inputs; UnsupportedError for callbacks.

    Afterwards a call of a name in `ALLOCATION` is always one of the C library's: a function of the
    program with such a name is renamed.
    """
    program = _rename_own_allocation(program)
    environment = _Environment(program)
    functions = {name: environment.function(f) for name, f in program.functions.items()}
    if not (environment.assumptions or environment.passes):
        return replace(program, functions=functions) if environment.reuses else program
    escaped = Global(ESCAPED, program.pointer_width // 8, program.pointer_width // 8, False, ())
    return replace(
        program,
        functions=functions,
        globals={**program.globals, ESCAPED: escaped},
        sites=(*program.sites, *environment.sites),
        assumptions=(*program.assumptions, *environment.assumptions),
    )


def trusted(name: str) -> str:
    """What the ledger says of a function without a body that is called."""
    return (
        f"external function {name} returns, calls no function of the program"
        " and changes no object whose address it cannot reach"
    )


def shared_globals(program: Program) -> tuple[Address, ...]:
    """The globals that no file defines and that may change: they begin with an arbitrary value."""
    named = {site.name for site in program.sites if site.kind is SiteKind.EXTERN}
    items = program.globals.items()
    return tuple(Address(name) for name, item in items if name in named and not item.constant)


class _Environment:
    """Rewrites calls; collects the new sites and what was assumed."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._closed = _closed_constants(program)
        self._shared = shared_globals(program)
        self._choices: Mapping[Operand, tuple[Operand, ...]] = {}
        self._next_site = 1 + max((site.number for site in program.sites), default=0)
        self.sites: list[Site] = []
        self.passes = False
        self.reuses = False
        self.assumptions: dict[str, None] = {}

    def function(self, function: Function) -> Function:
        """The function with its unknown calls replaced."""
        self._choices = _choices(function)
        blocks = tuple(
            replace(b, statements=tuple(t for s in b.statements for t in self._statement(s)))
            for b in function.blocks
        )
        return replace(function, blocks=blocks)

    def _statement(self, statement: Statement) -> Iterator[Statement]:
        if isinstance(statement, Call) and statement.callee == PASSED:
            self.passes = True
            yield from self._escaping(statement)
        elif isinstance(statement, Call) and statement.callee == REUSE:
            self.reuses = True
        elif isinstance(statement, Call) and self._is_unknown(statement.callee):
            yield from self._unknown_call(statement, str(statement.callee).removeprefix(SILENT))
        else:
            yield statement

    def _is_unknown(self, callee: object) -> bool:
        return isinstance(callee, str) and not (
            callee in self._program.functions or callee in ALLOCATION
        )

    def _unknown_call(self, call: Call, name: str) -> Iterator[Statement]:
        self.assumptions[trusted(name)] = None
        for argument in call.arguments:
            if self._may_be_function(argument):
                raise UnsupportedError(
                    f"{call.origin}: {name}, which has no body, is given a function of the program;"
                    " add a definition of it"
                )
        yield from self._escaping(call)
        for address in self._shared:
            yield Store(address, Address(ESCAPED), volatile=True, origin=call.origin)
        for result in call.results:
            site = Site(
                self._next_site,
                SiteKind.EXTERN,
                result.type,
                name,
                str(result.type),
                call.origin,
                native=False,
            )
            self._next_site += 1
            self.sites.append(site)
            yield Input(result, site)

    def _escaping(self, call: Call) -> Iterator[Store]:
        """From here on, what the arguments point to can be reached from elsewhere."""
        for argument in call.arguments:
            if self._may_be_address(argument):
                yield Store(argument, Address(ESCAPED), volatile=True, origin=call.origin)

    def _may_be_address(self, operand: Operand) -> bool:
        match operand.type:
            case PointerType():
                return not self._is_constant(operand)
            case IntType(width):
                return isinstance(operand, Register) and width >= self._program.pointer_width
            case _:
                return False

    def _may_be_function(self, operand: Operand) -> bool:
        """It is the address of a function with a body, or a choice between such."""
        seen: set[Operand] = set()
        pending = [operand]
        while pending:
            value = pending.pop()
            name = value.symbol if isinstance(value, Address) else None
            if name in self._program.functions and not str(name).endswith(OUTSIDE):
                return True
            if value not in seen:
                seen.add(value)
                pending.extend(self._choices.get(value, ()))
        return False

    def _is_constant(self, operand: Operand) -> bool:
        if not isinstance(operand, Address):
            return False
        return operand.symbol is None or operand.symbol in self._closed


def _closed_constants(program: Program) -> set[str]:
    """The constants that lead to nothing but such constants and functions."""
    closed = {name for name, item in program.globals.items() if item.constant}
    while True:
        kept = {name for name in closed if _leads(program.globals[name], program) <= closed}
        if kept == closed:
            return closed
        closed = kept


def _leads(item: Global, program: Program) -> set[str]:
    """The globals whose addresses an object holds at the start."""
    symbols = (leaf.symbol for _, leaf in item.leaves if isinstance(leaf, Address))
    return {symbol for symbol in symbols if symbol is not None and symbol in program.globals}


def _choices(function: Function) -> dict[Operand, tuple[Operand, ...]]:
    """What each phi and select chooses from."""
    found: dict[Operand, tuple[Operand, ...]] = {}
    for block in function.blocks:
        found.update((phi.result, tuple(v for _, v in phi.incoming)) for phi in block.phis)
        for statement in block.statements:
            if isinstance(statement, Select):
                found[statement.result] = (statement.then, statement.otherwise)
    return found


def _rename_own_allocation(program: Program) -> Program:
    own = {name: f"{name}.defined" for name in program.functions if name in ALLOCATION}
    if not own:
        return program
    functions = {
        own.get(name, name): _renamed(function, own) for name, function in program.functions.items()
    }
    globals_ = {
        name: replace(g, leaves=tuple((at, _renamed_leaf(leaf, own)) for at, leaf in g.leaves))
        for name, g in program.globals.items()
    }
    return replace(program, functions=functions, globals=globals_)


def _renamed(function: Function, own: Mapping[str, str]) -> Function:
    def statement(old: Statement) -> Statement:
        if isinstance(old, Call) and isinstance(old.callee, str):
            return replace(old, callee=own.get(old.callee, old.callee))
        return old

    blocks = (map_block(b, lambda operand: _operand(operand, own)) for b in function.blocks)
    return replace(
        function,
        name=own.get(function.name, function.name),
        blocks=tuple(replace(b, statements=tuple(map(statement, b.statements))) for b in blocks),
    )


def _renamed_leaf(leaf: Leaf, own: Mapping[str, str]) -> Leaf:
    return leaf if isinstance(leaf, Bytes) else _operand(leaf, own)


def _operand(operand: Operand, own: Mapping[str, str]) -> Operand:
    if isinstance(operand, Address) and operand.symbol is not None:
        return replace(operand, symbol=own.get(operand.symbol, operand.symbol))
    return operand
