"""Options of the test run, and what all tests share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from seahorn_py import child

RUNNER_THREADS = child.threads() - 1
"""Threads that only talk to other processes of pytest-xdist."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--full",
        action="store_true",
        help="every example in both encodings in both data models, instead of each of them once",
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what only a full run does."""
    if config.getoption("--full"):
        return
    kept = [item for item in items if item.get_closest_marker("full") is None]
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = kept


@pytest.fixture(autouse=True, scope="session")
def children_are_copies() -> Iterator[None]:
    """As for users, who run one thread: a copy of this process instead of a fresh one is quick."""
    everything = child.threads
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(child, "threads", lambda: everything() - RUNNER_THREADS)
        yield
