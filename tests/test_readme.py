"""Every command and every Python line of the README works as shown."""

from __future__ import annotations

import ast
import re

import pytest
from command import ROOT
from shown import Results, Shown, commands_of, ends_well, results_in

from seahorn_py.options import EngineName

pytestmark = pytest.mark.all_variants

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


def engines() -> dict[str, str]:
    """The module of each engine in the table of engines; of a room its main module."""
    rows = re.findall(
        r"^\| `(\w+)` \|.*\| `(seahorn_py/\S+)` \|$", README.read_text(), re.MULTILINE
    )
    return {name: f"{file}{name}.py" if file.endswith("/") else file for name, file in rows}


@pytest.mark.parametrize("name", [engine.value for engine in EngineName])
def test_the_header_of_an_engine_ends_with_its_limitations(name: str) -> None:
    module = engines()[name]
    header = ast.get_docstring(ast.parse((ROOT / module).read_text())) or ""
    _, title, listed = header.partition("Limitations, the most common first:\n\n")
    numbers = re.findall(r"^(\S+\.) ", listed, re.MULTILINE)
    assert title and numbers == [f"{k}." for k in range(1, len(numbers) + 1)] and numbers
    assert all(re.match(r"\d+\. |   \S", line) for line in listed.splitlines())


def test_the_readme_is_short() -> None:
    assert len(README.read_text().splitlines()) < 200
