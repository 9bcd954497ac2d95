"""No circle of files in the rooms that are free of them, imports inside functions included."""

from __future__ import annotations

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent / "seahorn_py"
FREE = ["encode", "engines", "horn", "invariants", "ir", "logic", "passes", "processes", "rip"]


def modules(room: str) -> dict[str, Path]:
    found = (ROOT / room).rglob("*.py")
    names = {p: p.relative_to(ROOT.parent).with_suffix("").parts for p in found}
    return {".".join(n).removesuffix(".__init__"): p for p, n in names.items()}


def below(path: Path, known: dict[str, Path]) -> set[str]:
    """What a file imports, under TYPE_CHECKING too."""
    named: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            parts = {f"{node.module}.{alias.name}" for alias in node.names} & known.keys()
            named |= parts or {node.module}
        elif isinstance(node, ast.Import):
            named |= {alias.name for alias in node.names}
    return named & known.keys()


@pytest.mark.parametrize("room", FREE)
def test_files_import_no_file_that_imports_them(room: str) -> None:
    known = modules(room)
    graph = {name: below(path, known) - {name} for name, path in known.items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as circle:
        pytest.fail(" -> ".join(circle.args[1]))
