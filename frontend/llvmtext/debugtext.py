"""What the debug metadata of a module say about its lines, as lowering asks.

A `debug` is the text `, !dbg !N` behind an instruction, ` !dbg !N` in a header, or "".
"""

from __future__ import annotations

from collections.abc import Mapping

from seahorn_py.base.errors import Origin, UnsupportedError
from seahorn_py.base.patterns import pattern
from seahorn_py.frontend.llvmtext.debuginfo import TRAP_MESSAGE, DebugInformation
from seahorn_py.frontend.llvmtext.lines import CallText, argument
from seahorn_py.frontend.llvmtext.metadata import Metadata

_NUMBER = pattern(r"!(\d+)")
_INTEGER = pattern(r"i\d+ ")


class DebugText:
    """Places, names and C types of one module, by `debug` or by the number of a node."""

    def __init__(self, metadata: Mapping[str, str]) -> None:
        self._metadata = Metadata(metadata)
        self._information = DebugInformation(self._metadata)
        self._types = self._information.types

    def place(self, debug: str) -> str:
        """`file:line:column` of an attachment, "" if there is none."""
        span = self.origin(debug).span
        return str(span) if span else ""

    def origin(self, debug: str) -> Origin:
        """The place of an attachment, with those of the calls it was inlined through."""
        return self._information.origin(_number(debug))

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
        """The file of the function that a header is attached to, "" if that is not known."""
        return self._metadata.follow(_number(debug), "file").path("filename")

    def name(self, number: str | None) -> str:
        """The name of a variable, label or subprogram."""
        return self._metadata.node(number).string("name")

    def trap_message(self, debug: str) -> str:
        """What clang says of a trap: the name of the scope that it puts the trap into."""
        name = self._metadata.follow(_number(debug), "scope").string("name")
        return name.rpartition("$")[2] if name.startswith(f"{TRAP_MESSAGE}$") else ""

    def is_function_scope(self, variable: str) -> bool:
        """Whether a variable lives as long as its function: it is declared in no inner block."""
        return self._metadata.follow(variable, "scope").kind == "DISubprogram"

    def variable_type(self, number: str | None) -> tuple[str, bool | None]:
        """C type of a variable, and whether it is signed (None: no integer)."""
        return self._types.outline(self._metadata.node(number).reference("type"))

    def global_type(self, expression: str) -> tuple[str, bool | None]:
        """C type of a global, by the number of its `DIGlobalVariableExpression`."""
        variable = self._metadata.node(expression).reference("var")
        return ("", None) if variable is None else self.variable_type(variable)

    def returned_type(self, subprogram: str) -> tuple[str, bool | None]:
        """C type of a function's result."""
        types = self._metadata.follow(subprogram, "type").reference("types")
        first = self._metadata.elements(types)[:1]
        return self._types.outline(first[0]) if first and first[0] else ("", None)

    def returned_node(self, debug: str) -> str:
        """The node of the type of a function's result by its header, "" if it has none."""
        types = self._metadata.follow(_number(debug), "type").reference("types")
        first = self._metadata.elements(types)[:1]
        return first[0] or "" if first else ""

    def scope(self, location: str) -> str:
        """The node of the scope that a location is in, "" if that is not known."""
        return self._metadata.node(location).reference("scope") or ""


def _number(debug: str) -> str | None:
    found = _NUMBER.search(debug)
    return found[1] if found else None
