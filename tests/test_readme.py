"""Every command and every Python line of the README works as shown."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
CONSOLE = re.findall(r"```console\n(.*?)```", README, re.DOTALL)
COMMANDS = [line[2:] for block in CONSOLE for line in block.splitlines() if line.startswith("$ ")]


@pytest.mark.parametrize("command", COMMANDS)
def test_command(command: str) -> None:
    script, *arguments = command.split()
    assert (ROOT / script).is_file()
    done = subprocess.run(
        [sys.executable, "-m", "seahorn_py.cli", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode in (0, 1), done.stderr
    assert done.stdout


def test_shown_output_is_what_comes_out() -> None:
    for block in CONSOLE:
        lines = block.splitlines()
        shown = [x for x in lines if not x.startswith("$ ") and x != "..."]
        if not shown:
            continue
        _, *arguments = lines[0][2:].split()
        done = subprocess.run(
            [sys.executable, "-m", "seahorn_py.cli", *arguments],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
        )
        assert done.stdout.splitlines()[-len(shown) :] == shown


def test_python_block(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    (block,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    exec(compile(block, "README.md", "exec"), {})
    assert "UNSAFE" in capsys.readouterr().out
