"""Calls of library functions that have no model: what they do through pointers is not checked.

Such a function is trusted as any that has no body, but not with pointers where the program is asked
whether its accesses are valid: a call is a gap of the proof unless its pointers are obviously fine.
Fine are streams, string literals and `argv[0]` that are only read, null where the function allows
it, a local or global object of the size that a function needs, and what formats do not look at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import Enum, auto

from seahorn_py.base.patterns import pattern
from seahorn_py.frontend.library.contracts import Source, contract_of, plain_name
from seahorn_py.frontend.llvmtext.debugtext import DebugText
from seahorn_py.frontend.llvmtext.inputs import Inputs
from seahorn_py.frontend.llvmtext.lines import CallText, argument, read_call
from seahorn_py.frontend.llvmtext.module import FunctionText, ModuleText
from seahorn_py.frontend.llvmtext.strings import Strings
from seahorn_py.frontend.lowering.checks.places import Places
from seahorn_py.frontend.lowering.events.events import is_output
from seahorn_py.frontend.lowering.library.programname import program_names
from seahorn_py.options import FrontendOptions, Property

_PRINTING = {
    "printf": 0,
    "fprintf": 1,
    "dprintf": 1,
    "syslog": 1,
    "vprintf": 0,
    "vfprintf": 1,
    "vdprintf": 1,
    "vsyslog": 1,
    "warn": 0,
    "warnx": 0,
    "err": 1,
    "errx": 1,
    "error": 2,
}
"""Functions that take a format, and the position of the format."""

_STREAM_FIRST = frozenset({"fprintf", "vfprintf"})
_SCANNING = pattern(r"v?[fs]?w?scanf$")
_CONVERSION = pattern(
    r"%[-+ #0'I]*(?P<width>\*|\d*)(?:\.(?P<precision>\*|\d*))?"
    r"(?P<length>hh|h|ll|l|L|j|z|t|q|)(?P<letter>.|$)",
    re.DOTALL,
)
_VALUES = frozenset("diouxXeEfFgGaAcp")
_NULLABLE = frozenset(
    {
        *(("wait", 0), ("waitpid", 1), ("realpath", 1), ("getcwd", 0), ("nanosleep", 1)),
        *(("mblen", 0), ("mbtowc", 0), ("mbtowc", 1), ("wctomb", 0), ("sigprocmask", 2)),
    }
)
"""Functions and the positions of pointers that may be null."""

_OBJECTS = {
    r"lgamma[fl]?(?:_r)?$": (4, 4),
}
"""Functions whose pointer leads to one object, and its size with 32 and 64 bits."""

_ALLOCATES_FOR_NULL = {"realpath": 1, "getcwd": 0}
_TERMINATED = pattern(r"(?:[\w()]+ )*?constant (?:.* c\".*\\00\"|.* zeroinitializer|.*i\d+ 0\])")
_BY_VALUE = pattern(r"\b(?:byval|sret)\(")
_ENTRY = pattern(r"!(\d+)|null")
_NODE = pattern(r"\b(?:type|types|baseType): !(\d+)")
_QUALIFIER = pattern(r"DW_TAG_(?:restrict_type|typedef|volatile_type)")
_EVERY_STAGE = frozenset({Source.HEAP, Source.END, Source.STOP})
"""Functions that every stage knows, or that none follows."""

_OPAQUE = pattern(r'name: "(?:FILE|_IO_FILE|DIR|__dirstream)"')


class _Use(Enum):
    """What the type of a parameter says of a pointer: it is a stream, or only reads characters."""

    STREAM = auto()
    TEXT = auto()
    OTHER = auto()


class Unmodelled:
    """Records the gaps of one module."""

    def __init__(
        self, module: ModuleText, inputs: Inputs, debug: DebugText, options: FrontendOptions
    ) -> None:
        self._module = module
        self._inputs = inputs
        self._debug = debug
        self._strings = Strings(module)
        self._valid = options.wants(Property.VALID_DEREF)
        self._accesses = self._valid or options.wants(Property.NULL_DEREF)
        wanted = (Property.VALID_MEMCLEANUP, Property.VALID_MEMTRACK)
        self._blocks = any(map(options.wants, wanted))
        self._uses: dict[str, tuple[_Use, ...]] = {}
        self._names: frozenset[str] = frozenset()

    def refer(self, name: str) -> None:
        """A function without body is called, or its address is taken."""
        if self._blocks and _may_allocate(name):
            self._may_leave_a_block(name)

    def read(self, function: FunctionText) -> None:
        """The calls in a function of the program."""
        if not (self._accesses or self._blocks):
            return
        places = Places(function, self._module, self._inputs, self._debug)
        self._names = program_names(function, self._module)
        for line in function.lines:
            call = read_call(line) if " call " in line else None
            if call and call.callee not in self._module.functions and _is_unmodelled(call.callee):
                self._call(call, places)
            places.read(line)

    def _may_leave_a_block(self, name: str) -> None:
        self._inputs.gap(f"{name}, a library function without a model, may leave a block")

    def _call(self, call: CallText, places: Places) -> None:
        name = plain_name(call.callee)
        if self._blocks and self._leaves_a_block(name, call, places):
            self._may_leave_a_block(call.callee)
        if self._accesses and not self._is_fine(name, call, places):
            self._inputs.gap(
                f"{call.callee}, a library function without a model, is given a pointer"
                " that is not checked"
            )

    def _leaves_a_block(self, name: str, call: CallText, places: Places) -> bool:
        if _SCANNING.match(name):
            texts = [self._strings.text(a) for a in call.arguments[:2]]
            return not any(texts) or any("m" in text for text in texts)
        position = _ALLOCATES_FOR_NULL.get(name, len(call.arguments))
        return any(places.place(argument(a)[1]) is None for a in call.arguments[position:][:1])

    # ---------------------------------------------------------------------------- arguments

    def _is_fine(self, name: str, call: CallText, places: Places) -> bool:
        """Whether all accesses through pointers that the call makes are valid."""
        pointers = [k for k, a in enumerate(call.arguments) if _is_pointer(a)]
        if not self._valid:
            return all(self._is_not_null(name, k, call, places) for k in pointers)
        if _SCANNING.match(name):
            return False
        position = _PRINTING.get(call.callee)
        if position is not None and position < len(call.arguments):
            is_stream = call.callee in _STREAM_FIRST or not any(k < position for k in pointers)
            return is_stream and self._prints(call, position)
        return all(self._is_valid(name, k, call, places) for k in pointers)

    def _is_not_null(self, name: str, position: int, call: CallText, places: Places) -> bool:
        value = argument(call.arguments[position])[1]
        if (name, position) in _NULLABLE or self._use(call.callee, position) is _Use.STREAM:
            return True
        printed = _PRINTING.get(call.callee)
        if printed is not None and position > printed:
            return self._prints(call, printed)
        return value[:1] == "@" or places.place(places.base(value)) is not None

    def _is_valid(self, name: str, position: int, call: CallText, places: Places) -> bool:
        value = argument(call.arguments[position])[1]
        if value == "null" and (name, position) in _NULLABLE:
            return True
        if self._is_object(name, value, places):
            return True
        match self._use(call.callee, position):
            case _Use.STREAM:
                return True
            case _Use.TEXT:
                return self._is_literal(value) and not name.startswith("wmem")
            case _Use.OTHER:
                return False

    def _is_object(self, name: str, value: str, places: Places) -> bool:
        place = places.place(value)
        sizes = next((sizes for names, sizes in _OBJECTS.items() if re.match(names, name)), None)
        if place is None or sizes is None:
            return False
        return place.holds(sizes[self._inputs.word == "i64"], True)

    def _prints(self, call: CallText, position: int) -> bool:
        """Whether the format is known and looks at nothing but values and literals."""
        given = [argument(a) for a in call.arguments[position + 1 :]]
        if not self._is_literal(argument(call.arguments[position])[1]):
            return False
        is_list = call.callee.startswith("v")
        for kind in _wanted(self._strings.text(call.arguments[position])):
            if kind == "value" and (is_list or given):
                given = given[not is_list :]
            elif kind == "string" and not is_list and given and self._is_literal(given[0][1]):
                given = given[1:]
            else:
                return False
        return True

    def _is_literal(self, value: str) -> bool:
        """Whether it is the address of a constant that ends in 0, or the name of the program."""
        if value in self._names:
            return True
        return value[:1] == "@" and bool(_TERMINATED.match(self._module.globals.get(value[1:], "")))

    # ----------------------------------------------------------------------- types of parameters

    def _use(self, name: str, position: int) -> _Use:
        if name not in self._uses:
            self._uses[name] = tuple(self._declared_uses(name))
        uses = self._uses[name]
        if position < len(uses):
            return uses[position]
        return _Use.TEXT if is_output(name) else _Use.OTHER

    def _declared_uses(self, name: str) -> Iterator[_Use]:
        """By parameter, where those of the declaration are those of its C type."""
        declared = self._module.declarations.get(name)
        if declared is None:
            return
        nodes = self._module.metadata
        found = _ENTRY.search(declared.debug)
        routine = self._followed(nodes.get(found[1] or "", "")) if found else ""
        types = [m[1] for m in _ENTRY.finditer(self._followed(routine))][1:]
        if types[-1:] == [None]:
            types = types[:-1]
        if len(types) == len(declared.parameter_types):
            yield from (self._pointer_use(nodes.get(number or "", "")) for number in types)

    def _pointer_use(self, node: str) -> _Use:
        while _QUALIFIER.search(node) or "DW_TAG_const_type" in node:
            node = self._followed(node)
        if "DW_TAG_pointer_type" not in node:
            return _Use.OTHER
        node = self._followed(node)
        while _QUALIFIER.search(node) and not _OPAQUE.search(node):
            node = self._followed(node)
        if _OPAQUE.search(node):
            return _Use.STREAM
        is_text = "DW_TAG_const_type" in node and self._is_character(self._followed(node))
        return _Use.TEXT if is_text else _Use.OTHER

    def _is_character(self, node: str) -> bool:
        while _QUALIFIER.search(node):
            node = self._followed(node)
        return "DIBasicType" in node

    def _followed(self, node: str) -> str:
        found = _NODE.search(node)
        return self._module.metadata.get(found[1], "") if found else ""


def _is_unmodelled(name: str) -> bool:
    """Whether a function that has no body here is one of the library that takes its pointers."""
    contract = contract_of(name)
    return contract is not None and contract.source not in _EVERY_STAGE


def _may_allocate(name: str) -> bool:
    contract = contract_of(name)
    return _is_unmodelled(name) and contract is not None and contract.leaves_block


def _is_pointer(text: str) -> bool:
    return argument(text)[0] == "ptr" and not _BY_VALUE.search(text)


def _wanted(text: str) -> Sequence[str]:
    """What the conversions of a format take in turn: `value`, `string`, or "" for another."""
    kinds: list[str] = []
    for found in _CONVERSION.finditer(text):
        kinds += ["value" for part in ("width", "precision") if found[part] == "*"]
        letter = found["letter"]
        if letter in _VALUES:
            kinds.append("value")
        elif letter == "s" and not found["length"]:
            kinds.append("string")
        elif letter not in ("%", "m"):
            kinds.append("")
    return kinds
