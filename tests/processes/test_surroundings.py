"""What a command inherits: signals that others ignore or block, systems that give too little."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from command import EXAMPLES, SEA_PY, Done

from seahorn_py import verify
from seahorn_py.base.errors import SeaError
from seahorn_py.evidence.runs import native
from seahorn_py.frontend.runtime.native import Executable, build
from seahorn_py.ir.run import Ending, RunLimits
from seahorn_py.processes.deadline import Deadline
from seahorn_py.processes.internal_errors import lacking
from seahorn_py.result import Answer

UNSAFE = EXAMPLES / "counter_unsafe.c"
INHERITED = (signal.SIGCHLD, signal.SIGPROF, signal.SIGTERM, signal.SIGALRM, signal.SIGUSR1)
ENDLESS = "define void @sea.main() {\n  br label %again\nagain:\n  br label %again\n}\n"


def inheriting(how: str) -> None:
    """Become a process with such signals, as a child of nohup, of a server or of a test tool is."""
    if how == "ignored":
        for number in INHERITED:
            signal.signal(number, signal.SIG_IGN)
    if how == "blocked":
        signal.pthread_sigmask(signal.SIG_BLOCK, INHERITED)


def started(prologue: str, *arguments: str | Path, cwd: Path) -> Done:
    """The command in a process that has run some Python before."""
    code = f"import os, resource, signal, sys\n{prologue}\nos.execv(sys.argv[1], sys.argv[1:])"
    argv = [sys.executable, "-c", code, *SEA_PY, *map(str, arguments)]
    done = subprocess.run(argv, capture_output=True, text=True, cwd=cwd, timeout=100, check=False)
    return Done(done.returncode, done.stdout, done.stderr)


@pytest.mark.parametrize("how", ["signal.SIG_IGN", "signal.SIG_DFL"])
def test_ignored_signals_change_no_answer(how: str, tmp_path: Path) -> None:
    """Where SIGCHLD is ignored no child can be waited for: that was an internal error."""
    prologue = "".join(f"signal.signal({int(number)}, {how})\n" for number in INHERITED)
    done = started(prologue, "pf", UNSAFE, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (1, "")
    assert not list(tmp_path.iterdir())


def test_handlers_of_the_caller_do_not_run_in_the_worker(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """A handler that reaps all children took those of the worker."""
    seen = tmp_path / "seen"

    def reap(*_: object) -> None:
        seen.write_text(f"{seen.read_text() if seen.exists() else ''}{os.getpid()}\n")

    before = signal.signal(signal.SIGCHLD, reap)
    try:
        assert verify(UNSAFE).answer is Answer.UNSAFE
    finally:
        signal.signal(signal.SIGCHLD, before)
    assert set(seen.read_text().split() if seen.exists() else ()) <= {str(os.getpid())}


@pytest.mark.parametrize("how", ["ignored", "blocked", "usual"])
def test_the_timer_of_a_run_ends_it_whatever_is_inherited(how: str) -> None:
    with tempfile.TemporaryDirectory() as place:
        built = build(ENDLESS, 64, Path(place), Deadline.after(60))
        assert isinstance(built, Executable), built
        pid = os.fork()
        if pid == 0:
            inheriting(how)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # a worker has it so
            found = native.run(built, {}, RunLimits(seconds=0.02))
            os._exit(0 if found.ending is Ending.LIMIT and found.reason == "" else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


FEW = {
    "descriptors for the supervisor": "resource.setrlimit(resource.RLIMIT_NOFILE, (10, 10))",
    "descriptors for the worker": "resource.setrlimit(resource.RLIMIT_NOFILE, (16, 16))",
    "descriptors for the compiler": "resource.setrlimit(resource.RLIMIT_NOFILE, (20, 20))",
    "temporary folders": "os.environ.update(TMPDIR='/dev/null')\n"
    "os.execv(sys.executable, [sys.executable, '-c', 'import sys, tempfile; "
    "tempfile._candidate_tempdir_list = list; from seahorn_py.cli.main import run; "
    "run()', *sys.argv[4:]])",
}


@pytest.mark.parametrize("what", FEW)
def test_a_system_that_gives_too_little_is_no_bug(what: str, tmp_path: Path) -> None:
    done = started(FEW[what], "pf", UNSAFE, cwd=tmp_path)
    assert done.returncode == 2, done
    assert done.stderr.startswith("sea-py: error: ")
    assert done.stderr.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_a_relative_folder_for_temporary_files_changes_nothing(tmp_path: Path) -> None:
    """The compiler works in another folder and did not find its file: no native run was made."""
    done = started("os.environ.update(TMPDIR='.')", "pf", UNSAFE, cwd=tmp_path)
    assert done.returncode == 1, done
    assert "(native run)" in done.stdout
    assert not list(tmp_path.iterdir())


def test_what_the_system_lacks_is_told_in_one_line() -> None:
    full = lacking(OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "a\nb"))
    assert isinstance(full, SeaError)
    assert "\n" not in str(full) and os.strerror(errno.ENOSPC) in str(full)
    assert lacking(OSError(errno.ENOENT, "no", "/proc/self/task")) is not None
    assert lacking(OSError(errno.ENOENT, "no", "/proc/1/task")) is None
    assert lacking(OSError(errno.ENOENT, "no")) is None
    assert lacking(ValueError("no")) is None
