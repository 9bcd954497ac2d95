"""What functions of the C library give, as debug records that a trace shows.

Once a model is inlined nothing tells what its call gave.  A record behind the call binds a variable
`f()`, a name that no variable of C can have, to the result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from seahorn_py.base.patterns import pattern
from seahorn_py.frontend.library.contracts import contracts, plain_name
from seahorn_py.frontend.llvmtext.debugtext import DebugText
from seahorn_py.frontend.llvmtext.lines import CallText, read_call
from seahorn_py.frontend.llvmtext.module import FunctionText, ModuleText

_LOCATION = pattern(r"!(\d+)")
_SCALAR = pattern(r"i\d+|ptr|float|double")
_PARTS = {
    "sea.scan.count": "scanf",
    "sea.scan.count.of": "fscanf",
    "sea.printed.any": "printf",
    "sea.printed.any.of": "fprintf",
    "sea.printed.end": "printf",
    "sea.printed.end.of": "fprintf",
    "sea.parsed.end": "sscanf",
    "sea.environment": "getenv",
    "sea.checked.calloc": "calloc",
    "sea.checked.realloc": "realloc",
}
"""Models of parts of a function, and the function that was called."""


class Results:
    """Adds records to the lines of one module, and their nodes to its metadata."""

    def __init__(
        self, module: ModuleText, debug: DebugText, is_model: Callable[[FunctionText], bool]
    ) -> None:
        self._module = module
        self._debug = debug
        self._names = {
            name: called
            for name, function in module.functions.items()
            if is_model(function) and (called := _called(name))
        }
        self._known: dict[tuple[str, str], int] = {}
        self._next = max(map(int, module.metadata), default=-1) + 1

    def told(self, lines: Sequence[str]) -> Sequence[str]:
        """The lines, each call of a model with what it gives."""
        if not self._names:
            return lines
        return [part for line in lines for part in (line, *self._record(line))]

    def _record(self, line: str) -> Iterable[str]:
        call = read_call(line) if " call " in line else None
        if call is None or call.result is None or call.callee not in self._names:
            return
        location = _LOCATION.search(call.debug)
        scope = self._debug.scope(location[1]) if location else ""
        kind = self._debug.returned_node(self._module.functions[call.callee].debug)
        if location and scope and kind and _SCALAR.fullmatch(call.type):
            variable = self._variable(call, scope, kind)
            bound = f"{call.type} {call.result}, !{variable}, !DIExpression()"
            yield f"    #dbg_value({bound}, !{location[1]})"

    def _variable(self, call: CallText, scope: str, kind: str) -> int:
        key = self._names[call.callee], scope
        if key not in self._known:
            self._known[key] = self._next
            name = f'name: "{key[0]}()", scope: !{scope}, type: !{kind}'
            self._module.metadata[str(self._next)] = f"!DILocalVariable({name})"
            self._next += 1
        return self._known[key]


def _called(name: str) -> str:
    """The function of the library that a model stands for, "" for a part of one."""
    name = _PARTS.get(name, name).removeprefix("sea.failing.")
    return plain_name(name) if plain_name(name) in contracts() else ""
