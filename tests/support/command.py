"""The command `sea-py`: in this process, or as one of its own where that is what is tested."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from click.testing import CliRunner

from seahorn_py.cli.main import main

ROOT = Path(__file__).parent.parent.parent
EXAMPLES = ROOT / "c_examples"
SEA_PY = (sys.executable, "-m", "seahorn_py.cli")


def interruptible() -> None:
    """Before a command begins: SIGINT ends it, which jobs in the background of a shell ignore."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@dataclass(frozen=True)
class Done:
    """How the command ended and what it wrote."""

    returncode: int
    stdout: str
    stderr: str


def sea_py(*arguments: str | Path, cwd: Path | None = None, **environment: str) -> Done:
    """Call the command; an exception that it lets through is raised here."""
    handler = signal.getsignal(signal.SIGTERM)
    try:
        with contextlib.chdir(cwd or Path.cwd()):
            runner = CliRunner(env=environment)
            result = runner.invoke(main, [*map(str, arguments)], catch_exceptions=False)
    finally:
        signal.signal(signal.SIGTERM, handler)
    return Done(result.exit_code, result.stdout, result.stderr)


def sea_py_process(
    *arguments: str | Path, cwd: Path | None = None, without: str = "", **environment: str
) -> Done:
    """Run the command as a process, with one variable of the environment left out."""
    inherited = {name: value for name, value in os.environ.items() if name != without}
    done = subprocess.run(
        [*SEA_PY, *map(str, arguments)],
        capture_output=True,
        text=True,
        env={**inherited, **environment},
        cwd=cwd,
        timeout=100,
        check=False,
    )
    return Done(done.returncode, done.stdout, done.stderr)
