"""Assembly that is understood: an empty template, and `bswap`.

With an empty template it is a barrier for the compiler, which computes nothing.

`__asm__("" : "+r"(x))` is the identity: an output has the value of the input that is tied to it,
and what lies in memory stays (GCC manual, "Extended Asm").  In LLVM text the constraint of the tied
input is the number of the output, and an output in memory is given by its address (LLVM Language
Reference, "Inline Asm Constraint String").

`__asm__("bswap %q0" : "=r"(v) : "0"(x))` reverses the bytes of a register of 32 or 64 bits (Intel
64 manual, volume 2, "BSWAP").  It is written in shifts, which need no declaration.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from seahorn_py.base.patterns import pattern
from seahorn_py.base.records import dataclass
from seahorn_py.frontend.llvmtext.inputs import Inputs
from seahorn_py.frontend.llvmtext.lines import DEBUG, argument
from seahorn_py.frontend.llvmtext.tokens import NAME, closing, split_top

_EMPTY = pattern(rf'  (?:(%{NAME}) = )?call (.*?) asm (?:\w+ )*"", "([^"]*)"\(')
_SWAP = pattern(
    rf'  (%{NAME}) = call i(32|64) asm (?:sideeffect )?"bswap([lq]?) \$(?:0|\{{0:([kq])\}})", '
    r'"=r,0(?:,~[^"]*)?"\('
)
_BITS_OF = {"l": 32, "q": 64, "k": 32}
"""Of the suffixes of an instruction and the modifiers of an operand."""


@dataclass(frozen=True, slots=True)
class _Output:
    """The address of an output in memory or "", and type and value of the input tied to it."""

    address: str
    in_memory: bool
    tied: tuple[str, str] | None


def understood(line: str, inputs: Inputs) -> list[str] | None:
    """Lines that do what the assembly does; None where that is not known."""
    swapped = _SWAP.match(line)
    return _barrier(line, inputs) if swapped is None else _swapped(swapped, line, inputs)


def _swapped(found: re.Match[str], line: str, inputs: Inputs) -> list[str] | None:
    """Neighbouring parts change places: first bytes, then pairs of bytes, then halves."""
    result, width = found[1], int(found[2])
    if any(_BITS_OF[size] != width for size in (found[3], found[4]) if size):
        return None
    place = DEBUG.search(line)
    debug = place[0] if place else ""
    _, value = argument(line[found.end() : closing(line, found.end() - 1)])
    lines, size = [], 8
    while size < width:
        mask = sum((2**size - 1) << at for at in range(0, width, 2 * size))
        last = result if 2 * size == width else inputs.name()
        low, up, down, high = (inputs.name() for _ in range(4))
        lines += [
            f"  {low} = and i{width} {value}, {mask}{debug}",
            f"  {up} = shl i{width} {low}, {size}{debug}",
            f"  {down} = lshr i{width} {value}, {size}{debug}",
            f"  {high} = and i{width} {down}, {mask}{debug}",
            f"  {last} = or i{width} {up}, {high}{debug}",
        ]
        value, size = last, 2 * size
    return lines


def _barrier(line: str, inputs: Inputs) -> list[str] | None:
    found = _EMPTY.match(line)
    if found is None:
        return None
    result, kind, constraints = found.groups()
    place = DEBUG.search(line)
    debug = place[0] if place else ""
    given = split_top(line[found.end() : closing(line, found.end() - 1)])
    outputs = list(_outputs(constraints.split(","), [argument(text) for text in given]))
    lines: list[str] = []
    values: list[tuple[str, str]] = []
    for output in outputs:
        if output.tied is None and not output.in_memory:
            return None
        if output.tied is not None and output.address:
            lines.append(
                "  store {} {}, ptr {}, align 1".format(*output.tied, output.address) + debug
            )
        elif output.tied is not None:
            values.append(output.tied)
    return lines if result is None else [*lines, *_results(result, kind, values, inputs, debug)]


def _outputs(constraints: list[str], given: list[tuple[str, str]]) -> Iterator[_Output]:
    addressed = iter(given)
    outputs = [c for c in constraints if c.startswith("=")]
    addresses = [next(addressed)[1] if c.startswith("=*") else "" for c in outputs]
    entering = [c for c in constraints if not c.startswith(("=", "~"))]
    tied = {c: value for c, value in zip(entering, addressed, strict=False) if c.isdigit()}
    for number, (constraint, address) in enumerate(zip(outputs, addresses, strict=True)):
        yield _Output(address, constraint == "=*m", tied.get(str(number)))


def _results(
    result: str, kind: str, values: list[tuple[str, str]], inputs: Inputs, debug: str
) -> Iterator[str]:
    """Lines that define the result: the one value, or a struct of all of them."""
    if not kind.startswith("{"):
        yield f"  {result} = bitcast {kind} {values[0][1]} to {kind}{debug}"
        return
    partial = "poison"
    for at, (part, value) in enumerate(values):
        whole = result if at + 1 == len(values) else inputs.name()
        yield f"  {whole} = insertvalue {kind} {partial}, {part} {value}, {at}{debug}"
        partial = whole
