"""Calls of the C library that are written in another way before the models are linked.

Allocation is known to every stage by name, but its results have limits: a product that overflows
gives null, a small block of known size has arbitrary contents, and under `--malloc-may-fail` any
call may give null.  Input by a constant format becomes one store for each conversion.
"""

from __future__ import annotations

import re
from collections.abc import Container
from itertools import count

from seahorn_py.base.records import dataclass
from seahorn_py.frontend.llvmtext.debugtext import DebugText
from seahorn_py.frontend.llvmtext.inputs import Inputs
from seahorn_py.frontend.llvmtext.lines import CallText, argument, read_call
from seahorn_py.frontend.llvmtext.module import ModuleText, split_module
from seahorn_py.frontend.llvmtext.strings import Strings
from seahorn_py.ir.program import SiteKind
from seahorn_py.options import FrontendOptions

ANY = "sea.any."
"""`sea.any.f.x` is an arbitrary value that the function `f` gives; with arguments, bytes."""

_SMALL = 1 << 16
FRESH_LIMIT = 128
"""The contents of larger blocks are what the stages take them to be: 0 in runs."""

_ALLOCATION = ("malloc", "calloc", "realloc", "aligned_alloc")
_SCANNING = {"scanf": 0, "__isoc99_scanf": 0, "fscanf": 1, "__isoc99_fscanf": 1}
REWRITTEN = frozenset((*_ALLOCATION, *_SCANNING))
_REWRITTEN = re.compile(rf"@({'|'.join(REWRITTEN)})(?![\w.$-])")
_FAILING = re.compile(rf"@({'|'.join(_ALLOCATION)})(?![\w.$-])")
_CONVERSION = re.compile(
    r"%(?P<star>\*?)(?P<width>\d*)(?P<length>hh|h|ll|l|j|z|t|q|L|)(?P<letter>.)", re.DOTALL
)
_INTEGERS = {"hh": "i8", "h": "i16", "": "i32", "ll": "i64", "j": "i64", "q": "i64"}
_FLOATS = {"": "float", "l": "double"}


def rewritten(text: str, options: FrontendOptions, own: Container[str] = ()) -> str:
    """The text of a module with such calls rewritten, but not those of functions in `own`."""
    return _Rewriting(text, options, own).text() if _REWRITTEN.search(text) else text


def arbitrary(inputs: Inputs, debug: DebugText, module: ModuleText, call: CallText) -> list[str]:
    """The lines for a call of `sea.any.f.x`; what `malloc` gives is uninitialised."""
    function = call.callee.removeprefix(ANY).partition(".")[0]
    if call.arguments:
        kind = SiteKind.UNINIT if function == "malloc" else SiteKind.EXTERN
        (_, address), (_, size) = map(argument, call.arguments)
        return inputs.havoc(address, size, (kind, function, "", None), call.debug)
    subprogram = module.declarations[call.callee].debug.removeprefix(" !dbg !")
    cause = (SiteKind.EXTERN, function, *debug.returned_type(subprogram))
    return inputs.value(call.result or inputs.name(), call.type, cause, call.debug)


class _Rewriting:
    def __init__(self, text: str, options: FrontendOptions, own: Container[str]) -> None:
        self._lines = text.split("\n")
        self._strings = Strings(split_module(text))
        self._own = own
        self._may_fail = options.malloc_may_fail
        self._word = f"i{options.bits}"
        self._numbers = count(1)
        self._declared: dict[str, str] = {}

    def text(self) -> str:
        """The new text."""
        out: list[str] = []
        for line in self._lines:
            found = _REWRITTEN.search(line)
            new = self._line(line) if found and found[1] not in self._own else None
            out.extend(new or (line,))
        if self._may_fail:
            out = [_FAILING.sub(self._failing, line) for line in out]
        return "\n".join([*out, *self._declared.values(), ""])

    def _failing(self, name: re.Match[str]) -> str:
        return name[0] if name[1] in self._own else f"@sea.failing.{name[1]}"

    def _line(self, line: str) -> list[str] | None:
        """What a line with a call becomes; None if it stays."""
        call = read_call(line) if " call " in line else None
        if call is None:
            return None
        match call.callee:
            case "malloc":
                return self._fresh(call, line)
            case "calloc":
                return self._product(call, line)
            case name if name in _SCANNING:
                return self._scan(call, _SCANNING[name])
            case _:
                return None

    def _fresh(self, call: CallText, line: str) -> list[str] | None:
        """The bytes of a small block are arbitrary."""
        size = argument(call.arguments[0])[1] if len(call.arguments) == 1 else ""
        if not size.isdigit() or not 0 < int(size) <= FRESH_LIMIT or call.type != "ptr":
            return None
        name = "sea.fresh" if self._may_fail else f"{ANY}malloc.contents"
        given = f"ptr {call.result}, {self._word} {size}"
        return [line, self._call("", "void", name, given, call)] if call.result else None

    def _product(self, call: CallText, line: str) -> list[str] | None:
        """Null if the product of count and size is no size."""
        sizes = [argument(a)[1] for a in call.arguments]
        small = all(size.isdigit() and int(size) < _SMALL for size in sizes)
        if small or len(sizes) != 2 or self._may_fail:
            return None
        self._declare("ptr", "sea.checked.calloc", f"{self._word}, {self._word}")
        return [line.replace("@calloc(", "@sea.checked.calloc(", 1)]

    def _scan(self, call: CallText, position: int) -> list[str] | None:
        """As many stores as the format has conversions, as far as the input goes."""
        texts = call.arguments[position : position + 1]
        targets = call.arguments[position + 1 :]
        conversions = _conversions(self._strings.text(texts[0]), self._word) if texts else None
        if conversions is None or len(conversions) != len(targets):
            return None
        got = call.result or f"%sea.scan.{next(self._numbers)}"
        lines = [self._call(got, "i32", "sea.scan.count", f"i32 {len(targets)}", call)]
        for k, (conversion, target) in enumerate(zip(conversions, targets, strict=True), 1):
            given = f"i32 {got}, i32 {k}, ptr {argument(target)[1]}{conversion.width}"
            lines.append(self._call("", "void", f"sea.scan.{conversion.name}", given, call))
        return lines

    def _call(self, result: str, kind: str, name: str, given: str, call: CallText) -> str:
        self._declare(kind, name, ", ".join(argument(a)[0] for a in given.split(", ")))
        target = f"{result} = " if result else ""
        return f"  {target}call {kind} @{name}({given}){call.debug}"

    def _declare(self, kind: str, name: str, types: str) -> None:
        self._declared[name] = f"declare {kind} @{name}({types})"


@dataclass(frozen=True)
class _Conversion:
    """Which model stores the value, and the text of its further argument."""

    name: str
    width: str = ""


def _conversions(text: str, word: str) -> list[_Conversion] | None:
    """The conversions of a format that store something; None if one of them has no model."""
    found: list[_Conversion] = []
    for match in _CONVERSION.finditer(text):
        conversion = _conversion(match["letter"], match["length"], match["width"], word)
        if match["letter"] == "%":
            continue
        if conversion is None:
            return None
        if not match["star"]:
            found.append(conversion)
    return found if text else None


def _conversion(letter: str, length: str, width: str, word: str) -> _Conversion | None:
    match letter:
        case "d" | "i" | "u" | "x" | "X" | "o":
            bits = word if length in ("l", "z", "t") else _INTEGERS.get(length)
            return _Conversion(bits) if bits else None
        case "f" | "F" | "e" | "E" | "g" | "G" | "a" | "A":
            kind = _FLOATS.get(length)
            return _Conversion(kind) if kind else None
        case "c" if not length:
            return _Conversion("characters", f", {word} {width}") if width else _Conversion("i8")
        case "s" if not length:
            return _Conversion("word", f", {word} {width or -1}")
        case _:
            return None
