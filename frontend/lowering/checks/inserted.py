"""Checks that we insert ourselves, before any pass can drop what they guard.

Every division whose result may be undefined is preceded by `sea.defined`, where the run ends unless
its bit is set: LLVM drops a division without uses and folds `x / x`.  Under the property
`div-by-zero` it is a check.  Under `valid-deref`, `null-deref` and `valid-free` loads, stores,
copies and frees are preceded by checks, except where the text shows that they are valid; so is a
call through a pointer, and `sea.called` ends the native run where it leads to no function.  The
ends of the run are under `valid-memcleanup` and `valid-memtrack` (`leaks`).  What a model of the C
library claims of its caller (`models/model.h`) is a check under `no-overflow` or where accesses are
checked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from seahorn_py.base.patterns import pattern
from seahorn_py.frontend.llvmtext.debugtext import DebugText
from seahorn_py.frontend.llvmtext.inputs import Inputs
from seahorn_py.frontend.llvmtext.lines import DEBUG, CallText, argument, leading_type, read_call
from seahorn_py.frontend.llvmtext.module import FunctionText, ModuleText
from seahorn_py.frontend.llvmtext.tokens import NAME, Cursor, split_top
from seahorn_py.frontend.lowering.checks.leaks import Leaks
from seahorn_py.frontend.lowering.checks.places import Places
from seahorn_py.frontend.lowering.events.events import (
    asks_validity,
    asserting_names,
    ending_names,
)
from seahorn_py.frontend.lowering.events.vocabulary import words
from seahorn_py.frontend.lowering.library.claims import chosen, room, unfollowed
from seahorn_py.frontend.lowering.library.libcalls import ANY
from seahorn_py.ir.types import IntType, PointerType
from seahorn_py.options import FrontendOptions, Property

if TYPE_CHECKING:
    from seahorn_py.frontend.lowering.checks.keeping import Keeping

_DIVISION = pattern(rf"  %{NAME} = ([us])(?:div|rem) (?:exact )?(i(\d+)) (.*)")
_LOAD = pattern(rf"  %{NAME} = load (?:atomic )?(?:volatile )?(.*)")
_STORE = pattern(r"  store (?:atomic )?(?:volatile )?(.*)")
_REPLACE = pattern(r"  %\S+ = (?:atomicrmw|cmpxchg) (?:weak )?(?:volatile )?(.*)")
_OPERATION = pattern(r"[a-z_]+ (?=ptr )")
_INDIRECT = pattern(rf" call [^\"]*?(%{NAME})\(")
_NUMBER = pattern(r"-?\d+$")
_FIXED = pattern(r"inttoptr \(i\d+ (\d+) to ptr\)")
_BY_VALUE = pattern(r"ptr .*\bbyval\(((?:[^()]|\([^()]*\))*)\)")
_COPIES = ("llvm.memcpy.", "llvm.memmove.")
_FILL = "llvm.memset."
_FILLED = frozenset(name for name, event in words() if event == "MEMORY")
_FRESH = f"{ANY}malloc."
_CLAIM = "sea.claim."
_OPEN = f"{_CLAIM}open"
_PRINTS = frozenset({"fprintf", "vfprintf"})
_FREES = frozenset({"free", "realloc", "reallocarray"})


class InsertedChecks:
    """Inserts the checks of one module."""

    def __init__(
        self, module: ModuleText, inputs: Inputs, debug: DebugText, options: FrontendOptions
    ) -> None:
        self._module = module
        self._inputs = inputs
        self._debug = debug
        self._wants = options.wants
        self._accesses = options.wants(Property.VALID_DEREF) or options.wants(Property.NULL_DEREF)
        self._calls = self._accesses or options.wants(Property.VALID_FREE)
        self._leaks = Leaks(module, inputs, options)
        self._calls = self._calls or self._leaks.are_asked
        leaves = [p for p in Property if p is not Property.VALID_MEMSAFETY]
        self._any = next(filter(options.wants, leaves), Property.UNREACH_CALL)
        self._is_asked = asks_validity(module)
        self._escaping: set[str] = set()

    @cached_property
    def _keeping(self) -> Keeping:
        from seahorn_py.frontend.lowering.checks.keeping import Keeping

        return Keeping(self._module)

    @property
    def kept(self) -> frozenset[str]:
        """The functions that must not be inlined."""
        return frozenset(self._escaping)

    def rewrite(self, function: FunctionText) -> list[str]:
        """The lines of a function, each after its checks."""
        if self._wants(Property.VALID_DEREF) or self._is_asked:
            function = self._scoped(function)
        out: list[str] = []
        places = Places(function, self._module, self._inputs, self._debug)
        for line in function.lines:
            if f"@{_CLAIM}" in line and " call " in line:
                out.extend(self._claim(line, places))
                continue
            if line.startswith("    #"):
                pass
            elif "div i" in line or "rem i" in line:
                out.extend(self._division(line))
            elif self._accesses and (" = load " in line or line.startswith("  store ")):
                out.extend(self._direct(line, places))
            elif self._accesses and (" = atomicrmw " in line or " = cmpxchg " in line):
                out.extend(self._replaced(line, places))
            elif " call " in line and "@llvm.lifetime." not in line:
                out.extend(self._call(line, places))
            if self._accesses:
                places.read(line)
            out.append(line)
        return out

    def at_end(self, reached: Mapping[str, FunctionText]) -> list[str]:
        """What must hold when `main` has returned, in a program of these functions."""
        main = self._module.functions["main"]
        returns = [line for line in main.lines if line.startswith("  ret ")]
        debug = _debug_of(returns[-1]) if returns else ""
        return self._leaks.at_return(debug, reached)

    def _scoped(self, function: FunctionText) -> FunctionText:
        """The function with marks where its locals die.

        That a function has ended is seen only where it is not inlined.
        """
        from seahorn_py.frontend.lowering.checks.scopes import escapes, scoped

        found = escapes(function, self._debug, self._keeping)
        if found.any:
            self._escaping.add(function.name)
        for gap in found.gaps:
            self._inputs.gap(gap)
        lines = (part for line in function.lines for part in scoped(line, found.marked))
        return replace(function, lines=tuple(lines)) if found.marked else function

    # ----------------------------------------------------------------------------- divisions

    def _division(self, line: str) -> list[str]:
        found = _DIVISION.match(line)
        if found is None:
            return []
        sign, kind, width, rest = found.groups()
        left, right = split_top(rest)[:2]
        debug = _debug_of(line)
        lines: list[str] = []
        if not _NUMBER.match(right) or int(right) == 0:
            lines += self._nonzero(kind, right, debug)
        smallest = -1 << (int(width) - 1)
        overflows = right == "-1" or not _NUMBER.match(right)
        if sign == "s" and overflows and (left == str(smallest) or not _NUMBER.match(left)):
            lines += self._fits(kind, left, right, smallest, debug)
        return lines

    def _nonzero(self, kind: str, divisor: str, debug: str) -> list[str]:
        bit = self._inputs.name()
        lines = [f"  {bit} = icmp ne {kind} {divisor}, 0{debug}"]
        if self._wants(Property.DIV_BY_ZERO):
            text = "the divisor is 0"
            return [*lines, *self._inputs.check(bit, text, debug, Property.DIV_BY_ZERO)]
        return [*lines, f"  call void @sea.defined(i1 {bit}){debug}"]

    def _fits(self, kind: str, left: str, right: str, smallest: int, debug: str) -> list[str]:
        """Not both `left` the smallest number and `right` minus one."""
        one, two, bit = (self._inputs.name() for _ in range(3))
        return [
            f"  {one} = icmp ne {kind} {left}, {smallest}{debug}",
            f"  {two} = icmp ne {kind} {right}, -1{debug}",
            f"  {bit} = or i1 {one}, {two}{debug}",
            f"  call void @sea.defined(i1 {bit}){debug}",
        ]

    # ------------------------------------------------------------------------------ accesses

    def _direct(self, line: str, places: Places) -> list[str]:
        """The checks of a load or store."""
        load = _LOAD.match(line)
        store = None if load else _STORE.match(line)
        if load:
            kind, pointer = split_top(load[1])[:2]
        elif store:
            value, pointer = split_top(store[1])[:2]
            kind = leading_type(value)[0]
        else:
            return []
        size = str(self._size(kind))
        return self._access(_pointer(pointer), size, store is not None, _debug_of(line), places)

    def _replaced(self, line: str, places: Places) -> list[str]:
        """The checks of an instruction that reads and writes."""
        found = _REPLACE.match(line)
        if found is None:
            return []
        pointer, value = split_top(_OPERATION.sub("", found[1], count=1))[:2]
        size = str(self._size(leading_type(value)[0]))
        return self._access(_pointer(pointer), size, True, _debug_of(line), places)

    def _access(
        self, pointer: str, size: str, write: bool, debug: str, places: Places
    ) -> list[str]:
        """The checks of an access to `size` bytes, a number or a register."""
        place = places.place(pointer)
        if place is not None and _NUMBER.match(size) and place.holds(int(size), write):
            return []
        name = places.name(pointer)
        through = f" through {name}" if name else _through_number(pointer)
        lines: list[str] = []
        if self._wants(Property.NULL_DEREF) and place is None:
            base = places.base(pointer)
            text = f"access through {name or 'a pointer'}, which is null"
            lines += self._not_null_unless_empty(base, size, text, debug)
        if self._wants(Property.VALID_DEREF):
            kind = "write" if write else "access"
            amount = f"{size} byte{'s' * (size != '1')}" if _NUMBER.match(size) else "bytes"
            text = f"invalid {'write' if write else 'read'} of {amount}{through}"
            given = f"ptr {pointer}, {self._inputs.word} {size}"
            lines += self._valid(kind, given, text, Property.VALID_DEREF, debug)
        return lines

    def _not_null(self, pointer: str, text: str, debug: str, property_: Property) -> list[str]:
        bit = self._inputs.name()
        return [
            f"  {bit} = icmp ne ptr {pointer}, null{debug}",
            *self._inputs.check(bit, text, debug, property_),
        ]

    def _not_null_unless_empty(self, pointer: str, size: str, text: str, debug: str) -> list[str]:
        if _NUMBER.match(size):
            return self._not_null(pointer, text, debug, Property.NULL_DEREF)
        empty, full, bit = (self._inputs.name() for _ in range(3))
        return [
            f"  {empty} = icmp eq {self._inputs.word} {size}, 0{debug}",
            f"  {full} = icmp ne ptr {pointer}, null{debug}",
            f"  {bit} = or i1 {empty}, {full}{debug}",
            *self._inputs.check(bit, text, debug, Property.NULL_DEREF),
        ]

    def _valid(
        self, kind: str, given: str, text: str, property_: Property, debug: str
    ) -> list[str]:
        bit = self._inputs.name()
        return [
            f"  {bit} = call i1 @sea.valid.{kind}({given}){debug}",
            *self._inputs.check(bit, text, debug, property_),
        ]

    def _size(self, kind: str) -> int:
        """Bytes that a load or store of the type accesses: those of a float with its padding."""
        read = self._inputs.types.read(Cursor.of(kind))
        if isinstance(read, IntType | PointerType):
            return self._inputs.types.layout.scalar_size(read)
        return self._inputs.types.size(read)

    # --------------------------------------------------------------------------------- calls

    def _call(self, line: str, places: Places) -> list[str]:
        call = read_call(line)
        if call is None:
            return self._through_pointer(line)
        if not self._calls:
            return []
        lines = self._passed(call, places) if self._accesses and " byval(" in line else []
        if call.callee.startswith((*_COPIES, _FILL)):
            return [*lines, *self._block(call, places)] if self._accesses else lines
        if call.callee in _FILLED or (call.callee.startswith(ANY) and len(call.arguments) == 2):
            return self._filled(call, places)
        if call.callee in self._module.functions:
            return lines
        if call.callee in _FREES and self._wants(Property.VALID_FREE):
            given = f"ptr {self._debug.pointer(call)}"
            text = f"{call.callee}() of what is no block of the heap, or was freed before"
            lines += self._valid("free", given, text, Property.VALID_FREE, call.debug)
        elif call.callee in _PRINTS and _OPEN in self._module.functions and self._accesses:
            stream = argument(call.arguments[0])[1]
            lines.append(f"  call void @{_OPEN}(ptr {stream}){call.debug}")
        elif call.callee in ending_names():
            lines += self._leaks.at_stop(call.debug)
        elif call.callee in asserting_names():
            lines += self._leaks.at_assertion(call)
        return lines

    def _through_pointer(self, line: str) -> list[str]:
        """A call through a pointer leads to a function, or the run ends, also natively."""
        found = _INDIRECT.search(line)
        if found is None:
            return []
        pointer, debug = found[1], _debug_of(line)
        lines: list[str] = []
        if self._wants(Property.NULL_DEREF):
            text = "call of a null pointer"
            lines += self._not_null(pointer, text, debug, Property.NULL_DEREF)
        if self._wants(Property.VALID_DEREF):
            text = "call through a pointer that leads to no function"
            lines += self._valid("call", f"ptr {pointer}", text, Property.VALID_DEREF, debug)
        return [*lines, f"  call void @sea.called(ptr {pointer}){debug}"]

    def _passed(self, call: CallText, places: Places) -> list[str]:
        """A struct passed by value is read by the call."""
        lines: list[str] = []
        for text in call.arguments:
            found = _BY_VALUE.match(text)
            if found:
                size = str(self._inputs.size(found[1]))
                pointer = argument(text)[1]
                lines += self._access(pointer, size, False, call.debug, places)
        return lines

    def _block(self, call: CallText, places: Places) -> list[str]:
        """A copy reads and writes, a fill writes; nothing is touched if the length is 0."""
        lines, length = self._length(call.arguments[2], call.debug)
        if length == "0":
            return lines
        target, source = (argument(a)[1] for a in call.arguments[:2])
        if not call.callee.startswith(_FILL):
            lines += self._access(source, length, False, call.debug, places)
        return [*lines, *self._access(target, length, True, call.debug, places)]

    def _filled(self, call: CallText, places: Places) -> list[str]:
        """A block that is made arbitrary is written; one that was just allocated can be."""
        if not self._accesses or call.callee.startswith(_FRESH):
            return []
        target, size = self._debug.block(call)
        lines, length = self._length(size, call.debug)
        return [*lines, *self._access(target, length, True, call.debug, places)]

    def _length(self, text: str, debug: str) -> tuple[list[str], str]:
        """Lines and a word for an argument that is a number of bytes."""
        kind, length = argument(text)
        word = self._inputs.word
        if kind == word or _NUMBER.match(length):
            return [], length
        wide = self._inputs.name()
        cast = "zext" if int(kind[1:]) < int(word[1:]) else "trunc"
        return [f"  {wide} = {cast} {kind} {length} to {word}{debug}"], wide

    # -------------------------------------------------------------------------------- claims

    def _claim(self, line: str, places: Places) -> list[str]:
        """What a model claims, as a check of the properties that ask for it."""
        call = read_call(line)
        assert call is not None, line
        values = [argument(text)[1] for text in call.arguments]
        kind, _, of = call.callee.removeprefix(_CLAIM).partition(".")
        match kind:
            case "readable" | "writable":
                write = kind == "writable"
                pointer, size = values
                access = self._accesses
                return self._access(pointer, size, write, call.debug, places) if access else []
            case "text" | "open":
                return [line] if self._accesses else []
            case "fits":
                text, fits = "the result does not fit", Property.NO_OVERFLOW
                check = self._wants(fits)
                return self._inputs.check(values[0], text, call.debug, fits) if check else []
            case "known":
                return unfollowed(self._inputs, call.debug)
            case "chosen":
                return chosen(self._inputs, of, call.debug, self._any)
        if of == "signal" and self._wants(Property.TERMINATION):
            self._inputs.gap("handlers of signals may run at any time")
        return room(self._inputs, values[0], of, call.debug, self._any)


def _debug_of(line: str) -> str:
    found = DEBUG.search(line)
    return found[0] if found else ""


def _pointer(text: str) -> str:
    """The pointer in `ptr X`, where an atomic access names its ordering behind it."""
    value = argument(text)[1]
    return value.split(" ")[0] if value[:1] in "%@" else value


def _through_number(pointer: str) -> str:
    """How a message names an address that begins at a number of the program."""
    found = _FIXED.search(pointer)
    return f" through the number {int(found[1]):#x} (see --mmio)" if found else ""
