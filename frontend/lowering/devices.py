"""Volatile objects, and registers of devices at fixed addresses, in LLVM text.

What a volatile object holds may change in ways that the program does not show (C17, 6.7.3p7).  By
default that only keeps a proof from resting on it.  With `Volatile.ANY` each read gives a value
from outside, which a run is given like any other input; with `Volatile.STORED` the object is an
ordinary one.  A local that is read by its name is always an ordinary one.

An area of `--mmio` is an object of unknown contents.  Addresses in it that the program writes as
numbers lead into that object; a number that is computed is compared with the bounds of the area.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from seahorn_py.base.patterns import pattern
from seahorn_py.base.records import dataclass
from seahorn_py.frontend.llvmtext.debugtext import DebugText
from seahorn_py.frontend.llvmtext.inputs import Cause, Inputs
from seahorn_py.frontend.llvmtext.lines import DEBUG, leading_type
from seahorn_py.frontend.llvmtext.module import FunctionText, ModuleText
from seahorn_py.frontend.llvmtext.tokens import NAME
from seahorn_py.ir.operands import SiteKind
from seahorn_py.options import FrontendOptions, Volatile

_LOAD = pattern(rf"  (%{NAME}) = load volatile (.*)")
_LOCAL = pattern(rf"  (%{NAME}) = alloca ")
_ADDRESS = pattern(r", ptr (.*?)(?:, align \d+)?(?:, !|$)")
_GLOBAL = pattern(rf"@({NAME})$")
_DECLARED = pattern(r", !dbg !(\d+)")
_CONSTANT = pattern(r"inttoptr \(i(?:32|64) (-?\d+) to ptr\)")
_COMPUTED = pattern(rf"  (%{NAME}) = inttoptr (i\d+) (%{NAME}) to ptr")
_VOLATILE = pattern(r"\b(load|store|atomicrmw|cmpxchg) ((?:atomic )?)volatile ")


@dataclass(frozen=True, slots=True)
class _Area:
    """Addresses from `first` on, and the object that stands for them."""

    first: int
    size: int

    @property
    def name(self) -> str:
        return f"mmio.{self.first:#x}"

    def address(self, offset: int, word: str) -> str:
        base = f"@{self.name}"
        return f"getelementptr (i8, ptr {base}, {word} {offset})" if offset else base


def with_devices(module: ModuleText, inputs: Inputs, options: FrontendOptions) -> ModuleText:
    """The module in which volatile objects and areas of devices are what the options say."""
    areas = [_Area(first, size) for first, size in options.mmio]
    if areas:
        module = _placed(module, areas, inputs)
    if options.volatile is Volatile.STORED:
        inputs.assume("volatile objects hold what the program stored there last")
        return _rewritten(module, lambda f: [_VOLATILE.sub(r"\1 \2", line) for line in f.lines])
    if options.volatile is Volatile.ANY or areas:
        types = DebugText(module.metadata)
        return _rewritten(module, lambda f: list(_read_from_outside(f, module, inputs, types)))
    return module


def _rewritten(module: ModuleText, lines: Callable[[FunctionText], Sequence[str]]) -> ModuleText:
    functions = {n: replace(f, lines=tuple(lines(f))) for n, f in module.functions.items()}
    return replace(module, functions=functions)


def _read_from_outside(
    function: FunctionText, module: ModuleText, inputs: Inputs, debug: DebugText
) -> Iterator[str]:
    """The lines of a function; what a volatile load gives is an input, and the access stays."""
    own = {found[1] for line in function.lines if (found := _LOCAL.match(line))}
    for line in function.lines:
        load = _LOAD.match(line) if " volatile " in line else None
        address = _ADDRESS.search(load[2]) if load is not None else None
        if load is None or address is None or address[1] in own:
            yield line
            continue
        kind, _ = leading_type(load[2])
        yield line.replace(load[1], inputs.name(), 1)
        place = DEBUG.search(line)
        cause = _cause(address[1], module, debug)
        yield from inputs.value(load[1], kind, cause, place[0] if place else "")


def _cause(address: str, module: ModuleText, debug: DebugText) -> Cause:
    """What messages call the object at an address, and its type; most registers are unsigned."""
    named = _GLOBAL.match(address)
    name = named[1] if named else "object"
    declared = _DECLARED.search(module.globals.get(name, ""))
    c_type, signed = debug.global_type(declared[1]) if declared else ("", False)
    return SiteKind.EXTERN, f"volatile {name}", c_type, signed


def _placed(module: ModuleText, areas: Sequence[_Area], inputs: Inputs) -> ModuleText:
    """The module with an object for each area, and addresses in these objects."""
    inputs.assume(
        "areas of --mmio are apart from all objects; volatile reads alone see them change"
    )

    def constant(found: re.Match[str]) -> str:
        """An address that is written as a number."""
        address = int(found[1]) % (1 << int(inputs.word[1:]))
        held = (a for a in areas if a.first <= address < a.first + a.size)
        return next((a.address(address - a.first, inputs.word) for a in held), found[0])

    def lines(function: FunctionText) -> Iterator[str]:
        for line in function.lines:
            text = _CONSTANT.sub(constant, line) if "inttoptr" in line else line
            computed = _COMPUTED.match(text)
            yield from [text] if computed is None else _compared(computed, text, areas, inputs)

    placed = _rewritten(module, lambda f: list(lines(f)))
    texts = {name: _CONSTANT.sub(constant, text) for name, text in module.globals.items()}
    objects = {a.name: f"external global [{a.size} x i8], align 16" for a in areas}
    return replace(placed, globals={**texts, **objects})


def _compared(
    found: re.Match[str], line: str, areas: Sequence[_Area], inputs: Inputs
) -> Iterator[str]:
    """An address that is computed: in the object of an area if it lies in the area."""
    result, kind, number = found.groups()
    place = DEBUG.search(line)
    debug = place[0] if place else ""
    address = inputs.name()
    yield line.replace(result, address, 1)
    for area in areas:
        offset, inside, moved = (inputs.name() for _ in range(3))
        last = result if area is areas[-1] else inputs.name()
        yield f"  {offset} = sub {kind} {number}, {area.first}{debug}"
        yield f"  {inside} = icmp ult {kind} {offset}, {area.size}{debug}"
        yield f"  {moved} = getelementptr i8, ptr @{area.name}, {kind} {offset}{debug}"
        yield f"  {last} = select i1 {inside}, ptr {moved}, ptr {address}{debug}"
        address = last
