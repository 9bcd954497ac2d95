"""Calls of the C library that are written in another way before the models are linked.

Allocation is known to every stage by name, but its results have limits: a product that overflows
gives null, a small block of known size has arbitrary contents, and under `--malloc-may-fail` any
call may give null.  Input by a constant format becomes one store for each conversion, the result of
output by one the sum of the lengths of its parts, and output into memory a call for each part.  A
name of the environment that is written out gets a number, so that its value is the same at each
call.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Mapping, Sequence
from itertools import count, takewhile

from seahorn_py.base.patterns import pattern
from seahorn_py.frontend.llvmtext.debugtext import DebugText
from seahorn_py.frontend.llvmtext.inputs import Inputs
from seahorn_py.frontend.llvmtext.lines import CallText, argument, read_call
from seahorn_py.frontend.llvmtext.module import ModuleText, split_module
from seahorn_py.frontend.llvmtext.strings import Strings
from seahorn_py.frontend.lowering.library.formats import (
    Length,
    printed,
    scanned,
    taken,
    written,
)
from seahorn_py.frontend.lowering.library.parsing import Part, parsed
from seahorn_py.frontend.lowering.library.programname import program_names
from seahorn_py.ir.program import SiteKind
from seahorn_py.options import FrontendOptions, Libc, Property

ANY = "sea.any."
"""`sea.any.f.x` is an arbitrary value that the function `f` gives; with arguments, bytes."""

_SMALL = 1 << 16
FRESH_LIMIT = 128
"""The contents of larger blocks are what the stages take them to be: 0 in runs."""

_ALLOCATION = ("malloc", "calloc", "realloc", "aligned_alloc")
_SCANNING = {"scanf": 0, "__isoc99_scanf": 0, "fscanf": 1, "__isoc99_fscanf": 1}
_PRINTING = {"printf": 0, "fprintf": 1, "vprintf": 0, "vfprintf": 1}
_WRITING = {"sprintf": 1, "snprintf": 2}
_PARSING = ("sscanf", "__isoc99_sscanf")
_ENVIRONMENT = ("getenv", "secure_getenv")
REWRITTEN = frozenset((*_ALLOCATION, *_SCANNING, *_PRINTING, *_WRITING, *_PARSING, *_ENVIRONMENT))
_IN_PARTS = pattern(rf"@({'|'.join((*_WRITING, *_PARSING))})(?![\w.$-])")
_REWRITTEN = pattern(rf"@({'|'.join(sorted(REWRITTEN))})(?![\w.$-])")
_ASKED = pattern(r"@(?:ferror|ferror_unlocked|__errno_location)\(")
"""Calls that show how output went, though nothing uses its result, or what input says in errno."""

_FAILING = pattern(rf"@({'|'.join(_ALLOCATION)})(?![\w.$-])")


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
        module = split_module(text)
        self._strings = Strings(module)
        main = module.functions.get("main")
        self._program = frozenset() if main is None else program_names(main, module)
        self._is_main = False
        self._own = own
        self._may_fail = options.malloc_may_fail
        self._is_real = options.libc is Libc.REAL
        self._word = f"i{options.bits}"
        self._shows_output = bool(_ASKED.search(text))
        self._checks_reads = any(map(options.wants, (Property.VALID_DEREF, Property.NULL_DEREF)))
        self._numbers = count(1)
        self._names: dict[str, int] = {}
        self._declared: dict[str, str] = {}

    def text(self) -> str:
        """The new text."""
        out: list[str] = []
        for at, line in enumerate(self._lines):
            if line.startswith("define "):
                self._is_main = "@main(" in line
            found = _REWRITTEN.search(line)
            new = self._line(line, at) if found and found[1] not in self._own else None
            out.extend(new or (line,))
        out = _without_unused(out)
        if self._may_fail:
            out = [_FAILING.sub(self._failing, line) for line in out]
        return "\n".join([*out, *self._declared.values(), ""])

    def _failing(self, name: re.Match[str]) -> str:
        return name[0] if name[1] in self._own else f"@sea.failing.{name[1]}"

    def _line(self, line: str, at: int) -> list[str] | None:
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
            case name if name in _PRINTING and (self._shows_output or self._is_used(call, at)):
                return self._print(call, _PRINTING[name], line)
            case name if name in _PRINTING and self._checks_reads:
                return self._read_only(call, _PRINTING[name], line)
            case name if name in _WRITING and not self._is_real:
                return self._write(call, _WRITING[name])
            case name if name in _PARSING and not (self._is_real or self._shows_output):
                return self._parse(call)
            case name if name in _ENVIRONMENT:
                return self._environment(call)
            case _:
                return None

    def _is_used(self, call: CallText, at: int) -> bool:
        """Whether something in the function reads the result of a call."""
        if call.result is None:
            return False
        used = re.compile(rf"{re.escape(call.result)}(?![\w.$-])")
        return any(map(used.search, takewhile(lambda line: line != "}", self._lines[at + 1 :])))

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

    def _environment(self, call: CallText) -> list[str] | None:
        """A number for each name that the program writes out."""
        name = self._strings.text(call.arguments[0]) if len(call.arguments) == 1 else ""
        if not name or call.type != "ptr" or call.result is None:
            return None
        number = self._names.setdefault(name, len(self._names))
        given = f"ptr {argument(call.arguments[0])[1]}, i32 {number}"
        return [self._call(call.result, "ptr", "sea.environment", given, call)]

    # -------------------------------------------------------------------------------- formats

    def _format(self, call: CallText, position: int) -> str:
        """The constant format up to its end, "" if it is not known."""
        texts = call.arguments[position : position + 1]
        text = self._strings.text(texts[0]).partition("\0")[0] if texts else ""
        return "" if "\ufffd" in text else text

    def _stream(self, call: CallText, position: int) -> tuple[str, str]:
        """The end of the name of a model that is given the stream, and that argument."""
        return (".of", f"ptr {argument(call.arguments[0])[1]}") if position else ("", "")

    def _scan(self, call: CallText, position: int) -> list[str] | None:
        """As many stores as the format has conversions, as far as the input goes."""
        targets = call.arguments[position + 1 :]
        conversions = scanned(self._format(call, position), self._word)
        if conversions is None or len(conversions) != len(targets):
            return None
        got = call.result or self._register()
        end, stream = self._stream(call, position)
        given = f"i32 {len(targets)}{stream and ', '}{stream}"
        lines = [self._call(got, "i32", f"sea.scan.count{end}", given, call)]
        for k, (conversion, target) in enumerate(zip(conversions, targets, strict=True), 1):
            given = f"i32 {got}, i32 {k}, ptr {argument(target)[1]}{conversion.further}"
            lines.append(self._call("", "void", f"sea.scan.{conversion.name}", given, call))
        return lines

    def _print(self, call: CallText, position: int, line: str) -> list[str] | None:
        """The length of what is written; any where the format does not tell it."""
        if call.type != "i32" or len(call.arguments) <= position:
            return None
        result = call.result or self._register()
        end, stream = self._stream(call, position)
        parts = None
        if not call.callee.startswith("v"):
            parts = self._lengths(call, self._format(call, position), position)
        if parts is None:
            kept = line.replace(f"  {result} = ", f"  {self._register()} = ", 1)
            return [kept, self._call(result, "i32", f"sea.printed.any{end}", stream, call)]
        lines, total = parts
        given = f"i64 {total}{stream and ', '}{stream}"
        return [*lines, self._call(result, "i32", f"sea.printed.end{end}", given, call)]

    def _read_only(self, call: CallText, position: int, line: str) -> list[str] | None:
        """What a call reads whose output nothing asks about: its stream, and its texts."""
        texts = self._read_texts(call, position)
        if not position or not call.arguments:
            return texts
        given = f"ptr {argument(call.arguments[0])[1]}"
        return [self._call("", "void", "sea.printed.through", given, call), *(texts or (line,))]

    def _read_texts(self, call: CallText, position: int) -> list[str] | None:
        """The texts that are written are read up to their ends; None if there are none to check."""
        if len(call.arguments) <= position or call.callee.startswith("v"):
            return None
        found = printed(self._format(call, position), self._word)
        values = None if found is None else _distributed(call, position, found[1])
        if found is None or values is None:
            return None
        lines: list[str] = []
        for length, own in zip(found[1], values, strict=True):
            if length.name == "text" and not self._is_known_text(own[0][1]):
                name = f"sea.printed.{length.name}"
                lines += self._length(length, own, (self._register(), name, ""), call)
        return lines or None

    def _is_known_text(self, value: str) -> bool:
        """Whether it is a string that is written out, or the name of the program."""
        is_name = self._is_main and value in self._program
        return is_name or bool(self._strings.text(f"ptr {value}"))

    def _lengths(self, call: CallText, text: str, position: int) -> tuple[list[str], str] | None:
        """Lines for the lengths of the parts, and the sum; None if arguments do not fit."""
        found = printed(text, self._word)
        values = None if found is None else _distributed(call, position, found[1])
        if found is None or values is None:
            return None
        lines: list[str] = []
        total = str(found[0])
        for length, own in zip(found[1], values, strict=True):
            part, before, total = self._register(), total, self._register()
            name = f"sea.printed.{length.name}"
            lines += self._length(length, own, (part, name, ""), call)
            lines.append(f"  {total} = add i64 {before}, {part}{call.debug}")
        return lines, total

    def _length(
        self,
        length: Length,
        values: Mapping[int, tuple[str, str]],
        target: tuple[str, str, str],
        call: CallText,
    ) -> list[str]:
        """The call of the model of a part, of which integers are as wide as any.

        The target is the register for the result, the name of the model, and its first arguments.
        """
        result, name, first = target
        lines: list[str] = []
        texts: list[str] = []
        for k, (kind, constant) in enumerate(zip(length.kinds, length.arguments, strict=True)):
            given, value = values.get(k, (kind, constant))
            if k == 0 and length.bits:
                for cast, wanted in (("trunc", length.bits), (length.extended, kind)):
                    if given != wanted:
                        wide = self._register()
                        lines.append(f"  {wide} = {cast} {given} {value} to {wanted}{call.debug}")
                        given, value = wanted, wide
            texts.append(f"{kind} {value}")
        return [*lines, self._call(result, "i64", name, first + ", ".join(texts), call)]

    def _write(self, call: CallText, position: int) -> list[str] | None:
        """The parts of a format, each written behind those before it."""
        if call.type != "i32" or len(call.arguments) <= position:
            return None
        parts = written(self._format(call, position), self._word)
        lengths = [part for part in parts or () if isinstance(part, Length)]
        values = _distributed(call, position, lengths)
        if parts is None or values is None:
            return None
        own = iter(values)
        room = argument(call.arguments[1])[1] if position == 2 else "-1"
        place = f"ptr {argument(call.arguments[0])[1]}, {self._word} {room}, i64 "
        at, lines = "0", list[str]()
        for part in parts:
            before, at = f"{place}{at}, ", self._register()
            if isinstance(part, Length):
                target = at, f"sea.written.{part.name}", before
                lines += self._length(part, next(own), target, call)
                continue
            text = self._register()
            whole = argument(call.arguments[position])[1]
            lines.append(f"  {text} = getelementptr i8, ptr {whole}, i64 {part.start}{call.debug}")
            given = f"{before}ptr {text}, {self._word} {part.size}"
            lines.append(self._call(at, "i64", "sea.written.literal", given, call))
        result = call.result or self._register()
        return [*lines, self._call(result, "i32", "sea.written.end", f"{place}{at}", call)]

    def _parse(self, call: CallText) -> list[str] | None:
        """The parts of a format, each read behind those before it."""
        if call.type != "i32" or len(call.arguments) < 2:
            return None
        parts = parsed(self._format(call, 1), int(self._word[1:]))
        targets = iter(f"ptr {argument(a)[1]}" for a in call.arguments[2:])
        if not parts or sum(part.stores for part in parts) != len(call.arguments) - 2:
            return None
        text = f"ptr {argument(call.arguments[0])[1]}"
        at, total = self._register(), "0"
        lines = [self._call(at, "i64", "sea.parsed.begin", text, call)]
        for part in parts:
            before, at = at, self._register()
            given = [text, f"i64 {before}", *self._literal(part, call, lines)]
            given += filter(None, (part.further, next(targets) if part.stores else ""))
            lines.append(self._call(at, "i64", f"sea.parsed.{part.name}", ", ".join(given), call))
            if part.counts:
                goes_on, counted, so_far = self._register(), self._register(), total
                total = self._register()
                lines.append(f"  {goes_on} = icmp sge i64 {at}, 0{call.debug}")
                lines.append(f"  {counted} = zext i1 {goes_on} to i32{call.debug}")
                lines.append(f"  {total} = add i32 {so_far}, {counted}{call.debug}")
        result = call.result or self._register()
        return [*lines, self._call(result, "i32", "sea.parsed.end", f"i64 {at}, i32 {total}", call)]

    def _literal(self, part: Part, call: CallText, lines: list[str]) -> list[str]:
        """The argument for characters of the format, after the line that points to them."""
        if part.literal < 0:
            return []
        whole, here = argument(call.arguments[1])[1], self._register()
        lines.append(f"  {here} = getelementptr i8, ptr {whole}, i64 {part.literal}{call.debug}")
        return [f"ptr {here}"]

    # ---------------------------------------------------------------------------------- text

    def _register(self) -> str:
        return f"%sea.lib.{next(self._numbers)}"

    def _call(self, result: str, kind: str, name: str, given: str, call: CallText) -> str:
        types = ", ".join(argument(a)[0] for a in given.split(", ")) if given else ""
        self._declare(kind, name, types)
        target = f"{result} = " if result else ""
        return f"  {target}call {kind} @{name}({given}){call.debug}"

    def _declare(self, kind: str, name: str, types: str) -> None:
        self._declared[name] = f"declare {kind} @{name}({types})"


def _without_unused(lines: Sequence[str]) -> list[str]:
    """The lines without declarations of functions whose calls are all written in another way.

    Otherwise the sources of a real library would come in for them.
    """
    found = Counter(name for line in lines for name in _IN_PARTS.findall(line))
    return [
        line
        for line in lines
        if not (line.startswith("declare ") and any(found[n] == 1 for n in _IN_PARTS.findall(line)))
    ]


def _distributed(
    call: CallText, position: int, lengths: Sequence[Length]
) -> list[Mapping[int, tuple[str, str]]] | None:
    """Which arguments of the call each part takes; None if they do not fit."""
    given = [argument(a) for a in call.arguments[position + 1 :]]
    if sum(len(taken(length)) for length in lengths) != len(given):
        return None
    found: list[Mapping[int, tuple[str, str]]] = []
    for length in lengths:
        values = dict(zip(taken(length), given, strict=False))
        given = given[len(values) :]
        if not all(_fits(length, k, kind) for k, (kind, _) in values.items()):
            return None
        found.append(values)
    return found


def _fits(length: Length, position: int, kind: str) -> bool:
    """Whether an argument of that type is what a conversion takes."""
    wanted = length.bits if position == 0 and length.bits else length.kinds[position]
    return kind == wanted or (kind == "i32" and wanted in ("i8", "i16"))
