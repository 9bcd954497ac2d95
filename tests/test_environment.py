"""How the environment is set up, from the lock where there is uv; what is run before a commit."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parent.parent
LOCK = (ROOT / "requirements.lock").read_text()
PINNED = re.compile(
    r"""^([\w.-]+)==([\w.!+]+)[^\n]*\\\n((?:    --hash=sha256:[0-9a-f]{64}[^\n]*\n)+)""",
    re.MULTILINE,
)


def pinned() -> dict[str, list[Version]]:
    """The versions in the lock; there may be several, for different Pythons."""
    found: dict[str, list[Version]] = {}
    for name, version, _ in PINNED.findall(LOCK):
        found.setdefault(canonicalize_name(name), []).append(Version(version))
    return found


def asked() -> Iterator[Requirement]:
    """What pyproject.toml asks for to run and to test."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    for text in (*project["dependencies"], *extras["test"]):
        requirement = Requirement(text)
        if requirement.name != project["name"]:
            yield requirement
        for extra in sorted(requirement.extras) if requirement.name == project["name"] else ():
            yield from map(Requirement, extras[extra])


@pytest.mark.parametrize("requirement", list(asked()), ids=lambda one: one.name)
def test_the_lock_has_what_is_asked_for(requirement: Requirement) -> None:
    versions = pinned().get(canonicalize_name(requirement.name), [])
    assert versions
    assert all(version in requirement.specifier for version in versions)


def test_all_of_the_lock_is_versions_with_hashes() -> None:
    """No URL, no folder, no option: where packages come from is not the project's to say."""
    assert PINNED.sub("", LOCK) == ""


COMMAND = """
. {root}/scripts/environment
venv={venv}
install '[test]'
"""


def installed(tmp_path: Path, *programs: str) -> list[str]:
    """How `install` of scripts/environment calls uv or pip, where there are these programs."""
    for name in programs:
        fake = tmp_path / "bin" / name
        fake.parent.mkdir(exist_ok=True)
        fake.write_text(f'#!/bin/sh\necho {name} "$@"\n')
        fake.chmod(0o755)
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "dirname").symlink_to("/usr/bin/dirname")
    done = subprocess.run(
        ["/bin/bash", "-c", COMMAND.format(root=ROOT, venv=tmp_path)],
        env={"PATH": f"{tmp_path}/bin:{tools}"},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.split()


def test_uv_installs_what_is_locked(tmp_path: Path) -> None:
    words = installed(tmp_path, "uv", "python")
    assert words[:3] == ["uv", "pip", "install"]
    assert words[words.index("-c") + 1] == f"{ROOT}/requirements.lock"
    assert words[-1] == f"{ROOT}[test]"


def test_pip_installs_what_is_allowed(tmp_path: Path) -> None:
    words = installed(tmp_path, "python")
    assert words[:4] == ["python", "-m", "pip", "install"]
    assert words[-1] == f"{ROOT}[test]" and "-c" not in words


HOOKS = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"][0]["hooks"]


@pytest.mark.parametrize("hook", HOOKS, ids=lambda hook: str(hook["id"]))
def test_the_commands_before_a_commit_exist(hook: dict[str, str]) -> None:
    script, *words = hook["entry"].split()
    assert os.access(ROOT / script, os.X_OK)
    if script == "scripts/in-environment":
        assert shutil.which(words[0], path=Path(sys.executable).parent)
        subprocess.run([sys.executable, "-m", *words, "--help"], check=True, capture_output=True)
    else:
        assert not words
