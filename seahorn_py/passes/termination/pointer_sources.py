"""Where pointers come from: which registers point into objects that the text shows.

`passes.termination.extents` tests accesses through these.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from seahorn_py.ir.graph import (
    accepts,
    addresses_taken,
    calls,
    recursive_functions,
    reverse_postorder,
    strong_components,
    successors,
)
from seahorn_py.ir.program import (
    NULL,
    Address,
    Alloca,
    Call,
    Cast,
    CastOp,
    Function,
    IntConst,
    Lifetime,
    Load,
    Offset,
    Operand,
    Program,
    Register,
    Select,
    Statement,
    Store,
)
from seahorn_py.ir.traverse import results
from seahorn_py.ir.types import POINTER

ALLOCATING = frozenset({"malloc", "calloc", "alloca", "realloc", "aligned_alloc"})

WIDE = 64

Key = tuple[str, str]
"""A function and the name of a register in it."""

Sources = Mapping[Key, tuple[tuple[str, Operand], ...] | None]
"""Pointer register -> the operands that it is made from, with their functions.

None where these are unclear.
"""


def sources_of(program: Program) -> Sources:
    """What each pointer register of the program is made from."""
    found: dict[Key, tuple[tuple[str, Operand], ...] | None] = {}
    for name, function in program.functions.items():
        for block in function.blocks:
            for phi in block.phis:
                if phi.result.type == POINTER:
                    found[name, phi.result.name] = tuple((name, v) for _, v in phi.incoming)
            for statement in block.statements:
                for result in results(statement):
                    if result.type == POINTER:
                        made = _made_from(statement, program)
                        found[name, result.name] = (
                            None if made is None else tuple((name, v) for v in made)
                        )
    return {**found, **_arguments(program)}


def _made_from(statement: Statement, program: Program) -> tuple[Operand, ...] | None:
    allocating = ALLOCATING - program.functions.keys()
    match statement:
        case Alloca(size=size):
            return () if _is_usual(size, program) else None
        case Call(callee=str(callee)) if callee in allocating:
            return ()
        case Offset(base=base):
            return None if isinstance(base, Address) and base.symbol is None else (base,)
        case Cast(op=CastOp.BITCAST, value=value):
            return (value,)
        case Select(then=then, otherwise=otherwise):
            return (then, otherwise)
        case _:
            return None


def _is_usual(size: Operand, program: Program) -> bool:
    """Whether the size of an object is not negative when it is read as a signed word.

    No machine has an object of 2 ** 63 bytes.
    """
    most = 1 << (program.pointer_width - 1)
    return size.value < most if isinstance(size, IntConst) else program.pointer_width >= WIDE


def _arguments(program: Program) -> Sources:
    """Parameter -> the arguments of all calls; None if calls of the function are unknown."""
    given: dict[Key, list[tuple[str, Operand]]] = {}
    unclear = addresses_taken(program) | {program.entry}
    for caller, function in program.functions.items():
        for call in calls(function):
            callee = program.functions.get(str(call.callee))
            if callee is None:
                continue
            if not accepts(callee, call):
                unclear |= {callee.name}
                continue
            for parameter, value in zip(callee.parameters, call.arguments, strict=True):
                given.setdefault((callee.name, parameter.name), []).append((caller, value))
    return {
        (name, p.name): None if name in unclear else tuple(given.get((name, p.name), ()))
        for name, function in program.functions.items()
        for p in function.parameters
        if p.type == POINTER
    }


def clear_of(sources: Sources, program: Program) -> set[Key]:
    """The greatest set of registers whose sources are in the set, or known objects, or null."""
    clear = {key for key, made in sources.items() if made is not None}
    while True:
        kept = {key for key in clear if _all_clear(sources[key] or (), clear, program)}
        if kept == clear:
            return clear
        clear = kept


def _all_clear(made: tuple[tuple[str, Operand], ...], clear: set[Key], program: Program) -> bool:
    for name, value in made:
        match value:
            case Register():
                if (name, value.name) not in clear:
                    return False
            case Address(symbol=str(symbol)) if symbol in program.globals:
                if not 0 < program.globals[symbol].size < 1 << (program.pointer_width - 1):
                    return False
            case _ if value != NULL:
                return False
    return True


def wanted_of(program: Program, sources: Sources, clear: set[Key], everywhere: bool) -> set[Key]:
    """The clear registers through which cycles access memory, and those that they are made from."""
    pending = [key for key in _accessed(program, everywhere) if key in clear]
    wanted: set[Key] = set()
    while pending:
        key = pending.pop()
        if key not in wanted:
            wanted.add(key)
            made = sources[key] or ()
            pending += [(name, v.name) for name, v in made if isinstance(v, Register)]
    return wanted


def _accessed(program: Program, everywhere: bool) -> Iterator[Key]:
    for name, function in program.functions.items():
        inside = tested_blocks(program, function, everywhere)
        for block in function.blocks:
            for statement in block.statements if block.label in inside else ():
                match statement:
                    case Load(address=Register(name=at)) | Store(address=Register(name=at)):
                        yield name, at
                    case _:
                        pass


def tested_blocks(program: Program, function: Function, everywhere: bool) -> frozenset[str]:
    """The labels of the blocks whose accesses are tested: all, or those in cycles."""
    if everywhere:
        return frozenset(block.label for block in function.blocks)
    return _cyclic(program, function)


def _cyclic(program: Program, function: Function) -> frozenset[str]:
    """The labels of the blocks that a run may pass again and again."""
    if function.name in recursive_functions(program):
        return frozenset(block.label for block in function.blocks)
    follow = successors(function)
    parts = strong_components(reverse_postorder(function), follow.__getitem__)
    return frozenset(label for p in parts for label in p if len(p) > 1 or label in follow[label])


def surely_tested(program: Program, confined: bool) -> frozenset[Key]:
    """The registers through which loads and stores are valid if their tests hold.

    `ending_outside` tests them if `everywhere`.  None are told if an object may be a constant, or
    dead, which no test sees: locals may be, unless they are `confined`, so that nothing keeps their
    addresses.
    """
    sources = sources_of(program)
    mortal = (Lifetime,) if confined else (Lifetime, Alloca)
    statements = (s for f in program.functions.values() for b in f.blocks for s in b.statements)
    made = (value for values in sources.values() for _, value in values or ())
    symbols = {value.symbol for value in made if isinstance(value, Address)}
    has_constants = any(s in program.globals and program.globals[s].constant for s in symbols if s)
    if has_constants or any(isinstance(statement, mortal) for statement in statements):
        return frozenset()
    return frozenset(clear_of(sources, program) & set(_accessed(program, everywhere=True)))
