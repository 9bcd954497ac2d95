"""`integrations/`, and the ten lines of the README, as far as they go without a network."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from command import EXAMPLES, ROOT
from published_schemas import published
from test_check import UNSAFE

ACTION = ROOT / "integrations" / "github" / "action.yml"
GITLAB = ROOT / "integrations" / "gitlab" / "sea-py.gitlab-ci.yml"
HOOKS = ROOT / ".pre-commit-hooks.yaml"
SEA_TOML = """
[defaults]
property = "unreach-call"
[[proof]]
name = "bad"
sources = ["bad.c"]
[[proof]]
name = "not-wanted"
sources = ["bad.c"]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project, beside tools of which pip only notes what it is asked for."""
    (tmp_path / "bad.c").write_text(UNSAFE)
    (tmp_path / "sea.toml").write_text(SEA_TOML)
    tools = tmp_path / "tools"
    tools.mkdir()
    sea_py = f'#!/bin/sh\nexec {sys.executable} -m seahorn_py.cli "$@"\n'
    for name, text in (("sea-py", sea_py), ("python3", '#!/bin/sh\necho "$@" >>asked\n')):
        (tools / name).write_text(text)
        (tools / name).chmod(0o755)
    return tmp_path


def shell(folder: Path, script: str, **environment: str) -> subprocess.CompletedProcess[str]:
    path = f"{folder / 'tools'}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
        cwd=folder,
        env={**os.environ, "PATH": path, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def document(file: Path) -> Any:
    return yaml.safe_load(file.read_text())


def test_the_files_fit_their_schemas(tmp_path: Path) -> None:
    for ending, file in (("/github-action.json", ACTION), ("/schema/ci.json", GITLAB)):
        schema = published(ending, tmp_path)
        jsonschema.validators.validator_for(schema)(schema).validate(document(file))


def _environment(step: dict[str, Any], given: dict[str, str]) -> dict[str, str]:
    """The variables of a step, with inputs put in as GitHub does."""
    known = {name: row["default"] for name, row in document(ACTION)["inputs"].items()} | given
    expression = re.compile(r"\$\{\{ inputs\.(\w+) \}\}")
    pairs = step.get("env", {}).items()
    return {name: expression.sub(lambda m: known[m[1]], text) for name, text in pairs}


def test_the_steps_of_the_action(folder: Path) -> None:
    install, check, upload = document(ACTION)["runs"]["steps"]
    shell(folder, install["run"], **_environment(install, {"package": "seahorn-py==9"}))
    assert (folder / "asked").read_text() == "-m pip install --quiet seahorn-py==9\n"
    given = {"proofs": "b*d", "arguments": "--jobs 1", "sarif": "a b.sarif"}
    done = shell(folder, check["run"], **_environment(check, given))
    assert done.returncode == 1, done.stderr
    assert "::error file=bad.c,line=3,col=3,title=sea-py%3A unreach-call::" in done.stdout
    assert "not-wanted" not in done.stdout
    (run,) = json.loads((folder / "a b.sarif").read_text())["runs"]
    assert len(run["results"]) == 1 and (folder / "sea-py.xml").exists()
    assert upload["with"]["sarif_file"] == "${{ inputs.sarif }}"
    assert "inputs." not in install["run"] + check["run"]  # nobody's text becomes part of a script


def test_the_script_of_gitlab(folder: Path) -> None:
    template = document(GITLAB)
    job, variables = template["sea-py"], template["variables"]
    (folder / "bad.c").write_text("int main(void) { return 0; }\n")
    (folder / "sea.toml").write_text(SEA_TOML.replace('property = "unreach-call"', "bits = 32"))
    done = shell(folder, "\n".join(job["script"]), **{**variables, "SEA_PROOFS": "bad"})
    assert done.returncode == 0, done.stdout + done.stderr
    assert (folder / "asked").read_text() == "-m pip install --quiet seahorn-py\n"
    for name in (*job["artifacts"]["paths"], job["artifacts"]["reports"]["junit"], ".sea-py"):
        assert (folder / name).exists(), name
    assert job["cache"]["paths"] == [".sea-py/"]


def test_the_hook_of_pre_commit(folder: Path) -> None:
    (hook,) = document(HOOKS)
    assert {"id", "name", "entry", "language"} <= set(hook)
    assert (hook["language"], hook["pass_filenames"]) == ("python", False)
    touched = {"src/a.c": True, "a.h": True, "sea.toml": True, "README.md": False, "a.cpp": False}
    assert {name: bool(re.search(hook["files"], name)) for name in touched} == touched
    assert shell(folder, f"{hook['entry']} --list bad").stdout.startswith("bad: sea-py pf ")


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
def test_the_lines_of_the_readme(folder: Path, tmp_path: Path) -> None:
    """From a folder with a Makefile to a check that fails, and a SARIF file."""
    readme = (ROOT / "README.md").read_text()
    section = readme.partition("## From a folder with a Makefile")[2].partition("\n## ")[0]
    (script,) = re.findall(r"```sh\n(.*?)```", section, re.DOTALL)
    (workflow,) = re.findall(r"```yaml\n(.*?)```", section, re.DOTALL)
    assert len(script.splitlines()) + len(workflow.splitlines()) <= 10
    project = folder / "queue"
    shutil.copytree(EXAMPLES / "queue", project)
    (project / "tools").symlink_to(folder / "tools")
    done = shell(project, script)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (1, "failed"), done.stdout
    (run,) = json.loads((project / "found.sarif").read_text())["runs"]
    assert run["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"] == 15
    (step,) = (s for s in yaml.safe_load(workflow)["jobs"]["proofs"]["steps"] if "sea" in s["uses"])
    named = step["uses"].removeprefix("OWNER/seahorn_py/").partition("@")[0]
    assert ROOT / named / "action.yml" == ACTION
