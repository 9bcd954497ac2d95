"""Places and C types from the debug metadata of an LLVM text (DWARF 5, section 5)."""

from __future__ import annotations

import re
from collections.abc import Mapping

from seahorn_py.errors import UnsupportedError
from seahorn_py.frontend.llvmtext.irtext import CallText, argument
from seahorn_py.frontend.llvmtext.tokens import unescaped

_FIELD = {
    name: re.compile(rf"\b{name}: !(\d+)")
    for name in ("scope", "file", "type", "types", "baseType", "inlinedAt")
}
_NAME = re.compile(r'\bname: "([^"]*)"')
_FILE = re.compile(r'\bfilename: "([^"]*)"')
_LINE = re.compile(r"\bline: (\d+)")
_COLUMN = re.compile(r"\bcolumn: (\d+)")
_NUMBER = re.compile(r"!(\d+)")
_TAGGED = {"DW_TAG_structure_type": "struct", "DW_TAG_union_type": "union"}
_DEPTH = 64
_INTEGER = re.compile(r"i\d+ ")


class DebugText:
    """Look-ups in the metadata of one module, by number as text."""

    def __init__(self, metadata: Mapping[str, str]) -> None:
        self._nodes = metadata
        self._types: dict[str, tuple[str, bool | None]] = {}

    def place(self, debug: str) -> str:
        """`file:line:column` of a `!dbg !N` attachment, "" if there is none."""
        found = _NUMBER.search(debug)
        node = self._nodes.get(found[1], "") if found else ""
        line, column = _LINE.search(node), _COLUMN.search(node)
        if not line:
            return ""
        return f"{self._file(node)}:{line[1]}:{column[1] if column else 0}"

    def refusal(self, message: str, debug: str) -> UnsupportedError:
        """The message with the place of what it is about, if that is known."""
        place = self.place(debug)
        return UnsupportedError(f"{place}: {message}" if place else message)

    def pointer(self, call: CallText) -> str:
        """The first argument; UnsupportedError if it is no pointer: old C lets a call have any."""
        kind, value = argument(call.arguments[0]) if call.arguments else ("", "")
        if kind != "ptr":
            raise self.refusal(f"{call.callee}() without a pointer", call.debug)
        return value

    def block(self, call: CallText) -> tuple[str, str]:
        """The pointer and the text of the size that a call is given first, as `pointer`."""
        pointer = self.pointer(call)
        if len(call.arguments) < 2 or not _INTEGER.match(call.arguments[1]):
            raise self.refusal(f"{call.callee}() without a size", call.debug)
        return pointer, call.arguments[1]

    def file(self, debug: str) -> str:
        """The file of what ` !dbg !N` is attached to, "" if that is not known."""
        found = _NUMBER.search(debug)
        return self._file(self._nodes.get(found[1], "")) if found else ""

    def name(self, number: str) -> str:
        """The name of a variable, label or subprogram."""
        found = _NAME.search(self._nodes.get(number, ""))
        return found[1] if found else ""

    def trap_message(self, debug: str) -> str:
        """What clang says of a trap: the name of the scope that it puts the trap into."""
        found = _NUMBER.search(debug)
        scope = self._follow(self._nodes.get(found[1], ""), "scope") if found else ""
        name = self.name(scope)
        return unescaped(name.rpartition("$")[2]) if name.startswith("__clang_trap_msg$") else ""

    def is_function_scope(self, variable: str) -> bool:
        """Whether a variable lives as long as its function: it is declared in no inner block."""
        scope = self._nodes.get(self._follow(self._nodes.get(variable, ""), "scope"), "")
        return "DISubprogram(" in scope

    def variable_type(self, number: str) -> tuple[str, bool | None]:
        """C type of a variable, and whether it is signed (None: no integer)."""
        return self.c_type(self._follow(self._nodes.get(number, ""), "type"))

    def global_type(self, expression: str) -> tuple[str, bool | None]:
        """C type of a global, by the number of its `DIGlobalVariableExpression`."""
        found = re.search(r"\bvar: !(\d+)", self._nodes.get(expression, ""))
        return self.variable_type(found[1]) if found else ("", None)

    def returned_type(self, subprogram: str) -> tuple[str, bool | None]:
        """C type of a function's result."""
        routine = self._nodes.get(self._follow(self._nodes.get(subprogram, ""), "type"), "")
        types = self._nodes.get(self._follow(routine, "types"), "")
        found = re.match(r"!\{!(\d+)", types)
        return self.c_type(found[1]) if found else ("", None)

    def c_type(self, number: str) -> tuple[str, bool | None]:
        """The text of a C type, and whether it is signed (None: no integer)."""
        if number not in self._types:
            self._types[number] = self._read_type(number)
        return self._types[number]

    def _read_type(self, number: str) -> tuple[str, bool | None]:
        name, stars, signed = "", "", None
        for _ in range(_DEPTH):
            node = self._nodes.get(number, "")
            if "DW_TAG_pointer_type" in node:
                stars += "" if name else "*"
                if name:
                    break
            elif "DW_TAG_array_type" in node:
                stars += "" if name else "[]"
            elif not name:
                name = self._own_name(node)
            if "DIBasicType" in node:
                signed = _signedness(node)
                break
            number = self._follow(node, "baseType")
            if not number:
                break
        return (name or "void") + (f" {stars}" if stars else ""), None if stars else signed

    def _own_name(self, node: str) -> str:
        found = _NAME.search(node)
        if not found:
            return ""
        keyword = next((word for tag, word in _TAGGED.items() if tag in node), "")
        return f"{keyword} {found[1]}".strip()

    def _follow(self, node: str, field: str) -> str:
        found = _FIELD[field].search(node)
        return found[1] if found else ""

    def _file(self, node: str) -> str:
        for _ in range(_DEPTH):
            file = self._follow(node, "file")
            if file:
                found = _FILE.search(self._nodes.get(file, ""))
                return found[1] if found else "?"
            node = self._nodes.get(self._follow(node, "scope"), "")
        return "?"


def _signedness(node: str) -> bool | None:
    if "DW_ATE_signed" in node:
        return True
    if "DW_ATE_unsigned" in node or "DW_ATE_boolean" in node:
        return False
    return None
