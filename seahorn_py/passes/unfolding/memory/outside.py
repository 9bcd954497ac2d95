"""Addresses that come from outside of the program, or from objects without initial value."""

from __future__ import annotations

from seahorn_py.ir.program import (
    NULL,
    Cast,
    CastOp,
    IntConst,
    Offset,
    Operand,
    Register,
    Select,
    SiteKind,
)
from seahorn_py.ir.traverse import operands
from seahorn_py.passes.unfolding.code.code import Code
from seahorn_py.passes.unfolding.code.computed import MOST_PARTS
from seahorn_py.passes.unfolding.code.values import Value


def is_from_outside(code: Code, value: Value) -> bool:
    """Whether a value was made of addresses read as inputs, and perhaps null, and nothing else.

    It may be moved by indices, or be one of several such addresses.  Where the addresses of objects
    were computed with as numbers, an index may lead from it to one of them.
    """
    pending, seen = [value], {value}
    is_read = False
    while pending:
        part = pending.pop()
        if not isinstance(part, Register):
            if part != NULL:
                return False
            continue
        site = code.inputs.get(part)
        if site is not None and site.kind not in (SiteKind.EXTERN, SiteKind.NONDET):
            return False
        found = () if site is not None else _options(code, part)
        if (site is None and not found) or len(seen) > MOST_PARTS:
            return False
        is_read = is_read or site is not None
        new = [operand for operand in found if operand not in seen]
        pending.extend(new)
        seen.update(new)
    return is_read


def _options(code: Code, register: Register) -> tuple[Operand, ...]:
    """The addresses that a register is made of: it is one of them, or a place beside one."""
    match code.definitions.get(register):
        case Offset(base=base, terms=terms):
            is_numbered = any(isinstance(one, int) for one in code.numbered)
            return () if terms and is_numbered else (base,)
        case Select(then=then, otherwise=otherwise):
            return (then, otherwise)
        case Cast(op=CastOp.BITCAST | CastOp.INTTOPTR | CastOp.PTRTOINT, value=value):
            return (value,)
        case _:
            return code.phis[register][1] if register in code.phis else ()


def is_indeterminate(code: Code, value: Value) -> bool:
    """Whether a value was made of nothing but objects without initial value."""
    pending, seen = [value], {value}
    is_read = False
    while pending:
        part = pending.pop()
        site = code.inputs.get(part) if isinstance(part, Register) else None
        if site is not None and site.kind not in (SiteKind.UNINIT, SiteKind.HAVOC):
            return False
        is_read = is_read or site is not None
        if isinstance(part, Register) and site is None:
            found = _made_of(code, part)
            if not found or len(seen) > MOST_PARTS:
                return False
            new = [operand for operand in found if operand not in seen]
            pending.extend(new)
            seen.update(new)
        elif not isinstance(part, Register | IntConst) and part != NULL:
            return False
    return is_read


def _made_of(code: Code, register: Register) -> tuple[Operand, ...]:
    if register in code.phis:
        return code.phis[register][1]
    made = code.definitions.get(register)
    return () if made is None else operands(made)
