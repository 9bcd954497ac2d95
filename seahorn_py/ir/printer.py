"""A stable, readable text of programs, for `inspect`, golden tests and error messages.

Integers are printed in two's complement, as LLVM does.  With `places`, every statement is followed
by its place in the C text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import assert_never

from seahorn_py.errors import Origin
from seahorn_py.ir.program import (
    Alloca,
    Binary,
    Bind,
    Bits,
    Block,
    Branch,
    Bytes,
    Call,
    Cast,
    Compare,
    Fail,
    FloatOp,
    Function,
    Global,
    Havoc,
    Input,
    IntConst,
    Jump,
    Leaf,
    Lifetime,
    Load,
    MemoryCopy,
    MemorySet,
    Offset,
    Operand,
    Overflow,
    Phi,
    Program,
    RegionFill,
    RegionHavoc,
    RegionLoad,
    RegionStore,
    Return,
    Select,
    Statement,
    Stop,
    Store,
    Terminator,
    Valid,
)
from seahorn_py.ir.types import IntType, Type

SHOWN_BYTES = 64
"""How much of a run of bytes is printed."""


def print_program(program: Program, *, places: bool = False) -> str:
    """The whole program: globals, functions, sites and checks."""
    lines = [f"program {program.pointer_width} bit, entry {program.entry}"]
    lines.extend(_global(item) for item in program.globals.values())
    for function in program.functions.values():
        lines.extend(("", print_function(function, places=places).rstrip("\n")))
    lines.append("")
    for site in program.sites:
        native = "" if site.native else ", not native"
        text = f"site {site.number}: {site.kind.value} {site.type} {site.name} : {site.c_type}"
        lines.append(text + native + _place(site.origin, places))
    for check in program.checks:
        text = f"check {check.number}: {check.property} {check.text}"
        lines.append(text + _place(check.origin, places))
    lines.extend(f"assumed: {text}" for text in program.assumptions)
    return "\n".join(lines).rstrip("\n") + "\n"


def print_function(function: Function, *, places: bool = False) -> str:
    """A function, one statement a line."""
    parameters = ", ".join(f"{p.type} {p}" for p in function.parameters)
    results = ", ".join(str(kind) for kind in function.results)
    arrow = f" -> {results}" if results else ""
    head = f"function {function.name}({parameters}){arrow}{_place(function.origin, places)}"
    return "\n".join((head, *_blocks(function.blocks, places))) + "\n"


def _blocks(blocks: Iterable[Block], places: bool) -> Iterator[str]:
    for block in blocks:
        yield f"{block.label}:"
        for phi in block.phis:
            yield f"  {print_phi(phi)}"
        for statement in block.statements:
            origin = statement.origin
            yield f"  {print_statement(statement)}{_place(origin, places)}"
        end = block.terminator
        yield f"  {print_terminator(end)}{_place(end.origin, places)}"


def _place(origin: Origin, places: bool) -> str:
    if not places or not origin.chain:
        return ""
    return "  ; " + " <- ".join(str(span) for span in origin.chain)


def _global(item: Global) -> str:
    kind = "constant" if item.constant else "global"
    leaves = ", ".join(f"{at}: {_leaf(leaf)}" for at, leaf in item.leaves)
    names = ", ".join(f"{v} : {v.c_type}" for v in item.variables.values())
    comment = f"  ; {names}" if names else ""
    return f"{kind} @{item.name} {item.size} bytes align {item.align} {{{leaves}}}{comment}"


def _leaf(leaf: Leaf) -> str:
    if not isinstance(leaf, Bytes):
        return f"{leaf.type} {_value(leaf)}"
    shown = leaf.data[:SHOWN_BYTES].hex()
    more = "..." if len(leaf.data) > SHOWN_BYTES else ""
    return f"{len(leaf.data)} bytes {shown}{more}"


def print_phi(phi: Phi) -> str:
    """`%x = phi i32 [a: 0, b: %y]`."""
    incoming = ", ".join(f"{label}: {_value(value)}" for label, value in phi.incoming)
    return f"{phi.result} = phi {phi.result.type} [{incoming}]"


def print_statement(statement: Statement) -> str:  # noqa: C901 - a flat match
    """One statement without its place."""
    match statement:
        case Binary(result, op, left, right):
            return f"{result} = {op.value} {_pair(left, right)}"
        case Compare(result, predicate, left, right):
            return f"{result} = icmp {predicate.value} {_pair(left, right)}"
        case Cast(result, op, value):
            return f"{result} = {op.value} {_typed(value)} to {result.type}"
        case Select(result, condition, then, otherwise):
            return f"{result} = select {_value(condition)} ? {_pair(then, otherwise)}"
        case Bits(result, op, arguments):
            return f"{result} = {op.value} {result.type} {_values(arguments)}"
        case Overflow(result, op, left, right):
            return f"{result} = overflow {op.value} {_pair(left, right)}"
        case FloatOp(result, name, arguments):
            return f"{result} = {name} {result.type} {_values(arguments)}"
        case Offset():
            return f"{statement.result} = offset {_sum(statement)}"
        case Alloca(result, size, align):
            return f"{result} = alloca {_value(size)} align {align}"
        case Load(result, address, volatile):
            return f"{result} = load{_volatile(volatile)} {result.type} from {_value(address)}"
        case Store(value, address, volatile):
            return f"store{_volatile(volatile)} {_typed(value)} to {_value(address)}"
        case MemoryCopy(target, source, length):
            return f"copy {_values((target, source, length))}"
        case MemorySet(target, byte, length):
            return f"set {_values((target, byte, length))}"
        case Havoc(address, size, site):
            return f"havoc {_values((address, size))} site {site.number}"
        case RegionLoad(result, region, address):
            return f"{result} = {_value(region)}[{_value(address)}]"
        case RegionStore(result, region, address, value):
            return f"{result} = {_value(region)}[{_value(address)} := {_typed(value)}]"
        case RegionFill(result, value):
            return f"{result} = region of {_typed(value)}"
        case RegionHavoc(result, region, address, size, site, whole):
            rest = " whole" if whole else ""
            return f"{result} = havoc{rest} {_values((region, address, size))} site {site.number}"
        case Valid(result, kind, address, size):
            return f"{result} = valid {kind.value} {_values((address, size))}"
        case Lifetime(address, live):
            return f"{'begin' if live else 'end'} {_value(address)}"
        case Input(result, site):
            return f"{result} = input {result.type} site {site.number}"
        case Call():
            return _call(statement)
        case Bind(variable, bound):
            return f"bind {variable} = {'?' if bound is None else _value(bound)}"
        case _:
            assert_never(statement)


def print_terminator(terminator: Terminator) -> str:
    """A terminator without its place."""
    match terminator:
        case Jump(target):
            return f"jump {target}"
        case Branch(condition, then, otherwise):
            return f"branch {_value(condition)} ? {then} : {otherwise}"
        case Return(values):
            return f"return {_values(values)}".rstrip()
        case Stop(kind):
            return f"stop {kind.value}"
        case Fail(check):
            return f"fail check {check.number}"
        case _:
            assert_never(terminator)


def _call(statement: Call) -> str:
    results = ", ".join(str(r) for r in statement.results)
    arguments = ", ".join(_typed(a) for a in statement.arguments)
    kinds = ", ".join(str(r.type) for r in statement.results) or "void"
    defines = f"{results} = " if results else ""
    return f"{defines}call {kinds} {statement.callee}({arguments})"


def _sum(statement: Offset) -> str:
    parts = [_value(statement.base)]
    if statement.constant or not statement.terms:
        parts.append(str(statement.constant))
    parts.extend(f"{_value(index)} * {scale}" for index, scale in statement.terms)
    return " + ".join(parts)


def _volatile(volatile: bool) -> str:
    return " volatile" if volatile else ""


def _value(operand: Operand) -> str:
    if isinstance(operand, IntConst) and operand.type.width > 1:
        return str(_signed(operand.value, operand.type))
    return str(operand)


def _signed(value: int, kind: IntType) -> int:
    return value - (1 << kind.width) if value >> (kind.width - 1) else value


def _typed(operand: Operand) -> str:
    kind: Type = operand.type
    return f"{kind} {_value(operand)}"


def _pair(left: Operand, right: Operand) -> str:
    return f"{_typed(left)}, {_value(right)}"


def _values(operands: Iterable[Operand]) -> str:
    return ", ".join(_value(operand) for operand in operands)
