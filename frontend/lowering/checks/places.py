"""Where the pointers of a function lead, as far as its text before any pass tells.

Known are the addresses inside of objects of known size: locals, parameters passed by value, globals
with constant offsets.  An access there by a name of C is valid as long as the name is in scope.
"""

from __future__ import annotations

import re

from seahorn_py.base.patterns import pattern
from seahorn_py.base.records import dataclass
from seahorn_py.frontend.llvmtext.debugtext import DebugText
from seahorn_py.frontend.llvmtext.inputs import Inputs
from seahorn_py.frontend.llvmtext.layout import ArrayType, LlvmType, StructType
from seahorn_py.frontend.llvmtext.lines import argument, leading_type
from seahorn_py.frontend.llvmtext.module import FunctionText, ModuleText
from seahorn_py.frontend.llvmtext.tokens import NAME, Cursor, closing, split_top

_ALLOCA = pattern(rf"  (%{NAME}) = alloca (?!inalloca)(.*)")
_OFFSET = pattern(rf"  (%{NAME}) = getelementptr ((?:(?:inbounds|nuw|nusw) )*)(.*)")
_LOADED = pattern(rf"  (%{NAME}) = load (?:volatile )?ptr, ptr (%{NAME}|@{NAME})")
_DECLARE = pattern(rf"    #dbg_declare\(ptr (%{NAME}), !(\d+),")
_OBJECT = pattern(r"(?:[\w()]+ )*?(global|constant) (.*)")
_BY_VALUE = pattern(r"ptr .*\b(?:byval|sret)\(((?:[^()]|\([^()]*\))*)\)")
_CONSTANT_OFFSET = pattern(r"getelementptr (?:(?:inbounds|nuw|nusw) )*(?:inrange\([^)]*\) )?\(")
_INTEGER = pattern(r"i\d+ (-?\d+)$")


@dataclass(frozen=True, slots=True)
class Place:
    """`offset` bytes into an object of `size` bytes."""

    size: int
    offset: int
    writable: bool

    def holds(self, size: int, write: bool) -> bool:
        """Whether an access of `size` bytes here is inside of the object, and allowed."""
        inside = self.offset >= 0 and self.offset + size <= self.size
        return inside and (self.writable or not write)


class Places:
    """The addresses of one function; registers are defined before their uses in the text."""

    def __init__(
        self, function: FunctionText, module: ModuleText, inputs: Inputs, debug: DebugText
    ) -> None:
        self._module = module
        self._inputs = inputs
        self._known: dict[str, Place] = {}
        self._bases: dict[str, str] = {}
        self._names: dict[str, str] = {}
        for number, parameter in enumerate(function.parameters):
            passed = _BY_VALUE.match(parameter)
            if passed:
                named = re.search(rf" (%{NAME})$", parameter)
                register = named[1] if named else f"%{number}"
                self._known[register] = Place(inputs.size(passed[1]), 0, True)
        for line in function.lines:
            declared = _DECLARE.match(line) if "#dbg_declare(" in line else None
            if declared:
                self._names[declared[1]] = debug.name(declared[2])

    def read(self, line: str) -> None:
        """Learn from a line that defines an address."""
        if " = alloca " in line:
            self._alloca(line)
        elif " = getelementptr " in line:
            self._offset(line)
        elif " = load " in line:
            loaded = _LOADED.match(line)
            if loaded:
                self._names[loaded[1]] = self.name(loaded[2])

    def place(self, pointer: str) -> Place | None:
        """Where a pointer leads, None if that is not known."""
        if pointer[:1] == "@":
            return self._object(pointer[1:])
        if pointer[:1] == "%":
            return self._known.get(pointer)
        found = _CONSTANT_OFFSET.match(pointer)
        if found is None:
            return None
        return self._moved(split_top(pointer[found.end() : closing(pointer, found.end() - 1)]))

    def base(self, pointer: str) -> str:
        """The pointer that an address was computed from by members and indices."""
        return self._bases.get(pointer, pointer)

    def name(self, pointer: str) -> str:
        """The C name of the object at a pointer or of the variable that held it, or ""."""
        base = self.base(pointer)
        return base[1:] if base[:1] == "@" else self._names.get(base, "")

    def _alloca(self, line: str) -> None:
        found = _ALLOCA.match(line)
        if found is None:
            return
        kind, *rest = split_top(found[2])
        count = next((part for part in rest if part[:1] == "i"), "")
        if not count:
            self._known[found[1]] = Place(self._inputs.size(kind), 0, True)

    def _offset(self, line: str) -> None:
        found = _OFFSET.match(line)
        if found is None:
            return
        parts = [part for part in split_top(found[3]) if not part.startswith("!dbg")]
        place = self._moved(tuple(parts))
        if place is not None:
            self._known[found[1]] = place
        self._bases[found[1]] = self.base(argument(parts[1])[1])

    def _object(self, name: str) -> Place | None:
        found = _OBJECT.match(self._module.globals.get(name, ""))
        if found is None:
            return None
        size = self._inputs.size(leading_type(found[2])[0])
        return Place(size, 0, found[1] == "global")

    def _moved(self, parts: tuple[str, ...]) -> Place | None:
        """The place that a `getelementptr` of a type, a pointer and indices gives."""
        kind, pointer, *indices = parts
        start = self.place(argument(pointer)[1])
        numbers = [_INTEGER.match(index) for index in indices]
        if start is None or not all(numbers):
            return None
        steps = [int(number[1]) for number in numbers if number]
        moved = self._distance(self._inputs.types.read(Cursor.of(kind)), steps)
        return Place(start.size, start.offset + moved, start.writable)

    def _distance(self, kind: LlvmType, steps: list[int]) -> int:
        types = self._inputs.types
        distance = steps[0] * types.size(kind) if steps else 0
        for step in steps[1:]:
            if isinstance(kind, StructType):
                distance += types.offset(kind, step)
            elif isinstance(kind, ArrayType):
                distance += step * types.size(kind.element)
            kind = types.element(kind, [step if isinstance(kind, StructType) else 0])
        return distance
