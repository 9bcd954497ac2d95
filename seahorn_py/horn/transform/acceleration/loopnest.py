"""How the loops of a graph nest, and how deep the relations of a system lie in its loops.

Loops nest as in a weak topological order (Bourdoncle 1993): each component has a head, and every
edge that goes back goes to the head of a component that it lies in.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from seahorn_py.base.records import dataclass
from seahorn_py.horn.system import Atom, HornSystem, Rule

Edges = Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class Address:
    """Where a relation lies in the order: a position in each component around it and its own.

    `heads` are the heads of the components around it, from the outermost.
    """

    positions: tuple[int, ...]
    heads: tuple[str, ...]


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
        inside = [name for name in edges if name in part]
        graph = {name: [t for t in edges[name] if t in part] for name in inside}
        for component in components(inside, graph):
            inner = level + 1 if _repeats(edges, component) else level
            head = _head(edges, component)
            rest = frozenset(component) - {head}
            depth[head] = -inner, bool(rest)
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


def _repeats(edges: Edges, component: Collection[str]) -> bool:
    (first, *others) = component
    return bool(others) or first in edges[first]


def _head(edges: Edges, component: Collection[str]) -> str:
    """The first relation of a component that is entered from outside."""
    entered = {
        target
        for source, targets in edges.items()
        if source not in component
        for target in targets
        if target in component
    }
    return next(name for name in edges if name in (entered or component))


def addresses(edges: Mapping[str, Sequence[str]]) -> dict[str, Address]:
    """The weak topological order of a graph, as the address of each vertex.

    A component is ordered by taking away the edges to its head, the first vertex that a walk from
    the roots meets, and ordering what is left.
    """
    found: dict[str, Address] = {}
    todo: list[tuple[list[str], tuple[int, ...], tuple[str, ...]]] = [(list(edges), (), ())]
    while todo:
        vertices, positions, heads = todo.pop()
        ignored = heads[-1] if heads else None
        inside = set(vertices)
        graph = {v: [w for w in edges[v] if w in inside and w != ignored] for v in vertices}
        for number, component in enumerate(components(vertices, graph)):
            inner = (*positions, number)
            if len(component) == 1 and component[0] not in graph[component[0]]:
                found[component[0]] = Address(inner, heads)
                continue
            head = component[0]
            todo.append((component, inner, (*heads, head)))
    return found


def components(vertices: Iterable[str], graph: Mapping[str, Sequence[str]]) -> list[list[str]]:
    """Strongly connected components in topological order, their first-met vertex in front (Tarjan).

    The sequence of roots is the order of `vertices`.
    """
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    on_stack: set[str] = set()
    found: list[list[str]] = []
    for root in vertices:
        if root in index:
            continue
        walk = [(root, iter(graph[root]))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        while walk:
            vertex, successors = walk[-1]
            following = next(successors, None)
            if following is None:
                walk.pop()
                if walk:
                    low[walk[-1][0]] = min(low[walk[-1][0]], low[vertex])
                if low[vertex] == index[vertex]:
                    found.append(_popped(stack, vertex))
                    on_stack.difference_update(found[-1])
            elif following not in index:
                index[following] = low[following] = len(index)
                stack.append(following)
                on_stack.add(following)
                walk.append((following, iter(graph[following])))
            elif following in on_stack:
                low[vertex] = min(low[vertex], index[following])
    return found[::-1]


def _popped(stack: list[str], first: str) -> list[str]:
    """What lies on the stack from `first` on, taken off."""
    component = [stack.pop()]
    while component[-1] != first:
        component.append(stack.pop())
    return component[::-1]
