"""`scripts/bench`, the gate before a release, passes where all was run and nothing is worse."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from command import ROOT

pytestmark = pytest.mark.full


def gate(folder: Path, tool: str, *names: str, update: bool = False) -> int:
    """Run the gate on tasks of these names with this tool."""
    lines = (json.dumps({"file": name, "expected": True}) for name in names)
    (folder / "list.jsonl").write_text("\n".join(lines))
    options = ["--update"] if update else []
    done = subprocess.run(
        [ROOT / "scripts" / "bench", *options, "list.jsonl", "--tool", tool],
        capture_output=True,
        env={**os.environ, "TASKS": str(folder), "FIGURES": str(folder / "figures")},
        check=False,
    )
    return done.returncode


def test_the_gate(tmp_path: Path) -> None:
    (tmp_path / "a.c").touch()
    (tmp_path / "b.c").touch()
    figures = tmp_path / "figures" / "list.jsonl"
    assert gate(tmp_path, "echo true", "a.c") == 2, "no figures"
    assert gate(tmp_path, "echo true", "gone.c", update=True) == 2
    assert not figures.exists()
    assert gate(tmp_path, "echo true", "a.c", update=True) == 0
    assert len(figures.read_text().splitlines()) == 1
    assert gate(tmp_path, "echo true", "a.c") == 0
    assert gate(tmp_path, "echo unknown", "a.c") == 1
    assert gate(tmp_path, "echo true", "a.c", "gone.c") == 2


def test_a_wrong_answer_to_a_task_without_figures_fails(tmp_path: Path) -> None:
    for name in ("a.c", "b.c"):
        (tmp_path / name).touch()
    assert gate(tmp_path, "echo unknown", "a.c", update=True) == 0
    assert gate(tmp_path, "echo unknown", "a.c", "b.c") == 0
    tool = "sh -c 'case $0 in *b.c) echo false;; esac' {file}"
    assert gate(tmp_path, tool, "a.c", "b.c") == 1
