"""The dialect of GraphML in which SeaHorn wrote counterexamples in 2015 (`--cex`).

There is one edge for each step of the run, in order, with its line and file, and the functions that
it enters and leaves.  The last node is the violation.  There are no assumptions, hashes or times;
validators of today read the format of `witness.graphml.witnesses`.
"""

from __future__ import annotations

from seahorn_py.result import TraceStep, Violation
from seahorn_py.witness.graphml.automaton import Data, Edge, Graph, Key, printed

_KEYS = (
    Key("sourcecodelang", "string", "graph", "sourcecodeLanguage"),
    *(Key(name, "string", "graph") for name in ("producer", "specification", "memorymodel")),
    Key("architecture", "string", "graph"),
    Key("entry", "boolean", "node", "isEntryNode"),
    Key("sink", "boolean", "node", "isSinkNode"),
    Key("violation", "boolean", "node", "isViolationNode"),
    Key("originline", "int", "edge", "startline"),
    Key("originfile", "string", "edge", "originFileName"),
    Key("enterFunction", "string", "edge"),
    Key("returnFrom", "string", "edge", "returnFromFunction"),
)


def violation_text(violation: Violation, specification: str, bits: int) -> str:
    """The run of a violation; `specification` is the line that it violates."""
    steps = [step for step in violation.trace if step.place.line]
    about = {
        "sourcecodelang": ["C"],
        "producer": ["sea-py"],
        "specification": [specification],
        "memorymodel": ["simple"],
        "architecture": [f"{bits}bit"],
    }
    nodes: dict[str, Data] = {str(number): {} for number in range(len(steps) + 1)}
    nodes["0"] |= {"entry": ["true"]}
    nodes[str(len(steps))] |= {"violation": ["true"]}
    return printed(Graph(about, nodes, _edges(steps)), _KEYS)


def _edges(steps: list[TraceStep]) -> list[Edge]:
    found: list[Edge] = []
    callers: list[str] = []
    for number, step in enumerate(steps):
        functions = [step.place.function, *(span.function for span in step.chain)][::-1]
        data = {"originline": [str(step.place.line)], "originfile": [step.place.file]}
        if functions != callers:
            common = _common(callers, functions)
            if common < len(callers):
                data["returnFrom"] = [callers[common]]
            if common < len(functions):
                data["enterFunction"] = [functions[-1]]
        callers = functions
        found.append(Edge(str(number), str(number + 1), data))
    return found


def _common(one: list[str], other: list[str]) -> int:
    pairs = zip(one, other, strict=False)
    return next((k for k, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))
