"""Checks the contracts of import-linter, as they are and with a wrong import; prints JSON.

python imports_checked.py PYPROJECT
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
import tomllib
from copy import deepcopy
from itertools import permutations
from pathlib import Path
from typing import Any

import grimp
from importlinter.application.use_cases import lint_imports
from importlinter.configuration import configure, settings

WRONG = {
    "floors": ("seahorn_py.horn.system", "seahorn_py.engines.engine"),
    "circles": ("seahorn_py.ir.types", "seahorn_py.ir.verifier"),
    "formulas": ("seahorn_py.horn.system", "seahorn_py.ir.program"),
    "programs": ("seahorn_py.passes.calls", "seahorn_py.processes.child"),
    "options": ("seahorn_py.encode.encoder", "seahorn_py.options"),
    "answers": ("seahorn_py.result", "seahorn_py.passes.calls"),
    "evidence": ("seahorn_py.evidence.runs.native", "seahorn_py.invariants.generation"),
    "reader": ("seahorn_py.frontend.loading", "seahorn_py.csource.syntax"),
    "validation": ("seahorn_py.validation.hints", "seahorn_py.horn.system"),
}
"""For each contract an import that breaks it."""

ROOT = "seahorn_py"


class Given:
    """Gives import-linter this graph instead of one that it builds."""

    def __init__(self, graph: grimp.ImportGraph) -> None:
        self.graph = graph

    def build(self, **_: Any) -> grimp.ImportGraph:
        return self.graph


def checked(pyproject: str, contract: str, graph: grimp.ImportGraph) -> dict[str, Any]:
    """Whether the graph keeps a contract, and what import-linter says."""
    settings.configure(GRAPH_BUILDER=Given(graph))
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        is_kept = lint_imports(
            pyproject, (contract,), cache_dir=None, is_debug_mode=True, no_logo=True
        )
    return {"is_kept": is_kept, "text": said.getvalue()}


def with_import(graph: grimp.ImportGraph, importer: str, imported: str) -> grimp.ImportGraph:
    assert {importer, imported} <= graph.modules, (importer, imported)
    worse = deepcopy(graph)
    worse.add_import(importer=importer, imported=imported)
    return worse


def is_arrow(graph: grimp.ImportGraph, importer: str, imported: str) -> bool:
    """Whether a room imports something of another."""
    return graph.direct_import_exists(importer=importer, imported=imported, as_packages=True)


def main(pyproject: str) -> None:
    configure()
    graph = grimp.build_graph(ROOT, cache_dir=None)
    options = tomllib.loads(Path(pyproject).read_text())["tool"]["importlinter"]
    contracts = [contract["id"] for contract in options["contracts"]]
    public = sorted(graph.find_modules_directly_imported_by(ROOT))
    rooms = sorted(graph.find_children(ROOT))
    report = {
        "modules": len(graph.modules),
        "rooms": rooms,
        "arrows": [pair for pair in permutations(rooms, 2) if is_arrow(graph, *pair)],
        "public": public,
        "back": [name for name in public if graph.find_shortest_chain(name, ROOT)],
        "kept": {one: checked(pyproject, one, graph) for one in contracts},
        "with_a_wrong_import": {
            one: checked(pyproject, one, with_import(graph, *WRONG[one])) for one in contracts
        },
    }
    json.dump(report, sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1])
