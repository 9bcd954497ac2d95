"""Witnesses written out for tests: YAML 2.0 from waypoints or invariants, small GraphML."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from seahorn_py.cli.commands.validate import validated
from seahorn_py.options import FrontendOptions, VerifyOptions
from seahorn_py.validation.verdict import Validation

UNREACH = "CHECK( init(main()), LTL(G ! call(reach_error())) )"
Json = dict[str, Any]


def place(at: str) -> Json:
    """`line` or `line:column` of the one file."""
    line, _, column = at.partition(":")
    found: Json = {"file_name": "a.c", "line": int(line)}
    return {**found, "column": int(column)} if column else found


def waypoint(kind: str, at: str, value: str = "", action: str = "follow") -> Json:
    """A waypoint of any type, with the format that its type has."""
    found: Json = {"type": kind, "action": action, "location": place(at)}
    formats = {"assumption": "c_expression", "function_return": "acsl_expression"}
    if kind in formats:
        found["constraint"] = {"value": value, "format": formats[kind]}
    elif kind == "branching":
        found["constraint"] = {"value": value}
    return {"waypoint": found}


def document(kind: str, program: str, content: Any, specification: str = UNREACH) -> list[Json]:
    """The whole witness, about the text of `a.c`."""
    task: Json = {
        "input_files": ["a.c"],
        "input_file_hashes": {"a.c": hashlib.sha256(program.encode()).hexdigest()},
        "specification": specification,
        "data_model": "LP64",
        "language": "C",
    }
    metadata = {"format_version": "2.0", "task": task}
    return [{"entry_type": kind, "metadata": metadata, "content": content}]


def violation(program: str, *segments: Json | Sequence[Json], **more: str) -> list[Json]:
    """A violation witness; a segment is one waypoint, or several of which the last is followed."""
    lists = [[s] if isinstance(s, dict) else list(s) for s in segments]
    content = [{"segment": segment} for segment in lists]
    return document("violation_sequence", program, content, **more)


def correctness(program: str, *invariants: tuple[str, str, str], **more: str) -> list[Json]:
    """A correctness witness from (kind, place, expression)."""
    content = [
        {
            "invariant": {
                "type": kind,
                "location": place(at),
                "value": text,
                "format": "c_expression",
            }
        }
        for kind, at, text in invariants
    ]
    return document("invariant_set", program, content, **more)


def graph(program: str, kind: str, body: str, specification: str = UNREACH) -> str:
    """A GraphML witness with these nodes and edges, each `<data key="k">v</data>` as `k=v;`."""
    hashed = hashlib.sha256(program.encode()).hexdigest()
    about = {
        "witness-type": kind,
        "sourcecodelang": "C",
        "producer": "test",
        "specification": specification,
        "programfile": "a.c",
        "programhash": hashed,
        "architecture": "64bit",
    }
    data = "".join(f'<data key="{key}">{value}</data>' for key, value in about.items())
    root = '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
    return f'{root}<graph edgedefault="directed">{data}{body}</graph></graphml>'


def node(name: str, **data: str) -> str:
    """A node with its data."""
    return f'<node id="{name}">{_data(data)}</node>'


def edge(source: str, target: str, line: int, **data: str) -> str:
    """An edge at a line; `_` in a key stands for a dot."""
    known = {"startline": str(line), "endline": str(line), **data}
    return f'<edge source="{source}" target="{target}">{_data(known)}</edge>'


def _data(data: dict[str, str]) -> str:
    return "".join(f'<data key="{k.replace("_", ".")}">{v}</data>' for k, v in data.items())


def validate_text(
    folder: Path, program: str, witness: list[Json] | str, **frontend: Any
) -> Validation:
    """Write program and witness, and validate; JSON is YAML."""
    (folder / "a.c").write_text(program)
    file = folder / ("w.graphml" if isinstance(witness, str) else "w.yml")
    file.write_text(witness if isinstance(witness, str) else json.dumps(witness))
    options = VerifyOptions(FrontendOptions(**frontend), timeout=300)
    return validated(file, [folder / "a.c"], options)
