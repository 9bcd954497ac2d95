"""A control flow graph laid out in layers (Sugiyama, Tagawa, Toda 1981, in its simplest form).

cycles    an edge to what a depth-first search is inside of leads back, and is drawn at the side
layers    a node lies below all that lead to it; edges over several layers get a bend in each
order     a few sweeps of barycentres
places    each layer is centred, then nodes move towards their neighbours as far as they can
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise

from seahorn_py.base.records import dataclass
from seahorn_py.cli.reports.page.page_model import Box, Graph, Note, Way
from seahorn_py.evidence.trace.source import FlowGraph, FlowNode

MOST_NODES = 400
"""Larger functions are not drawn."""
MOST_NOTES, MOST_NOTE = 6, 56
CHARACTER, LINE = 8, 16
"""Pixels of a character and of a line."""
PADDING, BETWEEN, BELOW = 10, 28, 34
BEND = 8
SWEEPS = 6

_SAID = frozenset({"invariant", "requires", "ensures", "contract", "failed", "obstacle"})
"""Kinds of notes that stand in boxes."""

_Edges = Sequence[tuple[int, int, str]]


@dataclass(frozen=True)
class _Layered:
    """Layers of nodes and bends; of each edge the nodes and bends it passes, or that it is back."""

    layers: list[list[int]]
    ways: list[list[int]]


def drawn(flow: FlowGraph, file: int, notes: Iterable[Note]) -> Graph | None:
    """The graph with places for everything; None if it is too large."""
    if len(flow.nodes) > MOST_NODES:
        return None
    said = _notes_of(flow.nodes, notes)
    sizes = [_size(node, said[k]) for k, node in enumerate(flow.nodes)]
    back = _back(len(flow.nodes), flow.edges)
    layered = _in_layers(len(flow.nodes), flow.edges, back)
    sizes += [(BEND, 0)] * (1 + max(map(max, layered.layers)) - len(sizes))
    _order(layered)
    left = _places(layered, sizes)
    top, low = _levels(layered, sizes)
    boxes = tuple(
        Box(left[k], top[k], *sizes[k], node.texts, node.rows, node.is_test, said[k])
        for k, node in enumerate(flow.nodes)
    )
    ways, right = _ways(flow.edges, back, layered, boxes, (left, top, low))
    height = max(box.y + box.height for box in boxes) + PADDING
    return Graph(flow.function, file, right + PADDING, height, boxes, ways)


def _notes_of(nodes: Sequence[FlowNode], notes: Iterable[Note]) -> list[tuple[str, ...]]:
    """What is said of the first line of a node, at a test if there is one."""
    found: list[list[str]] = [[] for _ in nodes]
    for note in notes:
        at = [k for k, n in enumerate(nodes) if any(a <= note.at.line <= b for a, b in n.rows)]
        best = sorted(at, key=lambda k: (not nodes[k].is_test, k))
        if best and note.kind in _SAID:
            text = note.text if len(note.text) <= MOST_NOTE else note.text[: MOST_NOTE - 2] + " …"
            found[best[0]].append(text)
    return [tuple(dict.fromkeys(lines))[:MOST_NOTES] for lines in found]


def _size(node: FlowNode, notes: Sequence[str]) -> tuple[int, int]:
    lines = (*node.texts, *notes)
    return max(map(len, lines)) * CHARACTER + 2 * PADDING, len(lines) * LINE + PADDING


def _back(count: int, edges: _Edges) -> set[int]:
    """The numbers of the edges that lead back."""
    out = defaultdict(list)
    for number, (source, target, _) in enumerate(edges):
        out[source].append((number, target))
    state, found = [0] * count, set[int]()
    for root in range(count):
        pending = [(root, iter(out[root]))] if not state[root] else []
        state[root] = state[root] or 1
        while pending:
            node, rest = pending[-1]
            step = next(rest, None)
            if step is None:
                state[node] = 2
                pending.pop()
            elif state[step[1]] == 1:
                found.add(step[0])
            elif state[step[1]] == 0:
                state[step[1]] = 1
                pending.append((step[1], iter(out[step[1]])))
    return found


def _in_layers(count: int, edges: _Edges, back: set[int]) -> _Layered:
    forward = [(a, b) for k, (a, b, _) in enumerate(edges) if k not in back]
    depth = [0] * count
    for _ in range(count):
        changed = False
        for source, target in forward:
            if depth[target] <= depth[source]:
                depth[target] = depth[source] + 1
                changed = True
        if not changed:
            break
    layers: list[list[int]] = [[] for _ in range(max(depth) + 1)]
    for node in range(count):
        layers[depth[node]].append(node)
    bends = count
    ways = []
    for number, (source, target, _) in enumerate(edges):
        between = [] if number in back else range(depth[source] + 1, depth[target])
        way = [source]
        for level in between:
            layers[level].append(bends)
            way.append(bends)
            bends += 1
        ways.append([*way, target])
    return _Layered(layers, [[] if k in back else way for k, way in enumerate(ways)])


def _order(layered: _Layered) -> None:
    """Put what belongs together side by side."""
    near: dict[int, list[int]] = defaultdict(list)
    for way in layered.ways:
        for one, other in pairwise(way):
            near[one].append(other)
            near[other].append(one)
    for sweep in range(SWEEPS):
        rank = {n: k for layer in layered.layers for k, n in enumerate(layer)}
        above = {n: level for level, layer in enumerate(layered.layers) for n in layer}
        for level in range(len(layered.layers))[:: 1 if sweep % 2 == 0 else -1]:
            layer = layered.layers[level]
            mean = {}
            for node in layer:
                seen = [rank[o] for o in near[node] if (above[o] < level) == (sweep % 2 == 0)]
                mean[node] = sum(seen) / len(seen) if seen else rank[node]
            layer.sort(key=lambda node: mean[node])
            rank.update({n: k for k, n in enumerate(layer)})


def _places(layered: _Layered, sizes: Sequence[tuple[int, int]]) -> list[int]:
    """The left side of each node and bend."""
    centre = [0.0] * len(sizes)
    for layer in layered.layers:
        at = -sum(sizes[n][0] + BETWEEN for n in layer) / 2
        for node in layer:
            centre[node] = at + (sizes[node][0] + BETWEEN) / 2
            at += sizes[node][0] + BETWEEN
    near: dict[int, list[int]] = defaultdict(list)
    for way in layered.ways:
        for one, other in pairwise(way):
            near[one].append(other)
            near[other].append(one)
    for _ in range(SWEEPS):
        for layer in layered.layers:
            _move(layer, centre, near, sizes)
    lefts = [centre[n] - sizes[n][0] / 2 for n in range(len(sizes))]
    least = min(lefts)
    return [round(at - least) + PADDING for at in lefts]


def _move(
    layer: Sequence[int],
    centre: list[float],
    near: dict[int, list[int]],
    sizes: Sequence[tuple[int, int]],
) -> None:
    """Each node of a layer towards the mean of its neighbours, as far as there is room."""
    for k, node in enumerate(layer):
        if not near[node]:
            continue
        wanted = sum(centre[o] for o in near[node]) / len(near[node])
        half = sizes[node][0] / 2
        if k > 0:
            before = layer[k - 1]
            wanted = max(wanted, centre[before] + sizes[before][0] / 2 + BETWEEN + half)
        if k + 1 < len(layer):
            after = layer[k + 1]
            wanted = min(wanted, centre[after] - sizes[after][0] / 2 - BETWEEN - half)
        centre[node] = wanted


def _levels(layered: _Layered, sizes: Sequence[tuple[int, int]]) -> tuple[list[int], list[int]]:
    """The upper side of the layer of each node and bend, and the lower side."""
    top, low, at = [0] * len(sizes), [0] * len(sizes), PADDING
    for layer in layered.layers:
        height = max(sizes[node][1] for node in layer)
        for node in layer:
            top[node], low[node] = at, at + height
        at += height + BELOW
    return top, low


def _ways(
    edges: _Edges,
    back: set[int],
    layered: _Layered,
    boxes: Sequence[Box],
    at: tuple[Sequence[int], Sequence[int], Sequence[int]],
) -> tuple[tuple[Way, ...], int]:
    """The edges as lines, and the right side of the whole."""
    left, top, low = at
    out: dict[int, list[int]] = defaultdict(list)
    for number, (source, _, _) in enumerate(edges):
        out[source].append(number)
    right = max(box.x + box.width for box in boxes)
    found = []
    for number, (source, target, label) in enumerate(edges):
        one, other = boxes[source], boxes[target]
        among = out[source]
        x = one.x + one.width * (among.index(number) + 1) // (len(among) + 1)
        start, end = (x, one.y + one.height), (other.x + other.width // 2, other.y)
        if number in back:
            right += BEND * 2
            points = [start, (x, start[1] + BEND), (right, start[1] + BEND)]
            points += [(right, end[1] - BEND), (end[0] + BEND, end[1] - BEND)]
            points.append((end[0] + BEND, end[1]))
        else:
            bends = layered.ways[number][1:-1]
            straight = [(left[b] + BEND // 2, y) for b in bends for y in (top[b], low[b])]
            points = [start, *straight, end]
        found.append(Way(source, target, label, tuple(points)))
    return tuple(found), right
