"""What pyproject.toml cannot say: manual pages come from the commands, when the wheel is built."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from setuptools import setup

ROOT = Path(__file__).resolve().parent
PAGES = Path("build") / "man"


def pages() -> list[str]:
    """Write the pages; their names from here.  The sources lie as they will be installed."""
    with tempfile.TemporaryDirectory() as place:
        package = Path(place) / "seahorn_py"
        package.mkdir()
        for part in (ROOT / "seahorn_py").iterdir():
            (package / part.name).symlink_to(part)
        (package / "frontend").symlink_to(ROOT / "frontend")
        command = [sys.executable, "-m", "seahorn_py.cli.man_pages", ROOT / PAGES]
        path = os.pathsep.join([place, *filter(None, sys.path)])  # what the build has beside us
        env = {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
        subprocess.run(command, check=True, cwd=place, env=env)
    return sorted(str(PAGES / file.name) for file in (ROOT / PAGES).glob("*.1"))


setup(data_files=[("share/man/man1", pages())])
