"""How deep the relations of a system lie in its loops, inner loops first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from seahorn_py.horn.system import Atom, HornSystem, Rule

Edges = Mapping[str, Sequence[str]]


def may_repeat(system: HornSystem) -> bool:
    """Whether rules with one premise lead from some relation back to it."""
    edges = _edges(system, [rule for rule in system.rules if len(rule.body) == 1])
    return any(_repeats(edges, component) for component in components(edges, edges))


def inside_out(system: HornSystem) -> list[str]:
    """The relations, those in the innermost loops first, heads of loops after what they contain."""
    edges = _edges(system, system.rules)
    depth: dict[str, tuple[int, bool]] = {}
    pending: list[tuple[frozenset[str], int]] = [(frozenset(edges), 0)]
    while pending:
        part, level = pending.pop()
        for component in components(edges, part):
            inner = level + 1 if _repeats(edges, component) else level
            head = _head(edges, component)
            depth[head] = -inner, bool(component - {head})
            rest = component - {head}
            if rest:
                pending.append((rest, inner))
    order = {name: k for k, name in enumerate(edges)}
    return sorted(depth, key=lambda name: (*depth[name], order[name]))


def _edges(system: HornSystem, rules: Iterable[Rule]) -> dict[str, list[str]]:
    edges: dict[str, list[str]] = {name: [] for name in system.relations}
    for rule in rules:
        if isinstance(rule.head, Atom):
            for premise in rule.body:
                edges[premise.relation].append(rule.head.relation)
    return edges


def _repeats(edges: Edges, component: frozenset[str]) -> bool:
    (first, *others) = component
    return bool(others) or first in edges[first]


def _head(edges: Edges, component: frozenset[str]) -> str:
    """The first relation of a component that is entered from outside."""
    entered = {
        target
        for source, targets in edges.items()
        if source not in component
        for target in targets
        if target in component
    }
    return next(name for name in edges if name in (entered or component))


def components(edges: Edges, part: Iterable[str]) -> list[frozenset[str]]:
    """The strongly connected components of a part of a graph (Tarjan 1972), without recursion."""
    inside = set(part)
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    open_: set[str] = set()
    found: list[frozenset[str]] = []
    for root in (name for name in edges if name in inside):
        if root in index:
            continue
        work = [(root, iter(edges[root]))]
        index[root] = low[root] = len(index)
        stack.append(root)
        open_.add(root)
        while work:
            name, targets = work[-1]
            target = next((t for t in targets if t in inside), None)
            if target is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[name])
                if low[name] == index[name]:
                    found.append(_popped(stack, open_, name))
            elif target not in index:
                index[target] = low[target] = len(index)
                stack.append(target)
                open_.add(target)
                work.append((target, iter(edges[target])))
            elif target in open_:
                low[name] = min(low[name], index[target])
    return found


def _popped(stack: list[str], open_: set[str], name: str) -> frozenset[str]:
    component = []
    while True:
        component.append(stack.pop())
        open_.discard(component[-1])
        if component[-1] == name:
            return frozenset(component)
