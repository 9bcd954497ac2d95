"""`sea-py serve`: the answers are the same, limits and signals hold, nothing is left."""

from __future__ import annotations

import os
import shlex
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from command import EXAMPLES, interruptible

from seahorn_py.base.errors import SeaError
from seahorn_py.cli.serving import server, warm
from seahorn_py.cli.serving.client import SERVED
from seahorn_py.cli.serving.surroundings import default_socket, installed, surroundings
from seahorn_py.processes import limits

HARD = """ // whether a prime number has factors
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);
int main(void) {
    unsigned a = __VERIFIER_nondet_uint(), b = __VERIFIER_nondet_uint();
    if (a > 1 && b > 1 && (unsigned long long)a * b == 2305843009213693951ull)
        reach_error();
    return 0;
}
"""


class Running:
    """A server, and how to ask it."""

    def __init__(self, folder: Path) -> None:
        self.socket = folder / "serve"
        argv = [*SEA_PY, "serve", "--socket", str(self.socket)]
        self.process = subprocess.Popen(argv, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == f"ready at {self.socket}\n"

    def ask(self, *arguments: str, **variables: str) -> subprocess.Popen[str]:
        env = {**os.environ, "SEA_PY_SERVER": str(self.socket), **variables}
        pipe = subprocess.PIPE
        return subprocess.Popen(
            [*SEA_PY, *arguments],
            stdout=pipe,
            stderr=pipe,
            text=True,
            env=env,
            cwd=EXAMPLES,
            preexec_fn=interruptible,
        )

    def copies(self) -> list[int]:
        return [pid for pid in limits.descendants(self.process.pid) if limits.resident_kib(pid)]

    def until(self, are_there: bool, seconds: float = 20.0) -> bool:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if bool(self.copies()) is are_there:
                return True
            time.sleep(0.05)
        return False


SEA_PY = [sys.executable, "-P", "-m", "seahorn_py.cli"]


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    one = Running(tmp_path_factory.mktemp("serving"))
    yield one
    one.process.terminate()
    assert one.process.wait(20) == 143
    assert not one.socket.exists()


def told(run: subprocess.Popen[str]) -> tuple[int, str, str]:
    out, err = run.communicate(timeout=120)
    return run.returncode, out, err


def test_answers_are_the_same(running: Running) -> None:
    argv = ("pf", "counter_unsafe.c")
    served = running.ask(*argv)
    assert running.until(are_there=True)
    alone = running.ask(*argv, SEA_PY_SERVER="0")
    assert told(served) == told(alone)
    assert served.returncode == 1
    assert running.until(are_there=False)


def test_wrong_input_is_refused_as_ever(running: Running, tmp_path: Path) -> None:
    code, out, err = told(running.ask("--server", "pf", "absent.c"))
    assert (code, out, err) == (2, "", "sea-py: error: absent.c: no such file [E102]\n")


@pytest.mark.parametrize("variable", ["LC_NUMERIC", "PYTHONHASHSEED"])
def test_where_something_differs_the_client_works(running: Running, variable: str) -> None:
    code, _, err = told(running.ask("--server", "pf", "absent.c", **{variable: "1"}))
    first, second = err.splitlines()
    why = "other variables of Python and of the locale"
    assert first == f"sea-py: --server: {why}; this process does it"
    assert (code, second) == (2, "sea-py: error: absent.c: no such file [E102]")


def test_a_command_ends_with_its_client(running: Running, tmp_path: Path) -> None:
    file = tmp_path / "hard.c"
    file.write_text(HARD)
    client = running.ask("pf", "--timeout", "60", str(file))
    assert running.until(are_there=True)
    client.kill()
    told(client)
    assert running.until(are_there=False)


@pytest.mark.parametrize(("sign", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_signals_are_passed_on(
    running: Running, tmp_path: Path, sign: signal.Signals, code: int
) -> None:
    file = tmp_path / "hard.c"
    file.write_text(HARD)
    client = running.ask("pf", "--timeout", "60", str(file))
    assert running.until(are_there=True)
    time.sleep(0.5)
    client.send_signal(sign)
    ended, out, _ = told(client)
    assert (ended, out.splitlines()[-1:]) == (code, ["unknown"])


def test_one_server_for_one_folder(running: Running) -> None:
    with pytest.raises(SeaError, match="a server is at work there already"):
        server.serve(str(running.socket), print)


def test_what_a_killed_server_left_is_replaced(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir(0o700)
    path = str(folder / "serve")
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(path)
    with server._listening(path):
        mode = os.stat(path).st_mode
    assert mode & 0o777 == 0o600
    assert not os.path.exists(path)


def test_no_socket_where_others_may_come(tmp_path: Path) -> None:
    folder = tmp_path / "open"
    folder.mkdir()
    folder.chmod(0o755)
    with pytest.raises(SeaError, match="nobody else can enter"):
        server.serve(str(folder / "serve"), print)
    (tmp_path / "mine").mkdir(0o700)
    (tmp_path / "mine" / "serve").write_text("a file")
    with pytest.raises(SeaError, match="is no socket"):
        server.serve(str(tmp_path / "mine" / "serve"), print)


def test_the_default_socket(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "run").mkdir(0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "run"))
    assert default_socket() == f"{tmp_path}/run/sea-py/serve"
    (tmp_path / "run").chmod(0o755)
    assert default_socket() != f"{tmp_path}/run/sea-py/serve"


def test_changed_files_are_seen(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text("x = 1\n")
    stamps = {str(file): warm._stamp(str(file)) or (0, 0)}
    assert not warm.changed(stamps)
    file.write_text("x = 10\n")
    assert warm.changed(stamps)
    file.unlink()
    assert warm.changed(stamps)


def test_processes_of_one_session_have_the_same_surroundings(running: Running) -> None:
    assert surroundings(os.getpid()) == surroundings(running.process.pid)
    assert set(installed()) == {"installation", "variables of Python and of the locale"}
    assert {"pf", "chc", "validate"} <= SERVED
    assert not {"serve", "bench", "lsp", "cc"} & SERVED


def test_a_client_with_little_address_space_works_by_itself(running: Running) -> None:
    given = f"ulimit -v 2000000; exec {shlex.join([*SEA_PY, '--server', 'pf', 'absent.c'])}"
    env = {**os.environ, "SEA_PY_SERVER": str(running.socket)}
    done = subprocess.run(["sh", "-c", given], capture_output=True, text=True, env=env, check=False)
    assert done.stderr.startswith("sea-py: --server: the client has little address space")
