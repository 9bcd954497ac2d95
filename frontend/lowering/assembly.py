"""Assembly with an empty template: a barrier for the compiler, which computes nothing.

`__asm__("" : "+r"(x))` is the identity: an output has the value of the input that is tied to it,
and what lies in memory stays (GCC manual, "Extended Asm").  In LLVM text the constraint of the tied
input is the number of the output, and an output in memory is given by its address (LLVM Language
Reference, "Inline Asm Constraint String").
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from seahorn_py.base.records import dataclass
from seahorn_py.frontend.llvmtext.inputs import Inputs
from seahorn_py.frontend.llvmtext.lines import DEBUG, argument
from seahorn_py.frontend.llvmtext.tokens import NAME, closing, split_top

_EMPTY = re.compile(rf'  (?:(%{NAME}) = )?call (.*?) asm (?:\w+ )*"", "([^"]*)"\(')


@dataclass(frozen=True, slots=True)
class _Output:
    """The address of an output in memory or "", and type and value of the input tied to it."""

    address: str
    in_memory: bool
    tied: tuple[str, str] | None


def barrier(line: str, inputs: Inputs) -> list[str] | None:
    """Lines that do what the assembly does; None where that is not known."""
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
