"""How the runs of a program may end, as far as its text shows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from seahorn_py.frontend.library.contracts import Source, contracts
from seahorn_py.frontend.llvmtext.lines import LABEL, TARGET, read_call
from seahorn_py.frontend.llvmtext.module import FunctionText
from seahorn_py.ir.graph import strong_components


def allocates(functions: Mapping[str, FunctionText]) -> bool:
    """Whether some function mentions allocation from the heap."""
    names = [c.name for c in contracts().values() if c.source is Source.HEAP and c.leaves_block]
    return any(f"@{name}" in line for line in _lines(functions) for name in names)


def may_go_on(functions: Mapping[str, FunctionText]) -> bool:
    """There are loops, recursion or calls through pointers, so some run may never end."""
    return any(map(_loops, functions.values())) or _recursive(functions)


def _lines(functions: Mapping[str, FunctionText]) -> Iterable[str]:
    return (line for function in functions.values() for line in function.lines)


def _loops(function: FunctionText) -> bool:
    """Some jump goes back in the order of the text; without one there is no cycle."""
    passed: set[str] = set()
    for line in function.lines:
        named = LABEL.match(line) if line[:1] not in ("", " ") else None
        if named:
            passed.add(named[1])
        elif "label %" in line and not passed.isdisjoint(TARGET.findall(line)):
            return True
    return False


def _recursive(functions: Mapping[str, FunctionText]) -> bool:
    """Some function may call itself through others, or what it calls is not known."""
    callees: dict[str, tuple[str, ...]] = {}
    for name, function in functions.items():
        calls = [read_call(line) for line in function.lines if " call " in line]
        if None in calls:
            return True
        callees[name] = tuple(c.callee for c in calls if c is not None and c.callee in functions)
    components = strong_components(callees, callees.__getitem__)
    return any(len(c) > 1 or c[0] in callees[c[0]] for c in components)
