"""Variable arguments: the caller puts them into a block of its own, whose address it passes.

The layout of that block is that of the stack: each argument in words, in order.  On i386 a
`va_list` is a pointer to it (System V ABI, i386 supplement, "Variable argument lists").  On x86-64
it is a record of four members; `va_start` says that no argument came in registers, so that `va_arg`
takes all from the block (System V ABI, AMD64 supplement, 3.5.7).

The front end writes `PASSED` for what a call passes beyond the parameters.  A function stays as it
is, and its arguments unknown, if some call passes a copy of a struct that could as well be a
pointer, or arguments that are not those of its parameters.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from seahorn_py.ir.memory import bytes_of
from seahorn_py.ir.program import (
    NULL,
    PASSED,
    Alloca,
    Block,
    Call,
    Function,
    Input,
    IntConst,
    MemoryCopy,
    Offset,
    Operand,
    Program,
    Register,
    Statement,
    Store,
)
from seahorn_py.ir.traverse import definitions
from seahorn_py.ir.types import POINTER, IntType
from seahorn_py.passes.access import Names

START, END, COPY = "llvm.va_start", "llvm.va_end", "llvm.va_copy"
REGISTERS_USED = (48, 176)
"""Offsets of the next integer and vector register in the save area when all are used up."""
_ALIGN = 16


def pass_variable_arguments(program: Program) -> Program:
    """Give every function that reads its variable arguments a pointer to them."""
    takers = {name: f for name, f in program.functions.items() if f.variadic and _starts(f)}
    takers = {name: f for name, f in takers.items() if name not in set(_unclear(program, takers))}
    if not takers:
        return program
    functions = {name: _Passing(program, f, takers).run() for name, f in program.functions.items()}
    return replace(program, functions=functions)


def _starts(function: Function) -> bool:
    return any(_is(s, START) for block in function.blocks for s in block.statements)


def _is(statement: Statement, name: str) -> bool:
    callee = statement.callee if isinstance(statement, Call) else None
    return isinstance(callee, str) and (callee == name or callee.startswith(f"{name}."))


def _unclear(program: Program, takers: Mapping[str, Function]) -> Iterator[str]:
    """The functions of which some call does not tell what is passed."""
    for function in program.functions.values():
        for block in function.blocks:
            copies = _copies(block)
            for passed, call in _calls(block):
                if not isinstance(call.callee, str):
                    yield from takers
                elif call.callee in takers and passed is not None:
                    strange = any(isinstance(a, Register) and a in copies for a in passed.arguments)
                    if strange or any(a in _guessed(block) for a in call.arguments):
                        yield call.callee


def _calls(block: Block) -> Iterator[tuple[Call | None, Call]]:
    """The calls of a block, each with the `PASSED` right before it."""
    before: Statement | None = None
    for statement in block.statements:
        if isinstance(statement, Call) and statement.callee != PASSED:
            is_passed = isinstance(before, Call) and before.callee == PASSED
            yield (before if is_passed and isinstance(before, Call) else None), statement
        before = statement


def _copies(block: Block) -> set[Operand]:
    """Objects that are made and then filled by a copy: structs that are passed by value."""
    made = {s.result for s in block.statements if isinstance(s, Alloca)}
    return {s.target for s in block.statements if isinstance(s, MemoryCopy) and s.target in made}


def _guessed(block: Block) -> set[Operand]:
    """Values for parameters that the call gave nothing fitting for."""
    inputs = (s for s in block.statements if isinstance(s, Input))
    return {s.result for s in inputs if s.site.name == "argument" and not s.site.native}


@dataclass(frozen=True)
class _Block:
    """Where a caller puts arguments: the object, and its size in bytes."""

    address: Register
    size: int


class _Passing:
    """Rewrites one function."""

    def __init__(
        self, program: Program, function: Function, takers: Mapping[str, Function]
    ) -> None:
        self._word = program.pointer_width // 8
        self._takers = takers
        self._function = function
        taken = [register.name for block in function.blocks for register in definitions(block)]
        self._names = Names([*taken, *(p.name for p in function.parameters)])
        self._blocks: list[_Block] = []
        self._given = self._names.fresh("varargs", POINTER)

    def run(self) -> Function:
        """The function with calls that pass a block, and its own parameter for one."""
        blocks = [replace(b, statements=tuple(self._lines(b))) for b in self._function.blocks]
        made = tuple(
            Alloca(b.address, IntConst(b.size, IntType(8 * self._word)), _ALIGN)
            for b in self._blocks
        )
        blocks[0] = replace(blocks[0], statements=(*made, *blocks[0].statements))
        function = replace(self._function, blocks=tuple(blocks))
        if function.name not in self._takers:
            return function
        return replace(function, parameters=(*function.parameters, self._given), variadic=False)

    def _lines(self, block: Block) -> Iterator[Statement]:
        passed = {id(before) for before, call in _calls(block) if call.callee in self._takers}
        waiting: tuple[Operand, ...] = ()
        for statement in block.statements:
            if id(statement) in passed and isinstance(statement, Call):
                waiting = statement.arguments
            elif isinstance(statement, Call) and statement.callee in self._takers:
                yield from self._call(statement, waiting)
                waiting = ()
            elif _is(statement, START) or _is(statement, END) or _is(statement, COPY):
                assert isinstance(statement, Call)
                yield from self._list(statement)
            else:
                yield statement

    def _call(self, call: Call, passed: tuple[Operand, ...]) -> Iterator[Statement]:
        """Store what is passed, each in its words."""
        if not passed:
            yield replace(call, arguments=(*call.arguments, NULL))
            return
        base = self._names.fresh("arguments", POINTER)
        at = 0
        for value in passed:
            size = bytes_of(value.type, 8 * self._word)
            if self._word == 8 and size > 8:
                at += -at % 16
            place = self._names.fresh("argument", POINTER)
            yield Offset(place, base, at, (), call.origin)
            yield Store(value, place, origin=call.origin)
            at += -(-size // self._word) * self._word
        self._blocks.append(_Block(base, at))
        yield replace(call, arguments=(*call.arguments, base))

    def _list(self, call: Call) -> Iterator[Statement]:
        """What `va_start`, `va_copy` and `va_end` do with a list."""
        if self._function.name not in self._takers and _is(call, START):
            yield call
        elif _is(call, START) and self._word == 4:
            yield Store(self._given, call.arguments[0], origin=call.origin)
        elif _is(call, START):
            integers, vectors = (IntConst(at, IntType(32)) for at in REGISTERS_USED)
            members = ((0, integers), (4, vectors), (8, self._given), (16, NULL))
            for offset, value in members:
                place = self._names.fresh("list", POINTER)
                yield Offset(place, call.arguments[0], offset, (), call.origin)
                yield Store(value, place, origin=call.origin)
        elif _is(call, COPY):
            size = IntConst(4 if self._word == 4 else 24, IntType(8 * self._word))
            yield MemoryCopy(call.arguments[0], call.arguments[1], size, call.origin)
