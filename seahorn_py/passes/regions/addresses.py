"""Where objects lie.

An object of which there is never more than one at a time has a fixed address, that of a global: a
global itself, the slot of a function that is not recursive, a block that is allocated at most once.
All others take the next free addresses from a counter that only grows, `heap.next`; nothing is used
again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from seahorn_py.base.records import dataclass
from seahorn_py.ir.graph import (
    addresses_taken,
    calls,
    recursive_functions,
    strong_components,
    successors,
)
from seahorn_py.ir.program import Call, Function, Global, Program
from seahorn_py.ir.traverse import results
from seahorn_py.passes.pointsto.bindings import Kind, Object

HEAP = "sea.heap"
ALIGN = 16
"""Alignment of objects that have no other, and the least gap between two of the counter."""


@dataclass(frozen=True)
class Placement:
    """The globals that objects with fixed addresses are (or become), by object."""

    symbols: dict[Object, str]

    def symbol(self, found: Object) -> str | None:
        """The symbol that is the object's address; None: the counter gives its addresses."""
        return self.symbols.get(found)


def place(program: Program, objects: Iterable[Object]) -> Placement:
    """Decide which of the objects have fixed addresses."""
    recursive = recursive_functions(program)
    once = called_once(program, recursive)
    repeated = {name: _repeated(f) for name, f in program.functions.items()}
    taken = {*program.globals, *program.functions}
    symbols: dict[Object, str] = {}
    for found in objects:
        if found.kind is Kind.GLOBAL:
            symbols[found] = found.name
            continue
        function = found.function
        if found.size is None or function is None or found.name in repeated[function]:
            continue
        is_single = function in once if found.kind is Kind.HEAP else function not in recursive
        if is_single:
            symbols[found] = _fresh(f"{function}.{found.name}", taken)
    return Placement(symbols)


def _fresh(stem: str, taken: set[str]) -> str:
    name, number = stem, 2
    while name in taken:
        name, number = f"{stem}.{number}", number + 1
    taken.add(name)
    return name


def placed(program: Program, placement: Placement) -> Program:
    """The program with globals for the objects with fixed addresses, and one for the counter."""
    added = {
        symbol: Global(symbol, found.size or 0, ALIGN, False, ())
        for found, symbol in placement.symbols.items()
        if found.kind is not Kind.GLOBAL
    }
    heap = Global(HEAP, ALIGN, ALIGN, False, ())
    return replace(program, globals={**program.globals, **added, HEAP: heap})


def _repeated(function: Function) -> frozenset[str]:
    """The registers that a cycle of the function assigns: more than once in an activation."""
    follow = successors(function)
    cyclic: set[str] = set()
    for component in strong_components(follow, follow.__getitem__):
        label = component[0]
        if len(component) > 1 or label in follow[label]:
            cyclic.update(component)
    return frozenset(
        register.name
        for block in function.blocks
        if block.label in cyclic
        for statement in block.statements
        for register in results(statement)
    )


def called_once(program: Program, recursive: frozenset[str]) -> frozenset[str]:
    """The functions that are called at most once in a run: by one statement that runs once."""
    counts: dict[str, int] = dict.fromkeys(program.functions, 0)
    sites: dict[str, str] = {}
    for caller, function in program.functions.items():
        for name, is_repeated in _called(function):
            if name in counts:
                counts[name] += 2 if is_repeated else 1
                sites[name] = caller
    taken = addresses_taken(program)
    indirect = any(
        not isinstance(c.callee, str) for f in program.functions.values() for c in calls(f)
    )
    once: set[str] = {program.entry} if counts.get(program.entry) == 0 else set()
    follow: dict[str, list[str]] = {}
    for name, caller in sites.items():
        follow.setdefault(caller, []).append(name)
    pending = list(once)
    while pending:
        for name in follow.get(pending.pop(), ()):
            if counts[name] == 1 and not (indirect and name in taken) and name not in recursive:
                once.add(name)
                pending.append(name)
    return frozenset(once)


def _called(function: Function) -> Iterator[tuple[str, bool]]:
    """Each call by name, and whether it may happen more than once in an activation."""
    follow = successors(function)
    cyclic = {
        label
        for component in strong_components(follow, follow.__getitem__)
        for label in component
        if len(component) > 1 or label in follow[label]
    }
    for block in function.blocks:
        for statement in block.statements:
            if isinstance(statement, Call) and isinstance(statement.callee, str):
                yield statement.callee, block.label in cyclic
