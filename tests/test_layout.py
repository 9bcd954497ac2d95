"""The layout shows the architecture: who may import whom, how long things are, what is packaged.

The contracts on imports are those of import-linter in pyproject.toml.
"""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from itertools import dropwhile
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.all_variants

ROOT = Path(__file__).parent.parent
PYPROJECT = ROOT / "pyproject.toml"
LONGEST_FILE, LONGEST_FUNCTION, SAME_NAME = 400, 30, 2
MOST_ROOMS, MOST_FLOORS, MOST_ARROWS = 25, 10, 115
CONTRACTS = tomllib.loads(PYPROJECT.read_text())["tool"]["importlinter"]["contracts"]
NAMES = [contract["id"] for contract in CONTRACTS]


@pytest.fixture(scope="module")
def imports(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What `imports_checked` says of links in which frontend/ lies inside seahorn_py/.

    So it does once installed; from this checkout grimp sees it as a package of its own.  In a
    process of its own: grimp leaves threads behind, beside which nothing may be forked.
    """
    tree = tmp_path_factory.mktemp("layout")
    package = tree / "seahorn_py"
    package.mkdir()
    for part in (ROOT / "seahorn_py").iterdir():
        (package / part.name).symlink_to(part)
    (package / "frontend").symlink_to(ROOT / "frontend")
    done = subprocess.run(
        [sys.executable, ROOT / "tests" / "support" / "imports_checked.py", PYPROJECT],
        env={**os.environ, "PYTHONPATH": str(tree)},
        cwd=tree,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


@pytest.mark.parametrize("contract", NAMES)
def test_contracts_are_kept(contract: str, imports: Any) -> None:
    assert imports["kept"][contract]["is_kept"], imports["kept"][contract]["text"]


@pytest.mark.parametrize("contract", NAMES)
def test_contracts_can_be_broken(contract: str, imports: Any) -> None:
    assert not imports["with_a_wrong_import"][contract]["is_kept"]


def test_rooms_and_arrows_between_them_are_few(imports: Any) -> None:
    floors = next(c["layers"] for c in CONTRACTS if c["id"] == "floors")
    assert len(floors) <= MOST_FLOORS
    assert len(imports["rooms"]) <= MOST_ROOMS
    assert len(imports["arrows"]) <= MOST_ARROWS, imports["arrows"]


def test_every_file_is_looked_at(imports: Any) -> None:
    assert imports["modules"] == sum(1 for _ in sources())


def test_nothing_leads_back_to_the_package_itself(imports: Any) -> None:
    """Circles through the public names, which lie in no room."""
    assert imports["public"] and not imports["back"]


# ---------------------------------------------------------------- sizes, names, packages


def sources() -> Iterator[Path]:
    for top in ("frontend", "seahorn_py"):
        yield from sorted((ROOT / top).rglob("*.py"))


def test_no_file_is_too_long() -> None:
    assert not [str(p) for p in sources() if len(p.read_text().splitlines()) > LONGEST_FILE]


def lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Of the body, after docstring and imports; 0 for one that is about a `match`."""
    body = function.body[1:] if ast.get_docstring(function) else function.body
    body = list(dropwhile(lambda one: isinstance(one, ast.Import | ast.ImportFrom), body))
    if not body or any(isinstance(statement, ast.Match) for statement in body):
        return 0
    return (function.end_lineno or 0) - body[0].lineno + 1


def long_functions() -> set[str]:
    return {
        f"{path.relative_to(ROOT)}:{node.name}"
        for path in sources()
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        if lines(node) > LONGEST_FUNCTION
    }


def test_no_function_is_too_long() -> None:
    assert not long_functions()


def test_no_name_of_a_file_is_there_three_times() -> None:
    names = Counter(path.name for path in sources() if path.name != "__init__.py")
    assert not {name for name, count in names.items() if count > SAME_NAME}


def test_no_two_files_of_tests_share_a_name() -> None:
    """Files of tests are modules without a package: of two with one name, Python loads only one."""
    names = Counter(path.name for path in (ROOT / "tests").rglob("test_*.py"))
    assert not {name for name, count in names.items() if count > 1}


def test_every_package_is_listed() -> None:
    listed = tomllib.loads(PYPROJECT.read_text())["tool"]["setuptools"]["packages"]
    found = {"seahorn_py", "seahorn_py.frontend"}
    for path in (ROOT / "seahorn_py").rglob("__init__.py"):
        found.add(".".join(path.parent.relative_to(ROOT).parts))
    for path in (ROOT / "frontend").rglob("__init__.py"):
        found.add(".".join(("seahorn_py", *path.parent.relative_to(ROOT).parts)))
    assert sorted(listed) == sorted(found)


def test_private_content_of_terms_stays_in_one_place() -> None:
    private = re.compile(r"(?<!self)\._content\b")
    found = [path for path in sources() if private.search(path.read_text())]
    assert [str(p.relative_to(ROOT)) for p in found] == ["seahorn_py/logic/terms/binding.py"]


def test_z3_is_asked_in_one_room() -> None:
    """The checker of certificates stands alone: whoever has a certificate has only that."""
    asking = re.compile(r"^\s*(?:import z3\b|from z3\b)", re.MULTILINE)
    found = [path for path in sources() if asking.search(path.read_text())]
    room = ROOT / "seahorn_py" / "logic" / "solvers"
    outside = [str(path.relative_to(ROOT)) for path in found if room not in path.parents]
    assert outside == ["seahorn_py/evidence/checker/solving.py"]


def test_no_text_has_both_sides_of_a_merge() -> None:
    side = re.compile(r"^(?:<{7} |>{7} )", re.MULTILINE)
    texts = [*ROOT.glob("*.md"), *ROOT.glob("*.yml"), *(ROOT / "docs").rglob("*.md"), *sources()]
    assert not [path for path in texts if side.search(path.read_text(errors="replace"))]
