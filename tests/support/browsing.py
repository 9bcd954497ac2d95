"""A page in a headless Chromium, which asks nobody, with all that it complains about.

Debian and Ubuntu call it `chromium`; SEA_CHROMIUM names another one.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
QUIET = (
    "--disable-gpu",
    "--disable-quic",
    "--disable-sync",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
)


@contextmanager
def chromium() -> Iterator[Any]:
    """A browser; the test is skipped where there is none."""
    playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    found = os.environ.get("SEA_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        pytest.skip("no Chromium on the PATH, and SEA_CHROMIUM names none")
    arguments = [*QUIET, *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    with playwright.sync_playwright() as started:
        running = started.chromium.launch(executable_path=found, args=arguments)
        yield running
        running.close()


@dataclass
class Seen:
    """A page in a browser, with everything that it complained about and asked for."""

    page: Any
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)


def opened(browser: Any, file: Path, **how: Any) -> Seen:
    """A file in a window of its own."""
    seen = Seen(browser.new_page(viewport={"width": 1400, "height": 900}, **how))
    seen.page.set_default_timeout(120_000)
    seen.page.on("console", lambda message: seen.complaints.append(message.text))
    seen.page.on("pageerror", lambda error: seen.complaints.append(str(error)))
    seen.page.on("dialog", lambda dialog: seen.complaints.append(dialog.message))
    seen.page.on("request", lambda request: seen.requests.append(request.url))
    seen.page.goto(file.as_uri())
    return seen
