"""Small programs, written by hand in the text that the tests show."""

from __future__ import annotations

import random
from collections.abc import Iterable

from seahorn_py.base.errors import NOWHERE
from seahorn_py.ir.interpreter import Interpreter
from seahorn_py.ir.program import (
    NULL,
    Address,
    Alloca,
    Binary,
    BinaryOp,
    Bind,
    Block,
    Branch,
    Call,
    Cast,
    CastOp,
    CheckSite,
    Compare,
    Fail,
    Function,
    Global,
    Havoc,
    Input,
    IntConst,
    Jump,
    Load,
    MemoryCopy,
    MemorySet,
    Offset,
    Operand,
    Phi,
    Predicate,
    Program,
    Register,
    Return,
    Scope,
    Select,
    Site,
    SiteKind,
    Statement,
    Stop,
    StopKind,
    Store,
    Terminator,
    Variable,
)
from seahorn_py.ir.run import Ending, Outcome, RunLimits
from seahorn_py.ir.types import BOOL, POINTER, IntType, Type

I8, I16, I32, I64 = IntType(8), IntType(16), IntType(32), IntType(64)


def reg(name: str, type_: Type = I32) -> Register:
    return Register(name, type_)


def ptr(name: str) -> Register:
    return Register(name, POINTER)


def bit(name: str) -> Register:
    return Register(name, BOOL)


def const(value: int, type_: IntType = I32) -> IntConst:
    return IntConst(value % (1 << type_.width), type_)


def site(number: int, kind: SiteKind = SiteKind.NONDET, type_: Type = I32) -> Site:
    return Site(number, kind, type_, "nondet", "int", NOWHERE)


def check(number: int = 0) -> CheckSite:
    return CheckSite(number, "unreach-call", "reach_error()", NOWHERE)


def variable(name: str, scope: Scope = Scope.GLOBAL) -> Variable:
    return Variable(name, "int", True, scope, None)


def read(name: str, number: int, type_: Type = I32) -> Input:
    return Input(reg(name, type_), site(number, type_=type_))


def binary(name: str, op: BinaryOp, left: Operand, right: Operand) -> Binary:
    return Binary(Register(name, left.type), op, left, right)


def add(name: str, left: Operand, right: Operand) -> Binary:
    return binary(name, BinaryOp.ADD, left, right)


def compare(name: str, predicate: Predicate, left: Operand, right: Operand) -> Compare:
    return Compare(bit(name), predicate, left, right)


def block(label: str, *parts: Phi | Statement | Terminator) -> Block:
    """A block from its phis, statements and, last, its terminator."""
    *body, terminator = parts
    phis = tuple(p for p in body if isinstance(p, Phi))
    statements = tuple(p for p in body if not isinstance(p, Phi))
    return Block(label, phis, statements, terminator)  # type: ignore[arg-type]


def phi(name: str, *incoming: tuple[str, Operand]) -> Phi:
    return Phi(Register(name, incoming[0][1].type), incoming)


def function(
    name: str,
    *blocks: Block,
    parameters: Iterable[Register] = (),
    results: Iterable[Type] = (),
) -> Function:
    return Function(name, tuple(parameters), tuple(results), blocks)


def program(
    *functions: Function, globals_: Iterable[Global] = (), entry: str = "main", width: int = 64
) -> Program:
    """A program whose sites and checks are those that its functions mention."""
    sites: dict[int, Site] = {}
    checks: dict[int, CheckSite] = {}
    for f in functions:
        for b in f.blocks:
            for s in b.statements:
                if isinstance(s, Input | Havoc):
                    sites[s.site.number] = s.site
            if isinstance(b.terminator, Fail):
                checks[b.terminator.check.number] = b.terminator.check
    return Program(
        {f.name: f for f in functions},
        {g.name: g for g in globals_},
        entry,
        width,
        tuple(sites.values()),
        tuple(checks.values()),
    )


LIMITS = RunLimits(seconds=1.0, steps=50_000, reads=2_000)


def endings(before: Program, after: Program, seed: int, runs: int) -> list[tuple[str, str]]:
    """How runs of both programs on the same inputs end: "failed N" or "not failed".

    Runs of the first that are cut short, or that it cannot do, are left out.
    """
    draw = random.Random(seed)
    first, second = Interpreter(before), Interpreter(after)
    found = []
    for _ in range(runs):
        outcome = first.run({}, LIMITS, draw=lambda site: _drawn(draw, site))
        if outcome.ending in (Ending.LIMIT, Ending.REFUSED) or len(outcome.reads) >= LIMITS.reads:
            continue
        found.append((_ending(outcome), _ending(second.run(outcome.feed, LIMITS))))
    return found


def _drawn(draw: random.Random, drawn: Site) -> int:
    """Mostly small numbers, of both signs."""
    width = drawn.type.width if isinstance(drawn.type, IntType) else 32
    number = draw.getrandbits(width) >> draw.choice((0, 0, width // 2, max(width - 3, 0)))
    return (-number if draw.random() < 0.3 else number) % (1 << width)


def _ending(outcome: Outcome) -> str:
    return f"failed {outcome.check}" if outcome.ending is Ending.FAILED else "not failed"


END = Stop(StopKind.END)
BLOCKED = Stop(StopKind.BLOCKED)
FAIL = Fail(check())

__all__ = [
    "BLOCKED",
    "END",
    "FAIL",
    "I8",
    "I16",
    "I32",
    "I64",
    "NULL",
    "Address",
    "Alloca",
    "Binary",
    "BinaryOp",
    "Bind",
    "Block",
    "Branch",
    "Call",
    "Cast",
    "CastOp",
    "Compare",
    "Fail",
    "Function",
    "Global",
    "Havoc",
    "Input",
    "IntConst",
    "Jump",
    "Load",
    "MemoryCopy",
    "MemorySet",
    "Offset",
    "Operand",
    "Phi",
    "Predicate",
    "Program",
    "Register",
    "Return",
    "Scope",
    "Select",
    "Site",
    "SiteKind",
    "Statement",
    "Stop",
    "StopKind",
    "Store",
    "Terminator",
    "Variable",
    "add",
    "binary",
    "bit",
    "block",
    "check",
    "compare",
    "const",
    "endings",
    "function",
    "phi",
    "program",
    "ptr",
    "read",
    "reg",
    "site",
    "variable",
]
