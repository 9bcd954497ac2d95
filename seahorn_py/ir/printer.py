"""A stable, readable text of programs, for `inspect`, golden tests and error messages.

`ir.parser` reads it.  Integers are printed in two's complement, as LLVM does, constants with their
type where nothing else tells it.  With `places`, the text is the whole program: everything is
followed by its place in the C text, and runs of bytes are not cut.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import assert_never

from seahorn_py.base.errors import Origin, Span
from seahorn_py.ir.program import (
    Address,
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
    FloatConst,
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
    Register,
    Return,
    Select,
    Statement,
    Stop,
    Store,
    Terminator,
    Valid,
    Variable,
)
from seahorn_py.ir.traverse import results as statement_results
from seahorn_py.ir.types import IntType, Type

SHOWN_BYTES = 64
"""How much of a run of bytes is printed without `places`."""

PLAIN = r"[\w.$@#!~/|&^-]+|\"[^\"\\]*\""
"""Names that are printed as they are, also those that LLVM quotes; others are in single quotes."""


def print_program(program: Program, *, places: bool = False) -> str:
    """The whole program: globals, functions, sites, checks, assumptions and gaps."""
    head = f"program {program.pointer_width} bit, entry {name(program.entry)}"
    lines = [head + (", with places" if places else "")]
    for item in program.globals.values():
        lines.extend(_global(item, places))
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
    lines.extend(f"gap: {text}" for text in program.gaps)
    lines.extend(f"gap in bit-vectors: {text}" for text in program.bit_gaps)
    return "\n".join(lines).rstrip("\n") + "\n"


def print_function(function: Function, *, places: bool = False) -> str:
    """A function, one statement a line."""
    parameters = ", ".join(map(_typed, function.parameters))
    results = ", ".join(str(kind) for kind in function.results)
    arrow = f" -> {results}" if results else ""
    head = f"function {name(function.name)}({parameters}){arrow}{_place(function.origin, places)}"
    return "\n".join((head, *_blocks(function.blocks, places))) + "\n"


def _blocks(blocks: Iterable[Block], places: bool) -> Iterator[str]:
    for block in blocks:
        yield f"{name(block.label)}:"
        for phi in block.phis:
            yield f"  {print_phi(phi)}"
        for statement in block.statements:
            text = print_statement(statement)
            if places and isinstance(statement, Bind) and statement.variable.span is not None:
                text += f" at {_span(statement.variable.span)}"
            yield f"  {text}{_place(statement.origin, places)}"
        end = block.terminator
        yield f"  {print_terminator(end)}{_place(end.origin, places)}"


def _place(origin: Origin, places: bool) -> str:
    if not places or not origin.chain:
        return ""
    return "  ; " + " <- ".join(map(_span, origin.chain))


def _span(span: Span) -> str:
    return f"{name(span.file)}:{span.line}:{span.column} in {name(span.function)}"


def name(text: str) -> str:
    """A name so that it ends where the text around it goes on."""
    if re.fullmatch(PLAIN, text) and text != "null":
        return text
    return "'" + json.dumps(text)[1:-1].replace("'", "\\u0027") + "'"


def _global(item: Global, places: bool) -> Iterator[str]:
    kind = "constant" if item.constant else "global"
    leaves = ", ".join(f"{at}: {_leaf(leaf, places)}" for at, leaf in item.leaves)
    head = f"{kind} @{name(item.name)} {item.size} bytes align {item.align} {{{leaves}}}"
    yield head + _place(item.origin, places)
    for at, variable in item.variables.items():
        place = f" at {_span(variable.span)}" if places and variable.span is not None else ""
        yield f"  {at}: {variable}{_meaning(variable)}{place}"


def _meaning(variable: Variable) -> str:
    """The type and kind of a variable, as ` : unsigned int, unsigned local`."""
    signs = {None: "", True: "signed ", False: "unsigned "}
    return f" : {variable.c_type}, {signs[variable.signed]}{variable.scope.value}"


def _leaf(leaf: Leaf, whole: bool) -> str:
    if not isinstance(leaf, Bytes):
        return _typed(leaf)
    is_cut = len(leaf.data) > SHOWN_BYTES and not whole
    shown = leaf.data[:SHOWN_BYTES] if is_cut else leaf.data
    return f"{len(leaf.data)} bytes {shown.hex()}{'...' if is_cut else ''}"


def print_phi(phi: Phi) -> str:
    """`%x = phi i32 [a: 0, b: %y]`."""
    incoming = ", ".join(f"{name(label)}: {_value(value)}" for label, value in phi.incoming)
    return f"{_value(phi.result)} = phi {phi.result.type} [{incoming}]"


def print_statement(statement: Statement) -> str:
    """One statement without its place."""
    results = ", ".join(map(_value, statement_results(statement)))
    text = _effect(statement)
    return f"{results} = {text}" if results else text


def _effect(statement: Statement) -> str:  # noqa: C901 - a flat match
    """What a statement does, without the registers that it gives values."""
    match statement:
        case Binary(_, op, left, right):
            return f"{op.value} {_pair(left, right)}"
        case Compare(_, predicate, left, right):
            return f"icmp {predicate.value} {_pair(left, right)}"
        case Cast(result, op, value):
            return f"{op.value} {_typed(value)} to {result.type}"
        case Select(_, condition, then, otherwise):
            return f"select {_value(condition)} ? {_pair(then, otherwise)}"
        case Bits(result, op, arguments):
            return f"{op.value} {_arguments(result.type, arguments)}"
        case Overflow(_, op, left, right):
            return f"overflow {op.value} {_pair(left, right)}"
        case FloatOp(result, op, arguments):
            return f"{op} {_arguments(result.type, arguments)}"
        case Offset():
            return f"offset {_sum(statement)}"
        case Alloca(_, size, align):
            return f"alloca {_any(size)} align {align}"
        case Load(result, address, volatile):
            return f"load{_volatile(volatile)} {result.type} from {_any(address)}"
        case Store(value, address, volatile):
            return f"store{_volatile(volatile)} {_typed(value)} to {_any(address)}"
        case MemoryCopy(target, source, length):
            return f"copy {_anys((target, source, length))}"
        case MemorySet(target, byte, length):
            return f"set {_anys((target, byte, length))}"
        case Havoc(address, size, site):
            return f"havoc {_anys((address, size))} site {site.number}"
        case RegionLoad(_, region, address):
            return f"{_value(region)}[{_any(address)}]"
        case RegionStore(_, region, address, value):
            return f"{_value(region)}[{_any(address)} := {_typed(value)}]"
        case RegionFill(_, value):
            return f"region of {_typed(value)}"
        case RegionHavoc(_, region, address, size, site, whole):
            rest = " whole" if whole else ""
            return f"havoc{rest} {_anys((region, address, size))} site {site.number}"
        case Valid(_, kind, address, size):
            return f"valid {kind.value} {_anys((address, size))}"
        case Lifetime(address, live):
            return f"{'begin' if live else 'end'} {_any(address)}"
        case Input(result, site):
            return f"input {result.type} site {site.number}"
        case Call():
            return _call(statement)
        case Bind(variable, bound):
            known = "?" if bound is None else _any(bound)
            return f"bind {variable} = {known}{_meaning(variable)}"
        case _:
            assert_never(statement)


def print_terminator(terminator: Terminator) -> str:
    """A terminator without its place."""
    match terminator:
        case Jump(target):
            return f"jump {name(target)}"
        case Branch(condition, then, otherwise):
            return f"branch {_value(condition)} ? {name(then)} : {name(otherwise)}"
        case Return(values):
            return f"return {_values(values)}".rstrip()
        case Stop(kind):
            return f"stop {kind.value}"
        case Fail(check):
            return f"fail check {check.number}"
        case _:
            assert_never(terminator)


def _call(statement: Call) -> str:
    arguments = ", ".join(map(_typed, statement.arguments))
    kinds = ", ".join(str(r.type) for r in statement.results) or "void"
    callee = statement.callee
    called = name(callee) if isinstance(callee, str) else _value(callee)
    return f"call {kinds} {called}({arguments})"


def _sum(statement: Offset) -> str:
    parts = [_any(statement.base)]
    if statement.constant or not statement.terms:
        parts.append(str(statement.constant))
    parts.extend(f"{_any(index)} * {scale}" for index, scale in statement.terms)
    return " + ".join(parts)


def _volatile(volatile: bool) -> str:
    return " volatile" if volatile else ""


def _value(operand: Operand) -> str:
    match operand:
        case IntConst(value, kind) if kind.width > 1:
            return str(_signed(value, kind))
        case Register(text):
            return f"%{name(text)}"
        case Address(str() as symbol, offset):
            return f"@{name(symbol)}" + (f"+{offset}" if offset else "")
        case _:
            return str(operand)


def _signed(value: int, kind: IntType) -> int:
    return value - (1 << kind.width) if value >> (kind.width - 1) else value


def _typed(operand: Operand) -> str:
    kind: Type = operand.type
    return f"{kind} {_value(operand)}"


def _any(operand: Operand) -> str:
    """An operand whose type nothing around it tells."""
    is_constant = isinstance(operand, IntConst | FloatConst)
    return _typed(operand) if is_constant else _value(operand)


def _pair(left: Operand, right: Operand) -> str:
    return f"{_typed(left)}, {_value(right)}"


def _arguments(kind: Type, operands: Iterable[Operand]) -> str:
    """Operands after a type, which mostly is theirs."""
    shown = (_value(o) if o.type == kind else _any(o) for o in operands)
    return f"{kind} {', '.join(shown)}"


def _anys(operands: Iterable[Operand]) -> str:
    return ", ".join(map(_any, operands))


def _values(operands: Iterable[Operand]) -> str:
    return ", ".join(map(_value, operands))
