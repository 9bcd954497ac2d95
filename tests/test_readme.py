"""Every command and every Python line of the README works as shown."""

from __future__ import annotations

import re

import pytest
from command import ROOT, Done, sea_py

README = (ROOT / "README.md").read_text()
CONSOLE = re.findall(r"```console\n(.*?)```", README, re.DOTALL)
COMMANDS = [line[2:] for block in CONSOLE for line in block.splitlines() if line.startswith("$ ")]


@pytest.fixture(scope="module")
def results() -> dict[str, Done]:
    """What commands did that were run before."""
    return {}


def run(command: str, results: dict[str, Done]) -> Done:
    if command not in results:
        script, *arguments = command.split()
        assert (ROOT / script).is_file()
        results[command] = sea_py(*arguments, cwd=ROOT)
    return results[command]


@pytest.mark.parametrize("command", COMMANDS)
def test_command(command: str, results: dict[str, Done]) -> None:
    done = run(command, results)
    assert done.returncode in (0, 1), done.stderr
    assert done.stdout


def test_shown_output_is_what_comes_out(results: dict[str, Done]) -> None:
    for block in CONSOLE:
        lines = block.splitlines()
        shown = [x for x in lines if not x.startswith("$ ") and x != "..."]
        if shown:
            output = run(lines[0][2:], results).stdout
            assert output.splitlines()[-len(shown) :] == shown


def test_python_block(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    (block,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    exec(compile(block, "README.md", "exec"), {})
    assert "UNSAFE" in capsys.readouterr().out
