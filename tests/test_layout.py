"""The layout shows the architecture: who may import whom, and what is packaged."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MAY_IMPORT = {
    "records": "",
    "errors": "",
    "csource": "errors",
    "ir": "errors",
    "processes": "errors",
    "frontend": "errors ir options processes",
    "logic": "errors processes",
    "passes": "errors ir options",
    "horn": "errors processes logic",
    "encode": "errors ir logic passes horn",
    "invariants": "errors processes logic horn",
    "result": "errors ir processes logic horn",
    "engines": "errors options processes logic horn invariants result",
    "evidence": "errors csource ir options processes frontend logic horn encode result",
    "rip": "errors processes logic horn result engines",
    "validation": (
        "errors csource ir options processes frontend passes result evidence verification witness"
    ),
}
"""Package or module -> what it may import beside `records`; those missing here are above all."""


def sources() -> Iterator[tuple[str, Path]]:
    for path in sorted((ROOT / "frontend").rglob("*.py")):
        yield "frontend", path
    for path in sorted((ROOT / "seahorn_py").rglob("*.py")):
        yield path.relative_to(ROOT / "seahorn_py").with_suffix("").parts[0], path


def imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


@pytest.mark.parametrize("home", sorted(MAY_IMPORT))
def test_imports_go_down(home: str) -> None:
    wrong = []
    for owner, path in sources():
        for name in imported(path) if owner == home else ():
            parts = name.split(".")
            if parts[0] == "seahorn_py" and len(parts) > 1:
                target = parts[1]
                if target not in set(MAY_IMPORT[home].split()) | {home, "__version__", "records"}:
                    wrong.append(f"{path.relative_to(ROOT)} imports {name}")
    assert not wrong


def test_every_package_is_listed() -> None:
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"]
    found = {"seahorn_py", "seahorn_py.frontend"}
    for path in (ROOT / "seahorn_py").rglob("__init__.py"):
        found.add(".".join(path.parent.relative_to(ROOT).parts))
    for path in (ROOT / "frontend").rglob("__init__.py"):
        found.add(".".join(("seahorn_py", *path.parent.relative_to(ROOT).parts)))
    assert sorted(listed) == sorted(found)


def test_no_file_is_too_long() -> None:
    long = [str(p) for _, p in sources() if len(p.read_text().splitlines()) > 400]
    assert not long


def test_checkers_share_no_code_with_engines() -> None:
    for owner, path in sources():
        if owner in ("horn", "evidence"):
            assert not [n for n in imported(path) if n.startswith("seahorn_py.engines")], path
