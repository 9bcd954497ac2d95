"""What a killed run leaves behind the next run removes, and nothing else."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import planted
import pytest
from command import EXAMPLES

from seahorn_py.processes import scratch

NAME = "sea-py-123-abcdefgh"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "scratch"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.mark.parametrize(
    ("stage", "arguments"),
    [
        ("seahorn_py.frontend.compiling.compiler:_run", ["pf"]),
        ("seahorn_py.verification.pipeline:prepare", ["pf"]),
        ("seahorn_py.evidence.runs.native:exploration", ["pf"]),
        ("seahorn_py.cli.commands.executable:_built", ["exe", "-o", "prog"]),
    ],
)
def test_a_killed_run(stage: str, arguments: list[str], place: Path, tmp_path: Path) -> None:
    file = EXAMPLES / "counter_unsafe.c"
    run = subprocess.Popen(
        [sys.executable, planted.__file__, stage, "sleeps", *arguments, str(file)],
        env={**os.environ, "TMPDIR": str(place)},
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
    )
    until = time.monotonic() + 60
    while not list(place.iterdir()) and time.monotonic() < until:
        time.sleep(0.05)
    time.sleep(1)  # wherever it is then
    scratch.sweep()
    assert list(place.iterdir()), "the folder of a run that goes on"
    run.send_signal(signal.SIGKILL)
    run.wait()
    while list(place.iterdir()) and time.monotonic() < until:
        scratch.sweep()  # until the kernel has ended all processes below
        time.sleep(0.05)
    assert list(place.iterdir()) == []


def test_the_next_command_sweeps(place: Path) -> None:
    (place / NAME / "folder").mkdir(parents=True)
    (place / NAME / "folder" / "file").touch()
    argv = [sys.executable, "-m", "seahorn_py.cli", "chc", "nowhere.smt2"]
    subprocess.run(argv, env={**os.environ, "TMPDIR": str(place)}, capture_output=True, check=False)
    assert list(place.iterdir()) == []


def test_what_looks_alike_stays(place: Path, tmp_path: Path) -> None:
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    (theirs / "file").touch()
    (place / NAME).symlink_to(theirs)
    (place / "sea-py-123-abcdefg.").mkdir()
    (place / "sea-py-abcdefgh").mkdir()
    (place / "sea-py-1-abcdefgh.zip").touch()
    (place / "sea-py-1-abcdefgh").touch()
    before = sorted(place.iterdir())
    scratch.sweep()
    assert sorted(place.iterdir()) == before and (theirs / "file").exists()


def test_a_link_in_what_is_left_is_not_followed(place: Path, tmp_path: Path) -> None:
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    (theirs / "file").touch()
    (place / NAME).mkdir()
    (place / NAME / "link").symlink_to(theirs)
    scratch.sweep()
    assert list(place.iterdir()) == [] and (theirs / "file").exists()


def test_what_others_own_stays(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (place / NAME).mkdir()
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    scratch.sweep()
    assert (place / NAME).exists()


def test_a_folder_in_use_stays_also_where_only_a_copy_uses_it(place: Path) -> None:
    with scratch.folder() as folder:
        scratch.sweep()
        assert folder.exists() and folder.stat().st_mode & 0o777 == 0o700
        pid = os.fork()
        if pid == 0:
            time.sleep(60)
            os._exit(0)
    folder.mkdir()
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    scratch.sweep()
    assert list(place.iterdir()) == []


def test_a_folder_that_is_swept_before_it_is_locked_is_made_again(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []
    make = tempfile.mkdtemp

    def swept_once(**how: str) -> str:
        made.append(make(**how))
        if len(made) == 1:
            scratch.sweep()
        return made[-1]

    monkeypatch.setattr(tempfile, "mkdtemp", swept_once)
    with scratch.folder() as folder:
        assert folder.is_dir() and str(folder) == made[1]


@pytest.mark.full
def test_a_large_folder_costs_little(place: Path) -> None:
    for number in range(20_000):
        (place / f"{number}").touch()
    begin = time.process_time()
    scratch.sweep()
    assert time.process_time() - begin < 0.5
