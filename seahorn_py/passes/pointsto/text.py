"""The points-to graph as text and as Graphviz text."""

from __future__ import annotations

from collections.abc import Iterator

from seahorn_py.ir.program import Register
from seahorn_py.ir.types import POINTER
from seahorn_py.passes.pointsto.nodes import Cell
from seahorn_py.passes.pointsto.pointsto import Node, PointsTo


def render_text(found: PointsTo) -> str:
    """A paragraph for each node: its objects, accesses and links; which registers point to it."""
    holders: dict[int, list[str]] = {number: [] for number in found.nodes}
    for holder, cell in _holders(found):
        holders[cell.node].append(f"{holder} +{cell.offset}")
    return "\n".join(
        line for number, node in found.nodes.items() for line in _lines(node, holders[number])
    )


def _holders(found: PointsTo) -> Iterator[tuple[str, Cell]]:
    for function, registers in found.registers.items():
        for name in registers:
            cell = found.cell(function, Register(name, POINTER))
            if cell is not None:
                yield f"{function}.%{name}", cell


def _lines(node: Node, holders: list[str]) -> Iterator[str]:
    marks = [f"stride {node.stride}"] if node.stride else []
    marks += ["volatile"] if node.is_volatile else []
    marks += ["outside"] if node.is_outside else []
    yield f"node {node.number}:" + (f" {', '.join(marks)}" if marks else "")
    for held, offset in node.objects:
        yield f"  {held.kind.value} {held} +{offset}"
    for (offset, size), types in sorted(node.accesses.items()):
        kinds = ", ".join(sorted(map(str, types)))
        yield f"  access +{offset}, {size} bytes: {kinds}"
    for offset, length in sorted(node.spans, key=str):
        yield f"  range +{offset}, {'any' if length is None else length} bytes"
    for offset, target in sorted(node.links.items()):
        yield f"  pointer +{offset} -> node {target.node} +{target.offset}"
    if holders:
        yield f"  held by {', '.join(sorted(holders))}"


def render_dot(found: PointsTo) -> str:
    """A record for each node, an edge for each link."""
    lines = ["digraph regions {", "  node [shape=box, fontname=monospace];"]
    for number, node in found.nodes.items():
        text = "\\l".join(line.replace('"', "'") for line in _lines(node, [])) + "\\l"
        lines.append(f'  n{number} [label="{text}"];')
        lines.extend(
            f'  n{number} -> n{target.node} [label="+{offset}"];'
            for offset, target in sorted(node.links.items())
        )
    return "\n".join([*lines, "}"])
