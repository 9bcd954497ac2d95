"""Every command and every Python line of the README works as shown."""

from __future__ import annotations

import re

import pytest
from command import ROOT
from shown import Results, Shown, commands_of, ends_well, results_in

README = ROOT / "README.md"
COMMANDS = commands_of(README)


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    return results_in(tmp_path_factory.mktemp("checkout"))


@pytest.mark.parametrize("shown", COMMANDS, ids=str)
def test_command(shown: Shown, results: Results) -> None:
    done = results.of(shown.command)
    assert ends_well(done), done.stderr
    assert done.stdout
    assert shown.matches(done.stdout), done.stdout


def test_python_block(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    (block,) = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
    exec(compile(block, "README.md", "exec"), {})
    assert capsys.readouterr().out.count("Answer.UNSAFE") == 2
