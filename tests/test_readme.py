"""Every command and every Python line of the README works as shown."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from command import ROOT, Done, sea_py

README = (ROOT / "README.md").read_text()
CONSOLE = re.findall(r"```console\n(.*?)```", README, re.DOTALL)
COMMANDS = [line[2:] for block in CONSOLE for line in block.splitlines() if line.startswith("$ ")]


@dataclass(frozen=True)
class Results:
    """What commands did that were run before, in a folder with nothing but the examples."""

    folder: Path
    done: dict[str, Done] = field(default_factory=dict)


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    folder = tmp_path_factory.mktemp("checkout")
    (folder / "c_examples").symlink_to(ROOT / "c_examples")
    return Results(folder)


def run(command: str, results: Results) -> Done:
    if command not in results.done:
        script, *arguments = command.split()
        assert (ROOT / script).is_file()
        results.done[command] = sea_py(*arguments, cwd=results.folder)
    return results.done[command]


@pytest.mark.parametrize("command", COMMANDS)
def test_command(command: str, results: Results) -> None:
    done = run(command, results)
    assert done.returncode in (0, 1), done.stderr
    assert done.stdout


def test_shown_output_is_what_comes_out(results: Results) -> None:
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
    assert capsys.readouterr().out.count("Answer.UNSAFE") == 2
