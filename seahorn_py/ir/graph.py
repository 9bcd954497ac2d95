"""Graph algorithms on control flow and calls; all iterative, linear or nearly so.

Depth-first orders take successors as the terminator names them, so every order is a function of the
program alone.  Unreachable blocks take no part: they are in no order, dominate nothing and are
dominated by nothing.

- Dominators: Lengauer, Tarjan, "A Fast Algorithm for Finding Dominators in a Flowgraph" (1979), the
  simple version: `immediate_dominators`, `_Forest`.  Frontiers: Cooper, Harvey, Kennedy, "A Simple,
  Fast Dominance Algorithm" (2001): `dominance_frontiers`.
- Components: Tarjan, "Depth-First Search and Linear Graph Algorithms" (1972):
  `strong_components`, callees first.
- Liveness: the classic backward data flow, over a work list.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from typing import TypeVar

from seahorn_py.base.records import dataclass
from seahorn_py.ir.program import SILENT, Address, Block, Call, Function, Program, Register
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


def reached(
    starts: Iterable[N], follow: Mapping[N, Iterable[N]], ends: frozenset[N] = frozenset()
) -> frozenset[N]:
    """The starts and what edges lead to from them; `ends` are in it, and their edges not taken."""
    found = set(ends)
    pending = list(starts)
    while pending:
        node = pending.pop()
        if node not in found:
            found.add(node)
            pending.extend(follow[node])
    return frozenset(found)


@dataclass(frozen=True)
class DepthFirst:
    """A depth-first search: orders, its tree, and the edges into blocks still on the stack."""

    preorder: tuple[str, ...]
    postorder: tuple[str, ...]
    parents: Mapping[str, str]
    retreating: tuple[tuple[str, str], ...]


def depth_first(function: Function) -> DepthFirst:
    """Search from the entry block."""
    follow = successors(function)
    order: list[str] = []
    retreating: list[tuple[str, str]] = []
    start = function.entry.label
    parents: dict[str, str] = {}
    open_labels, seen = {start}, {start: None}
    stack = [(start, iter(follow[start]))]
    while stack:
        label, rest = stack[-1]
        for target in rest:
            if target in open_labels:
                retreating.append((label, target))
            elif target not in seen:
                seen[target] = None
                parents[target] = label
                open_labels.add(target)
                stack.append((target, iter(follow[target])))
                break
        else:
            stack.pop()
            open_labels.remove(label)
            order.append(label)
    return DepthFirst(tuple(seen), tuple(order), parents, tuple(retreating))


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
    search = depth_first(function)
    order, before = search.preorder, predecessors(function)
    number = {label: k for k, label in enumerate(order)}
    parent = [number[search.parents.get(label, label)] for label in order]
    size = len(order)
    forest = _Forest(size)
    semi, dominator = forest.semi, [0] * size
    buckets: list[list[int]] = [[] for _ in order]
    for node in range(size - 1, 0, -1):
        sources = [number[p] for p in before[order[node]] if p in number]
        semi[node] = min(semi[forest.least(source)] for source in sources)
        buckets[semi[node]].append(node)
        forest.ancestor[node] = parent[node]
        for other in buckets[parent[node]]:
            least = forest.least(other)
            dominator[other] = least if semi[least] < semi[other] else parent[node]
        buckets[parent[node]].clear()
    for node in range(1, size):
        if dominator[node] != semi[node]:
            dominator[node] = dominator[dominator[node]]
    return {order[node]: order[dominator[node]] for node in range(1, size)}


class _Forest:
    """The spanning forest of Lengauer and Tarjan, with path compression."""

    def __init__(self, size: int) -> None:
        self.semi = list(range(size))
        self.ancestor = [-1] * size
        self._label = list(range(size))

    def least(self, node: int) -> int:
        """The node with the least semidominator between `node` and below the root of its tree."""
        ancestor, label, semi = self.ancestor, self._label, self.semi
        path = []
        walk = node
        while ancestor[walk] >= 0 and ancestor[ancestor[walk]] >= 0:
            path.append(walk)
            walk = ancestor[walk]
        for below in reversed(path):
            above = ancestor[below]
            if semi[label[above]] < semi[label[below]]:
                label[below] = label[above]
            ancestor[below] = ancestor[above]
        return label[node]


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
                if label in frontiers[runner]:
                    break
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
    low: dict[N, int] = {}  # of the nodes whose component is not complete
    pending: list[N] = []
    components: list[tuple[N, ...]] = []
    stack: list[tuple[N, Iterator[N]]] = []

    def enter(node: N) -> None:
        index[node] = low[node] = len(index)
        pending.append(node)
        stack.append((node, iter(follow(node))))

    for root in nodes:
        if root not in index:
            enter(root)
        while stack:
            node, rest = stack[-1]
            for target in _unseen(node, rest, index, low):
                enter(target)
                break
            else:
                stack.pop()
                if stack:
                    low[stack[-1][0]] = min(low[stack[-1][0]], low[node])
                if low[node] == index[node]:
                    components.append(_pop_component(pending, low, node))
    return tuple(components)


def _unseen(node: N, rest: Iterator[N], index: dict[N, int], low: dict[N, int]) -> Iterator[N]:
    """The targets that were not entered yet; those on the way to the node lower its number."""
    for target in rest:
        if target not in index:
            yield target
        elif target in low:
            low[node] = min(low[node], index[target])


def _pop_component(pending: list[N], low: dict[N, int], root: N) -> tuple[N, ...]:
    position = len(pending) - 1
    while pending[position] != root:
        position -= 1
    component = tuple(pending[position:])
    del pending[position:]
    for node in component:
        del low[node]
    return component


# ---------------------------------------------------------------------------------------- calls


def silent(program: Program) -> tuple[str, ...]:
    """The functions without body that the program calls and that change nothing in a run."""
    called = (str(call.callee) for f in program.functions.values() for call in calls(f))
    names = (name.removeprefix(SILENT) for name in called if name.startswith(SILENT))
    return tuple(dict.fromkeys(names))


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


def accepts(function: Function, call: Call) -> bool:
    """Whether a call through a pointer is one of the function; it does not read arguments beyond
    its parameters, as those of old-style C.
    """
    parameters = tuple(p.type for p in function.parameters)
    given = tuple(argument.type for argument in call.arguments)
    wanted = tuple(result.type for result in call.results)
    return given[: len(parameters)] == parameters and wanted in ((), function.results)


def call_graph(program: Program) -> dict[str, tuple[str, ...]]:
    """Function -> functions of the program it may call.

    A call through a register may reach every function whose address is taken.
    """
    made = {name: calls(function) for name, function in program.functions.items()}
    is_indirect = any(not isinstance(c.callee, str) for found in made.values() for c in found)
    taken = sorted(addresses_taken(program)) if is_indirect else []
    graph: dict[str, tuple[str, ...]] = {}
    for name, found in made.items():
        callees: dict[str, None] = {}
        for call in found:
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
