"""The dialect of GraphML in which SeaHorn wrote counterexamples in 2015 (`--cex`).

One edge for each step of the run, in order, with its line and file, and the functions that it
enters and leaves; the last node is the violation.  There are no assumptions, hashes or times, and
attributes are in single quotes: validators of today take the format of `witness.graphml_writing`.
"""

from __future__ import annotations

from collections.abc import Iterator

from seahorn_py.result import TraceStep, Violation
from seahorn_py.witness.graphml_writing import xml_text

_KEYS = (
    ("sourcecodelang", "sourcecodeLanguage", "string", "graph"),
    ("producer", "producer", "string", "graph"),
    ("specification", "specification", "string", "graph"),
    ("memorymodel", "memorymodel", "string", "graph"),
    ("architecture", "architecture", "string", "graph"),
    ("entry", "isEntryNode", "boolean", "node"),
    ("sink", "isSinkNode", "boolean", "node"),
    ("violation", "isViolationNode", "boolean", "node"),
    ("originline", "startline", "int", "edge"),
    ("originfile", "originFileName", "string", "edge"),
    ("enterFunction", "enterFunction", "string", "edge"),
    ("returnFrom", "returnFromFunction", "string", "edge"),
)


def violation_text(violation: Violation, specification: str, bits: int) -> str:
    """The run of a violation; `specification` is the line that it violates."""
    steps = [step for step in violation.trace if step.place.line]
    return "\n".join(
        [
            "<?xml version='1.0' encoding='UTF-8'?>",
            "<graphml xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance' "
            "xmlns='http://graphml.graphdrawing.org/xmlns'>",
            *_keys(),
            "<graph edgedefault='directed'>",
            _data("sourcecodelang", "C"),
            _data("producer", "sea-py"),
            _data("specification", specification),
            _data("memorymodel", "simple"),
            _data("architecture", f"{bits}bit"),
            *_nodes(len(steps)),
            *_edges(steps),
            "</graph>",
            "</graphml>",
            "",
        ]
    )


def _keys() -> Iterator[str]:
    for key, name, kind, owner in _KEYS:
        head = f"<key id='{key}' attr.name='{name}' attr.type='{kind}' for='{owner}'"
        yield f"{head}><default>false</default></key>" if owner == "node" else f"{head}/>"


def _data(key: str, text: str) -> str:
    return f"<data key='{key}'>{xml_text(text)}</data>"


def _nodes(count: int) -> Iterator[str]:
    """One before each step and one after the last."""
    for number in range(count + 1):
        marks = [_data("entry", "true")] if number == 0 else []
        marks += [_data("violation", "true")] if number == count else []
        yield f"<node id='{number}'>{''.join(marks)}</node>" if marks else f"<node id='{number}'/>"


def _edges(steps: list[TraceStep]) -> Iterator[str]:
    callers: list[str] = []
    for number, step in enumerate(steps):
        functions = [step.place.function, *(span.function for span in step.chain)][::-1]
        data = [_data("originline", str(step.place.line)), _data("originfile", step.place.file)]
        if functions != callers:
            common = _common(callers, functions)
            data += [_data("returnFrom", name) for name in callers[common:][:1]]
            data += [_data("enterFunction", name) for name in functions[common:][-1:]]
        callers = functions
        yield f"<edge source='{number}' target='{number + 1}'>{''.join(data)}</edge>"


def _common(one: list[str], other: list[str]) -> int:
    pairs = zip(one, other, strict=False)
    return next((k for k, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))
