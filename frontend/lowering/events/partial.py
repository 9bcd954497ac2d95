"""Operations whose result is not determined for all operands: shifts, weak exchanges."""

from __future__ import annotations

from collections.abc import Mapping

from seahorn_py.base.patterns import pattern
from seahorn_py.frontend.llvmtext.inputs import Inputs
from seahorn_py.frontend.llvmtext.lines import DEBUG
from seahorn_py.frontend.llvmtext.tokens import NAME
from seahorn_py.ir.program import SiteKind

_SHIFT = pattern(
    rf"  (%{NAME}) = (shl|lshr|ashr) (?:(?:nuw|nsw|exact) )*i(\d+) ([^,]+), ([^,]+)(.*)"
)
_WEAK = pattern(r"(  \S+ = cmpxchg weak (?:volatile )?)ptr (\S+), (i\d+|ptr) ([^,]+), (.*)")


def defined_shift(line: str, bounds: Mapping[str, int], inputs: Inputs) -> list[str]:
    """A shift that is defined for every amount; `bounds` has those of registers that are known."""
    found = _SHIFT.match(line)
    if found is None:
        return [line]
    result, op, bits, value, amount, tail = found.groups()
    width = int(bits)
    if amount.isdigit() or bounds.get(amount, width + 1) <= width:
        if amount.isdigit() and int(amount) >= width:
            return _excessive(inputs, result, f"i{bits}", op, tail)
        return [line]
    return _guarded(inputs, result, op, width, value, amount, tail)


def _excessive(inputs: Inputs, result: str, kind: str, op: str, tail: str) -> list[str]:
    return inputs.value(result, kind, (SiteKind.EXTERN, op, "", None), tail)


def _guarded(
    inputs: Inputs, result: str, op: str, width: int, value: str, amount: str, tail: str
) -> list[str]:
    """`amount < width ? value op masked amount : arbitrary`."""
    kind = f"i{width}"
    small, masked, shifted, other = (inputs.name() for _ in range(4))
    mask = f"and {kind} {amount}, {width - 1}"
    if width & (width - 1):
        mask = f"select i1 {small}, {kind} {amount}, {kind} 0"
    return [
        f"  {small} = icmp ult {kind} {amount}, {width}{tail}",
        f"  {masked} = {mask}{tail}",
        f"  {shifted} = {op} {kind} {value}, {masked}{tail}",
        *_excessive(inputs, other, kind, op, tail),
        f"  {result} = select i1 {small}, {kind} {shifted}, {kind} {other}{tail}",
    ]


def weak_exchange(line: str, inputs: Inputs) -> list[str]:
    """A weak exchange may fail though the values are equal: as if another one was expected."""
    found = _WEAK.match(line)
    assert found is not None, line
    head, pointer, kind, expected, rest = found.groups()
    debug = _debug_of(line)
    old, other, fails, asked = (inputs.name() for _ in range(4))
    changed = f"getelementptr i8, ptr {old}, i32 1" if kind == "ptr" else f"xor {kind} {old}, 1"
    site = (SiteKind.EXTERN, "weak compare-exchange", "_Bool", False)
    return [
        f"  {old} = load {kind}, ptr {pointer}, align 1{debug}",
        f"  {other} = {changed}{debug}",
        *inputs.value(fails, "i1", site, debug),
        f"  {asked} = select i1 {fails}, {kind} {other}, {kind} {expected}{debug}",
        f"{head}ptr {pointer}, {kind} {asked}, {rest}",
    ]


def _debug_of(line: str) -> str:
    found = DEBUG.search(line)
    return found[0] if found else ""
