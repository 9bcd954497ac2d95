"""Graph algorithms on control flow and calls; all iterative, linear or nearly so.

Depth-first orders take successors as the terminator names them, so every order is a function of the
program alone.  Unreachable blocks take no part: they are in no order, dominate nothing and are
dominated by nothing.

- Dominators and frontiers: Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm" (2001):
  `immediate_dominators`, `dominance_frontiers`.
- Components: Tarjan, "Depth-First Search and Linear Graph Algorithms" (1972):
  `strong_components`, callees first.
- Liveness: the classic backward data flow, over a work list.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from seahorn_py.ir.program import Address, Block, Call, Function, Program, Register
from seahorn_py.ir.traverse import operands, results, targets, uses

N = TypeVar("N", bound=Hashable)
Edges = Mapping[str, tuple[str, ...]]


def blocks_by_label(function: Function) -> dict[str, Block]:
    """The blocks of a function by label."""
    return {block.label: block for block in function.blocks}


def successors(function: Function) -> dict[str, tuple[str, ...]]:
    """Label -> labels that may come next, without repetition."""
    return {block.label: targets(block.terminator) for block in function.blocks}


def predecessors(function: Function) -> dict[str, tuple[str, ...]]:
    """Label -> labels it may be reached from, in the order of the blocks."""
    found: dict[str, list[str]] = {block.label: [] for block in function.blocks}
    for block in function.blocks:
        for target in targets(block.terminator):
            found[target].append(block.label)
    return {label: tuple(labels) for label, labels in found.items()}


@dataclass(frozen=True)
class DepthFirst:
    """A depth-first search: finishing order, and edges into blocks still on the stack."""

    postorder: tuple[str, ...]
    retreating: tuple[tuple[str, str], ...]


def depth_first(function: Function) -> DepthFirst:
    """Search from the entry block."""
    follow = successors(function)
    order: list[str] = []
    retreating: list[tuple[str, str]] = []
    start = function.entry.label
    open_labels, seen = {start}, {start}
    stack = [(start, iter(follow[start]))]
    while stack:
        label, rest = stack[-1]
        for target in rest:
            if target in open_labels:
                retreating.append((label, target))
            elif target not in seen:
                seen.add(target)
                open_labels.add(target)
                stack.append((target, iter(follow[target])))
                break
        else:
            stack.pop()
            open_labels.remove(label)
            order.append(label)
    return DepthFirst(tuple(order), tuple(retreating))


def reverse_postorder(function: Function) -> tuple[str, ...]:
    """The reachable labels, each before its successors except along retreating edges."""
    return depth_first(function).postorder[::-1]


def loop_heads(function: Function) -> tuple[str, ...]:
    """Targets of retreating edges, in reverse postorder: every cycle contains one."""
    search = depth_first(function)
    heads = {target for _, target in search.retreating}
    return tuple(label for label in search.postorder[::-1] if label in heads)


# ------------------------------------------------------------------------------------ dominance


def immediate_dominators(function: Function) -> dict[str, str]:
    """Reachable label -> the label of its immediate dominator; the entry has none."""
    order = reverse_postorder(function)
    number = {label: k for k, label in enumerate(order)}
    before = [
        [number[p] for p in labels if p in number]
        for labels in map(predecessors(function).__getitem__, order)
    ]
    parent: list[int] = [0] + [-1] * (len(order) - 1)
    changed = True
    while changed:
        changed = False
        for node in range(1, len(order)):
            known = [p for p in before[node] if parent[p] >= 0]
            best = known[0]
            for other in known[1:]:
                best = _meet(parent, best, other)
            if parent[node] != best:
                parent[node] = best
                changed = True
    return {order[node]: order[parent[node]] for node in range(1, len(order))}


def _meet(parent: Sequence[int], a: int, b: int) -> int:
    """The nearest common ancestor in the dominator tree so far."""
    while a != b:
        while a > b:
            a = parent[a]
        while b > a:
            b = parent[b]
    return a


@dataclass(frozen=True)
class DominatorTree:
    """Answers `dominates` in constant time by the interval of each subtree in a preorder."""

    first: Mapping[str, int]
    last: Mapping[str, int]
    preorder: tuple[str, ...]

    def dominates(self, a: str, b: str) -> bool:
        """Every path from the entry to `b` goes through `a`; true for `a == b`."""
        if a not in self.first or b not in self.first:
            return False
        return self.first[a] <= self.first[b] <= self.last[a]


def dominator_tree(function: Function) -> DominatorTree:
    """The dominator tree of the reachable blocks, children in reverse postorder."""
    children: dict[str, list[str]] = {label: [] for label in reverse_postorder(function)}
    parents = immediate_dominators(function)
    for label in children:
        if label in parents:
            children[parents[label]].append(label)
    preorder: list[str] = []
    stack = [function.entry.label]
    while stack:
        preorder.append(stack.pop())
        stack.extend(reversed(children[preorder[-1]]))
    first = {label: k for k, label in enumerate(preorder)}
    last = dict(first)
    for label in reversed(preorder[1:]):
        last[parents[label]] = max(last[parents[label]], last[label])
    return DominatorTree(first, last, tuple(preorder))


def dominance_frontiers(function: Function) -> dict[str, tuple[str, ...]]:
    """Reachable label -> where its dominance ends, and its definitions need phis."""
    parents = immediate_dominators(function)
    frontiers: dict[str, dict[str, None]] = {label: {} for label in reverse_postorder(function)}
    for label, before in predecessors(function).items():
        if label not in frontiers:
            continue
        for runner in before:
            while runner in frontiers and runner != parents.get(label):
                frontiers[runner][label] = None
                if runner not in parents:
                    break
                runner = parents[runner]
    return {label: tuple(found) for label, found in frontiers.items()}


# ----------------------------------------------------------------------------------- components


def strong_components(
    nodes: Iterable[N], follow: Callable[[N], Iterable[N]]
) -> tuple[tuple[N, ...], ...]:
    """Strongly connected components, each after those it leads to (callees first)."""
    index: dict[N, int] = {}
    low: dict[N, int] = {}
    pending: list[N] = []
    waiting: set[N] = set()
    components: list[tuple[N, ...]] = []
    stack: list[tuple[N, Iterator[N]]] = []

    def enter(node: N) -> None:
        index[node] = low[node] = len(index)
        pending.append(node)
        waiting.add(node)
        stack.append((node, iter(follow(node))))

    for root in nodes:
        if root not in index:
            enter(root)
        while stack:
            node, rest = stack[-1]
            for target in rest:
                if target not in index:
                    enter(target)
                    break
                if target in waiting:
                    low[node] = min(low[node], index[target])
            else:
                stack.pop()
                if stack:
                    parent = stack[-1][0]
                    low[parent] = min(low[parent], low[node])
                if low[node] == index[node]:
                    components.append(_pop_component(pending, waiting, node))
    return tuple(components)


def _pop_component(pending: list[N], waiting: set[N], root: N) -> tuple[N, ...]:
    position = len(pending) - 1
    while pending[position] != root:
        position -= 1
    component = tuple(pending[position:])
    del pending[position:]
    waiting.difference_update(component)
    return component


# ---------------------------------------------------------------------------------------- calls


def calls(function: Function) -> tuple[Call, ...]:
    """The calls of a function in the order of its text."""
    return tuple(s for block in function.blocks for s in block.statements if isinstance(s, Call))


def addresses_taken(program: Program) -> frozenset[str]:
    """Functions whose address appears as a value, in code or in the initial memory."""
    found: set[str] = set()
    for item in program.globals.values():
        found.update(v.symbol for _, v in item.leaves if isinstance(v, Address) and v.symbol)
    for function in program.functions.values():
        for block in function.blocks:
            values = [v for phi in block.phis for _, v in phi.incoming]
            for node in (*block.statements, block.terminator):
                values.extend(operands(node))
            found.update(v.symbol for v in values if isinstance(v, Address) and v.symbol)
    return frozenset(found & program.functions.keys())


def call_graph(program: Program) -> dict[str, tuple[str, ...]]:
    """Function -> functions of the program it may call.

    A call through a register may reach every function whose address is taken.
    """
    taken = sorted(addresses_taken(program))
    graph: dict[str, tuple[str, ...]] = {}
    for name, function in program.functions.items():
        callees: dict[str, None] = {}
        for call in calls(function):
            named = [call.callee] if isinstance(call.callee, str) else taken
            callees.update((callee, None) for callee in named if callee in program.functions)
        graph[name] = tuple(callees)
    return graph


def recursive_functions(program: Program) -> frozenset[str]:
    """Functions that may be active twice at a time."""
    graph = call_graph(program)
    cyclic = {
        name
        for component in strong_components(graph, graph.__getitem__)
        for name in component
        if len(component) > 1 or name in graph[name]
    }
    return frozenset(cyclic)


# ------------------------------------------------------------------------------------- liveness


def live_after_phis(function: Function) -> dict[str, frozenset[Register]]:
    """Label -> registers with a value at the end of the block's phis that the run may still need.

    An operand of a phi is needed at the end of the predecessor it belongs to.  Debug records need
    nothing.
    """
    local = {block.label: _local(block) for block in function.blocks}
    phi_needs = _phi_needs(function)
    phi_results = {b.label: frozenset(phi.result for phi in b.phis) for b in function.blocks}
    follow, before = successors(function), predecessors(function)
    live: dict[str, frozenset[Register]] = {label: frozenset() for label in local}
    work = deque(dict.fromkeys((*depth_first(function).postorder, *local)))
    waiting = set(work)
    while work:
        label = work.popleft()
        waiting.remove(label)
        out: set[Register] = set(phi_needs[label])
        for target in follow[label]:
            out |= live[target] - phi_results[target]
        used, assigned = local[label]
        now = used | (out - assigned)
        if now != live[label]:
            live[label] = frozenset(now)
            work.extend(p for p in before[label] if p not in waiting)
            waiting.update(before[label])
    return live


def _local(block: Block) -> tuple[frozenset[Register], frozenset[Register]]:
    """Registers used before they are assigned after the phis, and those assigned there."""
    used: set[Register] = set()
    assigned: set[Register] = set()
    for statement in block.statements:
        used.update(r for r in uses(statement) if r not in assigned)
        assigned.update(results(statement))
    used.update(r for r in uses(block.terminator) if r not in assigned)
    return frozenset(used), frozenset(assigned)


def _phi_needs(function: Function) -> dict[str, set[Register]]:
    """Label -> registers that phis of its successors read at its end."""
    needs: dict[str, set[Register]] = {block.label: set() for block in function.blocks}
    for block in function.blocks:
        for phi in block.phis:
            for label, value in phi.incoming:
                if isinstance(value, Register):
                    needs[label].add(value)
    return needs
