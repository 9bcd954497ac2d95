"""A module without vectors: arrays take their place before anything else looks at the text.

What cannot be written so is left as it is, and refused with its line where a program reaches it:
truth values and lengths that are no power of two in memory, instructions of processors that LLVM
has no general form of.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from seahorn_py.base.errors import UnsupportedError
from seahorn_py.base.patterns import pattern
from seahorn_py.frontend.llvmtext.debugtext import DebugText
from seahorn_py.frontend.llvmtext.inputs import Inputs
from seahorn_py.frontend.llvmtext.layout import data_layout
from seahorn_py.frontend.llvmtext.lines import DEBUG, LABEL, read_call
from seahorn_py.frontend.llvmtext.module import FunctionText, ModuleText
from seahorn_py.frontend.lowering.vectors.arrays import (
    VECTOR,
    as_array,
    check_stored,
    in_memory,
    phi_as_array,
)
from seahorn_py.frontend.lowering.vectors.elementwise import Elements
from seahorn_py.options import FrontendOptions, Property

_PLACE = pattern(r"(?:, ![a-zA-Z_][\w.]* !\d+)+$")
_STORED = pattern(r" = (?:load|alloca) |  store ")
_ARITHMETIC = (
    Property.NO_OVERFLOW,
    Property.UNSIGNED_OVERFLOW,
    Property.SHIFT,
    Property.CONVERSION,
)


def with_array_types(module: ModuleText) -> ModuleText:
    """The module with arrays in named types and globals."""
    if not any(map(VECTOR.search, (*module.types.values(), *module.globals.values()))):
        return module
    bits = data_layout(module.layout).pointer_bits
    types = {name: _in_memory(text, bits) for name, text in module.types.items()}
    objects = {name: _in_memory(text, bits) for name, text in module.globals.items()}
    return replace(module, types=types, globals=objects)


def _in_memory(text: str, bits: int) -> str:
    try:
        return in_memory(text, bits)
    except UnsupportedError:
        return text


def without_vectors(module: ModuleText, inputs: Inputs, options: FrontendOptions) -> ModuleText:
    """The module with arrays and operations on their elements in functions too."""
    functions = {name: f for name, f in module.functions.items() if _has_vectors(f)}
    if not functions:
        return module
    writing = _Writing(module, inputs, options)
    written = {name: writing.function(f) for name, f in functions.items()}
    declared = {name: _header(f) for name, f in module.declarations.items()}
    return replace(
        module,
        functions={**module.functions, **written},
        declarations={**writing.declared, **declared},
        refused={**module.refused, **writing.refused},
    )


def _has_vectors(function: FunctionText) -> bool:
    texts = (function.prefix, *function.parameters, *function.lines)
    return any("<" in text and VECTOR.search(text) for text in texts)


def _header(function: FunctionText) -> FunctionText:
    parameters = tuple(map(as_array, function.parameters))
    return replace(function, prefix=as_array(function.prefix), parameters=parameters)


class _Writing:
    """Writes the functions of one module."""

    def __init__(self, module: ModuleText, inputs: Inputs, options: FrontendOptions) -> None:
        self._inputs = inputs
        self._options = options
        self._debug = DebugText(module.metadata)
        self._bits = data_layout(module.layout).pointer_bits
        self.declared: dict[str, FunctionText] = {}
        self.refused: dict[str, str] = {}

    def function(self, function: FunctionText) -> FunctionText:
        """A function without vectors, or what is refused as it is."""
        elements = Elements(self._inputs, self._outside, self._declare)
        lines: list[str] = []
        for at, line in enumerate(function.lines):
            try:
                lines += self._line(line, elements) if "<" in line else [line]
            except UnsupportedError as refusal:
                rest = "".join(function.lines[at:])
                found = self._debug.refusal(str(refusal), _debug_of(rest))
                self.refused[function.name] = str(found)
                return function
        if elements.wraps and any(map(self._options.wants, _ARITHMETIC)):
            self._inputs.gap("overflow and shifts of the elements of vectors are not checked")
        first = 1 if lines and LABEL.match(lines[0]) else 0
        whole = (*lines[:first], *elements.slots, *lines[first:])
        return replace(_header(function), lines=whole)

    def _line(self, line: str, elements: Elements) -> Sequence[str]:
        if VECTOR.search(line) is None:
            return [line]
        if line.startswith("    #"):
            return [as_array(line)]
        attached = _PLACE.search(line)
        place = _debug_of(attached[0]) if attached else ""
        written = self._written(line[: attached.start()] if attached else line, place, elements)
        if written is not None:
            return written
        return [phi_as_array(line) if " = phi " in line else as_array(line)]

    def _written(self, line: str, debug: str, elements: Elements) -> list[str] | None:
        for found in VECTOR.finditer(line) if _STORED.search(line) else ():
            check_stored(int(found["count"]), found["kind"], self._bits)
        call = read_call(line) if " call " in line else None
        if call is not None and call.callee.startswith("llvm."):
            return elements.called(call, debug)
        return elements.lines(line, debug)

    def _outside(self, inside: str, debug: str) -> Iterable[str]:
        for asked in (Property.VALID_DEREF, Property.BOUNDS):
            if self._options.wants(asked):
                text = "the index is outside of the vector"
                return self._inputs.check(inside, text, debug, asked)
        return [f"  call void @sea.defined(i1 {inside}){debug}"]

    def _declare(self, name: str, result: str, kinds: Sequence[str]) -> None:
        self.declared[name] = FunctionText(name, result, tuple(kinds), "", "")


def _debug_of(text: str) -> str:
    found = DEBUG.search(text)
    return found[0] if found else ""
