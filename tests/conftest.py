"""Options of the test run, and what all tests share."""

from __future__ import annotations

import gc
import importlib
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from large_pages import in_large_pages

from seahorn_py.cli.main import COLLECT_AFTER
from seahorn_py.logic.solvers.solvers import warm_up
from seahorn_py.processes import child
from seahorn_py.processes.internal_errors import VARIABLE
from seahorn_py.verification.encodings.side_by_side import LATE

MOST_VARIANTS = 2
"""Of a test with more, a usual run has so many, evenly spread."""

RUNNER_THREADS = child.threads() - 1
"""Threads that only talk to other processes of pytest-xdist."""


LOADED = (
    "llvmlite.binding",
    "cvc5",
    "islpy",
    "seahorn_py.frontend.lowering.lowering",
    *LATE,
    "seahorn_py.engines.bmc.bmc_child",
    "seahorn_py.engines.imc.imc_child",
    "seahorn_py.engines.elements.largest",
    "seahorn_py.engines.heap.houdini",
    "seahorn_py.engines.kinduction.kinduction_child",
    "seahorn_py.engines.pdkind.pdkind_child",
    "seahorn_py.engines.pdr.pdr_child",
    "seahorn_py.engines.polynomials.guessing",
    "seahorn_py.engines.tpa.tpa_child",
    "seahorn_py.engines.tuples.occurring",
    "seahorn_py.engines.linear.linear_child",
    "seahorn_py.logic.solvers.spacer.spacer_child",
    "seahorn_py.horn.checking.unrolling_child",
    "seahorn_py.invariants.worker",
    "seahorn_py.logic.solvers.solver_child",
)
"""What children import.  Each copy of this process would load it again."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--full",
        action="store_true",
        help="every variant of each test, every example in both encodings and data models",
    )
    parser.addoption(
        "--rewrite-golden",
        action="store_true",
        help="write what golden files should say, instead of comparing with them",
    )


def pytest_configure() -> None:
    """As for users garbage is searched for seldom, also while tests are imported."""
    gc.set_threshold(COLLECT_AFTER)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what only a full run does; long tests lie evenly among the others.

    What lets this process grow comes last: each of its many copies would take longer from then on.
    Workers begin with equal parts of the list, and one that has many long ones would be the last.
    """
    if not config.getoption("--full"):
        left_out = [item for item in items if item.get_closest_marker("full") is not None]
        left_out += _other_variants([item for item in items if item not in set(left_out)])
        config.hook.pytest_deselected(items=left_out)
        kept = set(items) - set(left_out)
        items[:] = [item for item in items if item in kept]
    long = [item for item in items if item.get_closest_marker("long") is not None]
    items[:] = [item for item in items if item.get_closest_marker("long") is None]
    apart = len(items) // max(1, len(long))
    for number, item in enumerate(long):
        items.insert(number * (apart + 1), item)
    items.sort(key=lambda item: item.get_closest_marker("grows") is not None)


def _other_variants(items: list[pytest.Item]) -> list[pytest.Item]:
    """What a usual run leaves of a test with many variants, unless it is marked to have all."""
    variants: dict[str, list[pytest.Item]] = {}
    for item in items:
        if item.get_closest_marker("all_variants") is None:
            variants.setdefault(item.nodeid.partition("[")[0], []).append(item)
    many = [group for group in variants.values() if len(group) > MOST_VARIANTS]
    return [item for group in many for k, item in enumerate(group) if k not in _spread(len(group))]


def _spread(count: int) -> frozenset[int]:
    """The variants of so many that a usual run has."""
    return frozenset(k * count // MOST_VARIANTS for k in range(MOST_VARIANTS))


@pytest.fixture
def rewrite_golden(request: pytest.FixtureRequest) -> bool:
    """Whether golden files are written (`support/golden.py`)."""
    return bool(request.config.getoption("--rewrite-golden"))


@pytest.fixture(autouse=True, scope="session")
def internal_error_file(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Where this process and all below it append internal errors."""
    file = tmp_path_factory.mktemp("internal_errors") / "reports.jsonl"
    file.touch()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, str(file))
        yield file


@pytest.fixture(autouse=True)
def no_internal_errors(request: pytest.FixtureRequest, internal_error_file: Path) -> Iterator[None]:
    """A test fails when anything in it is a bug of ours, unless it plants one and is marked so."""
    yield
    reports = [json.loads(line) for line in internal_error_file.read_text().splitlines()]
    internal_error_file.write_text("")
    planted = request.node.get_closest_marker("plants_internal_errors") is not None
    shown = "\n".join(report["traceback"] for report in reports)
    assert planted or not reports, f"{len(reports)} internal errors\n{shown}"
    assert reports or not planted, "no internal error was noted"


@pytest.fixture(autouse=True, scope="session")
def children_are_copies() -> Iterator[None]:
    """As for users: a copy of this process is quick."""
    everything = child.threads
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(child, "threads", lambda: everything() - RUNNER_THREADS)
        for name in LOADED:
            importlib.import_module(name)
        warm_up()
        gc.collect()
        gc.freeze()  # what is loaded is no garbage, and a search would copy it
        in_large_pages()  # copies take a tenth less time in all
        yield
