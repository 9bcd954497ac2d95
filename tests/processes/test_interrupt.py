"""A run that is interrupted, ended or killed leaves no process and no file behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from command import interruptible

HARD = """
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(), x = 0, y = 0;
    for (int i = 0; i < a; i++) {
        x += i * b;
        y += x ^ b;
    }
    if (x == 123456789 && y == 987654321 && a > 100000)
        reach_error();
    return 0;
}
"""

WHEN_SOLVING = 6
"""The command, a copy for each encoding, two configurations of Spacer and one."""


def processes_in(session_mark: str) -> list[str]:
    """The command lines of live processes whose environment holds the mark."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if session_mark.encode() in (entry / "environ").read_bytes():
                found.append((entry / "cmdline").read_bytes().replace(b"\0", b" ").decode())
        except OSError:
            continue
    return found


@pytest.mark.parametrize(
    ("sign", "code"),
    [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGKILL, -9)],
)
def test_nothing_is_left(tmp_path: Path, sign: signal.Signals, code: int) -> None:
    file = tmp_path / "hard.c"
    file.write_text(HARD)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    mark = f"SEA_PY_TEST_MARK={tmp_path}"
    run = subprocess.Popen(
        [sys.executable, "-m", "seahorn_py.cli", "pf", "--timeout", "60", str(file)],
        env={**os.environ, "SEA_PY_TEST_MARK": str(tmp_path), "TMPDIR": str(scratch)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=interruptible,
    )
    deadline = time.monotonic() + 40
    while len(processes_in(mark)) < WHEN_SOLVING:
        assert time.monotonic() < deadline, "the solvers never started"
        assert run.poll() is None, run.communicate()
        time.sleep(0.1)
    run.send_signal(sign)
    output, errors = run.communicate(timeout=30)
    assert run.returncode == code, (output, errors)
    assert "Traceback" not in errors
    deadline = time.monotonic() + 5
    while processes_in(mark) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert processes_in(mark) == []
    if sign is not signal.SIGKILL:
        assert list(scratch.iterdir()) == []
        assert "known: int spacer plain" in output
        assert output.splitlines()[-2:] == ["unknown: interrupted [U101]", "unknown"]


def test_the_time_limit_holds(tmp_path: Path) -> None:
    file = tmp_path / "hard.c"
    file.write_text(HARD)
    begin = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "seahorn_py.cli", "pf", "--timeout", "4", str(file)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert time.monotonic() - begin < 20
    assert done.stdout.splitlines()[-1] == "unknown"
    assert done.returncode == 3
    assert "unknown: solve: " in done.stdout
